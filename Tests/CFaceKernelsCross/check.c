// check.c: compares every kernel of every level that the processor has with the scalar level, bit for bit.
//
// The Swift tests say what the scalar level must give. This program carries that over to processors and
// checking builds that they don't reach: arm64 under emulation, and the address and undefined-behaviour
// sanitizers. Every buffer has exactly the size a kernel may touch, so that a sanitizer sees a byte too many.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "face_kernels.h"

static uint64_t state, checksum;
static size_t comparisons, failures;

// splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
static uint64_t next_random(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static double next_unit(void) { return (double)(next_random() >> 11) * 0x1p-53; }

enum kind { ORDINARY, INTEGERS, WIDE, DENORMAL, HUGE_VALUES, ZEROS, TINY, SPIKY, KINDS };

static float next_float(enum kind kind, size_t i) {
  const double signed_unit = 2 * next_unit() - 1;
  switch (kind) {
  case INTEGERS: return (float)(int)(16 * signed_unit);
  case WIDE: return (float)ldexp(signed_unit, (int)(200 * next_unit()) - 100);
  case DENORMAL: return (float)(signed_unit * 1e-39);
  case HUGE_VALUES: return (float)(signed_unit * 3.4e38);
  case ZEROS: return signed_unit < 0 ? -0.0f : 0.0f;
  case TINY: return (float)(signed_unit * 1e-36);
  case SPIKY: return (float)(i == 5 ? 1 : signed_unit * 1e-4);
  default: return (float)signed_unit;
  }
}

// Exactly `bytes` that begin `shift` elements of `size` behind what malloc gives, which is aligned to
// sixteen.
typedef struct buffer {
  void *start;
  void *data;
} buffer;

static buffer allocate(size_t bytes, size_t shift, size_t size) {
  buffer made = {.start = malloc(bytes + shift * size)};
  if (made.start == NULL && bytes + shift * size > 0) abort();
  made.data = (uint8_t *)made.start + shift * size;
  return made;
}

static buffer floats(enum kind kind, size_t count, size_t shift) {
  buffer made = allocate(count * sizeof(float), shift, sizeof(float));
  for (size_t i = 0; i < count; i++) ((float *)made.data)[i] = next_float(kind, i);
  return made;
}

static buffer codes(size_t count, size_t shift, int extreme) {
  buffer made = allocate(count, shift, 1);
  for (size_t i = 0; i < count; i++) {
    const int code = (int)(next_random() % 255) - 127;
    ((int8_t *)made.data)[i] = (int8_t)(extreme ? (code < 0 ? -127 : 127) : code);
  }
  return made;
}

static void compare(const char *level, const char *operation, const void *expected, const void *found,
                    size_t bytes, size_t count, size_t shift, int kind) {
  comparisons += 1;
  // FNV-1a, so that runs on different processors can be compared with one another.
  for (size_t i = 0; i < bytes; i++) checksum = (checksum ^ ((const uint8_t *)found)[i]) * 0x100000001b3u;
  if (bytes == 0 || memcmp(expected, found, bytes) == 0) return;
  failures += 1;
  printf("%s: %s differs from scalar at count %zu, shift %zu, kind %d\n", level, operation, count, shift,
         kind);
}

// NaN equals NaN whatever its bits (infinity minus infinity among the huge values).
static void compare_floats(const char *level, const char *operation, float *expected, float *found,
                           size_t values, size_t count, size_t shift, int kind) {
  for (size_t i = 0; i < values; i++) {
    const uint32_t one_nan = 0x7fc00000;
    if (isnan(expected[i])) memcpy(expected + i, &one_nan, sizeof one_nan);
    if (isnan(found[i])) memcpy(found + i, &one_nan, sizeof one_nan);
  }
  compare(level, operation, expected, found, values * sizeof(float), count, shift, kind);
}

static void check_dot_f32(const fk_kernels *level, const fk_kernels *scalar, enum kind kind, size_t count,
                          size_t shift) {
  enum { ROWS = 11 };
  const size_t stride = count + 3;
  buffer query = floats(kind, count, shift), rows = floats(kind, (ROWS - 1) * stride + count, 3 - shift);
  float expected[ROWS], found[ROWS];
  for (size_t row_count = 0; row_count <= ROWS; row_count++) {
    scalar->dot_rows_f32(query.data, rows.data, stride, row_count, count, expected);
    level->dot_rows_f32(query.data, rows.data, stride, row_count, count, found);
    compare_floats(level->name, "dot_rows_f32", expected, found, row_count, count, shift, kind);
  }
  found[0] = level->dot_f32(query.data, rows.data, count);
  expected[0] = scalar->dot_f32(query.data, rows.data, count);
  compare_floats(level->name, "dot_f32", expected, found, 1, count, shift, kind);
  free(query.start);
  free(rows.start);
}

static void check_norm(const fk_kernels *level, const fk_kernels *scalar, enum kind kind, size_t count,
                       size_t shift) {
  buffer row = floats(kind, count, shift);
  buffer expected = allocate(count * sizeof(float), 0, 1), found = allocate(count * sizeof(float), shift, 4);
  const double square = scalar->squared_norm_f32(row.data, count);
  const double found_square = level->squared_norm_f32(row.data, count);
  compare(level->name, "squared_norm_f32", &square, &found_square, sizeof square, count, shift, kind);
  const double norm = square > 0 ? sqrt(square) : 3;
  scalar->divide_f32(row.data, norm, count, expected.data);
  level->divide_f32(row.data, norm, count, found.data);
  compare(level->name, "divide_f32", expected.data, found.data, count * sizeof(float), count, shift, kind);
  level->divide_f32(row.data, norm, count, row.data);
  compare(level->name, "divide_f32 in place", expected.data, row.data, count * sizeof(float), count, shift,
          kind);
  free(row.start);
  free(expected.start);
  free(found.start);
}

// Quotients in the middle between two f32, where a product with 1 / norm goes the other way.
static void check_divide_ties(const fk_kernels *level, const fk_kernels *scalar) {
  for (int round = 0; round < 2000; round++) {
    float row[19], expected[19], found[19];
    const float quotient = 1 + (float)next_unit(), value = 1 + (float)next_unit();
    const double norm = (double)value / (((double)quotient + (double)nextafterf(quotient, 4)) / 2);
    for (size_t i = 0; i < 19; i++) row[i] = value;
    scalar->divide_f32(row, norm, 19, expected);
    level->divide_f32(row, norm, 19, found);
    compare(level->name, "divide_f32 at a tie", expected, found, sizeof found, 19, 0, round);
  }
}

static void check_quantise(const fk_kernels *level, const fk_kernels *scalar, enum kind kind, size_t count,
                           size_t shift, float last) {
  buffer row = floats(kind, count, shift), expected = allocate(count, 0, 1),
         found = allocate(count, shift, 1);
  if (count > 0 && last != 0) ((float *)row.data)[count - 1] = last;
  const fk_quantisation wanted = scalar->quantise_i8(row.data, count, expected.data);
  const fk_quantisation got = level->quantise_i8(row.data, count, found.data);
  compare(level->name, "quantise_i8", &wanted, &got, sizeof wanted, count, shift, kind);
  compare(level->name, "quantise_i8 codes", expected.data, found.data, count, count, shift, kind);
  free(row.start);
  free(expected.start);
  free(found.start);
}

static void check_dot_i8(const fk_kernels *level, const fk_kernels *scalar, size_t count, size_t shift) {
  for (int extreme = 0; extreme < 2; extreme++) {
    buffer a = codes(count, shift, extreme), b = codes(count, 3 - shift, extreme);
    const int32_t expected = scalar->dot_i8(a.data, b.data, count),
                  found = level->dot_i8(a.data, b.data, count);
    compare(level->name, "dot_i8", &expected, &found, sizeof found, count, shift, extreme);
    free(a.start);
    free(b.start);
  }
}

static void check_blocks(const fk_kernels *level, const fk_kernels *scalar, size_t dimension,
                         size_t block_count, size_t query_count, int extreme) {
  const size_t block_bytes = FK_BLOCK_ROWS * dimension, products = query_count * block_count * FK_BLOCK_ROWS;
  uint8_t *blocks = aligned_alloc(64, block_count * block_bytes + 64);
  buffer rows = codes(block_count * block_bytes, 1, extreme),
         queries = codes(query_count * dimension, 3, extreme);
  buffer expected = allocate(products * 4, 0, 1), found = allocate(products * 4, 1, 4);
  for (size_t b = 0; b < block_count; b++) {
    const int8_t *first = (const int8_t *)rows.data + b * block_bytes;
    fk_pack_block(first, dimension, dimension, dimension, blocks + b * block_bytes);
  }
  scalar->dot_blocks_i8(blocks, block_count, dimension, queries.data, query_count, expected.data);
  level->dot_blocks_i8(blocks, block_count, dimension, queries.data, query_count, found.data);
  compare(level->name, "dot_blocks_i8", expected.data, found.data, products * 4, dimension, block_count,
          (int)query_count);
  free(blocks);
  free(rows.start);
  free(queries.start);
  free(expected.start);
  free(found.start);
}

static void check_blocks_u3(const fk_kernels *level, const fk_kernels *scalar, size_t dimension,
                            size_t block_count, int extreme) {
  const size_t block_bytes = 6 * dimension, products = block_count * FK_BLOCK_ROWS;
  uint8_t *blocks = aligned_alloc(64, block_count * block_bytes + 64);
  for (size_t i = 0; i < block_count * block_bytes; i++) blocks[i] = extreme ? 0xff : (uint8_t)next_random();
  buffer query = codes(dimension, 3, extreme);
  buffer expected = allocate(products * 4, 0, 1), found = allocate(products * 4, 1, 4);
  scalar->dot_blocks_u3(blocks, block_count, dimension, query.data, expected.data);
  level->dot_blocks_u3(blocks, block_count, dimension, query.data, found.data);
  compare(level->name, "dot_blocks_u3", expected.data, found.data, products * 4, dimension, block_count, extreme);
  free(blocks);
  free(query.start);
  free(expected.start);
  free(found.start);
}

// Rows of the exact size, so that a read behind the last one is seen.
static void check_rows_u2(const fk_kernels *level, const fk_kernels *scalar, size_t dimension, size_t count,
                          int extreme) {
  enum { ROWS = 24 };
  buffer rows = codes(ROWS * dimension / 4, 1, extreme), query = codes(dimension, 3, extreme);
  uint32_t indices[2 * ROWS];
  for (size_t i = 0; i < count; i++) indices[i] = (uint32_t)((ROWS - 1 + 7 * i) % ROWS);
  buffer expected = allocate(count * 4, 0, 1), found = allocate(count * 4, 1, 4);
  scalar->dot_rows_u2((const uint8_t *)rows.data, dimension, indices, count, query.data, expected.data);
  level->dot_rows_u2((const uint8_t *)rows.data, dimension, indices, count, query.data, found.data);
  compare(level->name, "dot_rows_u2", expected.data, found.data, count * 4, dimension, count, extreme);
  free(rows.start);
  free(query.start);
  free(expected.start);
  free(found.start);
}

static void check_select(const fk_kernels *level, const fk_kernels *scalar, size_t count, size_t shift,
                         float cutoff, int tie) {
  buffer products = allocate(count * 4, shift, 4), scales = floats(ORDINARY, count, shift);
  buffer errors = floats(ORDINARY, count, 3 - shift), axial = floats(ORDINARY, count, 3 - shift);
  const float *given_axial = next_random() % 2 ? axial.data : NULL;
  buffer indices[2] = {allocate(count * 4, 0, 1), allocate(count * 4, shift, 4)};
  buffer estimates[2] = {allocate(count * 4, 0, 1), allocate(count * 4, shift, 4)};
  for (size_t i = 0; i < count; i++) {
    ((int32_t *)products.data)[i] = (int32_t)next_random();
    if (i % 7 == 3) ((float *)scales.data)[i] = NAN;
    if (tie && i == count / 2) {
      float estimate = ((float *)scales.data)[i] * (1e-9f * (float)((int32_t *)products.data)[i]);
      if (given_axial) {
        const float along = 0.7f * given_axial[i];
        estimate = estimate + along;
      }
      const float spread = 0.3f * ((float *)errors.data)[i];
      cutoff = estimate + (spread + 0.01f);
    }
  }
  size_t selected[2];
  for (int side = 0; side < 2; side++) {
    selected[side] = (side == 0 ? scalar : level)
                         ->select_i8(products.data, scales.data, errors.data, given_axial, count, 1e-9f, 0.7f, 0.3f,
                                     0.01f, cutoff, indices[side].data, estimates[side].data);
  }
  compare(level->name, "select_i8 count", &selected[0], &selected[1], sizeof(size_t), count, shift, 0);
  if (selected[0] == selected[1]) {
    compare(level->name, "select_i8 indices", indices[0].data, indices[1].data, selected[0] * 4, count, shift,
            0);
    compare(level->name, "select_i8 estimates", estimates[0].data, estimates[1].data, selected[0] * 4, count,
            shift, 0);
  }
  for (int side = 0; side < 2; side++) {
    free(indices[side].start);
    free(estimates[side].start);
  }
  free(products.start);
  free(scales.start);
  free(errors.start);
  free(axial.start);
}

static void check_refine(const fk_kernels *level, const fk_kernels *scalar, size_t count, size_t shift, float cutoff) {
  enum { ROWS_APART = 3 };
  buffer products = allocate(count * 4, shift, 4), scales = floats(ORDINARY, ROWS_APART * count, shift);
  buffer errors = floats(ORDINARY, ROWS_APART * count, 3 - shift), start = floats(ORDINARY, count, shift);
  buffer indices[2] = {allocate(count * 4, 0, 4), allocate(count * 4, shift, 4)};
  buffer estimates[2] = {allocate(count * 4, 0, 4), allocate(count * 4, shift, 4)};
  size_t kept[2];
  for (size_t i = 0; i < count; i++) ((int32_t *)products.data)[i] = (int32_t)next_random();
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < count; i++) ((uint32_t *)indices[side].data)[i] = (uint32_t)(ROWS_APART * i + i % ROWS_APART);
    memcpy(estimates[side].data, start.data, count * 4);
    kept[side] = (side == 0 ? scalar : level)
                     ->refine_u2(products.data, scales.data, errors.data, count, 1e-9f, 0.3f, 0.01f, cutoff,
                                 indices[side].data, estimates[side].data);
  }
  compare(level->name, "refine_u2 count", &kept[0], &kept[1], sizeof(size_t), count, shift, 0);
  if (kept[0] == kept[1]) {
    compare(level->name, "refine_u2 indices", indices[0].data, indices[1].data, kept[0] * 4, count, shift, 0);
    compare(level->name, "refine_u2 estimates", estimates[0].data, estimates[1].data, kept[0] * 4, count, shift, 0);
  }
  for (int side = 0; side < 2; side++) {
    free(indices[side].start);
    free(estimates[side].start);
  }
  free(products.start);
  free(scales.start);
  free(errors.start);
  free(start.start);
}

