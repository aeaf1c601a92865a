// The quantisation of a row to 8-bit codes, sixteen elements at a time. The bound is proven in quantise.h.
//
// Accumulators: the squared residuals in one zmm of eight f64 lanes, first the lower eight elements, then the
// upper, as at the scalar level; residual and square are exact, so fusing changes nothing. A tail is read and
// written under a mask: the zeros it supplies have code 0 and residual 0. Any length up to 2^24, any
// alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "quantise.h"

FK_INLINE FK_AVX512 __mmask16 tail_mask(size_t left) {
  return left < 16 ? (__mmask16)((1u << left) - 1) : (__mmask16)0xffff;
}

FK_INLINE FK_AVX512 __m512d add_squares(__m512d sum_f64x8, __m256 row_f32x8, __m256i codes_i32x8,
                                        __m512d scale) {
  __m512d codes_f64x8 = _mm512_cvtepi32_pd(codes_i32x8);
  __m512d residual_f64x8 = _mm512_fnmadd_pd(scale, codes_f64x8, _mm512_cvtps_pd(row_f32x8));
  return _mm512_fmadd_pd(residual_f64x8, residual_f64x8, sum_f64x8);
}

FK_AVX512 fk_quantisation fk_quantise_i8_avx512(const float *row, size_t count, int8_t *codes) {
  __m512i largest_u32x16 = _mm512_setzero_si512();
  for (size_t i = 0; i < count; i += 16) {
    __m512i bits = _mm512_castps_si512(_mm512_maskz_loadu_ps(tail_mask(count - i), row + i));
    bits = _mm512_and_si512(bits, _mm512_set1_epi32(FK_MAGNITUDE_BITS));
    largest_u32x16 = _mm512_max_epu32(largest_u32x16, bits);
  }
  const fk_quantiser quantiser = fk_make_quantiser(_mm512_reduce_max_epu32(largest_u32x16));
  if (!quantiser.finite) return fk_refuse_row(count, codes);

  const __m512d scale = _mm512_set1_pd(quantiser.scale);
  const __m512 inverse = _mm512_set1_ps(quantiser.inverse);
  __m512d sum_f64x8 = _mm512_setzero_pd();
  for (size_t i = 0; i < count; i += 16) {
    const __mmask16 mask = tail_mask(count - i);
    __m512 row_f32x16 = _mm512_maskz_loadu_ps(mask, row + i);
    __m512i codes_i32x16 = _mm512_cvtps_epi32(_mm512_mul_ps(row_f32x16, inverse));
    _mm_mask_storeu_epi8(codes + i, mask, _mm512_cvtepi32_epi8(codes_i32x16));
    __m256 row_low = _mm512_castps512_ps256(row_f32x16), row_high = _mm512_extractf32x8_ps(row_f32x16, 1);
    sum_f64x8 = add_squares(sum_f64x8, row_low, _mm512_castsi512_si256(codes_i32x16), scale);
    sum_f64x8 = add_squares(sum_f64x8, row_high, _mm512_extracti32x8_epi32(codes_i32x16, 1), scale);
  }
  double lanes[8];
  _mm512_storeu_pd(lanes, sum_f64x8);
  return fk_bound_error(quantiser.scale, fk_add_lanes(lanes));
}
#endif
