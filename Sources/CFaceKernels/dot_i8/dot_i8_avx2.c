// The exact dot product of signed codes, widened to i16 and multiplied in pairs.
//
// Accumulators: two ymm of i32. vpmaddwd adds two products of at most 2^14 exactly; vpmaddubsw, which needs
// no widening, would saturate. A tail is added one element at a time. Exact up to 133,144 elements, any
// alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

FK_INLINE FK_AVX2 __m256i widen(const int8_t *codes) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)codes));
}

FK_AVX2 int32_t fk_dot_i8_avx2(const int8_t *a, const int8_t *b, size_t count) {
  __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
  size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    even = _mm256_add_epi32(even, _mm256_madd_epi16(widen(a + i), widen(b + i)));
    odd = _mm256_add_epi32(odd, _mm256_madd_epi16(widen(a + i + 16), widen(b + i + 16)));
  }
  __m256i sum_i32x8 = _mm256_add_epi32(even, odd);
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(sum_i32x8), _mm256_extracti128_si256(sum_i32x8, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, _MM_SHUFFLE(1, 0, 3, 2)));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, _MM_SHUFFLE(2, 3, 0, 1)));
  int32_t total = _mm_cvtsi128_si32(sum);
  for (; i < count; i++) total += (int32_t)a[i] * b[i];
  return total;
}
#endif