static void check_lengths(const fk_kernels *level, const fk_kernels *scalar) {
  static const size_t counts[] = {0,  1,  3,  4,  5,  7,  8,   9,   15,  16,  17,
                                  31, 32, 33, 63, 64, 65, 127, 128, 129, 512, 513};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    for (size_t shift = 0; shift < 4; shift++) {
      for (int kind = 0; kind < KINDS; kind++) {
        check_dot_f32(level, scalar, (enum kind)kind, counts[c], shift);
        check_norm(level, scalar, (enum kind)kind, counts[c], shift);
        check_quantise(level, scalar, (enum kind)kind, counts[c], shift, 0);
      }
      check_quantise(level, scalar, ORDINARY, counts[c], shift, INFINITY);
      check_quantise(level, scalar, ORDINARY, counts[c], shift, NAN);
      check_dot_i8(level, scalar, counts[c], shift);
    }
  }
  check_dot_i8(level, scalar, 133000, 0);
  check_divide_ties(level, scalar);
}

static void check_planes(const fk_kernels *level, const fk_kernels *scalar) {
  static const size_t dimensions[] = {64, 128, 512, 576, 1088};
  static const size_t block_counts[] = {0, 1, 2, 3, 4, 5, 9};
  static const size_t query_counts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 24, 25, 64};
  for (size_t d = 0; d < sizeof dimensions / sizeof *dimensions; d++) {
    for (size_t b = 0; b < sizeof block_counts / sizeof *block_counts; b++) {
      check_blocks_u3(level, scalar, dimensions[d], block_counts[b], (int)(b % 2));
      check_rows_u2(level, scalar, dimensions[d], block_counts[b], (int)(b % 2));
      for (size_t q = 0; q < sizeof query_counts / sizeof *query_counts; q++) {
        check_blocks(level, scalar, dimensions[d], block_counts[b], query_counts[q], (int)(q % 2));
      }
    }
  }
  check_blocks(level, scalar, 64, 5, 259, 0);
}

