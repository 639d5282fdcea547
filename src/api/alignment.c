/* Where two texts agree and differ: tokens as numbers, their alignment, and the way back to the originals. */
#include "align/tokens/passages.h"
#include "align/tokens/readable.h"
#include "api/limits.h"
#include "api/text.h"
#include "base/alloc.h"

struct stemma_alignment {
    stemma_difference *differences;
    size_t difference_count;
    stemma_passage *shared;
    size_t shared_count;
};

enum { DEFAULT_LEAST = 8 };

/* Common tokens given up, at most, to make two changes one. */
enum { JOIN_MOST = 3 };

/* Memory taken for a token of either text, at most. */
enum { TOKEN_BYTES = 100 };

const char *stemma_change_name(stemma_change change) {
    switch (change) {
    case STEMMA_CHANGE_INSERT:
        return "insert";
    case STEMMA_CHANGE_DELETE:
        return "delete";
    case STEMMA_CHANGE_REPLACE:
        return "replace";
    }
    return "unknown";
}

stemma_align_options stemma_align_options_default(void) {
    return (stemma_align_options){.size = sizeof(stemma_align_options), .least = DEFAULT_LEAST};
}

/* ---- what the aligner asks of a text ---- */

enum seam { SEAM_NONE, SEAM_PUNCTUATION, SEAM_LINE, SEAM_SENTENCE, SEAM_PARAGRAPH };

/* By what stands between two tokens in the original. Ideographic full stops end with the bytes E3 80 82. */
static unsigned seam_of(const uint8_t *bytes, size_t size) {
    unsigned lines = 0, seam = SEAM_NONE;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = bytes[i];
        unsigned found = SEAM_NONE;
        if (byte == '\n')
            found = ++lines > 1 ? SEAM_PARAGRAPH : SEAM_LINE;
        else if (byte == '.' || byte == '!' || byte == '?' ||
                 (byte == 0x82 && i >= 2 && bytes[i - 1] == 0x80))
            found = SEAM_SENTENCE;
        else if (byte > ' ' && byte < 0x80)
            found = SEAM_PUNCTUATION;
        if (found > seam) seam = found;
    }
    return seam;
}

/* More than this between two tokens says nothing more. */
enum { SEAM_BYTES = 64 };

static unsigned seam_before(const void *context, size_t token) {
    const stemma_text *text = context;
    if (token == 0 || token == text->count) return SEAM_PARAGRAPH;
    uint64_t begin = text_source_end(text, token - 1), end = text_source_begin(text, token);
    if (end <= begin) return SEAM_NONE;
    return seam_of(text->source.data + begin, end - begin < SEAM_BYTES ? (size_t)(end - begin) : SEAM_BYTES);
}

/* Of words: by punctuation without white space, as the 5 of 4.5. */
static bool glued_before(const void *context, size_t token) {
    const stemma_text *text = context;
    if (text->unit != UNIT_WORD || token == 0 || token >= text->count) return false;
    uint64_t begin = text_source_end(text, token - 1), end = text_source_begin(text, token);
    if (end <= begin || end - begin > SEAM_BYTES) return false;
    for (uint64_t i = begin; i < end; i++)
        if (text->source.data[i] <= ' ') return false;
    return true;
}

static size_t token_length(const void *context, size_t token) {
    const stemma_text *text = context;
    return text->tokens[token].size;
}

static struct token_text tokens_of(const stemma_text *text) {
    return (struct token_text){text->text.data, text->text.len, text->tokens, text->count};
}

/* ---- places ---- */

static stemma_difference difference_of(const stemma_text *a, const stemma_text *b, const struct hunk *hunk) {
    stemma_change kind = hunk->a_begin == hunk->a_end   ? STEMMA_CHANGE_INSERT
                         : hunk->b_begin == hunk->b_end ? STEMMA_CHANGE_DELETE
                                                        : STEMMA_CHANGE_REPLACE;
    return (stemma_difference){kind, text_place(a, hunk->a_begin, hunk->a_end),
                               text_place(b, hunk->b_begin, hunk->b_end)};
}

static stemma_passage passage_of(const stemma_text *a, const stemma_text *b, const struct common_run *run) {
    return (stemma_passage){.a = text_place(a, run->a, run->a + run->length),
                            .b = text_place(b, run->b, run->b + run->length),
                            .tokens = run->length,
                            .moved = run->moved};
}

