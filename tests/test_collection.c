/* The store of a collection against a model: random puts, replacements, removals and commits, by one writer,
 * seen by readers. */
#include "collect/pending.h"
#include "collection_support.h"
#include "effort.h"
#include "index/state.h"
#include "index/stored_text.h"
#include "index/verify.h"

#include "runs/block.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static uint64_t seed = 1;

static void agrees_with_the_model(void **state) {
    (void)state;
    for (size_t round = 0; round < effort(12); round++) {
        uint64_t random = seed * 1000 + round;
        struct model model = {.next = 0};
        char *path = new_folder();
        /* Little memory: a batch is cut into several segments. */
        size_t memory = rng_below(&random, 2) ? 0 : 4096;
        struct collection *c = open_model(path, NULL, memory), *reader = read_model(path), *twin;
        for (unsigned i = 0; i < 30; i++) {
            bool moved;
            OK(random_commit(c, &model, &random, err));
            check_collection(c, &model);
            OK(collection_follow(reader, &moved, err));
            check_collection(reader, &model);
            if (i % 10 == 9) OK(collection_compact(c, err));
            if (i % 8 == 0) {
                OK(collection_twin(reader, &twin, err));
                check_collection(twin, &model);
                collection_close(twin);
                collection_close(c);
                c = open_model(path, NULL, memory);
            }
        }
        collection_close(c);
        end_model(reader, path);
    }
}

/* ---- others ---- */

enum { COMMITS_SEEN = 4096 };

/* What counts as of each commit, for a reader in another process. */
struct shared {
    struct model models[COMMITS_SEEN];
    volatile bool done;
};

static void read_on(const char *path, const struct shared *shared) {
    struct collection *c = read_model(path);
    for (bool last = false, moved; !last;) {
        struct collection_facts facts;
        last = shared->done;
        OK(collection_follow(c, &moved, err));
        collection_about(c, &facts);
        check_collection(c, &shared->models[facts.commit]);
    }
    collection_close(c);
}

/* Ends a forked child with success. Not by _exit(): what it has from its parent it does not free, which
   valgrind would call a leak. */
static void leave(void) {
    execl("/bin/true", "true", (char *)NULL);
    _exit(1);
}

static void is_followed_by_other_processes(void **state) {
    (void)state;
    char *path = new_folder();
    uint64_t random = 21;
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct collection *c = open_model(path, NULL, 8000);
    struct collection_facts facts;
    pid_t readers[2];
    for (int i = 0; i < 2; i++)
        if ((readers[i] = fork()) == 0) {
            read_on(path, shared);
            leave();
        }
    struct model model = {.next = 0};
    for (size_t i = 0; i < effort(60); i++) {
        uint64_t again = random;
        struct model next = model;
        struct batch *b;
        OK(batch_new(c, &b, err));
        OK(random_changes(b, &next, &again, err));
        collection_about(c, &facts);
        for (uint64_t k = 1; k < 8; k++)
            shared->models[facts.commit + k] = next; /* merges are commits, too */
        OK(batch_commit(b, err));
        batch_free(b);
        random = again;
        model = next;
    }
    shared->done = true;
    for (int i = 0; i < 2; i++) {
        int end;
        assert_int_equal(waitpid(readers[i], &end, 0), readers[i]);
        assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 0);
    }
    collection_close(c);
    munmap(shared, sizeof *shared);
    remove_folder(path);
    free(path);
}

