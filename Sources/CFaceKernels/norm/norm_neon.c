// The sum of squares and the division by a norm, with four registers as the eight f64 lanes.
//
// The products are exact (see norm_scalar.c), so that a fused multiply-add rounds as the scalar level does. A
// tail is added to the lanes one element at a time. Any length, any alignment. Run under emulation only, not
// yet on hardware.
#if defined(__aarch64__)
#include <arm_neon.h>

#include "lanes.h"

FK_INLINE void add_squares(float64x2_t sums[2], float32x4_t row_f32x4) {
  float64x2_t low = vcvt_f64_f32(vget_low_f32(row_f32x4)), high = vcvt_high_f64_f32(row_f32x4);
  sums[0] = vfmaq_f64(sums[0], low, low);
  sums[1] = vfmaq_f64(sums[1], high, high);
}

double fk_squared_norm_f32_neon(const float *row, size_t count) {
  float64x2_t low_sums[2] = {vdupq_n_f64(0), vdupq_n_f64(0)}, high_sums[2] = {vdupq_n_f64(0), vdupq_n_f64(0)};
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    add_squares(low_sums, vld1q_f32(row + i));
    add_squares(high_sums, vld1q_f32(row + i + 4));
  }
  double lanes[8];
  vst1q_f64(lanes, low_sums[0]);
  vst1q_f64(lanes + 2, low_sums[1]);
  vst1q_f64(lanes + 4, high_sums[0]);
  vst1q_f64(lanes + 6, high_sums[1]);
  for (size_t lane = 0; i < count; i++, lane++) lanes[lane] += (double)row[i] * (double)row[i];
  return fk_add_lanes(lanes);
}

void fk_divide_f32_neon(const float *row, double norm, size_t count, float *result) {
  const float64x2_t norm_f64x2 = vdupq_n_f64(norm);
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    float32x4_t row_f32x4 = vld1q_f32(row + i);
    float64x2_t low = vdivq_f64(vcvt_f64_f32(vget_low_f32(row_f32x4)), norm_f64x2);
    float64x2_t high = vdivq_f64(vcvt_high_f64_f32(row_f32x4), norm_f64x2);
    vst1q_f32(result + i, vcvt_high_f32_f64(vcvt_f32_f64(low), high));
  }
  for (; i < count; i++) result[i] = (float)((double)row[i] / norm);
}
#endif
