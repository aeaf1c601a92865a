// The rows whose estimate may reach a cutoff, eight at a time.
//
// The same f32 operations as at the scalar level, none fused. Mostly no row of eight passes, and then nothing
// is written. Any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

FK_AVX2 size_t fk_select_i8_avx2(const int32_t *products, const float *scales, const float *errors,
                                 const float *axial, size_t count, float query_scale, float axial_factor,
                                 float error_factor, float constant, float cutoff, uint32_t *indices,
                                 float *estimates) {
  const __m256 axial_factor_f32x8 = _mm256_set1_ps(axial_factor);
  const __m256 query_scale_f32x8 = _mm256_set1_ps(query_scale), factor_f32x8 = _mm256_set1_ps(error_factor);
  const __m256 constant_f32x8 = _mm256_set1_ps(constant), cutoff_f32x8 = _mm256_set1_ps(cutoff);
  size_t selected = 0;
  for (size_t i = 0; i < count; i += 8) {
    __m256i products_i32x8 = _mm256_loadu_si256((const __m256i *)(products + i));
    __m256 scaled = _mm256_mul_ps(query_scale_f32x8, _mm256_cvtepi32_ps(products_i32x8));
    __m256 estimate = _mm256_mul_ps(_mm256_loadu_ps(scales + i), scaled);
    if (axial) {
      estimate = _mm256_add_ps(estimate, _mm256_mul_ps(axial_factor_f32x8, _mm256_loadu_ps(axial + i)));
    }
    __m256 margin = _mm256_mul_ps(factor_f32x8, _mm256_loadu_ps(errors + i));
    margin = _mm256_add_ps(margin, constant_f32x8);
    __m256 passing = _mm256_cmp_ps(_mm256_add_ps(estimate, margin), cutoff_f32x8, _CMP_GE_OQ);
    unsigned bits = (unsigned)_mm256_movemask_ps(passing);
    if (__builtin_expect(bits == 0, 1)) continue;
    float lanes[8];
    _mm256_storeu_ps(lanes, estimate);
    for (; bits != 0; bits &= bits - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(bits);
      indices[selected] = (uint32_t)(i + lane);
      estimates[selected] = lanes[lane];
      selected += 1;
    }
  }
  return selected;
}
#endif
