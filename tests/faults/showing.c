/* Texts of a scan for those who show them. The scan itself is no part of the operation: what fails there is a
 * problem of a document, not of the whole. */
#include <string.h>

#include "faults/faults.h"

static stemma_status scan_pile(const char *path, stemma_scan **out) {
    stemma_scan_options options = stemma_scan_options_default();
    stemma_limits limits = stemma_limits_default();
    options.threads = 1;
    limits.memory = 1 << 23;
    stemma_status status = stemma_scan_new(NULL, &options, &limits, out, NULL);
    if (status == STEMMA_OK) status = stemma_scan_add_path(*out, path, NULL);
    return status == STEMMA_OK ? stemma_scan_run(*out, NULL) : status;
}

/* The text of the last document of a file, or of a folder. */
static stemma_status show_last(const char *name, stemma_error *error) {
    char path[160];
    const char *text = UNTOUCHED;
    size_t size = 0;
    bool canonical, armed = fault.armed;
    stemma_scan *scan;
    place(path, sizeof path, name);
    fault.armed = false;
    assert_int_equal(scan_pile(path, &scan), STEMMA_OK);
    uint64_t documents = stemma_scan_get_summary(scan).documents;
    assert_true(documents > 0);
    fault.armed = armed;
    stemma_status status = stemma_scan_get_text(scan, documents - 1, &text, &size, &canonical, error);
    fault.armed = false;
    if (status == STEMMA_OK)
        assert_true(size > 0);
    else
        check_untouched(status, text);
    stemma_scan_free(scan);
    if (status == STEMMA_UNREADABLE && fault.call == READ) {
        assert_int_equal(error->status,
                         status); /* of a scan a file that cannot be read is one problem of many */
        return error->status = STEMMA_IO;
    }
    return status;
}

const struct operation showing_operations[] = {
    {"show a file of a scan", show_last, "text"},
    {"show a record of a scan", show_last, "tree/d.jsonl"},
    {"show a compressed record of a scan", show_last, "tree/d.jsonl.gz"},
    {"show what an archive of a scan holds", show_last, "archive"},
    {NULL, NULL, NULL},
};
