// The dot products of a query with picked rows of 2-bit codes, four products a lane in one instruction.
//
// A byte holds a code of each quarter of the row. A product is 2 * sum(code * query) - 3 * sum(query). Any alignment; what
// lies behind a row is neither read nor counted.
#if defined(__x86_64__)
#include <immintrin.h>

#include "rows_u2.h"

FK_VNNI void fk_dot_rows_u2_vnni(const uint8_t *rows, size_t dimension, const uint32_t *indices, size_t count,
                                 const int8_t *query, int32_t *products) {
  const size_t quarter = dimension / 4;
  const int32_t query_sum = fk_sum_codes(query, dimension);
  const __m512i code_bits = _mm512_set1_epi8(3);
  for (size_t i = 0; i < count; i++) {
    fk_prefetch_row(rows, quarter, indices, i, count);
    const uint8_t *row = rows + indices[i] * quarter;
    __m512i even = _mm512_setzero_si512(), odd = even;
    for (size_t place = 0; place < quarter; place += 64) {
      const size_t left = quarter - place;
      const __mmask64 there = left >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << left) - 1;
      const int8_t *q = query + place;
      __m512i codes = _mm512_maskz_loadu_epi8(there, row + place);
      even = _mm512_dpbusd_epi32(even, _mm512_and_si512(codes, code_bits), _mm512_maskz_loadu_epi8(there, q));
      odd = _mm512_dpbusd_epi32(odd, _mm512_and_si512(_mm512_srli_epi16(codes, 2), code_bits),
                                _mm512_maskz_loadu_epi8(there, q + quarter));
      even = _mm512_dpbusd_epi32(even, _mm512_and_si512(_mm512_srli_epi16(codes, 4), code_bits),
                                 _mm512_maskz_loadu_epi8(there, q + 2 * quarter));
      odd = _mm512_dpbusd_epi32(odd, _mm512_and_si512(_mm512_srli_epi16(codes, 6), code_bits),
                                _mm512_maskz_loadu_epi8(there, q + 3 * quarter));
    }
    products[i] = 2 * _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd)) - 3 * query_sum;
  }
}
#endif
