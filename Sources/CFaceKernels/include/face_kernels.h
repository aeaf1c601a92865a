// face_kernels.h: arithmetic on rows of numbers, chosen at run time for the processor it runs on.
//
// Kernels know nothing of faces, cannot fail and allocate nothing. Lengths are checked by the caller; a pointer
// may have any alignment unless said otherwise. Every level gives the same bits for every operation here.
#ifndef FACE_KERNELS_H
#define FACE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#define FK_NULLABLE _Nullable
#define FK_NONNULL _Nonnull
#define FK_ENUM(name) enum __attribute__((enum_extensibility(closed))) name : int32_t
#else
#define FK_NULLABLE
#define FK_NONNULL
#define FK_ENUM(name) enum name
#endif

/// Instruction sets, each a set of kernels. Within a processor family a greater number needs more of it.
typedef FK_ENUM(fk_level) {
  FK_LEVEL_SCALAR = 0,  // plain C
  FK_LEVEL_AVX2 = 1,    // AVX2 and FMA
  FK_LEVEL_AVX512 = 2,  // AVX-512 F, BW, DQ, VL
  FK_LEVEL_VNNI = 3,    // AVX-512 as above and VNNI
  FK_LEVEL_AMX = 4,     // VNNI as above and AMX's 8-bit tiles
  FK_LEVEL_NEON = 8,    // arm64 Advanced SIMD; sdot where present
} fk_level;

/// Rows in a block of the interleaved 8-bit plane, and dimensions that lie together in it.
enum { FK_BLOCK_ROWS = 16, FK_GROUP_DIMENSIONS = 4, FK_DIMENSION_STEP = 64 };

/// What remains of a row of floats besides its 8-bit codes c: the row is scale * c to within `error_norm`.
typedef struct fk_quantisation {
  float scale;       // largest magnitude / 127; 0 for a row of zeros
  float error_norm;  // an upper bound of the Euclidean norm of row - scale * c, rounded upwards
} fk_quantisation;

/// Equal bins on the score axis: the bin of a finite score is trunc((score - low) * scale), brought into 0...limit - 1.
typedef struct fk_bins {
  double low;
  double scale;  // bins to a unit of score
  double limit;  // the number of bins, at most 2^28
} fk_bins;

/// The bins from `first` to before `end`.
typedef struct fk_bin_range {
  int32_t first;
  int32_t end;
} fk_bin_range;

/// What was counted: sums of score - shift and of its square over eight f64 lanes (score i in lane i mod 8, multiplied
/// and added apart, the lanes added four, two, one apart), scores that were not finite, and scores kept.
typedef struct fk_bin_sums {
  double sum;
  double squares;
  size_t failed;
  size_t kept;
} fk_bin_sums;

