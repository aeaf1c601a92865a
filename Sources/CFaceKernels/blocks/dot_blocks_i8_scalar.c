// The dot products of queries with the interleaved plane, plainly.
//
// Accumulator: one i32 a row, exact up to 133,144 dimensions. Any alignment.
#include "../kernels.h"

void fk_dot_blocks_i8_scalar(const uint8_t *blocks, size_t block_count, size_t dimension,
                             const int8_t *queries, size_t query_count, int32_t *products) {
  for (size_t q = 0; q < query_count; q++) {
    const int8_t *query = queries + q * dimension;
    for (size_t b = 0; b < block_count; b++) {
      const uint8_t *block = blocks + b * FK_BLOCK_ROWS * dimension;
      for (size_t row = 0; row < FK_BLOCK_ROWS; row++) {
        int32_t sum = 0;
        for (size_t d = 0; d < dimension; d++) {
          size_t group = d / FK_GROUP_DIMENSIONS, place = d % FK_GROUP_DIMENSIONS;
          int32_t code = block[64 * group + FK_GROUP_DIMENSIONS * row + place] - 128;
          sum += code * query[d];
        }
        products[(q * block_count + b) * FK_BLOCK_ROWS + row] = sum;
      }
    }
  }
}
