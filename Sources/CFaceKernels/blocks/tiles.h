// tiles.h: how the interleaved plane is walked, whatever the arithmetic of the level.
//
// A tile is some blocks times some queries, whose sums stay in registers while it runs over the dimensions.
// Four blocks of a tile come from the four quarters of the plane: a single query is bound by memory, and four
// streams read it faster than one (18 against 15 GB/s where measured). All queries meet the blocks of a tile
// before the next blocks are touched, so the plane is read from memory once and from the first-level cache
// after that.
#ifndef FK_TILES_H
#define FK_TILES_H

#include "../kernels.h"

enum { FK_TILE_BLOCKS = 4, FK_GROUP_BYTES = FK_BLOCK_ROWS * FK_GROUP_DIMENSIONS };

typedef struct fk_tile {
  const uint8_t *blocks;   // the first of the tile's blocks
  size_t block_step;       // bytes to the next of them
  size_t group_count;      // groups of four dimensions to run over
  const void *queries;     // the codes of the tile's first query, in the level's own form
  size_t query_bytes;      // to the next query
  const int32_t *starts;   // what each query's sums start from; null where the level needs none
  int add;                 // whether they start from what `products` holds besides
  int32_t *products;       // of the first query with the first block
  size_t query_step;       // elements to the next query's products
  size_t block_products;   // elements to the next block's products
  const uint8_t *ahead;    // a block that will be wanted next; only read by `full_ahead`
} fk_tile;

typedef void fk_tile_function(const fk_tile *tile);

enum { FK_TILE_QUERIES_MOST = 8 };

// The tiles that a level has: entry q - 1 takes q queries.
typedef struct fk_tile_table {
  size_t queries_most;     // in one tile
  size_t wide_limit;       // with more queries than this, one block at a time is faster than four
  fk_tile_function *four_blocks[FK_TILE_QUERIES_MOST];
  fk_tile_function *one_block[FK_TILE_QUERIES_MOST];
  fk_tile_function *full_ahead;  // four blocks and `queries_most` queries, fetching `ahead`; null for none
} fk_tile_table;

// Runs over all blocks and queries. `tile` holds the first block and query, its group count, query_bytes,
// starts, add and products; the rest is found here.
FK_INTERNAL void fk_walk_tiles(const fk_tile_table *table, fk_tile tile, size_t block_bytes,
                               size_t block_count, size_t query_count);

#endif
