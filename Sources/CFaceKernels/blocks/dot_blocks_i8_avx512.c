// The dot products of queries with the interleaved plane in pairs of i16, for AVX-512 without VNNI.
//
// A lane of a register is a row, so nothing is added across lanes. Accumulators: i32, at most 16 (4 blocks, 4
// queries) in 32 registers; each step adds four products of at most 255 * 127, sums that wrap on the way do
// no harm, and the result is exact up to 133,144 dimensions. Blocks 64-byte aligned; queries and products of
// any alignment.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "split_queries.h"

enum { QUERIES_MOST = 4, NEAR_BYTES = 2048 };

FK_INLINE FK_AVX512 __m512i load_pair(const int16_t *pair) {
  int32_t word;
  memcpy(&word, pair, sizeof word);
  return _mm512_set1_epi32(word);
}

FK_INLINE FK_AVX512 void dot_tile(const int block_count, const int query_count, const fk_tile *const tile) {
  const __m512i low_bytes = _mm512_set1_epi16(0xff);
  __m512i sums[QUERIES_MOST][FK_TILE_BLOCKS];
  FK_UNROLL
  for (int q = 0; q < query_count; q++) {
    FK_UNROLL
    for (int b = 0; b < block_count; b++) {
      const int32_t *earlier = tile->products + q * tile->query_step + b * tile->block_products;
      sums[q][b] = _mm512_set1_epi32(tile->starts[q]);
      if (tile->add) sums[q][b] = _mm512_add_epi32(sums[q][b], _mm512_loadu_si512(earlier));
    }
  }
  for (size_t group = 0; group < tile->group_count; group++) {
    __m512i even[FK_TILE_BLOCKS], odd[FK_TILE_BLOCKS];
    FK_UNROLL
    for (int b = 0; b < block_count; b++) {
      const uint8_t *place = tile->blocks + b * tile->block_step + FK_GROUP_BYTES * group;
      _mm_prefetch((const char *)((uintptr_t)place + NEAR_BYTES), _MM_HINT_T0);
      __m512i rows = _mm512_load_si512(place);
      even[b] = _mm512_and_si512(rows, low_bytes);
      odd[b] = _mm512_srli_epi16(rows, 8);
    }
    FK_UNROLL
    for (int q = 0; q < query_count; q++) {
      const uint8_t *query = (const uint8_t *)tile->queries + q * tile->query_bytes;
      const fk_split_group *codes = (const fk_split_group *)query + group;
      __m512i query_even = load_pair(codes->even), query_odd = load_pair(codes->odd);
      FK_UNROLL
      for (int b = 0; b < block_count; b++) {
        sums[q][b] = _mm512_add_epi32(sums[q][b], _mm512_madd_epi16(even[b], query_even));
        sums[q][b] = _mm512_add_epi32(sums[q][b], _mm512_madd_epi16(odd[b], query_odd));
      }
    }
  }
  FK_UNROLL
  for (int q = 0; q < query_count; q++) {
    FK_UNROLL
    for (int b = 0; b < block_count; b++) {
      _mm512_storeu_si512(tile->products + q * tile->query_step + b * tile->block_products, sums[q][b]);
    }
  }
}

#define TILE(blocks, queries) \
  static FK_AVX512 void tile_##blocks##x##queries(const fk_tile *tile) { dot_tile(blocks, queries, tile); }
TILE(1, 1) TILE(1, 2) TILE(1, 3) TILE(1, 4)
TILE(4, 1) TILE(4, 2) TILE(4, 3) TILE(4, 4)

static const fk_tile_table table = {
    .queries_most = QUERIES_MOST,
    .wide_limit = SIZE_MAX,
    .four_blocks = {tile_4x1, tile_4x2, tile_4x3, tile_4x4},
    .one_block = {tile_1x1, tile_1x2, tile_1x3, tile_1x4},
};

void fk_dot_blocks_i8_avx512(const uint8_t *blocks, size_t block_count, size_t dimension,
                             const int8_t *queries, size_t query_count, int32_t *products) {
  fk_dot_blocks_in_pairs(&table, blocks, block_count, dimension, queries, query_count, products);
}
#endif
