// split_queries.h: queries as pairs of i16, for the levels that multiply in pairs (vpmaddwd).
//
// vpmaddubsw would take bytes, but 255 * 127 * 2 does not fit its 16 bits. So a register of rows is split
// into its even and its odd bytes, sixteen bits each, and so is every query, once for the whole plane: four
// codes become two words of i16 (0, 2) and i16 (1, 3). A chunk of 16 queries by 512 dimensions is 16 KiB of
// stack and stays in the first-level cache; of longer rows, later dimensions are added to the products of
// earlier ones.
#ifndef FK_SPLIT_QUERIES_H
#define FK_SPLIT_QUERIES_H

#include "tiles.h"

enum { FK_SPLIT_QUERY_COUNT = 16, FK_SPLIT_DIMENSIONS = 512, FK_SPLIT_GROUPS = FK_SPLIT_DIMENSIONS / 4 };

typedef struct fk_split_group {
  int16_t even[2];  // codes 0 and 2
  int16_t odd[2];   // codes 1 and 3
} fk_split_group;

typedef struct fk_split_queries {
  fk_split_group groups[FK_SPLIT_QUERY_COUNT][FK_SPLIT_GROUPS];
  int32_t starts[FK_SPLIT_QUERY_COUNT];  // -128 times the sum of the codes, for the plane holds code + 128
} fk_split_queries;

FK_INLINE void fk_split_query(const int8_t *query, size_t dimension, fk_split_group *groups, int32_t *start) {
  int32_t sum = 0;
  for (size_t d = 0; d < dimension; d += FK_GROUP_DIMENSIONS) {
    const int8_t *c = query + d;
    groups[d / FK_GROUP_DIMENSIONS] = (fk_split_group){{c[0], c[2]}, {c[1], c[3]}};
    sum += c[0] + c[1] + c[2] + c[3];
  }
  *start = -128 * sum;
}

FK_INLINE void fk_dot_blocks_in_pairs(const fk_tile_table *table, const uint8_t *blocks, size_t block_count,
                                      size_t dimension, const int8_t *queries, size_t query_count,
                                      int32_t *products) {
  fk_split_queries split;
  for (size_t q = 0; q < query_count; q += FK_SPLIT_QUERY_COUNT) {
    const size_t q_left = query_count - q,
                 count = q_left < FK_SPLIT_QUERY_COUNT ? q_left : FK_SPLIT_QUERY_COUNT;
    for (size_t d = 0; d == 0 || d < dimension; d += FK_SPLIT_DIMENSIONS) {
      const size_t d_left = dimension - d,
                   length = d_left < FK_SPLIT_DIMENSIONS ? d_left : FK_SPLIT_DIMENSIONS;
      for (size_t each = 0; each < count; each++) {
        const int8_t *query = queries + (q + each) * dimension + d;
        fk_split_query(query, length, split.groups[each], &split.starts[each]);
      }
      const fk_tile tile = {
          .blocks = blocks + FK_BLOCK_ROWS * d,
          .group_count = length / FK_GROUP_DIMENSIONS,
          .queries = split.groups,
          .query_bytes = sizeof split.groups[0],
          .starts = split.starts,
          .add = d > 0,
          .products = products + q * block_count * FK_BLOCK_ROWS,
      };
      fk_walk_tiles(table, tile, FK_BLOCK_ROWS * dimension, block_count, count);
    }
  }
}

#endif
