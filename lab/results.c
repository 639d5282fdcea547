#include "results.h"

#include <stdio.h>
#include <string.h>

void table_path(const char *folder, const char *name, bool times, char *path, size_t size) {
    snprintf(path, size, "%s/%s%s.tsv", folder, name, times ? ".times" : "");
}

void results_judge(struct results *results) {
    results->verdict = (struct verdict){0};
    const struct evidence evidence = {&results->data, &results->times, &results->paper};
    results->experiment->judge(&evidence, &results->verdict);
}

static stemma_status read_tables(const char *folder, struct results *results, stemma_error *err) {
    char path[4200];
    const char *name = results->experiment->name;
    table_path(folder, name, false, path, sizeof path);
    TRY(table_read(&results->data, path, err));
    table_path(folder, name, true, path, sizeof path);
    stemma_status status = table_read(&results->times, path, err);
    if (status != STEMMA_OK && status != STEMMA_NOT_FOUND) return status;
    return paper_values(name, &results->paper, err);
}

stemma_status results_read(const struct experiment *experiment, const char *folder, struct results *out,
                           stemma_error *err) {
    *out = (struct results){.experiment = experiment};
    stemma_status status = read_tables(folder, out, err);
    if (status == STEMMA_OK)
        results_judge(out);
    else
        results_release(out);
    return status;
}

void results_release(struct results *results) {
    table_release(&results->data);
    table_release(&results->times);
    table_release(&results->paper);
}
