// The dot products of a query with picked rows of 2-bit codes, sixteen bytes of a row at a time.
//
// A byte holds a code of each quarter of the row; a product of it fits an i16 with three more. A product is
// 2 * sum(code * query) - 3 * sum(query). Any alignment. Run under emulation only, not yet on hardware.
#if defined(__aarch64__)
#include <arm_neon.h>

#include "rows_u2.h"

enum { STEP = 16 };

FK_INLINE int32x4_t add_quarter(int32x4_t sums, uint8x16_t codes, const int8_t *query) {
  const int8x16_t rows = vreinterpretq_s8_u8(vandq_u8(codes, vdupq_n_u8(3))), q = vld1q_s8(query);
  int16x8_t products = vmull_s8(vget_low_s8(rows), vget_low_s8(q));
  return vpadalq_s16(sums, vmlal_s8(products, vget_high_s8(rows), vget_high_s8(q)));
}

void fk_dot_rows_u2_neon(const uint8_t *rows, size_t dimension, const uint32_t *indices, size_t count,
                         const int8_t *query, int32_t *products) {
  const size_t quarter = dimension / 4;
  const int32_t query_sum = fk_sum_codes(query, dimension);
  for (size_t i = 0; i < count; i++) {
    fk_prefetch_row(rows, quarter, indices, i, count);
    const uint8_t *row = rows + indices[i] * quarter;
    int32x4_t sums = vdupq_n_s32(0);
    for (size_t place = 0; place < quarter; place += STEP) {
      const uint8x16_t codes = vld1q_u8(row + place);
      sums = add_quarter(sums, codes, query + place);
      sums = add_quarter(sums, vshrq_n_u8(codes, 2), query + quarter + place);
      sums = add_quarter(sums, vshrq_n_u8(codes, 4), query + 2 * quarter + place);
      sums = add_quarter(sums, vshrq_n_u8(codes, 6), query + 3 * quarter + place);
    }
    products[i] = 2 * vaddvq_s32(sums) - 3 * query_sum;
  }
}
#endif
