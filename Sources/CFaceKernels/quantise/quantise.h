// quantise.h: the steps of the quantisation that every level shares, and why its error bound holds.
//
// Let m be the largest magnitude, s = f32(m / 127) and k = f32(127 / m). A code is c = nearbyint(f32(x * k)).
//   - Range: |x| <= m and k is a normal number, so |f32(x * k)| <= 127 (1 + 2^-24)^2 < 127.5: a code is in
//     -127...127 without clamping, and no conversion overflows.
//   - The residual r = x - s c is exact in f64. s c has at most 24 + 7 bits. If c = 0, r = x. Otherwise
//     |x| > 0.49 s, so x and s are multiples of g = ulp(s) / 4 or, where s is denormal, of g = 2^-149; and
//     |r| < 0.51 s < 2^26 g. So r is g times an integer below 2^26: f64 holds it, and x - s c, fused or not,
//     is r. (|r| < 0.51 s: half a step, the rounding of k and of x k, at most 127 * 2^-22 steps, and that of
//     s, at most 127 * 2^-24 steps or, where s is denormal, s > 2^-129 and 127 * 2^-150.)
//   - r^2 is exact in f64, having at most 52 bits and being 0 or at least 2^-298; fused or not, the sum is
//     the same.
//   - The sum S of the squares rounds at most count / 8 + 4 times, each time by a factor of at least
//     1 - 2^-53; the square root and the product below once each. With count <= 2^24 the computed number is
//     above sqrt(S) (1 - 2^-53)^(2^20 + 4) (1 + 2^-30) > sqrt(S), and the conversion to f32 rounds upwards.
// Where k is not finite (m < 127 / FLT_MAX = 3.7e-37, zero included) s and k are taken as 0, so every code is
// 0 and the error is the norm of the row. A row that holds an infinity or NaN has scale 0, codes 0 and error
// +infinity.
#ifndef FK_QUANTISE_H
#define FK_QUANTISE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "../norm/lanes.h"

typedef struct fk_quantiser {
  float scale;    // s
  float inverse;  // k
  int finite;
} fk_quantiser;

// The magnitude of a finite f32 orders as its bits do, and the bits of infinity and NaN are above all of
// them; so the largest magnitude is found as an integer, in any order.
enum { FK_INFINITY_BITS = 0x7f800000, FK_MAGNITUDE_BITS = 0x7fffffff };

FK_INLINE fk_quantiser fk_make_quantiser(uint32_t largest_bits) {
  float largest;
  memcpy(&largest, &largest_bits, sizeof largest);
  fk_quantiser quantiser = {0, 0, largest_bits < FK_INFINITY_BITS};
  if (!quantiser.finite) return quantiser;
  float inverse = 127.0f / largest;
  if (inverse > FLT_MAX) return quantiser;
  quantiser.scale = largest / 127.0f;
  quantiser.inverse = inverse;
  return quantiser;
}

FK_INLINE fk_quantisation fk_refuse_row(size_t count, int8_t *codes) {
  memset(codes, 0, count);
  return (fk_quantisation){0, INFINITY};
}

FK_INLINE fk_quantisation fk_bound_error(float scale, double squared_residuals) {
  double bound = sqrt(squared_residuals) * (1 + 0x1p-30);
  float rounded = (float)bound;
  if ((double)rounded < bound) rounded = nextafterf(rounded, INFINITY);
  return (fk_quantisation){scale, rounded};
}

#endif
