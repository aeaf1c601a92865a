// The rows whose estimate may reach a cutoff, plainly.
//
// Every step is one f32 operation with one rounding; a product above 2^24 is rounded when it becomes f32. A
// comparison with NaN is false, so NaN is never selected. Any alignment; `indices` and `estimates` have room
// for `count`.
#include "../kernels.h"

size_t fk_select_i8_scalar(const int32_t *products, const float *scales, const float *errors, const float *axial,
                           size_t count, float query_scale, float axial_factor, float error_factor, float constant,
                           float cutoff, uint32_t *indices, float *estimates) {
  size_t selected = 0;
  for (size_t i = 0; i < count; i++) {
    float scaled = query_scale * (float)products[i];
    float estimate = scales[i] * scaled;
    if (axial) {
      float along = axial_factor * axial[i];
      estimate = estimate + along;
    }
    float spread = error_factor * errors[i];
    float margin = spread + constant;
    if (estimate + margin >= cutoff) {
      indices[selected] = (uint32_t)i;
      estimates[selected] = estimate;
      selected += 1;
    }
  }
  return selected;
}