// Rows of the exact size, so that a read behind the last one is seen.
static void check_pairs(const fk_kernels *level, const fk_kernels *scalar, enum kind kind, size_t count, size_t shift) {
  enum { HEIGHT = 9, WIDTH = 14 };
  const size_t stride = count + 1, last_a = (HEIGHT - 1) * stride + count, last_b = (WIDTH - 1) * stride + count;
  buffer a = floats(kind, last_a, shift), b = floats(kind, last_b, 3 - shift);
  buffer wide_a = allocate(last_a * sizeof(double), shift, 8), wide_b = allocate(last_b * sizeof(double), shift, 8);
  for (size_t i = 0; i < last_a; i++) ((double *)wide_a.data)[i] = (double)((float *)a.data)[i];
  for (size_t i = 0; i < last_b; i++) ((double *)wide_b.data)[i] = (double)((float *)b.data)[i];
  float expected[HEIGHT * WIDTH], found[HEIGHT * WIDTH];
  scalar->dot_pairs_f32(a.data, stride, HEIGHT, b.data, stride, WIDTH, count, expected, WIDTH);
  level->dot_pairs_f32(a.data, stride, HEIGHT, b.data, stride, WIDTH, count, found, WIDTH);
  compare_floats(level->name, "dot_pairs_f32", expected, found, HEIGHT * WIDTH, count, shift, kind);
  double wide_expected[HEIGHT * WIDTH], wide_found[HEIGHT * WIDTH];
  scalar->dot_pairs_f64(wide_a.data, stride, HEIGHT, wide_b.data, stride, WIDTH, count, wide_expected, WIDTH);
  level->dot_pairs_f64(wide_a.data, stride, HEIGHT, wide_b.data, stride, WIDTH, count, wide_found, WIDTH);
  compare(level->name, "dot_pairs_f64", wide_expected, wide_found, sizeof wide_found, count, shift, kind);
  free(a.start);
  free(b.start);
  free(wide_a.start);
  free(wide_b.start);
}

