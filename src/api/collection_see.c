/* stemma/collection.h: a stream of documents. */
#include "api/collection.h"
#include "api/limits.h"
#include "collect/seeing.h"

stemma_see_options stemma_see_options_default(void) {
    return (stemma_see_options){.size = sizeof(stemma_see_options), .threshold = .7, .contained = .9};
}

static stemma_status prepare(stemma_collection *c, const stemma_see_options *given, stemma_error *err) {
    stemma_see_options o = stemma_see_options_default();
    TRY(options_take(given, &o, sizeof o, err));
    if (!o.dry) TRY(collection_check_writer(c, err));
    const struct seeing_options wanted = {.threshold = o.threshold, .contained = o.contained, .dry = o.dry};
    const struct seeing_options *have = c->seeing ? seeing_options_of(c->seeing) : NULL;
    if (have && have->threshold == wanted.threshold && have->contained == wanted.contained &&
        have->dry == wanted.dry)
        return STEMMA_OK;
    if (c->seeing) TRY(seeing_commit(c->seeing, true, err));
    seeing_free(c->seeing);
    c->seeing = NULL;
    return seeing_new(&c->pending, c->recipe, &c->limits, &wanted, &c->seeing, err);
}

static stemma_status give(const struct sighting *s, stemma_sighting *out, stemma_error *err) {
    if (s->cause) return fail(err, STEMMA_UNREADABLE, "%s", s->cause->message);
    const struct answer *m = s->match;
    const stemma_quantity none = quantity_unknown("nothing is like it");
    *out = (stemma_sighting){.id = s->id,
                             .relation = s->text ? STEMMA_UNRELATED : STEMMA_UNKNOWN,
                             .resemblance = none,
                             .a_in_b = none,
                             .b_in_a = none};
    if (!m) return STEMMA_OK;
    out->match = m->id;
    out->relation = m->relation;
    out->resemblance = m->numbers.resemblance;
    out->a_in_b = m->numbers.a_in_b;
    out->b_in_a = m->numbers.b_in_a;
    return STEMMA_OK;
}

stemma_status stemma_collection_see(stemma_collection *c, const char *id, const void *data, size_t size,
                                    const stemma_see_options *options, stemma_sighting *out,
                                    stemma_error *err) {
    struct sighting sighting;
    if (!c || (id && !*id) || (!data && size) || !out)
        return fail(err, STEMMA_INVALID, "a collection, an id, data and a place for the answer are needed");
    TRY(prepare(c, options, err));
    TRY(seeing_text(c->seeing, id ? id : "", data ? data : "", size, &sighting, err));
    return give(&sighting, out, err);
}

stemma_status stemma_collection_see_file(stemma_collection *c, const char *path,
                                         const stemma_see_options *options, stemma_sighting *out,
                                         stemma_error *err) {
    struct sighting sighting;
    if (!c || !path || !*path || !out)
        return fail(err, STEMMA_INVALID, "a collection, a path and a place for the answer are needed");
    TRY(prepare(c, options, err));
    TRY(seeing_file(c->seeing, path, &sighting, err));
    return give(&sighting, out, err);
}
