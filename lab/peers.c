/*
 * Beyond the papers: how the scores of other programs fall with the number of edits, beside ours.
 *
 * Pairs of files are written to a folder; stemma-lab-peers, beside this program, scores them with what is
 * installed.
 */
#include "peers.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"
#include "corpus.h"
#include "signs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct change {
    const char *name;
    stemma_mutation_kind kind;
    uint64_t count; /* 0: by share */
    double share;
};

enum { UNRELATED = -1 };
static const struct change changes[] = {{"insert", STEMMA_MUTATE_INSERT, 1, 0},
                                        {"insert", STEMMA_MUTATE_INSERT, 2, 0},
                                        {"insert", STEMMA_MUTATE_INSERT, 5, 0},
                                        {"insert", STEMMA_MUTATE_INSERT, 10, 0},
                                        {"insert", STEMMA_MUTATE_INSERT, 20, 0},
                                        {"insert", STEMMA_MUTATE_INSERT, 50, 0},
                                        {"insert", STEMMA_MUTATE_INSERT, 100, 0},
                                        {"insert", STEMMA_MUTATE_INSERT, 200, 0},
                                        {"insert", STEMMA_MUTATE_INSERT, 500, 0},
                                        {"rewrap", STEMMA_MUTATE_REWRAP, 0, 1},
                                        {"case", STEMMA_MUTATE_CASE, 0, .2},
                                        {"punctuation", STEMMA_MUTATE_PUNCTUATION, 0, .2},
                                        {"shuffle", STEMMA_MUTATE_SHUFFLE, 0, .2},
                                        {"ocr", STEMMA_MUTATE_OCR, 0, .01},
                                        {"remove_words", STEMMA_MUTATE_REMOVE_WORDS, 0, .02},
                                        {"cut", STEMMA_MUTATE_CUT, 0, .2},
                                        {"unrelated", (stemma_mutation_kind)UNRELATED, 0, 0}};

enum { PEERS_MOST = 16, NAME_MOST = 40 };

struct scores {
    char names[PEERS_MOST][NAME_MOST];
    size_t peers;
    double sums[PEERS_MOST][COUNT(changes)], least[PEERS_MOST][COUNT(changes)],
        counts[PEERS_MOST][COUNT(changes)];
};

static void scores_add(struct scores *scores, const char *peer, size_t change, double score) {
    size_t i = 0;
    while (i < scores->peers && strcmp(scores->names[i], peer)) i++;
    if (i == PEERS_MOST || change >= COUNT(changes) || isnan(score)) return;
    if (i == scores->peers) snprintf(scores->names[scores->peers++], NAME_MOST, "%s", peer);
    if (!scores->counts[i][change] || score < scores->least[i][change]) scores->least[i][change] = score;
    scores->sums[i][change] += score;
    scores->counts[i][change]++;
}

/* ---- ours ---- */

struct ours {
    stemma_recipe *sketch, *exact;
};

static stemma_status score_ours(const struct ours *ours, struct text a, struct text b, size_t change,
                                struct scores *scores, stemma_error *err) {
    stemma_sketch *x = NULL, *y = NULL;
    stemma_comparison exact, sketched;
    TRY(stemma_compare_bytes(a.bytes, a.size, b.bytes, b.size, ours->exact, NULL, NULL, &exact, err));
    stemma_status status = sketch_make(ours->sketch, a.bytes, a.size, &x, err);
    if (status == STEMMA_OK) status = sketch_make(ours->sketch, b.bytes, b.size, &y, err);
    if (status == STEMMA_OK) status = stemma_compare_sketches(x, y, NULL, &sketched, err);
    stemma_sketch_free(x);
    stemma_sketch_free(y);
    if (status != STEMMA_OK) return status;
    scores_add(scores, "resemblance", change, exact.resemblance.value);
    scores_add(scores, "stemma,_sketch", change, sketched.resemblance.value);
    scores_add(scores, "stemma,_edits", change,
               1 - fmin(1, sketched.edit.distance.value / sketched.edit.unrelated.value));
    return STEMMA_OK;
}

/* ---- files for the others ---- */

static stemma_status write_bytes(const char *folder, size_t document, size_t change, char which,
                                 struct text text, stemma_error *err) {
    char path[300];
    struct output output;
    snprintf(path, sizeof path, "%s/%04zu-%04zu.%c", folder, document, change, which);
    TRY(output_open(&output, path, err));
    stemma_status status = output_write(&output, text.bytes, text.size, err);
    if (status == STEMMA_OK) return output_commit(&output, err);
    output_abandon(&output);
    return status;
}

