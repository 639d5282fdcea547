/* What the AVX-512 kernels include instead of <immintrin.h>: the tests compile them a second time against
 * an emulation, so that their logic is checked on machines without AVX-512. */
#ifndef KERNELS_AVX512_INTRINSICS_H
#define KERNELS_AVX512_INTRINSICS_H

#if STEMMA_EMULATE_AVX512
#include <avx512_emulation.h> /* tests/emulate */
#else
#include <immintrin.h>
#endif

#endif
