/* Drives a store through the workload and prints what it took: see README.md. */
#include "store/workload.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- documents ---- */

uint64_t hash_bytes(const void *bytes, size_t size, uint64_t seed) {
    const uint8_t *at = bytes;
    uint64_t hash = mix64(seed ^ size * MIX64_MULTIPLIER);
    for (; size >= 8; at += 8, size -= 8) hash = mix64(hash ^ load_u64(at));
    for (; size > 0; at++, size--) hash = mix64(hash ^ *at);
    return hash;
}

static void fill(uint8_t *bytes, size_t size, uint64_t *rng) {
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)rng_next(rng);
}

static void make_keys(uint64_t number, uint64_t *bands, uint64_t *samples) {
    uint64_t rng = mix64(number + 1);
    for (int b = 0; b < BANDS; b++) bands[b] = (uint64_t)b << 32 | (uint32_t)rng_next(&rng);
    for (int s = 0; s < SAMPLES; s++) samples[s] = rng_next(&rng) >> 24;
    samples[0] = mix64(rng_below(&rng, TEMPLATES)) >> 24;
}

/* Every fifth document is a copy of one of the thousand before it that is none. */
static bool origin_of(uint64_t number, uint64_t *rng, uint64_t *origin) {
    if (number % 5 != 4) return false;
    uint64_t back = 1 + rng_below(rng, number < 1000 ? number : 1000);
    *origin = number - back - ((number - back) % 5 == 4);
    return true;
}

void make_document(uint64_t number, struct document *d) {
    uint64_t rng = mix64(~number), origin, shared_bands[BANDS], shared_samples[SAMPLES];
    d->number = number;
    make_keys(number, d->bands, d->samples);
    fill(d->facts, FACTS, &rng);
    fill(d->minima, MINIMA, &rng);
    fill(d->bits, BITS, &rng);
    unsigned place = (unsigned)rng_next(&rng);
    d->id_size =
        (size_t)snprintf(d->id, ID_ROOM, "archive/%02x/department-%03u/reports/report-%08llu-%06x.txt",
                         place & 255, place >> 8 & 511, (unsigned long long)number, place >> 8);
    if (!origin_of(number, &rng, &origin)) return;
    make_keys(origin, shared_bands, shared_samples);
    for (int b = 0; b < BANDS; b++)
        if (rng_below(&rng, 10) < 4) d->bands[b] = shared_bands[b];
    for (int s = 0; s < SAMPLES; s++)
        if (rng_below(&rng, 4) < 3) d->samples[s] = shared_samples[s];
}

/* ---- measuring ---- */

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Of the process with all its threads: some stores work in threads of their own. */
static double cpu(void) {
    return now(CLOCK_PROCESS_CPUTIME_ID);
}

static double wall(void) {
    return now(CLOCK_MONOTONIC);
}

/* What a question takes: of this thread, so that it means the same on a busy machine. All is in the page
 * cache. */
static double own(void) {
    return now(CLOCK_THREAD_CPUTIME_ID);
}

static long peak_megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

static void check(stemma_status status, const stemma_error *err) {
    if (status == STEMMA_OK) return;
    fprintf(stderr, "%s: %s\n", store_name, err->message);
    exit(1);
}