static void has_one_writer(void **state) {
    (void)state;
    char *path = new_folder(), holder[64], go = 1;
    int ends[2], end;
    volatile bool *let_go =
        mmap(NULL, sizeof *let_go, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct collection *c, *second;
    struct collection_options options = {.kinds = model_kinds, .wait = true};
    stemma_error error;
    assert_int_equal(pipe(ends), 0);
    pid_t waiting = fork(); /* before there is a lock, which it would hold, too */
    if (waiting == 0) {
        if (read(ends[0], &go, 1) != 1) _exit(1);
        OK(collection_open(path, &options, &second, err));
        if (!*let_go) _exit(1);
        leave();
    }
    c = open_model(path, NULL, 0);
    options.wait = false;
    assert_int_equal(collection_open(path, &options, &second, &error), STEMMA_INVALID);
    snprintf(holder, sizeof holder, "is being written by process %ld on ", (long)getpid());
    assert_non_null(strstr(error.message, holder));
    assert_non_null(strstr(error.message, ": test"));
    volatile int stop = 1;
    options.stop = &stop;
    options.wait = true;
    assert_int_equal(collection_open(path, &options, &second, &error), STEMMA_INTERRUPTED);
    assert_int_equal(write(ends[1], &go, 1), 1);
    usleep(50000); /* time in which it would succeed if there were no lock */
    *let_go = true;
    collection_close(c);
    assert_int_equal(waitpid(waiting, &end, 0), waiting);
    assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 0);
    close(ends[0]);
    close(ends[1]);
    munmap((void *)let_go, sizeof *let_go);
    remove_folder(path);
    free(path);
}

