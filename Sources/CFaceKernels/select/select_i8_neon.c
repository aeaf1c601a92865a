// The rows whose estimate may reach a cutoff, four at a time.
//
// The same f32 operations as at the scalar level, none fused. Mostly no row of four passes, and then nothing
// is written. Any alignment. Run under emulation only, not yet on hardware.
#if defined(__aarch64__)
#include <arm_neon.h>

#include "../kernels.h"

size_t fk_select_i8_neon(const int32_t *products, const float *scales, const float *errors, const float *axial,
                         size_t count, float query_scale, float axial_factor, float error_factor, float constant,
                         float cutoff, uint32_t *indices, float *estimates) {
  const float32x4_t constant_f32x4 = vdupq_n_f32(constant), cutoff_f32x4 = vdupq_n_f32(cutoff);
  size_t selected = 0;
  for (size_t i = 0; i < count; i += 4) {
    float32x4_t scaled = vmulq_n_f32(vcvtq_f32_s32(vld1q_s32(products + i)), query_scale);
    float32x4_t estimate = vmulq_f32(vld1q_f32(scales + i), scaled);
    if (axial) estimate = vaddq_f32(estimate, vmulq_n_f32(vld1q_f32(axial + i), axial_factor));
    float32x4_t margin = vmulq_n_f32(vld1q_f32(errors + i), error_factor);
    margin = vaddq_f32(margin, constant_f32x4);
    uint32x4_t passing = vcgeq_f32(vaddq_f32(estimate, margin), cutoff_f32x4);
    if (__builtin_expect(vmaxvq_u32(passing) == 0, 1)) continue;
    uint32_t passed[4];
    float lanes[4];
    vst1q_u32(passed, passing);
    vst1q_f32(lanes, estimate);
    for (size_t lane = 0; lane < 4; lane++) {
      if (passed[lane] == 0) continue;
      indices[selected] = (uint32_t)(i + lane);
      estimates[selected] = lanes[lane];
      selected += 1;
    }
  }
  return selected;
}
#endif
