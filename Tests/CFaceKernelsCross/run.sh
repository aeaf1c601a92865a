#!/bin/sh
# Runs check.c where the Swift tests don't reach: under the address and undefined-behaviour sanitizers here,
# and emulated on arm64 processors without and with sdot and on x86-64 processors without AVX-512 and AVX2.
# All must print the same checksum. Emulation shows that the arithmetic is right, nothing about speed.
#
# Fails if any check fails. Says "skipped" for what can't be run here, and only that may be missing.
set -eu

package=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources="$(find "$package/Sources/CFaceKernels" -name '*.c') $package/Tests/CFaceKernelsCross/check.c"
checksums="$work/checksums"
: > "$checksums"

have() { command -v "$1" > /dev/null 2>&1; }

# GCC fuses a * b + c unless told not to; clang obeys the pragma in kernels.h.
build() { # compiler, output, further flags
  compiler=$1 output=$2
  shift 2
  # shellcheck disable=SC2086 # the list of sources is words; the package's path has no blank
  "$compiler" -std=gnu11 -ffp-contract=off -Wall -Wextra -Werror "$@" \
    -I"$package/Sources/CFaceKernels/include" $sources -lm -o "$output"
}

run() { # title, command
  echo "$1:"
  shift
  if ! "$@" > "$work/output" 2>&1; then
    cat "$work/output"
    echo "the check failed" >&2
    exit 1
  fi
  sed -e '/warning: TCG/d' -e 's/^/  /' "$work/output"
  sed -n 's/.*checksum //p' "$work/output" >> "$checksums"
}

expect() { # what the last run must have printed: a level that fell away would pass unseen
  if ! grep -q "$1" "$work/output"; then
    echo "expected: $1" >&2
    exit 1
  fi
}

native=${CC:-cc}
build "$native" "$work/sanitized" -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
run "this processor, sanitized" "$work/sanitized"

if ! have aarch64-linux-gnu-gcc; then
  echo "arm64: skipped, no aarch64-linux-gnu-gcc (package gcc-aarch64-linux-gnu)"
elif ! have qemu-aarch64-static; then
  echo "arm64: skipped, no qemu-aarch64-static (package qemu-user-static)"
else
  build aarch64-linux-gnu-gcc "$work/arm64" -O2 -static
  run "arm64 without sdot, emulated" qemu-aarch64-static -cpu cortex-a72 "$work/arm64"
  expect "level neon:"
  run "arm64 with sdot, emulated" qemu-aarch64-static -cpu max "$work/arm64"
  expect "level neon+sdot:"
fi

if [ "$(uname -m)" != x86_64 ]; then
  echo "older x86-64: skipped, this processor is another"
elif ! have qemu-x86_64-static; then
  echo "older x86-64: skipped, no qemu-x86_64-static (package qemu-user-static)"
else
  build "$native" "$work/x86_64" -O2 -static
  run "x86-64 of 2008, emulated" qemu-x86_64-static -cpu Nehalem "$work/x86_64"
  expect "OpenBLAS core type: its own choice"
  run "x86-64 with AVX2, emulated" qemu-x86_64-static -cpu EPYC "$work/x86_64"
  expect "OpenBLAS core type: Zen"
  expect "level avx2:"
fi

if [ "$(sort -u "$checksums" | wc -l)" -ne 1 ]; then
  echo "the checksums differ between levels or processors" >&2
  exit 1
fi
