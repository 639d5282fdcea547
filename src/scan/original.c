#include "scan/original.h"

#include "base/alloc.h"
#include "shingle/whole.h"

struct original_reader {
    struct text_reader reader;
    struct buf room;
};

static stemma_status make_reader(struct stemma_scan *scan, stemma_error *err) {
    if (scan->originals) return STEMMA_OK;
    struct original_reader *made = mem_zero(1, sizeof *made);
    if (!made) return fail_memory(err);
    stemma_status status = text_reader_init(&made->reader, scan, err);
    if (status == STEMMA_OK)
        scan->originals = made;
    else
        mem_free(made);
    return status;
}

/* What is shown has to be what was compared. */
static stemma_status check_same(struct text_reader *reader, const struct text_class *class, const char *name,
                                const struct document_text *found, stemma_error *err) {
    const uint8_t *canonical;
    size_t size;
    TRY(whole_canon(reader->whole, found->bytes, found->size, &canonical, &size, err));
    if (size == class->text_size &&
        identity_equal(identity_of(&reader->scan->key, canonical, size), class->text_identity))
        return STEMMA_OK;
    return fail(err, STEMMA_CORRUPT, "'%s' has changed since it was read", name);
}

stemma_status scan_original(struct stemma_scan *scan, uint32_t number, const char **text, size_t *size,
                            bool *canonical, stemma_error *err) {
    const struct catalogue *c = &scan->catalogue;
    const struct document *document = &c->documents[number];
    const char *name = catalogue_id(c, number);
    if (document->class == NO_CLASS || document->class >= c->class_count)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' has no text", name);
    const struct text_class *class = &c->classes[document->class];
    if (class->huge) return fail(err, STEMMA_UNSUPPORTED, "'%s' is too large to be held", name);
    TRY(make_reader(scan, err));
    struct original_reader *o = scan->originals;
    struct document_text found;
    *canonical = text_in_order_only(scan, document);
    if (*canonical) {
        TRY(texts_recall_grouped(scan, err));
        TRY(text_fetch(&o->reader, document->class, &o->room, &found.bytes, &found.size, err));
    } else {
        TRY(text_reader_source(&o->reader, document, &found, err));
        TRY(check_same(&o->reader, class, name, &found, err));
    }
    *text = (const char *)found.bytes;
    *size = found.size;
    return STEMMA_OK;
}

void original_reader_free(struct original_reader *originals) {
    if (!originals) return;
    text_reader_release(&originals->reader);
    buf_release(&originals->room);
    mem_free(originals);
}
