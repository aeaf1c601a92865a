// What the residual codes leave of selected rows, sixteen at a time.
//
// The same f32 operations as at the scalar level, none fused. Any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

FK_AVX512 size_t fk_refine_u2_avx512(const int32_t *products, const float *scales, const float *errors, size_t count,
                                     float query_scale, float error_factor, float constant, float cutoff,
                                     uint32_t *indices, float *estimates) {
  const __m512 quarter = _mm512_set1_ps(0.25f), query_scale_f32x16 = _mm512_set1_ps(query_scale);
  const __m512 factor_f32x16 = _mm512_set1_ps(error_factor), constant_f32x16 = _mm512_set1_ps(constant);
  const __m512 cutoff_f32x16 = _mm512_set1_ps(cutoff), zero = _mm512_setzero_ps();
  size_t kept = 0;
  for (size_t i = 0; i < count; i += 16) {
    const __mmask16 there = count - i >= 16 ? 0xffff : (__mmask16)((1u << (count - i)) - 1);
    __m512i rows = _mm512_maskz_loadu_epi32(there, indices + i);
    __m512 scaled = _mm512_mul_ps(query_scale_f32x16,
                                  _mm512_cvtepi32_ps(_mm512_maskz_loadu_epi32(there, products + i)));
    __m512 scale = _mm512_mul_ps(_mm512_mask_i32gather_ps(zero, there, rows, scales, 4), quarter);
    __m512 estimate = _mm512_add_ps(_mm512_maskz_loadu_ps(there, estimates + i), _mm512_mul_ps(scale, scaled));
    __m512 margin = _mm512_mul_ps(factor_f32x16, _mm512_mask_i32gather_ps(zero, there, rows, errors, 4));
    margin = _mm512_add_ps(margin, constant_f32x16);
    __mmask16 passing = _mm512_mask_cmp_ps_mask(there, _mm512_add_ps(estimate, margin), cutoff_f32x16, _CMP_GE_OQ);
    const unsigned passed = (unsigned)__builtin_popcount(passing);
    const __mmask16 front = (__mmask16)((1u << passed) - 1);
    _mm512_mask_storeu_epi32(indices + kept, front, _mm512_maskz_compress_epi32(passing, rows));
    _mm512_mask_storeu_ps(estimates + kept, front, _mm512_maskz_compress_ps(passing, estimate));
    kept += passed;
  }
  return kept;
}
#endif
