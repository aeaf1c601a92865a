// The dot product in f32 by the defined reduction, with two registers as the sixteen lanes.
//
// Accumulators: two ymm a row, so the bits are the scalar level's; four rows at a time hide the latency of
// the additions within sixteen registers. A tail is read under a mask, which supplies the +0 of the padding
// and touches nothing behind the end. Any length, any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

// Eight words from `tail_words + 8 - n` select the first n lanes.
static const int32_t tail_words[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

FK_INLINE FK_AVX2 __m256i tail_mask(size_t lanes) {
  return _mm256_loadu_si256((const __m256i *)(tail_words + 8 - (lanes < 8 ? lanes : 8)));
}

FK_INLINE FK_AVX2 float add_lanes(__m256 low_f32x8, __m256 high_f32x8) {
  __m256 sum_f32x8 = _mm256_add_ps(low_f32x8, high_f32x8);
  __m128 sum_f32x4 = _mm_add_ps(_mm256_castps256_ps128(sum_f32x8), _mm256_extractf128_ps(sum_f32x8, 1));
  __m128 sum_f32x2 = _mm_add_ps(sum_f32x4, _mm_movehl_ps(sum_f32x4, sum_f32x4));
  return _mm_cvtss_f32(_mm_add_ss(sum_f32x2, _mm_movehdup_ps(sum_f32x2)));
}

FK_INLINE FK_AVX2 void dot_tile(const int row_count, const float *query, const float *rows, size_t stride,
                                size_t count, float *scores) {
  __m256 low[4], high[4];
  FK_UNROLL
  for (int row = 0; row < row_count; row++) low[row] = high[row] = _mm256_setzero_ps();
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    __m256 query_low = _mm256_loadu_ps(query + i), query_high = _mm256_loadu_ps(query + i + 8);
    FK_UNROLL
    for (int row = 0; row < row_count; row++) {
      const float *place = rows + row * stride + i;
      low[row] = _mm256_fmadd_ps(_mm256_loadu_ps(place), query_low, low[row]);
      high[row] = _mm256_fmadd_ps(_mm256_loadu_ps(place + 8), query_high, high[row]);
    }
  }
  if (i < count) {
    // With eight elements or fewer left the upper mask is empty and its address is not read.
    const size_t left = count - i, above = left > 8 ? left - 8 : 0, upper = left > 8 ? 8 : 0;
    const __m256i low_mask = tail_mask(left), high_mask = tail_mask(above);
    __m256 query_low = _mm256_maskload_ps(query + i, low_mask);
    __m256 query_high = _mm256_maskload_ps(query + i + upper, high_mask);
    FK_UNROLL
    for (int row = 0; row < row_count; row++) {
      const float *place = rows + row * stride + i;
      low[row] = _mm256_fmadd_ps(_mm256_maskload_ps(place, low_mask), query_low, low[row]);
      high[row] = _mm256_fmadd_ps(_mm256_maskload_ps(place + upper, high_mask), query_high, high[row]);
    }
  }
  FK_UNROLL
  for (int row = 0; row < row_count; row++) scores[row] = add_lanes(low[row], high[row]);
}

FK_AVX2 float fk_dot_f32_avx2(const float *a, const float *b, size_t count) {
  float score;
  dot_tile(1, a, b, 0, count, &score);
  return score;
}

FK_AVX2 void fk_dot_rows_f32_avx2(const float *query, const float *rows, size_t stride, size_t row_count,
                                  size_t count, float *scores) {
  size_t row = 0;
  for (; row + 4 <= row_count; row += 4) dot_tile(4, query, rows + row * stride, stride, count, scores + row);
  for (; row < row_count; row++) dot_tile(1, query, rows + row * stride, stride, count, scores + row);
}
#endif
