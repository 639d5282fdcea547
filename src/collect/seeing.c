#include "collect/seeing.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <string.h>

enum { DOCUMENTS_MOST = 1000 };
#define TEXT_MOST ((uint64_t)64 << 20)
#define OFTEN     1. /* seconds */
/* Documents that a commit writes again to merge segments, while others come in: some tenths of a second. More
 * would answer them later, fewer leave more segments to be asked. */
enum { MERGED_MOST = 1 << 16 };

struct seeing {
    struct pending *pending;
    const struct stemma_recipe *recipe;
    struct seeing_options options;
    struct asker_settings settings;
    struct collecting *collecting;
    struct asker *asker;   /* of the last commit; NULL: not made since */
    struct recent *recent; /* documents since then */
    double committed;      /* when that was */
    uint64_t taken;        /* documents since then, those without text included */
    struct asked_document asked;
    struct answers answers; /* by the collection */
    struct answer own;      /* by what is recent, or by the document itself */
    struct buf id, own_id;  /* with their NULs */
    struct sighting sighting;
    stemma_error cause;
};

void seeing_free(struct seeing *s) {
    if (!s) return;
    collecting_free(s->collecting);
    asker_free(s->asker);
    recent_free(s->recent);
    answers_release(&s->answers, NULL);
    asked_document_release(&s->asked);
    buf_release(&s->id);
    buf_release(&s->own_id);
    mem_free(s);
}

const struct seeing_options *seeing_options_of(const struct seeing *s) {
    return &s->options;
}

/* ---- one document ---- */

static stemma_status set_id(struct seeing *s, struct cell id, stemma_error *err) {
    s->id.len = 0;
    if (!buf_add(&s->id, id.bytes, id.size) || !buf_add_byte(&s->id, 0)) return fail_memory(err);
    s->sighting.id = (const char *)s->id.data;
    return STEMMA_OK;
}

/* The document may be in place of its own match among the recent ones, which is then no more. */
static stemma_status keep_own_id(struct seeing *s, stemma_error *err) {
    s->own_id.len = 0;
    if (!buf_add(&s->own_id, s->own.id, strlen(s->own.id) + 1)) return fail_memory(err);
    s->own.id = (char *)s->own_id.data;
    return STEMMA_OK;
}

static void set_asked_bytes(struct seeing *s, const struct taken *d) {
    asked_set_bytes(&s->asked);
    memcpy(s->asked.digest, d->facts->digest, sizeof s->asked.digest);
}

static stemma_status set_asked(struct seeing *s, const struct taken *d, stemma_error *err) {
    struct asked_document *a = &s->asked;
    a->by_bytes = false;
    a->text = d->text;
    a->text_size = d->text_size;
    memcpy(a->digest, d->facts->digest, sizeof a->digest);
    memcpy(a->text_digest, d->facts->text_digest, sizeof a->text_digest);
    memcpy(a->minima, d->minima, MINIMA_BYTES);
    a->samples.len = 0;
    return vec64_add_all(&a->samples, d->samples->data, d->samples->len) ? STEMMA_OK : fail_memory(err);
}

static stemma_status ask(struct seeing *s, stemma_error *err) {
    struct asker_work work = {0};
    bool found;
    if (!s->asker) TRY(asker_new(s->pending->store, s->recipe, &s->settings, &s->asker, err));
    TRY(asker_ask(s->asker, &s->asked, 1, &s->answers, &work, err));
    if (s->answers.count) s->sighting.match = &s->answers.list[0];
    TRY(recent_find(s->recent, &s->asked, &s->own, &found, err));
    if (!found || (s->sighting.match && answer_order(&s->own, s->sighting.match) >= 0)) return STEMMA_OK;
    s->sighting.match = &s->own;
    return keep_own_id(s, err);
}

/* The collection has the document itself. */
static void see_itself(struct seeing *s, const struct facts *facts) {
    struct estimates *n = &s->own.numbers;
    s->own = (struct answer){.id = (char *)s->id.data, .relation = STEMMA_IDENTICAL};
    n->resemblance = n->a_in_b = n->b_in_a = quantity_exact(1);
    s->sighting.match = &s->own;
    s->sighting.text = facts->text_bytes > 0;
}