static stemma_status changed_pair(const struct ours *ours, const struct corpus *corpus, size_t document,
                                  size_t change, uint64_t seed, const char *folder, struct scores *scores,
                                  stemma_error *err) {
    const struct text *text = &corpus->texts[document];
    struct text other = corpus->texts[(document + 1) % corpus->count];
    stemma_mutation mutation = stemma_mutation_default();
    stemma_mutated *mutated = NULL;
    if ((int)changes[change].kind != UNRELATED) {
        mutation.kind = changes[change].kind;
        mutation.count = changes[change].count;
        mutation.share = changes[change].share;
        mutation.columns = 60;
        mutation.seed = seed;
        TRY(stemma_mutate(text->bytes, text->size, &mutation, &mutated, err));
        other.bytes = (uint8_t *)(uintptr_t)stemma_mutated_text(mutated, &other.size); /* it is only read */
    }
    stemma_status status = score_ours(ours, *text, other, change, scores, err);
    if (status == STEMMA_OK) status = write_bytes(folder, document, change, 'a', *text, err);
    if (status == STEMMA_OK) status = write_bytes(folder, document, change, 'b', other, err);
    stemma_mutated_free(mutated);
    return status;
}

/* ---- the others ---- */

/* Beside this program, under its own name with "-peers". */
static bool peers_program(char *path, size_t size) {
    ssize_t length = readlink("/proc/self/exe", path, size - 10);
    if (length <= 0) return false;
    memcpy(path + length, "-peers", 7);
    return access(path, X_OK) == 0;
}

static stemma_status ask_peers(const char *folder, struct scores *scores, stemma_error *err) {
    char program[4200], command[9000], line[300], peer[NAME_MOST];
    if (!peers_program(program, sizeof program)) return STEMMA_OK;
    snprintf(command, sizeof command, "'%s' '%s'", program, folder);
    FILE *out = popen(command, "r");
    if (!out) return fail_errno(err, "run", program, errno);
    size_t document, change;
    double score;
    while (fgets(line, sizeof line, out))
        if (sscanf(line, "%39s\t%zu-%zu\t%lf", peer, &document, &change, &score) == 4)
            scores_add(scores, peer, change, score);
    return pclose(out) == 0 ? STEMMA_OK : fail(err, STEMMA_IO, "'%s' failed", program);
}

static void remove_folder(const char *folder, size_t documents) {
    for (size_t i = 0; i < documents * COUNT(changes) * 2; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%04zu-%04zu.%c", folder, i / 2 / COUNT(changes),
                 i / 2 % COUNT(changes), i % 2 ? 'b' : 'a');
        unlink(path);
    }
    rmdir(folder);
}

/* ---- all of it ---- */

static void score_rows(const struct scores *scores, struct table *data) {
    for (size_t peer = 0; peer < scores->peers; peer++)
        for (size_t i = 0; i < COUNT(changes); i++) {
            char amount[30] = "";
            if (changes[i].count)
                snprintf(amount, sizeof amount, "%llu", (unsigned long long)changes[i].count);
            if (scores->counts[peer][i] > 0)
                table_row(data, "%s\t%s\t%s\t%.4f\t%.4f", changes[i].name, scores->names[peer], amount,
                          scores->sums[peer][i] / scores->counts[peer][i], scores->least[peer][i]);
        }
}

static stemma_status score_all(const struct lab *lab, const struct ours *ours, const struct corpus *corpus,
                               const char *folder, struct scores *scores, stemma_error *err) {
    for (size_t document = 0; document < corpus->count; document++)
        for (size_t change = 0; change < COUNT(changes); change++)
            TRY(changed_pair(ours, corpus, document, change, mix64(lab->seed + document) + change, folder,
                             scores, err));
    return ask_peers(folder, scores, err);
}

static stemma_status in_folder(const struct lab *lab, const struct ours *ours, const struct corpus *corpus,
                               struct scores *scores, stemma_error *err) {
    char folder[200];
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.150s/stemma-lab-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) return fail_errno(err, "make", folder, errno);
    stemma_status status = score_all(lab, ours, corpus, folder, scores, err);
    remove_folder(folder, corpus->count);
    return status;
}

