/* The tables that select.c chooses from; a table that lacks a kernel of its own uses the next simpler one. */
#ifndef KERNELS_TABLES_H
#define KERNELS_TABLES_H

#include "kernels/kernels.h"

extern const struct kernels kernels_portable;
#if STEMMA_X86
extern const struct kernels kernels_avx2;
extern const struct kernels kernels_avx2_clmul; /* for AVX2 with VPCLMULQDQ */
extern const struct kernels kernels_avx512;
#endif

#endif
