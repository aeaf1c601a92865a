// The quantisation of a row to 8-bit codes, eight elements at a time. The bound is proven in quantise.h.
//
// Accumulators: the squared residuals in four registers of two f64 lanes, as at the scalar level; residual
// and square are exact, so fusing changes nothing. A tail goes through a padded copy: its zeros have code 0
// and residual 0. Any length up to 2^24, any alignment. Run under emulation only, not yet on hardware.
#if defined(__aarch64__)
#include <arm_neon.h>

#include "quantise.h"

FK_INLINE uint32x4_t magnitude_bits(const float *row) {
  return vandq_u32(vreinterpretq_u32_f32(vld1q_f32(row)), vdupq_n_u32(FK_MAGNITUDE_BITS));
}

FK_INLINE float64x2_t add_squares(float64x2_t sum, float64x2_t row, int64x2_t codes, float64x2_t scale) {
  float64x2_t residual = vfmsq_f64(row, scale, vcvtq_f64_s64(codes));
  return vfmaq_f64(sum, residual, residual);
}

// Four codes, and their squared residuals added to `sums`.
FK_INLINE int32x4_t quantise_four(const float *row, float inverse, float64x2_t scale, float64x2_t sums[2]) {
  float32x4_t row_f32x4 = vld1q_f32(row);
  int32x4_t codes_i32x4 = vcvtnq_s32_f32(vmulq_n_f32(row_f32x4, inverse));
  int64x2_t low = vmovl_s32(vget_low_s32(codes_i32x4)), high = vmovl_high_s32(codes_i32x4);
  sums[0] = add_squares(sums[0], vcvt_f64_f32(vget_low_f32(row_f32x4)), low, scale);
  sums[1] = add_squares(sums[1], vcvt_high_f64_f32(row_f32x4), high, scale);
  return codes_i32x4;
}

FK_INLINE int8x8_t quantise_eight(const float *row, float inverse, float64x2_t scale, float64x2_t sums[4]) {
  int32x4_t low = quantise_four(row, inverse, scale, sums);
  int32x4_t high = quantise_four(row + 4, inverse, scale, sums + 2);
  return vmovn_s16(vcombine_s16(vmovn_s32(low), vmovn_s32(high)));
}

fk_quantisation fk_quantise_i8_neon(const float *row, size_t count, int8_t *codes) {
  const size_t whole = count / 8 * 8;
  float tail[8] = {0};
  memcpy(tail, row + whole, (count - whole) * sizeof *tail);
  uint32x4_t largest_u32x4 = vmaxq_u32(magnitude_bits(tail), magnitude_bits(tail + 4));
  for (size_t i = 0; i < whole; i += 4) largest_u32x4 = vmaxq_u32(largest_u32x4, magnitude_bits(row + i));
  const fk_quantiser quantiser = fk_make_quantiser(vmaxvq_u32(largest_u32x4));
  if (!quantiser.finite) return fk_refuse_row(count, codes);

  const float64x2_t scale = vdupq_n_f64(quantiser.scale);
  float64x2_t sums[4] = {vdupq_n_f64(0), vdupq_n_f64(0), vdupq_n_f64(0), vdupq_n_f64(0)};
  for (size_t i = 0; i < whole; i += 8)
    vst1_s8(codes + i, quantise_eight(row + i, quantiser.inverse, scale, sums));
  int8_t tail_codes[8];
  vst1_s8(tail_codes, quantise_eight(tail, quantiser.inverse, scale, sums));
  memcpy(codes + whole, tail_codes, count - whole);
  double lanes[8];
  for (int pair = 0; pair < 4; pair++) vst1q_f64(lanes + 2 * pair, sums[pair]);
  return fk_bound_error(quantiser.scale, fk_add_lanes(lanes));
}
#endif