// Scores within and beyond the bins, and every so-manieth that is no number.
static void check_bins(const fk_kernels *level, const fk_kernels *scalar, size_t count, size_t shift) {
  enum { BINS = 64 };
  const fk_bins bins = {-1, BINS / 2, BINS};
  const fk_bin_range kept = {50, 60};
  buffer narrow = floats(ORDINARY, count, shift), wide = allocate(count * sizeof(double), shift, 8);
  for (size_t i = 0; i < count; i++) {
    float *score = (float *)narrow.data + i;
    if (i % 7 == 3) *score *= 3;
    if (i % 11 == 5) *score = i % 2 ? NAN : -INFINITY;
    ((double *)wide.data)[i] = (double)*score;
  }
  buffer expected_kept = allocate(count * sizeof(double), 0, 8), found_kept = allocate(count * sizeof(double), shift, 8);
  int64_t expected_counts[BINS] = {0}, found_counts[BINS] = {0};
  fk_bin_sums expected = scalar->bin_f64(wide.data, count, &bins, 0.25, kept, expected_counts, expected_kept.data);
  fk_bin_sums found = level->bin_f64(wide.data, count, &bins, 0.25, kept, found_counts, found_kept.data);
  compare(level->name, "bin_f64 sums", &expected, &found, sizeof found, count, shift, 0);
  compare(level->name, "bin_f64 counts", expected_counts, found_counts, sizeof found_counts, count, shift, 0);
  compare(level->name, "bin_f64 kept", expected_kept.data, found_kept.data, found.kept * 8, count, shift, 0);
  found = level->bin_f32(narrow.data, count, &bins, 0.25, kept, found_counts, found_kept.data);
  compare(level->name, "bin_f32 sums", &expected, &found, sizeof found, count, shift, 0);
  free(narrow.start);
  free(wide.start);
  free(expected_kept.start);
  free(found_kept.start);
}

