/*
 * The documents of an experiment: real ones from a folder, or generated English that is the same everywhere.
 *
 * A folder made by lab/corpora has one folder for each kind; of any other the files of a
 * fitting size are taken, also those in the folders below it.
 */
#ifndef LAB_CORPUS_H
#define LAB_CORPUS_H

#include "lab.h"

enum corpus_kind {
    CORPUS_LONG,    /* different documents of 9 to 540 KB, as HP's research corpus */
    CORPUS_SHORT_1, /* 600 to 1500 bytes, with near-duplicates, as HP's first collection */
    CORPUS_SHORT_2, /* 2 to 4 KB, likewise, as its second */
    CORPUS_PIECES   /* 200 to 3000 bytes between empty lines, as many as there are in files of any size */
};

struct text {
    uint8_t *bytes;
    size_t size;
};

struct corpus {
    struct text *texts; /* longest last */
    size_t count;
};

/* At most `most` documents; remarks what they are in the table. */
stemma_status corpus_load(const struct lab *lab, enum corpus_kind kind, size_t most, struct table *data,
                          struct corpus *out, stemma_error *err);
void corpus_release(struct corpus *corpus);

#endif
