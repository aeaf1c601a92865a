// A row of floats as 4-bit codes u in 0...15, which stand for (2 u - 15) * scale.
//
// The step 2 * scale is 0.335 of the row's root mean square, the best for normal components and sixteen levels (Max,
// Quantizing for minimum distortion, 1960, table II), so codes are cut off at 2.7 of it. The error norm is that of
// row - (2 u - 15) * scale computed in f64, where scale times an odd number below 16 is exact and the difference is
// rounded once (2^-53), so it is below the true norm by less than the factor 1 + 2^-30 that is put on before it is
// rounded upwards. One file for every level: coding runs once an enrolment.
#include <float.h>
#include <math.h>

#include "../kernels.h"

fk_quantisation fk_quantise_u4(const float *row, size_t count, uint8_t *codes) {
  double squares = 0;
  for (size_t i = 0; i < count; i++) squares += (double)row[i] * row[i];
  const float step = (float)(0.335 * sqrt(squares / (double)count));
  const float scale = step / 2;
  const int usable = scale >= FLT_MIN && step <= FLT_MAX;
  const float inverse = usable ? 1 / step : 0;
  double residuals = 0;
  for (size_t i = 0; i < count; i++) {
    // Cut to the range first, so that the conversion of a large number or a NaN is defined.
    float place = row[i] * inverse + 8;
    place = place > 0 ? place : 0;
    int code = (int)(place < 15 ? place : 15);
    codes[i] = (uint8_t)code;
    double residual = row[i] - (usable ? (double)scale * (2 * code - 15) : 0);
    residuals += residual * residual;
  }
  const double bound = sqrt(residuals) * (1 + 0x1p-30);
  float error = (float)bound;
  if ((double)error < bound) error = nextafterf(error, INFINITY);
  return (fk_quantisation){usable ? scale : 0, error >= 0 ? error : INFINITY};
}
