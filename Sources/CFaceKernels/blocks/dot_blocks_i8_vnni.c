// The dot products of queries with the interleaved plane, four products a lane in one instruction.
//
// A lane of a register is a row, so nothing is added across lanes. The plane holds code + 128 because
// vpdpbusd wants one unsigned side; a query's sums start from -128 times the sum of its codes. Accumulators:
// i32, at most 24 of them (4 blocks, 6 queries) in 32 registers; the instruction wraps, so sums beyond i32 on
// the way do no harm and the result is exact up to 133,144 dimensions. Blocks 64-byte aligned; queries and
// products of any alignment.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "tiles.h"

// Rows are asked for two kilobytes before they are needed, which is where a single query from memory was
// fastest.
enum { QUERIES_MOST = 6, CHUNK_QUERIES = 256, NEAR_BYTES = 2048 };

FK_INLINE FK_VNNI void fetch_near(const uint8_t *place) {
  _mm_prefetch((const char *)((uintptr_t)place + NEAR_BYTES), _MM_HINT_T0);
}

FK_INLINE FK_VNNI __m512i load_query(const fk_tile *tile, int query, size_t group) {
  int32_t codes;
  memcpy(&codes, (const int8_t *)tile->queries + query * tile->query_bytes + 4 * group, sizeof codes);
  return _mm512_set1_epi32(codes);
}

FK_INLINE FK_VNNI void dot_tile(const int block_count, const int query_count, const int ahead,
                                const fk_tile *const tile) {
  __m512i sums[QUERIES_MOST][FK_TILE_BLOCKS];
  FK_UNROLL
  for (int q = 0; q < query_count; q++) {
    FK_UNROLL
    for (int b = 0; b < block_count; b++) sums[q][b] = _mm512_set1_epi32(tile->starts[q]);
  }
  for (size_t group = 0; group < tile->group_count; group++) {
    __m512i rows[FK_TILE_BLOCKS];
    if (ahead) _mm_prefetch((const char *)((uintptr_t)tile->ahead + FK_GROUP_BYTES * group), _MM_HINT_T1);
    FK_UNROLL
    for (int b = 0; b < block_count; b++) {
      const uint8_t *place = tile->blocks + b * tile->block_step + FK_GROUP_BYTES * group;
      if (!ahead) fetch_near(place);
      rows[b] = _mm512_load_si512(place);
    }
    FK_UNROLL
    for (int q = 0; q < query_count; q++) {
      __m512i query = load_query(tile, q, group);
      FK_UNROLL
      for (int b = 0; b < block_count; b++) sums[q][b] = _mm512_dpbusd_epi32(sums[q][b], rows[b], query);
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
  static FK_VNNI void tile_##blocks##x##queries(const fk_tile *tile) { dot_tile(blocks, queries, 0, tile); }
TILE(1, 1) TILE(1, 2) TILE(1, 3) TILE(1, 4) TILE(1, 5) TILE(1, 6)
TILE(4, 1) TILE(4, 2) TILE(4, 3) TILE(4, 4) TILE(4, 5) TILE(4, 6)
static FK_VNNI void tile_ahead(const fk_tile *tile) { dot_tile(4, 6, 1, tile); }

static const fk_tile_table table = {
    .queries_most = QUERIES_MOST,
    .wide_limit = SIZE_MAX,
    .four_blocks = {tile_4x1, tile_4x2, tile_4x3, tile_4x4, tile_4x5, tile_4x6},
    .one_block = {tile_1x1, tile_1x2, tile_1x3, tile_1x4, tile_1x5, tile_1x6},
    .full_ahead = tile_ahead,
};

// -128 times the sum of the codes, which may wrap, as the sums that start from it do.
FK_INLINE FK_VNNI int32_t start_of(const int8_t *query, size_t dimension) {
  __m512i excess = _mm512_setzero_si512();
  for (size_t d = 0; d < dimension; d += FK_DIMENSION_STEP) {
    excess = _mm512_dpbusd_epi32(excess, _mm512_set1_epi8(-128), _mm512_loadu_si512(query + d));
  }
  return _mm512_reduce_add_epi32(_mm512_sub_epi32(_mm512_setzero_si512(), excess));
}

FK_VNNI void fk_dot_blocks_i8_vnni(const uint8_t *blocks, size_t block_count, size_t dimension,
                                   const int8_t *queries, size_t query_count, int32_t *products) {
  const size_t products_per_query = block_count * FK_BLOCK_ROWS;
  int32_t starts[CHUNK_QUERIES];
  for (size_t first = 0; first < query_count; first += CHUNK_QUERIES) {
    const size_t left = query_count - first, count = left < CHUNK_QUERIES ? left : CHUNK_QUERIES;
    const int8_t *chunk = queries + first * dimension;
    for (size_t q = 0; q < count; q++) starts[q] = start_of(chunk + q * dimension, dimension);
    const fk_tile tile = {
        .blocks = blocks,
        .group_count = dimension / FK_GROUP_DIMENSIONS,
        .queries = chunk,
        .query_bytes = dimension,
        .starts = starts,
        .products = products + first * products_per_query,
    };
    fk_walk_tiles(&table, tile, FK_BLOCK_ROWS * dimension, block_count, count);
  }
}
#endif
