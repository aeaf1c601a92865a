// The dot products of a query with the interleaved 3-bit plane in i16, without VNNI.
//
// A lane is a row. vpmaddubsw adds two products of at most 7 * 127: thirty-two dimensions add at most 14,224 to an i16, so
// twice as many (28,448) fit before the pairs are widened to i32. Blocks 64-byte aligned.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "../kernels.h"
#include "octal.h"

enum { STREAMS = 4, NEAR_BYTES = 1536, NARROW_PARTS = 2 };

FK_INLINE FK_AVX512 __m512i four_codes(const int8_t *query) {
  int32_t codes;
  memcpy(&codes, query, sizeof codes);
  return _mm512_set1_epi32(codes);
}

// The lower bits of one line with the upper bits of another: two codes a byte.
FK_INLINE FK_AVX512 __m512i joined(__m512i lower, __m512i upper) {
  return _mm512_ternarylogic_epi32(_mm512_set1_epi8(FK_LOWER_BITS), lower, upper, 0xca);
}

// The products of eight groups of four dimensions of sixteen rows, added in pairs.
FK_INLINE FK_AVX512 __m512i multiplied(const uint8_t *lines, const int8_t *query) {
  const __m512i code_bits = _mm512_set1_epi8(FK_CODE_BITS);
  const __m512i first = _mm512_load_si512(lines), second = _mm512_load_si512(lines + 64),
                third = _mm512_load_si512(lines + 128);
  const __m512i pairs[4] = {
      joined(first, third),
      joined(_mm512_srli_epi16(first, 2), _mm512_srli_epi16(third, 1)),
      joined(second, _mm512_slli_epi16(third, 2)),
      joined(_mm512_srli_epi16(second, 2), _mm512_slli_epi16(third, 1)),
  };
  __m512i sums = _mm512_setzero_si512();
  FK_UNROLL
  for (int p = 0; p < 4; p++) {
    const int8_t *place = query + 4 * (4 * (p / 2) + p % 2);
    __m512i lower = _mm512_and_si512(pairs[p], code_bits);
    __m512i upper = _mm512_and_si512(_mm512_srli_epi16(pairs[p], 4), code_bits);
    sums = _mm512_add_epi16(sums, _mm512_maddubs_epi16(lower, four_codes(place)));
    sums = _mm512_add_epi16(sums, _mm512_maddubs_epi16(upper, four_codes(place + 8)));
  }
  return sums;
}

FK_INLINE FK_AVX512 void dot_streams(const int count, const uint8_t *blocks, size_t step, size_t dimension,
                                     const int8_t *query, int32_t query_sum, int32_t *products,
                                     size_t product_step) {
  const __m512i ones = _mm512_set1_epi16(1), start = _mm512_set1_epi32(-7 * query_sum);
  __m512i sums[STREAMS];
  FK_UNROLL
  for (int s = 0; s < count; s++) sums[s] = _mm512_setzero_si512();
  for (size_t first = 0; first < dimension / FK_OCTAL_DIMENSIONS; first += NARROW_PARTS) {
    FK_UNROLL
    for (int s = 0; s < count; s++) {
      const uint8_t *lines = blocks + (size_t)s * step + FK_OCTAL_BYTES * first;
      FK_UNROLL
      for (size_t line = 0; line < 3 * NARROW_PARTS; line++) {
        _mm_prefetch((const char *)((uintptr_t)lines + NEAR_BYTES + 64 * line), _MM_HINT_T0);
      }
      __m512i narrow = _mm512_setzero_si512();
      FK_UNROLL
      for (size_t part = 0; part < NARROW_PARTS; part++) {
        const int8_t *place = query + FK_OCTAL_DIMENSIONS * (first + part);
        narrow = _mm512_add_epi16(narrow, multiplied(lines + FK_OCTAL_BYTES * part, place));
      }
      sums[s] = _mm512_add_epi32(sums[s], _mm512_madd_epi16(narrow, ones));
    }
  }
  FK_UNROLL
  for (int s = 0; s < count; s++) {
    _mm512_storeu_si512(products + (size_t)s * product_step,
                        _mm512_add_epi32(_mm512_add_epi32(sums[s], sums[s]), start));
  }
}

FK_AVX512 void fk_dot_blocks_u3_avx512(const uint8_t *blocks, size_t block_count, size_t dimension,
                                       const int8_t *query, int32_t *products) {
  const size_t block_bytes = FK_OCTAL_BYTES * (dimension / FK_OCTAL_DIMENSIONS);
  const int32_t sum = fk_sum_codes(query, dimension);
  const size_t quarter = block_count / STREAMS;
  for (size_t b = 0; b < quarter; b++) {
    dot_streams(STREAMS, blocks + b * block_bytes, quarter * block_bytes, dimension, query, sum,
                products + b * FK_BLOCK_ROWS, quarter * FK_BLOCK_ROWS);
  }
  for (size_t b = STREAMS * quarter; b < block_count; b++) {
    dot_streams(1, blocks + b * block_bytes, 0, dimension, query, sum, products + b * FK_BLOCK_ROWS, 0);
  }
}
#endif
