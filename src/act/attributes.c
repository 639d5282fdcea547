#include "act/attributes.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOST = 1 << 16 }; /* what Linux allows for a value, and for all names */

/* ---- extended attributes: each its name with a NUL, the size of its value in 4 bytes, the value ---- */

/* The system gives these by rules of its own; capabilities it does not. */
static bool is_given(const char *name) {
    return !strncmp(name, "security.", 9) && strcmp(name, "security.capability") != 0;
}

static stemma_status note_value(const struct held *held, const char *name, struct buf *out,
                                stemma_error *err) {
    size_t head = strlen(name) + 1 + 4;
    if (!buf_reserve(out, head + MOST)) return fail_memory(err);
    ssize_t size = fgetxattr(held->fd, name, out->data + out->len + head, MOST);
    if (size < 0) return fail_errno(err, "read the attributes of", held->place.path, errno);
    memcpy(out->data + out->len, name, head - 4);
    store_u32(out->data + out->len + head - 4, (uint32_t)size);
    out->len += head + (size_t)size;
    return STEMMA_OK;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in order, as file systems list them in any. */
static stemma_status note_names(const struct held *held, const char *names, size_t size, struct buf *out,
                                stemma_error *err) {
    const char **sorted =
        mem_alloc((size / 2 + 1) * sizeof *sorted); /* a name and its NUL are 2 bytes at least */
    size_t count = 0;
    stemma_status status = sorted ? STEMMA_OK : fail_memory(err);
    for (size_t at = 0; sorted && at < size; at += strlen(names + at) + 1)
        if (!is_given(names + at)) sorted[count++] = names + at;
    if (count) qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count && status == STEMMA_OK; i++) status = note_value(held, sorted[i], out, err);
    mem_free(sorted);
    return status;
}

stemma_status attributes_note(const struct held *held, struct buf *out, stemma_error *err) {
    char few[256]; /* most files have none */
    ssize_t size = flistxattr(held->fd, few, sizeof few);
    if (size == 0 || (size < 0 && errno == ENOTSUP)) return STEMMA_OK;
    if (size > 0) return note_names(held, few, (size_t)size, out, err);
    char *names = mem_alloc(MOST);
    if (!names) return fail_memory(err);
    size = flistxattr(held->fd, names, MOST);
    stemma_status status = size < 0 ? fail_errno(err, "read the attributes of", held->place.path, errno)
                                    : note_names(held, names, (size_t)size, out, err);
    mem_free(names);
    return status;
}

static stemma_status give_extended(const struct buf *noted, int to, const char *name, stemma_error *err) {
    for (size_t at = 0; at < noted->len;) {
        const char *attribute = (const char *)noted->data + at;
        size_t left = noted->len - at, head = strnlen(attribute, left) + 1 + 4;
        uint32_t size = head <= left ? load_u32(noted->data + at + head - 4) : UINT32_MAX;
        if (size > left - (head <= left ? head : left))
            return fail(err, STEMMA_CORRUPT, "the attributes noted of '%s' are damaged", name);
        if (fsetxattr(to, attribute, noted->data + at + head, size, 0) != 0)
            return fail_errno(err, "give its extended attributes to", name, errno);
        at += head + size;
    }
    return STEMMA_OK;
}

/* ---- all of them ---- */

stemma_status attributes_compare(const struct held *a, const struct held *b, stemma_error *err) {
    struct buf x = {0}, y = {0};
    const struct stat *p = &a->info, *q = &b->info;
    if (p->st_uid != q->st_uid || p->st_gid != q->st_gid || p->st_mode != q->st_mode)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' has another owner or other permissions than '%s'",
                    a->place.path, b->place.path);
    stemma_status status = attributes_note(a, &x, err);
    if (status == STEMMA_OK) status = attributes_note(b, &y, err);
    if (status == STEMMA_OK && (x.len != y.len || (x.len && memcmp(x.data, y.data, x.len))))
        status = fail(err, STEMMA_UNSUPPORTED, "'%s' has other extended attributes than '%s'", a->place.path,
                      b->place.path);
    buf_release(&x);
    buf_release(&y);
    return status;
}

/* The owner first, whose change takes capabilities and bits of the mode away; the mode last, as writing
 * extended ones needs that which the file was made with. */
stemma_status attributes_give(const struct buf *noted, const struct stat *info, int to, const char *name,
                              stemma_error *err) {
    const struct timespec times[2] = {info->st_atim, info->st_mtim};
    struct stat now;
    if (fstat(to, &now) != 0) return fail_errno(err, "look at", name, errno);
    if ((now.st_uid != info->st_uid || now.st_gid != info->st_gid) &&
        fchown(to, info->st_uid, info->st_gid) != 0)
        return fail_errno(err, "give its owner to", name, errno);
    TRY(give_extended(noted, to, name, err));
    if (fchmod(to, info->st_mode & 07777) != 0)
        return fail_errno(err, "give its permissions to", name, errno);
    return futimens(to, times) ? fail_errno(err, "give its time to", name, errno) : STEMMA_OK;
}
