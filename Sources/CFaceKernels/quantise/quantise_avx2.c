// The quantisation of a row to 8-bit codes, eight elements at a time. The bound is proven in quantise.h.
//
// Accumulators: the squared residuals in two ymm of four f64 lanes, as at the scalar level; residual and
// square are exact, so fusing changes nothing. A tail goes through a padded copy: its zeros have code 0 and
// residual 0. Any length up to 2^24, any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "quantise.h"

FK_INLINE FK_AVX2 __m256i magnitude_bits(const float *row) {
  __m256i bits = _mm256_loadu_si256((const __m256i *)row);
  return _mm256_and_si256(bits, _mm256_set1_epi32(FK_MAGNITUDE_BITS));
}

FK_INLINE FK_AVX2 __m256d add_squares(__m256d sum_f64x4, __m128 row_f32x4, __m128i codes_i32x4,
                                      __m256d scale) {
  __m256d residual_f64x4 =
      _mm256_fnmadd_pd(scale, _mm256_cvtepi32_pd(codes_i32x4), _mm256_cvtps_pd(row_f32x4));
  return _mm256_fmadd_pd(residual_f64x4, residual_f64x4, sum_f64x4);
}

// Eight codes, and their squared residuals added to `sums`.
FK_INLINE FK_AVX2 __m128i quantise_eight(const float *row, __m256 inverse, __m256d scale, __m256d sums[2]) {
  __m256 row_f32x8 = _mm256_loadu_ps(row);
  __m256i codes_i32x8 = _mm256_cvtps_epi32(_mm256_mul_ps(row_f32x8, inverse));
  __m128i codes_low = _mm256_castsi256_si128(codes_i32x8),
          codes_high = _mm256_extracti128_si256(codes_i32x8, 1);
  sums[0] = add_squares(sums[0], _mm256_castps256_ps128(row_f32x8), codes_low, scale);
  sums[1] = add_squares(sums[1], _mm256_extractf128_ps(row_f32x8, 1), codes_high, scale);
  __m128i codes_i16x8 = _mm_packs_epi32(codes_low, codes_high);
  return _mm_packs_epi16(codes_i16x8, codes_i16x8);
}

FK_INLINE FK_AVX2 uint32_t largest_lane(__m256i largest_u32x8) {
  uint32_t lanes[8], largest = 0;
  _mm256_storeu_si256((__m256i *)lanes, largest_u32x8);
  for (size_t lane = 0; lane < 8; lane++) largest = lanes[lane] > largest ? lanes[lane] : largest;
  return largest;
}

FK_AVX2 fk_quantisation fk_quantise_i8_avx2(const float *row, size_t count, int8_t *codes) {
  const size_t whole = count / 8 * 8;
  float tail[8] = {0};
  memcpy(tail, row + whole, (count - whole) * sizeof *tail);
  __m256i largest_u32x8 = magnitude_bits(tail);
  for (size_t i = 0; i < whole; i += 8)
    largest_u32x8 = _mm256_max_epu32(largest_u32x8, magnitude_bits(row + i));
  const fk_quantiser quantiser = fk_make_quantiser(largest_lane(largest_u32x8));
  if (!quantiser.finite) return fk_refuse_row(count, codes);

  const __m256d scale = _mm256_set1_pd(quantiser.scale);
  const __m256 inverse = _mm256_set1_ps(quantiser.inverse);
  __m256d sums[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  for (size_t i = 0; i < whole; i += 8) {
    _mm_storel_epi64((__m128i *)(codes + i), quantise_eight(row + i, inverse, scale, sums));
  }
  int8_t tail_codes[16];
  _mm_storeu_si128((__m128i *)tail_codes, quantise_eight(tail, inverse, scale, sums));
  memcpy(codes + whole, tail_codes, count - whole);
  double lanes[8];
  _mm256_storeu_pd(lanes, sums[0]);
  _mm256_storeu_pd(lanes + 4, sums[1]);
  return fk_bound_error(quantiser.scale, fk_add_lanes(lanes));
}
#endif
