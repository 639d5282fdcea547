/* Every line is checked before anything is undone: half a log is no reason to touch files. */
#include "act/log.h"

#include "base/alloc.h"
#include "read/json_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium/utils.h>
#include <stdlib.h>
#include <string.h>

enum field {
    VERSION,
    ID,
    STEP,
    ACTION,
    RELATION,
    PATH,
    PATH_BYTES,
    KEPT,
    KEPT_BYTES,
    TO,
    TO_BYTES,
    BYTES,
    MODE,
    UID,
    GID,
    DEVICE,
    INODE,
    MODIFIED,
    ACCESSED,
    KEPT_INODE,
    KEPT_MODIFIED,
    ATTRIBUTES,
    FOLDER,
    FOLDER_BYTES,
    MADE,
    DONE,
    SKIPPED,
    FAILED,
    UNDONE,
    FIELDS
};

static const char *const field_names[FIELDS] = {
    [VERSION] = "stemma_log",
    [ID] = "id",
    [STEP] = "step",
    [ACTION] = "action",
    [RELATION] = "relation",
    [PATH] = "path",
    [PATH_BYTES] = "path_bytes",
    [KEPT] = "kept",
    [KEPT_BYTES] = "kept_bytes",
    [TO] = "to",
    [TO_BYTES] = "to_bytes",
    [BYTES] = "bytes",
    [MODE] = "mode",
    [UID] = "uid",
    [GID] = "gid",
    [DEVICE] = "device",
    [INODE] = "inode",
    [MODIFIED] = "modified",
    [ACCESSED] = "accessed",
    [KEPT_INODE] = "kept_inode",
    [KEPT_MODIFIED] = "kept_modified",
    [ATTRIBUTES] = "attributes",
    [FOLDER] = "folder",
    [FOLDER_BYTES] = "folder_bytes",
    [MADE] = "made",
    [DONE] = "done",
    [SKIPPED] = "skipped",
    [FAILED] = "failed",
    [UNDONE] = "undone",
};

struct line {
    struct json_field fields[FIELDS];
    struct buf scratch, text;
    struct log_content *content;
    bool starved; /* memory was refused: the line may be sound */
};

static bool had(struct line *line, bool memory) {
    if (!memory) line->starved = true;
    return memory;
}

/* ---- values; each says whether it is there and sound ---- */

static bool is_there(const struct line *line, enum field field) {
    return line->fields[field].value.at != NULL;
}

static bool take_digits(const struct line *line, enum field field, char out[24]) {
    const struct json_value *value = &line->fields[field].value;
    size_t size = (size_t)(value->end - value->at);
    if (!value->at || value->type != JSON_SCALAR || size >= 24) return false;
    memcpy(out, value->at, size);
    out[size] = 0;
    return size > 0 && strspn(out + (*out == '-'), "0123456789") == size - (*out == '-');
}

static bool take_count(const struct line *line, enum field field, uint64_t *out) {
    char digits[24];
    if (!take_digits(line, field, digits) || *digits == '-') return false;
    errno = 0;
    *out = strtoull(digits, NULL, 10);
    return errno == 0;
}

static bool take_time(const struct line *line, enum field field, int64_t *out) {
    char digits[24];
    if (!take_digits(line, field, digits)) return false;
    errno = 0;
    *out = strtoll(digits, NULL, 10);
    return errno == 0;
}

static bool take_u32(const struct line *line, enum field field, uint32_t *out) {
    uint64_t value;
    if (!take_count(line, field, &value) || value > UINT32_MAX) return false;
    *out = (uint32_t)value;
    return true;
}

/* In line->text, ended by a NUL and with none inside. */
static bool take_text(struct line *line, enum field field) {
    const struct json_value *value = &line->fields[field].value;
    line->text.len = 0;
    if (!value->at || (value->type != JSON_STRING && value->type != JSON_ESCAPED)) return false;
    bool taken = value->type == JSON_ESCAPED
                     ? json_unescape(value->at, value->end, &line->text)
                     : buf_add(&line->text, value->at, (size_t)(value->end - value->at));
    return had(line, taken && buf_add_byte(&line->text, 0)) &&
           strlen((char *)line->text.data) + 1 == line->text.len;
}

