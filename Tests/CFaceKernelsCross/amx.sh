#!/bin/sh
# Runs the AMX kernel on emulated tiles, under the sanitizers: that it is right, nothing about its speed.
set -eu
kernels=$(cd "$(dirname "$0")/../../Sources/CFaceKernels" && pwd)
[ "$(uname -m)" = x86_64 ] || { echo "AMX kernel: skipped, this processor is another"; exit 0; }
program=$(mktemp)
trap 'rm -f "$program"' EXIT
"${CC:-$(command -v cc || command -v clang)}" -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -Wall -Wextra -Werror \
  -I"$kernels/include" "$kernels/../../Tests/CFaceKernelsCross/amx_check.c" "$kernels/blocks/dot_blocks_i8_scalar.c" -o "$program"
"$program"
