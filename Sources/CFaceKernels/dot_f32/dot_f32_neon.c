// The dot product in f32 by the defined reduction, with four registers as the sixteen lanes.
//
// Accumulators: four of f32x4 a row, so the bits are the scalar level's; four rows at a time hide the latency
// of the additions within thirty-two registers. A tail goes through a copy padded with +0. Any length, any
// alignment. Run under emulation only, not yet on hardware.
#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

#include "../kernels.h"

typedef struct fk_sixteen_lanes {
  float32x4_t part[4];
} fk_sixteen_lanes;

FK_INLINE fk_sixteen_lanes load_sixteen(const float *place) {
  return (fk_sixteen_lanes){
      {vld1q_f32(place), vld1q_f32(place + 4), vld1q_f32(place + 8), vld1q_f32(place + 12)}};
}

FK_INLINE fk_sixteen_lanes load_tail(const float *place, size_t count) {
  float padded[16] = {0};
  memcpy(padded, place, count * sizeof *place);
  return load_sixteen(padded);
}

FK_INLINE void add_products(fk_sixteen_lanes *sum, fk_sixteen_lanes a, fk_sixteen_lanes b) {
  FK_UNROLL
  for (int p = 0; p < 4; p++) sum->part[p] = vfmaq_f32(sum->part[p], a.part[p], b.part[p]);
}

FK_INLINE float add_lanes(fk_sixteen_lanes sum) {
  float32x4_t low_f32x4 = vaddq_f32(sum.part[0], sum.part[2]),
              high_f32x4 = vaddq_f32(sum.part[1], sum.part[3]);
  float32x4_t sum_f32x4 = vaddq_f32(low_f32x4, high_f32x4);
  float32x2_t sum_f32x2 = vadd_f32(vget_low_f32(sum_f32x4), vget_high_f32(sum_f32x4));
  return vget_lane_f32(sum_f32x2, 0) + vget_lane_f32(sum_f32x2, 1);
}

FK_INLINE void dot_tile(const int row_count, const float *query, const float *rows, size_t stride,
                        size_t count, float *scores) {
  fk_sixteen_lanes sums[4];
  FK_UNROLL
  for (int row = 0; row < row_count; row++) {
    FK_UNROLL
    for (int p = 0; p < 4; p++) sums[row].part[p] = vdupq_n_f32(0);
  }
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const fk_sixteen_lanes query_part = load_sixteen(query + i);
    FK_UNROLL
    for (int row = 0; row < row_count; row++) {
      add_products(&sums[row], load_sixteen(rows + row * stride + i), query_part);
    }
  }
  if (i < count) {
    const fk_sixteen_lanes query_part = load_tail(query + i, count - i);
    FK_UNROLL
    for (int row = 0; row < row_count; row++) {
      add_products(&sums[row], load_tail(rows + row * stride + i, count - i), query_part);
    }
  }
  FK_UNROLL
  for (int row = 0; row < row_count; row++) scores[row] = add_lanes(sums[row]);
}

float fk_dot_f32_neon(const float *a, const float *b, size_t count) {
  float score;
  dot_tile(1, a, b, 0, count, &score);
  return score;
}

void fk_dot_rows_f32_neon(const float *query, const float *rows, size_t stride, size_t row_count,
                          size_t count, float *scores) {
  size_t row = 0;
  for (; row + 4 <= row_count; row += 4) dot_tile(4, query, rows + row * stride, stride, count, scores + row);
  for (; row < row_count; row++) dot_tile(1, query, rows + row * stride, stride, count, scores + row);
}
#endif
