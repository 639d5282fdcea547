/*
 * A writer of a collection that is killed, loses power, or is refused, at every change it makes to its
 * folder: the last committed state is there.
 */
#include "collection_support.h"
#include "effort.h"
#include "faulty_disk.h"
#include "index/verify.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { COMMITS = 12, CRASH_MEMORY = 8000 };

/* Models after each commit of a run, which follow from its seed. */
static void make_models(uint64_t seed, struct model models[COMMITS + 1]) {
    char *path = new_folder();
    uint64_t random = seed;
    struct collection *c = open_model(path, NULL, CRASH_MEMORY);
    memset(models, 0, (COMMITS + 1) * sizeof *models);
    for (unsigned i = 0; i < COMMITS; i++) {
        models[i + 1] = models[i];
        OK(random_commit(c, &models[i + 1], &random, err));
    }
    end_model(c, path);
}

static uint64_t documents_of(const struct model *model) {
    uint64_t documents = 0;
    for (unsigned id = 0; id < MODEL_IDS; id++) documents += model->version[id] != 0;
    return documents;
}

static bool same_versions(struct collection *c, const struct model *model) {
    struct collection_facts facts;
    collection_about(c, &facts);
    if (facts.documents != documents_of(model)) return false;
    for (unsigned id = 0; id < MODEL_IDS; id++) {
        struct model_row r;
        uint64_t number;
        bool found;
        fill_model_row(&r, id, model->version[id]);
        OK(collection_find(c, r.row.id.bytes, r.row.id.size, &number, &found, err));
        if (found != (model->version[id] != 0)) return false;
        struct row row;
        if (found) OK(collection_record(c, number, &row, &found, err));
        if (found && !cells_equal(&row.facts, &r.row.facts)) return false;
    }
    return true;
}

static void print_finding(void *context, const char *text) {
    (void)context;
    print_message("%s\n", text);
}

/* The collection is sound and in one of two states; returns which. */
static unsigned check_one_of(const char *path, const struct model *models, unsigned first, unsigned last) {
    struct verify_facts facts;
    struct collection *c = read_model(path);
    unsigned found = first;
    static unsigned calls;
    while (found < last && !same_versions(c, &models[found])) found++;
    assert_true(same_versions(c, &models[found]));
    if (calls++ % 16 == 0) check_collection(c, &models[found]); /* verify looks at the rest */
    collection_close(c);
    OK(collection_verify(path, &(struct collection_options){.kinds = model_kinds}, false, NULL, print_finding,
                         NULL, &facts, err));
    assert_int_equal(facts.damages, 0);
    return found;
}

/* ---- one call does not come back, or fails ---- */

/* All commits of a run; *done counts them. */
static void run_commits(const char *path, const struct disk *disk, uint64_t seed, volatile unsigned *done) {
    uint64_t random = seed;
    struct model model = {.next = 0};
    struct collection *c = open_model(path, disk, CRASH_MEMORY);
    for (unsigned i = 0; i < COMMITS; i++) {
        OK(random_commit(c, &model, &random, err));
        *done = i + 1;
    }
    collection_close(c);
}

static long count_calls(uint64_t seed) {
    struct fault fault = {.fate = COUNT};
    struct disk disk = faulty(&fault);
    volatile unsigned done;
    char *path = new_folder();
    run_commits(path, &disk, seed, &done);
    remove_folder(path);
    free(path);
    return fault.calls;
}

static void survives_being_killed(void **state) {
    (void)state;
    uint64_t seed = 11;
    static struct model models[COMMITS + 1];
    make_models(seed, models);
    long calls = count_calls(seed), step = (long)(calls / (long)effort((size_t)calls));
    volatile unsigned *done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(calls > 100);
    print_message("%ld calls\n", calls);
    for (long at = 0; at < calls; at += step ? step : 1) {
        struct fault fault = {.fate = KILL, .left = at};
        struct disk disk = faulty(&fault);
        char *path = new_folder();
        *done = 0;
        pid_t child = fork();
        if (child == 0) {
            run_commits(path, &disk, seed, done);
            _exit(0);
        }
        int end;
        assert_int_equal(waitpid(child, &end, 0), child);
        assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 77);
        if (access(strcat(strcpy((char[200]){0}, path), "/manifest"), F_OK) == 0) {
            unsigned found = check_one_of(path, models, *done, *done < COMMITS ? *done + 1 : COMMITS);
            uint64_t random = seed + (uint64_t)at;
            struct model model = models[found];
            struct collection *c = open_model(path, NULL, CRASH_MEMORY); /* the next writer goes on */
            OK(random_commit(c, &model, &random, err));
            check_collection(c, &model);
            collection_close(c);
        } else {
            assert_int_equal(*done, 0);
        }
        remove_folder(path);
        free(path);
    }
    munmap((void *)done, 4096);
}

