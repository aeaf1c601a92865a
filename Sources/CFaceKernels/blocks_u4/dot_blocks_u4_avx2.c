// The dot products of a query with the interleaved 4-bit plane in i16, eight rows a register.
//
// A lane is a row. vpmaddubsw adds two products of at most 15 * 127: a group of eight dimensions adds at most 7,620 to an
// i16, so four groups (30,480) fit before the pairs are widened to i32. Blocks 64-byte aligned.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "../kernels.h"

// A stream is half a block: its lower or its upper eight rows.
enum { STREAMS = 4, NEAR_BYTES = 2048, NARROW_GROUPS = 4, HALF_ROWS = 8, HALF_BYTES = 32 };

FK_INLINE FK_AVX2 __m256i four_codes(const int8_t *query) {
  int32_t codes;
  memcpy(&codes, query, sizeof codes);
  return _mm256_set1_epi32(codes);
}

// `count` half blocks of `count` / 2 blocks that lie `step` bytes apart.
FK_INLINE FK_AVX2 void dot_halves(const int count, const uint8_t *blocks, size_t step, size_t dimension,
                                  const int8_t *query, int32_t query_sum, int32_t *products, size_t product_step) {
  const __m256i low_nibbles = _mm256_set1_epi8(15), ones = _mm256_set1_epi16(1);
  __m256i sums[STREAMS];
  FK_UNROLL
  for (int s = 0; s < count; s++) sums[s] = _mm256_setzero_si256();
  for (size_t first = 0; first < dimension / 8; first += NARROW_GROUPS) {
    __m256i narrow[STREAMS];
    FK_UNROLL
    for (int s = 0; s < count; s++) narrow[s] = _mm256_setzero_si256();
    FK_UNROLL
    for (size_t group = first; group < first + NARROW_GROUPS; group++) {
      __m256i low_query = four_codes(query + 8 * group), high_query = four_codes(query + 8 * group + 4);
      FK_UNROLL
      for (int s = 0; s < count; s++) {
        const uint8_t *place = blocks + (size_t)(s / 2) * step + 64 * group + HALF_BYTES * (size_t)(s % 2);
        if (s % 2 == 0) _mm_prefetch((const char *)((uintptr_t)place + NEAR_BYTES), _MM_HINT_T0);
        __m256i rows = _mm256_load_si256((const __m256i *)place);
        __m256i lower = _mm256_and_si256(rows, low_nibbles);
        __m256i upper = _mm256_and_si256(_mm256_srli_epi16(rows, 4), low_nibbles);
        narrow[s] = _mm256_add_epi16(narrow[s], _mm256_maddubs_epi16(lower, low_query));
        narrow[s] = _mm256_add_epi16(narrow[s], _mm256_maddubs_epi16(upper, high_query));
      }
    }
    FK_UNROLL
    for (int s = 0; s < count; s++) sums[s] = _mm256_add_epi32(sums[s], _mm256_madd_epi16(narrow[s], ones));
  }
  const __m256i start = _mm256_set1_epi32(-15 * query_sum);
  FK_UNROLL
  for (int s = 0; s < count; s++) {
    int32_t *place = products + (size_t)(s / 2) * product_step + HALF_ROWS * (size_t)(s % 2);
    _mm256_storeu_si256((__m256i *)place, _mm256_add_epi32(_mm256_add_epi32(sums[s], sums[s]), start));
  }
}

FK_AVX2 void fk_dot_blocks_u4_avx2(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *query,
                                   int32_t *products) {
  const size_t block_bytes = FK_BLOCK_ROWS / 2 * dimension;
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