static void write_text(const char *path, const char *name, const char *text) {
    char at[128];
    snprintf(at, sizeof at, "%s/%s", path, name);
    FILE *file = fopen(at, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A file `lock` in a folder that is no collection is not ours to write to. */
static void other_folders_are_left_alone(void **state) {
    (void)state;
    struct schema schema;
    struct collection *c;
    model_schema(&schema);
    for (int other = 0; other < 3; other++) {
        struct collection_options options = {.kinds = model_kinds, .schema = other == 2 ? NULL : &schema};
        char *path = new_folder(), lock[128], text[16] = "";
        snprintf(lock, sizeof lock, "%s/lock", path);
        if (other < 2) write_text(path, "lock", other ? "" : "mine");
        if (other == 1) write_text(path, "notes", "");
        assert_int_equal(collection_open(path, &options, &c, NULL),
                         other == 2 ? STEMMA_NOT_FOUND : STEMMA_INVALID);
        FILE *file = fopen(lock, "r");
        assert_int_equal(file != NULL, other < 2);
        if (file) {
            (void)!fgets(text, sizeof text, file);
            assert_string_equal(text, other ? "" : "mine");
            fclose(file);
        }
        remove_folder(path);
        free(path);
    }
    schema_release(&schema);
}

/* A reader leaves no trace: no lock, no file. */
static void reading_writes_nothing(void **state) {
    (void)state;
    char *path = new_folder(), lock[128];
    uint64_t random = 8;
    struct model model = {.next = 0};
    struct collection *c = open_model(path, NULL, 0);
    OK(random_commit(c, &model, &random, err));
    collection_close(c);
    snprintf(lock, sizeof lock, "%s/lock", path);
    assert_int_equal(unlink(lock), 0);
    c = read_model(path);
    check_collection(c, &model);
    struct batch *b;
    assert_int_equal(batch_new(c, &b, NULL), STEMMA_INVALID);
    collection_close(c);
    assert_int_equal(access(lock, F_OK), -1);
    remove_folder(path);
    free(path);
}

/* Another reader of a commit whose files a writer has unlinked meanwhile, and whose folder has moved. */
static void has_twins_of_the_past(void **state) {
    (void)state;
    char *path = new_folder(), moved[128];
    uint64_t random = 9;
    struct model model = {.next = 0};
    struct collection *c = open_model(path, NULL, 0), *twin;
    struct collection_facts facts;
    do {
        OK(random_commit(c, &model, &random, err));
        collection_about(c, &facts);
    } while (facts.gone == 0);
    struct collection *reader = read_model(path);
    struct model past = model;
    for (int i = 0; i < 8; i++) OK(random_commit(c, &model, &random, err));
    snprintf(moved, sizeof moved, "%s.moved", path);
    assert_int_equal(rename(path, moved), 0);
    OK(collection_twin(reader, &twin, err));
    check_collection(twin, &past);
    collection_close(twin);
    collection_close(reader);
    collection_close(c);
    remove_folder(moved);
    free(path);
}

/* A batch of more segments than there are descriptors. */
static void large_batches_need_few_files(void **state) {
    (void)state;
    char *path = new_folder();
    uint64_t random = 10;
    struct model model = {.next = 0};
    struct rlimit before, few;
    struct batch *b;
    struct collection *c = open_model(path, NULL, 4000);
    OK(random_commit(c, &model, &random, err));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){.rlim_cur = 64, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    OK(batch_new(c, &b, err));
    for (int i = 0; i < 200; i++) OK(random_changes(b, &model, &random, err));
    OK(batch_commit(b, err));
    batch_free(b);
    check_collection(c, &model);
    collection_close(c);
    c = read_model(path);
    check_collection(c, &model);
    collection_close(c);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    remove_folder(path);
    free(path);
}

/* ---- parts that come and go ---- */

static stemma_status make_more(void *context, uint64_t number, const struct row *row, const struct part *part,
                               struct buf *cell, stemma_error *err) {
    (void)number;
    (void)context;
    uint8_t bytes[4];
    store_u32(bytes, load_u32(row->facts.bytes) * 10 + part->spec);
    return buf_add(cell, bytes, 4) ? STEMMA_OK : fail_memory(err);
}

static void check_more(struct collection *c, const struct model *model, uint32_t spec) {
    int column = schema_find(collection_schema(c), KIND_MORE, spec);
    int lookup = schema_find(collection_schema(c), KIND_MORE_KEYS, spec);
    assert_true(column >= 0 && lookup >= 0);
    for (unsigned id = 0; id < MODEL_IDS; id++) {
        struct vec64 numbers = {0};
        OK(collection_lookup(c, (size_t)lookup, id * 10 + spec, 0, &numbers, err));
        assert_int_equal(numbers.len, model->version[id] != 0);
        struct cell cell;
        bool found;
        if (numbers.len) {
            OK(collection_cell(c, numbers.data[0], (size_t)column, &cell, &found, err));
            assert_true(found && cell.size == 4 && load_u32(cell.bytes) == id * 10 + spec);
        }
        vec64_release(&numbers);
    }
}

static void parts_come_and_go(void **state) {
    (void)state;
    char *path = new_folder();
    uint64_t random = 31;
    struct model model = {.next = 0};
    struct collection *c = open_model(path, NULL, 0), *reader = read_model(path);
    for (int i = 0; i < 5; i++) OK(random_commit(c, &model, &random, err));
    for (uint32_t spec = 1; spec < 4; spec++) {
        const struct part more = {KIND_MORE, spec, FORM_COLUMN, 4},
                          keys = {KIND_MORE_KEYS, spec, FORM_LOOKUP, 0};
        OK(collection_change_parts(c, NULL, 0, &more, 1, make_more, NULL, err));
        OK(collection_change_parts(c, NULL, 0, &keys, 1, NULL, NULL, err));
        assert_int_equal(collection_change_parts(c, NULL, 0, &keys, 1, NULL, NULL, NULL), STEMMA_INVALID);
        OK(collection_follow(reader, NULL, err));
        for (uint32_t there = 1; there <= spec; there++) check_more(reader, &model, there);
        check_collection(reader, &model);
        if (spec == 2) OK(collection_compact(c, err));
    }
    uint64_t before = collection_part_bytes(c, KIND_MORE_KEYS, 2);
    assert_true(before > 0);
    OK(collection_change_parts(c, &(struct part){.kind = KIND_MORE_KEYS, .spec = 2}, 1, NULL, 0, NULL, NULL,
                               err));
    OK(collection_change_parts(c, &(struct part){.kind = KIND_MORE, .spec = 2}, 1, NULL, 0, NULL, NULL, err));
    assert_int_equal(collection_change_parts(c, &(struct part){.kind = KIND_MORE, .spec = 2}, 1, NULL, 0,
                                             NULL, NULL, NULL),
                     STEMMA_NOT_FOUND);
    OK(collection_compact(c, err));
    assert_int_equal(collection_part_bytes(c, KIND_MORE_KEYS, 2), 0);
    OK(collection_follow(reader, NULL, err));
    check_more(reader, &model, 1);
    check_more(reader, &model, 3);
    check_collection(reader, &model);
    collection_close(reader);
    end_model(c, path);
}

/* Files of further parts do not pile up: before there are too many a segment is written again. Columns come
 * with their keys, in the place of others. */
static void parts_come_often(void **state) {
    (void)state;
    char *path = new_folder();
    uint64_t random = 32;
    struct model model = {.next = 0};
    struct batch *b;
    struct collection *c = open_model(path, NULL, 0);
    for (int i = 0; i < 2; i++) OK(random_commit(c, &model, &random, err));
    for (uint32_t spec = 1; spec < 20; spec++) {
        const struct part add[] = {{KIND_MORE_KEYS, spec, FORM_LOOKUP, 0}, {KIND_MORE, spec, FORM_COLUMN, 4}};
        const struct part drop[] = {{.kind = KIND_MORE, .spec = spec - 1},
                                    {.kind = KIND_MORE_KEYS, .spec = spec - 1}};
        OK(collection_change_parts(c, drop, spec > 1 ? 2 : 0, add, 2, make_more, NULL, err));
        check_more(c, &model, spec);
        check_collection(c, &model);
    }
    OK(batch_new(c, &b, err));
    const struct part last = {.kind = KIND_MORE_KEYS, .spec = 19};
    assert_int_equal(collection_change_parts(c, &last, 1, NULL, 0, NULL, NULL, NULL), STEMMA_INVALID);
    assert_int_equal(collection_compact(c, NULL), STEMMA_INVALID);
    batch_free(b);
    end_model(c, path);
}

/* ---- versions ---- */

/* Both copies of a manifest with another word, and right checksums. */
static void set_word(const char *path, size_t at, uint64_t word) {
    char name[128];
    uint8_t bytes[4096];
    snprintf(name, sizeof name, "%s/manifest", path);
    int fd = open(name, O_RDWR);
    ssize_t size = read(fd, bytes, sizeof bytes);
    assert_true(size > 0 && size % 16 == 0);
    for (size_t start = 0, half = (size_t)size / 2; start < (size_t)size; start += half) {
        store_u64(bytes + start + at, word);
        store_u64(bytes + start + half - 8, words_checksum(bytes + start, half - 8, start));
    }
    assert_int_equal(pwrite(fd, bytes, (size_t)size, 0), size);
    close(fd);
}

static void set_format(const char *path, uint32_t format, uint32_t oldest) {
    set_word(path, 8, (uint64_t)oldest << 32 | format);
}

/* Sizes that somebody made up are not believed. */
static void claims_are_bounded(void **state) {
    (void)state;
    char *path = new_folder();
    struct collection_options options = {.kinds = model_kinds};
    struct collection *c = open_model(path, NULL, 0);
    struct buf text = {0};
    collection_close(c);
    set_word(path, 32, UINT64_C(1) << 46); /* the next number */
    assert_int_equal(collection_open_read(path, &options, &c, NULL), STEMMA_CORRUPT);
    /* A frame of 2^40 bytes, of which one block says the first 2^17. */
    const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 3, 0, 0x10, 0};
    assert_int_equal(stored_text_unpack(frame, sizeof frame, UINT64_C(1) << 40, &text, NULL), STEMMA_CORRUPT);
    assert_int_equal(text.cap, 0);
    remove_folder(path);
    free(path);
}

static void later_formats_are_refused(void **state) {
    (void)state;
    char *path = new_folder();
    uint64_t random = 4;
    stemma_error error;
    struct model model = {.next = 0};
    struct collection *c = open_model(path, NULL, 0);
    struct collection_options options = {.kinds = model_kinds};
    OK(random_commit(c, &model, &random, err));
    collection_close(c);
    set_format(path, 5, 5);
    assert_int_equal(collection_open_read(path, &options, &c, &error), STEMMA_LATER_VERSION);
    assert_non_null(strstr(error.message, "(format 5; this program reads up to 4)"));
    assert_int_equal(collection_open(path, &options, &c, &error), STEMMA_LATER_VERSION);
    set_format(path, 5, 4); /* it says that this program can read it, which is not to write it */
    c = read_model(path);
    check_collection(c, &model);
    collection_close(c);
    assert_int_equal(collection_open(path, &options, &c, &error), STEMMA_LATER_VERSION);
    struct verify_facts facts;
    assert_int_equal(collection_verify(path, &options, true, NULL, NULL, NULL, &facts, &error),
                     STEMMA_LATER_VERSION);
    write_text(path, "manifest", "\x8bSTL\r\n\x1a\n\x05\x01\x01\x01\x05\x01\x01\x01 and whatever it is like");
    assert_int_equal(collection_open_read(path, &options, &c, &error), STEMMA_LATER_VERSION);
    remove_folder(path);
    free(path);
}

/* A file of every kind; the same for ever. */
static void make_golden(const char *path, struct model *model) {
    struct collection *c = open_model(path, NULL, 0);
    struct batch *b;
    const struct part add[] = {{KIND_MORE, 1, FORM_COLUMN, 4}, {KIND_MORE_KEYS, 1, FORM_LOOKUP, 0}};
    commit_models(c, model, 0, 5);
    OK(batch_new(c, &b, err));
    OK(put_model(b, model, 5, err));
    OK(remove_model(b, model, 1, err));
    OK(batch_commit(b, err));
    batch_free(b);
    OK(collection_change_parts(c, NULL, 0, add, 2, make_more, NULL, err));
    collection_close(c);
}

/* A line for each file: name, bytes. */
static void write_golden(const char *path, const char *to) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    FILE *out = fopen(to, "w");
    assert_true(folder && out);
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "lock")) continue;
        FILE *file = fdopen(openat(dirfd(folder), entry->d_name, O_RDONLY), "r");
        assert_non_null(file);
        fprintf(out, "%s ", entry->d_name);
        for (int byte; (byte = getc(file)) != EOF;) fprintf(out, "%02x", (unsigned)byte);
        fputc('\n', out);
        fclose(file);
    }
    closedir(folder);
    fclose(out);
}

