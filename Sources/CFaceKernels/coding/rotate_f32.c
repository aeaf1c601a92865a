// A fixed rotation that spreads what a row holds evenly over its components: signs, then a Hadamard transform.
//
// Rows whose components differ much in size lose more to coarse codes than rows whose components are alike; after the
// transform they are nearly normal and alike. The dimension is cut into powers of two from the largest down, each
// transformed by itself, so that no length needs padding beyond the planes' step. Additions and one product in f32 in
// a fixed order: the same bits everywhere. Each of at most 12 levels rounds once, by 2^-24 of the result, and the
// scaling twice; so the computed vector differs from the rotated one by at most 14 * 2^-24 of its norm (FK_ROTATION_ERROR).
#include <math.h>

#include "../kernels.h"

// The sign of a component: the top bit of a product with an odd constant (Knuth, TAOCP 3, 6.4), folded once.
static float sign_of(size_t index) {
  uint64_t mixed = (uint64_t)(index + 1) * 0x9e3779b97f4a7c15u;
  mixed ^= mixed >> 29;
  return (mixed * 0xbf58476d1ce4e5b9u) >> 63 ? -1.0f : 1.0f;
}

static void transform(float *row, size_t count) {
  for (size_t half = 1; half < count; half *= 2) {
    for (size_t first = 0; first < count; first += 2 * half) {
      for (size_t i = first; i < first + half; i++) {
        float a = row[i], b = row[i + half];
        row[i] = a + b;
        row[i + half] = a - b;
      }
    }
  }
  const float scale = 1.0f / sqrtf((float)count);
  for (size_t i = 0; i < count; i++) row[i] *= scale;
}

void fk_rotate_f32(float *row, size_t count) {
  for (size_t i = 0; i < count; i++) row[i] *= sign_of(i);
  size_t first = 0;
  while (first < count) {
    size_t size = 1;
    while (2 * size <= count - first) size *= 2;
    transform(row + first, size);
    first += size;
  }
}
