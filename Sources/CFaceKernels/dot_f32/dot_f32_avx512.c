// The dot product in f32 by the defined reduction, with a register as the sixteen lanes.
//
// Accumulators: one zmm a row, so the bits are the scalar level's. One row waits for its own additions, four
// cycles each; eight rows at a time hide that, read the query once, and are streams enough that fetching
// ahead made reading from memory no faster. A tail is read under a mask, which supplies the +0 of the padding
// and touches nothing behind the end. Any length, any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

FK_INLINE FK_AVX512 float add_lanes(__m512 sum_f32x16) {
  __m256 sum_f32x8 = _mm256_add_ps(_mm512_castps512_ps256(sum_f32x16), _mm512_extractf32x8_ps(sum_f32x16, 1));
  __m128 sum_f32x4 = _mm_add_ps(_mm256_castps256_ps128(sum_f32x8), _mm256_extractf128_ps(sum_f32x8, 1));
  __m128 sum_f32x2 = _mm_add_ps(sum_f32x4, _mm_movehl_ps(sum_f32x4, sum_f32x4));
  return _mm_cvtss_f32(_mm_add_ss(sum_f32x2, _mm_movehdup_ps(sum_f32x2)));
}

FK_INLINE FK_AVX512 void dot_tile(const int row_count, const float *query, const float *rows, size_t stride,
                                  size_t count, float *scores) {
  __m512 sums[8];
  FK_UNROLL
  for (int row = 0; row < row_count; row++) sums[row] = _mm512_setzero_ps();
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    __m512 query_f32x16 = _mm512_loadu_ps(query + i);
    FK_UNROLL
    for (int row = 0; row < row_count; row++) {
      sums[row] = _mm512_fmadd_ps(_mm512_loadu_ps(rows + row * stride + i), query_f32x16, sums[row]);
    }
  }
  if (i < count) {
    __mmask16 tail = (__mmask16)((1u << (count - i)) - 1);
    __m512 query_f32x16 = _mm512_maskz_loadu_ps(tail, query + i);
    FK_UNROLL
    for (int row = 0; row < row_count; row++) {
      __m512 row_f32x16 = _mm512_maskz_loadu_ps(tail, rows + row * stride + i);
      sums[row] = _mm512_fmadd_ps(row_f32x16, query_f32x16, sums[row]);
    }
  }
  FK_UNROLL
  for (int row = 0; row < row_count; row++) scores[row] = add_lanes(sums[row]);
}

FK_AVX512 float fk_dot_f32_avx512(const float *a, const float *b, size_t count) {
  float score;
  dot_tile(1, a, b, 0, count, &score);
  return score;
}

FK_AVX512 void fk_dot_rows_f32_avx512(const float *query, const float *rows, size_t stride, size_t row_count,
                                      size_t count, float *scores) {
  size_t row = 0;
  for (; row + 8 <= row_count; row += 8) dot_tile(8, query, rows + row * stride, stride, count, scores + row);
  for (; row < row_count; row++) dot_tile(1, query, rows + row * stride, stride, count, scores + row);
}
#endif
