/*
 * What the files are decides, not what the log says became of a step: it may have been cut off by a crash at
 * any place, and so may an earlier undoing. Nothing that stands where a file was is ever overwritten, and
 * nothing is restored from what has changed since.
 */
#include "act/undo.h"

#include "act/bytes.h"
#include "act/log.h"
#include "act/outcome.h"
#include "act/touch.h"
#include "base/alloc.h"
#include "base/long_path.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct undo {
    bool dry;
    const volatile int *stop;
    struct act_log log;
    struct log_content content;
    stemma_act_take *take;
    void *context;
    stemma_act_totals totals;
};

/* One step that is taken back. */
struct reversal {
    const struct undo *undo;
    const struct intent *intent;
    char draft[DRAFT_SIZE];
    bool needed; /* something is to be restored; else all is as it was */
};

/* ---- what is there ---- */

/* Of file systems that count the coarsest time, FAT: 2 s. */
#define COARSE_TIME INT64_C(2000000000)

/* By size and time, which every action keeps; the time as well as another file system can. */
static bool is_as_noted(const struct stat *now, const struct intent *intent) {
    const struct stat *noted = &intent->file;
    int64_t later = nanoseconds(now->st_mtim) - nanoseconds(noted->st_mtim);
    bool same_time = now->st_dev == noted->st_dev ? later == 0 : llabs(later) < COARSE_TIME;
    return S_ISREG(now->st_mode) && now->st_size == noted->st_size && same_time;
}

/* False: nothing stands there. */
static bool look(const struct place *place, struct stat *info) {
    return fstatat(place->folder, place->name, info, AT_SYMLINK_NOFOLLOW) == 0;
}

static stemma_status fail_occupied(const struct intent *intent, stemma_error *err) {
    return fail(err, STEMMA_UNSUPPORTED, "another file stands at '%s' now", intent->path);
}

/* ---- moved ---- */

static stemma_status ignore_made(void *context, const char *path, bool made, stemma_error *err) {
    (void)context, (void)path, (void)made, (void)err;
    return STEMMA_OK;
}

/* One name in one folder, by whichever links it is reached. In doubt it is. */
static bool is_same_place(const struct place *a, const struct place *b) {
    struct stat x, y;
    return !strcmp(a->name, b->name) &&
           (fstat(a->folder, &x) != 0 || fstat(b->folder, &y) != 0 || is_same_inode(&x, &y));
}

static stemma_status drop_beside(struct reversal *r, const struct held *moved, const struct held *original,
                                 stemma_error *err) {
    if (is_same_inode(&moved->info, &original->info) && moved->info.st_nlink < 2)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' and '%s' are one file now", original->place.path,
                    moved->place.path);
    TRY(bytes_compare(moved, original, r->undo->stop, err));
    r->needed = true;
    if (r->undo->dry) return STEMMA_OK;
    TRY(place_sync(&original->place, err));
    return touch_delete(moved, err);
}

/* A copy to another file system of which the original is still there: the move was cut off. Where the folder
 * became a link to that of the move, there is one file, and it is home. */
static stemma_status drop_copy(struct reversal *r, const struct held *moved, stemma_error *err) {
    struct held original;
    TRY(held_open(&original, r->intent->path, err));
    stemma_status status =
        is_same_place(&moved->place, &original.place) ? STEMMA_OK : drop_beside(r, moved, &original, err);
    held_close(&original);
    return status;
}

/* A folder that is gone is made again, for the user alone: what it allowed is not known. */
static stemma_status ensure_folder(struct place *home, stemma_error *err) {
    if (home->folder >= 0) return STEMMA_OK;
    const size_t length = (size_t)(home->name - home->path);
    char *folder = mem_copy_string(home->path);
    if (!folder) return fail_memory(err);
    folder[length > 1 ? length - 1 : length] = 0;
    stemma_status status = folder_open(folder, SIZE_MAX, 0700, ignore_made, NULL, &home->folder, err);
    mem_free(folder);
    return status;
}

static stemma_status bring_back(struct reversal *r, const struct held *moved, struct place *home,
                                stemma_error *err) {
    struct stat now;
    if (!is_as_noted(&moved->info, r->intent))
        return fail(err, STEMMA_UNSUPPORTED, "'%s' has changed since it was moved there", r->intent->target);
    if (look(home, &now))
        return is_as_noted(&now, r->intent) ? drop_copy(r, moved, err) : fail_occupied(r->intent, err);
    r->needed = true;
    if (r->undo->dry) return STEMMA_OK;
    TRY(ensure_folder(home, err));
    return touch_move(moved, &r->intent->file, home, r->draft, r->undo->stop, err);
}

