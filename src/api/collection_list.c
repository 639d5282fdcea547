/* stemma/collection.h: what a collection has, and what is to go by its name. */
#include "api/collection.h"
#include "base/alloc.h"
#include "collect/listing.h"
#include "collect/removing.h"
#include "index/hamming/parts.h"
#include "index/stored_signature.h"
#include "index/verify.h"
#include "read/format.h"

#include <string.h>
#include <sys/stat.h>

/* ---- documents ---- */

struct listing {
    stemma_collection_take *take;
    void *context;
    struct buf id, source; /* with their NUL */
};

static stemma_status copy_text(struct buf *to, const uint8_t *bytes, size_t size, stemma_error *err) {
    to->len = 0;
    return buf_add(to, bytes, size) && buf_add_byte(to, 0) ? STEMMA_OK : fail_memory(err);
}

static stemma_status give_document(void *context, uint64_t number, struct cell id, const struct facts *facts,
                                   stemma_error *err) {
    struct listing *l = context;
    TRY(copy_text(&l->id, id.bytes, id.size, err));
    if (facts->path_bytes > id.size) return fail(err, STEMMA_CORRUPT, "the facts of a document are damaged");
    TRY(copy_text(&l->source, id.bytes, facts->path_bytes, err));
    const stemma_collection_document document = {.id = (const char *)l->id.data,
                                                 .source =
                                                     facts->path_bytes ? (const char *)l->source.data : NULL,
                                                 .number = number,
                                                 .bytes = facts->bytes,
                                                 .text_bytes = facts->text_bytes,
                                                 .shingles = facts->shingles,
                                                 .modified = facts->modified,
                                                 .form = format_name((enum text_format)facts->format),
                                                 .binary = facts->state == FACTS_BINARY,
                                                 .empty = facts->state == FACTS_EMPTY,
                                                 .container = facts->state == FACTS_CONTAINER,
                                                 .unreadable = facts->state == FACTS_FAILED,
                                                 .outdated = facts->outdated};
    return l->take(l->context, &document, err);
}

stemma_status stemma_collection_list(stemma_collection *c, const char *glob, stemma_collection_take *take,
                                     void *context, stemma_error *err) {
    struct listing l = {.take = take, .context = context};
    if (!c || !take)
        return fail(err, STEMMA_INVALID, "a collection and a function that takes documents are needed");
    stemma_status status = collection_each_by_id(c->store, glob, &c->limits, give_document, &l, err);
    buf_release(&l.id);
    buf_release(&l.source);
    return status;
}

/* ---- removing ---- */

struct removal {
    struct stemma_collection *collection;
    const char *const *globs;
    size_t count;
    uint64_t *matched; /* by each; NULL: not asked for */
    uint64_t removed;
};

static bool matches_any(struct removal *r, struct cell id) {
    bool any = false;
    for (size_t i = 0; i < r->count && (!any || r->matched); i++) {
        const bool matches = id_matches(r->globs[i], (const char *)id.bytes, id.size);
        if (r->matched) r->matched[i] += matches;
        any = any || matches;
    }
    return any;
}

static stemma_status remove_listed(void *context, uint64_t number, struct cell id, const struct facts *facts,
                                   stemma_error *err) {
    struct removal *r = context;
    (void)number;
    if (!matches_any(r, id)) return STEMMA_OK;
    return remove_document(&r->collection->pending, id, facts, &r->removed, err);
}

stemma_status stemma_collection_remove_matching_any(stemma_collection *c, const char *const *globs,
                                                    size_t count, uint64_t *matched, uint64_t *removed,
                                                    stemma_error *err) {
    struct removal r = {.collection = c, .globs = globs, .count = count, .matched = matched};
    TRY(collection_check_writer(c, err));
    for (size_t i = 0; i < count; i++) {
        if (!globs || !globs[i]) return fail(err, STEMMA_INVALID, "a pattern is needed");
        if (matched) matched[i] = 0;
    }
    if (count) TRY(collection_each(c->store, NULL, c->limits.stop, remove_listed, &r, err));
    if (removed) *removed = r.removed;
    return STEMMA_OK;
}

stemma_status stemma_collection_remove_matching(stemma_collection *c, const char *glob, uint64_t *removed,
                                                stemma_error *err) {
    return stemma_collection_remove_matching_any(c, &glob, 1, NULL, removed, err);
}

/* ---- the whole ---- */

