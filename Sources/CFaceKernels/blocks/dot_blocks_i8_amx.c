// The dot products of queries with the interleaved plane by AMX tiles: 16 queries, 16 rows and 64 dimensions an instruction.
//
// A block's 64 dimensions are a tile as they lie (see fk_pack_block), and so are 16 queries. Two tiles of queries meet two
// of rows, in four accumulators: each load is used twice. tdpbsud takes signed queries and unsigned codes; sums start from
// -128 times the sum of a query's codes, since the plane holds code + 128. They wrap, so the result is exact up to 133,144
// dimensions. Fewer than 16 queries go to VNNI's kernel. Blocks 64-byte aligned; queries and products of any alignment.
//
// The tile operations are macros, so that a test can run this file without the instructions.
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

#ifndef FK_TILE_LOAD
#define FK_AMX __attribute__((target("amx-tile,amx-int8")))
#define FK_TILE_CONFIGURE(configuration) _tile_loadconfig(configuration)
#define FK_TILE_LOAD(tile, place, stride) _tile_loadd(tile, place, stride)
#define FK_TILE_STORE(tile, place, stride) _tile_stored(tile, place, stride)
#define FK_TILE_MULTIPLY(sums, queries, rows) _tile_dpbsud(sums, queries, rows)
#define FK_TILE_RELEASE() _tile_release()
#endif

enum { TILE_QUERIES = 16, TILE_DIMENSIONS = 64, CHUNK_QUERIES = 64 };

// Intel's Software Developer's Manual, volume 2A, LDTILECFG: palette 1, then bytes a row and rows of each tile.
typedef struct tile_configuration {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_configuration;

static const tile_configuration full_tiles = {
    .palette = 1,
    .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
    .rows = {16, 16, 16, 16, 16, 16, 16, 16},
};

// Tiles 0 to 3 are sums, 4 and 5 queries, 6 and 7 rows. `starts` holds 16 equal numbers a query.
#define MULTIPLY(queries_two, rows_two)                                                                      \
  do {                                                                                                       \
    const size_t start_stride = TILE_QUERIES * sizeof(int32_t);                                              \
    FK_TILE_LOAD(0, starts, start_stride);                                                                   \
    if (rows_two) FK_TILE_LOAD(1, starts, start_stride);                                                     \
    if (queries_two) FK_TILE_LOAD(2, starts + TILE_QUERIES * TILE_QUERIES, start_stride);                    \
    if (queries_two && rows_two) FK_TILE_LOAD(3, starts + TILE_QUERIES * TILE_QUERIES, start_stride);        \
    for (size_t d = 0; d < dimension; d += TILE_DIMENSIONS) {                                                \
      FK_TILE_LOAD(4, queries + d, dimension);                                                               \
      if (queries_two) FK_TILE_LOAD(5, queries + TILE_QUERIES * dimension + d, dimension);                   \
      FK_TILE_LOAD(6, block + FK_BLOCK_ROWS * d, TILE_DIMENSIONS);                                           \
      if (rows_two) FK_TILE_LOAD(7, block + FK_BLOCK_ROWS * (dimension + d), TILE_DIMENSIONS);               \
      FK_TILE_MULTIPLY(0, 4, 6);                                                                             \
      if (rows_two) FK_TILE_MULTIPLY(1, 4, 7);                                                               \
      if (queries_two) FK_TILE_MULTIPLY(2, 5, 6);                                                            \
      if (queries_two && rows_two) FK_TILE_MULTIPLY(3, 5, 7);                                                \
    }                                                                                                        \
    const size_t stride = query_step * sizeof(int32_t);                                                      \
    FK_TILE_STORE(0, products, stride);                                                                      \
    if (rows_two) FK_TILE_STORE(1, products + FK_BLOCK_ROWS, stride);                                        \
    if (queries_two) FK_TILE_STORE(2, products + TILE_QUERIES * query_step, stride);                         \
    if (queries_two && rows_two) FK_TILE_STORE(3, products + TILE_QUERIES * query_step + FK_BLOCK_ROWS, stride); \
  } while (0)

#define SHAPE(name, queries_two, rows_two)                                                                   \
  static FK_AMX void name(const uint8_t *block, size_t dimension, const int8_t *queries, const int32_t *starts, \
                          int32_t *products, size_t query_step) {                                            \
    MULTIPLY(queries_two, rows_two);                                                                         \
  }
SHAPE(multiply_1x1, 0, 0)
SHAPE(multiply_1x2, 0, 1)
SHAPE(multiply_2x1, 1, 0)
SHAPE(multiply_2x2, 1, 1)

typedef void shape_function(const uint8_t *, size_t, const int8_t *, const int32_t *, int32_t *, size_t);
static shape_function *const shapes[2][2] = {{multiply_1x1, multiply_1x2}, {multiply_2x1, multiply_2x2}};

// A chunk of whole tiles of queries with all blocks: two blocks stay in the first-level cache while all queries meet them.
static FK_AMX void multiply_chunk(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *queries,
                                  size_t query_count, int32_t *products, size_t query_step) {
  int32_t starts[CHUNK_QUERIES * TILE_QUERIES];
  for (size_t q = 0; q < query_count; q++) {
    const int32_t start = (int32_t)(-128u * (uint32_t)fk_sum_codes(queries + q * dimension, dimension));
    for (size_t lane = 0; lane < TILE_QUERIES; lane++) starts[q * TILE_QUERIES + lane] = start;
  }
  for (size_t b = 0; b < block_count; b += 2) {
    const int rows_two = b + 1 < block_count;
    for (size_t q = 0; q < query_count; q += 2 * TILE_QUERIES) {
      const int queries_two = q + TILE_QUERIES < query_count;
      shapes[queries_two][rows_two](blocks + b * FK_BLOCK_ROWS * dimension, dimension, queries + q * dimension,
                                    starts + q * TILE_QUERIES, products + q * query_step + b * FK_BLOCK_ROWS, query_step);
    }
  }
}

FK_AMX void fk_dot_blocks_i8_amx(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *queries,
                                 size_t query_count, int32_t *products) {
  const size_t query_step = block_count * FK_BLOCK_ROWS, whole = query_count / TILE_QUERIES * TILE_QUERIES;
  if (whole > 0) {
    FK_TILE_CONFIGURE(&full_tiles);
    for (size_t first = 0; first < whole; first += CHUNK_QUERIES) {
      const size_t count = whole - first < CHUNK_QUERIES ? whole - first : CHUNK_QUERIES;
      multiply_chunk(blocks, block_count, dimension, queries + first * dimension, count, products + first * query_step,
                     query_step);
    }
    FK_TILE_RELEASE();
  }
  if (query_count > whole) {
    fk_dot_blocks_i8_vnni(blocks, block_count, dimension, queries + whole * dimension, query_count - whole,
                          products + whole * query_step);
  }
}
#endif