/* Where a move was cut off; the folder need not be there. */
static void drop_draft_of(const struct reversal *r, const char *path) {
    struct place place;
    if (r->undo->dry || place_open(&place, path, NULL) != STEMMA_OK) return;
    draft_drop(&place, r->draft, NULL);
    place_close(&place);
}

static stemma_status undo_move(struct reversal *r, struct place *home, stemma_error *err) {
    const struct intent *intent = r->intent;
    struct held moved;
    struct stat now;
    drop_draft_of(r, intent->target);
    stemma_status status = held_open(&moved, intent->target, err);
    if (status == STEMMA_NOT_FOUND && look(home, &now) && is_as_noted(&now, intent)) return STEMMA_OK;
    if (status == STEMMA_NOT_FOUND) return fail(err, STEMMA_NOT_FOUND, "'%s' is gone", intent->target);
    if (status != STEMMA_OK) return status;
    status = bring_back(r, &moved, home, err);
    held_close(&moved);
    return status;
}

/* ---- linked ---- */

/* The file becomes one of its own; with its old time, unless what it holds now is newer. */
static stemma_status part(struct reversal *r, struct held *file, bool old_time, stemma_error *err) {
    struct stat noted = file->info;
    if (old_time) {
        noted.st_mtim = r->intent->file.st_mtim;
        noted.st_atim = r->intent->file.st_atim;
    }
    r->needed = true;
    return r->undo->dry ? STEMMA_OK
                        : touch_copy(file, NULL, &noted, &file->place, r->draft, true, r->undo->stop, err);
}

static stemma_status undo_hardlink(struct reversal *r, struct held *file, stemma_error *err) {
    const struct intent *intent = r->intent;
    if (file->info.st_ino != intent->kept_inode || file->info.st_dev != intent->file.st_dev ||
        file->info.st_nlink < 2)
        return STEMMA_OK;
    return part(r, file, nanoseconds(file->info.st_mtim) == intent->kept_modified, err);
}

static stemma_status undo_reflink(struct reversal *r, struct held *file, stemma_error *err) {
    if (!is_as_noted(&file->info, r->intent) || file->info.st_ino != r->intent->file.st_ino) return STEMMA_OK;
    if (file->info.st_nlink > 1)
        return fail(err, STEMMA_UNSUPPORTED, "it has other links, from which a copy would part it");
    return part(r, file, false, err);
}

static stemma_status undo_link(struct reversal *r, stemma_error *err) {
    struct held file;
    TRY(held_open(&file, r->intent->path, err));
    stemma_status status =
        r->intent->action == STEMMA_ACT_HARDLINK ? undo_hardlink(r, &file, err) : undo_reflink(r, &file, err);
    held_close(&file);
    return status;
}

/* ---- deleted ---- */

static stemma_status copy_kept(struct reversal *r, struct place *home, stemma_error *err) {
    const struct intent *intent = r->intent;
    struct held kept;
    stemma_status status = held_open(&kept, intent->kept, err);
    if (status == STEMMA_NOT_FOUND)
        return fail(err, status, "it was deleted, and the kept '%s' is gone", intent->kept);
    if (status != STEMMA_OK) return status;
    if (kept.info.st_ino != intent->kept_inode || kept.info.st_size != intent->file.st_size ||
        nanoseconds(kept.info.st_mtim) != intent->kept_modified)
        status = fail(err, STEMMA_UNSUPPORTED, "it was deleted, and the kept '%s' has changed", intent->kept);
    r->needed = status == STEMMA_OK;
    if (r->needed && !r->undo->dry) status = ensure_folder(home, err);
    if (r->needed && status == STEMMA_OK && !r->undo->dry)
        status =
            touch_copy(&kept, &intent->attributes, &intent->file, home, r->draft, false, r->undo->stop, err);
    held_close(&kept);
    return status;
}

static stemma_status undo_delete(struct reversal *r, struct place *home, stemma_error *err) {
    struct stat now;
    if (look(home, &now)) return is_as_noted(&now, r->intent) ? STEMMA_OK : fail_occupied(r->intent, err);
    if (r->intent->relation == STEMMA_IDENTICAL) return copy_kept(r, home, err);
    return fail(err, STEMMA_UNSUPPORTED, "it was deleted; what was kept instead is '%s'", r->intent->kept);
}

/* ---- a step ---- */

/* Of what was moved or deleted the folder may be gone: then nothing stands there. */
static stemma_status open_home(const struct reversal *r, struct place *home, stemma_error *err) {
    const char *path = r->intent->path, *slash = strrchr(path, '/');
    const bool linked = r->intent->action == STEMMA_ACT_HARDLINK || r->intent->action == STEMMA_ACT_REFLINK;
    stemma_status status = place_open(home, path, err);
    if (status != STEMMA_NOT_FOUND || linked || path[0] != '/') return status;
    *home = (struct place){.folder = -1, .path = path, .name = slash + 1};
    return STEMMA_OK;
}

