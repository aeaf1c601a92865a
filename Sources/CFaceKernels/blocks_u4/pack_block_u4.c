// Sixteen rows of 4-bit codes interleaved into a block. One file for every level: packing runs once an enrolment.
#include "../kernels.h"

void fk_pack_block_u4(const uint8_t *codes, size_t dimension, uint8_t *block) {
  for (size_t group = 0; group < dimension / 8; group++) {
    for (size_t row = 0; row < FK_BLOCK_ROWS; row++) {
      const uint8_t *eight = codes + row * dimension + 8 * group;
      for (size_t place = 0; place < 4; place++) {
        block[64 * group + 4 * row + place] = (uint8_t)(eight[place] | eight[place + 4] << 4);
      }
    }
  }
}
