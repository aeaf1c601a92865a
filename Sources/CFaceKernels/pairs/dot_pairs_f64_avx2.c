// The f64 dot product with two registers a pair; earned by the fused multiply-add, which plain x86-64 has to call.
#if defined(__x86_64__)
#define FK_PAIRS_TARGET FK_AVX2
#include "dot_pairs_f64.h"

FK_AVX2 void fk_dot_pairs_f64_avx2(const double *a, size_t a_stride, size_t a_count, const double *b, size_t b_stride,
                                   size_t b_count, size_t count, double *scores, size_t score_stride) {
  dot_pairs(a, a_stride, a_count, b, b_stride, b_count, count, scores, score_stride);
}
#endif