/* In line->text instead, with a NUL behind it. */
static bool decode_base64(struct line *line) {
    size_t size = line->text.len - 1, got = 0;
    uint8_t *decoded = mem_alloc(size + 1);
    bool good = had(line, decoded) && !sodium_base642bin(decoded, size, (char *)line->text.data, size, NULL,
                                                         &got, NULL, sodium_base64_VARIANT_ORIGINAL);
    if (good) {
        decoded[got] = 0;
        memcpy(line->text.data, decoded, got + 1);
        line->text.len = got + 1;
    }
    mem_free(decoded);
    return good;
}

/* A path from the root on; its bytes, where the text is not all of it, follow its field. */
static char *take_path(struct line *line, enum field field) {
    bool as_bytes = is_there(line, field + 1);
    if (!take_text(line, as_bytes ? field + 1 : field) || (as_bytes && !decode_base64(line))) return NULL;
    const char *path = (char *)line->text.data, *slash = strrchr(path, '/');
    if (path[0] != '/' || !slash[1] || strlen(path) + 1 != line->text.len) return NULL;
    char *copy = mem_copy_string(path);
    had(line, copy);
    return copy;
}

/* ---- lines ---- */

static bool take_action(struct line *line, stemma_action *out) {
    if (!take_text(line, ACTION)) return false;
    for (*out = STEMMA_ACT_DELETE; *out <= STEMMA_ACT_MOVE; ++*out)
        if (!strcmp((char *)line->text.data, stemma_action_name(*out))) return true;
    return false;
}

static bool take_relation(struct line *line, stemma_relation *out) {
    if (!take_text(line, RELATION)) return false;
    for (*out = STEMMA_IDENTICAL; *out <= STEMMA_RELATED; ++*out)
        if (!strcmp((char *)line->text.data, stemma_relation_name(*out))) return true;
    return false;
}

static struct timespec time_of(int64_t nanoseconds) {
    int64_t rest = nanoseconds % 1000000000, below = rest < 0;
    return (struct timespec){.tv_sec = nanoseconds / 1000000000 - below,
                             .tv_nsec = rest + below * 1000000000};
}

static bool take_facts(const struct line *line, struct intent *i) {
    uint64_t bytes, device, inode;
    int64_t modified, accessed;
    if (!take_count(line, BYTES, &bytes) || !take_count(line, DEVICE, &device) ||
        !take_count(line, INODE, &inode) || !take_u32(line, MODE, &i->file.st_mode) ||
        !take_u32(line, UID, &i->file.st_uid) || !take_u32(line, GID, &i->file.st_gid) ||
        !take_time(line, MODIFIED, &modified) || !take_time(line, ACCESSED, &accessed) ||
        !take_count(line, KEPT_INODE, &i->kept_inode) || !take_time(line, KEPT_MODIFIED, &i->kept_modified) ||
        bytes > INT64_MAX)
        return false;
    i->file.st_size = (off_t)bytes;
    i->file.st_dev = device;
    i->file.st_ino = inode;
    i->file.st_mtim = time_of(modified);
    i->file.st_atim = time_of(accessed);
    return true;
}

static bool take_names(struct line *line, struct intent *i) {
    i->path = take_path(line, PATH);
    i->kept = take_path(line, KEPT);
    if (i->action == STEMMA_ACT_MOVE) i->target = take_path(line, TO);
    return i->path && i->kept && (i->target || i->action != STEMMA_ACT_MOVE);
}

static bool take_attributes(struct line *line, struct intent *i) {
    if (!is_there(line, ATTRIBUTES)) return true;
    return take_text(line, ATTRIBUTES) && decode_base64(line) &&
           had(line, buf_add(&i->attributes, line->text.data, line->text.len - 1));
}

static bool take_step(struct line *line) {
    struct log_content *c = line->content;
    struct intent i = {0};
    bool good = take_count(line, STEP, &i.number) && i.number == c->count && take_action(line, &i.action) &&
                take_relation(line, &i.relation) && take_facts(line, &i) && take_names(line, &i) &&
                take_attributes(line, &i) &&
                had(line, mem_grow((void **)&c->entries, &c->capacity, c->count + 1, sizeof *c->entries));
    if (good)
        c->entries[c->count++] = (struct log_entry){.intent = i};
    else
        intent_release(&i);
    return good;
}

