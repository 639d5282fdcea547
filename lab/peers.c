/*
 * Beyond the papers: how the scores of other programs fall with the number of edits, beside ours.
 *
 * stemma-lab-peers, beside this program, is handed pair after pair and scores it with what is installed. It
 * keeps the two files of a pair in a folder of its own, which it removes however it ends.
 */
#include "peers.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "corpus.h"
#include "signs.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
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
    bool missing[PEERS_MOST];
    double sums[PEERS_MOST][COUNT(changes)], least[PEERS_MOST][COUNT(changes)],
        most[PEERS_MOST][COUNT(changes)], counts[PEERS_MOST][COUNT(changes)];
    double bytes[PEERS_MOST], sketches[PEERS_MOST]; /* kept of all documents, and how many these are */
    double off[COUNT(changes)];                     /* the largest error of our sketch, of all documents */
};

/* Its number; PEERS_MOST when there are too many. */
static size_t peer_named(struct scores *scores, const char *peer) {
    size_t i = 0;
    while (i < scores->peers && strcmp(scores->names[i], peer)) i++;
    if (i == scores->peers && i < PEERS_MOST) snprintf(scores->names[scores->peers++], NAME_MOST, "%s", peer);
    return i;
}

/* bytes: what the score needs of the first document. */
static void scores_add(struct scores *scores, const char *peer, size_t change, double score, double bytes) {
    size_t i = peer_named(scores, peer);
    if (i == PEERS_MOST || change >= COUNT(changes) || isnan(score)) return;
    bool first = !scores->counts[i][change];
    if (first || score < scores->least[i][change]) scores->least[i][change] = score;
    if (first || score > scores->most[i][change]) scores->most[i][change] = score;
    scores->sums[i][change] += score;
    scores->counts[i][change]++;
    scores->bytes[i] += bytes;
    scores->sketches[i]++;
}

/* ---- ours ---- */

enum { SKETCH_BITS = 2048 };

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
    double symbols = status == STEMMA_OK ? (double)part_of(x, 1).symbol_count : 0;
    stemma_sketch_free(x);
    stemma_sketch_free(y);
    if (status != STEMMA_OK) return status;
    scores_add(scores, "resemblance", change, exact.resemblance.value, (double)a.size);
    scores_add(scores, "stemma,_sketch", change, sketched.resemblance.value, SKETCH_BITS / 8);
    scores->off[change] =
        fmax(scores->off[change], fabs(sketched.resemblance.value - exact.resemblance.value));
    scores_add(scores, "stemma,_edits", change,
               1 - fmin(1, sketched.edit.distance.value / sketched.edit.unrelated.value),
               2 * symbols + 4); /* and the length of the text */
    return STEMMA_OK;
}

/* ---- the others ---- */

/* The program that asks them; `talk` is NULL when it is not there. */
struct peers {
    pid_t process;
    FILE *talk;
};

extern char **environ;

/* Beside this program, under its own name with "-peers". */
static bool peers_program(char *path, size_t size) {
    ssize_t length = readlink("/proc/self/exe", path, size - 10);
    if (length <= 0) return false;
    memcpy(path + length, "-peers", 7);
    return access(path, X_OK) == 0;
}

