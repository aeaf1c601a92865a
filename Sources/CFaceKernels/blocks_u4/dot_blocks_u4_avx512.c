// The dot products of a query with the interleaved 4-bit plane in i16, without VNNI.
//
// A lane is a row. vpmaddubsw adds two products of at most 15 * 127: a group of eight dimensions adds at most 7,620 to an
// i16, so four groups (30,480) fit before the pairs are widened to i32. Blocks 64-byte aligned.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "../kernels.h"

enum { STREAMS = 4, NEAR_BYTES = 2048, NARROW_GROUPS = 4 };

FK_INLINE FK_AVX512 __m512i four_codes(const int8_t *query) {
  int32_t codes;
  memcpy(&codes, query, sizeof codes);
  return _mm512_set1_epi32(codes);
}

FK_INLINE FK_AVX512 void dot_streams(const int count, const uint8_t *blocks, size_t step, size_t dimension,
                                     const int8_t *query, int32_t query_sum, int32_t *products,
                                     size_t product_step) {
  const __m512i low_nibbles = _mm512_set1_epi8(15), ones = _mm512_set1_epi16(1);
  __m512i sums[STREAMS];
  FK_UNROLL
  for (int s = 0; s < count; s++) sums[s] = _mm512_setzero_si512();
  for (size_t first = 0; first < dimension / 8; first += NARROW_GROUPS) {
    __m512i narrow[STREAMS];
    FK_UNROLL
    for (int s = 0; s < count; s++) narrow[s] = _mm512_setzero_si512();
    FK_UNROLL
    for (size_t group = first; group < first + NARROW_GROUPS; group++) {
      __m512i low_query = four_codes(query + 8 * group), high_query = four_codes(query + 8 * group + 4);
      FK_UNROLL
      for (int s = 0; s < count; s++) {
        const uint8_t *place = blocks + s * step + 64 * group;
        _mm_prefetch((const char *)((uintptr_t)place + NEAR_BYTES), _MM_HINT_T0);
        __m512i rows = _mm512_load_si512(place);
        __m512i lower = _mm512_and_si512(rows, low_nibbles);
        __m512i upper = _mm512_and_si512(_mm512_srli_epi16(rows, 4), low_nibbles);
        narrow[s] = _mm512_add_epi16(narrow[s], _mm512_maddubs_epi16(lower, low_query));
        narrow[s] = _mm512_add_epi16(narrow[s], _mm512_maddubs_epi16(upper, high_query));
      }
    }
    FK_UNROLL
    for (int s = 0; s < count; s++) sums[s] = _mm512_add_epi32(sums[s], _mm512_madd_epi16(narrow[s], ones));
  }
  const __m512i start = _mm512_set1_epi32(-15 * query_sum);
  FK_UNROLL
  for (int s = 0; s < count; s++) {
    _mm512_storeu_si512(products + s * product_step, _mm512_add_epi32(_mm512_add_epi32(sums[s], sums[s]), start));
  }
}

FK_AVX512 void fk_dot_blocks_u4_avx512(const uint8_t *blocks, size_t block_count, size_t dimension,
                                       const int8_t *query, int32_t *products) {
  const size_t block_bytes = FK_BLOCK_ROWS / 2 * dimension;
  const int32_t sum = fk_sum_codes(query, dimension);
  const size_t quarter = block_count / STREAMS;
  for (size_t b = 0; b < quarter; b++) {
    dot_streams(STREAMS, blocks + b * block_bytes, quarter * block_bytes, dimension, query, sum,
                products + b * FK_BLOCK_ROWS, quarter * FK_BLOCK_ROWS);
  }
  for (size_t b = STREAMS * quarter; b < block_count; b++) {
    dot_streams(1, blocks + b * block_bytes, 0, dimension, query, sum, products + b * FK_BLOCK_ROWS, 0);
  }
}
#endif