/* A call that fails: the commit fails and the last one stands, or it was done all the same. */
static void survives_refusals(void **state) {
    (void)state;
    uint64_t seed = 12;
    long calls = count_calls(seed), step = (long)(calls / (long)effort((size_t)calls));
    for (long at = 7; at < calls; at += step ? step : 1) { /* 7: those of making it */
        struct fault fault = {.fate = REFUSE, .left = at, .error = at % 2 ? ENOSPC : EIO};
        struct disk disk = faulty(&fault);
        uint64_t random = seed;
        struct model model = {.next = 0};
        char *path = new_folder();
        struct collection *c = open_model(path, &disk, CRASH_MEMORY);
        for (unsigned i = 0; i < COMMITS; i++) {
            struct model both[2] = {model, model};
            stemma_error error = {0};
            uint64_t before = random;
            stemma_status status = random_commit(c, &both[1], &random, &error);
            if (status == STEMMA_OK) {
                model = both[1];
                continue;
            }
            assert_true(status == STEMMA_NO_SPACE || status == STEMMA_IO);
            assert_non_null(strstr(error.message, path));
            collection_close(c);
            /* What it would have been is known from the same changes elsewhere. */
            struct model next = model;
            char *other = new_folder();
            struct collection *twin = open_model(other, NULL, 0);
            struct batch *b;
            OK(batch_new(twin, &b, err));
            for (unsigned id = 0; id < MODEL_IDS; id++)
                if (model.version[id]) {
                    struct model_row r;
                    fill_model_row(&r, id, model.version[id]);
                    OK(batch_put(b, &r.row, NULL, err));
                }
            OK(batch_commit(b, err));
            batch_free(b);
            random = before;
            OK(random_commit(twin, &next, &random, err));
            end_model(twin, other);
            both[0] = model;
            both[1] = next;
            model = both[check_one_of(path, both, 0, 1)];
            c = open_model(path, &disk, CRASH_MEMORY);
        }
        check_collection(c, &model);
        end_model(c, path);
    }
}

/* ---- power cuts: what was not synced may be there, or not ---- */

enum { INODES = 512, CALLS = 4096 };

enum call_kind { CREATE, WRITE, SYNC, RENAME, UNLINK, SYNC_FOLDER, DONE };

struct call {
    enum call_kind kind;
    unsigned inode;
    char name[40], to[40];
    uint64_t at;
    size_t size;
    uint8_t *bytes;
};

struct tape {
    struct call calls[CALLS];
    unsigned count, inodes;
    struct {
        int fd;
        unsigned inode;
    } open[64];
    bool refuse; /* the sync behind the next rename */
};

static struct call *record(struct tape *tape, enum call_kind kind) {
    assert_true(tape->count < CALLS);
    struct call *call = &tape->calls[tape->count++];
    call->kind = kind;
    return call;
}

static unsigned inode_of(const struct tape *tape, int fd) {
    struct stat facts;
    (void)fstat(fd, &facts);
    for (unsigned i = 0; i < 64; i++)
        if (tape->open[i].fd == fd) return tape->open[i].inode;
    fail_msg("a file that was not created");
    return 0;
}

