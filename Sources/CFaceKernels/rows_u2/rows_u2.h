// rows_u2.h: rows of 2-bit codes that are picked here and there. Not seen outside this target.
#ifndef FK_ROWS_U2_H
#define FK_ROWS_U2_H

#include "../kernels.h"

enum { FK_ROWS_AHEAD = 16, FK_LINE_BYTES = 64 };

// Asks for the row that is picked some steps later.
FK_INLINE void fk_prefetch_row(const uint8_t *rows, size_t row_bytes, const uint32_t *indices, size_t position,
                               size_t count) {
  if (position + FK_ROWS_AHEAD >= count) return;
  const uint8_t *row = rows + indices[position + FK_ROWS_AHEAD] * row_bytes;
  for (size_t place = 0; place < row_bytes; place += FK_LINE_BYTES) __builtin_prefetch(row + place);
}

#endif
