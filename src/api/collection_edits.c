/* stemma/collection.h, asking: how far apart a document and a match are, and where they differ. */
#include "api/collection_edits.h"

#include "api/limits.h"
#include "api/text.h"
#include "base/alloc.h"
#include "sketch/edit_text.h"
#include "sketch/text_chars.h"
#include "text/utf8.h"

#include <string.h>

stemma_edit edit_none(const char *why) {
    const stemma_quantity none = {.known = true, .exact = true}, unknown = {.why = why};
    return (stemma_edit){.distance = none, .unrelated = unknown, .kind = STEMMA_EDITS_NONE};
}

/* What cannot be had says nothing against the match. */
static bool is_serious(stemma_status status) {
    return status == STEMMA_NO_MEMORY || status == STEMMA_INTERRUPTED;
}

/* Both texts, what is made of them to compare them, and what else is held of both documents. */
enum { SHARES = 4 };
/* Of its share of the memory a text takes so many times its size. */
enum { TIMES = 4 };

/* A document in question. Its text is made when the first of its answers needs it: a file is opened, and an
 * archive gone through, once. */
struct question_text {
    struct stemma_collection *c;
    const struct asked_document *d;
    stemma_limits limits; /* for one of the shares */
    size_t aside;         /* texts that long are measured by one thread at a time */
    int alone;            /* how often this one asked for that */
    bool tried;           /* to make it, */
    stemma_text *text;    /* which may be too long: NULL */
    bool known;           /* it leads back to the original */
    struct buf chars;     /* those of its canonical text, when one of the texts does not */
};

/* What is known of a pair does not depend on the number of threads, so each of them may have all of the
 * memory: but not at once. */
static void wait_for_turn(struct question_text *q, size_t size) {
    if (size >= q->aside && q->alone++ == 0) pthread_mutex_lock(&q->c->measuring);
}

static void end_turn(struct question_text *q, size_t size) {
    if (size >= q->aside && --q->alone == 0) pthread_mutex_unlock(&q->c->measuring);
}

static const char too_long[] = "the texts are too long for the memory allowed";

/* ---- from texts ---- */

/* A text with its way back to the original, if that still is what the canonical text was made from. */
static stemma_status original_text(stemma_status made, stemma_text **text, const uint8_t *canonical,
                                   size_t size, const stemma_error *cause, bool *known, stemma_error *err) {
    if (is_serious(made)) return fail(err, made, "%s", cause->message);
    *known =
        made == STEMMA_OK && (*text)->text.len == size && memcmp((*text)->text.data, canonical, size) == 0;
    if (made == STEMMA_OK && !*known) {
        stemma_text_free(*text);
        *text = NULL;
    }
    return STEMMA_OK;
}

static stemma_status text_of_question(struct question_text *q, stemma_error *err) {
    const struct asked_document *d = q->d;
    const stemma_recipe *recipe = q->c->recipe;
    stemma_error cause;
    stemma_status status = STEMMA_NOT_FOUND;
    if (d->name)
        status = stemma_text_file(d->name, recipe, &q->limits, &q->text, &cause);
    else if (d->bytes)
        status = text_of_document(d->bytes, d->size, NULL, recipe, &q->limits, &q->text, &cause);
    TRY(original_text(status, &q->text, d->text, d->text_size, &cause, &q->known, err));
    return q->known ? STEMMA_OK : text_of_text(d->text, d->text_size, recipe, &q->limits, &q->text, err);
}

static stemma_status need_text(struct question_text *q, stemma_error *err) {
    stemma_error cause;
    if (q->tried) return STEMMA_OK;
    q->tried = true;
    wait_for_turn(q, q->d->text_size); /* to its end */
    stemma_status status = text_of_question(q, &cause);
    return is_serious(status) ? fail(err, status, "%s", cause.message) : STEMMA_OK;
}

static stemma_status text_of_stored(const struct question_text *q, const struct again_text *stored,
                                    stemma_text **out, bool *known, stemma_error *err) {
    const stemma_recipe *recipe = q->c->recipe;
    stemma_error cause;
    stemma_status status = STEMMA_NOT_FOUND;
    *out = NULL;
    if (stored->bytes)
        status = text_of_document(stored->bytes, stored->size, stored->name, recipe, &q->limits, out, &cause);
    TRY(original_text(status, out, stored->text, stored->text_size, &cause, known, err));
    return *known ? STEMMA_OK : text_of_text(stored->text, stored->text_size, recipe, &q->limits, out, err);
}

static size_t alignment_bytes(const stemma_alignment *alignment) {
    size_t differences = 0, shared = 0;
    if (!alignment) return 0;
    stemma_alignment_differences(alignment, &differences);
    stemma_alignment_shared(alignment, &shared);
    return differences * sizeof(stemma_difference) + shared * sizeof(stemma_passage);
}