static int taped_create(const struct disk *disk, int folder, const char *name, int *fd) {
    struct tape *tape = disk->context;
    int cause = disk_plain.create(disk, folder, name, fd);
    assert_int_equal(cause, 0);
    struct call *call = record(tape, CREATE);
    snprintf(call->name, sizeof call->name, "%s", name);
    call->inode = tape->inodes++;
    assert_true(call->inode < INODES);
    tape->open[*fd % 64].fd = *fd;
    tape->open[*fd % 64].inode = call->inode;
    return 0;
}
static int taped_write(const struct disk *disk, int fd, const void *bytes, size_t size, uint64_t at) {
    struct tape *tape = disk->context;
    struct call *call = record(tape, WRITE);
    call->inode = inode_of(tape, fd);
    call->at = at;
    call->size = size;
    call->bytes = malloc(size);
    memcpy(call->bytes, bytes, size);
    return disk_plain.write(disk, fd, bytes, size, at);
}
static int taped_sync(const struct disk *disk, int fd) {
    struct tape *tape = disk->context;
    record(tape, SYNC)->inode = inode_of(tape, fd);
    return 0;
}
static int taped_rename(const struct disk *disk, int folder, const char *from, const char *to) {
    struct call *call = record(disk->context, RENAME);
    snprintf(call->name, sizeof call->name, "%s", from);
    snprintf(call->to, sizeof call->to, "%s", to);
    return disk_plain.rename(disk, folder, from, to);
}
static int taped_unlink(const struct disk *disk, int folder, const char *name) {
    snprintf(record(disk->context, UNLINK)->name, 40, "%s", name);
    return disk_plain.unlink(disk, folder, name);
}
static int taped_sync_folder(const struct disk *disk, int folder) {
    struct tape *tape = disk->context;
    (void)folder;
    if (tape->refuse && tape->calls[tape->count - 1].kind == RENAME) {
        tape->refuse = false;
        return EIO;
    }
    record(tape, SYNC_FOLDER);
    return 0;
}

/* What a folder is after a cut: names, and the bytes of files. */
struct remains {
    struct {
        char name[40];
        int inode; /* -1: free */
    } names[INODES];
    struct buf files[INODES];
};

static int *slot_of(struct remains *r, const char *name, bool make) {
    int free_slot = -1;
    for (int i = 0; i < INODES; i++) {
        if (r->names[i].inode >= 0 && !strcmp(r->names[i].name, name)) return &r->names[i].inode;
        if (r->names[i].inode < 0 && free_slot < 0) free_slot = i;
    }
    if (!make) return NULL;
    snprintf(r->names[free_slot].name, sizeof r->names[free_slot].name, "%s", name);
    return &r->names[free_slot].inode;
}

static void apply_name(struct remains *r, const struct tape *tape, const struct call *call, int inode) {
    int *slot;
    (void)tape;
    if (call->kind == CREATE) *slot_of(r, call->name, true) = (int)call->inode;
    if (call->kind == UNLINK && (slot = slot_of(r, call->name, false))) *slot = -1;
    if (call->kind != RENAME) return;
    if ((slot = slot_of(r, call->name, false))) *slot = -1;
    *slot_of(r, call->to, true) = inode;
}

static void apply_write(struct buf *file, const struct call *call, size_t size) {
    while (file->len < call->at + size) buf_add_byte(file, 0);
    if (size) memcpy(file->data + call->at, call->bytes, size);
}

/* The file a name stands for when all calls before were made. */
static int inode_named(const struct tape *tape, unsigned before, const char *name) {
    for (unsigned i = before; i-- > 0;)
        if (tape->calls[i].kind == CREATE && !strcmp(tape->calls[i].name, name))
            return (int)tape->calls[i].inode;
    return -1;
}

static unsigned last_sync(const struct tape *tape, unsigned cut, enum call_kind kind, unsigned inode) {
    for (unsigned i = cut; i-- > 0;)
        if (tape->calls[i].kind == kind && (kind == SYNC_FOLDER || tape->calls[i].inode == inode)) return i;
    return 0;
}

