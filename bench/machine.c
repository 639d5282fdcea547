/* The processor as Linux names it, and those of its abilities that the kernels use. */
#include "machine.h"

#include <stdio.h>
#include <string.h>

static const char *const matter[] = {
    "sse4_2",   "avx2",     "bmi2",        "pclmulqdq",    "vpclmulqdq",    "avx512f",          "avx512bw",
    "avx512vl", "avx512dq", "avx512_vbmi", "avx512_vbmi2", "avx512_bitalg", "avx512_vpopcntdq", "gfni"};

static void copy_value(char *out, size_t size, const char *line) {
    const char *colon = strchr(line, ':');
    if (colon) snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
}

static void copy_flags(char *out, size_t size, char *line) {
    size_t used = 0;
    for (char *save, *flag = strtok_r(line, " \t\n:", &save); flag; flag = strtok_r(NULL, " \t\n:", &save))
        for (size_t i = 0; i < sizeof matter / sizeof *matter; i++)
            if (!strcmp(flag, matter[i]) && used < size)
                used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", flag);
}

void machine_describe(struct machine *out) {
    *out = (struct machine){.cpu = "unknown"};
#if defined __clang__
    snprintf(out->compiler, sizeof out->compiler, "clang %s", __clang_version__);
#else
    snprintf(out->compiler, sizeof out->compiler, "gcc %s", __VERSION__);
#endif
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    static char line[8192];
    while (!out->flags[0] && fgets(line, sizeof line, file)) {
        if (!strncmp(line, "model name", 10)) copy_value(out->cpu, sizeof out->cpu, line);
        if (!strncmp(line, "flags", 5)) copy_flags(out->flags, sizeof out->flags, line);
    }
    fclose(file);
}