static void read_golden(const char *from, const char *path) {
    FILE *in = fopen(from, "r");
    char name[40], at[128];
    unsigned byte;
    assert_non_null(in);
    while (fscanf(in, "%39s ", name) == 1) {
        snprintf(at, sizeof at, "%s/%s", path, name);
        FILE *file = fopen(at, "w");
        assert_non_null(file);
        for (int next; (next = getc(in)) != '\n';) {
            ungetc(next, in);
            assert_int_equal(fscanf(in, "%2x", &byte), 1);
            putc((int)byte, file);
        }
        fclose(file);
    }
    fclose(in);
}

static void forget(void *context, const char *text) {
    (void)context;
    print_message("%s\n", text);
}

/* As it was written in each format, for ever: STEMMA_REGENERATE=1 is for the first of a new one, which gets a
 * file of its own. */
static const char golden_first[] = GOLDEN_DIR "/collection-1.hex",
                  golden_second[] = GOLDEN_DIR "/collection-2.hex",
                  golden_third[] = GOLDEN_DIR "/collection-3.hex",
                  golden_now[] = GOLDEN_DIR "/collection-4.hex";

static void check_golden(const char *golden) {
    struct model model = {.next = 0};
    struct verify_facts facts;
    char *path = new_folder();
    uint64_t random = 6;
    make_golden(path, &model);
    if (getenv("STEMMA_REGENERATE") && golden == golden_now) write_golden(path, golden);
    remove_folder(path);
    assert_int_equal(mkdir(path, 0777), 0);
    read_golden(golden, path);
    OK(collection_verify(path, &(struct collection_options){.kinds = model_kinds}, false, NULL, forget, NULL,
                         &facts, err));
    assert_int_equal(facts.damages, 0);
    struct collection *c = open_model(path, NULL, 0);
    check_collection(c, &model);
    check_more(c, &model, 1);
    const struct part drop[] = {{.kind = KIND_MORE_KEYS, .spec = 1}, {.kind = KIND_MORE, .spec = 1}};
    OK(collection_change_parts(c, drop, 2, NULL, 0, NULL, NULL, err));
    for (int i = 0; i < 5; i++) OK(random_commit(c, &model, &random, err)); /* merged with what is new */
    check_collection(c, &model);
    end_model(c, path);
}

