// The table of kernels, a row a level. A level that names another level's kernel says why.
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
    .select_i8 = fk_select_i8_scalar,
};

const fk_kernels *fk_kernels_at(fk_level level) {
  return level == FK_LEVEL_SCALAR ? &scalar_kernels : NULL;
}

fk_level fk_highest_level(void) { return FK_LEVEL_SCALAR; }
