// What the residual codes leave of selected rows, plainly. Any alignment.
#include "../kernels.h"

size_t fk_refine_u2_scalar(const int32_t *products, const float *scales, const float *errors, size_t count,
                           float query_scale, float error_factor, float constant, float cutoff, uint32_t *indices,
                           float *estimates) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const uint32_t row = indices[i];
    const float scaled = query_scale * (float)products[i];
    const float refinement = scales[row] * 0.25f * scaled;
    const float estimate = estimates[i] + refinement;
    const float spread = error_factor * errors[row];
    const float margin = spread + constant;
    // Written in any case: only the count says what stays, so nothing is guessed of a branch.
    indices[kept] = row;
    estimates[kept] = estimate;
    kept += estimate + margin >= cutoff;
  }
  return kept;
}