static void older_formats_open(void **state) {
    (void)state;
    check_golden(golden_first);
    check_golden(golden_second);
    check_golden(golden_third);
    check_golden(golden_now);
}

static void commit_more(struct collection *c, unsigned *next, unsigned count) {
    struct model_row r;
    struct batch *b;
    OK(batch_new(c, &b, err));
    for (const unsigned limit = *next + count; *next < limit; ++*next) {
        fill_model_row(&r, *next, 1);
        OK(batch_put(b, &r.row, NULL, err));
    }
    OK(batch_commit(b, err));
    batch_free(b);
}

/* In the order of their numbers; how many there are. */
static size_t lengths_of(struct collection *c, uint64_t lengths[16]) {
    const size_t count = collection_segments(c);
    assert_true(count <= 16);
    for (size_t s = 0; s < count; s++) lengths[s] = collection_segment_rows(c, s);
    return count;
}

/* Four of a length become one, and with it those before it that are as long. */
static void segments_grow_by_four(void **state) {
    (void)state;
    uint64_t lengths[16];
    unsigned next = 0;
    char *path = new_folder();
    struct collection *c = open_model(path, NULL, 0);
    for (int i = 0; i < 13; i++) commit_more(c, &next, 600);
    assert_int_equal(lengths_of(c, lengths), 4);
    for (int i = 0; i < 3; i++) assert_int_equal(lengths[i], 2400);
    assert_int_equal(lengths[3], 600);
    commit_more(c, &next, 600); /* 3½ times 2,400 */
    assert_int_equal(lengths_of(c, lengths), 1);
    end_model(c, path);
}

