// The table of kernels, a row a level. A level that names another level's kernel says why. Counting in bins and
// refining have one kernel beside the plain one: below AVX-512 the counts, or the scattered reads, are the limit.
#include <pthread.h>
#include <string.h>

#include "kernels.h"

static const fk_kernels scalar_kernels = {
    .level = FK_LEVEL_SCALAR,
    .name = "scalar",
    .dot_f32 = fk_dot_f32_scalar,
    .dot_rows_f32 = fk_dot_rows_f32_scalar,
    .squared_norm_f32 = fk_squared_norm_f32_scalar,
    .divide_f32 = fk_divide_f32_scalar,
    .quantise_i8 = fk_quantise_i8_scalar,
    .dot_i8 = fk_dot_i8_scalar,
    .dot_blocks_i8 = fk_dot_blocks_i8_scalar,
    .dot_blocks_u3 = fk_dot_blocks_u3_scalar,
    .dot_rows_u2 = fk_dot_rows_u2_scalar,
    .select_i8 = fk_select_i8_scalar,
    .refine_u2 = fk_refine_u2_scalar,
    .dot_pairs_f32 = fk_dot_pairs_f32_scalar,
    .dot_pairs_f64 = fk_dot_pairs_f64_scalar,
    .bin_f32 = fk_bin_f32_scalar,
    .bin_f64 = fk_bin_f64_scalar,
};

#if defined(__x86_64__)
static const fk_kernels avx2_kernels = {
    .level = FK_LEVEL_AVX2,
    .name = "avx2",
    .dot_f32 = fk_dot_f32_avx2,
    .dot_rows_f32 = fk_dot_rows_f32_avx2,
    .squared_norm_f32 = fk_squared_norm_f32_avx2,
    .divide_f32 = fk_divide_f32_avx2,
    .quantise_i8 = fk_quantise_i8_avx2,
    .dot_i8 = fk_dot_i8_avx2,
    .dot_blocks_i8 = fk_dot_blocks_i8_avx2,
    .dot_blocks_u3 = fk_dot_blocks_u3_avx2,
    .dot_rows_u2 = fk_dot_rows_u2_avx2,
    .select_i8 = fk_select_i8_avx2,
    .refine_u2 = fk_refine_u2_scalar,
    .dot_pairs_f32 = fk_dot_pairs_f32_avx2,
    .dot_pairs_f64 = fk_dot_pairs_f64_avx2,
    .bin_f32 = fk_bin_f32_scalar,
    .bin_f64 = fk_bin_f64_scalar,
};

static const fk_kernels avx512_kernels = {
    .level = FK_LEVEL_AVX512,
    .name = "avx512",
    .dot_f32 = fk_dot_f32_avx512,
    .dot_rows_f32 = fk_dot_rows_f32_avx512,
    .squared_norm_f32 = fk_squared_norm_f32_avx512,
    .divide_f32 = fk_divide_f32_avx512,
    .quantise_i8 = fk_quantise_i8_avx512,
    .dot_i8 = fk_dot_i8_avx512,
    .dot_blocks_i8 = fk_dot_blocks_i8_avx512,
    .dot_blocks_u3 = fk_dot_blocks_u3_avx512,
    .dot_rows_u2 = fk_dot_rows_u2_avx2,
    .select_i8 = fk_select_i8_avx512,
    .refine_u2 = fk_refine_u2_avx512,
    .dot_pairs_f32 = fk_dot_pairs_f32_avx512,
    .dot_pairs_f64 = fk_dot_pairs_f64_avx512,
    .bin_f32 = fk_bin_f32_avx512,
    .bin_f64 = fk_bin_f64_avx512,
};

// VNNI adds integer products only, so the rest is AVX-512's.
static const fk_kernels vnni_kernels = {
    .level = FK_LEVEL_VNNI,
    .name = "vnni",
    .dot_f32 = fk_dot_f32_avx512,
    .dot_rows_f32 = fk_dot_rows_f32_avx512,
    .squared_norm_f32 = fk_squared_norm_f32_avx512,
    .divide_f32 = fk_divide_f32_avx512,
    .quantise_i8 = fk_quantise_i8_avx512,
    .dot_i8 = fk_dot_i8_vnni,
    .dot_blocks_i8 = fk_dot_blocks_i8_vnni,
    .dot_blocks_u3 = fk_dot_blocks_u3_vnni,
    .dot_rows_u2 = fk_dot_rows_u2_vnni,
    .select_i8 = fk_select_i8_avx512,
    .refine_u2 = fk_refine_u2_avx512,
    .dot_pairs_f32 = fk_dot_pairs_f32_avx512,
    .dot_pairs_f64 = fk_dot_pairs_f64_avx512,
    .bin_f32 = fk_bin_f32_avx512,
    .bin_f64 = fk_bin_f64_avx512,
};

// AMX multiplies batches; the rest is VNNI's.
static const fk_kernels amx_kernels = {
    .level = FK_LEVEL_AMX,
    .name = "amx",
    .dot_f32 = fk_dot_f32_avx512,
    .dot_rows_f32 = fk_dot_rows_f32_avx512,
    .squared_norm_f32 = fk_squared_norm_f32_avx512,
    .divide_f32 = fk_divide_f32_avx512,
    .quantise_i8 = fk_quantise_i8_avx512,
    .dot_i8 = fk_dot_i8_vnni,
    .dot_blocks_i8 = fk_dot_blocks_i8_amx,
    .dot_blocks_u3 = fk_dot_blocks_u3_vnni,
    .dot_rows_u2 = fk_dot_rows_u2_vnni,
    .select_i8 = fk_select_i8_avx512,
    .refine_u2 = fk_refine_u2_avx512,
    .dot_pairs_f32 = fk_dot_pairs_f32_avx512,
    .dot_pairs_f64 = fk_dot_pairs_f64_avx512,
    .bin_f32 = fk_bin_f32_avx512,
    .bin_f64 = fk_bin_f64_avx512,
};