/* The characters of a canonical text, in UTF-8. Of texts that are known in that form the same characters
 * count, whether or not words of one letter were set off by spaces. */
static stemma_status make_chars(const struct view *view, const uint8_t *text, size_t size, struct buf *out,
                                stemma_error *err) {
    enum { PIECE = 4096 };
    uint32_t made[PIECE + TEXT_CHARS_MORE];
    struct text_chars chars;
    bool last = false;
    text_chars_init(&chars, view);
    while (!last) {
        const size_t piece = size < PIECE ? size : PIECE;
        last = size == 0;
        const size_t count =
            last ? text_chars_finish(&chars, made, NULL) : text_chars_put(&chars, text, piece, made, NULL);
        if (!buf_reserve(out, 4 * count)) return fail_memory(err);
        for (size_t i = 0; i < count; i++) {
            const bool stray = made[i] >= STRAY_BYTE;
            if (stray) out->data[out->len++] = (uint8_t)(made[i] - STRAY_BYTE);
            if (!stray) out->len += utf8_encode(made[i], out->data + out->len);
        }
        text += piece;
        size -= piece;
    }
    return STEMMA_OK;
}

/* Where a text is not known but in its canonical form, places are in that. Edits are counted in the sources
 * of both, or, if given, in the characters. */
static stemma_status compare_texts(const struct question_text *q, const stemma_text *b,
                                   const struct buf *a_chars, const struct buf *b_chars,
                                   struct answer *answer, stemma_error *err) {
    const stemma_text *a = q->text;
    const struct edit_side a_side = {a_chars ? a_chars : &a->source, a->count},
                           b_side = {b_chars ? b_chars : &b->source, b->count};
    stemma_error cause;
    stemma_status status = stemma_align_texts(a, b, NULL, &q->limits, &answer->alignment, &cause);
    if (status != STEMMA_OK) answer->alignment = NULL;
    if (is_serious(status)) return fail(err, status, "%s", cause.message);
    status = edit_of_sides(a_side, b_side, &q->c->recipe->view, answer->alignment, NULL, &q->limits,
                           &answer->edit, &cause);
    if (is_serious(status)) return fail(err, status, "%s", cause.message);
    if (status != STEMMA_OK) answer->edit = edit_unknown(too_long);
    answer->places_bytes = alignment_bytes(answer->alignment);
    answer->extracted[0] = stemma_text_is_extracted(a);
    answer->extracted[1] = stemma_text_is_extracted(b);
    return STEMMA_OK;
}

static stemma_status compare_chars(struct question_text *q, const struct again_text *stored,
                                   const stemma_text *b, struct answer *answer, stemma_error *err) {
    const struct view *view = &q->c->recipe->view;
    struct buf chars = {0};
    if (q->chars.len == 0) TRY(make_chars(view, q->d->text, q->d->text_size, &q->chars, err));
    stemma_status status = make_chars(view, stored->text, stored->text_size, &chars, err);
    if (status == STEMMA_OK) status = compare_texts(q, b, &q->chars, &chars, answer, err);
    buf_release(&chars);
    return status;
}

static stemma_status make_and_compare(struct question_text *q, const struct again_text *stored,
                                      struct answer *answer, stemma_error *err) {
    stemma_text *b;
    bool known;
    TRY(text_of_stored(q, stored, &b, &known, err));
    stemma_status status = q->known && known ? compare_texts(q, b, NULL, NULL, answer, err)
                                             : compare_chars(q, stored, b, answer, err);
    answer->canonical[0] = !q->known;
    answer->canonical[1] = !known;
    stemma_text_free(b);
    return status;
}

static stemma_status measure_texts(struct question_text *q, const struct again_text *stored,
                                   struct answer *answer, stemma_error *err) {
    stemma_error cause;
    TRY(need_text(q, err));
    wait_for_turn(q, stored->text_size);
    stemma_status status = q->text ? make_and_compare(q, stored, answer, &cause) : STEMMA_UNSUPPORTED;
    end_turn(q, stored->text_size);
    if (is_serious(status)) return fail(err, status, "%s", cause.message);
    if (status != STEMMA_OK && answer->edit.kind != STEMMA_EDITS_NONE) answer->edit = edit_unknown(too_long);
    return STEMMA_OK;
}

/* ---- from signatures ---- */

