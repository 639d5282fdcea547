/*
 * A plan is checked, or carried out. Steps go to the log in batches, since having them on the disk costs more
 * than taking them; but each file is read right before it is touched, and nothing is touched that the log
 * does not say.
 */
#include "act/attributes.h"
#include "act/bytes.h"
#include "act/extents.h"
#include "act/outcome.h"
#include "act/plan.h"
#include "act/touch.h"

#include "base/alloc.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
    BATCH = 64,        /* what a crash leaves to be looked at by undoing */
    NAMES_MOST = 10000 /* of files of one name in the folder of a move */
};

struct prepared {
    struct intent intent;
    stemma_status status; /* not OK: the step is not taken */
    stemma_error error;
};

struct run {
    struct stemma_plan *plan;
    const volatile int *stop;
    struct act_log *log; /* NULL: nothing is touched */
    stemma_act_take *take;
    void *context;
    stemma_act_totals totals;
    uint64_t intended;
    struct prepared batch[BATCH];
    size_t first, count;
    uint32_t confirmed;       /* the kept document that was read last, by its identity, */
    struct stat confirmed_as; /* and what it was then */
    uint32_t synced;          /* the kept document that is known to be on the disk */
};

static const struct source *source_of(const struct run *run, uint32_t document) {
    const struct catalogue *c = &run->plan->scan->catalogue;
    return &c->sources[c->documents[document].source];
}

/* ---- both files, as they are now ---- */

static stemma_status open_as_scanned(const struct run *run, uint32_t document, struct held *held,
                                     stemma_error *err) {
    const struct source *source = source_of(run, document);
    TRY(held_open(held, source->name, err));
    const struct stat *now = &held->info;
    if ((uint64_t)now->st_dev == source->device && (uint64_t)now->st_ino == source->inode &&
        (uint64_t)now->st_size == run->plan->scan->catalogue.documents[document].bytes &&
        nanoseconds(now->st_mtim) == source->modified)
        return STEMMA_OK;
    held_close(held);
    return fail(err, STEMMA_UNSUPPORTED, "'%s' has changed since it was scanned", source->name);
}

static stemma_status can_hardlink(const struct held *file, const struct held *kept, stemma_error *err) {
    if (file->info.st_dev != kept->info.st_dev)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' is on another file system", kept->place.path);
    return attributes_compare(file, kept, err);
}

static stemma_status can_reflink(const struct held *file, const struct held *kept, stemma_error *err) {
    TRY(reflink_possible(file, kept, err));
    if (!extents_shared(file->fd, kept->fd)) return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED, "it shares its blocks with '%s' already", kept->place.path);
}

/* Its links are on one file system. */
static stemma_status can_move_linked(const struct run *run, const struct held *file, stemma_error *err) {
    dev_t device;
    TRY(folder_device(run->plan->directory, &device, err));
    if (device == file->info.st_dev) return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED, "it has %ju links, from which another file system would part it",
                (uintmax_t)file->info.st_nlink);
}

/* Two devices of which one is no disk of its own may be two ways to one file: an overlay and what it lies
 * over, a folder that is mounted once more by a program or over a network. A copy was made at a time of its
 * own, which a file cannot be given; only that of one file is the same twice. */
static bool may_be_one_file(const struct stat *a, const struct stat *b) {
    return a->st_dev != b->st_dev && (major(a->st_dev) == 0 || major(b->st_dev) == 0) &&
           a->st_size == b->st_size && nanoseconds(a->st_mtim) == nanoseconds(b->st_mtim) &&
           nanoseconds(a->st_ctim) == nanoseconds(b->st_ctim);
}

