/* Times of what is done again and again, in CPU time of this thread: others may use the machine. */
#ifndef LAB_CPU_TIME_H
#define LAB_CPU_TIME_H

#include <time.h>

static inline double cpu_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of one call, of as many as take a tenth of a second; `status` ends it. */
#define CPU_TIME(seconds, status, call)                                                                      \
    do {                                                                                                     \
        double cpu_begin = cpu_now(), cpu_end;                                                               \
        size_t cpu_calls = 0;                                                                                \
        do {                                                                                                 \
            (status) = (call);                                                                               \
            cpu_calls++;                                                                                     \
            cpu_end = cpu_now();                                                                             \
        } while ((status) == STEMMA_OK && cpu_end - cpu_begin < .1);                                         \
        (seconds) = (cpu_end - cpu_begin) / (double)cpu_calls;                                               \
    } while (0)

#endif
