// How rows are walked so that four by four of them are compared at once: eight rows of `b` stay in the first-level
// cache while all of `a` goes by, and what is left over is done by narrower tiles.
#ifndef FK_PAIR_TILES_H
#define FK_PAIR_TILES_H

// `tile(height, width, a row, b row)` is a statement over constants and the first rows of a tile.
#define FK_FOR_EACH_TILE(a_count, b_count, tile)                                               \
  for (size_t chunk = 0; chunk < b_count; chunk += 8) {                                        \
    const size_t end = chunk + 8 < b_count ? chunk + 8 : b_count;                              \
    size_t row = 0;                                                                            \
    for (; row + 4 <= a_count; row += 4) {                                                     \
      size_t other = chunk;                                                                    \
      for (; other + 4 <= end; other += 4) tile(4, 4, row, other);                             \
      for (; other < end; other++) tile(4, 1, row, other);                                     \
    }                                                                                          \
    for (; row < a_count; row++) {                                                             \
      size_t other = chunk;                                                                    \
      for (; other + 4 <= end; other += 4) tile(1, 4, row, other);                             \
      for (; other < end; other++) tile(1, 1, row, other);                                     \
    }                                                                                          \
  }

#endif
