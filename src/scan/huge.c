#include "scan/huge.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/spill.h"
#include "estimate/exact.h"
#include "read/late_text.h"
#include "shingle/labels.h"
#include "shingle/stream.h"
#include "shingle/whole.h"

#include <unistd.h>

enum { PIECE = 1 << 20 };

/* A document on its way in pieces: identities of its bytes and its text, fingerprints to the sink. */
struct passage {
    struct stemma_scan *scan;
    struct shingler *shingler;
    struct labeller *labeller; /* NULL unless the view is labelled */
    struct identity_state bytes, text;
    uint64_t size, text_size;
    enum text_format format;
    bool binary, converted;
    struct late_text late; /* on the way of what is plain text */
    stemma_error failure;  /* all of it was read, and its text could not be had, */
    stemma_error damage;   /* or not all of it */
    struct worker *worker; /* whose taker gets the pieces of its text; NULL: nobody does */
    stemma_error refused;  /* what the taker said of one */
    enum container_kind kind;
};

static void take_text(void *context, const uint8_t *text, size_t size) {
    struct passage *p = context;
    identity_add(&p->text, text, size);
    p->text_size += size;
    if (p->worker && p->refused.status == STEMMA_OK)
        (void)p->worker->kind->piece(p->worker->taker, text, size, &p->refused);
}

static stemma_status check_refused(const struct passage *p, stemma_error *err) {
    return p->refused.status == STEMMA_OK ? STEMMA_OK
                                          : fail(err, p->refused.status, "%s", p->refused.message);
}

static stemma_status feed(struct passage *p, const uint8_t *bytes, size_t size, stemma_error *err) {
    TRY(shingler_feed(p->shingler, bytes, size, err));
    return check_refused(p, err);
}

static stemma_status passage_init(struct passage *p, struct stemma_scan *scan, struct shingle_sink sink,
                                  stemma_error *err) {
    const struct view *view = &scan->recipe->view;
    const stemma_limits *limits = &scan->settings.limits;
    *p = (struct passage){.scan = scan};
    identity_begin(&p->bytes, &scan->key);
    identity_begin(&p->text, &scan->key);
    if (view->labelled) {
        TRY(labeller_new(view->width, sink, scan->huge_from, limits->temporary_directory, &p->labeller, err));
        sink = labeller_sink(p->labeller);
    }
    return shingler_new(view, &scan->recipe->tables, sink, (struct text_sink){p, take_text}, &p->shingler,
                        err);
}

/* Of a document that a worker's taker gets. */
static stemma_status passage_for(struct passage *p, struct worker *w, stemma_error *err) {
    stemma_status status = passage_init(p, w->scan, w->kind->begin_pieces(w->taker), err);
    if (w->kind->piece) p->worker = w;
    return status;
}

static void passage_release(struct passage *p) {
    late_text_release(&p->late);
    shingler_free(p->shingler);
    labeller_free(p->labeller);
}

/* The first piece tells what the document is; *skip: bytes of a mark in front of the text. */
static stemma_status look(struct passage *p, const char *name, const uint8_t *head, size_t size, size_t *skip,
                          stemma_error *err) {
    const size_t looked_at = size < DOCUMENT_HEAD ? size : DOCUMENT_HEAD; /* a piece may be less than all */
    struct document_kind kind = document_look(name, head, looked_at, &p->scan->document_options);
    TRY(reading_format(p->scan, name, head, size, &p->format, err));
    TRY(scan_container(p->scan, name, head, size, &p->kind, err));
    p->binary = kind.format == TEXT_BINARY || p->kind > CONTAINER_MAIL;
    *skip = kind.mark;
    p->converted = kind.converted && !p->binary;
    p->late.encoding = kind.open ? ENCODING_AUTO : ENCODING_UTF8;
    return STEMMA_OK;
}

static stemma_status fill_piece(struct input *input, struct buf *piece, stemma_error *err) {
    size_t got = 1;
    for (piece->len = 0; got && piece->len < PIECE; piece->len += got)
        TRY(of_document(input_read(input, piece->data + piece->len, PIECE - piece->len, &got, err)));
    return STEMMA_OK;
}

static stemma_status take_converted(struct passage *p, const char *name, const uint8_t *bytes, size_t size,
                                    stemma_error *err) {
    struct extractor extractor = {0};
    struct document_text text;
    const struct document_options options = alone_options(p->scan);
    stemma_status status = document_extract(&extractor, name, bytes, size, &options, &text, err);
    if (status == STEMMA_OK && text.damage) document_tell_damage(name, text.damage, &p->damage);
    if (status == STEMMA_OK && p->format == TEXT_XML)
        p->format = text.format; /* it may be no XML after all */
    for (size_t at = 0, step; status == STEMMA_OK && at < text.size; at += step) {
        step = text.size - at < PIECE ? text.size - at : PIECE;
        status = check_stop(p->scan->settings.limits.stop, err);
        if (status == STEMMA_OK) status = feed(p, text.bytes + at, step, err);
    }
    extractor_release(&extractor);
    return status;
}

