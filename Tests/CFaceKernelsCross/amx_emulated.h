// The AMX tile operations in plain C, as Intel's Software Developer's Manual (volume 2) describes them, so that the kernel
// that uses them can be run without them. Included before the kernel's file.
#ifndef AMX_EMULATED_H
#define AMX_EMULATED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t emulated_tiles[8][16][64];
static uint8_t emulated_configuration[64];
static int emulated_is_configured;

static void emulated_require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "tiles: %s\n", what);
  abort();
}

static void emulated_configure(const void *configuration) {
  memcpy(emulated_configuration, configuration, 64);
  emulated_require(emulated_configuration[0] == 1, "palette 1 was expected");
  for (int tile = 0; tile < 8; tile++) {
    uint16_t row_bytes;
    memcpy(&row_bytes, emulated_configuration + 16 + 2 * tile, 2);
    emulated_require(row_bytes == 64 && emulated_configuration[48 + tile] == 16, "whole tiles were expected");
  }
  emulated_is_configured = 1;
}

static void emulated_load(int tile, const void *place, size_t stride) {
  emulated_require(emulated_is_configured, "a load before the configuration");
  for (int row = 0; row < 16; row++) memcpy(emulated_tiles[tile][row], (const uint8_t *)place + row * stride, 64);
}

static void emulated_store(int tile, void *place, size_t stride) {
  for (int row = 0; row < 16; row++) memcpy((uint8_t *)place + row * stride, emulated_tiles[tile][row], 64);
}

// TDPBSUD: c[m][n] += sum over k, i of a[m][4k+i] (signed) * b[k][4n+i] (unsigned), modulo 2^32.
static void emulated_multiply(int sums, int queries, int rows) {
  for (int m = 0; m < 16; m++) {
    for (int n = 0; n < 16; n++) {
      uint32_t sum;
      memcpy(&sum, emulated_tiles[sums][m] + 4 * n, 4);
      for (int k = 0; k < 64; k++) {
        const int32_t a = (int8_t)emulated_tiles[queries][m][k], b = emulated_tiles[rows][k / 4][4 * n + k % 4];
        sum += (uint32_t)(a * b);
      }
      memcpy(emulated_tiles[sums][m] + 4 * n, &sum, 4);
    }
  }
}

#define FK_AMX
#define FK_TILE_CONFIGURE(configuration) emulated_configure(configuration)
#define FK_TILE_LOAD(tile, place, stride) emulated_load(tile, place, stride)
#define FK_TILE_STORE(tile, place, stride) emulated_store(tile, place, stride)
#define FK_TILE_MULTIPLY(sums, queries, rows) emulated_multiply(sums, queries, rows)
#define FK_TILE_RELEASE() (emulated_is_configured = 0)

#endif
