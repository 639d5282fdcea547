#include "edit_trials.h"

#include "align/distance/distance.h"
#include "align/signature/parity.h"
#include "base/rng.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT ((size_t)13508) /* the text of 2011 */
#define LONG  ((size_t)24728) /* that of 2015 */

/* Where a third of the characters changes, only short windows survive; elsewhere 8 characters see small
 * changes better. At equal bytes: the papers spend a byte per symbol, so does an alphabet of 256. */
const struct trial trials[] = {
    {"1 % substituted", TRIAL_SUBSTITUTE, .01, SHORT, 6, 50, 65536, .003, ".0159"},
    {"5 %", TRIAL_SUBSTITUTE, .05, SHORT, 6, 50, 65536, .008, ".0179"},
    {"10 %", TRIAL_SUBSTITUTE, .10, SHORT, 6, 50, 65536, .012, ".0787"},
    {"20 %", TRIAL_SUBSTITUTE, .20, SHORT, 6, 50, 65536, .02, ".0273"},
    {"30 %", TRIAL_SUBSTITUTE, .30, SHORT, 6, 50, 65536, .03, ".0308"},
    {"1 block of 500 inserted", TRIAL_INSERT_BLOCKS, 1, SHORT, 6, 50, 65536, .002, ".0182"},
    {"5 blocks", TRIAL_INSERT_BLOCKS, 5, SHORT, 6, 50, 65536, .005, ".0327"},
    {"10 blocks", TRIAL_INSERT_BLOCKS, 10, SHORT, 6, 50, 65536, .007, ".0690"},
    {"1 % substituted", TRIAL_SUBSTITUTE, .01, SHORT, 8, 100, 65536, .004, ".0043"},
    {"5 %", TRIAL_SUBSTITUTE, .05, SHORT, 8, 100, 65536, .010, ".0132"},
    {"10 %", TRIAL_SUBSTITUTE, .10, SHORT, 8, 100, 65536, .015, ".0310"},
    {"20 %", TRIAL_SUBSTITUTE, .20, SHORT, 8, 100, 65536, .03, ".0864"},
    {"line of 39 deleted", TRIAL_DELETE_LINES, 39, LONG, 8, 101, 256, .001, ".0016"},
    {"blocks of lines, 1,192", TRIAL_DELETE_BLOCKS, 1192, LONG, 8, 101, 256, .005, ".0069"},
    {"blocks of lines, 767", TRIAL_DELETE_BLOCKS, 767, LONG, 8, 101, 256, .0025, ".0044"},
    {"words, 2,948", TRIAL_DELETE_WORDS, 2948, LONG, 8, 101, 256, .04, ".0527"},
    {"line of 39 deleted", TRIAL_DELETE_LINES, 39, LONG, 8, 200, 256, .001, ".0016"},
    {"blocks of lines, 1,192", TRIAL_DELETE_BLOCKS, 1192, LONG, 8, 200, 256, .008, ".0237"},
    {"blocks of lines, 767", TRIAL_DELETE_BLOCKS, 767, LONG, 8, 200, 256, .0015, ".0017"},
    {"words, 2,948", TRIAL_DELETE_WORDS, 2948, LONG, 8, 200, 256, .04, ".1314"},
    {"line of 39 deleted", TRIAL_DELETE_LINES, 39, LONG, 8, 307, 256, .001, ".0016"},
    {"blocks of lines, 1,192", TRIAL_DELETE_BLOCKS, 1192, LONG, 8, 307, 256, .008, ".0338"},
    {"blocks of lines, 767", TRIAL_DELETE_BLOCKS, 767, LONG, 8, 307, 256, .0015, ".0166"},
    {"words, 2,948", TRIAL_DELETE_WORDS, 2948, LONG, 8, 307, 256, .04, ".0547"},
    {"embedded in three times its length", TRIAL_EMBED, 0, SHORT, 8, 64, 65536, .001, ""},
};
const size_t trial_count = sizeof trials / sizeof *trials;

static void check(stemma_status status) {
    if (status == STEMMA_OK) return;
    fprintf(stderr, "edit trials: %s\n", stemma_status_text(status));
    exit(2);
}

static void add(struct buf *out, const uint8_t *bytes, size_t size) {
    check(buf_add(out, bytes, size) ? STEMMA_OK : STEMMA_NO_MEMORY);
}

static void cut(struct buf *text, size_t begin, size_t size) {
    memmove(text->data + begin, text->data + begin + size, text->len - begin - size);
    text->len -= size;
}

