/*
 * Documents into the catalogue of a scan that has a cache: what that knows is entered as it is known, the
 * rest as it is read, and then told to the cache. Copies, too, are to be known by themselves: another scan
 * may meet them alone.
 */
#include "base/alloc.h"
#include "scan/entering.h"
#include "scan/reading.h"
#include "scan/recording.h"
#include "sketch/text_keys.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 17 }; /* bytes; larger ones take more memory in each worker, smaller ones more rows */

/* Of a data set that is to be read, what is known of it. */
struct known_pieces {
    struct inside_known recording; /* with no chunks: nothing is */
    struct dataset_piece *list;
    size_t count, cap;
};

struct cached_entering {
    struct entering entering;
    /* The document at work: */
    bool known; /* it will be known to the cache */
    struct recorded document;
    /* and what it is inside of: */
    bool recording;
    struct inside_taken taken;
    struct buf chunk;
    uint64_t bytes;             /* of the documents in it */
    bool placed;                /* it is known where in a data set: */
    struct dataset_piece place; /* behind its last document, where it ends, another may begin */
    struct known_pieces known_pieces;
};

static struct stemma_scan *scan_of(const struct cached_entering *c) {
    return c->entering.scan;
}

static const struct source *source_of(const struct cached_entering *c, uint32_t number) {
    return &scan_of(c)->catalogue.sources[number];
}

static void cached_free(void *taker) {
    struct cached_entering *c = taker;
    if (!c) return;
    entering_release(&c->entering);
    buf_release(&c->chunk);
    mem_free(c->known_pieces.list);
    mem_free(c);
}

static stemma_status cached_new(struct stemma_scan *scan, void **out, stemma_error *err) {
    struct cached_entering *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory(err);
    stemma_status status = entering_init(&c->entering, scan, err);
    if (status == STEMMA_OK)
        *out = c;
    else
        cached_free(c);
    return status;
}

/* ---- telling ---- */

static stemma_status flush(struct cached_entering *c, uint32_t source, stemma_error *err) {
    const struct scan_cache *cache = scan_of(c)->cache;
    const struct recorded_piece piece = {c->place, c->taken.tight ? scan_of(c)->record_most : c->taken.held,
                                         c->taken.tight};
    if (c->chunk.len == 0) return STEMMA_OK;
    recording_set_piece(&c->chunk, &piece);
    if (c->taken.whole) TRY(cache->add(cache->context, source_of(c, source), &c->chunk, c->bytes, err));
    c->chunk.len = 0;
    c->bytes = 0;
    c->place.begin = c->place.end;
    return STEMMA_OK;
}

/* A chunk may end here. */
static stemma_status note_place(void *taker, uint32_t source, uint64_t offset, uint64_t line,
                                stemma_error *err) {
    struct cached_entering *c = taker;
    if (!c->placed) c->place.begin = offset;
    c->placed = true;
    c->place.end = offset;
    c->place.next_line = line;
    return c->chunk.len < CHUNK ? STEMMA_OK : flush(c, source, err);
}

static void note_held(struct cached_entering *c, uint64_t bytes) {
    if (c->taken.held < bytes) c->taken.held = bytes;
}

static stemma_status record(struct cached_entering *c, uint32_t source, const struct recorded *entry,
                            stemma_error *err) {
    TRY(recording_add(&c->chunk, entry, scan_of(c)->plan.key_bytes, err));
    c->bytes += entry->document.bytes;
    return c->chunk.len < CHUNK || c->placed ? STEMMA_OK : flush(c, source, err);
}

/* Damage lies in the bytes; a program that is missing, or time that was too short, does not. */
static stemma_status record_document(struct cached_entering *c, stemma_error *err) {
    const struct recorded *r = &c->document;
    if (r->document.state == DOCUMENT_FAILED && r->cause.status != STEMMA_CORRUPT) c->taken.whole = false;
    note_held(c, r->text_size);
    note_held(c, r->document.record_size);
    return record(c, r->document.source, r, err);
}