/* What can be known before the bytes are read. */
static stemma_status can_act(const struct run *run, const struct held *file, const struct held *kept,
                             stemma_error *err) {
    stemma_action action = run->plan->action;
    if (is_same_inode(&file->info, &kept->info))
        return fail(err, STEMMA_UNSUPPORTED, "it is the same file as '%s'", kept->place.path);
    if (may_be_one_file(&file->info, &kept->info))
        return fail(err, STEMMA_UNSUPPORTED, "it may be '%s' itself, seen through another mount",
                    kept->place.path);
    if (file->info.st_nlink > 1 && (action == STEMMA_ACT_DELETE || action == STEMMA_ACT_HARDLINK))
        return fail(err, STEMMA_UNSUPPORTED, "it has %ju links: one less frees nothing",
                    (uintmax_t)file->info.st_nlink);
    if (action == STEMMA_ACT_MOVE && file->info.st_nlink > 1) return can_move_linked(run, file, err);
    if (action == STEMMA_ACT_HARDLINK) return can_hardlink(file, kept, err);
    return action == STEMMA_ACT_REFLINK ? can_reflink(file, kept, err) : STEMMA_OK;
}

static stemma_status open_both(const struct run *run, const struct step *step, struct held *file,
                               struct held *kept, stemma_error *err) {
    TRY(open_as_scanned(run, step->document, file, err));
    stemma_status status = open_as_scanned(run, step->kept, kept, err);
    if (status == STEMMA_OK) {
        status = can_act(run, file, kept, err);
        if (status != STEMMA_OK) held_close(kept);
    }
    if (status != STEMMA_OK) held_close(file);
    return status;
}

/* ---- reading again ---- */

static stemma_status confirm_identity(const struct run *run, uint32_t document, const struct held *held,
                                      stemma_error *err) {
    const struct stemma_scan *scan = run->plan->scan;
    struct identity now;
    TRY(bytes_identity(held, &scan->key, run->stop, &now, err));
    if (identity_equal(now, scan->catalogue.documents[document].bytes_identity)) return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED, "'%s' has changed since it was scanned", held->place.path);
}

/* Of one that many near-duplicates share, once is enough while the file system says that it is as it was. */
static stemma_status confirm_kept(struct run *run, uint32_t document, const struct held *kept,
                                  stemma_error *err) {
    const struct stat *was = &run->confirmed_as, *is = &kept->info;
    if (run->confirmed == document && is_same_inode(was, is) &&
        nanoseconds(was->st_ctim) == nanoseconds(is->st_ctim))
        return STEMMA_OK;
    TRY(confirm_identity(run, document, kept, err));
    run->confirmed = document;
    run->confirmed_as = *is;
    return STEMMA_OK;
}

static stemma_status confirm(struct run *run, const struct step *step, const struct held *file,
                             const struct held *kept, stemma_error *err) {
    if (step->relation == STEMMA_IDENTICAL) {
        TRY(bytes_compare(file, kept, run->stop, err));
    } else {
        TRY(confirm_identity(run, step->document, file, err));
        TRY(confirm_kept(run, step->kept, kept, err));
    }
    TRY(held_unchanged(file, err));
    return held_unchanged(kept, err);
}

/* A copy that was just written and is not on the disk, or has no name there, would not outlive a power cut,
 * and the file that goes might. That takes its time: the copy is looked at again. */
static stemma_status sync_kept(struct run *run, uint32_t document, const struct held *kept,
                               stemma_error *err) {
    if (run->synced == document) return STEMMA_OK;
    if (fdatasync(kept->fd) != 0 && errno != EINVAL && errno != EROFS)
        return fail_errno(err, "read", kept->place.path, errno);
    TRY(place_sync(&kept->place, err));
    run->synced = document;
    return held_unchanged(kept, err);
}

/* Another run may keep what this one is to remove, and remove what it keeps. Not every place has locks. */
static stemma_status claim(const struct held *held, int how, stemma_error *err) {
    if (flock(held->fd, how | LOCK_NB) == 0 || errno != EWOULDBLOCK) return STEMMA_OK;
    return fail(err, STEMMA_UNSUPPORTED, "'%s' is in use by another", held->place.path);
}

