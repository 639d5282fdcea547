/*
 * The rows. Ours and a peer are measured in turn in every round, and the ratio of a round is one value; a
 * peer that takes seconds is measured once.
 *
 * Signatures: of texts of the usual size, by the recipe "signature n=8 c=C". edlib takes bytes, so it gets
 * the symbols folded to 8 bits, which makes neither faster; that distances agree is checked on these.
 */
#include "edit_rows.h"

#include "align/distance/distance.h"
#include "align/signature/near.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "peers.h"
#include "sketch/sketch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOW 1.5 /* seconds: a peer that takes longer is measured once */

static void stop_with(const char *what) {
    fprintf(stderr, "bench_edit: %s\n", what);
    exit(1);
}

static void check(stemma_status status) {
    if (status != STEMMA_OK) stop_with(stemma_status_text(status));
}

static void *checked(void *memory) {
    if (!memory) stop_with("out of memory");
    return memory;
}

/* ---- true distances ---- */

struct pair {
    const uint8_t *a;
    size_t a_size;
    struct buf b;
};

static struct pair *make_pairs(const struct settings *settings, double edits) {
    struct pair *pairs = checked(calloc(settings->pairs, sizeof *pairs));
    uint64_t random = 7;
    for (size_t i = 0; i < settings->pairs; i++) {
        pairs[i].a = checked((void *)(uintptr_t)source_piece(settings->source, settings->size));
        pairs[i].a_size = settings->size;
        const uint8_t *from = edits < 0 ? source_piece(settings->source, settings->size) : pairs[i].a;
        size_t count = edits < 0 ? 0 : (size_t)(edits * (double)settings->size);
        if (!edited_copy(from, settings->size, count, &random, &pairs[i].b)) stop_with("out of memory");
    }
    return pairs;
}

static void free_pairs(const struct settings *settings, struct pair *pairs) {
    for (size_t i = 0; i < settings->pairs; i++) buf_release(&pairs[i].b);
    free(pairs);
}

static uint64_t our_distance(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
    struct distance_limits limits = {UINT64_MAX, UINT64_MAX, SIZE_MAX, NULL};
    struct distance_result result;
    check(distance_bytes(a, a_size, b, b_size, &limits, &result, NULL));
    return result.distance;
}

/* Seconds for all pairs; the distances must be those found before. */
static double time_pairs(const struct settings *settings, const struct pair *pairs, const struct peer *peer,
                         uint64_t *distances, bool first) {
    double begin = cpu_seconds();
    for (size_t i = 0; i < settings->pairs; i++) {
        uint64_t found = peer->distance(pairs[i].a, pairs[i].a_size, pairs[i].b.data, pairs[i].b.len);
        if (!first && found != distances[i]) stop_with("a peer has found another distance");
        distances[i] = found;
    }
    return cpu_seconds() - begin;
}

static const struct peer ours = {"ours", our_distance};

static struct cell measure_peer(const struct settings *settings, const struct pair *pairs,
                                const struct peer *peer, uint64_t *distances, double bar,
                                struct figure *our_time) {
    double ratios[ROUNDS_MOST], times[ROUNDS_MOST];
    size_t round = 0;
    while (round < settings->rounds) {
        double mine = time_pairs(settings, pairs, &ours, distances, false);
        double theirs = time_pairs(settings, pairs, peer, distances, false);
        times[round] = mine / (double)settings->pairs;
        ratios[round++] = theirs / mine;
        if (theirs > SLOW) break;
    }
    *our_time = figure_of(times, round);
    return (struct cell){peer->name, figure_of(ratios, round), round, bar};
}

void row_distance(const struct settings *settings, double edits, const double *bars, struct row *out) {
    struct pair *pairs = make_pairs(settings, edits);
    uint64_t *distances = checked(calloc(settings->pairs, sizeof *distances));
    struct figure our_time = {0, 0};
    *out = (struct row){0};
    time_pairs(settings, pairs, &ours, distances, true);
    for (size_t i = 0; i < PEERS; i++)
        if (peers[i].distance)
            out->cells[out->cell_count++] =
                measure_peer(settings, pairs, &peers[i], distances, bars[i], &our_time);
    if (edits < 0)
        snprintf(out->name, sizeof out->name, "distance, unrelated");
    else
        snprintf(out->name, sizeof out->name, "distance, %g %% edits", edits * 100);
    snprintf(out->ours, sizeof out->ours, "%zu pairs of %zu bytes, %.0f us each", settings->pairs,
             settings->size, our_time.median * 1e6);
    free(distances);
    free_pairs(settings, pairs);
}

