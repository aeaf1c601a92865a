// The dot products of a query with the interleaved 3-bit plane by sdot, four products a lane.
//
// Codes 0...7 are signed bytes as they are. A product is 2 * sum(code * query) - 7 * sum(query), exact up to 2,400,000
// dimensions. Any alignment. Run under emulation only, not yet on hardware.
#if defined(__aarch64__)
#include "octal_neon.h"

FK_SDOT void fk_dot_blocks_u3_sdot(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *query,
                                int32_t *products) {
  const size_t block_bytes = FK_OCTAL_BYTES * (dimension / FK_OCTAL_DIMENSIONS);
  const int32x4_t start = vdupq_n_s32(-7 * fk_sum_codes(query, dimension));
  for (size_t b = 0; b < block_count; b++) {
    int32x4_t sums[4] = {vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0)};
    for (size_t part = 0; part < dimension / FK_OCTAL_DIMENSIONS; part++) {
      FK_UNROLL
      for (size_t r = 0; r < 4; r++) {
        int8x16_t codes[FK_OCTAL_GROUPS];
        fk_octal_codes(blocks + b * block_bytes + FK_OCTAL_BYTES * part + 16 * r, codes);
        FK_UNROLL
        for (size_t g = 0; g < FK_OCTAL_GROUPS; g++) {
          sums[r] = vdotq_s32(sums[r], codes[g], fk_four_codes(query + FK_OCTAL_DIMENSIONS * part + 4 * g));
        }
      }
    }
    for (int r = 0; r < 4; r++) {
      vst1q_s32(products + b * FK_BLOCK_ROWS + 4 * r, vaddq_s32(vaddq_s32(sums[r], sums[r]), start));
    }
  }
}
#endif