/* What failed is read again the next time, and so is what is damaged, to tell it. */
static stemma_status keep_file(struct cached_entering *c, stemma_error *err) {
    const struct scan_cache *cache = scan_of(c)->cache;
    const struct recorded *r = &c->document;
    const struct cached known = {.bytes_identity = r->document.bytes_identity,
                                 .text_identity = r->text_identity,
                                 .bytes = r->document.bytes,
                                 .text_size = r->text_size,
                                 .state = (enum document_state)r->document.state,
                                 .format = r->document.format,
                                 .looked_into = r->document.holds || r->document.filled,
                                 .shingles = r->shingles,
                                 .keys = r->keys,
                                 .samples = r->samples};
    if (known.state == DOCUMENT_FAILED || r->document.damaged) return STEMMA_OK;
    return cache->keep(cache->context, source_of(c, r->document.source), &known, err);
}

/* ---- what is read ---- */

static stemma_status note_document(void *taker, const struct document *document, const char *id,
                                   size_t id_size, bool *wanted, stemma_error *err) {
    struct cached_entering *c = taker;
    TRY(entering_document(taker, document, id, id_size, wanted, err));
    c->known = id ? c->recording : source_of(c, document->source)->kind == SOURCE_FILE;
    c->document = (struct recorded){.document = *document, .name = id, .name_size = id_size};
    if (c->known) *wanted = true;
    return STEMMA_OK;
}

/* A text whose keys have just been made. */
static stemma_status note_keys(struct cached_entering *c, struct identity text, uint64_t size,
                               uint32_t *class, bool *made, stemma_error *err) {
    struct entering *e = &c->entering;
    c->document.text_identity = text;
    c->document.text_size = size;
    c->document.shingles = keyer_size(e->keyer);
    c->document.keys = e->keys;
    c->document.samples = &e->samples;
    TRY(catalogue_classify(&e->scan->catalogue, e->number, text, size, class, made, err));
    return *made ? entering_keys(e, *class, e->keys, c->document.shingles, err) : STEMMA_OK;
}

static stemma_status note_text(void *taker, struct text_reader *reader, const uint8_t *text, size_t size,
                               stemma_error *err) {
    struct cached_entering *c = taker;
    struct entering *e = &c->entering;
    uint32_t class;
    bool made;
    if (!c->known) return entering_text(e, reader, text, size, err);
    TRY(text_keys(e->keyer, &e->form, reader->whole, text, size, e->keys, &e->samples, err));
    TRY(note_keys(c, identity_of(&e->scan->key, text, size), size, &class, &made, err));
    if (made) texts_keep(reader, class, text, size);
    return STEMMA_OK;
}

static stemma_status note_pieces(void *taker, struct identity text, uint64_t size, stemma_error *err) {
    struct cached_entering *c = taker;
    struct entering *e = &c->entering;
    uint32_t class;
    bool made;
    if (!c->known) return entering_end_pieces(e, text, size, err);
    TRY(keyer_end(e->keyer, e->keys, &e->samples, err));
    return note_keys(c, text, size, &class, &made, err);
}

/* A copy shares the problem of the first, here and below. */
static stemma_status note_damaged(void *taker, const stemma_error *what, stemma_error *err) {
    struct cached_entering *c = taker;
    c->document.document.damaged = true;
    c->document.cause = *what;
    return c->known && c->entering.seen ? STEMMA_OK : entering_damaged(taker, what, err);
}

static stemma_status note_no_text(void *taker, enum document_state state, const stemma_error *cause,
                                  stemma_error *err) {
    struct cached_entering *c = taker;
    c->document.document.state = (uint8_t)state;
    if (cause) c->document.cause = *cause;
    return c->known && c->entering.seen ? STEMMA_OK : entering_no_text(taker, state, cause, err);
}

static stemma_status note_end(void *taker, stemma_error *err) {
    struct cached_entering *c = taker;
    if (c->known) TRY(c->document.name ? record_document(c, err) : keep_file(c, err));
    return entering_end(taker, err);
}

/* ---- inside of what ---- */