static stemma_status see(void *context, const struct taken *d, stemma_error *err) {
    struct seeing *s = context;
    TRY(set_id(s, d->id, err));
    if (d->unchanged) {
        see_itself(s, d->facts);
        return STEMMA_OK;
    }
    s->sighting.text = d->text;
    if (d->facts->state == FACTS_FAILED) {
        s->cause = *d->cause;
        s->sighting.cause = &s->cause;
    }
    if (!d->text && d->facts->state != FACTS_BINARY) return STEMMA_OK;
    if (d->text)
        TRY(set_asked(s, d, err));
    else
        set_asked_bytes(s, d);
    TRY(ask(s, err));
    return s->options.dry ? STEMMA_OK : recent_add(s->recent, s->sighting.id, &s->asked, err);
}

static stemma_status begin(struct seeing *s, stemma_error *err) {
    TRY(seeing_commit(s, false, err));
    answers_release(&s->answers, NULL);
    s->answers = (struct answers){0};
    s->sighting = (struct sighting){.id = ""};
    return STEMMA_OK;
}

stemma_status seeing_text(struct seeing *s, const char *id, const void *data, size_t size,
                          struct sighting *out, stemma_error *err) {
    TRY(begin(s, err));
    TRY(collecting_add_text(s->collecting, id, data, size, err));
    s->taken++;
    *out = s->sighting;
    return STEMMA_OK;
}

stemma_status seeing_file(struct seeing *s, const char *path, struct sighting *out, stemma_error *err) {
    TRY(begin(s, err));
    TRY(collecting_add_file(s->collecting, path, err));
    s->taken++;
    *out = s->sighting;
    return STEMMA_OK;
}

/* ---- commits ---- */

static void forget_recent(struct seeing *s) {
    recent_clear(s->recent);
    asker_free(s->asker);
    s->asker = NULL;
    s->taken = 0;
    s->committed = clock_seconds();
}

static stemma_status commit_taken(struct seeing *s, bool now, stemma_error *err) {
    if (s->taken == 0) return STEMMA_OK;
    bool due = now || s->taken >= DOCUMENTS_MOST || recent_bytes(s->recent) >= TEXT_MOST ||
               clock_seconds() - s->committed >= OFTEN;
    if (!due) return STEMMA_OK;
    collection_bound_merges(s->pending->store, MERGED_MOST);
    stemma_status status = pending_commit(s->pending, err);
    collection_bound_merges(s->pending->store, 0);
    forget_recent(s); /* also where it failed: then they are in no collection */
    return status;
}

stemma_status seeing_commit(struct seeing *s, bool now, stemma_error *err) {
    if (s->options.dry) return STEMMA_OK;
    TRY(commit_taken(s, now, err));
    stemma_error left; /* as after any commit, merging that fails is left for later */
    if (now) (void)collection_settle(s->pending->store, &left);
    return STEMMA_OK;
}

/* ---- making ---- */

static stemma_status prepare(struct seeing *s, const stemma_limits *limits, stemma_error *err) {
    struct scan_settings reading = {.options = stemma_scan_options_default(), .limits = *limits};
    s->settings = (struct asker_settings){.threshold = s->options.threshold,
                                          .contained = s->options.contained,
                                          .way = RETRIEVE_AUTO,
                                          .top = 1,
                                          .pending = s->pending,
                                          .limits = *limits};
    reading.options.threads = 1;
    reading.options.no_archives = true;
    TRY(asking_init(&s->settings.asking, s->options.threshold, s->options.contained, err));
    TRY(recent_new(s->recipe, &s->settings, &s->recent, err));
    TRY(collecting_new(s->pending, s->recipe, &reading, &s->collecting, err));
    collecting_watch(s->collecting, see, s, s->options.dry);
    s->committed = clock_seconds();
    return STEMMA_OK;
}

stemma_status seeing_new(struct pending *pending, const struct stemma_recipe *recipe,
                         const stemma_limits *limits, const struct seeing_options *options,
                         struct seeing **out, stemma_error *err) {
    struct seeing *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory(err);
    *s = (struct seeing){.pending = pending, .recipe = recipe, .options = *options};
    stemma_status status = prepare(s, limits, err);
    if (status == STEMMA_OK)
        *out = s;
    else
        seeing_free(s);
    return status;
}
