// Counts scores in bins: what every level must give, bit for bit.
#include "bins.h"

#define FK_DEFINE_BIN_SCORES(name, type)                                                                         \
  fk_bin_sums name(const type *scores, size_t count, const fk_bins *bins, double shift, fk_bin_range kept,       \
                   int64_t *counts, double *kept_scores) {                                                       \
    double sums[8] = {0}, squares[8] = {0};                                                                      \
    fk_bin_sums result = {0};                                                                                    \
    for (size_t i = 0; i < count; i++) {                                                                         \
      const double score = (double)scores[i];                                                                    \
      const int32_t bin = fk_bin(score, bins);                                                                   \
      if (bin < 0) {                                                                                             \
        result.failed += 1;                                                                                      \
        continue;                                                                                                \
      }                                                                                                          \
      counts[bin] += 1;                                                                                          \
      const double difference = score - shift;                                                                   \
      const double square = difference * difference;                                                             \
      sums[i % 8] += difference;                                                                                 \
      squares[i % 8] += square;                                                                                  \
      if (bin >= kept.first && bin < kept.end) kept_scores[result.kept++] = score;                               \
    }                                                                                                            \
    result.sum = fk_add_eight(sums);                                                                             \
    result.squares = fk_add_eight(squares);                                                                      \
    return result;                                                                                               \
  }

FK_DEFINE_BIN_SCORES(fk_bin_f64_scalar, double)
FK_DEFINE_BIN_SCORES(fk_bin_f32_scalar, float)

#define FK_DEFINE_COLLECT(name, type)                                                                            \
  size_t name(const type *scores, size_t count, const fk_bins *bins, const uint8_t *wanted, uint8_t mask,        \
              double *collected) {                                                                               \
    size_t found = 0;                                                                                            \
    for (size_t i = 0; i < count; i++) {                                                                         \
      const double score = (double)scores[i];                                                                    \
      const int32_t bin = fk_bin(score, bins);                                                                   \
      if (bin < 0) continue;                                                                                     \
      collected[found] = score;                                                                                  \
      found += (wanted[bin] & mask) != 0;                                                                        \
    }                                                                                                            \
    return found;                                                                                                \
  }

FK_DEFINE_COLLECT(fk_collect_f64, double)
FK_DEFINE_COLLECT(fk_collect_f32, float)

size_t fk_at_least_f64(const double *scores, size_t count, double threshold, uint32_t *indices) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    indices[found] = (uint32_t)i;
    found += scores[i] >= threshold;
  }
  return found;
}

void fk_negated_distances_f64(double squared_norm, const double *squared_norms, size_t count, double *scores) {
  for (size_t i = 0; i < count; i++) {
    const double sum = squared_norm + squared_norms[i];
    const double square = sum - 2 * scores[i];
    scores[i] = -__builtin_sqrt(square > 0 ? square : 0);
  }
}