static stemma_status begin_inside(void *taker, uint32_t source, stemma_error *err) {
    struct cached_entering *c = taker;
    const struct scan_cache *cache = scan_of(c)->cache;
    const struct inside_known before = c->known_pieces.recording;
    c->taken = (struct inside_taken){.whole = true};
    c->placed = false;
    c->place = (struct dataset_piece){0};
    c->known_pieces.recording.chunks = 0;
    return cache->begin(cache->context, source_of(c, source), before.chunks ? &before : NULL, &c->recording,
                        err);
}

static stemma_status note_problem(void *taker, uint32_t source, const char *name, uint64_t line,
                                  const stemma_error *cause, stemma_error *err) {
    struct cached_entering *c = taker;
    if (!c->recording) return STEMMA_OK;
    /* Of what an archive may not be, UNSUPPORTED says that it is encrypted, or too much: so it will be again.
     */
    const bool lasting = cause->status == STEMMA_CORRUPT ||
                         (cause->status == STEMMA_UNSUPPORTED && source_of(c, source)->kind == SOURCE_FILE);
    if (!lasting) c->taken.whole = false;
    const struct recorded entry = {
        .is_problem = true, .name = name, .name_size = strlen(name), .line = line, .cause = *cause};
    return record(c, source, &entry, err);
}

static stemma_status end_inside(void *taker, uint32_t source, const struct inside_taken *how,
                                stemma_error *err) {
    struct cached_entering *c = taker;
    const struct scan_cache *cache = scan_of(c)->cache;
    if (!c->recording)
        c->taken = (struct inside_taken){.whole = true}; /* it ends what another worker began */
    c->recording = false;
    c->taken.whole = c->taken.whole && how->whole;
    c->taken.tight = how->tight;
    note_held(c, how->held);
    TRY(flush(c, source, err));
    return cache->end(cache->context, source_of(c, source), &c->taken, err);
}

/* ---- what is known ---- */

static stemma_status enter_class(struct entering *e, const struct recorded *known, stemma_error *err) {
    uint32_t class;
    bool made;
    TRY(catalogue_classify(&e->scan->catalogue, e->number, known->text_identity, known->text_size, &class,
                           &made, err));
    if (!made) return STEMMA_OK;
    catalogue_mark_known(&e->scan->catalogue, class);
    return entering_keys(e, class, known->keys, known->shingles, err);
}

static stemma_status enter_known(struct entering *e, const struct recorded *known, stemma_error *err) {
    bool wanted;
    TRY(entering_document(e, &known->document, known->name, known->name_size, &wanted, err));
    if (known->document.state == DOCUMENT_TEXT) TRY(enter_class(e, known, err));
    if (known->document.state == DOCUMENT_FAILED && wanted)
        catalogue_fail_document(&e->scan->catalogue, e->number, &known->cause);
    if (known->document.damaged && wanted)
        catalogue_damage_document(&e->scan->catalogue, e->number, &known->cause);
    return entering_end(e, err);
}

static stemma_status enter_file(struct cached_entering *c, uint32_t source, const struct cached *known,
                                stemma_error *err) {
    const bool looks = !scan_of(c)->settings.options.no_archives;
    const struct recorded file = {.document = {.source = source,
                                               .bytes = known->bytes,
                                               .bytes_identity = known->bytes_identity,
                                               .format = known->format,
                                               .state = (uint8_t)known->state,
                                               .holds = known->looked_into && looks,
                                               .filled = known->looked_into && !looks},
                                  .text_identity = known->text_identity,
                                  .text_size = known->text_size,
                                  .shingles = known->shingles,
                                  .keys = known->keys};
    if (file.document.holds) TRY(scan_note_container(scan_of(c), &file.document, err));
    return enter_known(&c->entering, &file, err);
}

static stemma_status ask_for_file(struct cached_entering *c, uint32_t source, bool *wanted,
                                  stemma_error *err) {
    const struct scan_cache *cache = scan_of(c)->cache;
    struct cached known;
    bool found;
    TRY(cache->find(cache->context, source_of(c, source), c->entering.keys, &c->entering.samples, &known,
                    &found, err));
    *wanted = !found;
    return found ? enter_file(c, source, &known, err) : STEMMA_OK;
}

/* ---- what is known of the inside ---- */

typedef stemma_status use_entry(struct cached_entering *c, uint32_t source, struct recorded *entry,
                                stemma_error *err);

