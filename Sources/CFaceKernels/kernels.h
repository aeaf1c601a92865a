// kernels.h: what the kernel files share. Not seen outside this target.
//
// A kernel is fk_<operation>_<level>; `_scalar` is the readable one that says what every other level must
// give, bit for bit. Each file states its instruction set by a function attribute, so no compiler flag is
// needed, and is correct at every optimisation level. Rounding is to nearest, ties to even, with denormals
// kept (the state in which a thread starts). A result that is NaN is NaN at every level, but its sign and
// payload are the processor's.
#ifndef FK_KERNELS_H
#define FK_KERNELS_H

#include "include/face_kernels.h"

// A multiplication and an addition written apart stay apart; where they are to be fused, fma says so. GCC
// knows no such pragma and needs -ffp-contract=off.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#define FK_INTERNAL __attribute__((visibility("hidden")))
#define FK_INLINE static inline __attribute__((always_inline))

// Before a loop of constant length whose body is an array of registers: unless it is unrolled they are
// memory.
#if defined(__clang__)
#define FK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define FK_UNROLL _Pragma("GCC unroll 16")
#endif

#if defined(__x86_64__)
#define FK_AVX2 __attribute__((target("avx2,fma,popcnt")))
#define FK_AVX512 __attribute__((target("avx2,fma,popcnt,avx512f,avx512bw,avx512dq,avx512vl")))
#define FK_VNNI __attribute__((target("avx2,fma,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#elif defined(__aarch64__)
#if defined(__clang__)
#define FK_SDOT __attribute__((target("dotprod")))
#else
#define FK_SDOT __attribute__((target("arch=armv8.2-a+dotprod")))  // as GCC 12 asks; used for sdot alone
#endif
#endif

// The sum of a query's codes, by which products with unsigned codes are corrected.
FK_INLINE int32_t fk_sum_codes(const int8_t *codes, size_t count) {
  int32_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += codes[i];
  return sum;
}

// What this processor and its operating system allow, found once.
typedef struct fk_capabilities {
  int avx2;    // with FMA and POPCNT
  int avx512;  // F, BW, DQ, VL, and all of avx2
  int vnni;    // and all of avx512
  int amx;     // AMX-TILE and AMX-INT8, allowed to this process, and all of vnni
  int sdot;    // on arm64, where NEON itself is always there
  int amd;
} fk_capabilities;

FK_INTERNAL const fk_capabilities *fk_find_capabilities(void);

// The kernels of one level; a level that reuses another's leaves its own undefined (see dispatch.c).
#define FK_DECLARE_KERNELS(level)                                                                          \
  FK_INTERNAL float fk_dot_f32_##level(const float *a, const float *b, size_t count);                      \
  FK_INTERNAL void fk_dot_rows_f32_##level(const float *query, const float *rows, size_t stride,           \
                                           size_t row_count, size_t count, float *scores);                 \
  FK_INTERNAL double fk_squared_norm_f32_##level(const float *row, size_t count);                          \
  FK_INTERNAL void fk_divide_f32_##level(const float *row, double norm, size_t count, float *result);      \
  FK_INTERNAL fk_quantisation fk_quantise_i8_##level(const float *row, size_t count, int8_t *codes);       \
  FK_INTERNAL int32_t fk_dot_i8_##level(const int8_t *a, const int8_t *b, size_t count);                   \
  FK_INTERNAL void fk_dot_blocks_i8_##level(const uint8_t *blocks, size_t block_count, size_t dimension,   \
                                            const int8_t *queries, size_t query_count, int32_t *products); \
  FK_INTERNAL void fk_dot_blocks_u3_##level(const uint8_t *blocks, size_t block_count, size_t dimension,   \
                                            const int8_t *query, int32_t *products);                       \
  FK_INTERNAL void fk_dot_rows_u2_##level(const uint8_t *rows, size_t dimension, const uint32_t *indices,  \
                                          size_t count, const int8_t *query, int32_t *products);           \
  FK_INTERNAL size_t fk_select_i8_##level(                                                                 \
      const int32_t *products, const float *scales, const float *errors, const float *axial, size_t count, \
      float query_scale, float axial_factor, float error_factor, float constant, float cutoff,             \
      uint32_t *indices, float *estimates);                                                                \
  FK_INTERNAL size_t fk_refine_u2_##level(                                                                 \
      const int32_t *products, const float *scales, const float *errors, size_t count, float query_scale,  \
      float error_factor, float constant, float cutoff, uint32_t *indices, float *estimates);              \
  FK_INTERNAL void fk_dot_pairs_f32_##level(const float *a, size_t a_stride, size_t a_count, const float *b, \
                                            size_t b_stride, size_t b_count, size_t count, float *scores,  \
                                            size_t score_stride);                                          \
  FK_INTERNAL void fk_dot_pairs_f64_##level(const double *a, size_t a_stride, size_t a_count,              \
                                            const double *b, size_t b_stride, size_t b_count,              \
                                            size_t count, double *scores, size_t score_stride);            \
  FK_INTERNAL fk_bin_sums fk_bin_f32_##level(const float *scores, size_t count, const fk_bins *bins,       \
                                             double shift, fk_bin_range kept, int64_t *counts,             \
                                             double *kept_scores);                                         \
  FK_INTERNAL fk_bin_sums fk_bin_f64_##level(const double *scores, size_t count, const fk_bins *bins,      \
                                             double shift, fk_bin_range kept, int64_t *counts,             \
                                             double *kept_scores);

FK_DECLARE_KERNELS(scalar)
#if defined(__x86_64__)
FK_DECLARE_KERNELS(avx2)
FK_DECLARE_KERNELS(avx512)
FK_DECLARE_KERNELS(vnni)
FK_DECLARE_KERNELS(amx)
#elif defined(__aarch64__)
FK_DECLARE_KERNELS(neon)
FK_DECLARE_KERNELS(sdot)
#endif

#endif