/* ---- where a move leads ---- */

/* The path as it was given, below the folder; what leads out of it is left out. */
static bool join_below(struct buf *out, const char *folder, const char *path) {
    bool whole = buf_add_string(out, strcmp(folder, "/") ? folder : "");
    for (const char *at = path; whole && *at; at += strspn(at, "/")) {
        size_t size = strcspn(at, "/");
        bool dots = (size == 1 && at[0] == '.') || (size == 2 && at[0] == '.' && at[1] == '.');
        if (size && !dots) whole = buf_add_byte(out, '/') && buf_add(out, at, size);
        at += size;
    }
    return whole;
}

/* As path_taken, also by what is about to be moved there. */
static int target_taken(const struct run *run, const char *path) {
    for (size_t i = 0; i < BATCH && i < run->count; i++) {
        const char *other = run->batch[i].intent.target;
        if (other && !strcmp(other, path)) return EEXIST;
    }
    return path_taken(path);
}

/* "x.txt", else "x.2.txt" and so on. */
static bool put_numbered(struct buf *out, const struct buf *path, unsigned number) {
    const char *text = (const char *)path->data, *slash = memrchr(text, '/', path->len);
    const char *dot = memrchr(slash + 2, '.', path->len - (size_t)(slash + 2 - text)),
               *end = text + path->len;
    if (!dot) dot = end;
    out->len = 0;
    if (!buf_add(out, text, (size_t)(dot - text))) return false;
    if (number > 1 && !buf_add_format(out, ".%u", number)) return false;
    return buf_add(out, dot, (size_t)(end - dot)) && buf_add_byte(out, 0);
}

static stemma_status fail_target(const struct run *run, const char *path, const char *target, int cause,
                                 stemma_error *err) {
    if (cause == EEXIST)
        return fail(err, STEMMA_UNSUPPORTED, "no name is free for '%s' below '%s'", path,
                    run->plan->directory);
    if (cause == ENOTDIR)
        return fail(err, STEMMA_UNREADABLE, "cannot move to '%s': what it leads through is not a folder",
                    target);
    return fail_errno(err, "move to", target, cause);
}

static stemma_status choose_target(const struct run *run, const char *path, char **target,
                                   stemma_error *err) {
    struct buf plain = {0}, named = {0};
    bool whole = join_below(&plain, run->plan->directory, path);
    int cause = EEXIST;
    for (unsigned number = 1; whole && cause == EEXIST && number < NAMES_MOST; number++) {
        whole = put_numbered(&named, &plain, number);
        if (whole) cause = target_taken(run, (char *)named.data);
    }
    stemma_status status = !whole  ? fail_memory(err)
                           : cause ? fail_target(run, path, (char *)named.data, cause, err)
                                   : STEMMA_OK;
    buf_release(&plain);
    if (status == STEMMA_OK)
        *target = (char *)named.data;
    else
        buf_release(&named);
    return status;
}

/* ---- a step ---- */

static stemma_status make_intent(struct run *run, const struct step *step, const struct held *file,
                                 const struct held *kept, struct intent *out, stemma_error *err) {
    const struct stemma_plan *plan = run->plan;
    struct intent i = {.number = run->intended,
                       .action = plan->action,
                       .relation = step->relation,
                       .path = plan_absolute(plan, file->place.path),
                       .kept = plan_absolute(plan, kept->place.path),
                       .file = file->info,
                       .kept_inode = kept->info.st_ino,
                       .kept_modified = nanoseconds(kept->info.st_mtim)};
    stemma_status status = i.path && i.kept ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK && plan->action == STEMMA_ACT_DELETE)
        status = attributes_note(file, &i.attributes, err);
    if (status == STEMMA_OK && plan->action == STEMMA_ACT_MOVE)
        status = choose_target(run, file->place.path, &i.target, err);
    if (status == STEMMA_OK)
        *out = i;
    else
        intent_release(&i);
    return status;
}