/* However uneven commits are, no last segments together are four times the longest of them. */
static void segments_stay_few(void **state) {
    (void)state;
    uint64_t lengths[16], random = 11;
    unsigned next = 0;
    char *path = new_folder();
    struct collection *c = open_model(path, NULL, 0);
    for (int i = 0; i < 60; i++) {
        commit_more(c, &next, 1 + (unsigned)(mix64(random++) % (i % 7 ? 50 : 2000)));
        uint64_t longest = 512, all = 0;
        for (size_t s = lengths_of(c, lengths); s-- > 0;) {
            if (lengths[s] > longest) longest = lengths[s];
            all += lengths[s];
            assert_true(all < 4 * longest);
        }
    }
    end_model(c, path);
}

/* A writer who cannot wait leaves large merges for later, and they are seen to be due. */
static void merges_can_wait(void **state) {
    (void)state;
    struct model model = {.next = 0};
    struct collection_facts facts;
    char *path = new_folder();
    struct collection *c = open_model(path, NULL, 0);
    collection_bound_merges(c, 12);
    for (unsigned id = 0; id < 4; id++) commit_models(c, &model, id, id + 1);
    collection_about(c, &facts);
    assert_int_equal(facts.segments, 1); /* four documents may be written again */
    for (unsigned id = 4; id < 24; id += 5) commit_models(c, &model, id, id + 5);
    collection_about(c, &facts);
    assert_true(facts.segments == 5 && collection_due(c) >= 4);
    collection_close(c);
    c = open_model(path, NULL, 0);
    assert_true(collection_due(c) >= 4);
    OK(collection_settle(c, err));
    collection_about(c, &facts);
    assert_true(facts.segments == 1 && collection_due(c) == 0);
    check_collection(c, &model);
    end_model(c, path);
}

