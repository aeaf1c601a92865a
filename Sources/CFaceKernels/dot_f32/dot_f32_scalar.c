// The dot product in f32 by the defined reduction, plainly.
//
// Accumulators: sixteen f32 lanes, one rounding per element. Any length, any alignment. Where the processor
// has no fused multiply-add, fmaf is an exact library routine: slow, the same bits. The sum differs from the
// exact one by at most gamma(count / 16 + 5) * sum |a[i] * b[i]| with gamma(n) = n u / (1 - n u), u = 2^-24
// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1), besides underflow.
#include <math.h>

#include "../kernels.h"

float fk_dot_f32_scalar(const float *a, const float *b, size_t count) {
  float lanes[16] = {0};
  for (size_t i = 0; i < count; i++) lanes[i % 16] = fmaf(a[i], b[i], lanes[i % 16]);
  // The padding is not without effect: a lane that underflowed to -0 becomes +0.
  for (size_t i = count; i % 16 != 0; i++) lanes[i % 16] += 0.0f;
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t lane = 0; lane < half; lane++) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

void fk_dot_rows_f32_scalar(const float *query, const float *rows, size_t stride, size_t row_count,
                            size_t count, float *scores) {
  for (size_t row = 0; row < row_count; row++)
    scores[row] = fk_dot_f32_scalar(query, rows + row * stride, count);
}
