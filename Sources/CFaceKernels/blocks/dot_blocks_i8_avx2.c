// The dot products of queries with the interleaved plane in pairs of i16, eight rows a register.
//
// A lane of a register is a row, so nothing is added across lanes. Accumulators: i32, at most 8 (the two
// halves of one block, 4 queries, or of four blocks, one query) in 16 registers; each step adds four products
// of at most 255 * 127, sums that wrap on the way do no harm, and the result is exact up to 133,144
// dimensions. Blocks 64-byte aligned; queries and products of any alignment.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "split_queries.h"

enum { QUERIES_MOST = 4, NEAR_BYTES = 2048, HALF_ROWS = 8, HALF_BYTES = 32 };

FK_INLINE FK_AVX2 __m256i load_pair(const int16_t *pair) {
  int32_t word;
  memcpy(&word, pair, sizeof word);
  return _mm256_set1_epi32(word);
}

// `half` is 2 * block, + 1 for the block's upper eight rows.
FK_INLINE FK_AVX2 __m256i *products_at(const fk_tile *tile, int query, int half) {
  const size_t block = (size_t)half / 2, upper = (size_t)half % 2;
  int32_t *products = tile->products + query * tile->query_step + block * tile->block_products;
  return (__m256i *)(products + HALF_ROWS * upper);
}

FK_INLINE FK_AVX2 void dot_tile(const int block_count, const int query_count, const fk_tile *const tile) {
  const __m256i low_bytes = _mm256_set1_epi16(0xff);
  const int half_count = 2 * block_count;
  __m256i sums[QUERIES_MOST][2 * FK_TILE_BLOCKS];
  FK_UNROLL
  for (int q = 0; q < query_count; q++) {
    FK_UNROLL
    for (int h = 0; h < half_count; h++) {
      sums[q][h] = _mm256_set1_epi32(tile->starts[q]);
      if (tile->add) sums[q][h] = _mm256_add_epi32(sums[q][h], _mm256_loadu_si256(products_at(tile, q, h)));
    }
  }
  for (size_t group = 0; group < tile->group_count; group++) {
    __m256i even[2 * FK_TILE_BLOCKS], odd[2 * FK_TILE_BLOCKS];
    FK_UNROLL
    for (int h = 0; h < half_count; h++) {
      const uint8_t *place = tile->blocks + (size_t)(h / 2) * tile->block_step + FK_GROUP_BYTES * group;
      if (h % 2 == 0) _mm_prefetch((const char *)((uintptr_t)place + NEAR_BYTES), _MM_HINT_T0);
      __m256i rows = _mm256_load_si256((const __m256i *)(place + HALF_BYTES * (h % 2)));
      even[h] = _mm256_and_si256(rows, low_bytes);
      odd[h] = _mm256_srli_epi16(rows, 8);
    }
    FK_UNROLL
    for (int q = 0; q < query_count; q++) {
      const uint8_t *query = (const uint8_t *)tile->queries + q * tile->query_bytes;
      const fk_split_group *codes = (const fk_split_group *)query + group;
      __m256i query_even = load_pair(codes->even), query_odd = load_pair(codes->odd);
      FK_UNROLL
      for (int h = 0; h < half_count; h++) {
        sums[q][h] = _mm256_add_epi32(sums[q][h], _mm256_madd_epi16(even[h], query_even));
        sums[q][h] = _mm256_add_epi32(sums[q][h], _mm256_madd_epi16(odd[h], query_odd));
      }
    }
  }
  FK_UNROLL
  for (int q = 0; q < query_count; q++) {
    FK_UNROLL
    for (int h = 0; h < half_count; h++) _mm256_storeu_si256(products_at(tile, q, h), sums[q][h]);
  }
}

#define TILE(blocks, queries) \
  static FK_AVX2 void tile_##blocks##x##queries(const fk_tile *tile) { dot_tile(blocks, queries, tile); }
TILE(1, 1) TILE(1, 2) TILE(1, 3) TILE(1, 4)
TILE(4, 1)

// Sixteen registers hold four blocks for a single query only.
    static const fk_tile_table table = {
    .queries_most = QUERIES_MOST,
    .wide_limit = 1,
    .four_blocks = {tile_4x1},
    .one_block = {tile_1x1, tile_1x2, tile_1x3, tile_1x4},
};

void fk_dot_blocks_i8_avx2(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *queries,
                           size_t query_count, int32_t *products) {
  fk_dot_blocks_in_pairs(&table, blocks, block_count, dimension, queries, query_count, products);
}
#endif
