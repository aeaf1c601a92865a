// The dot products of queries with the interleaved plane, multiplied to i16 and added in pairs to i32.
//
// The plane's code + 128 becomes the code again by flipping its top bit. Accumulators: two lanes of i32 a
// row, eight registers of i32x4 a query and block, added in pairs at the end; at most 16 (one block, 2
// queries) in 32 registers. Exact up to 133,144 dimensions, any alignment. Run under emulation only, not yet
// on hardware.
#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

#include "tiles.h"

enum { QUERIES_MOST = 2, FOUR_ROWS = 4 };

FK_INLINE int8x16_t load_query(const fk_tile *tile, int query, size_t group) {
  int32_t codes;
  memcpy(&codes, (const int8_t *)tile->queries + query * tile->query_bytes + 4 * group, sizeof codes);
  return vreinterpretq_s8_s32(vdupq_n_s32(codes));
}

FK_INLINE void dot_tile(const int query_count, const fk_tile *const tile) {
  int32x4_t low[QUERIES_MOST][FOUR_ROWS], high[QUERIES_MOST][FOUR_ROWS];
  FK_UNROLL
  for (int q = 0; q < query_count; q++) {
    FK_UNROLL
    for (int r = 0; r < FOUR_ROWS; r++) low[q][r] = high[q][r] = vdupq_n_s32(0);
  }
  for (size_t group = 0; group < tile->group_count; group++) {
    const uint8_t *place = tile->blocks + FK_GROUP_BYTES * group;
    int8x16_t query[QUERIES_MOST];
    FK_UNROLL
    for (int q = 0; q < query_count; q++) query[q] = load_query(tile, q, group);
    FK_UNROLL
    for (int r = 0; r < FOUR_ROWS; r++) {
      int8x16_t rows = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(place + 16 * r), vdupq_n_u8(0x80)));
      FK_UNROLL
      for (int q = 0; q < query_count; q++) {
        low[q][r] = vpadalq_s16(low[q][r], vmull_s8(vget_low_s8(rows), vget_low_s8(query[q])));
        high[q][r] = vpadalq_s16(high[q][r], vmull_high_s8(rows, query[q]));
      }
    }
  }
  FK_UNROLL
  for (int q = 0; q < query_count; q++) {
    FK_UNROLL
    for (int r = 0; r < FOUR_ROWS; r++) {
      vst1q_s32(tile->products + q * tile->query_step + 4 * r, vpaddq_s32(low[q][r], high[q][r]));
    }
  }
}

static void tile_1x1(const fk_tile *tile) { dot_tile(1, tile); }
static void tile_1x2(const fk_tile *tile) { dot_tile(2, tile); }

static const fk_tile_table table = {.queries_most = QUERIES_MOST, .one_block = {tile_1x1, tile_1x2}};

void fk_dot_blocks_i8_neon(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *queries,
                           size_t query_count, int32_t *products) {
  const fk_tile tile = {
      .blocks = blocks,
      .group_count = dimension / FK_GROUP_DIMENSIONS,
      .queries = queries,
      .query_bytes = dimension,
      .products = products,
  };
  fk_walk_tiles(&table, tile, FK_BLOCK_ROWS * dimension, block_count, query_count);
}
#endif
