// Counts scores in bins, eight at a time: the bins and sums are vectors, the counts eight additions in memory.
//
// Earned by the billions of scores of an evaluation, which this halves the time of. Clamping the position gives the
// outermost bins without a branch: a NaN becomes 0 and is masked out.
#if defined(__x86_64__)
#include <immintrin.h>

#include "bins.h"

typedef struct {
  __m512d low, scale, last, shift;
  __m256i first, width;
} constants;

FK_INLINE FK_AVX512 void bin_eight(__m512d scores, __mmask8 some, const constants *c, __m512d *sums, __m512d *squares,
                                   int64_t *counts, double *kept_scores, fk_bin_sums *result) {
  const __m512d zero = _mm512_setzero_pd();
  const __mmask8 finite =
      _mm512_mask_cmp_pd_mask(some, _mm512_abs_pd(scores), _mm512_set1_pd(__builtin_inf()), _CMP_LT_OQ);
  __m512d position = _mm512_mul_pd(_mm512_sub_pd(scores, c->low), c->scale);
  position = _mm512_min_pd(_mm512_max_pd(position, zero), c->last);
  const __m256i bins = _mm512_cvttpd_epi32(position);
  const __m512d difference = _mm512_sub_pd(scores, c->shift);
  *sums = _mm512_mask_add_pd(*sums, finite, *sums, difference);
  *squares = _mm512_mask_add_pd(*squares, finite, *squares, _mm512_mul_pd(difference, difference));
  const __mmask8 kept = _mm256_mask_cmplt_epu32_mask(finite, _mm256_sub_epi32(bins, c->first), c->width);
  if (kept != 0) {
    _mm512_mask_compressstoreu_pd(kept_scores + result->kept, kept, scores);
    result->kept += (size_t)__builtin_popcount(kept);
  }
  int32_t indices[8];
  _mm256_storeu_si256((__m256i *)indices, bins);
  if (finite == 0xff) {
    FK_UNROLL
    for (int i = 0; i < 8; i++) counts[indices[i]] += 1;
    return;
  }
  for (int i = 0; i < 8; i++) {
    if (finite >> i & 1) counts[indices[i]] += 1;
  }
  result->failed += (size_t)__builtin_popcount((unsigned)(some & ~finite));
}

#define FK_DEFINE_BIN_SCORES(name, type, load)                                                                   \
  FK_AVX512 fk_bin_sums name(const type *scores, size_t count, const fk_bins *bins, double shift,                \
                             fk_bin_range kept, int64_t *counts, double *kept_scores) {                          \
    const constants c = {_mm512_set1_pd(bins->low),       _mm512_set1_pd(bins->scale),                           \
                         _mm512_set1_pd(bins->limit - 1), _mm512_set1_pd(shift),                                 \
                         _mm256_set1_epi32(kept.first),   _mm256_set1_epi32(kept.end - kept.first)};             \
    __m512d sums = _mm512_setzero_pd(), squares = _mm512_setzero_pd();                                           \
    fk_bin_sums result = {0};                                                                                    \
    for (size_t i = 0; i < count; i += 8) {                                                                      \
      const __mmask8 some = count - i >= 8 ? 0xff : (__mmask8)((1u << (count - i)) - 1);                         \
      bin_eight(load, some, &c, &sums, &squares, counts, kept_scores, &result);                                  \
    }                                                                                                            \
    double lanes[8];                                                                                             \
    _mm512_storeu_pd(lanes, sums);                                                                               \
    result.sum = fk_add_eight(lanes);                                                                            \
    _mm512_storeu_pd(lanes, squares);                                                                            \
    result.squares = fk_add_eight(lanes);                                                                        \
    return result;                                                                                               \
  }

FK_DEFINE_BIN_SCORES(fk_bin_f64_avx512, double, _mm512_maskz_loadu_pd(some, scores + i))
FK_DEFINE_BIN_SCORES(fk_bin_f32_avx512, float, _mm512_cvtps_pd(_mm256_maskz_loadu_ps(some, scores + i)))
#endif