/* ---- signatures ---- */

static stemma_sketch *signature_sketch(const uint8_t *text, size_t size, unsigned rate) {
    char words[64];
    stemma_recipe *recipe;
    stemma_sketch *sketch;
    snprintf(words, sizeof words, "signature n=8 c=%u", rate);
    check(stemma_recipe_parse(words, &recipe, NULL));
    check(stemma_sketch_bytes(text, size, "", recipe, NULL, &sketch, NULL));
    stemma_recipe_free(recipe);
    return sketch;
}

static struct symbols symbols_in(const stemma_sketch *sketch) {
    return (struct symbols){sketch->parts[0].signature.symbols.data, sketch->parts[0].signature.symbols.len};
}

#define SIGNED_MOST 64

/* One query and those it is compared with: copies with edits, or other texts. */
struct signed_texts {
    stemma_sketch *sketches[SIGNED_MOST + 1]; /* the query last */
    struct symbols query, others[SIGNED_MOST];
    size_t count;
};

static void sign_texts(const struct settings *settings, unsigned rate, double edits,
                       struct signed_texts *out) {
    const uint8_t *query = checked((void *)(uintptr_t)source_piece(settings->source, settings->size));
    uint64_t random = 8;
    out->count = settings->pairs < SIGNED_MOST ? settings->pairs : SIGNED_MOST;
    for (size_t i = 0; i < out->count; i++) {
        struct buf copy = {0};
        const uint8_t *from = edits < 0 ? source_piece(settings->source, settings->size) : query;
        size_t count = edits < 0 ? 0 : (size_t)(edits * (double)settings->size);
        if (!edited_copy(from, settings->size, count, &random, &copy)) stop_with("out of memory");
        out->sketches[i] = signature_sketch(copy.data, copy.len, rate);
        out->others[i] = symbols_in(out->sketches[i]);
        buf_release(&copy);
    }
    out->sketches[out->count] = signature_sketch(query, settings->size, rate);
    out->query = symbols_in(out->sketches[out->count]);
}

static void free_signed(struct signed_texts *texts) {
    for (size_t i = 0; i <= texts->count; i++) stemma_sketch_free(texts->sketches[i]);
}

static uint8_t *folded(struct symbols symbols) {
    uint8_t *bytes = checked(malloc(symbols.count + 1));
    for (size_t i = 0; i < symbols.count; i++) bytes[i] = (uint8_t)(symbols.at[i] ^ symbols.at[i] >> 8);
    return bytes;
}

static double time_edlib(const struct signed_texts *texts, uint64_t *distances) {
    uint8_t *query = folded(texts->query);
    double spent = 0;
    for (size_t i = 0; i < texts->count; i++) {
        uint8_t *other = folded(texts->others[i]);
        double begin = cpu_seconds();
        distances[i] = peers[PEER_EDLIB].distance(query, texts->query.count, other, texts->others[i].count);
        spent += cpu_seconds() - begin;
        free(other);
    }
    free(query);
    return spent;
}

static uint16_t *folded_symbols(struct symbols symbols) {
    uint16_t *out = checked(malloc((symbols.count + 1) * sizeof *out));
    for (size_t i = 0; i < symbols.count; i++) out[i] = (uint8_t)(symbols.at[i] ^ symbols.at[i] >> 8);
    return out;
}

static void check_folded(const struct signed_texts *texts, const uint64_t *distances) {
    uint16_t *query = folded_symbols(texts->query);
    for (size_t i = 0; i < texts->count; i++) {
        uint16_t *other = folded_symbols(texts->others[i]);
        uint64_t found;
        check(symbols_distance((struct symbols){query, texts->query.count},
                               (struct symbols){other, texts->others[i].count}, UINT64_MAX, &found, NULL));
        if (found != distances[i]) stop_with("edlib has found another distance of signatures");
        free(other);
    }
    free(query);
}

