/* Which files are data sets, by their names. */
#include "read/dataset.h"

#include <string.h>
#include <strings.h>

static bool ends_with(const char *path, size_t size, const char *ending) {
    size_t length = strlen(ending);
    return size > length && !strncasecmp(path + size - length, ending, length);
}

enum dataset_kind dataset_kind_of(const char *path) {
    return dataset_kind_within(path, strlen(path));
}

enum dataset_kind dataset_kind_within(const char *path, size_t size) {
    static const char *const packed[] = {".gz", ".zst", ".bz2", ".xz"};
    static const struct {
        const char *ending;
        enum dataset_kind kind;
    } kinds[] = {{".jsonl", DATASET_JSON_LINES},
                 {".ndjson", DATASET_JSON_LINES},
                 {".json-lines", DATASET_JSON_LINES},
                 {".csv", DATASET_CSV},
                 {".tsv", DATASET_TSV}};
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++)
        if (ends_with(path, size, packed[i])) {
            size -= strlen(packed[i]);
            break;
        }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (ends_with(path, size, kinds[i].ending)) return kinds[i].kind;
    return DATASET_BY_NAME;
}

bool dataset_name(const char *path) {
    return dataset_kind_of(path) != DATASET_BY_NAME;
}