static void insist(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s: wrong answer: %s\n", store_name, what);
    exit(2);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_latency(const char *what, double *seconds, size_t count, double cpu_spent) {
    qsort(seconds, count, sizeof *seconds, by_value);
    printf("%s %s: cpu median %.1f us, p99 %.1f us, mean %.1f us\n", store_name, what,
           seconds[count / 2] * 1e6, seconds[count * 99 / 100] * 1e6, cpu_spent / (double)count * 1e6);
}

/* Bytes as files say, and as they occupy the disk (holes do not). */
static uint64_t directory_bytes(const char *directory, uint64_t *occupied) {
    uint64_t total = 0;
    DIR *listing = opendir(directory);
    struct dirent *entry;
    struct stat info;
    *occupied = 0;
    while (listing && (entry = readdir(listing))) {
        if (fstatat(dirfd(listing), entry->d_name, &info, 0) || !S_ISREG(info.st_mode)) continue;
        total += (uint64_t)info.st_size;
        *occupied += (uint64_t)info.st_blocks * 512;
    }
    if (listing) closedir(listing);
    return total;
}

static void print_size(const char *directory, const char *when, uint64_t documents) {
    uint64_t occupied, bytes = directory_bytes(directory, &occupied);
    printf("%s size %s: %.0f bytes a document in files, %.0f on disk\n", store_name, when,
           (double)bytes / (double)documents, (double)occupied / (double)documents);
}

/* ---- the parts of the workload ---- */

static void *room_for(size_t count, size_t size) {
    void *room = mem_zero(count, size);
    if (!room) abort();
    return room;
}

/* Adds [from, to) in batches; returns the CPU time of the store alone, without making the documents. */
static double add_range(struct store *store, uint64_t from, uint64_t to, size_t batch) {
    stemma_error err;
    struct document *documents = room_for(batch, sizeof *documents);
    double spent = 0;
    while (from < to) {
        size_t count = to - from < batch ? (size_t)(to - from) : batch;
        for (size_t i = 0; i < count; i++) make_document(from + i, &documents[i]);
        double before = cpu();
        check(store_append(store, documents, count, &err), &err);
        spent += cpu() - before;
        from += count;
    }
    mem_free(documents);
    return spent;
}

/* The rate of the last tenth is told apart: does it slow down as it grows? */
static void build(const char *directory, uint64_t documents, size_t batch) {
    stemma_error err;
    struct store *store;
    check(store_open(directory, true, &store, &err), &err);
    double start = wall(), first = add_range(store, 0, documents / 10, batch);
    double middle = add_range(store, documents / 10, documents / 10 * 9, batch);
    double last = add_range(store, documents / 10 * 9, documents, batch), before_close = cpu();
    store_close(store);
    double spent = first + middle + last + cpu() - before_close;
    printf(
        "%s add %llu by %zu: cpu %.2f us a document (first tenth %.2f, last %.2f), wall %.2f us, peak %ld MB\n",
        store_name, (unsigned long long)documents, batch, spent / (double)documents * 1e6,
        first / (double)(documents / 10) * 1e6, last / (double)(documents / 10) * 1e6,
        (wall() - start) / (double)documents * 1e6, peak_megabytes());
    print_size(directory, "built", documents);
}

static void ask_id(struct store *store, uint64_t number) {
    struct document d;
    stemma_error err;
    uint8_t facts[FACTS], minima[MINIMA];
    uint64_t found_number;
    bool found;
    make_document(number, &d);
    check(store_find(store, d.id, d.id_size, facts, &found_number, &found, &err), &err);
    insist(found && found_number == number && !memcmp(facts, d.facts, FACTS), "a document by its id");
    check(store_minima(store, number, minima, &found, &err), &err);
    insist(found && !memcmp(minima, d.minima, MINIMA), "minima of a document");
}

enum { LIST_ROOM = 1 << 14 };

static void ask_key(struct store *store, enum index index, uint64_t key, uint64_t number, uint64_t *numbers) {
    stemma_error err;
    size_t count;
    bool itself = false;
    check(store_list(store, index, key, numbers, LIST_ROOM, &count, &err), &err);
    for (size_t i = 0; i < count; i++) itself |= numbers[i] == number;
    insist(itself || count == LIST_ROOM, "the list of a key lacks a document");
}

static double timed_document(struct store *store, const struct document *d, uint64_t *numbers) {
    double start = own();
    for (int b = 0; b < BANDS; b++) ask_key(store, INDEX_BANDS, d->bands[b], d->number, numbers);
    for (int s = 0; s < SAMPLES; s++) ask_key(store, INDEX_SAMPLES, d->samples[s], d->number, numbers);
    return own() - start;
}

enum { ASKED = 4000, SCANS = 8 };

static void query(const char *directory, uint64_t documents, bool warm) {
    static double seconds[ASKED];
    static uint64_t numbers[LIST_ROOM];
    stemma_error err;
    struct store *store;
    struct document d;
    double opening = wall();
    check(store_open(directory, false, &store, &err), &err);
    opening = wall() - opening;
    uint64_t rng = 7;
    for (int round = warm ? 0 : 1; round < 2; round++) {
        double before = cpu();
        for (int i = 0; i < ASKED; i++) {
            uint64_t number = rng_below(&rng, documents);
            double start = own();
            ask_id(store, number);
            seconds[i] = own() - start;
        }
        if (round) print_latency("id -> record, minima", seconds, ASKED, cpu() - before);
        before = cpu();
        for (int i = 0; i < ASKED / 4; i++) {
            make_document(rng_below(&rng, documents), &d);
            seconds[i] = timed_document(store, &d, numbers);
        }
        if (round) print_latency("document: 26 bands, 20 samples", seconds, ASKED / 4, cpu() - before);
    }
    double before = cpu();
    uint64_t near;
    for (int i = 0; i < SCANS; i++) {
        make_document(rng_below(&rng, documents), &d);
        double start = own();
        check(store_near(store, d.bits, 60, &near, &err), &err);
        insist(near == 1, "fingerprints within 60 bits");
        seconds[i] = own() - start;
    }
    print_latency("scan of all fingerprints", seconds, SCANS, cpu() - before);
    printf("%s query: opened in %.0f us, peak %ld MB\n", store_name, opening * 1e6, peak_megabytes());
    store_close(store);
}

/* Every tenth document goes; then all answers are asked for again. */
static void churn(const char *directory, uint64_t documents) {
    stemma_error err;
    struct store *store;
    size_t count = (size_t)(documents / 10), batch = 1000;
    struct document *gone = room_for(batch, sizeof *gone), d;
    check(store_open(directory, true, &store, &err), &err);
    double before = cpu();
    for (size_t done = 0; done < count; done += batch) {
        for (size_t i = 0; i < batch; i++) make_document((done + i) * 10, &gone[i]);
        check(store_remove(store, gone, batch, &err), &err);
    }
    double removed = cpu();
    print_size(directory, "removed", documents - count);
    check(store_reclaim(store, &err), &err);
    printf("%s remove: cpu %.2f us each, reclaim %.2f us a document left\n", store_name,
           (removed - before) / (double)count * 1e6, (cpu() - removed) / (double)(documents - count) * 1e6);
    store_close(store);
    print_size(directory, "reclaimed", documents - count);
    check(store_open(directory, false, &store, &err), &err);
    uint8_t facts[FACTS];
    uint64_t number;
    bool found;
    for (uint64_t n = 0; n < 3000; n++) {
        make_document(n, &d);
        check(store_find(store, d.id, d.id_size, facts, &number, &found, &err), &err);
        insist(found == (n % 10 != 0), "removed documents");
    }
    store_close(store);
    mem_free(gone);
}

static volatile sig_atomic_t over;

static void end(int signal) {
    (void)signal;
    over = 1;
}

/* Asks until it is told to end, always of what it has been told is committed. */
static void read_beside(const char *directory, int which) {
    static double seconds[1 << 20];
    static uint64_t numbers[LIST_ROOM];
    stemma_error err;
    struct store *store;
    struct document d;
    uint64_t rng = (uint64_t)which + 11, documents = 0, first = 0;
    size_t asked = 0;
    double refreshing = 0, before = cpu();
    check(store_open(directory, false, &store, &err), &err);
    while (!over && asked < sizeof seconds / sizeof *seconds) {
        double start = cpu();
        check(store_refresh(store, &documents, &err), &err);
        refreshing += cpu() - start;
        if (!first) first = documents;
        make_document(rng_below(&rng, documents), &d);
        seconds[asked++] = timed_document(store, &d, numbers);
        make_document(documents - 1, &d); /* the newest must be there as well */
        timed_document(store, &d, numbers);
    }
    printf("%s reader %d: saw %llu to %llu documents, refresh %.0f us\n", store_name, which,
           (unsigned long long)first, (unsigned long long)documents, refreshing / (double)asked * 1e6);
    print_latency("document beside a writer", seconds, asked, cpu() - before);
    store_close(store);
    exit(0);
}

static void readers(const char *directory, uint64_t documents, uint64_t more, size_t batch) {
    pid_t children[2];
    stemma_error err;
    struct store *store;
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            signal(SIGTERM, end);
            read_beside(directory, i);
        }
    }
    check(store_open(directory, true, &store, &err), &err);
    double start = wall(), spent = add_range(store, documents, documents + more, batch);
    printf("%s writer beside 2 readers: cpu %.2f us a document, wall %.2f us\n", store_name,
           spent / (double)more * 1e6, (wall() - start) / (double)more * 1e6);
    fflush(stdout);
    for (int i = 0; i < 2; i++) kill(children[i], SIGTERM);
    for (int i = 0; i < 2; i++) {
        int status;
        waitpid(children[i], &status, 0);
        insist(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a reader failed");
    }
    store_close(store);
}

