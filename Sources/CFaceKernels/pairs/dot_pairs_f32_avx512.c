// The dot products of rows with rows in f32 by the defined reduction, a register of sixteen lanes a pair.
//
// Sixteen accumulators, four rows by four: eight loads feed sixteen multiply-adds, so that arithmetic and not the cache
// is the limit, which one row at a time (nine loads for eight) does not reach. The lanes of all sixteen are then added
// together by shuffles, in the order of the reduction, and come out as the tile, row by row. A tail is read under a mask,
// which supplies the +0 of the padding. Any length, any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"
#include "tiles.h"

// r[k] holds, for each of four rows of a, the four lanes left of its pair with row k of b.
FK_INLINE FK_AVX512 __m512 add_lanes(const __m512 sums[4][4]) {
  __m512 quarters[4];
  FK_UNROLL
  for (int k = 0; k < 4; k++) {
    __m512 low = _mm512_add_ps(_mm512_shuffle_f32x4(sums[0][k], sums[1][k], 0x44),
                               _mm512_shuffle_f32x4(sums[0][k], sums[1][k], 0xee));
    __m512 high = _mm512_add_ps(_mm512_shuffle_f32x4(sums[2][k], sums[3][k], 0x44),
                                _mm512_shuffle_f32x4(sums[2][k], sums[3][k], 0xee));
    quarters[k] = _mm512_add_ps(_mm512_shuffle_f32x4(low, high, 0x88), _mm512_shuffle_f32x4(low, high, 0xdd));
  }
  __m512 left = _mm512_add_ps(_mm512_shuffle_ps(quarters[0], quarters[1], 0x44),
                              _mm512_shuffle_ps(quarters[0], quarters[1], 0xee));
  __m512 right = _mm512_add_ps(_mm512_shuffle_ps(quarters[2], quarters[3], 0x44),
                               _mm512_shuffle_ps(quarters[2], quarters[3], 0xee));
  return _mm512_add_ps(_mm512_shuffle_ps(left, right, 0x88), _mm512_shuffle_ps(left, right, 0xdd));
}

// The products of the lanes of `some`; all of them but at the end of a row, where a mask in a register would cost a third.
FK_INLINE FK_AVX512 void add_products(const int height, const int width, __mmask16 some, const float *a, size_t a_stride,
                                      const float *b, size_t b_stride, __m512 sums[4][4]) {
  __m512 others[4];
  FK_UNROLL
  for (int other = 0; other < width; other++) others[other] = _mm512_maskz_loadu_ps(some, b + other * b_stride);
  FK_UNROLL
  for (int row = 0; row < height; row++) {
    const __m512 left = _mm512_maskz_loadu_ps(some, a + row * a_stride);
    FK_UNROLL
    for (int other = 0; other < width; other++) {
      sums[row][other] = _mm512_fmadd_ps(left, others[other], sums[row][other]);
    }
  }
}

FK_INLINE FK_AVX512 void dot_tile(const int height, const int width, const float *a, size_t a_stride, const float *b,
                                  size_t b_stride, size_t count, float *scores, size_t score_stride) {
  __m512 sums[4][4];
  FK_UNROLL
  for (int row = 0; row < 4; row++) {
    FK_UNROLL
    for (int other = 0; other < 4; other++) sums[row][other] = _mm512_setzero_ps();
  }
  size_t i = 0;
  for (; i + 16 <= count; i += 16) add_products(height, width, 0xffff, a + i, a_stride, b + i, b_stride, sums);
  if (i < count) {
    add_products(height, width, (__mmask16)((1u << (count - i)) - 1), a + i, a_stride, b + i, b_stride, sums);
  }
  const __m512 tile = add_lanes(sums);
  const __mmask8 stored = (__mmask8)((1 << width) - 1);
  _mm_mask_storeu_ps(scores, stored, _mm512_castps512_ps128(tile));
  if (height == 1) return;
  _mm_mask_storeu_ps(scores + score_stride, stored, _mm512_extractf32x4_ps(tile, 1));
  _mm_mask_storeu_ps(scores + 2 * score_stride, stored, _mm512_extractf32x4_ps(tile, 2));
  _mm_mask_storeu_ps(scores + 3 * score_stride, stored, _mm512_extractf32x4_ps(tile, 3));
}

FK_AVX512 void fk_dot_pairs_f32_avx512(const float *a, size_t a_stride, size_t a_count, const float *b,
                                       size_t b_stride, size_t b_count, size_t count, float *scores,
                                       size_t score_stride) {
#define FK_TILE(height, width, row, other)                                                             \
  dot_tile(height, width, a + row * a_stride, a_stride, b + other * b_stride, b_stride, count,         \
           scores + row * score_stride + other, score_stride)
  FK_FOR_EACH_TILE(a_count, b_count, FK_TILE)
#undef FK_TILE
}
#endif
