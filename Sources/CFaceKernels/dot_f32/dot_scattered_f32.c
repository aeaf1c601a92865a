// Dot products with rows that lie anywhere in memory, by any level's kernel: only the fetching is done here.
//
// A row of 512 floats is 32 cache lines; asking for a row four ahead hides most of a miss behind the rows between.
#include "../kernels.h"

enum { ROWS_AHEAD = 4, LINE_FLOATS = 16 };

void fk_dot_scattered_f32(const fk_kernels *kernels, const float *query, const float *FK_NONNULL const *FK_NONNULL rows,
                          size_t row_count, size_t count, float *scores) {
  for (size_t i = 0; i < row_count; i++) {
    if (i + ROWS_AHEAD < row_count) {
      const float *next = rows[i + ROWS_AHEAD];
      for (size_t place = 0; place < count; place += LINE_FLOATS) __builtin_prefetch(next + place);
    }
    scores[i] = kernels->dot_f32(query, rows[i], count);
  }
}