static int spawn_on(char *program, int end, pid_t *process) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
    if (!error) error = posix_spawn(process, program, &actions, NULL, (char *[]){program, NULL}, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static stemma_status peers_start(struct peers *peers, stemma_error *err) {
    char program[4200];
    int ends[2];
    *peers = (struct peers){0};
    if (!peers_program(program, sizeof program)) return STEMMA_OK;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return fail_errno(err, "run", program, errno);
    int error = spawn_on(program, ends[1], &peers->process);
    close(ends[1]);
    peers->talk = error ? NULL : fdopen(ends[0], "r");
    if (peers->talk) return STEMMA_OK;
    close(ends[0]);
    return fail_errno(err, "run", program, error ? error : errno);
}

static stemma_status peers_stop(struct peers *peers, stemma_status status, stemma_error *err) {
    int code = 0;
    if (!peers->talk) return status;
    fclose(peers->talk);
    while (waitpid(peers->process, &code, 0) < 0 && errno == EINTR) {
    }
    return status == STEMMA_OK && code ? fail(err, STEMMA_IO, "stemma-lab-peers failed") : status;
}

/* A whole message, or nothing: there is no signal when nobody listens. */
static bool send_all(int to, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size) {
        ssize_t sent = send(to, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Its version lines, one for each program, up to an empty one; for the table. */
static stemma_status peers_versions(const struct peers *peers, struct scores *scores, struct table *data,
                                    stemma_error *err) {
    char line[300], name[NAME_MOST], found[NAME_MOST], all[1000] = "";
    while (peers->talk && fgets(line, sizeof line, peers->talk)) {
        size_t used = strlen(all);
        line[strcspn(line, "\n")] = '\0';
        if (!*line) {
            table_remark(data, "programs %s", all);
            return STEMMA_OK;
        }
        snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", line);
        if (sscanf(line, "%39s %39s", name, found) == 2 && !strcmp(found, PLOT_MISSING)) {
            size_t peer = peer_named(scores, name);
            if (peer < PEERS_MOST) scores->missing[peer] = true;
        }
    }
    return peers->talk ? fail(err, STEMMA_IO, "stemma-lab-peers failed") : STEMMA_OK;
}

/* Sizes and texts go; lines of a program, a score and the bytes that it needs come, and an empty one. */
static stemma_status peers_ask(const struct peers *peers, struct text a, struct text b, size_t change,
                               struct scores *scores, stemma_error *err) {
    char line[300], peer[NAME_MOST];
    double score, bytes;
    if (!peers->talk) return STEMMA_OK;
    int to = fileno(peers->talk);
    int length = snprintf(line, sizeof line, "%zu %zu\n", a.size, b.size);
    bool ok =
        send_all(to, line, (size_t)length) && send_all(to, a.bytes, a.size) && send_all(to, b.bytes, b.size);
    while (ok && fgets(line, sizeof line, peers->talk)) {
        if (*line == '\n') return STEMMA_OK;
        if (sscanf(line, "%39s\t%lf\t%lf", peer, &score, &bytes) == 3)
            scores_add(scores, peer, change, score, bytes);
    }
    return fail(err, STEMMA_IO, "stemma-lab-peers failed");
}

static stemma_status changed_pair(const struct ours *ours, const struct corpus *corpus, size_t document,
                                  size_t change, uint64_t seed, const struct peers *peers,
                                  struct scores *scores, stemma_error *err) {
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
    if (status == STEMMA_OK) status = peers_ask(peers, *text, other, change, scores, err);
    stemma_mutated_free(mutated);
    return status;
}

/* ---- all of it ---- */

/* 0 for unrelated texts and 1 for the same: so that different scores can be told apart by how they fall. */
static double normal_score(const struct scores *scores, size_t peer, double score) {
    size_t last = COUNT(changes) - 1;
    double unrelated = scores->sums[peer][last] / scores->counts[peer][last];
    return (score - unrelated) / (1 - unrelated);
}

static void score_row(const struct scores *scores, size_t peer, size_t change, struct table *data) {
    char amount[30] = "", off[30] = "", label[NAME_MOST + 30];
    const char *name = scores->names[peer];
    double bytes = scores->bytes[peer] / scores->sketches[peer],
           score = scores->sums[peer][change] / scores->counts[peer][change];
    if (changes[change].count)
        snprintf(amount, sizeof amount, "%llu", (unsigned long long)changes[change].count);
    if (!strcmp(name, "stemma,_sketch")) snprintf(off, sizeof off, "%.4f", scores->off[change]);
    if (!strcmp(name, "resemblance"))
        snprintf(label, sizeof label, "%s,_all_text", name);
    else
        snprintf(label, sizeof label, "%s,_%.0f_B", name, bytes);
    table_row(data, "%s\t%s\t%s\t%.4f\t%.4f\t%.4f\t%.4f\t%s\t%.0f\t%s", changes[change].name, name, amount,
              score, normal_score(scores, peer, score), scores->least[peer][change],
              scores->most[peer][change], off, bytes, label);
}

/* Of those that are missing there is a row, too, so that pictures can say so. */
static void score_rows(const struct scores *scores, struct table *data) {
    for (size_t peer = 0; peer < scores->peers; peer++) {
        const char *name = scores->names[peer];
        if (scores->missing[peer])
            table_row(data, "%s\t%s\t1\t" PLOT_MISSING "\t" PLOT_MISSING "\t\t\t\t\t%s", changes[0].name,
                      name, name);
        for (size_t i = 0; i < COUNT(changes); i++)
            if (scores->counts[peer][i] > 0) score_row(scores, peer, i, data);
    }
}

static stemma_status score_all(const struct lab *lab, const struct ours *ours, const struct corpus *corpus,
                               const struct peers *peers, struct scores *scores, stemma_error *err) {
    for (size_t document = 0; document < corpus->count; document++)
        for (size_t change = 0; change < COUNT(changes); change++)
            TRY(changed_pair(ours, corpus, document, change, mix64(lab->seed + document) + change, peers,
                             scores, err));
    return STEMMA_OK;
}

static stemma_status with_peers(const struct lab *lab, const struct ours *ours, const struct corpus *corpus,
                                struct scores *scores, struct table *data, stemma_error *err) {
    struct peers peers;
    TRY(peers_start(&peers, err));
    stemma_status status = peers_versions(&peers, scores, data, err);
    if (status == STEMMA_OK) status = score_all(lab, ours, corpus, &peers, scores, err);
    return peers_stop(&peers, status, err);
}

static stemma_status run(const struct lab *lab, struct table *data, struct table *times, stemma_error *err) {
    struct corpus corpus;
    struct ours ours = {0};
    (void)times;
    struct scores *scores = mem_zero(1, sizeof *scores);
    if (!scores) return fail_memory(err);
    table_begin(data, "change\tprogram\tedits\tscore\tnormal\tleast\tmost\toff\tbytes\tlabel");
    stemma_status status = corpus_load(lab, CORPUS_LONG, lab->full ? 40 : 6, data, &corpus, err);
    if (status == STEMMA_OK) {
        status = recipe_make(&ours.exact, 0, err, "preset=text unit=word window=5");
        if (status == STEMMA_OK)
            status = recipe_make(
                &ours.sketch, hash_seed(lab), err,
                "preset=text unit=word window=5; oph n=%d bits=1; signature n=8 c=64 alphabet=65536",
                SKETCH_BITS);
        if (status == STEMMA_OK) status = with_peers(lab, &ours, &corpus, scores, data, err);
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
    claim(
        verdict, few >= many,
        "%s: %.2f after one insertion, %.2f after 500; %.2f for unrelated texts (at most %.2f), %.2f for the same text in "
        "other lines. It keeps %.0f bytes of a document.",
        program, few, many, unrelated, table_at(data, "most", "program=%s change=unrelated", program),
        wrapped, table_at(data, "bytes", "program=%s change=unrelated", program));
}

static void judge(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data, *times = evidence->times;
    static const char *const programs[] = {"ssdeep", "tlsh", "simhash", "datasketch"};
    (void)times;
    double before = 1, rise = 0;
    for (size_t row = 0; row < data->rows; row++) {
        if (!table_matches(data, row, "program=stemma,_sketch change=insert")) continue;
        rise = fmax(rise, table_number(data, row, "score") - before);
        before = table_number(data, row, "score");
    }
    double worst = table_most(data, "off", "program=stemma,_sketch");
    claim(
        verdict, worst < .1,
        "Our sketch of 256 bytes follows the true resemblance: of all documents and changes the largest error is %.3f.",
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

static const struct plot plots[] = {
    {"How scores fall with the number of insertions; bytes kept of a document", "change=insert", "edits",
     "score", "label", "insertions of 'a '", "score, mean over documents", .log_x = true, .y_low = 0,
     .y_high = 1},
    {"The same with every score at 0 for unrelated texts", "change=insert", "edits", "normal", "label",
     "insertions of 'a '", "(score - unrelated) / (1 - unrelated)", .log_x = true, .y_low = 0, .y_high = 1},
    {0}};
static const struct listing lists[] = {
    {"Bytes kept of a document, and the scores of unrelated texts: mean, least and most", "change=unrelated",
     "program", .values = "bytes score least most"},
    {"Other changes: mean scores", "edits=", "change", "score", "program"},
    {"Our sketch: the largest error of all documents", "program=stemma,_sketch", "change edits",
     .values = "score off"},
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
        "texts, from a signature. What is 0 differs: some give unrelated texts a third, so that scores are also shown from there.",
    .run = run,
    .judge = judge,
    .plots = plots,
    .listings = lists};