/* Of two segments that have lost much, the large one waits, and the small one does not wait for it. */
static void small_losses_do_not_wait(void **state) {
    (void)state;
    struct model model = {.next = 0};
    struct collection_facts facts;
    struct batch *b;
    char *path = new_folder();
    struct collection *c = open_model(path, NULL, 0);
    collection_bound_merges(c, 12);
    commit_models(c, &model, 0, 40);
    commit_models(c, &model, 40, 48);
    OK(batch_new(c, &b, err));
    for (unsigned id = 30; id < 44; id++) OK(remove_model(b, &model, id, err));
    OK(batch_commit(b, err));
    batch_free(b);
    collection_about(c, &facts);
    assert_true(facts.segments == 2 && facts.gone == 10);
    assert_int_equal(collection_due(c), 1);
    check_collection(c, &model);
    end_model(c, path);
}

/* However many segments there are, and though each of their filters would fit. */
static void filters_share_the_memory(void **state) {
    (void)state;
    enum { MOST = 100 }; /* bytes: a filter of 24 documents has 56 */
    struct model model = {.next = 0};
    char *path = new_folder();
    struct collection *c = open_model(path, NULL, 0);
    for (unsigned id = 0; id < 48; id += 24) commit_models(c, &model, id, id + 24);
    assert_int_equal(c->state.count, 2);
    c->memory = 8 * MOST;
    check_collection(c, &model);
    const size_t first = id_filter_bytes(&c->state.segments[0]->filter),
                 second = id_filter_bytes(&c->state.segments[1]->filter);
    assert_true(first + second > 0 && first + second <= MOST);
    end_model(c, path);
}

/* Documents that are in the store after one was put to others that have waited for so long. */
static uint64_t committed_after(struct collection *c, bool often, double waited, double spent) {
    struct pending pending;
    struct model_row r;
    struct collection_facts before, after;
    pending_init(&pending, c);
    pending.often = often;
    collection_about(c, &before);
    for (unsigned id = 0; id < 3; id++) {
        fill_model_row(&r, id, (uint32_t)before.next_number + 1);
        if (id == 2) {
            pending.began -= waited;
            pending.first -= waited;
            pending.spent = spent;
        }
        OK(pending_put(&pending, &r.row, 100, NULL, err));
    }
    collection_about(c, &after);
    pending_release(&pending);
    return after.next_number - before.next_number;
}

/* Who asks for it has what is old committed, unless commits take too much of the time. */
static void what_is_pending_grows_old(void **state) {
    (void)state;
    char *path = new_folder();
    struct collection *c = open_model(path, NULL, 0);
    assert_int_equal(committed_after(c, true, 0, 0), 0);
    assert_int_equal(committed_after(c, false, 1000, 0), 0);
    assert_int_equal(committed_after(c, true, 10, 0), 3);
    assert_int_equal(committed_after(c, true, 10, 2), 0);
    assert_int_equal(committed_after(c, true, 100, 2), 3);
    end_model(c, path);
}

/* As where somebody wrote an index with other numbers. */
static void numbers_that_were_never_given_are_not_found(void **state) {
    uint64_t random = 5, postings = 0;
    struct model model = {.next = 0};
    (void)state;
    char *path = new_folder();
    struct collection *c = open_model(path, NULL, 0);
    OK(random_commit(c, &model, &random, err));
    OK(collection_range(c, WORD_PART, 0, UINT64_MAX, count_postings, &postings, err));
    assert_true(postings > WORDS);
    c->state.manifest.next_number = 1;
    postings = 0;
    OK(collection_range(c, WORD_PART, 0, UINT64_MAX, count_postings, &postings, err));
    assert_int_equal(postings, WORDS);
    end_model(c, path);
}

/* ---- sets of numbers ---- */

enum { SET_NUMBERS = 1 << 12, SET_SETS = 4 };

/* Few on each of many pages. */
static uint64_t set_number(unsigned index) {
    return (uint64_t)index / 32 * GONE_PAGE + index % 32 * 16001;
}

