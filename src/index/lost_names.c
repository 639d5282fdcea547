#include "index/lost_names.h"

#include "base/alloc.h"
#include "base/file.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBERS_AROUND = 4096 }; /* tried on either side of a neighbour that ends in one */

stemma_status lost_names_add(struct lost_names *n, uint64_t number, stemma_error *err) {
    if (!mem_grow((void **)&n->list, &n->cap, n->count + 1, sizeof *n->list)) return fail_memory(err);
    n->list[n->count++] = (struct lost_name){.number = number};
    return STEMMA_OK;
}

stemma_status lost_names_near(struct lost_names *n, struct cell id, stemma_error *err) {
    const bool plain = id.size && !memchr(id.bytes, 0, id.size);
    const bool kept =
        !plain || (buf_add(&n->neighbours, id.bytes, id.size) && buf_add_byte(&n->neighbours, 0));
    return kept ? STEMMA_OK : fail_memory(err);
}

void lost_names_release(struct lost_names *n) {
    for (size_t i = 0; i < n->count; i++) mem_free(n->list[i].name);
    mem_free(n->list);
    buf_release(&n->neighbours);
    *n = (struct lost_names){0};
}

/* ---- hashes ---- */

static int by_number(const void *a, const void *b) {
    const struct lost_name *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_hash(const void *a, const void *b) {
    const struct lost_name *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static stemma_status take_hashes(void *context, const struct record *records, size_t count,
                                 stemma_error *err) {
    struct lost_names *n = context;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        const struct lost_name wanted = {.number = records[i].value};
        struct lost_name *found = bsearch(&wanted, n->list, n->count, sizeof wanted, by_number);
        if (found) found->hash = records[i].key;
    }
    return STEMMA_OK;
}

static stemma_status read_hashes(struct lost_names *n, struct segment *s, stemma_error *err) {
    struct run *run;
    TRY(segment_ids(s, &run, err));
    return run_each(run, take_hashes, n, err);
}

/* ---- what may have been an id ---- */

static stemma_status try_name(struct lost_names *n, const struct buf *name, stemma_error *err) {
    const struct lost_name wanted = {.hash = id_hash(name->data, name->len)};
    struct lost_name *found = bsearch(&wanted, n->list, n->count, sizeof wanted, by_hash);
    if (!found || found->name) return STEMMA_OK;
    found->name = mem_alloc(name->len + 1);
    if (!found->name) return fail_memory(err);
    memcpy(found->name, name->data, name->len);
    found->name[name->len] = '\0';
    return STEMMA_OK;
}

static stemma_status try_folder(struct lost_names *n, const char *id, struct buf *name, stemma_error *err) {
    const char *end = strrchr(id, '/');
    const struct dirent *entry;
    name->len = 0;
    if (!end) return STEMMA_OK;
    if (!buf_add(name, id, (size_t)(end - id) + 1) || !buf_add_byte(name, 0)) return fail_memory(err);
    const size_t folder = --name->len;
    int fd = open((const char *)name->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd >= 0 ? open_listing(fd) : NULL;
    stemma_status status = STEMMA_OK;
    while (listing && status == STEMMA_OK && (entry = readdir(listing))) {
        name->len = folder;
        status =
            buf_add(name, entry->d_name, strlen(entry->d_name)) ? try_name(n, name, err) : fail_memory(err);
    }
    if (listing) closedir(listing);
    if (fd >= 0) close(fd);
    return status;
}

static stemma_status try_numbers(struct lost_names *n, const char *id, struct buf *name, stemma_error *err) {
    size_t stem = strlen(id), digits = 0;
    while (stem && digits < 18 && isdigit((unsigned char)id[stem - 1])) stem--, digits++;
    if (digits == 0) return STEMMA_OK;
    const uint64_t here = strtoull(id + stem, NULL, 10),
                   first = here > NUMBERS_AROUND ? here - NUMBERS_AROUND : 0;
    for (uint64_t number = first; number <= here + NUMBERS_AROUND; number++) {
        name->len = 0;
        if (!buf_add(name, id, stem) || !buf_add_format(name, "%llu", (unsigned long long)number))
            return fail_memory(err);
        TRY(try_name(n, name, err));
    }
    return STEMMA_OK;
}

static bool same_folder(const char *a, const char *b) {
    const char *end = strrchr(a, '/');
    return end && b && strrchr(b, '/') && end - a == strrchr(b, '/') - b && !memcmp(a, b, (size_t)(end - a));
}

static stemma_status try_neighbours(struct lost_names *n, stemma_error *err) {
    struct buf name = {0};
    const char *before = NULL;
    stemma_status status = STEMMA_OK;
    for (size_t at = 0; at < n->neighbours.len && status == STEMMA_OK;) {
        const char *id = (const char *)n->neighbours.data + at;
        if (!same_folder(id, before)) status = try_folder(n, id, &name, err);
        if (status == STEMMA_OK) status = try_numbers(n, id, &name, err);
        before = id;
        at += strlen(id) + 1;
    }
    buf_release(&name);
    return status;
}

stemma_status lost_names_find(struct lost_names *n, struct segment *segment, stemma_error *err) {
    if (n->count == 0) return STEMMA_OK;
    stemma_status status = read_hashes(n, segment, err);
    if (status == STEMMA_CORRUPT || status == STEMMA_IO) return STEMMA_OK; /* hashes are lost, too */
    TRY(status);
    qsort(n->list, n->count, sizeof *n->list, by_hash);
    status = try_neighbours(n, err);
    qsort(n->list, n->count, sizeof *n->list, by_number);
    return status;
}
