// Sixteen rows of 3-bit codes interleaved into a block. One file for every level: packing runs once an enrolment.
#include <string.h>

#include "../kernels.h"
#include "octal.h"

void fk_pack_block_u3(const uint8_t *codes, size_t dimension, uint8_t *block) {
  memset(block, 0, FK_OCTAL_BYTES * (dimension / FK_OCTAL_DIMENSIONS));
  for (size_t row = 0; row < FK_BLOCK_ROWS; row++) {
    for (size_t d = 0; d < dimension; d++) {
      const uint8_t code = codes[row * dimension + d];
      uint8_t *lines = block + FK_OCTAL_BYTES * (d / FK_OCTAL_DIMENSIONS) + 4 * row + d % 4;
      const size_t group = d % FK_OCTAL_DIMENSIONS / 4;
      lines[64 * (group / 4)] |= (uint8_t)((code & 3) << 2 * (group % 4));
      lines[128] |= (uint8_t)(code >> 2 << FK_UPPER_BITS[group]);
    }
  }
}