static void check_set(const struct gone *set, const bool *twin) {
    uint64_t from = 0, number, total = 0;
    for (unsigned i = 0; i < SET_NUMBERS; i++) {
        assert_int_equal(is_gone(set, set_number(i)), twin[i]);
        if (!twin[i]) continue;
        assert_true(gone_next(set, from, &number));
        assert_int_equal(number, set_number(i));
        from = number + 1;
        total++;
    }
    assert_false(gone_next(set, from, &number));
    assert_int_equal(set->total, total);
}

static void change_set(struct gone *set, bool *twin, uint64_t *random) {
    const unsigned first = (unsigned)rng_below(random, SET_NUMBERS), count = (unsigned)rng_below(random, 300);
    const bool add = rng_below(random, 3) > 0;
    if (!add) assert_true(gone_drop(set, set_number(first), set_number(first + count)));
    for (unsigned i = first; i < first + count && i < SET_NUMBERS; i++) {
        if (add) assert_true(gone_add(set, set_number(i)));
        twin[i] = add;
    }
}

/* Sets that are copies of each other share pages, and none changes with another; beyond some pages they are
 * in files. */
static void sets_of_numbers_agree_with_plain_ones(void **state) {
    static bool twins[SET_SETS][SET_NUMBERS];
    struct gone sets[SET_SETS] = {0};
    uint64_t random = 77;
    (void)state;
    for (size_t round = 0; round < effort(600); round++) {
        const size_t at = rng_below(&random, SET_SETS), from = rng_below(&random, SET_SETS);
        if (rng_below(&random, 4) == 0 && at != from) {
            gone_release(&sets[at]);
            assert_true(gone_copy(&sets[at], &sets[from]));
            memcpy(twins[at], twins[from], sizeof twins[at]);
        } else {
            change_set(&sets[at], twins[at], &random);
        }
        assert_int_equal(gone_equal(&sets[at], &sets[from]), !memcmp(twins[at], twins[from], sizeof *twins));
        assert_true(sets[at].held <= 64);
        if (round % 20 == 0)
            for (size_t i = 0; i < SET_SETS; i++) check_set(&sets[i], twins[i]);
    }
    for (size_t i = 0; i < SET_SETS; i++) gone_release(&sets[i]);
}

/* Without room there, memory has to do. */
static void sets_of_numbers_are_where_they_are_asked_for(void **state) {
    struct gone set = {.directory = "/nowhere"}, copy;
    (void)state;
    for (unsigned i = 0; i < 100; i++) assert_true(gone_add(&set, i * (uint64_t)GONE_PAGE));
    assert_int_equal(set.held, 100);
    assert_true(gone_copy(&copy, &set));
    gone_release(&set);
    assert_true(gone_add(&copy, 100 * (uint64_t)GONE_PAGE));
    assert_int_equal(copy.held, 101);
    gone_release(&copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_model),
        cmocka_unit_test(is_followed_by_other_processes),
        cmocka_unit_test(has_one_writer),
        cmocka_unit_test(reading_writes_nothing),
        cmocka_unit_test(other_folders_are_left_alone),
        cmocka_unit_test(has_twins_of_the_past),
        cmocka_unit_test(large_batches_need_few_files),
        cmocka_unit_test(parts_come_and_go),
        cmocka_unit_test(parts_come_often),
        cmocka_unit_test(later_formats_are_refused),
        cmocka_unit_test(older_formats_open),
        cmocka_unit_test(claims_are_bounded),
        cmocka_unit_test(merges_can_wait),
        cmocka_unit_test(small_losses_do_not_wait),
        cmocka_unit_test(filters_share_the_memory),
        cmocka_unit_test(what_is_pending_grows_old),
        cmocka_unit_test(segments_grow_by_four),
        cmocka_unit_test(segments_stay_few),
        cmocka_unit_test(numbers_that_were_never_given_are_not_found),
        cmocka_unit_test(sets_of_numbers_agree_with_plain_ones),
        cmocka_unit_test(sets_of_numbers_are_where_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