// Tiles are the one unit that virtual machines are known to offer and then get wrong, or not to have been tried on: they
// count as present only when they multiply numbers of which the products are known.
enum { TRIED_BLOCKS = 3, TRIED_DIMENSION = 128, TRIED_QUERIES = 49 };
static int tiles_are_right;

static void try_tiles(void) {
  static _Alignas(64) uint8_t blocks[TRIED_BLOCKS * FK_BLOCK_ROWS * TRIED_DIMENSION];
  static int8_t queries[TRIED_QUERIES * TRIED_DIMENSION];
  static int32_t found[TRIED_QUERIES * TRIED_BLOCKS * FK_BLOCK_ROWS], known[TRIED_QUERIES * TRIED_BLOCKS * FK_BLOCK_ROWS];
  if (!fk_find_capabilities()->amx) return;
  for (size_t i = 0; i < sizeof blocks; i++) blocks[i] = (uint8_t)(1 + i * 37 % 255);
  for (size_t i = 0; i < sizeof queries; i++) queries[i] = (int8_t)((int)(i * 101 % 255) - 127);
  fk_dot_blocks_i8_amx(blocks, TRIED_BLOCKS, TRIED_DIMENSION, queries, TRIED_QUERIES, found);
  fk_dot_blocks_i8_scalar(blocks, TRIED_BLOCKS, TRIED_DIMENSION, queries, TRIED_QUERIES, known);
  tiles_are_right = memcmp(found, known, sizeof known) == 0;
}

static int have_tiles(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, try_tiles);
  return tiles_are_right;
}
#elif defined(__aarch64__)
static const fk_kernels neon_kernels = {
    .level = FK_LEVEL_NEON,
    .name = "neon",
    .dot_f32 = fk_dot_f32_neon,
    .dot_rows_f32 = fk_dot_rows_f32_neon,
    .squared_norm_f32 = fk_squared_norm_f32_neon,
    .divide_f32 = fk_divide_f32_neon,
    .quantise_i8 = fk_quantise_i8_neon,
    .dot_i8 = fk_dot_i8_neon,
    .dot_blocks_i8 = fk_dot_blocks_i8_neon,
    .dot_blocks_u3 = fk_dot_blocks_u3_neon,
    .dot_rows_u2 = fk_dot_rows_u2_neon,
    .select_i8 = fk_select_i8_neon,
    .refine_u2 = fk_refine_u2_scalar,
    .dot_pairs_f32 = fk_dot_pairs_f32_neon,
    .dot_pairs_f64 = fk_dot_pairs_f64_scalar,
    .bin_f32 = fk_bin_f32_scalar,
    .bin_f64 = fk_bin_f64_scalar,
};

// The same level on a processor with sdot, which adds integer products only.
static const fk_kernels sdot_kernels = {
    .level = FK_LEVEL_NEON,
    .name = "neon+sdot",
    .dot_f32 = fk_dot_f32_neon,
    .dot_rows_f32 = fk_dot_rows_f32_neon,
    .squared_norm_f32 = fk_squared_norm_f32_neon,
    .divide_f32 = fk_divide_f32_neon,
    .quantise_i8 = fk_quantise_i8_neon,
    .dot_i8 = fk_dot_i8_sdot,
    .dot_blocks_i8 = fk_dot_blocks_i8_sdot,
    .dot_blocks_u3 = fk_dot_blocks_u3_sdot,
    .dot_rows_u2 = fk_dot_rows_u2_neon,
    .select_i8 = fk_select_i8_neon,
    .refine_u2 = fk_refine_u2_scalar,
    .dot_pairs_f32 = fk_dot_pairs_f32_neon,
    .dot_pairs_f64 = fk_dot_pairs_f64_scalar,
    .bin_f32 = fk_bin_f32_scalar,
    .bin_f64 = fk_bin_f64_scalar,
};
#endif

const fk_kernels *fk_kernels_at(fk_level level) {
  const fk_capabilities *found = fk_find_capabilities();
  (void)found;
  switch (level) {
  case FK_LEVEL_SCALAR: return &scalar_kernels;
#if defined(__x86_64__)
  case FK_LEVEL_AVX2: return found->avx2 ? &avx2_kernels : NULL;
  case FK_LEVEL_AVX512: return found->avx512 ? &avx512_kernels : NULL;
  case FK_LEVEL_VNNI: return found->vnni ? &vnni_kernels : NULL;
  case FK_LEVEL_AMX: return have_tiles() ? &amx_kernels : NULL;
#elif defined(__aarch64__)
  case FK_LEVEL_NEON: return found->sdot ? &sdot_kernels : &neon_kernels;
#endif
  default: return NULL;
  }
}

fk_level fk_highest_level(void) {
  static const fk_level descending[] = {FK_LEVEL_NEON, FK_LEVEL_AMX, FK_LEVEL_VNNI, FK_LEVEL_AVX512,
                                        FK_LEVEL_AVX2};
  for (size_t i = 0; i < sizeof descending / sizeof *descending; i++) {
    if (fk_kernels_at(descending[i]) != NULL) return descending[i];
  }
  return FK_LEVEL_SCALAR;
}
