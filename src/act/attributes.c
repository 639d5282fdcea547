#include "act/attributes.h"

#include "base/buf.h"

#include <errno.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOST = 1 << 16 }; /* what Linux allows for a value, and for all names */

/* The system gives these by rules of its own. */
static bool is_given(const char *name) {
    return !strncmp(name, "security.", 9);
}

static stemma_status list_names(const struct held *held, struct buf *names, stemma_error *err) {
    if (!buf_reserve(names, MOST)) return fail_memory(err);
    ssize_t size = flistxattr(held->fd, (char *)names->data, MOST);
    if (size < 0 && errno != ENOTSUP)
        return fail_errno(err, "read the attributes of", held->place.path, errno);
    names->len = size < 0 ? 0 : (size_t)size;
    return STEMMA_OK;
}

static size_t count_names(const struct buf *names) {
    size_t count = 0;
    for (size_t at = 0; at < names->len; at += strlen((char *)names->data + at) + 1)
        count += !is_given((char *)names->data + at);
    return count;
}

static bool has_value(const struct held *held, const char *name, struct buf *value) {
    ssize_t size = buf_reserve(value, MOST) ? fgetxattr(held->fd, name, value->data, MOST) : -1;
    value->len = size < 0 ? 0 : (size_t)size;
    return size >= 0;
}

static bool is_equal(const struct held *a, const struct held *b, const char *name) {
    struct buf x = {0}, y = {0};
    bool equal =
        has_value(a, name, &x) && has_value(b, name, &y) && x.len == y.len && !memcmp(x.data, y.data, x.len);
    buf_release(&x);
    buf_release(&y);
    return equal;
}

/* As many names, and each of the one with the same value in the other. */
static bool are_equal(const struct held *a, const struct held *b, const struct buf *a_names,
                      const struct buf *b_names) {
    if (count_names(a_names) != count_names(b_names)) return false;
    for (size_t at = 0; at < a_names->len; at += strlen((char *)a_names->data + at) + 1)
        if (!is_given((char *)a_names->data + at) && !is_equal(a, b, (char *)a_names->data + at))
            return false;
    return true;
}

stemma_status attributes_compare(const struct held *a, const struct held *b, stemma_error *err) {
    struct buf a_names = {0}, b_names = {0};
    const struct stat *x = &a->info, *y = &b->info;
    if (x->st_uid != y->st_uid || x->st_gid != y->st_gid || x->st_mode != y->st_mode)
        return fail(err, STEMMA_UNSUPPORTED, "'%s' has another owner or other permissions than '%s'",
                    a->place.path, b->place.path);
    stemma_status status = list_names(a, &a_names, err);
    if (status == STEMMA_OK) status = list_names(b, &b_names, err);
    if (status == STEMMA_OK && !are_equal(a, b, &a_names, &b_names))
        status = fail(err, STEMMA_UNSUPPORTED, "'%s' has other extended attributes than '%s'", a->place.path,
                      b->place.path);
    buf_release(&a_names);
    buf_release(&b_names);
    return status;
}

stemma_status attributes_copy_extended(const struct held *from, int to, const char *name, stemma_error *err) {
    struct buf names = {0}, value = {0};
    stemma_status status = list_names(from, &names, err);
    for (size_t at = 0; status == STEMMA_OK && at < names.len; at += strlen((char *)names.data + at) + 1) {
        const char *attribute = (char *)names.data + at;
        if (is_given(attribute)) continue;
        if (!has_value(from, attribute, &value) || fsetxattr(to, attribute, value.data, value.len, 0) != 0)
            status = fail_errno(err, "give its extended attributes to", name, errno);
    }
    buf_release(&names);
    buf_release(&value);
    return status;
}

/* The mode after the owner, whose change may take bits of it away. */
stemma_status attributes_give(const struct stat *noted, int to, const char *name, stemma_error *err) {
    const struct timespec times[2] = {noted->st_atim, noted->st_mtim};
    struct stat now;
    if (fstat(to, &now) != 0) return fail_errno(err, "look at", name, errno);
    if ((now.st_uid != noted->st_uid || now.st_gid != noted->st_gid) &&
        fchown(to, noted->st_uid, noted->st_gid) != 0)
        return fail_errno(err, "give its owner to", name, errno);
    if (fchmod(to, noted->st_mode & 07777) != 0)
        return fail_errno(err, "give its permissions to", name, errno);
    return futimens(to, times) ? fail_errno(err, "give its time to", name, errno) : STEMMA_OK;
}
