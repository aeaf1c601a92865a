// The exact dot product of signed codes, plainly.
//
// Accumulator: one i32, exact while count * 127 * 127 < 2^31, that is up to 133,144 elements. Any alignment.
#include "../kernels.h"

int32_t fk_dot_i8_scalar(const int8_t *a, const int8_t *b, size_t count) {
  int32_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += (int32_t)a[i] * b[i];
  return sum;
}