/* The first token that ends behind a byte of the canonical text; all are before it: their number. */
static size_t token_behind(const stemma_text *text, uint64_t byte) {
    size_t low = 0, high = text->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct packed_token *token = &text->tokens[middle];
        if (token->begin + token->size > byte)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Whole tokens, of which some bytes of the canonical text are parts. */
static stemma_place place_of(const stemma_text *text, uint64_t begin, uint64_t end) {
    const size_t first = token_behind(text, begin);
    size_t last = token_behind(text, end);
    if (last < text->count && text->tokens[last].begin < end) last++;
    return text_place(text, first, last > first ? last : first);
}

static stemma_status list_regions(const struct signature_pair *pair, const stemma_text *a,
                                  struct answer *answer, stemma_error *err) {
    struct edit_regions found;
    TRY(find_edit_regions(&pair->a, &pair->b, &found, err));
    stemma_match_region *list = mem_alloc((found.count + 1) * sizeof *list);
    for (size_t i = 0; list && i < found.count; i++) {
        const struct region_side *side = &found.list[i].a;
        const uint64_t end = pair->a.positions ? side->byte_end : UINT64_MAX; /* without a symbol: anywhere */
        list[i] = (stemma_match_region){.about = region_of(&found.list[i])};
        if (a) list[i].a = place_of(a, side->byte_begin, end);
    }
    answer->regions = list;
    answer->region_count = list ? found.count : 0;
    answer->places_bytes = answer->region_count * sizeof *list;
    answer->placed = a;
    edit_regions_release(&found);
    return list ? STEMMA_OK : fail_memory(err);
}

/* Places are in the document in question, if it can be read. */
static stemma_status find_regions(struct question_text *q, const struct signature_pair *pair,
                                  struct answer *answer, stemma_error *err) {
    if (q->d->text) TRY(need_text(q, err));
    TRY(list_regions(pair, q->text, answer, err));
    answer->extracted[0] = q->text && stemma_text_is_extracted(q->text);
    answer->canonical[0] = q->text && !q->known;
    return STEMMA_OK;
}

stemma_status edit_by_signatures(const struct view *view, const struct signature_pair *pair, stemma_edit *out,
                                 stemma_error *err) {
    stemma_error cause;
    stemma_status status = edit_of_signatures(&pair->a, &pair->b, edit_text_is_bytes(view), out, &cause);
    if (status == STEMMA_MISMATCH)
        *out = edit_unknown("the texts are too different in length for their signatures");
    else if (status != STEMMA_OK)
        return fail(err, status, "%s", cause.message);
    return STEMMA_OK;
}

static stemma_status measure_signatures(struct question_text *q, const struct signature_pair *pair,
                                        struct answer *answer, stemma_error *err) {
    TRY(edit_by_signatures(&q->c->recipe->view, pair, &answer->edit, err));
    if (!answer->edit.distance.known || answer->edit.kind == STEMMA_EDITS_UNRELATED) return STEMMA_OK;
    return find_regions(q, pair, answer, err);
}

/* ---- one answer ---- */

/* What digests say, and why no more is known. */
static stemma_edit edit_by_digests(const struct stemma_collection *c, const struct answer *answer) {
    struct signature_form form;
    const bool kept = signature_find_part(collection_schema(c->store), &form) >= 0;
    if (answer->relation == STEMMA_IDENTICAL) return edit_none("the bytes are the same");
    if (answer->relation == STEMMA_SAME_TEXT) return edit_none("the texts are the same");
    if (answer->evidence == STEMMA_FROM_CHANGED)
        return edit_unknown(kept ? "the document has changed since it was added, and has no signature"
                                 : "the document has changed since it was added, and signatures are not "
                                   "kept (stemma add --signature)");
    if (answer->evidence == STEMMA_FROM_GONE)
        return edit_unknown(kept ? "the document can no longer be read, and has no signature"
                                 : "the document can no longer be read, and signatures are not kept "
                                   "(stemma add --signature)");
    return edit_unknown("the document asked about can no longer be read");
}

static stemma_status begin(const struct asker_settings *settings, const struct asked_document *document,
                           void **question, stemma_error *err) {
    stemma_limits limits = settings->limits;
    limits.memory /= SHARES;
    TRY(limits_check(&limits, &limits, err)); /* there is a least */
    struct question_text *q = mem_zero(1, sizeof *q);
    if (!q) return fail_memory(err);
    q->c = settings->context;
    q->d = document;
    q->aside = settings->limits.memory / SHARES / TIMES / settings->threads + 1;
    q->limits = limits;
    *question = q;
    return STEMMA_OK;
}

static stemma_status measure(void *question, const struct known_of *known, struct answer *answer,
                             stemma_error *err) {
    struct question_text *q = question;
    const bool same = answer->relation == STEMMA_IDENTICAL || answer->relation == STEMMA_SAME_TEXT;
    answer->edit = edit_by_digests(q->c, answer);
    if (known->text) return measure_texts(q, known->text, answer, err);
    return known->signatures && !same ? measure_signatures(q, known->signatures, answer, err) : STEMMA_OK;
}

static void end(void *question) {
    struct question_text *q = question;
    stemma_text_free(q->text);
    buf_release(&q->chars);
    if (q->tried) end_turn(q, q->d->text_size);
    mem_free(q);
}

const struct measuring collection_measuring = {.begin = begin, .one = measure, .end = end};