#define REPEAT 20 /* ours takes microseconds */

/* step: how many are compared at a time, the query being prepared anew for each step. */
static double time_ours(struct comparer *comparer, const struct signed_texts *texts, size_t step) {
    uint64_t distances[SIGNED_MOST];
    double begin = cpu_seconds();
    for (size_t k = 0; k < REPEAT; k++)
        for (size_t i = 0; i < texts->count; i += step) {
            size_t count = texts->count - i < step ? texts->count - i : step;
            check(comparer_prepare(comparer, texts->query, NULL));
            check(comparer_distances(comparer, texts->others + i, count, UINT64_MAX, distances, NULL));
        }
    return (cpu_seconds() - begin) / REPEAT;
}

void row_signatures(const struct settings *settings, unsigned rate, double edits, struct row *out) {
    static struct signed_texts texts;
    double many[ROUNDS_MOST], one[ROUNDS_MOST], times[ROUNDS_MOST];
    uint64_t distances[SIGNED_MOST];
    struct comparer *comparer;
    sign_texts(settings, rate, edits, &texts);
    check(comparer_new(&comparer, NULL));
    for (size_t round = 0; peers[PEER_EDLIB].distance && round < settings->rounds; round++) {
        double theirs = time_edlib(&texts, distances), together = time_ours(comparer, &texts, texts.count);
        many[round] = theirs / together;
        one[round] = theirs / time_ours(comparer, &texts, 1);
        times[round] = together / (double)texts.count;
    }
    *out = (struct row){0};
    snprintf(out->name, sizeof out->name,
             edits < 0 ? "signatures C=%u, unrelated" : "signatures C=%u, %g %% edits", rate, edits * 100);
    if (peers[PEER_EDLIB].distance) {
        check_folded(&texts, distances);
        out->cells[out->cell_count++] =
            (struct cell){"edlib", figure_of(many, settings->rounds), settings->rounds, 60};
        out->cells[out->cell_count++] =
            (struct cell){"edlib, alone", figure_of(one, settings->rounds), settings->rounds, 0};
        snprintf(out->ours, sizeof out->ours, "%zu symbols, %.2f us a pair, 1 to %zu", texts.query.count,
                 figure_of(times, settings->rounds).median * 1e6, texts.count);
    }
    comparer_free(comparer);
    free_signed(&texts);
}

/* ---- searching ---- */

#define SLICE 24 /* symbols that follow each other in a real signature */

/* Signatures made of slices of real ones, so that they share what texts share; a few are near the query. */
static void fill_store(const struct settings *settings, struct symbols pool, struct symbols query,
                       struct store *store) {
    static uint16_t made[1024];
    uint64_t random = 9;
    for (size_t i = 0; i < settings->signatures; i++) {
        size_t count = 0, length = query.count * 3 / 4 + rng_below(&random, query.count / 2 + 1);
        if (i % 20000 == 7) {
            length = query.count < 1000 ? query.count : 1000;
            memcpy(made, query.at, length * sizeof *made);
            for (size_t k = i % 15; k > 0; k--)
                made[rng_below(&random, length)] = (uint16_t)rng_next(&random);
            count = length;
        }
        for (length = length < 1000 ? length : 1000; count < length; count += SLICE)
            memcpy(made + count, pool.at + rng_below(&random, pool.count - SLICE), SLICE * sizeof *made);
        check(store_add(store, (struct symbols){made, length}, NULL));
    }
}

static uint64_t sum_span(struct store_span span) {
    const uint8_t *at = span.at;
    uint64_t sum = 0;
    for (size_t i = 0; i + 8 <= span.size; i += 8) sum += load_u64(at + i);
    return sum;
}