static stemma_status fill(stemma_alignment *alignment, const stemma_text *a, const stemma_text *b,
                          const struct hunk_list *hunks, const struct common_runs *runs, stemma_error *err) {
    alignment->differences = mem_alloc(hunks->count * sizeof *alignment->differences);
    alignment->shared = mem_alloc(runs->count * sizeof *alignment->shared);
    if (!alignment->differences || !alignment->shared) return fail_memory(err);
    alignment->difference_count = hunks->count;
    alignment->shared_count = runs->count;
    for (size_t i = 0; i < hunks->count; i++)
        alignment->differences[i] = difference_of(a, b, &hunks->hunks[i]);
    for (size_t i = 0; i < runs->count; i++) alignment->shared[i] = passage_of(a, b, &runs->runs[i]);
    return STEMMA_OK;
}

/* ---- aligning ---- */

static stemma_status check_texts(const stemma_text *a, const stemma_text *b, const stemma_limits *limits,
                                 stemma_error *err) {
    if (a->unit != b->unit) return fail(err, STEMMA_MISMATCH, "the texts differ in unit");
    if (a->folds != b->folds) return fail(err, STEMMA_MISMATCH, "the texts differ in preset");
    size_t tokens = a->count + b->count;
    if (tokens <= limits->memory / TOKEN_BYTES) return STEMMA_OK;
    return fail(
        err, STEMMA_UNSUPPORTED,
        "the documents have %zu tokens, and to align them needs about %d bytes of memory for each: allow more (--memory)",
        tokens, TOKEN_BYTES);
}

static stemma_status align_ids(stemma_alignment *alignment, const stemma_text *a, const stemma_text *b,
                               const struct id_pair *pair, size_t least, const volatile int *stop,
                               stemma_error *err) {
    struct hunk_list hunks;
    struct common_runs runs = {0};
    struct readable how = {
        .a = a, .b = b, .seam = seam_before, .length = token_length, .glued = glued_before};
    if (a->unit != UNIT_LINE) how.join_most = least - 1 < JOIN_MOST ? least - 1 : JOIN_MOST;
    TRY(tokens_diff(pair, stop, &hunks, err));
    make_readable(pair, &how, &hunks);
    stemma_status status = common_runs_find(pair, &hunks, least, stop, &runs, err);
    if (status == STEMMA_OK) status = keep_moves_whole(&runs, &hunks, err);
    if (status == STEMMA_OK) status = fill(alignment, a, b, &hunks, &runs, err);
    hunk_list_release(&hunks);
    common_runs_release(&runs);
    return status;
}

static stemma_status align(stemma_alignment *alignment, const stemma_text *a, const stemma_text *b,
                           size_t least, const volatile int *stop, stemma_error *err) {
    struct id_pair pair;
    struct token_text a_tokens = tokens_of(a), b_tokens = tokens_of(b);
    TRY(id_pair_init(&pair, &a_tokens, &b_tokens, err));
    stemma_status status = align_ids(alignment, a, b, &pair, least, stop, err);
    id_pair_release(&pair);
    return status;
}

stemma_status stemma_align_texts(const stemma_text *a, const stemma_text *b,
                                 const stemma_align_options *given_options, const stemma_limits *given,
                                 stemma_alignment **out, stemma_error *err) {
    stemma_limits limits;
    stemma_align_options options = stemma_align_options_default();
    if (!a || !b || !out)
        return fail(err, STEMMA_INVALID, "two texts and a place for the alignment are needed");
    TRY(options_take(given_options, &options, sizeof options, err));
    if (options.least == 0) options.least = DEFAULT_LEAST;
    TRY(limits_check(given, &limits, err));
    TRY(check_texts(a, b, &limits, err));
    stemma_alignment *alignment = mem_zero(1, sizeof *alignment);
    stemma_status status =
        alignment ? align(alignment, a, b, options.least, limits.stop, err) : fail_memory(err);
    if (status == STEMMA_OK)
        *out = alignment;
    else
        stemma_alignment_free(alignment);
    return status;
}

const stemma_difference *stemma_alignment_differences(const stemma_alignment *alignment, size_t *count) {
    *count = alignment->difference_count;
    return alignment->differences;
}

const stemma_passage *stemma_alignment_shared(const stemma_alignment *alignment, size_t *count) {
    *count = alignment->shared_count;
    return alignment->shared;
}

void stemma_alignment_free(stemma_alignment *alignment) {
    if (!alignment) return;
    mem_free(alignment->differences);
    mem_free(alignment->shared);
    mem_free(alignment);
}