static const struct {
    uint32_t kind;
    const char *name;
    unsigned part;
    bool index;
} kind_names[] = {{KIND_NUMBERS, "numbers", 0, false},
                  {KIND_RECORDS, "records", 0, false},
                  {KIND_IDS, "ids", 0, true},
                  {KIND_MEMBER_KEYS, "members", 0, true},
                  {KIND_DIGEST_KEYS, "digests", 0, true},
                  {KIND_MINIMA, "minima", STEMMA_PART_MINIMA, false},
                  {KIND_BAND_KEYS, "bands", STEMMA_PART_MINIMA, true},
                  {KIND_SAMPLES, "samples", STEMMA_PART_SAMPLES, false},
                  {KIND_SAMPLE_KEYS, "sample index", STEMMA_PART_SAMPLES, true},
                  {KIND_SHORT_SAMPLES, "samples", STEMMA_PART_SAMPLES, false},
                  {KIND_SHORT_SAMPLE_KEYS, "sample index", STEMMA_PART_SAMPLES, true},
                  {KIND_BITS, "bits", STEMMA_PART_BITS, false},
                  {KIND_GROUP_KEYS, "group index", STEMMA_PART_GROUPS, true},
                  {KIND_SIGNATURE, "signatures", STEMMA_PART_SIGNATURE, false},
                  {KIND_TEXT, "texts", STEMMA_PART_TEXT, false},
                  {KIND_SKETCH, "sketches", 0, false},
                  {KIND_SCAN_KEYS, "scan keys", 0, false}};
enum { KIND_NAMES = sizeof kind_names / sizeof *kind_names };

static size_t name_of(uint32_t kind) {
    size_t i = 0;
    while (i < KIND_NAMES && kind_names[i].kind != kind) i++;
    return i;
}

/* Parts of one kind are told together. */
static stemma_status list_parts(struct stemma_collection *c, stemma_collection_info *info,
                                stemma_error *err) {
    const struct schema *schema = collection_schema(c->store);
    uint64_t bytes[KIND_NAMES] = {0};
    size_t count = 0;
    for (size_t i = 0; i < KIND_NAMES; i++)
        if (i < 3) bytes[i] = collection_part_bytes(c->store, kind_names[i].kind, 0);
    for (size_t i = 0; i < schema->count; i++) {
        const struct part *part = &schema->parts[i];
        size_t name = name_of(part->kind);
        if (name == KIND_NAMES) continue;
        bytes[name] += collection_part_bytes(c->store, part->kind, part->spec);
        info->parts |= kind_names[name].part;
    }
    if (!mem_grow((void **)&c->parts, &c->part_cap, KIND_NAMES, sizeof *c->parts)) return fail_memory(err);
    for (size_t i = 0; i < KIND_NAMES; i++) {
        if (bytes[i] == 0) continue;
        c->parts[count++] = (stemma_collection_part){kind_names[i].name, bytes[i], kind_names[i].index};
    }
    info->part_list = c->parts;
    info->part_count = count;
    return STEMMA_OK;
}

static stemma_status count_key(struct stemma_collection *c, uint64_t key, uint64_t *count,
                               stemma_error *err) {
    const int part = schema_find(collection_schema(c->store), KIND_MEMBER_KEYS, 0);
    size_t counted = 0;
    if (part >= 0) TRY(collection_count(c->store, (size_t)part, key, SIZE_MAX, &counted, err));
    *count = counted;
    return STEMMA_OK;
}

stemma_status collection_without_bits(struct stemma_collection *c, uint64_t *count, stemma_error *err) {
    return count_key(c, NO_BITS_KEY, count, err);
}

/* Of an older collection: the time of the manifest, which each commit replaces; 0 when it cannot be had. */
static stemma_status time_of_manifest(const struct stemma_collection *c, int64_t *out, stemma_error *err) {
    struct buf path = {0};
    struct stat info = {0};
    bool kept = buf_add_string(&path, collection_path(c->store)) && buf_add(&path, "/manifest", 10);
    if (kept && stat((const char *)path.data, &info) == 0)
        *out = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    buf_release(&path);
    return kept ? STEMMA_OK : fail_memory(err);
}

static stemma_status glance(struct stemma_collection *c, stemma_collection_info *info, stemma_error *err) {
    stemma_status status = collection_glance(c->store, &c->health);
    if (status == STEMMA_CORRUPT) info->damage = c->health.message;
    return status == STEMMA_OK || status == STEMMA_CORRUPT ? STEMMA_OK
                                                           : fail(err, status, "%s", c->health.message);
}

stemma_status stemma_collection_get_info(stemma_collection *c, stemma_collection_info *out,
                                         stemma_error *err) {
    struct collection_facts facts;
    struct bits_layout layout;
    struct signature_form form;
    stemma_collection_info info = {0};
    if (!c || !out)
        return fail(err, STEMMA_INVALID, "a collection and a place for what is known of it are needed");
    collection_about(c->store, &facts);
    TRY(count_key(c, DATASET_KEY, &info.datasets, err));
    TRY(collection_without_bits(c, &info.without_bits, err));
    TRY(list_parts(c, &info, err));
    bits_layout_read(collection_schema(c->store), &layout);
    info.bits = layout.bits;
    info.group_bits = layout.group_bits;
    if (signature_find_part(collection_schema(c->store), &form) >= 0) info.signature_symbols = form.most;
    info.committed = facts.committed;
    if (!info.committed) TRY(time_of_manifest(c, &info.committed, err));
    TRY(glance(c, &info, err));
    info.documents = facts.documents - info.datasets;
    info.bytes = facts.bytes;
    info.gone = facts.gone;
    info.segments = facts.segments;
    info.segments_due = collection_due(c->store);
    info.commit = facts.commit;
    *out = info;
    return STEMMA_OK;
}