/* ---- killed writers ---- */

enum { KILL_BATCH = 200 };

static pid_t start_writer(const char *directory, uint64_t documents) {
    pid_t child = fork();
    if (child) return child;
    stemma_error err;
    struct store *store;
    check(store_open(directory, true, &store, &err), &err);
    add_range(store, documents, UINT64_MAX, KILL_BATCH);
    exit(0);
}

/* All that was committed is there and can be read; returns how much that is. */
static uint64_t check_state(const char *directory, uint64_t least) {
    static uint64_t numbers[LIST_ROOM];
    stemma_error err;
    struct store *store;
    struct document d;
    uint64_t documents, digest;
    check(store_open(directory, false, &store, &err), &err);
    check(store_refresh(store, &documents, &err), &err);
    insist(documents >= least && documents % KILL_BATCH == 0, "a commit in part");
    for (uint64_t n = 0; n < documents; n += 1 + n % 997) ask_id(store, n);
    for (uint64_t n = documents - KILL_BATCH; n < documents; n += 7) {
        make_document(n, &d);
        timed_document(store, &d, numbers);
    }
    check(store_digest(store, &digest, &err), &err);
    store_close(store);
    return documents;
}

static void kills(const char *directory, size_t count) {
    stemma_error err;
    struct store *store;
    uint64_t rng = 5, documents = KILL_BATCH;
    check(store_open(directory, true, &store, &err), &err);
    add_range(store, 0, KILL_BATCH, KILL_BATCH);
    store_close(store);
    for (size_t i = 0; i < count; i++) {
        pid_t child = start_writer(directory, documents);
        usleep((useconds_t)rng_below(&rng, 60000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        documents = check_state(directory, documents);
    }
    printf("%s kills: %zu, %llu documents committed, nothing lost\n", store_name, count,
           (unsigned long long)documents);
}

/* ---- flipped bits ---- */

enum outcome { HARMLESS, DETECTED, SILENT, CRASHED, HUNG, OUTCOMES };

static const char *const outcome_names[OUTCOMES] = {"harmless", "detected", "silent wrong answer", "crashed",
                                                    "hung"};

/* In a process of its own: 0 when all is as it was, 1 when an error was reported, 2 when neither. */
static int read_everything(const char *directory, uint64_t expected) {
    stemma_error err;
    struct store *store;
    uint64_t digest;
    if (store_open(directory, false, &store, &err) != STEMMA_OK) return 1;
    if (store_digest(store, &digest, &err) != STEMMA_OK) return 1;
    return digest == expected ? 0 : 2;
}

static enum outcome try_reading(const char *directory, uint64_t expected) {
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(9);
        struct rlimit memory = {(rlim_t)32 << 30, (rlim_t)32 << 30};
        setrlimit(RLIMIT_AS, &memory);
        alarm(20);
        _exit(read_everything(directory, expected));
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGALRM ? HUNG : CRASHED;
    return WEXITSTATUS(status) < 3 ? (enum outcome)WEXITSTATUS(status) : CRASHED;
}

struct target {
    char path[4096];
    uint64_t size;
};

/* Notes of what was done, and locks, hold nothing that counts. */
static bool is_data(const char *name) {
    return strncmp(name, "LOG", 3) && strncmp(name, "LOCK", 4) && strcmp(name, "lock.mdb") &&
           strcmp(name, "lock");
}

static size_t list_targets(const char *directory, struct target *targets, size_t room, uint64_t *total) {
    DIR *listing = opendir(directory);
    struct dirent *entry;
    struct stat info;
    size_t count = 0;
    *total = 0;
    while (listing && (entry = readdir(listing)) && count < room) {
        if (fstatat(dirfd(listing), entry->d_name, &info, 0) || !S_ISREG(info.st_mode)) continue;
        if (!is_data(entry->d_name) || info.st_size == 0) continue;
        struct target *target = &targets[count++];
        snprintf(target->path, sizeof target->path, "%s/%s", directory, entry->d_name);
        target->size = (uint64_t)info.st_size;
        *total += target->size;
    }
    if (listing) closedir(listing);
    return count;
}

static void flip(const char *path, uint64_t at, unsigned bit) {
    uint8_t byte;
    int fd = open(path, O_RDWR);
    if (fd < 0 || pread(fd, &byte, 1, (off_t)at) != 1) abort();
    byte ^= (uint8_t)(1u << bit);
    if (pwrite(fd, &byte, 1, (off_t)at) != 1) abort();
    close(fd);
}

/* Every second flip is anywhere among all bytes; the others are in the first 4 KiB of a random file, since
 * what is small and at the front is what all else depends on. */
static void flips(const char *directory, size_t count) {
    static struct target targets[1024];
    stemma_error err;
    struct store *store;
    uint64_t total, digest, rng = 3, tally[2][OUTCOMES] = {{0}};
    check(store_open(directory, false, &store, &err), &err);
    check(store_digest(store, &digest, &err), &err);
    store_close(store);
    size_t files = list_targets(directory, targets, 1024, &total);
    for (size_t i = 0; i < count; i++) {
        bool front = i % 2;
        uint64_t at = rng_below(&rng, total);
        size_t f = front ? (size_t)rng_below(&rng, files) : 0;
        if (front)
            at = rng_below(&rng, targets[f].size < 4096 ? targets[f].size : 4096);
        else
            while (at >= targets[f].size) at -= targets[f++].size;
        unsigned bit = (unsigned)rng_below(&rng, 8);
        flip(targets[f].path, at, bit);
        enum outcome outcome = try_reading(directory, digest);
        tally[front][outcome]++;
        if (outcome > DETECTED)
            printf("%s: byte %llu of %s, bit %u\n", outcome_names[outcome], (unsigned long long)at,
                   targets[f].path, bit);
        flip(targets[f].path, at, bit);
    }
    for (int front = 0; front < 2; front++) {
        printf("%s flips %s:", store_name, front ? "in the first 4 KiB of files" : "anywhere");
        for (int o = 0; o < OUTCOMES; o++)
            printf(" %s %llu%c", outcome_names[o], (unsigned long long)tally[front][o],
                   o + 1 < OUTCOMES ? ',' : '\n');
    }
}

int main(int argc, char **argv) {
    uint64_t numbers[3] = {0};
    for (int i = 3; i < argc && i < 6; i++) numbers[i - 3] = strtoull(argv[i], NULL, 10);
    const char *what = argc > 2 ? argv[1] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(what, "add") && argc == 5)
        build(argv[2], numbers[0], (size_t)numbers[1]);
    else if (!strcmp(what, "query") && argc == 4)
        query(argv[2], numbers[0], true);
    else if (!strcmp(what, "churn") && argc == 4)
        churn(argv[2], numbers[0]);
    else if (!strcmp(what, "readers") && argc == 6)
        readers(argv[2], numbers[0], numbers[1], (size_t)numbers[2]);
    else if (!strcmp(what, "kills") && argc == 4)
        kills(argv[2], (size_t)numbers[0]);
    else if (!strcmp(what, "flips") && argc == 4)
        flips(argv[2], (size_t)numbers[0]);
    else {
        fprintf(stderr,
                "usage: %s add DIR DOCUMENTS BATCH | query DIR DOCUMENTS | churn DIR DOCUMENTS |\n"
                "       readers DIR DOCUMENTS MORE BATCH | kills DIR COUNT | flips DIR COUNT\n",
                argv[0]);
        return 2;
    }
    return 0;
}
