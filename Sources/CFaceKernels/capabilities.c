// What the processor and its operating system allow. Asked once: in a virtual machine cpuid takes
// microseconds.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "kernels.h"

static fk_capabilities capabilities;
static char processor_name[64];

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

static int has_bit(uint32_t word, int bit) { return (word >> bit) & 1; }

// Which register states the operating system saves: XCR0. Only to be asked where OSXSAVE is set.
static uint32_t read_saved_states(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// Linux gives the tiles' eight kilobytes of state only to a process that asks (Documentation/arch/x86/xstate.rst); the
// threads made later have them too.
static int may_use_tiles(void) {
#if defined(__linux__)
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
  return 0;
#endif
}

static void find_name(void) {
  uint32_t words[12] = {0}, highest = __get_cpuid_max(0x80000000u, NULL);
  if (highest >= 0x80000004u) {
    for (uint32_t part = 0; part < 3; part++) {
      uint32_t *w = words + 4 * part;
      __get_cpuid(0x80000002u + part, &w[0], &w[1], &w[2], &w[3]);
    }
    char brand[49] = {0};
    memcpy(brand, words, sizeof words);
    size_t start = strspn(brand, " "), end = strlen(brand);
    while (end > start && brand[end - 1] == ' ') end--;
    snprintf(processor_name, sizeof processor_name, "%.*s", (int)(end - start), brand + start);
  }
  if (processor_name[0] == 0) snprintf(processor_name, sizeof processor_name, "x86-64");
}

// Bits as in Intel's Software Developer's Manual, volume 2A, CPUID, and volume 1, chapters 14 and 15.
static void find(void) {
  uint32_t eax, ebx, ecx, edx;
  find_name();
  if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx)) return;
  capabilities.amd = ebx == signature_AMD_ebx && ecx == signature_AMD_ecx && edx == signature_AMD_edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return;
  const int fma = has_bit(ecx, 12), popcnt = has_bit(ecx, 23), osxsave = has_bit(ecx, 27),
            avx = has_bit(ecx, 28);
  if (!osxsave || !avx || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return;
  const uint32_t states = read_saved_states(), avx_states = 0x6, avx512_states = 0xe6;
  const int avx512_bits = has_bit(ebx, 16) && has_bit(ebx, 17) && has_bit(ebx, 30) && has_bit(ebx, 31);
  capabilities.avx2 = has_bit(ebx, 5) && fma && popcnt && (states & avx_states) == avx_states;
  capabilities.avx512 = capabilities.avx2 && avx512_bits && (states & avx512_states) == avx512_states;
  capabilities.vnni = capabilities.avx512 && has_bit(ecx, 11);
  const uint32_t tile_states = 0x60000;
  const int tile_bits = has_bit(edx, 24) && has_bit(edx, 25);
  capabilities.amx = capabilities.vnni && tile_bits && (states & tile_states) == tile_states && may_use_tiles();
}

#elif defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>
enum { HAS_SDOT = 1 << 20, HAS_IDENTIFICATION = 1 << 11 };  // HWCAP_ASIMDDP, HWCAP_CPUID: elf_hwcaps.rst
#endif

static void find(void) {
  snprintf(processor_name, sizeof processor_name, "arm64");
#if defined(__linux__)
  const unsigned long features = getauxval(AT_HWCAP);
  capabilities.sdot = (features & HAS_SDOT) != 0;
  if (features & HAS_IDENTIFICATION) {
    // An arm64 processor has no name, only numbers; Linux lets a process read the register that holds them.
    uint64_t id;
    __asm__("mrs %0, MIDR_EL1" : "=r"(id));
    snprintf(processor_name, sizeof processor_name, "arm64 implementer 0x%02x part 0x%03x r%up%u",
             (unsigned)(id >> 24 & 0xff), (unsigned)(id >> 4 & 0xfff), (unsigned)(id >> 20 & 0xf),
             (unsigned)(id & 0xf));
  }
#endif
}

#else
static void find(void) { snprintf(processor_name, sizeof processor_name, "unknown"); }
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;

const fk_capabilities *fk_find_capabilities(void) {
  pthread_once(&once, find);
  return &capabilities;
}

const char *fk_processor_name(void) {
  pthread_once(&once, find);
  return processor_name;
}

// OpenBLAS's SkylakeX kernels need no more than our AVX-512 level; its Cooperlake and SapphireRapids ones
// need bf16, and Debian's 0.3.21 falls back to SSE3 on processors newer than it. A wrong name means an
// illegal instruction.
const char *fk_openblas_core_type(void) {
  const fk_capabilities *found = fk_find_capabilities();
  if (found->avx512) return "SkylakeX";
  if (found->avx2) return found->amd ? "Zen" : "Haswell";
  return NULL;
}
