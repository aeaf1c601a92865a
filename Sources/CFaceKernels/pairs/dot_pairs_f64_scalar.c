// The f64 dot product of the evaluation: what every level must give. On arm64, whose base has a fused multiply-add, the
// compiler makes vectors of the lanes and no file of its own is earned.
#define FK_PAIRS_TARGET
#include "dot_pairs_f64.h"

void fk_dot_pairs_f64_scalar(const double *a, size_t a_stride, size_t a_count, const double *b, size_t b_stride,
                             size_t b_count, size_t count, double *scores, size_t score_stride) {
  dot_pairs(a, a_stride, a_count, b, b_stride, b_count, count, scores, score_stride);
}
