// bins.h: what the levels of counting share.
#ifndef FK_BINS_H
#define FK_BINS_H

#include "../kernels.h"

// The bin of a score, or -1 when it is not finite. Scores beyond the ends fall into the outermost bins.
FK_INLINE int32_t fk_bin(double score, const fk_bins *bins) {
  const double position = (score - bins->low) * bins->scale;
  if (position >= 0 && position < bins->limit) return (int32_t)position;
  if (!(__builtin_fabs(score) < __builtin_inf())) return -1;
  return position < 0 ? 0 : (int32_t)bins->limit - 1;
}

FK_INLINE double fk_add_eight(double *lanes) {
  for (int width = 4; width > 0; width /= 2) {
    for (int lane = 0; lane < width; lane++) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

#endif
