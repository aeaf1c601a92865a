// The dot products of a query with the interleaved 4-bit plane, multiplied to i16 and added in pairs to i32.
//
// Four rows a register of bytes. A product is 2 * sum(code * query) - 15 * sum(query), exact up to 1,126,000 dimensions.
// Any alignment. Run under emulation only, not yet on hardware.
#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

#include "../kernels.h"

FK_INLINE int8x16_t four_codes(const int8_t *query) {
  int32_t codes;
  memcpy(&codes, query, sizeof codes);
  return vreinterpretq_s8_s32(vdupq_n_s32(codes));
}

FK_INLINE int32x4_t add_products(int32x4_t sums, int8x16_t rows, int8x16_t query) {
  int16x8_t lower = vmull_s8(vget_low_s8(rows), vget_low_s8(query)), upper = vmull_high_s8(rows, query);
  // Two products of a row lie side by side, and its two pairs as well.
  return vaddq_s32(sums, vpaddq_s32(vpaddlq_s16(lower), vpaddlq_s16(upper)));
}

void fk_dot_blocks_u4_neon(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *query,
                           int32_t *products) {
  const size_t block_bytes = FK_BLOCK_ROWS / 2 * dimension;
  const int32x4_t start = vdupq_n_s32(-15 * fk_sum_codes(query, dimension));
  for (size_t b = 0; b < block_count; b++) {
    int32x4_t sums[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
    for (size_t group = 0; group < dimension / 8; group++) {
      int8x16_t low_query = four_codes(query + 8 * group), high_query = four_codes(query + 8 * group + 4);
      FK_UNROLL
      for (int r = 0; r < 4; r++) {
        uint8x16_t rows = vld1q_u8(blocks + b * block_bytes + 64 * group + 16 * r);
        sums[r] = add_products(sums[r], vreinterpretq_s8_u8(vandq_u8(rows, vdupq_n_u8(15))), low_query);
        sums[r] = add_products(sums[r], vreinterpretq_s8_u8(vshrq_n_u8(rows, 4)), high_query);
      }
    }
    for (int r = 0; r < 4; r++) {
      vst1q_s32(products + b * FK_BLOCK_ROWS + 4 * r, vaddq_s32(vaddq_s32(sums[r], sums[r]), start));
    }
  }
}
#endif
