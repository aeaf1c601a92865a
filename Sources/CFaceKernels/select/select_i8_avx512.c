// The rows whose estimate may reach a cutoff, sixteen at a time.
//
// The same f32 operations as at the scalar level, none fused. Mostly no row of sixteen passes, and then
// nothing is written; the passing ones are gathered in a register and stored under a mask, because the
// storing form of vcompress is slow on AMD. Any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

FK_AVX512 size_t fk_select_i8_avx512(const int32_t *products, const float *scales, const float *errors,
                                     const float *axial, size_t count, float query_scale, float axial_factor,
                                     float error_factor, float constant, float cutoff, uint32_t *indices,
                                     float *estimates) {
  const __m512 axial_factor_f32x16 = _mm512_set1_ps(axial_factor);
  const __m512 query_scale_f32x16 = _mm512_set1_ps(query_scale), factor_f32x16 = _mm512_set1_ps(error_factor);
  const __m512 constant_f32x16 = _mm512_set1_ps(constant), cutoff_f32x16 = _mm512_set1_ps(cutoff);
  const __m512i first_lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  size_t selected = 0;
  for (size_t i = 0; i < count; i += 16) {
    __m512 scaled = _mm512_mul_ps(query_scale_f32x16, _mm512_cvtepi32_ps(_mm512_loadu_si512(products + i)));
    __m512 estimate = _mm512_mul_ps(_mm512_loadu_ps(scales + i), scaled);
    if (axial) {
      estimate = _mm512_add_ps(estimate, _mm512_mul_ps(axial_factor_f32x16, _mm512_loadu_ps(axial + i)));
    }
    __m512 margin = _mm512_mul_ps(factor_f32x16, _mm512_loadu_ps(errors + i));
    margin = _mm512_add_ps(margin, constant_f32x16);
    __mmask16 passing = _mm512_cmp_ps_mask(_mm512_add_ps(estimate, margin), cutoff_f32x16, _CMP_GE_OQ);
    if (__builtin_expect(passing == 0, 1)) continue;
    const unsigned passed = (unsigned)__builtin_popcount(passing);
    const __mmask16 front = (__mmask16)((1u << passed) - 1);
    __m512i index = _mm512_add_epi32(_mm512_set1_epi32((int32_t)i), first_lanes);
    _mm512_mask_storeu_epi32(indices + selected, front, _mm512_maskz_compress_epi32(passing, index));
    _mm512_mask_storeu_ps(estimates + selected, front, _mm512_maskz_compress_ps(passing, estimate));
    selected += passed;
  }
  return selected;
}
#endif
