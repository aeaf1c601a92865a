// octal_neon.h: the codes of a register's four rows out of the three lines of the 3-bit plane (see octal.h).
#ifndef FK_OCTAL_NEON_H
#define FK_OCTAL_NEON_H

#include <arm_neon.h>
#include <string.h>

#include "../kernels.h"
#include "octal.h"

FK_INLINE int8x16_t fk_four_codes(const int8_t *query) {
  int32_t codes;
  memcpy(&codes, query, sizeof codes);
  return vreinterpretq_s8_s32(vdupq_n_s32(codes));
}

// codes[g]: the codes of group g, as signed bytes.
FK_INLINE void fk_octal_codes(const uint8_t *lines, int8x16_t *codes) {
  const uint8x16_t lower_bits = vdupq_n_u8(FK_LOWER_BITS), code_bits = vdupq_n_u8(FK_CODE_BITS);
  const uint8x16_t first = vld1q_u8(lines), second = vld1q_u8(lines + 64), third = vld1q_u8(lines + 128);
  const uint8x16_t pairs[4] = {
      vbslq_u8(lower_bits, first, third),
      vbslq_u8(lower_bits, vshrq_n_u8(first, 2), vshrq_n_u8(third, 1)),
      vbslq_u8(lower_bits, second, vshlq_n_u8(third, 2)),
      vbslq_u8(lower_bits, vshrq_n_u8(second, 2), vshlq_n_u8(third, 1)),
  };
  FK_UNROLL
  for (int p = 0; p < 4; p++) {
    const int group = 4 * (p / 2) + p % 2;
    codes[group] = vreinterpretq_s8_u8(vandq_u8(pairs[p], code_bits));
    codes[group + 2] = vreinterpretq_s8_u8(vandq_u8(vshrq_n_u8(pairs[p], 4), code_bits));
  }
}

#endif
