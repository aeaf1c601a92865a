// amx_check.c: the AMX kernel on emulated tiles against the plain kernel, over every shape of its tiles and their rests.
#include "amx_emulated.h"

#include "../../Sources/CFaceKernels/blocks/dot_blocks_i8_amx.c"

// The rest of the queries, which the kernel leaves to VNNI's.
void fk_dot_blocks_i8_vnni(const uint8_t *blocks, size_t block_count, size_t dimension, const int8_t *queries,
                           size_t query_count, int32_t *products) {
  fk_dot_blocks_i8_scalar(blocks, block_count, dimension, queries, query_count, products);
}

int main(void) {
  static const size_t query_counts[] = {1, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 100, 130};
  static const size_t block_counts[] = {1, 2, 3, 4, 7};
  static const size_t dimensions[] = {64, 128, 512, 576};
  uint32_t state = 12345, compared = 0;
  for (size_t d = 0; d < 4; d++) {
    for (size_t b = 0; b < 5; b++) {
      for (size_t q = 0; q < 13; q++) {
        const size_t dimension = dimensions[d], rows = block_counts[b] * FK_BLOCK_ROWS, queries = query_counts[q];
        uint8_t *blocks = aligned_alloc(64, rows * dimension);
        int8_t *codes = malloc(queries * dimension);
        // One number more at the end, which must stay as it is.
        int32_t *found = malloc((queries * rows + 1) * sizeof *found), *known = malloc((queries * rows + 1) * sizeof *known);
        for (size_t i = 0; i < rows * dimension; i++) blocks[i] = (uint8_t)(1 + (state = state * 1664525u + 1013904223u) / 16843010u);
        for (size_t i = 0; i < queries * dimension; i++) {
          codes[i] = (int8_t)((int)((state = state * 1664525u + 1013904223u) / 16843010u) - 127);
        }
        found[queries * rows] = known[queries * rows] = 77;
        fk_dot_blocks_i8_amx(blocks, block_counts[b], dimension, codes, queries, found);
        fk_dot_blocks_i8_scalar(blocks, block_counts[b], dimension, codes, queries, known);
        if (memcmp(found, known, (queries * rows + 1) * sizeof *known) != 0 || emulated_is_configured) {
          fprintf(stderr, "%zu dimensions, %zu blocks, %zu queries: the products differ\n", dimension, block_counts[b], queries);
          return 1;
        }
        compared += (uint32_t)(queries * rows);
        free(blocks), free(codes), free(found), free(known);
      }
    }
  }
  printf("AMX kernel on emulated tiles: %u products equal the plain kernel's\n", compared);
  return 0;
}
