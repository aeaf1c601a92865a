// The dot products of a query with the interleaved 4-bit plane, four products a lane in one instruction.
//
// A lane is a row. Codes 0...15 are the unsigned side; a product is 2 * sum(code * query) - 15 * sum(query), exact up to
// 1,126,000 dimensions. A scan of one query waits for memory, so four blocks are read at once from four quarters of the
// run: distant streams bring more than one. Blocks 64-byte aligned; query and products of any alignment.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "../kernels.h"

enum { STREAMS = 4, NEAR_BYTES = 2048 };

FK_INLINE FK_VNNI __m512i four_codes(const int8_t *query) {
  int32_t codes;
  memcpy(&codes, query, sizeof codes);
  return _mm512_set1_epi32(codes);
}

FK_INLINE FK_VNNI void dot_streams(const int count, const uint8_t *blocks, size_t step, size_t dimension,
                                   const int8_t *query, int32_t query_sum, int32_t *products, size_t product_step) {
  const __m512i low_nibbles = _mm512_set1_epi8(15), start = _mm512_set1_epi32(-15 * query_sum);
  __m512i low[STREAMS], high[STREAMS];
  FK_UNROLL
  for (int s = 0; s < count; s++) low[s] = high[s] = _mm512_setzero_si512();
  for (size_t group = 0; group < dimension / 8; group++) {
    __m512i low_query = four_codes(query + 8 * group), high_query = four_codes(query + 8 * group + 4);
    FK_UNROLL
    for (int s = 0; s < count; s++) {
      const uint8_t *place = blocks + s * step + 64 * group;
      _mm_prefetch((const char *)((uintptr_t)place + NEAR_BYTES), _MM_HINT_T0);
      __m512i rows = _mm512_load_si512(place);
      low[s] = _mm512_dpbusd_epi32(low[s], _mm512_and_si512(rows, low_nibbles), low_query);
      __m512i upper = _mm512_and_si512(_mm512_srli_epi16(rows, 4), low_nibbles);
      high[s] = _mm512_dpbusd_epi32(high[s], upper, high_query);
    }
  }
  FK_UNROLL
  for (int s = 0; s < count; s++) {
    __m512i sum = _mm512_add_epi32(low[s], high[s]);
    _mm512_storeu_si512(products + s * product_step, _mm512_add_epi32(_mm512_add_epi32(sum, sum), start));
  }
}

FK_VNNI void fk_dot_blocks_u4_vnni(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *query,
                                   int32_t *products) {
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