static void insert(struct buf *text, size_t at, const uint8_t *bytes, size_t size) {
    add(text, bytes, size);
    memmove(text->data + at + size, text->data + at, text->len - size - at);
    memcpy(text->data + at, bytes, size);
}

static void substitute(struct buf *text, double share, uint64_t *rng) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz ";
    for (size_t i = 0; i < text->len; i++) {
        if (rng_unit(rng) >= share) continue;
        uint8_t before = text->data[i];
        while (text->data[i] == before) text->data[i] = (uint8_t)letters[rng_below(rng, sizeof letters - 1)];
    }
}

static void delete_words(struct buf *text, size_t characters, uint64_t *rng) {
    size_t least = text->len - characters;
    while (text->len > least) {
        size_t begin = rng_below(rng, text->len - 40), end;
        while (begin && text->data[begin - 1] != ' ') begin--;
        for (end = begin; end < text->len && text->data[end] != ' ';) end++;
        cut(text, begin, (end < text->len ? end + 1 : end) - begin);
    }
}

/* The edited copy; `other` is text that the original does not have. */
static struct buf edited(const struct trial *trial, const uint8_t *text, const uint8_t *other,
                         uint64_t *rng) {
    struct buf copy = {0};
    size_t amount = (size_t)trial->amount;
    if (trial->edit == TRIAL_EMBED) add(&copy, other, trial->length);
    add(&copy, text, trial->length);
    switch (trial->edit) {
    case TRIAL_SUBSTITUTE:
        substitute(&copy, trial->amount, rng);
        break;
    case TRIAL_INSERT_BLOCKS:
        for (size_t i = 0; i < amount; i++) insert(&copy, rng_below(rng, copy.len), other + 600 * i, 500);
        break;
    case TRIAL_DELETE_LINES:
        cut(&copy, rng_below(rng, copy.len - amount), amount);
        break;
    case TRIAL_DELETE_BLOCKS:
        cut(&copy, rng_below(rng, copy.len / 2 - amount), amount / 2);
        cut(&copy, copy.len / 2 + rng_below(rng, copy.len / 2 - amount), amount - amount / 2);
        break;
    case TRIAL_DELETE_WORDS:
        delete_words(&copy, amount, rng);
        break;
    case TRIAL_EMBED:
        add(&copy, other + trial->length, trial->length);
        break;
    }
    return copy;
}

static struct signature_data sign(const struct stemma_recipe *recipe, const uint8_t *bytes, size_t size) {
    struct signature_data data = {0};
    struct signer *signer;
    check(signer_new(&recipe->view, &recipe->specs[0], (size_t)1 << 30, &signer, NULL));
    check(signer_feed(signer, bytes, size, NULL));
    check(signer_finish(signer, &data, NULL));
    signer_free(signer);
    return data;
}

struct trial_result run_trial(const struct trial *trial, const uint8_t *text, uint64_t seed) {
    const struct distance_limits limits = {.at_most = UINT64_MAX, .work = UINT64_MAX, .memory = SIZE_MAX};
    char words[100];
    snprintf(words, sizeof words, "preset=raw seed=%u; signature n=%u c=%u alphabet=%u", (unsigned)seed,
             trial->n, trial->c, trial->alphabet);
    struct stemma_recipe *recipe;
    check(recipe_parse(words, strlen(words), &recipe, NULL));
    uint64_t rng = seed, parity;
    struct buf copy = edited(trial, text, text + LONG + SHORT, &rng);
    struct distance_result truth;
    check(distance_bytes(text, trial->length, copy.data, copy.len, &limits, &truth, NULL));
    struct signature_data a = sign(recipe, text, trial->length), b = sign(recipe, copy.data, copy.len);
    struct signature sa = signature_of(&a, &recipe->specs[0]), sb = signature_of(&b, &recipe->specs[0]);
    struct trial_result result = {.truth = (double)truth.distance};
    check(parity_estimate(&sa, &sb, &parity, NULL));
    result.parity = (double)parity;
    check(estimate_edit(&sa, &sb, &result.estimate, NULL));
    signature_data_release(&a);
    signature_data_release(&b);
    recipe_release(recipe);
    buf_release(&copy);
    return result;
}

size_t fold_plain(uint8_t *text, size_t size) {
    size_t out = 0;
    for (size_t i = 0; i < size; i++) {
        bool letter = isalnum(text[i]) || text[i] >= 0x80;
        if (letter)
            text[out++] = (uint8_t)tolower(text[i]);
        else if (out && text[out - 1] != ' ')
            text[out++] = ' ';
    }
    return out;
}
