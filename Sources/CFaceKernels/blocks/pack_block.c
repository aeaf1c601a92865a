// Sixteen rows of codes interleaved into a block. One file for every level: packing runs once an enrolment.
#include <string.h>

#include "../kernels.h"

void fk_pack_block(const int8_t *codes, size_t stride, size_t count, size_t dimension, uint8_t *block) {
  const size_t whole = count / FK_GROUP_DIMENSIONS * FK_GROUP_DIMENSIONS;
  for (size_t d = 0; d < dimension; d += FK_GROUP_DIMENSIONS) {
    for (size_t row = 0; row < FK_BLOCK_ROWS; row++) {
      // Four codes at once; adding 128 to a byte is flipping its top bit.
      uint32_t group = 0;
      if (d < whole) {
        memcpy(&group, codes + row * stride + d, sizeof group);
      } else if (d < count) {
        memcpy(&group, codes + row * stride + d, count - d);
      }
      group ^= 0x80808080u;
      memcpy(block + FK_BLOCK_ROWS * d + FK_GROUP_DIMENSIONS * row, &group, sizeof group);
    }
  }
}
