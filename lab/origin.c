#include "origin.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void today(char *text, size_t size) {
    time_t now = time(NULL);
    struct tm day;
    if (!gmtime_r(&now, &day) || !strftime(text, size, "%Y-%m-%d", &day)) *text = '\0';
}

void this_machine(char *text, size_t size) {
    char line[300], cpu[200] = "unknown processor";
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "model name : %199[^\n]", cpu) == 1) break;
    if (info) fclose(info);
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    snprintf(text, size, "%s (%s), %ld processors, %.0f GB of memory", cpu, stemma_cpu(),
             sysconf(_SC_NPROCESSORS_ONLN), memory / 1e9);
}

static void origin_path(const char *folder, char *path, size_t size) {
    snprintf(path, size, "%s/origin.tsv", folder);
}

stemma_status origins_read(const char *folder, struct table *out, stemma_error *err) {
    char path[4200];
    origin_path(folder, path, sizeof path);
    stemma_status status = table_read(out, path, err);
    return status == STEMMA_NOT_FOUND ? STEMMA_OK : status;
}

static void keep_row(const struct table *before, const char *name, struct table *after) {
    for (size_t row = 0; before->cells && row < before->rows; row++)
        if (!strcmp(table_cell(before, row, 0), name))
            table_row(after, "%s\t%s\t%s\t%s", name, table_cell(before, row, 1), table_cell(before, row, 2),
                      table_cell(before, row, 3));
}

static void origin_rows(const struct table *before, const bool *made, struct table *after) {
    char date[40], machine[400];
    today(date, sizeof date);
    this_machine(machine, sizeof machine);
    table_begin(after, "experiment\tdate\tstemma\tmachine");
    for (size_t i = 0; i < experiment_count; i++)
        if (made[i])
            table_row(after, "%s\t%s\t%s\t%s", experiments[i]->name, date, stemma_version(), machine);
        else
            keep_row(before, experiments[i]->name, after);
}

stemma_status origins_note(const char *folder, const bool *made, stemma_error *err) {
    struct table before = {0}, after = {0};
    char path[4200];
    origin_path(folder, path, sizeof path);
    stemma_status status = origins_read(folder, &before, err);
    if (status == STEMMA_OK) {
        origin_rows(&before, made, &after);
        status = table_finish(&after, err);
    }
    if (status == STEMMA_OK) status = table_write(&after, path, err);
    table_release(&before);
    table_release(&after);
    return status;
}
