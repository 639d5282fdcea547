/* On what the figures were measured. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

struct machine {
    char cpu[128], flags[256], compiler[64];
};

void machine_describe(struct machine *out);

#endif