static stemma_status prepare(struct run *run, const struct step *step, struct intent *intent,
                             stemma_error *err) {
    struct held file, kept;
    TRY(check_stop(run->stop, err));
    TRY(open_both(run, step, &file, &kept, err));
    stemma_status status = make_intent(run, step, &file, &kept, intent, err);
    if (status == STEMMA_OK && !run->log) status = confirm(run, step, &file, &kept, err);
    held_close(&file);
    held_close(&kept);
    return status;
}

static stemma_status note_folder(void *context, const char *path, bool made, stemma_error *err) {
    struct act_log *log = context;
    TRY(log_folder(log, path, made, err));
    return log_write(log, err);
}

static stemma_status move(struct run *run, const struct intent *intent, const struct held *file,
                          const char *draft, stemma_error *err) {
    const char *slash = strrchr(intent->target, '/');
    struct place to = {.folder = -1, .path = intent->target, .name = slash + 1};
    char *folder = mem_copy_string(slash == intent->target ? "/" : intent->target);
    if (!folder) return fail_memory(err);
    if (slash != intent->target) folder[slash - intent->target] = 0;
    /* Who could not get at the file where it was cannot where it goes. */
    stemma_status status = folder_open(folder, strlen(run->plan->directory), folder_mode(file->place.folder),
                                       note_folder, run->log, &to.folder, err);
    mem_free(folder);
    if (status == STEMMA_OK) status = touch_move(file, &file->info, &to, draft, run->stop, err);
    place_close(&to);
    return status;
}

static stemma_status touch(struct run *run, const struct intent *intent, const struct held *file,
                           const struct held *kept, stemma_error *err) {
    char draft[DRAFT_SIZE];
    draft_name(run->log->id, intent->number, draft);
    switch (intent->action) {
    case STEMMA_ACT_DELETE:
        return touch_delete(file, err);
    case STEMMA_ACT_HARDLINK:
        return touch_hardlink(file, kept, draft, err);
    case STEMMA_ACT_REFLINK:
        return touch_reflink(file, kept, run->stop, err);
    case STEMMA_ACT_MOVE:
        break;
    }
    return move(run, intent, file, draft, err);
}

static stemma_status carry_out(struct run *run, const struct step *step, const struct intent *intent,
                               stemma_error *err) {
    struct held file, kept;
    TRY(check_stop(run->stop, err));
    TRY(open_both(run, step, &file, &kept, err));
    stemma_status status = claim(&file, LOCK_EX, err);
    if (status == STEMMA_OK) status = claim(&kept, LOCK_SH, err);
    if (status == STEMMA_OK) status = confirm(run, step, &file, &kept, err);
    if (status == STEMMA_OK) status = sync_kept(run, step->kept, &kept, err);
    if (status == STEMMA_OK) status = touch(run, intent, &file, &kept, err);
    held_close(&file);
    held_close(&kept);
    return status;
}

/* ---- telling ---- */

static stemma_status tell(struct run *run, const struct step *step, const struct prepared *p,
                          stemma_error *err) {
    stemma_outcome outcome = outcome_of(p->status, run->log ? STEMMA_STEP_DONE : STEMMA_STEP_POSSIBLE);
    const struct document *documents = run->plan->scan->catalogue.documents;
    stemma_act_step told = {
        .action = run->plan->action,
        .path = source_of(run, step->document)->name,
        .kept = source_of(run, step->kept)->name,
        .target = p->intent.target,
        .relation = step->relation,
        .resemblance = step->resemblance,
        .contained = step->contained,
        .bytes = documents[step->document].bytes,
        .outcome = outcome,
        .status = p->status,
        .cause = p->status == STEMMA_OK ? "" : p->error.message,
        .another_form = documents[step->document].format != documents[step->kept].format,
    };
    totals_count(&run->totals, outcome, told.bytes);
    return run->take ? run->take(run->context, &told, err) : STEMMA_OK;
}

