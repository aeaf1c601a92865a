// The dot products of rows with rows in f64, a register of eight lanes a pair.
//
// Sixteen accumulators, four rows by four, as in dot_pairs_f32_avx512.c; their lanes are added together by shuffles, four
// then two then one apart. A tail is read under a mask, which supplies the +0 of the padding. Any length, any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"
#include "tiles.h"

// The sums of one column of the tile: two lanes left for each of the four rows.
FK_INLINE FK_AVX512 __m512d halve(__m512d first, __m512d second, __m512d third, __m512d fourth) {
  __m512d low = _mm512_add_pd(_mm512_shuffle_f64x2(first, second, 0x44), _mm512_shuffle_f64x2(first, second, 0xee));
  __m512d high = _mm512_add_pd(_mm512_shuffle_f64x2(third, fourth, 0x44), _mm512_shuffle_f64x2(third, fourth, 0xee));
  return _mm512_add_pd(_mm512_shuffle_f64x2(low, high, 0x88), _mm512_shuffle_f64x2(low, high, 0xdd));
}

FK_INLINE FK_AVX512 void store_pair(__m512d left, __m512d right, double *scores, size_t stride, int height,
                                    __mmask8 stored) {
  const __m512d both = _mm512_add_pd(_mm512_unpacklo_pd(left, right), _mm512_unpackhi_pd(left, right));
  _mm_mask_storeu_pd(scores, stored, _mm512_castpd512_pd128(both));
  if (height == 1) return;
  _mm_mask_storeu_pd(scores + stride, stored, _mm512_extractf64x2_pd(both, 1));
  _mm_mask_storeu_pd(scores + 2 * stride, stored, _mm512_extractf64x2_pd(both, 2));
  _mm_mask_storeu_pd(scores + 3 * stride, stored, _mm512_extractf64x2_pd(both, 3));
}

// The products of the lanes of `some`; all of them but at the end of a row, where a mask in a register would cost a third.
FK_INLINE FK_AVX512 void add_products(const int height, const int width, __mmask8 some, const double *a, size_t a_stride,
                                      const double *b, size_t b_stride, __m512d sums[4][4]) {
  __m512d others[4];
  FK_UNROLL
  for (int other = 0; other < width; other++) others[other] = _mm512_maskz_loadu_pd(some, b + other * b_stride);
  FK_UNROLL
  for (int row = 0; row < height; row++) {
    const __m512d left = _mm512_maskz_loadu_pd(some, a + row * a_stride);
    FK_UNROLL
    for (int other = 0; other < width; other++) {
      sums[row][other] = _mm512_fmadd_pd(left, others[other], sums[row][other]);
    }
  }
}

FK_INLINE FK_AVX512 void dot_tile(const int height, const int width, const double *a, size_t a_stride, const double *b,
                                  size_t b_stride, size_t count, double *scores, size_t score_stride) {
  __m512d sums[4][4];
  FK_UNROLL
  for (int row = 0; row < 4; row++) {
    FK_UNROLL
    for (int other = 0; other < 4; other++) sums[row][other] = _mm512_setzero_pd();
  }
  size_t i = 0;
  for (; i + 8 <= count; i += 8) add_products(height, width, 0xff, a + i, a_stride, b + i, b_stride, sums);
  if (i < count) {
    add_products(height, width, (__mmask8)((1u << (count - i)) - 1), a + i, a_stride, b + i, b_stride, sums);
  }
  __m512d columns[4];
  FK_UNROLL
  for (int k = 0; k < 4; k++) columns[k] = halve(sums[0][k], sums[1][k], sums[2][k], sums[3][k]);
  store_pair(columns[0], columns[1], scores, score_stride, height, width == 1 ? 1 : 3);
  if (width == 4) store_pair(columns[2], columns[3], scores + 2, score_stride, height, 3);
}

FK_AVX512 void fk_dot_pairs_f64_avx512(const double *a, size_t a_stride, size_t a_count, const double *b,
                                       size_t b_stride, size_t b_count, size_t count, double *scores,
                                       size_t score_stride) {
#define FK_TILE(height, width, row, other)                                                             \
  dot_tile(height, width, a + row * a_stride, a_stride, b + other * b_stride, b_stride, count,         \
           scores + row * score_stride + other, score_stride)
  FK_FOR_EACH_TILE(a_count, b_count, FK_TILE)
#undef FK_TILE
}
#endif
