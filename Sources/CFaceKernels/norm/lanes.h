// lanes.h: the end of every reduction in f64, eight lanes halved three times.
#ifndef FK_LANES_H
#define FK_LANES_H

#include "../kernels.h"

FK_INLINE double fk_add_lanes(const double *lanes) {
  double fours[4];
  for (size_t lane = 0; lane < 4; lane++) fours[lane] = lanes[lane] + lanes[lane + 4];
  return (fours[0] + fours[2]) + (fours[1] + fours[3]);
}

#endif