/// The kernels of one level. `count` is a number of elements, never of bytes.
typedef struct fk_kernels {
  fk_level level;
  const char *name;

  /// The dot product by the *defined reduction*, the number that is the score of a pair. Sixteen f32 lanes start
  /// at +0; element i goes to lane i mod 16 by one fused multiply-add, in ascending i; the vectors count as padded
  /// with +0 to a multiple of sixteen. Then lane j += lane j + 8 for j < 8, j + 4 for j < 4, j + 2, j + 1: lane 0.
  float (*dot_f32)(const float *a, const float *b, size_t count);

  /// `dot_f32` of `query` with each of `row_count` rows that lie `stride` elements apart.
  void (*dot_rows_f32)(const float *query, const float *rows, size_t stride, size_t row_count, size_t count,
                       float *scores);

  /// The sum of squares in f64: eight lanes from +0, element i in lane i mod 8, each product exact in f64, then
  /// halved as above (4, 2, 1). Neither overflows nor underflows for finite f32.
  double (*squared_norm_f32)(const float *row, size_t count);

  /// result[i] = (float)((double)row[i] / norm), in place or not. `norm` is finite and above zero.
  void (*divide_f32)(const float *row, double norm, size_t count, float *result);

  /// Codes in -127...127: nearbyint(row[i] * (127 / m)) in f32, ties to even, clamped; m = the largest magnitude.
  fk_quantisation (*quantise_i8)(const float *row, size_t count, int8_t *codes);

  /// The exact sum of products; no overflow up to 133,000 elements of -127...127.
  int32_t (*dot_i8)(const int8_t *a, const int8_t *b, size_t count);

  /// Exact dot products of `query_count` queries with all rows of `block_count` blocks of the interleaved plane
  /// (see fk_pack_block). `dimension` is a multiple of FK_DIMENSION_STEP; queries lie `dimension` bytes apart;
  /// blocks are 64-byte aligned. products[q * block_count * 16 + row] is the product of the *signed* codes.
  void (*dot_blocks_i8)(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *queries,
                        size_t query_count, int32_t *products);

  /// Exact dot products of one query with all rows of `block_count` blocks of the interleaved 3-bit plane (see
  /// fk_pack_block_u3): products[row] = sum of (2 * code - 7) * query. `dimension` is a multiple of
  /// FK_DIMENSION_STEP; blocks are 64-byte aligned. No overflow up to 2,400,000 dimensions.
  void (*dot_blocks_u3)(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *query,
                        int32_t *products);

  /// Exact dot products of one query with the rows `indices` of 2-bit codes (see fk_pack_row_u2), which lie
  /// `dimension` / 4 bytes apart: products[i] = sum of (2 * code - 3) * query. `dimension` is a multiple of
  /// FK_DIMENSION_STEP. The next rows are prefetched. No overflow up to 5,600,000 dimensions.
  void (*dot_rows_u2)(const uint8_t *rows, size_t dimension, const uint32_t *indices, size_t count,
                      const int8_t *query, int32_t *products);

  /// The rows that a finer look leaves of `count` selected ones: estimate[i] += (scale[r] / 4) * (query_scale * product[i])
  /// for the row r = indices[i] (see fk_quantise_u5); those with estimate + (error_factor * error[r] + constant) >= cutoff
  /// move to the front of `indices` and `estimates`, in order. Each step one f32 operation, rounded once, no fusing.
  /// Returns how many they are.
  size_t (*refine_u2)(const int32_t *products, const float *scales, const float *errors, size_t count,
                      float query_scale, float error_factor, float constant, float cutoff, uint32_t *indices,
                      float *estimates);

  /// For i < count (a multiple of 16), estimate = scale[i] * (query_scale * product[i]), and unless `axial` is null,
  /// + axial_factor * axial[i]; where estimate + (error_factor * error[i] + constant) >= cutoff, appends i to `indices`
  /// and estimate to `estimates`. Each step one f32 operation, rounded once, no fusing. Returns how many were appended,
  /// in ascending i.
  size_t (*select_i8)(const int32_t *products, const float *scales, const float *errors,
                      const float *FK_NULLABLE axial, size_t count, float query_scale, float axial_factor,
                      float error_factor, float constant, float cutoff, uint32_t *indices, float *estimates);

  /// `dot_f32` of each of `a_count` rows with each of `b_count` rows, which lie their strides apart:
  /// scores[row * score_stride + other].
  void (*dot_pairs_f32)(const float *a, size_t a_stride, size_t a_count, const float *b, size_t b_stride,
                        size_t b_count, size_t count, float *scores, size_t score_stride);

  /// The same in f64: eight lanes, element i in lane i mod 8 by one fused multiply-add, then halved (4, 2, 1).
  void (*dot_pairs_f64)(const double *a, size_t a_stride, size_t a_count, const double *b, size_t b_stride,
                        size_t b_count, size_t count, double *scores, size_t score_stride);

  /// Adds one to the count of each finite score's bin, and writes the scores of the bins `kept` to `kept_scores`, in
  /// order; that has room for `count`. f32 scores are widened first.
  fk_bin_sums (*bin_f32)(const float *scores, size_t count, const fk_bins *bins, double shift, fk_bin_range kept,
                         int64_t *counts, double *kept_scores);
  fk_bin_sums (*bin_f64)(const double *scores, size_t count, const fk_bins *bins, double shift, fk_bin_range kept,
                         int64_t *counts, double *kept_scores);
} fk_kernels;

