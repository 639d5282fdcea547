/* Which table of kernels this CPU runs. The only state is the answer, computed once. */
#include "kernels/kernels.h"
#include "kernels/tables.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if STEMMA_X86
static bool cpu_has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("popcnt");
}

static bool cpu_has_clmul(void) {
    return cpu_has_avx2() && __builtin_cpu_supports("vpclmulqdq");
}

static bool cpu_has_avx512(void) {
    return cpu_has_clmul() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg");
}
#endif

const struct kernels *kernels_named(const char *name) {
    if (!strcmp(name, "portable")) return &kernels_portable;
#if STEMMA_X86
    if (!strcmp(name, "avx2") && cpu_has_clmul()) return &kernels_avx2_clmul;
    if ((!strcmp(name, "avx2") || !strcmp(name, "avx2-plain")) && cpu_has_avx2()) return &kernels_avx2;
    if (!strcmp(name, "avx512") && cpu_has_avx512()) return &kernels_avx512;
#endif
    return NULL;
}

static const struct kernels *choose(void) {
    const char *asked = getenv("STEMMA_CPU");
    const struct kernels *table = asked ? kernels_named(asked) : NULL;
    if (!table) table = kernels_named("avx512");
    if (!table) table = kernels_named("avx2");
    return table ? table : &kernels_portable;
}

const struct kernels *kernels_get(void) {
    static _Atomic(const struct kernels *) chosen;
    const struct kernels *table = atomic_load_explicit(&chosen, memory_order_acquire);
    if (!table) {
        table = choose();
        atomic_store_explicit(&chosen, table, memory_order_release);
    }
    return table;
}
