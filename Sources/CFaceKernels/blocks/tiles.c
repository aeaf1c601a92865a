// The walk over the plane in tiles; see tiles.h.
#include "tiles.h"

static void skip_queries(fk_tile *tile, size_t count) {
  tile->queries = (const uint8_t *)tile->queries + count * tile->query_bytes;
  if (tile->starts != NULL) tile->starts += count;
  tile->products += count * tile->query_step;
}

static void walk_queries(size_t queries_most, fk_tile_function *const *functions, fk_tile tile,
                         size_t query_count) {
  for (; query_count >= queries_most; query_count -= queries_most) {
    functions[queries_most - 1](&tile);
    skip_queries(&tile, queries_most);
  }
  if (query_count > 0) functions[query_count - 1](&tile);
}

// With four full tiles or more the arithmetic takes longer than the reading: each of the first four tiles
// fetches one of the next four blocks meanwhile.
static void walk_many_queries(const fk_tile_table *table, fk_tile tile, size_t block_bytes,
                              size_t query_count) {
  for (size_t b = 0; b < FK_TILE_BLOCKS; b++) {
    tile.ahead = tile.blocks + b * tile.block_step + block_bytes;
    table->full_ahead(&tile);
    skip_queries(&tile, table->queries_most);
  }
  walk_queries(table->queries_most, table->four_blocks, tile,
               query_count - FK_TILE_BLOCKS * table->queries_most);
}

void fk_walk_tiles(const fk_tile_table *table, fk_tile tile, size_t block_bytes, size_t block_count,
                   size_t query_count) {
  const size_t quarter = query_count <= table->wide_limit ? block_count / FK_TILE_BLOCKS : 0;
  const int many = table->full_ahead != NULL && query_count >= FK_TILE_BLOCKS * table->queries_most;
  const fk_tile first = tile;
  tile.block_step = quarter * block_bytes;
  tile.block_products = quarter * FK_BLOCK_ROWS;
  tile.query_step = block_count * FK_BLOCK_ROWS;
  for (size_t b = 0; b < quarter; b++) {
    tile.blocks = first.blocks + b * block_bytes;
    tile.products = first.products + b * FK_BLOCK_ROWS;
    if (many) {
      walk_many_queries(table, tile, block_bytes, query_count);
    } else {
      walk_queries(table->queries_most, table->four_blocks, tile, query_count);
    }
  }
  for (size_t b = quarter * FK_TILE_BLOCKS; b < block_count; b++) {
    tile.blocks = first.blocks + b * block_bytes;
    tile.products = first.products + b * FK_BLOCK_ROWS;
    walk_queries(table->queries_most, table->one_block, tile, query_count);
  }
}