static stemma_status pass_entry(struct cached_entering *c, uint32_t source, struct recorded *entry,
                                stemma_error *err) {
    (void)c, (void)source, (void)entry, (void)err;
    return STEMMA_OK;
}

static stemma_status enter_entry(struct cached_entering *c, uint32_t source, struct recorded *entry,
                                 stemma_error *err) {
    struct stemma_scan *scan = scan_of(c);
    if (entry->is_problem) {
        catalogue_add_problem(&scan->catalogue, entry->name, entry->line, &entry->cause);
        return STEMMA_OK;
    }
    entry->document.source = source;
    progress_add(scan, 1, 0);
    return enter_known(&c->entering, entry, err);
}

static stemma_status use_chunk(struct cached_entering *c, uint32_t source, use_entry *use,
                               struct recorded_piece *piece, stemma_error *err) {
    struct recording_reader reader;
    struct recorded entry = {.samples = &c->entering.samples};
    bool more = true;
    TRY(recording_open(&reader, &c->chunk, scan_of(c)->plan.key_bytes, piece, err));
    while (more) {
        TRY(recording_next(&reader, &entry, &more, err));
        if (more) TRY(use(c, source, &entry, err));
    }
    return STEMMA_OK;
}

/* The key of a piece says where it was found. One that is not good for this scan spoils all of them: they
 * could not be kept with what is to take its place. */
static stemma_status note_piece(struct cached_entering *c, struct inside_known *known, uint32_t number,
                                const struct recorded_piece *piece, bool *good, stemma_error *err) {
    struct known_pieces *pieces = &c->known_pieces;
    const uint64_t allowed = scan_of(c)->record_most;
    *good = piece->place.begin < piece->place.end &&
            (piece->tight ? piece->held == allowed : piece->held <= allowed);
    if (!mem_grow((void **)&pieces->list, &pieces->cap, pieces->count + 1, sizeof *pieces->list))
        return fail_memory(err);
    pieces->list[pieces->count] = piece->place;
    pieces->list[pieces->count++].key = (uint64_t)known->slot << 32 | number;
    known->tight = known->tight || piece->tight;
    if (known->held < piece->held) known->held = piece->held;
    return STEMMA_OK;
}

static stemma_status use_chunks(struct cached_entering *c, uint32_t source, struct inside_known *known,
                                use_entry *use, bool *found, stemma_error *err) {
    const struct scan_cache *cache = scan_of(c)->cache;
    struct recorded_piece piece;
    *found = true;
    for (uint32_t i = 0; i < known->chunks && *found; i++) {
        TRY(check_stop(scan_of(c)->settings.limits.stop, err));
        TRY(cache->chunk(cache->context, source_of(c, source), known, i, &c->chunk, found, err));
        if (*found) TRY(use_chunk(c, source, use, &piece, err));
        if (*found && known->unfinished) TRY(note_piece(c, known, i, &piece, found, err));
    }
    c->chunk.len = 0;
    return STEMMA_OK;
}

/* Nothing is entered of what is not sound as a whole: then it is read. */
static stemma_status find_inside(struct cached_entering *c, uint32_t source, struct inside_known *known,
                                 bool *found, stemma_error *err) {
    const struct scan_cache *cache = scan_of(c)->cache;
    c->known_pieces.count = 0;
    TRY(cache->find_inside(cache->context, source_of(c, source), known, found, err));
    if (!*found) return STEMMA_OK;
    stemma_status status = use_chunks(c, source, known, pass_entry, found, err);
    if (status == STEMMA_CORRUPT) *found = false;
    return status == STEMMA_CORRUPT ? STEMMA_OK : status;
}

static stemma_status damaged_meanwhile(stemma_error *err) {
    return fail(err, STEMMA_CORRUPT, "the cache of scans became damaged meanwhile");
}

static stemma_status enter_inside(struct cached_entering *c, uint32_t source, struct inside_known *known,
                                  stemma_error *err) {
    struct source *file = &scan_of(c)->catalogue.sources[source];
    bool found;
    file->known = true;
    file->filled = known->filled;
    file->in_order = known->in_order;
    TRY(use_chunks(c, source, known, enter_entry, &found, err));
    if (!found) return damaged_meanwhile(err);
    scan_of(c)->cache->entered(scan_of(c)->cache->context, known);
    return STEMMA_OK;
}

