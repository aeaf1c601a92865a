// A row of 2-bit codes, four a byte: one from each quarter of the row. One file for every level.
#include "../kernels.h"

void fk_pack_row_u2(const uint8_t *codes, size_t dimension, uint8_t *row) {
  const size_t quarter = dimension / 4;
  for (size_t i = 0; i < quarter; i++) {
    row[i] = (uint8_t)(codes[i] | codes[quarter + i] << 2 | codes[2 * quarter + i] << 4 | codes[3 * quarter + i] << 6);
  }
}