static stemma_status reverse(struct reversal *r, stemma_error *err) {
    struct place home;
    TRY(check_stop(r->undo->stop, err));
    TRY(open_home(r, &home, err));
    drop_draft_of(r, r->intent->path);
    stemma_status status = r->intent->action == STEMMA_ACT_MOVE     ? undo_move(r, &home, err)
                           : r->intent->action == STEMMA_ACT_DELETE ? undo_delete(r, &home, err)
                                                                    : undo_link(r, err);
    place_close(&home);
    return status;
}

static stemma_outcome good_outcome(const struct reversal *r) {
    return !r->needed ? STEMMA_STEP_UNNEEDED : r->undo->dry ? STEMMA_STEP_POSSIBLE : STEMMA_STEP_DONE;
}

static stemma_status tell(struct undo *u, const struct reversal *r, stemma_status status,
                          const stemma_error *cause, stemma_error *err) {
    const struct intent *intent = r->intent;
    stemma_act_step told = {
        .action = intent->action,
        .path = intent->path,
        .kept = intent->kept,
        .target = intent->target,
        .relation = intent->relation,
        .bytes = (uint64_t)intent->file.st_size,
        .outcome = outcome_of(status, good_outcome(r)),
        .status = status,
        .cause = status == STEMMA_OK ? "" : cause->message,
    };
    totals_count(&u->totals, told.outcome, told.bytes);
    return u->take ? u->take(u->context, &told, err) : STEMMA_OK;
}

static stemma_status undo_entry(struct undo *u, const struct log_entry *entry, stemma_error *err) {
    struct reversal r = {.undo = u, .intent = &entry->intent};
    stemma_error cause;
    /* Of what is said not to be done, a move may have left a copy that could not be removed again. */
    bool left_over = entry->state == LOG_NOT_DONE && entry->intent.action == STEMMA_ACT_MOVE;
    if ((entry->state == LOG_NOT_DONE && !left_over) || entry->state == LOG_UNDONE) return STEMMA_OK;
    draft_name(u->content.id, entry->intent.number, r.draft);
    stemma_status status = reverse(&r, &cause);
    if (left_over && outcome_of(status, STEMMA_STEP_DONE) == STEMMA_STEP_SKIPPED) return STEMMA_OK;
    if (ends_all(status)) return fail(err, status, "%s", cause.message);
    if (status == STEMMA_OK && !u->dry) {
        TRY(log_note(&u->log, "undone", entry->intent.number, NULL, err));
        TRY(log_write(&u->log, err));
    }
    return tell(u, &r, status, &cause, err);
}

/* ---- all of it ---- */

/* Folders that were made and are empty again. */
static void remove_folders(const struct log_content *content) {
    struct place place;
    for (size_t i = content->folder_count; i-- > 0;) {
        if (place_open(&place, content->folders[i], NULL) != STEMMA_OK) continue;
        unlinkat(place.folder, place.name, AT_REMOVEDIR);
        place_close(&place);
    }
}

static stemma_status undo_all(struct undo *u, stemma_error *err) {
    stemma_status status = STEMMA_OK;
    for (size_t i = u->content.count; status == STEMMA_OK && i-- > 0;)
        status = undo_entry(u, &u->content.entries[i], err);
    if (u->dry) return status;
    if (status == STEMMA_OK) remove_folders(&u->content);
    stemma_status synced = log_sync(&u->log, status == STEMMA_OK ? err : NULL);
    return status == STEMMA_OK ? synced : status;
}

stemma_status undo_log(const char *path, bool dry, const volatile int *stop, stemma_act_take *take,
                       void *context, stemma_act_totals *totals, stemma_error *err) {
    struct undo u = {.dry = dry, .stop = stop, .take = take, .context = context};
    struct buf text = {0};
    stemma_status status = log_reopen(&u.log, path, dry, &text, err);
    if (status == STEMMA_OK) {
        status = log_read(text.data, text.len, path, &u.content, err);
        if (status == STEMMA_OK) {
            for (size_t i = 0; i < u.content.count; i++)
                u.totals.bytes += (uint64_t)u.content.entries[i].intent.file.st_size;
            u.totals.steps = u.content.count;
            status = undo_all(&u, err);
            if (totals) *totals = u.totals;
            log_content_release(&u.content);
        }
        log_close(&u.log);
    }
    buf_release(&text);
    return status;
}
