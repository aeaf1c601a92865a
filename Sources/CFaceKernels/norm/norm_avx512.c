// The sum of squares and the division by a norm, with a register as the eight f64 lanes.
//
// The products are exact (see norm_scalar.c), so that a fused multiply-add rounds as the scalar level does. A
// tail is read and written under a mask. Any length, any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "lanes.h"

FK_AVX512 double fk_squared_norm_f32_avx512(const float *row, size_t count) {
  __m512d sum_f64x8 = _mm512_setzero_pd();
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m512d row_f64x8 = _mm512_cvtps_pd(_mm256_loadu_ps(row + i));
    sum_f64x8 = _mm512_fmadd_pd(row_f64x8, row_f64x8, sum_f64x8);
  }
  if (i < count) {
    __mmask8 tail = (__mmask8)((1u << (count - i)) - 1);
    __m512d row_f64x8 = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(tail, row + i));
    sum_f64x8 = _mm512_fmadd_pd(row_f64x8, row_f64x8, sum_f64x8);
  }
  double lanes[8];
  _mm512_storeu_pd(lanes, sum_f64x8);
  return fk_add_lanes(lanes);
}

FK_AVX512 void fk_divide_f32_avx512(const float *row, double norm, size_t count, float *result) {
  const __m512d norm_f64x8 = _mm512_set1_pd(norm);
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m512d row_f64x8 = _mm512_cvtps_pd(_mm256_loadu_ps(row + i));
    _mm256_storeu_ps(result + i, _mm512_cvtpd_ps(_mm512_div_pd(row_f64x8, norm_f64x8)));
  }
  if (i < count) {
    __mmask8 tail = (__mmask8)((1u << (count - i)) - 1);
    __m512d row_f64x8 = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(tail, row + i));
    _mm256_mask_storeu_ps(result + i, tail, _mm512_cvtpd_ps(_mm512_div_pd(row_f64x8, norm_f64x8)));
  }
}
#endif
