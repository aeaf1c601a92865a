// The dot products of a query with the interleaved 4-bit plane, plainly.
//
// Accumulator: one i32 a row, exact up to 1,126,000 dimensions. Any alignment.
#include "../kernels.h"

void fk_dot_blocks_u4_scalar(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *query,
                             int32_t *products) {
  for (size_t b = 0; b < block_count; b++) {
    const uint8_t *block = blocks + b * (FK_BLOCK_ROWS / 2) * dimension;
    for (size_t row = 0; row < FK_BLOCK_ROWS; row++) {
      int32_t sum = 0;
      for (size_t d = 0; d < dimension; d++) {
        uint8_t byte = block[64 * (d / 8) + 4 * row + d % 4];
        int32_t code = d % 8 < 4 ? byte & 15 : byte >> 4;
        sum += (2 * code - 15) * query[d];
      }
      products[b * FK_BLOCK_ROWS + row] = sum;
    }
  }
}
