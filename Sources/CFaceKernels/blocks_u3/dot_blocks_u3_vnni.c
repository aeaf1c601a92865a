// The dot products of a query with the interleaved 3-bit plane, four products a lane in one instruction.
//
// A lane is a row. Codes 0...7 are the unsigned side; a product is 2 * sum(code * query) - 7 * sum(query), exact up to
// 2,400,000 dimensions. A scan of one query waits for memory, so four blocks are read at once from four quarters of the
// run: distant streams bring more than one. Blocks 64-byte aligned; query and products of any alignment.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "../kernels.h"
#include "octal.h"

enum { STREAMS = 4, NEAR_BYTES = 1536 };

FK_INLINE FK_VNNI __m512i four_codes(const int8_t *query) {
  int32_t codes;
  memcpy(&codes, query, sizeof codes);
  return _mm512_set1_epi32(codes);
}

// The lower bits of one line with the upper bits of another: two codes a byte.
FK_INLINE FK_VNNI __m512i joined(__m512i lower, __m512i upper) {
  return _mm512_ternarylogic_epi32(_mm512_set1_epi8(FK_LOWER_BITS), lower, upper, 0xca);
}

// The products of eight groups of four dimensions of sixteen rows.
FK_INLINE FK_VNNI void add_lines(const uint8_t *lines, const __m512i *queries, __m512i *even, __m512i *odd) {
  const __m512i code_bits = _mm512_set1_epi8(FK_CODE_BITS);
  const __m512i first = _mm512_load_si512(lines), second = _mm512_load_si512(lines + 64),
                third = _mm512_load_si512(lines + 128);
  const __m512i pairs[4] = {
      joined(first, third),
      joined(_mm512_srli_epi16(first, 2), _mm512_srli_epi16(third, 1)),
      joined(second, _mm512_slli_epi16(third, 2)),
      joined(_mm512_srli_epi16(second, 2), _mm512_slli_epi16(third, 1)),
  };
  FK_UNROLL
  for (int p = 0; p < 4; p++) {
    const int group = 4 * (p / 2) + p % 2;
    *even = _mm512_dpbusd_epi32(*even, _mm512_and_si512(pairs[p], code_bits), queries[group]);
    *odd = _mm512_dpbusd_epi32(*odd, _mm512_and_si512(_mm512_srli_epi16(pairs[p], 4), code_bits), queries[group + 2]);
  }
}

FK_INLINE FK_VNNI void dot_streams(const int count, const uint8_t *blocks, size_t step, size_t dimension,
                                   const int8_t *query, int32_t query_sum, int32_t *products, size_t product_step) {
  const __m512i start = _mm512_set1_epi32(-7 * query_sum);
  __m512i even[STREAMS], odd[STREAMS];
  FK_UNROLL
  for (int s = 0; s < count; s++) even[s] = odd[s] = _mm512_setzero_si512();
  for (size_t part = 0; part < dimension / FK_OCTAL_DIMENSIONS; part++) {
    __m512i queries[FK_OCTAL_GROUPS];
    FK_UNROLL
    for (int g = 0; g < FK_OCTAL_GROUPS; g++) {
      queries[g] = four_codes(query + FK_OCTAL_DIMENSIONS * part + 4 * (size_t)g);
    }
    FK_UNROLL
    for (int s = 0; s < count; s++) {
      const uint8_t *lines = blocks + (size_t)s * step + FK_OCTAL_BYTES * part;
      FK_UNROLL
      for (size_t line = 0; line < 3; line++) {
        _mm_prefetch((const char *)((uintptr_t)lines + NEAR_BYTES + 64 * line), _MM_HINT_T0);
      }
      add_lines(lines, queries, &even[s], &odd[s]);
    }
  }
  FK_UNROLL
  for (int s = 0; s < count; s++) {
    __m512i sum = _mm512_add_epi32(even[s], odd[s]);
    _mm512_storeu_si512(products + (size_t)s * product_step, _mm512_add_epi32(_mm512_add_epi32(sum, sum), start));
  }
}

FK_VNNI void fk_dot_blocks_u3_vnni(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *query,
                                   int32_t *products) {
  const size_t block_bytes = FK_OCTAL_BYTES * (dimension / FK_OCTAL_DIMENSIONS);
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
