// The dot products of a query with the interleaved 3-bit plane, plainly.
//
// Accumulator: one i32 a row, exact up to 2,400,000 dimensions. Any alignment.
#include "../kernels.h"
#include "octal.h"

FK_INLINE int32_t code_at(const uint8_t *block, size_t row, size_t d) {
  const uint8_t *lines = block + FK_OCTAL_BYTES * (d / FK_OCTAL_DIMENSIONS) + 4 * row + d % 4;
  const size_t group = d % FK_OCTAL_DIMENSIONS / 4;
  return (lines[64 * (group / 4)] >> 2 * (group % 4) & 3) | (lines[128] >> FK_UPPER_BITS[group] & 1) << 2;
}

void fk_dot_blocks_u3_scalar(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *query,
                             int32_t *products) {
  const size_t block_bytes = FK_OCTAL_BYTES * (dimension / FK_OCTAL_DIMENSIONS);
  for (size_t b = 0; b < block_count; b++) {
    for (size_t row = 0; row < FK_BLOCK_ROWS; row++) {
      int32_t sum = 0;
      for (size_t d = 0; d < dimension; d++) {
        sum += (2 * code_at(blocks + b * block_bytes, row, d) - 7) * query[d];
      }
      products[b * FK_BLOCK_ROWS + row] = sum;
    }
  }
}
