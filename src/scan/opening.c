/* Data sets are opened when they are read, and stay so; those that need not be, for what is known of them,
 * when a record is asked for. What a folder holds is looked into before: lines without texts are none. */
#include "scan/scan.h"

#include <string.h>

/* So many keep their descriptors, so that a record is read again at no other cost. */
enum { DATASETS_OPEN = 64 };

/* Of a data set each worker has a piece: all of them together a part of the memory, where there is little or
 * there are many. */
static size_t piece_size(const struct scan_settings *settings) {
    enum { SHARE = 32, LEAST = 1 << 16, MOST = 1 << 20 };
    const size_t size = settings->limits.memory / SHARE / settings->threads;
    return size < LEAST ? LEAST : size > MOST ? MOST : size;
}

stemma_status scan_open_dataset(const struct stemma_scan *scan, struct source *source, stemma_error *err) {
    const struct scan_settings *settings = &scan->settings;
    struct dataset_options options = {.text_field = settings->options.text_field,
                                      .id_field = settings->options.id_field,
                                      .record_most = scan->record_most,
                                      .batch_size = piece_size(settings),
                                      .window_most = scan->document_options.limits.window_most,
                                      .directory = settings->limits.temporary_directory,
                                      .many = scan->datasets > DATASETS_OPEN,
                                      .stop = settings->limits.stop};
    stemma_status status = dataset_open(source->name, &options, &source->dataset, err);
    bool copied = strcmp(source->name, "-") == 0; /* so a temporary file may have failed */
    return copied ? status : of_document(status);
}

stemma_status scan_find_texts(const struct stemma_scan *scan, const char *path, bool *found,
                              stemma_error *err) {
    const struct dataset_options options = {.id_field = scan->settings.options.id_field,
                                            .directory = scan->settings.limits.temporary_directory,
                                            .stop = scan->settings.limits.stop};
    stemma_error cause;
    const stemma_status status = of_document(dataset_find_texts(path, &options, found, &cause));
    const bool told = status == STEMMA_CORRUPT || status == STEMMA_UNSUPPORTED || status == STEMMA_INVALID;
    if (told) *found = true; /* by who reads it */
    return status == STEMMA_OK || told ? STEMMA_OK : fail(err, status, "%s", cause.message);
}

stemma_status scan_look_at_standard(const struct stemma_scan *scan, bool *records, stemma_error *err) {
    const struct dataset_options options = {.text_field = scan->settings.options.text_field,
                                            .window_most = scan->document_options.limits.window_most,
                                            .directory = scan->settings.limits.temporary_directory,
                                            .stop = scan->settings.limits.stop};
    return dataset_look_at_standard(&options, records, err);
}

stemma_status scan_dataset(struct stemma_scan *scan, uint32_t number, struct dataset **out,
                           stemma_error *err) {
    struct source *source = &scan->catalogue.sources[number];
    stemma_status status = STEMMA_OK;
    pthread_mutex_lock(&scan->opening);
    if (!source->dataset) {
        status = scan_open_dataset(scan, source, err);
        if (status == STEMMA_OK) dataset_end(source->dataset);
    }
    *out = source->dataset;
    pthread_mutex_unlock(&scan->opening);
    return status;
}
