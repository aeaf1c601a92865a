// The exact dot product of signed codes, four products a lane in one instruction, for arm64 with sdot.
//
// Accumulators: two of i32x4. A tail is added one element at a time. Exact up to 133,144 elements, any
// alignment. Run under emulation only, not yet on hardware.
#if defined(__aarch64__)
#include <arm_neon.h>

#include "../kernels.h"

FK_SDOT int32_t fk_dot_i8_sdot(const int8_t *a, const int8_t *b, size_t count) {
  int32x4_t even_i32x4 = vdupq_n_s32(0), odd_i32x4 = vdupq_n_s32(0);
  size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    even_i32x4 = vdotq_s32(even_i32x4, vld1q_s8(a + i), vld1q_s8(b + i));
    odd_i32x4 = vdotq_s32(odd_i32x4, vld1q_s8(a + i + 16), vld1q_s8(b + i + 16));
  }
  int32_t total = vaddvq_s32(vaddq_s32(even_i32x4, odd_i32x4));
  for (; i < count; i++) total += (int32_t)a[i] * b[i];
  return total;
}
#endif
