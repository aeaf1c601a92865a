// The f64 dot products of rows with rows, one row of `a` with four of `b` at a time, written once for every level whose
// compiler turns eight lanes into registers by itself. Included by a level's file, which defines FK_PAIRS_TARGET.
#ifndef FK_DOT_PAIRS_F64_H
#define FK_DOT_PAIRS_F64_H

#include "../kernels.h"

FK_INLINE FK_PAIRS_TARGET void dot_group(const int row_count, const double *a, const double *b, size_t b_stride,
                                         size_t count, double *scores) {
  double lanes[4][8] = {{0}};
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    FK_UNROLL
    for (int row = 0; row < row_count; row++) {
      FK_UNROLL
      for (int lane = 0; lane < 8; lane++) {
        lanes[row][lane] = __builtin_fma(a[i + lane], b[row * b_stride + i + lane], lanes[row][lane]);
      }
    }
  }
  for (int row = 0; row < row_count; row++) {
    for (size_t j = i; j < count; j++) {
      lanes[row][j - i] = __builtin_fma(a[j], b[row * b_stride + j], lanes[row][j - i]);
    }
    for (int width = 4; width > 0; width /= 2) {
      for (int lane = 0; lane < width; lane++) lanes[row][lane] += lanes[row][lane + width];
    }
    scores[row] = lanes[row][0];
  }
}

FK_INLINE FK_PAIRS_TARGET void dot_pairs(const double *a, size_t a_stride, size_t a_count, const double *b,
                                         size_t b_stride, size_t b_count, size_t count, double *scores,
                                         size_t score_stride) {
  for (size_t row = 0; row < a_count; row++) {
    const double *left = a + row * a_stride;
    double *result = scores + row * score_stride;
    size_t other = 0;
    for (; other + 4 <= b_count; other += 4) {
      dot_group(4, left, b + other * b_stride, b_stride, count, result + other);
    }
    for (; other < b_count; other++) {
      dot_group(1, left, b + other * b_stride, b_stride, count, result + other);
    }
  }
}

#endif