/* A word that is lost in a crash is found out by looking at the file. */
static stemma_status note(struct run *run, const struct prepared *p, stemma_error *err) {
    static const char *const words[] = {
        [STEMMA_STEP_DONE] = "done", [STEMMA_STEP_SKIPPED] = "skipped", [STEMMA_STEP_FAILED] = "failed"};
    stemma_outcome outcome = outcome_of(p->status, STEMMA_STEP_DONE);
    TRY(log_note(run->log, words[outcome], p->intent.number, p->status == STEMMA_OK ? NULL : p->error.message,
                 err));
    return log_write(run->log, err);
}

/* ---- batches ---- */

static stemma_status prepare_batch(struct run *run, size_t most, stemma_error *err) {
    const struct stemma_plan *plan = run->plan;
    for (run->count = 0; run->count < most && run->first + run->count < plan->count; run->count++) {
        struct prepared *p = &run->batch[run->count];
        *p = (struct prepared){.status = STEMMA_OK};
        p->status = prepare(run, &plan->steps[run->first + run->count], &p->intent, &p->error);
        if (ends_all(p->status)) return fail(err, p->status, "%s", p->error.message);
        if (p->status != STEMMA_OK || !run->log) continue;
        TRY(log_intend(run->log, &p->intent, err));
        run->intended++;
    }
    return run->log ? log_sync(run->log, err) : STEMMA_OK;
}

static stemma_status finish_step(struct run *run, size_t i, stemma_error *err) {
    struct prepared *p = &run->batch[i];
    const struct step *step = &run->plan->steps[run->first + i];
    stemma_status noted = STEMMA_OK;
    stemma_error untold;
    if (run->log && p->status == STEMMA_OK) {
        p->status = carry_out(run, step, &p->intent, &p->error);
        if (ends_all(p->status)) return fail(err, p->status, "%s", p->error.message);
        noted = note(run, p, err);
    }
    /* What was done is told, also when it could not be noted. */
    stemma_status told = tell(run, step, p, noted == STEMMA_OK ? err : &untold);
    return noted == STEMMA_OK ? told : noted;
}

static stemma_status run_batch(struct run *run, stemma_error *err) {
    stemma_status status = prepare_batch(run, run->log ? BATCH : 1, err);
    for (size_t i = 0; i < run->count && status == STEMMA_OK; i++) status = finish_step(run, i, err);
    for (size_t i = 0; i < BATCH; i++) intent_release(&run->batch[i].intent);
    run->first += run->count;
    return status;
}

static stemma_status run_all(struct run *run, stemma_error *err) {
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && run->first < run->plan->count) status = run_batch(run, err);
    if (!run->log) return status;
    stemma_status synced = log_sync(run->log, status == STEMMA_OK ? err : NULL);
    return status == STEMMA_OK ? synced : status;
}

stemma_status plan_run(struct stemma_plan *plan, const char *log_path, stemma_act_take *take, void *context,
                       stemma_act_totals *totals, stemma_error *err) {
    struct act_log log;
    struct run *run = mem_zero(1, sizeof *run);
    if (!run) return fail_memory(err);
    *run = (struct run){.plan = plan,
                        .stop = plan->scan->settings.limits.stop,
                        .take = take,
                        .context = context,
                        .totals = plan->totals,
                        .confirmed = NO_DOCUMENT,
                        .synced = NO_DOCUMENT};
    stemma_status status = log_path ? log_create(&log, log_path, err) : STEMMA_OK;
    if (status == STEMMA_OK) {
        run->log = log_path ? &log : NULL;
        plan->carried_out = log_path != NULL;
        status = run_all(run, err);
        if (totals) *totals = run->totals;
        if (log_path && run->intended == 0) unlink(log_path); /* it has nothing to tell */
        if (log_path) log_close(&log);
    }
    mem_free(run);
    return status;
}
