// A row of floats as 5-bit codes u in 0...31, which stand for (2 u - 31) * scale, in two layers: u / 4 alone stands for
// (2 (u / 4) - 7) * 4 scale.
//
// The step 2 * scale is 0.155 of the row's root mean square. That is below the best step for thirty-two levels (0.188:
// Max, Quantizing for minimum distortion, 1960, table II) and near a quarter of the best for eight (0.586), since the upper
// layer is what a scan reads of every row. An error norm is that of row - code computed in f64, where scale times an odd
// number below 32 is exact and the difference is rounded once (2^-53), so it is below the true norm by less than the
// factor 1 + 2^-30 that is put on before it is rounded upwards. One file for every level: coding runs once an enrolment.
#include <float.h>
#include <math.h>

#include "../kernels.h"

static float error_bound(double squares) {
  const double bound = sqrt(squares) * (1 + 0x1p-30);
  float error = (float)bound;
  if ((double)error < bound) error = nextafterf(error, INFINITY);
  return error >= 0 ? error : INFINITY;
}

fk_layered_quantisation fk_quantise_u5(const float *row, size_t count, uint8_t *codes) {
  double squares = 0;
  for (size_t i = 0; i < count; i++) squares += (double)row[i] * row[i];
  const float step = (float)(0.155 * sqrt(squares / (double)count));
  const float scale = step / 2;
  const int usable = scale >= FLT_MIN && step <= FLT_MAX / 4;
  const float inverse = usable ? 1 / step : 0;
  double residuals = 0, upper_residuals = 0;
  for (size_t i = 0; i < count; i++) {
    // Cut to the range first, so that the conversion of a large number or a NaN is defined.
    float place = row[i] * inverse + 16;
    place = place > 0 ? place : 0;
    int code = (int)(place < 31 ? place : 31);
    codes[i] = (uint8_t)code;
    double residual = row[i] - (usable ? (double)scale * (2 * code - 31) : 0);
    residuals += residual * residual;
    residual = row[i] - (usable ? (double)scale * (4 * (2 * (code / 4) - 7)) : 0);
    upper_residuals += residual * residual;
  }
  return (fk_layered_quantisation){usable ? scale : 0, error_bound(residuals), error_bound(upper_residuals)};
}
