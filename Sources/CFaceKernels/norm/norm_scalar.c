// The sum of squares and the division by a norm, plainly.
//
// A product of two f32 has at most 48 significant bits and an exponent within -298...256, so it is exact in
// f64, and fused or not the sum is the same. Each lane rounds count / 8 times, the sum three times more: the
// relative error is below (count / 8 + 4) * 2^-53. A quotient is rounded twice, to f64 and then to f32; that
// is the contract.
#include "lanes.h"

double fk_squared_norm_f32_scalar(const float *row, size_t count) {
  double lanes[8] = {0};
  for (size_t i = 0; i < count; i++) lanes[i % 8] += (double)row[i] * (double)row[i];
  return fk_add_lanes(lanes);
}

void fk_divide_f32_scalar(const float *row, double norm, size_t count, float *result) {
  for (size_t i = 0; i < count; i++) result[i] = (float)((double)row[i] / norm);
}