/* ---- what is known of pieces of it ---- */

static int by_place(const void *a, const void *b) {
    const struct dataset_piece *p = a, *q = b;
    return (p->begin > q->begin) - (p->begin < q->begin);
}

/* If it is sound: none lies over another. */
static void go_on_with(struct known_pieces *pieces, const struct inside_known *known) {
    bool apart = true;
    if (pieces->count) qsort(pieces->list, pieces->count, sizeof *pieces->list, by_place);
    for (size_t i = 1; i < pieces->count; i++)
        apart = apart && pieces->list[i - 1].end <= pieces->list[i].begin;
    pieces->recording = *known;
    if (!apart) pieces->recording.chunks = pieces->count = 0;
}

static stemma_status leave_out_known(void *taker, struct dataset *dataset, stemma_error *err) {
    struct known_pieces *pieces = &((struct cached_entering *)taker)->known_pieces;
    stemma_status status = dataset_leave_out(dataset, pieces->list, pieces->count, err);
    mem_free(pieces->list);
    *pieces = (struct known_pieces){0};
    return status;
}

static stemma_status enter_piece(void *taker, uint32_t source, uint64_t key, stemma_error *err) {
    struct cached_entering *c = taker;
    const struct scan_cache *cache = scan_of(c)->cache;
    const struct inside_known known = {.slot = (uint32_t)(key >> 32)};
    struct recorded_piece piece;
    bool found;
    TRY(cache->chunk(cache->context, source_of(c, source), &known, (uint32_t)key, &c->chunk, &found, err));
    if (!found) return damaged_meanwhile(err);
    TRY(use_chunk(c, source, enter_entry, &piece, err));
    c->chunk.len = 0;
    return STEMMA_OK;
}

/* Of a data set, before it is opened; what is known of it is entered with the containers, or where only
 * pieces are, in their places. */
static stemma_status ask_for_dataset(struct cached_entering *c, uint32_t source, bool *wanted,
                                     stemma_error *err) {
    struct inside_known known;
    bool found;
    TRY(find_inside(c, source, &known, &found, err));
    *wanted = !found || known.unfinished;
    if (found && known.unfinished) go_on_with(&c->known_pieces, &known);
    if (!found) c->known_pieces.count = 0;
    if (*wanted) return STEMMA_OK;
    progress_add(scan_of(c), 0, source_of(c, source)->size);
    return scan_note_known(scan_of(c), source, err);
}

static stemma_status ask_for_source(void *taker, uint32_t source, bool *wanted, stemma_error *err) {
    switch (source_of(taker, source)->kind) {
    case SOURCE_FILE:
        return ask_for_file(taker, source, wanted, err);
    case SOURCE_DATASET:
        return ask_for_dataset(taker, source, wanted, err);
    case SOURCE_MEMORY:
        break;
    }
    return STEMMA_OK;
}

static stemma_status ask_for_inside(void *taker, uint32_t source, bool *wanted, stemma_error *err) {
    struct inside_known known;
    bool found;
    TRY(find_inside(taker, source, &known, &found, err));
    *wanted = !found || known.unfinished;
    return *wanted ? STEMMA_OK : enter_inside(taker, source, &known, err);
}

const struct taker_kind cached_taker = {.new = cached_new,
                                        .free = cached_free,
                                        .source = ask_for_source,
                                        .inside = ask_for_inside,
                                        .begin_inside = begin_inside,
                                        .problem = note_problem,
                                        .end_inside = end_inside,
                                        .known_pieces = leave_out_known,
                                        .known_piece = enter_piece,
                                        .place = note_place,
                                        .document = note_document,
                                        .damaged = note_damaged,
                                        .text = note_text,
                                        .begin_pieces = entering_begin_pieces,
                                        .end_pieces = note_pieces,
                                        .no_text = note_no_text,
                                        .end = note_end,
                                        .finish = entering_finish};
