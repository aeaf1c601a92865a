// The exact dot product of signed codes, four products a lane in one instruction.
//
// vpdpbusd multiplies unsigned by signed, so a + 128 is multiplied instead of a, and 128 * b is summed beside
// it and subtracted. Accumulators: two pairs of zmm of i32, which may wrap; their difference does not, so the
// result is exact up to 133,144 elements. A tail is read under a mask that supplies b = 0. Any alignment.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

typedef struct fk_shifted_sum {
  __m512i products;  // of (a + 128) and b
  __m512i excess;  // of 128 and b
} fk_shifted_sum;

FK_INLINE FK_VNNI void add_products(fk_shifted_sum *sum, __m512i a, __m512i b) {
  const __m512i shift = _mm512_set1_epi8(-128);
  sum->products = _mm512_dpbusd_epi32(sum->products, _mm512_xor_si512(a, shift), b);
  sum->excess = _mm512_dpbusd_epi32(sum->excess, shift, b);
}

FK_VNNI int32_t fk_dot_i8_vnni(const int8_t *a, const int8_t *b, size_t count) {
  fk_shifted_sum even = {_mm512_setzero_si512(), _mm512_setzero_si512()}, odd = even;
  size_t i = 0;
  for (; i + 128 <= count; i += 128) {
    add_products(&even, _mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
    add_products(&odd, _mm512_loadu_si512(a + i + 64), _mm512_loadu_si512(b + i + 64));
  }
  for (; i < count; i += 64) {
    const __mmask64 mask = count - i < 64 ? (1ull << (count - i)) - 1 : ~0ull;
    add_products(&even, _mm512_maskz_loadu_epi8(mask, a + i), _mm512_maskz_loadu_epi8(mask, b + i));
  }
  __m512i products = _mm512_add_epi32(even.products, odd.products);
  __m512i excess = _mm512_add_epi32(even.excess, odd.excess);
  return _mm512_reduce_add_epi32(_mm512_sub_epi32(products, excess));
}
#endif
