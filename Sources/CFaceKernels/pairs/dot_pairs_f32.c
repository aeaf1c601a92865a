// The dot products of rows with rows at the levels that have no tile of their own: a row with many at a time.
#include "../kernels.h"

#define FK_DEFINE_DOT_PAIRS_F32(level)                                                                              \
  void fk_dot_pairs_f32_##level(const float *a, size_t a_stride, size_t a_count, const float *b, size_t b_stride,   \
                                size_t b_count, size_t count, float *scores, size_t score_stride) {                 \
    for (size_t row = 0; row < a_count; row++) {                                                                    \
      fk_dot_rows_f32_##level(a + row * a_stride, b, b_stride, b_count, count, scores + row * score_stride);        \
    }                                                                                                               \
  }

FK_DEFINE_DOT_PAIRS_F32(scalar)
#if defined(__x86_64__)
FK_DEFINE_DOT_PAIRS_F32(avx2)
#elif defined(__aarch64__)
FK_DEFINE_DOT_PAIRS_F32(neon)
#endif
