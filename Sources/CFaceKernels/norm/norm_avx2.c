// The sum of squares and the division by a norm, with two registers as the eight f64 lanes.
//
// The products are exact (see norm_scalar.c), so that a fused multiply-add rounds as the scalar level does. A
// tail is added to the lanes one element at a time. Any length, any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "lanes.h"

FK_AVX2 double fk_squared_norm_f32_avx2(const float *row, size_t count) {
  __m256d low_f64x4 = _mm256_setzero_pd(), high_f64x4 = _mm256_setzero_pd();
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m256d low = _mm256_cvtps_pd(_mm_loadu_ps(row + i)), high = _mm256_cvtps_pd(_mm_loadu_ps(row + i + 4));
    low_f64x4 = _mm256_fmadd_pd(low, low, low_f64x4);
    high_f64x4 = _mm256_fmadd_pd(high, high, high_f64x4);
  }
  double lanes[8];
  _mm256_storeu_pd(lanes, low_f64x4);
  _mm256_storeu_pd(lanes + 4, high_f64x4);
  for (size_t lane = 0; i < count; i++, lane++) lanes[lane] += (double)row[i] * (double)row[i];
  return fk_add_lanes(lanes);
}

FK_AVX2 void fk_divide_f32_avx2(const float *row, double norm, size_t count, float *result) {
  const __m256d norm_f64x4 = _mm256_set1_pd(norm);
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    __m256d row_f64x4 = _mm256_cvtps_pd(_mm_loadu_ps(row + i));
    _mm_storeu_ps(result + i, _mm256_cvtpd_ps(_mm256_div_pd(row_f64x4, norm_f64x4)));
  }
  for (; i < count; i++) result[i] = (float)((double)row[i] / norm);
}
#endif
