/*
 * The log of a plan that is carried out: JSON lines, one for each step before it is taken and one for how it
 * went.
 *
 *   {"stemma_log":1,"id":"9f2c...","version":"0.1.0","started":1763280000}
 *   {"step":0,"action":"move","path":"/a/x","kept":"/a/y","to":"/d/a/x","relation":"identical","bytes":12,...}
 *   {"made":true,"folder":"/d/a"}              on the way; false: it was there, after all
 *   {"done":0} {"skipped":0,"cause":"..."} {"failed":0,"cause":"..."} {"undone":0}
 *
 * Steps are on the disk before they are taken. How they went may be lost in a crash: undoing looks at the
 * files, not at these words. A name that is not UTF-8 is also given in base64, as "path_bytes" and so on.
 */
#ifndef ACT_LOG_H
#define ACT_LOG_H

#include "base/buf.h"
#include "base/error.h"

#include <sys/stat.h>

#define LOG_VERSION 1
#define LOG_ID_SIZE 16 /* hexadecimal digits */

/* One step, with what undoing it needs. */
struct intent {
    uint64_t number;
    stemma_action action;
    stemma_relation relation;
    char *path, *kept, *target; /* from the root on; target: of a move, else NULL */
    struct stat file;           /* of path: device, inode, size, times, mode, owner */
    struct buf attributes;      /* of a file that is deleted: the extended ones, see act/attributes.h */
    uint64_t kept_inode;
    int64_t kept_modified;
};

void intent_release(struct intent *intent);

/* A name beside a file that only this step uses. */
#define DRAFT_SIZE (LOG_ID_SIZE + 32)
void draft_name(const char *id, uint64_t number, char out[DRAFT_SIZE]);

/* ---- writing ---- */

struct act_log {
    int fd;
    char id[LOG_ID_SIZE + 1];
    char *path;
    struct buf lines; /* not yet written */
    uint64_t whole;   /* bytes of the file that are whole lines */
    bool torn;        /* there may be more of it */
};

/* A new file; INVALID when there is one. Nobody else may have it open as a log. */
stemma_status log_create(struct act_log *log, const char *path, stemma_error *err);
/* One that exists, to note what is undone; *text gets its whole lines. Nothing is written before the first
 * note; dry: ever. */
stemma_status log_reopen(struct act_log *log, const char *path, bool dry, struct buf *text,
                         stemma_error *err);
void log_close(struct act_log *log);

/* These are written with the next log_write or log_sync. */
stemma_status log_intend(struct act_log *log, const struct intent *intent, stemma_error *err);
/* made: or else the line before it was too soon to say so. */
stemma_status log_folder(struct act_log *log, const char *path, bool made, stemma_error *err);
/* what: "done", "skipped", "failed" or "undone"; cause may be NULL. */
stemma_status log_note(struct act_log *log, const char *what, uint64_t number, const char *cause,
                       stemma_error *err);

stemma_status log_write(struct act_log *log, stemma_error *err);
stemma_status log_sync(struct act_log *log, stemma_error *err); /* on the disk when it returns */

/* ---- reading ---- */

enum log_state { LOG_UNKNOWN, LOG_DONE, LOG_NOT_DONE, LOG_UNDONE };

struct log_entry {
    struct intent intent;
    enum log_state state;
};

struct log_content {
    char id[LOG_ID_SIZE + 1];
    struct log_entry *entries; /* by number, without gaps */
    size_t count, capacity;
    char **folders; /* in the order in which they were made */
    size_t folder_count, folder_capacity;
};

/* Whole lines. What is not a log is CORRUPT, or LATER_VERSION. */
stemma_status log_read(const void *text, size_t size, const char *name, struct log_content *out,
                       stemma_error *err);
void log_content_release(struct log_content *content);

#endif
