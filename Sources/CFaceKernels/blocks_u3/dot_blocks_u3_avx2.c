// The dot products of a query with the interleaved 3-bit plane in i16, eight rows a register.
//
// A lane is a row. vpmaddubsw adds two products of at most 7 * 127: thirty-two dimensions add at most 14,224 to an i16, so
// twice as many (28,448) fit before the pairs are widened to i32. Blocks 64-byte aligned.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "../kernels.h"
#include "octal.h"

// A stream is half a block: its lower or its upper eight rows.
enum { STREAMS = 4, NEAR_BYTES = 1536, NARROW_PARTS = 2, HALF_ROWS = 8, HALF_BYTES = 32 };

FK_INLINE FK_AVX2 __m256i four_codes(const int8_t *query) {
  int32_t codes;
  memcpy(&codes, query, sizeof codes);
  return _mm256_set1_epi32(codes);
}

// The lower bits of one line with the upper bits of another: two codes a byte.
FK_INLINE FK_AVX2 __m256i joined(__m256i lower, __m256i upper) {
  const __m256i lower_bits = _mm256_set1_epi8(FK_LOWER_BITS);
  return _mm256_or_si256(_mm256_and_si256(lower_bits, lower), _mm256_andnot_si256(lower_bits, upper));
}

// The products of eight groups of four dimensions of eight rows, added in pairs.
FK_INLINE FK_AVX2 __m256i multiplied(const uint8_t *lines, const int8_t *query) {
  const __m256i code_bits = _mm256_set1_epi8(FK_CODE_BITS);
  const __m256i first = _mm256_load_si256((const __m256i *)lines),
                second = _mm256_load_si256((const __m256i *)(lines + 64)),
                third = _mm256_load_si256((const __m256i *)(lines + 128));
  const __m256i pairs[4] = {
      joined(first, third),
      joined(_mm256_srli_epi16(first, 2), _mm256_srli_epi16(third, 1)),
      joined(second, _mm256_slli_epi16(third, 2)),
      joined(_mm256_srli_epi16(second, 2), _mm256_slli_epi16(third, 1)),
  };
  __m256i sums = _mm256_setzero_si256();
  FK_UNROLL
  for (int p = 0; p < 4; p++) {
    const int8_t *place = query + 4 * (4 * (p / 2) + p % 2);
    __m256i lower = _mm256_and_si256(pairs[p], code_bits);
    __m256i upper = _mm256_and_si256(_mm256_srli_epi16(pairs[p], 4), code_bits);
    sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(lower, four_codes(place)));
    sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(upper, four_codes(place + 8)));
  }
  return sums;
}

// `count` half blocks of `count` / 2 blocks that lie `step` bytes apart.
FK_INLINE FK_AVX2 void dot_halves(const int count, const uint8_t *blocks, size_t step, size_t dimension,
                                  const int8_t *query, int32_t query_sum, int32_t *products, size_t product_step) {
  const __m256i ones = _mm256_set1_epi16(1), start = _mm256_set1_epi32(-7 * query_sum);
  __m256i sums[STREAMS];
  FK_UNROLL
  for (int s = 0; s < count; s++) sums[s] = _mm256_setzero_si256();
  for (size_t first = 0; first < dimension / FK_OCTAL_DIMENSIONS; first += NARROW_PARTS) {
    FK_UNROLL
    for (int s = 0; s < count; s++) {
      const uint8_t *lines = blocks + (size_t)(s / 2) * step + FK_OCTAL_BYTES * first + HALF_BYTES * (size_t)(s % 2);
      FK_UNROLL
      for (size_t line = 0; line < 3 * NARROW_PARTS; line++) {
        if (s % 2 == 0) _mm_prefetch((const char *)((uintptr_t)lines + NEAR_BYTES + 64 * line), _MM_HINT_T0);
      }
      __m256i narrow = _mm256_setzero_si256();
      FK_UNROLL
      for (size_t part = 0; part < NARROW_PARTS; part++) {
        const int8_t *place = query + FK_OCTAL_DIMENSIONS * (first + part);
        narrow = _mm256_add_epi16(narrow, multiplied(lines + FK_OCTAL_BYTES * part, place));
      }
      sums[s] = _mm256_add_epi32(sums[s], _mm256_madd_epi16(narrow, ones));
    }
  }
  FK_UNROLL
  for (int s = 0; s < count; s++) {
    int32_t *place = products + (size_t)(s / 2) * product_step + HALF_ROWS * (size_t)(s % 2);
    _mm256_storeu_si256((__m256i *)place, _mm256_add_epi32(_mm256_add_epi32(sums[s], sums[s]), start));
  }
}

FK_AVX2 void fk_dot_blocks_u3_avx2(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *query,
                                   int32_t *products) {
  const size_t block_bytes = FK_OCTAL_BYTES * (dimension / FK_OCTAL_DIMENSIONS);
  const int32_t sum = fk_sum_codes(query, dimension);
  const size_t half = block_count / 2;
  for (size_t b = 0; b < half; b++) {
    dot_halves(4, blocks + b * block_bytes, half * block_bytes, dimension, query, sum, products + b * FK_BLOCK_ROWS,
               half * FK_BLOCK_ROWS);
  }
  if (block_count % 2 != 0) {
    const size_t b = block_count - 1;
    dot_halves(2, blocks + b * block_bytes, 0, dimension, query, sum, products + b * FK_BLOCK_ROWS, 0);
  }
}
#endif
