// The dot products of a query with picked rows of 2-bit codes, plainly. Any alignment.
#include "../kernels.h"

void fk_dot_rows_u2_scalar(const uint8_t *rows, size_t dimension, const uint32_t *indices, size_t count,
                           const int8_t *query, int32_t *products) {
  const size_t quarter = dimension / 4;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *row = rows + indices[i] * quarter;
    int32_t sum = 0;
    for (size_t d = 0; d < dimension; d++) sum += (2 * (row[d % quarter] >> 2 * (d / quarter) & 3) - 3) * query[d];
    products[i] = sum;
  }
}