static bool take_folder(struct line *line) {
    struct log_content *c = line->content;
    if (!had(line,
             mem_grow((void **)&c->folders, &c->folder_capacity, c->folder_count + 1, sizeof *c->folders)))
        return false;
    char *path = take_path(line, FOLDER);
    const struct json_value *made = &line->fields[MADE].value;
    bool is_made = !made->at || *made->at != 'f';
    if (path && is_made) {
        c->folders[c->folder_count++] = path;
        return true;
    }
    bool good = path && c->folder_count && !strcmp(path, c->folders[c->folder_count - 1]);
    if (good) mem_free(c->folders[--c->folder_count]);
    mem_free(path);
    return good;
}

static bool take_state(struct line *line, enum field field, enum log_state state) {
    uint64_t number;
    if (!take_count(line, field, &number) || number >= line->content->count) return false;
    line->content->entries[number].state = state;
    return true;
}

static bool take_line(struct line *line) {
    if (is_there(line, STEP)) return take_step(line);
    if (is_there(line, FOLDER)) return take_folder(line);
    if (is_there(line, DONE)) return take_state(line, DONE, LOG_DONE);
    if (is_there(line, UNDONE)) return take_state(line, UNDONE, LOG_UNDONE);
    if (is_there(line, SKIPPED)) return take_state(line, SKIPPED, LOG_NOT_DONE);
    return is_there(line, FAILED) && take_state(line, FAILED, LOG_NOT_DONE);
}

static stemma_status take_head(struct line *line, const char *name, stemma_error *err) {
    uint64_t version;
    if (!take_count(line, VERSION, &version))
        return fail(err, STEMMA_CORRUPT, "'%s' is not a log of stemma", name);
    if (version > LOG_VERSION)
        return fail(err, STEMMA_LATER_VERSION, "the log '%s' was made by a later version", name);
    bool has_id = take_text(line, ID);
    if (line->starved) return fail_memory(err);
    if (!has_id || line->text.len != LOG_ID_SIZE + 1 ||
        strspn((char *)line->text.data, "0123456789abcdef") != LOG_ID_SIZE)
        return fail(err, STEMMA_CORRUPT, "the log '%s' has no id", name);
    memcpy(line->content->id, line->text.data, line->text.len);
    return STEMMA_OK;
}

static stemma_status read_line(struct line *line, const uint8_t *at, size_t size, uint64_t number,
                               const char *name, stemma_error *err) {
    const char *broken = NULL;
    TRY(json_line_read(at, size, line->fields, FIELDS, &line->scratch, &broken, err));
    if (number == 1) {
        if (broken) return fail(err, STEMMA_CORRUPT, "'%s' is not a log of stemma", name);
        return take_head(line, name, err);
    }
    bool taken = !broken && take_line(line);
    if (line->starved) return fail_memory(err);
    if (!taken) return fail(err, STEMMA_CORRUPT, "the log '%s' is damaged: line %" PRIu64, name, number);
    return STEMMA_OK;
}

static stemma_status read_lines(struct line *line, const uint8_t *at, const uint8_t *end, const char *name,
                                stemma_error *err) {
    for (uint64_t number = 1; at < end; number++) {
        const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        TRY(read_line(line, at, (size_t)(stop - at), number, name, err));
        at = stop + 1;
    }
    return STEMMA_OK;
}

stemma_status log_read(const void *text, size_t size, const char *name, struct log_content *out,
                       stemma_error *err) {
    struct log_content content = {0};
    struct line line = {.content = &content};
    for (size_t i = 0; i < FIELDS; i++) line.fields[i].path = field_names[i];
    const uint8_t *at = size ? text : (const uint8_t *)"";
    stemma_status status = size ? read_lines(&line, at, at + size, name, err)
                                : fail(err, STEMMA_CORRUPT, "'%s' is not a log of stemma", name);
    buf_release(&line.scratch);
    buf_release(&line.text);
    if (status == STEMMA_OK)
        *out = content;
    else
        log_content_release(&content);
    return status;
}

void log_content_release(struct log_content *content) {
    for (size_t i = 0; i < content->count; i++) intent_release(&content->entries[i].intent);
    for (size_t i = 0; i < content->folder_count; i++) mem_free(content->folders[i]);
    mem_free(content->entries);
    mem_free(content->folders);
    *content = (struct log_content){0};
}
