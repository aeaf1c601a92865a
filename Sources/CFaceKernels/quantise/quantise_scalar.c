// The quantisation of a row to 8-bit codes, plainly. The bound is proven in quantise.h.
//
// Accumulators: the squared residuals in eight f64 lanes, as in the sum of squares. Any length up to 2^24,
// any alignment.
#include "quantise.h"

fk_quantisation fk_quantise_i8_scalar(const float *row, size_t count, int8_t *codes) {
  uint32_t largest_bits = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, row + i, sizeof bits);
    bits &= FK_MAGNITUDE_BITS;
    if (bits > largest_bits) largest_bits = bits;
  }
  fk_quantiser quantiser = fk_make_quantiser(largest_bits);
  if (!quantiser.finite) return fk_refuse_row(count, codes);

  double lanes[8] = {0};
  for (size_t i = 0; i < count; i++) {
    float code = nearbyintf(row[i] * quantiser.inverse);
    codes[i] = (int8_t)code;
    double residual = (double)row[i] - (double)quantiser.scale * (double)code;
    lanes[i % 8] += residual * residual;
  }
  return fk_bound_error(quantiser.scale, fk_add_lanes(lanes));
}