/* Seconds for a plain sum over the first `spans` of the memory that the store is. */
static double time_reading(const struct store *store, size_t spans, volatile uint64_t *sink) {
    struct store_span all[STORE_SPANS];
    store_spans(store, all);
    double begin = cpu_seconds();
    for (size_t i = 0; i < spans; i++) *sink += sum_span(all[i]);
    return cpu_seconds() - begin;
}

static double time_search(const struct store *store, struct symbols query, uint64_t at_most, size_t *found,
                          size_t *compared) {
    stemma_near *near = NULL;
    double begin = cpu_seconds();
    check(store_search(store, query, at_most, NULL, &near, found, compared, NULL));
    double spent = cpu_seconds() - begin;
    mem_free(near);
    return spent;
}

void row_search(const struct settings *settings, struct row *out) {
    double filter[ROUNDS_MOST], whole[ROUNDS_MOST], times[ROUNDS_MOST];
    volatile uint64_t sink = 0;
    size_t found = 0, compared = 0;
    stemma_sketch *pool = signature_sketch(settings->source->bytes, settings->source->size, 64);
    const uint8_t *text = checked((void *)(uintptr_t)source_piece(settings->source, settings->size));
    stemma_sketch *asked = signature_sketch(text, settings->size, 64);
    struct symbols query = symbols_in(asked);
    uint64_t at_most = query.count / 10;
    struct store *store;
    check(store_new(&store, NULL));
    fill_store(settings, symbols_in(pool), query, store);
    for (size_t round = 0; round < settings->rounds; round++) {
        double reading = time_reading(store, STORE_LENGTHS + 1, &sink),
               all = time_reading(store, STORE_SPANS, &sink);
        times[round] = time_search(store, query, at_most, &found, &compared);
        filter[round] = reading / times[round];
        whole[round] = all / times[round];
    }
    *out = (struct row){.name = "search"};
    out->cells[out->cell_count++] =
        (struct cell){"reading what it reads", figure_of(filter, settings->rounds), settings->rounds, .5};
    out->cells[out->cell_count++] =
        (struct cell){"reading all signatures", figure_of(whole, settings->rounds), settings->rounds, .5};
    snprintf(out->ours, sizeof out->ours,
             "%zu of about %zu symbols, k = %llu: %.1f ms, %zu compared, %zu found", settings->signatures,
             query.count, (unsigned long long)at_most, figure_of(times, settings->rounds).median * 1e3,
             compared, found);
    store_free(store);
    stemma_sketch_free(pool);
    stemma_sketch_free(asked);
}

/* ---- growth ---- */

static double time_edited(const struct settings *settings, size_t size, size_t edits) {
    struct pair pair = {.a = checked((void *)(uintptr_t)source_piece(settings->source, size)),
                        .a_size = size};
    uint64_t random = 10;
    if (!edited_copy(pair.a, size, edits, &random, &pair.b)) stop_with("out of memory");
    double begin = cpu_seconds();
    uint64_t distance = our_distance(pair.a, size, pair.b.data, pair.b.len);
    double spent = cpu_seconds() - begin;
    if (distance > edits) stop_with("more edits than were made");
    buf_release(&pair.b);
    return spent;
}

/* How much less than twice as long texts twice as long take: 1 is linear. */
void row_growth(const struct settings *settings, size_t edits, struct row *out) {
    static const char *const names[] = {"x2", "x4", "x8", "x16"};
    double values[ROUNDS_MOST];
    size_t size =
        settings->source->size / 16 < 16 * settings->size ? settings->source->size / 16 : 16 * settings->size;
    *out = (struct row){0};
    for (size_t k = 0; k < 4; k++, size *= 2) {
        for (size_t round = 0; round < settings->rounds; round++) {
            settings->source->next = 0;
            double once = time_edited(settings, size, edits);
            settings->source->next = 0;
            values[round] = 2 * once / time_edited(settings, 2 * size, edits);
        }
        out->cells[out->cell_count++] =
            (struct cell){names[k], figure_of(values, settings->rounds), settings->rounds, 1};
    }
    snprintf(out->name, sizeof out->name, "growth, %zu edits", edits);
    snprintf(out->ours, sizeof out->ours, "%zu to %zu bytes, each step twice as long", size / 16, size);
}