/// Writes the finite scores whose bin is `wanted` by a bit of `mask` to `collected`, in order; that has room for `count`.
/// Returns how many.
size_t fk_collect_f64(const double *scores, size_t count, const fk_bins *bins, const uint8_t *wanted, uint8_t mask,
                      double *collected);
size_t fk_collect_f32(const float *scores, size_t count, const fk_bins *bins, const uint8_t *wanted, uint8_t mask,
                      double *collected);

/// The indices, ascending, of scores >= threshold; `indices` has room for `count`. Returns how many.
size_t fk_at_least_f64(const double *scores, size_t count, double threshold, uint32_t *indices);

/// Turns dot products of a row with others into negated Euclidean distances, from squared norms:
/// -sqrt(max((squared_norm + squared_norms[i]) - 2 * scores[i], 0)).
void fk_negated_distances_f64(double squared_norm, const double *squared_norms, size_t count, double *scores);

/// Interleaves sixteen rows of signed codes, `stride` bytes apart, into one block of 16 * `dimension` bytes:
/// byte 64 * (d / 4) + 4 * row + d % 4 is code[row][d] + 128. Dimensions from `count` to `dimension` are filled
/// with code 0. This is at once the layout of a VNNI lane a row and of an AMX B tile.
void fk_pack_block(const int8_t *codes, size_t stride, size_t count, size_t dimension, uint8_t *block);

/// What remains of a row of floats besides 5-bit codes, and besides their three upper bits.
typedef struct fk_layered_quantisation {
  float scale;             // 0 for a row of zeros
  float error_norm;        // an upper bound of the norm of row - (2 * code - 31) * scale, rounded upwards
  float upper_error_norm;  // the same of row - (2 * (code / 4) - 7) * 4 * scale
} fk_layered_quantisation;

/// A row as 5-bit codes 0...31. An infinity or NaN in the row gives errors of +infinity.
fk_layered_quantisation fk_quantise_u5(const float *row, size_t count, uint8_t *codes);

/// Interleaves sixteen rows of `dimension` 3-bit codes (a byte each, one row after the other) into one block of
/// 6 * `dimension` bytes: three lines of 64 bytes for 32 dimensions, in which byte 4 * row + d % 4 belongs to a dimension d
/// of a row. With g = d % 32 / 4, the two lower bits of its code are bits 2 * (g % 4) and above of line g / 4, and the upper
/// one is bit 2, 3, 6, 7, 0, 1, 4 or 5, for g = 0...7, of line 2.
void fk_pack_block_u3(const uint8_t *codes, size_t dimension, uint8_t *block);

/// Packs a row of `dimension` 2-bit codes, a multiple of four, into `dimension` / 4 bytes: byte i holds, from its lowest bits
/// up, the codes i, i + dimension / 4, i + dimension / 2 and i + 3 * dimension / 4.
void fk_pack_row_u2(const uint8_t *codes, size_t dimension, uint8_t *row);

/// Rotates a row in place by a fixed orthogonal map that makes its components alike in size; the same bits everywhere.
/// The result differs from the true rotation by at most FK_ROTATION_ERROR of the row's norm, up to 4,096 components.
void fk_rotate_f32(float *row, size_t count);
#define FK_ROTATION_ERROR 1e-6

/// `kernels`' dot_f32 of `query` with each of `row_count` rows that lie anywhere; the next rows are prefetched.
void fk_dot_scattered_f32(const fk_kernels *kernels, const float *query, const float *FK_NONNULL const *FK_NONNULL rows,
                          size_t row_count, size_t count, float *scores);

/// The kernels of a level, or null where this processor (or build) has not got it.
const fk_kernels *FK_NULLABLE fk_kernels_at(fk_level level);

/// The greatest level that this processor has.
fk_level fk_highest_level(void);

/// The name that OpenBLAS gives the kernels that suit this processor (for OPENBLAS_CORETYPE), or null when its own
/// choice should stand.
const char *FK_NULLABLE fk_openblas_core_type(void);

/// The processor's name as it gives it, for reports; never null.
const char *fk_processor_name(void);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
