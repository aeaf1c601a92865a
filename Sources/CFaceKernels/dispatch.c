#include "face_kernels.h"