/* What cannot be converted is still compared by its bytes. */
static stemma_status try_converting(struct passage *p, const char *name, const struct buf *bytes,
                                    stemma_error *err) {
    identity_add(&p->bytes, bytes->data, bytes->len);
    p->size = bytes->len;
    stemma_status status = take_converted(p, name, bytes->data, bytes->len, &p->failure);
    if (status == STEMMA_OK || is_problem(status)) return STEMMA_OK;
    return fail(err, status, "%s", p->failure.message);
}

/* What has to be converted is needed as a whole, behind the piece that was read. One at a time, so that it
 * depends on the memory alone which documents are too large, and not on the threads. */
static stemma_status read_converted(struct passage *p, struct input *input, struct buf *piece,
                                    stemma_error *err) {
    struct stemma_scan *scan = p->scan;
    pthread_mutex_lock(&scan->converting);
    stemma_status status =
        of_document(input_read_all(input, scan->settings.limits.memory / 2 / DOCUMENT_TIMES, piece, err));
    if (status == STEMMA_OK) status = try_converting(p, input->name, piece, err);
    buf_release(piece);
    pthread_mutex_unlock(&scan->converting);
    if (status == STEMMA_OK) progress_add(scan, 0, p->size);
    return status;
}

static stemma_status feed_plain(struct passage *p, const uint8_t *bytes, size_t size, stemma_error *err) {
    if (p->binary) return STEMMA_OK;
    TRY(late_text_take(&p->late, &bytes, &size, err));
    return feed(p, bytes, size, err);
}

static stemma_status feed_last(struct passage *p, stemma_error *err) {
    const uint8_t *bytes = NULL;
    size_t size;
    TRY(late_text_finish(&p->late, &bytes, &size, err));
    return feed(p, bytes, size, err);
}

static stemma_status read_pieces(struct passage *p, struct input *input, struct buf *piece,
                                 stemma_error *err) {
    size_t skip = 0;
    if (!buf_reserve(piece, PIECE)) return fail_memory(err);
    for (bool first = true;; first = false) {
        TRY(check_stop(p->scan->settings.limits.stop, err));
        TRY(fill_piece(input, piece, err));
        if (piece->len == 0) break;
        if (first) TRY(look(p, input->name, piece->data, piece->len, &skip, err));
        if (p->converted) return read_converted(p, input, piece, err);
        identity_add(&p->bytes, piece->data, piece->len);
        p->size += piece->len;
        TRY(feed_plain(p, piece->data + skip, piece->len - skip, err));
        progress_add(p->scan, 0, piece->len);
        skip = 0;
    }
    return feed_last(p, err);
}

static stemma_status end_passage(struct passage *p, stemma_error *err) {
    TRY(shingler_finish(p->shingler, err));
    TRY(check_refused(p, err));
    return p->labeller ? labeller_finish(p->labeller, err) : STEMMA_OK;
}

static stemma_status read_file(struct passage *p, const char *name, struct buf *piece, stemma_error *err) {
    struct input input;
    piece->len = 0;
    TRY(of_document(input_open(&input, name, err)));
    input.stop = p->scan->settings.limits.stop;
    if (!input.owned) lseek(input.fd, 0, SEEK_SET); /* standard input, of which the beginning was read */
    stemma_status status = read_pieces(p, &input, piece, err);
    if (status == STEMMA_OK) status = end_passage(p, err);
    input_close(&input);
    return status;
}

/* ---- entering ---- */

/* The document was begun; now its text. */
static stemma_status enter_text(struct worker *w, struct passage *p, stemma_error *err) {
    bool binary = p->binary || (p->text_size == 0 && !format_may_be_empty(p->format));
    if (p->damage.message[0]) TRY(w->kind->damaged(w->taker, &p->damage, err));
    if (binary)
        return w->kind->no_text(w->taker, p->kind > CONTAINER_MAIL ? DOCUMENT_CONTAINER : DOCUMENT_BINARY,
                                NULL, err);
    if (p->text_size == 0) return w->kind->no_text(w->taker, DOCUMENT_EMPTY, NULL, err);
    return w->kind->end_pieces(w->taker, identity_end(&p->text), p->text_size, err);
}

