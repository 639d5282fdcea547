/*
 * Any bytes as the log of a plan: it is read or refused; and what was read is the same when it is written and
 * read once more.
 */
#include "fuzz.h"

#include "act/log.h"

static bool same(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

static void check_same(const struct intent *a, const struct intent *b) {
    REQUIRE(a->number == b->number && a->action == b->action && a->relation == b->relation);
    REQUIRE(same(a->path, b->path) && same(a->kept, b->kept) && same(a->target, b->target));
    REQUIRE(a->file.st_size == b->file.st_size && a->file.st_mode == b->file.st_mode &&
            a->file.st_uid == b->file.st_uid && a->file.st_gid == b->file.st_gid &&
            a->file.st_dev == b->file.st_dev && a->file.st_ino == b->file.st_ino);
    REQUIRE(a->file.st_mtim.tv_sec == b->file.st_mtim.tv_sec &&
            a->file.st_mtim.tv_nsec == b->file.st_mtim.tv_nsec);
    REQUIRE(a->kept_inode == b->kept_inode && a->kept_modified == b->kept_modified);
    REQUIRE(a->attributes.len == b->attributes.len &&
            (!a->attributes.len || !memcmp(a->attributes.data, b->attributes.data, a->attributes.len)));
}

/* log: with nothing but lines that are not written yet. */
static void write_again(const struct log_content *content, struct act_log *log) {
    char head[80];
    snprintf(head, sizeof head, "{\"stemma_log\":%d,\"id\":\"%s\"}\n", LOG_VERSION, content->id);
    REQUIRE(buf_add_string(&log->lines, head));
    for (size_t i = 0; i < content->count; i++)
        REQUIRE(log_intend(log, &content->entries[i].intent, NULL) == STEMMA_OK);
    for (size_t i = 0; i < content->folder_count; i++)
        REQUIRE(log_folder(log, content->folders[i], true, NULL) == STEMMA_OK);
    for (size_t i = 0; i < content->count; i++)
        if (content->entries[i].state == LOG_DONE) REQUIRE(log_note(log, "done", i, NULL, NULL) == STEMMA_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct log_content content = {.id = ""}, again = {.id = ""};
    struct act_log log = {.fd = -1};
    stemma_error err;
    stemma_status status = log_read(data, size, "log", &content, &err);
    if (status != STEMMA_OK) {
        REQUIRE(status == STEMMA_CORRUPT || status == STEMMA_LATER_VERSION);
        return 0;
    }
    write_again(&content, &log);
    REQUIRE(log_read(log.lines.data, log.lines.len, "log", &again, &err) == STEMMA_OK);
    REQUIRE(again.count == content.count && again.folder_count == content.folder_count);
    for (size_t i = 0; i < content.count; i++)
        check_same(&content.entries[i].intent, &again.entries[i].intent);
    for (size_t i = 0; i < content.folder_count; i++) REQUIRE(same(content.folders[i], again.folders[i]));
    log_content_release(&content);
    log_content_release(&again);
    log_close(&log);
    return 0;
}
