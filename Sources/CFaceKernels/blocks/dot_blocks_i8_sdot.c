// The dot products of queries with the interleaved plane, four products a lane in one instruction, for arm64
// with sdot.
//
// The plane's code + 128 becomes the code again by flipping its top bit. A lane of a register is a row, so
// nothing is added across lanes. Accumulators: i32, at most 16 registers (one block, 4 queries) in 32. A
// register of a query holds four groups. Exact up to 133,144 dimensions, any alignment. Run under emulation
// only, not yet on hardware.
#if defined(__aarch64__)
#include <arm_neon.h>

#include "tiles.h"

enum { QUERIES_MOST = 4, FOUR_ROWS = 4 };

typedef struct fk_sdot_sums {
  int32x4_t of[QUERIES_MOST][FOUR_ROWS];
} fk_sdot_sums;

// One group; its place in the queries' registers must be a literal.
#define ADD_GROUP(place_in_query)                                                         \
  do {                                                                                    \
    FK_UNROLL                                                                             \
    for (int r = 0; r < FOUR_ROWS; r++) {                                                 \
      uint8x16_t shifted = vld1q_u8(place + FK_GROUP_BYTES * (place_in_query) + 16 * r);  \
      int8x16_t rows = vreinterpretq_s8_u8(veorq_u8(shifted, vdupq_n_u8(0x80)));          \
      FK_UNROLL                                                                           \
      for (int q = 0; q < query_count; q++) {                                             \
        sums.of[q][r] = vdotq_laneq_s32(sums.of[q][r], rows, query[q], (place_in_query)); \
      }                                                                                   \
    }                                                                                     \
  } while (0)

FK_INLINE FK_SDOT void dot_tile(const int query_count, const fk_tile *const tile) {
  fk_sdot_sums sums;
  FK_UNROLL
  for (int q = 0; q < query_count; q++) {
    FK_UNROLL
    for (int r = 0; r < FOUR_ROWS; r++) sums.of[q][r] = vdupq_n_s32(0);
  }
  for (size_t group = 0; group < tile->group_count; group += 4) {
    const uint8_t *place = tile->blocks + FK_GROUP_BYTES * group;
    int8x16_t query[QUERIES_MOST];
    FK_UNROLL
    for (int q = 0; q < query_count; q++) {
      query[q] = vld1q_s8((const int8_t *)tile->queries + q * tile->query_bytes + 4 * group);
    }
    ADD_GROUP(0);
    ADD_GROUP(1);
    ADD_GROUP(2);
    ADD_GROUP(3);
  }
  FK_UNROLL
  for (int q = 0; q < query_count; q++) {
    FK_UNROLL
    for (int r = 0; r < FOUR_ROWS; r++)
      vst1q_s32(tile->products + q * tile->query_step + 4 * r, sums.of[q][r]);
  }
}

static FK_SDOT void tile_1x1(const fk_tile *tile) { dot_tile(1, tile); }
static FK_SDOT void tile_1x2(const fk_tile *tile) { dot_tile(2, tile); }
static FK_SDOT void tile_1x3(const fk_tile *tile) { dot_tile(3, tile); }
static FK_SDOT void tile_1x4(const fk_tile *tile) { dot_tile(4, tile); }

static const fk_tile_table table = {
    .queries_most = QUERIES_MOST,
    .one_block = {tile_1x1, tile_1x2, tile_1x3, tile_1x4},
};

void fk_dot_blocks_i8_sdot(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *queries,
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
