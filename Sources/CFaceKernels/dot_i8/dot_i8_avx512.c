// The exact dot product of signed codes, widened to i16 and multiplied in pairs, thirty-two at a time.
//
// Accumulators: two zmm of i32. A tail is read under a mask. Exact up to 133,144 elements, any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

FK_INLINE FK_AVX512 __m512i multiply(__m256i a, __m256i b) {
  return _mm512_madd_epi16(_mm512_cvtepi8_epi16(a), _mm512_cvtepi8_epi16(b));
}

FK_INLINE FK_AVX512 __m256i load(const int8_t *codes) { return _mm256_loadu_si256((const __m256i *)codes); }

FK_AVX512 int32_t fk_dot_i8_avx512(const int8_t *a, const int8_t *b, size_t count) {
  __m512i even = _mm512_setzero_si512(), odd = _mm512_setzero_si512();
  size_t i = 0;
  for (; i + 64 <= count; i += 64) {
    even = _mm512_add_epi32(even, multiply(load(a + i), load(b + i)));
    odd = _mm512_add_epi32(odd, multiply(load(a + i + 32), load(b + i + 32)));
  }
  for (; i < count; i += 32) {
    const __mmask32 mask = count - i < 32 ? (1u << (count - i)) - 1 : 0xffffffffu;
    even = _mm512_add_epi32(
        even, multiply(_mm256_maskz_loadu_epi8(mask, a + i), _mm256_maskz_loadu_epi8(mask, b + i)));
  }
  return _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd));
}
#endif