static void check_evaluation(const fk_kernels *level, const fk_kernels *scalar) {
  static const size_t counts[] = {0, 1, 7, 8, 9, 15, 16, 17, 64, 65, 513};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    for (size_t shift = 0; shift < 4; shift++) {
      check_pairs(level, scalar, ORDINARY, counts[c], shift);
      check_pairs(level, scalar, INTEGERS, counts[c], shift);
      check_bins(level, scalar, counts[c], shift);
    }
  }
}

static void check_selections(const fk_kernels *level, const fk_kernels *scalar) {
  static const float cutoffs[] = {-INFINITY, -1, 0, 0.2f, 1, 2, INFINITY, NAN};
  for (size_t count = 0; count <= 160; count += 16) {
    for (size_t shift = 0; shift < 4; shift++) {
      for (size_t c = 0; c < sizeof cutoffs / sizeof *cutoffs; c++) {
        check_select(level, scalar, count, shift, cutoffs[c], 0);
        check_refine(level, scalar, count, shift, cutoffs[c]);
      }
      for (int tie = 0; tie < 20; tie++) check_select(level, scalar, count, shift, 0, 1);
    }
  }
}

int main(void) {
  static const fk_level levels[] = {FK_LEVEL_SCALAR, FK_LEVEL_AVX2, FK_LEVEL_AVX512, FK_LEVEL_VNNI,
                                    FK_LEVEL_NEON};
  const fk_kernels *scalar = fk_kernels_at(FK_LEVEL_SCALAR);
  const char *core = fk_openblas_core_type();
  printf("processor: %s; OpenBLAS core type: %s\n", fk_processor_name(),
         core == NULL ? "its own choice" : core);
  for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
    const fk_kernels *level = fk_kernels_at(levels[l]);
    if (level == NULL) continue;
    state = 20260101;
    checksum = 0xcbf29ce484222325u;
    const size_t before = comparisons;
    check_lengths(level, scalar);
    check_planes(level, scalar);
    check_selections(level, scalar);
    check_evaluation(level, scalar);
    printf("level %s: %zu comparisons with scalar, checksum %016llx\n", level->name, comparisons - before,
           (unsigned long long)checksum);
  }
  printf("%zu comparisons, %zu failures\n", comparisons, failures);
  return failures == 0 && comparisons > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