static stemma_status run(const struct lab *lab, struct table *data, struct table *times, stemma_error *err) {
    struct corpus corpus;
    struct ours ours = {0};
    (void)times;
    struct scores *scores = mem_zero(1, sizeof *scores);
    if (!scores) return fail_memory(err);
    table_begin(data, "change\tprogram\tedits\tscore\tleast");
    stemma_status status = corpus_load(lab, CORPUS_LONG, lab->full ? 40 : 6, data, &corpus, err);
    if (status == STEMMA_OK) {
        status = recipe_make(&ours.exact, err, "preset=text unit=word window=5");
        if (status == STEMMA_OK)
            status = recipe_make(
                &ours.sketch, err,
                "preset=text unit=word window=5; oph n=2048 bits=1; signature n=8 c=64 alphabet=65536");
        if (status == STEMMA_OK) status = in_folder(lab, &ours, &corpus, scores, err);
        if (status == STEMMA_OK) score_rows(scores, data);
        stemma_recipe_free(ours.exact);
        stemma_recipe_free(ours.sketch);
        corpus_release(&corpus);
    }
    mem_free(scores);
    return status;
}

static double score_of(const struct table *data, const char *program, const char *where) {
    return table_at(data, "score", "program=%s %s", program, where);
}

/* How well one score tells a text with 500 insertions from an unrelated one. */
static void judge_peer(const struct table *data, const char *program, struct verdict *verdict) {
    double few = score_of(data, program, "change=insert edits=1"),
           many = score_of(data, program, "change=insert edits=500");
    double unrelated = score_of(data, program, "change=unrelated"),
           wrapped = score_of(data, program, "change=rewrap");
    if (isnan(few)) {
        note(verdict, "%s is not installed here, and left out.", program);
        return;
    }
    claim(verdict, few >= many,
          "%s: %.2f after one insertion, %.2f after 500; %.2f for unrelated texts, %.2f for the same text in "
          "other lines.",
          program, few, many, unrelated, wrapped);
}

static void judge(const struct table *data, const struct table *times, struct verdict *verdict) {
    static const char *const programs[] = {"ssdeep", "tlsh", "simhash", "datasketch"};
    (void)times;
    double worst = 0, before = 1, rise = 0;
    for (size_t row = 0; row < data->rows; row++) {
        if (!table_matches(data, row, "program=stemma,_sketch change=insert")) continue;
        rise = fmax(rise, table_number(data, row, "score") - before);
        before = table_number(data, row, "score");
        double truth = table_at(data, "score", "program=resemblance change=insert edits=%.0f",
                                table_number(data, row, "edits"));
        worst = fmax(worst, fabs(truth - table_number(data, row, "score")));
    }
    claim(verdict, worst < .05, "Our sketch of 256 bytes follows the true resemblance: %.3f off at most.",
          worst);
    claim(verdict, rise <= .02, "Its score falls with every further insertion, to %.2f after 500.", before);
    claim(verdict,
          score_of(data, "stemma,_sketch", "change=rewrap") > .95 &&
              score_of(data, "stemma,_sketch", "change=case") > .95,
          "Other lines and other case change nothing for it: %.2f and %.2f.",
          score_of(data, "stemma,_sketch", "change=rewrap"), score_of(data, "stemma,_sketch", "change=case"));
    claim(verdict, score_of(data, "stemma,_sketch", "change=unrelated") < .1, "Unrelated texts have %.2f.",
          score_of(data, "stemma,_sketch", "change=unrelated"));
    for (size_t i = 0; i < COUNT(programs); i++) judge_peer(data, programs[i], verdict);
}

static const struct plot plots[] = {{"How scores fall with the number of insertions", "change=insert",
                                     "edits", "score", "program", "insertions of 'a '",
                                     "score, mean over documents", .log_x = true, .y_low = 0, .y_high = 1},
                                    {0}};
static const struct listing lists[] = {
    {"Other changes: mean scores", "edits=", "change", "score", "program"},
    {"Other changes: the lowest score of all documents", "edits=", "change", "least", "program"},
    {0}};
const struct experiment beyond_peers = {
    .name = "beyond-peers",
    .paper = "beyond",
    .place = "",
    .title = "Other programs on the same changes",
    .what =
        "Documents and changed copies of them: the scores of ssdeep, tlsh (1 - distance / 200), simhash and datasketch, as far as "
        "they are installed, beside the resemblance, our estimate of it from 256 bytes, and 1 - edit distance / that of unrelated "
        "texts, from a signature.",
    .run = run,
    .judge = judge,
    .plots = plots,
    .listings = lists};
