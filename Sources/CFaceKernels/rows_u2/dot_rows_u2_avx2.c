// The dot products of a query with picked rows of 2-bit codes in i16, sixteen bytes of a row at a time.
//
// A byte holds a code of each quarter of the row. vpmaddubsw adds two products of at most 3 * 127, and the four quarters
// add at most 3,048 to an i16, which is widened at once. A product is 2 * sum(code * query) - 3 * sum(query). Any alignment.
// AVX-512 without VNNI gains nothing here: the quarter of a row is two of its registers.
#if defined(__x86_64__)
#include <immintrin.h>

#include "rows_u2.h"

enum { STEP = 16 };

FK_INLINE FK_AVX2 __m128i quarter_products(__m128i codes, const int8_t *query) {
  return _mm_maddubs_epi16(_mm_and_si128(codes, _mm_set1_epi8(3)), _mm_loadu_si128((const __m128i *)query));
}

FK_AVX2 void fk_dot_rows_u2_avx2(const uint8_t *rows, size_t dimension, const uint32_t *indices, size_t count,
                                 const int8_t *query, int32_t *products) {
  const size_t quarter = dimension / 4;
  const int32_t query_sum = fk_sum_codes(query, dimension);
  for (size_t i = 0; i < count; i++) {
    fk_prefetch_row(rows, quarter, indices, i, count);
    const uint8_t *row = rows + indices[i] * quarter;
    __m128i sums = _mm_setzero_si128();
    for (size_t place = 0; place < quarter; place += STEP) {
      const int8_t *q = query + place;
      __m128i codes = _mm_loadu_si128((const __m128i *)(row + place));
      __m128i narrow = quarter_products(codes, q);
      narrow = _mm_add_epi16(narrow, quarter_products(_mm_srli_epi16(codes, 2), q + quarter));
      narrow = _mm_add_epi16(narrow, quarter_products(_mm_srli_epi16(codes, 4), q + 2 * quarter));
      narrow = _mm_add_epi16(narrow, quarter_products(_mm_srli_epi16(codes, 6), q + 3 * quarter));
      sums = _mm_add_epi32(sums, _mm_madd_epi16(narrow, _mm_set1_epi16(1)));
    }
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, _MM_SHUFFLE(1, 0, 3, 2)));
    sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, _MM_SHUFFLE(2, 3, 0, 1)));
    products[i] = 2 * _mm_cvtsi128_si32(sums) - 3 * query_sum;
  }
}
#endif
