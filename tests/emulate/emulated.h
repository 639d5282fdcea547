/* The table of AVX-512 kernels compiled against the emulation: same sources, no AVX-512 needed. */
#ifndef EMULATE_EMULATED_H
#define EMULATE_EMULATED_H

#include "kernels/kernels.h"

extern const struct kernels kernels_avx512_emulated;

#endif