static stemma_status enter(struct worker *w, uint32_t source, struct passage *p, stemma_error *err) {
    struct document document = {.source = source,
                                .bytes = p->size,
                                .bytes_identity = identity_end(&p->bytes),
                                .format = p->format,
                                .holds = p->kind != CONTAINER_NONE,
                                .filled = p->scan->settings.options.no_archives && p->format == TEXT_MAIL};
    bool wanted;
    TRY(worker_begin(w, &document, NULL, 0, &wanted, err));
    if (wanted && p->failure.status != STEMMA_OK)
        TRY(w->kind->no_text(w->taker, DOCUMENT_FAILED, &p->failure, err));
    else if (wanted)
        TRY(enter_text(w, p, err));
    return w->kind->end(w->taker, err);
}

stemma_status huge_convert(struct worker *w, const char *name, const uint8_t *bytes, size_t size,
                           stemma_error *err) {
    struct stemma_scan *scan = w->scan;
    struct passage p;
    stemma_status status = passage_for(&p, w, err);
    if (status == STEMMA_OK) {
        pthread_mutex_lock(&scan->converting);
        status = take_converted(&p, name, bytes, size, err);
        pthread_mutex_unlock(&scan->converting);
    }
    if (status == STEMMA_OK) status = end_passage(&p, err);
    if (status == STEMMA_OK) status = enter_text(w, &p, err);
    passage_release(&p);
    return status;
}

stemma_status huge_read(struct worker *w, uint32_t source, stemma_error *err) {
    struct passage p;
    stemma_status status = passage_for(&p, w, err);
    if (status == STEMMA_OK)
        status = read_file(&p, w->scan->catalogue.sources[source].name, &w->reader.bytes, err);
    if (status == STEMMA_OK) status = enter(w, source, &p, err);
    passage_release(&p);
    return status;
}

/* ---- comparing ---- */

static stemma_status to_spill(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    return spill_add(context, fp, count, err);
}

stemma_status huge_shingles(struct text_reader *reader, uint32_t number, struct shingle_sink sink,
                            stemma_error *err) {
    struct stemma_scan *scan = reader->scan;
    const struct text_class *class = &scan->catalogue.classes[number];
    const char *name = catalogue_id(&scan->catalogue, class->document);
    struct passage p;
    reader->fetched = number;
    stemma_status status = passage_init(&p, scan, sink, err);
    if (status == STEMMA_OK) status = read_file(&p, name, &reader->bytes, err);
    if (status == STEMMA_OK && p.failure.status != STEMMA_OK)
        status = fail(err, p.failure.status, "%s", p.failure.message);
    if (status == STEMMA_OK && !identity_equal(identity_end(&p.text), class->text_identity))
        status = fail(err, STEMMA_CORRUPT, "'%s' has changed since it was read", name);
    passage_release(&p);
    return status;
}

static stemma_status fill_set(struct text_reader *reader, uint32_t number, struct spill *set,
                              stemma_error *err) {
    struct buf room = {0};
    const uint8_t *text;
    const uint64_t *fp;
    size_t size, count;
    uint64_t tokens;
    if (reader->scan->catalogue.classes[number].huge)
        return huge_shingles(reader, number, (struct shingle_sink){.context = set, .take = to_spill}, err);
    stemma_status status = text_fetch(reader, number, &room, &text, &size, err);
    if (status == STEMMA_OK) status = whole_shingles(reader->whole, text, size, &fp, &count, &tokens, err);
    if (status == STEMMA_OK) status = spill_add(set, fp, count, err);
    buf_release(&room);
    return status;
}

static stemma_status make_set(struct text_reader *reader, uint32_t class, struct spill **out,
                              stemma_error *err) {
    const stemma_limits *limits = &reader->scan->settings.limits;
    struct spill *set = NULL;
    TRY(spill_new(true, reader->scan->huge_from, limits->temporary_directory, &set, err));
    stemma_status status = fill_set(reader, class, set, err);
    if (status == STEMMA_OK) status = spill_finish(set, err);
    if (status == STEMMA_OK)
        *out = set;
    else
        spill_free(set);
    return status;
}

stemma_status huge_compare(struct text_reader *reader, uint32_t first, uint32_t second, struct spill **base,
                           struct numbers *out, stemma_error *err) {
    struct spill *other = NULL;
    struct overlap overlap;
    if (!*base) TRY(make_set(reader, first, base, err));
    TRY(make_set(reader, second, &other, err));
    stemma_status status = overlap_of(*base, other, &overlap, err);
    if (status == STEMMA_OK) *out = (struct numbers){overlap.a, overlap.b, overlap.common};
    spill_free(other);
    return status;
}