static void cut_power(const struct tape *tape, unsigned cut, uint64_t *random, const char *path) {
    static struct remains r;
    unsigned folder = last_sync(tape, cut, SYNC_FOLDER, 0);
    for (int i = 0; i < INODES; i++) r.names[i].inode = -1;
    for (unsigned i = 0; i < cut; i++) {
        const struct call *call = &tape->calls[i];
        if (call->kind == WRITE) {
            bool sure = i < last_sync(tape, cut, SYNC, call->inode);
            uint64_t fate = sure ? 0 : rng_below(random, 3);
            if (fate < 2) apply_write(&r.files[call->inode], call, fate ? call->size / 2 : call->size);
        }
        bool names = call->kind == CREATE || call->kind == RENAME || call->kind == UNLINK;
        if (names && (i < folder || rng_below(random, 2)))
            apply_name(&r, tape, call, inode_named(tape, i, call->name));
    }
    int at = open(path, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < INODES; i++) {
        if (r.names[i].inode < 0) continue;
        int fd = openat(at, r.names[i].name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        const struct buf *file = &r.files[r.names[i].inode];
        assert_int_equal(write(fd, file->data, file->len), (ssize_t)file->len);
        close(fd);
    }
    close(at);
    for (int i = 0; i < INODES; i++) buf_release(&r.files[i]);
}

static unsigned commits_before(const struct tape *tape, unsigned cut) {
    unsigned done = 0;
    for (unsigned i = 0; i < cut; i++) done += tape->calls[i].kind == DONE;
    return done;
}

/* A writer that ends between the rename and its sync; the next one goes on from there. */
static void end_unsure(struct collection **c, const char *path, const struct disk *disk, struct model *model,
                       uint64_t *random) {
    struct tape *tape = disk->context;
    struct batch *b;
    OK(batch_new(*c, &b, err));
    OK(put_model(b, model, 1, err));
    OK(random_changes(b, model, random, err));
    tape->refuse = true;
    assert_int_equal(batch_commit(b, NULL), STEMMA_IO);
    batch_free(b);
    collection_close(*c);
    *c = open_model(path, disk, CRASH_MEMORY);
}

static void survives_power_cuts(void **state) {
    (void)state;
    uint64_t seed = 13, random = seed, cuts = 99;
    static struct tape tape;
    static struct model models[COMMITS + 1];
    struct disk disk = {.context = &tape,
                        .create = taped_create,
                        .write = taped_write,
                        .sync = taped_sync,
                        .rename = taped_rename,
                        .unlink = taped_unlink,
                        .sync_folder = taped_sync_folder};
    char *path = new_folder();
    struct collection *c = open_model(path, &disk, CRASH_MEMORY);
    record(&tape, DONE);
    for (unsigned i = 0; i < COMMITS; i++) {
        models[i + 1] = models[i];
        if (i % 3 == 2)
            end_unsure(&c, path, &disk, &models[i + 1], &random);
        else
            OK(random_commit(c, &models[i + 1], &random, err));
        record(&tape, DONE);
    }
    collection_close(c);
    remove_folder(path);
    for (unsigned cut = 0; cut <= tape.count; cut++)
        for (unsigned subset = 0; subset < effort(3); subset++) {
            unsigned done = commits_before(&tape, cut);
            assert_int_equal(mkdir(path, 0777), 0);
            cut_power(&tape, cut, &cuts, path);
            bool made = access(strcat(strcpy((char[200]){0}, path), "/manifest"), F_OK) == 0;
            assert_true(made || done == 0);
            unsigned commits = done ? done - 1 : 0, found = commits;
            if (made) found = check_one_of(path, models, commits, done && commits < COMMITS ? done : commits);
            c = open_model(path, NULL, CRASH_MEMORY); /* the next writer goes on */
            assert_true(same_versions(c, &models[found]));
            collection_close(c);
            remove_folder(path);
        }
    for (unsigned i = 0; i < tape.count; i++) free(tape.calls[i].bytes);
    free(path);
}

/* ---- the name of the folder ---- */

static ino_t parent;
static bool parent_synced;

static int watching_sync_folder(const struct disk *disk, int folder) {
    struct stat facts;
    assert_int_equal(fstat(folder, &facts), 0);
    parent_synced = parent_synced || facts.st_ino == parent;
    return disk_plain.sync_folder(disk, folder);
}

static void its_own_name_is_synced(void **state) {
    (void)state;
    char *path = new_folder(), inside[128];
    struct disk disk = disk_plain;
    struct stat facts;
    disk.sync_folder = watching_sync_folder;
    snprintf(inside, sizeof inside, "%s/c", path);
    assert_int_equal(stat(path, &facts), 0);
    parent = facts.st_ino;
    collection_close(open_model(inside, &disk, 0));
    assert_true(parent_synced);
    remove_folder(path);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_being_killed),
        cmocka_unit_test(survives_refusals),
        cmocka_unit_test(survives_power_cuts),
        cmocka_unit_test(its_own_name_is_synced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
