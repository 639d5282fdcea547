#include "read/part_list.h"

#include "base/alloc.h"
#include "read/damage.h"

#include <stdlib.h>
#include <string.h>

stemma_status part_list_add(struct part_list *list, const char *name, size_t size, int kind,
                            stemma_error *err) {
    if (list->count == PARTS_MOST)
        return fail(err, STEMMA_UNSUPPORTED, "it has more than %d parts", PARTS_MOST);
    if (!mem_grow((void **)&list->parts, &list->cap, list->count + 1, sizeof *list->parts))
        return fail_memory(err);
    char *copy = mem_alloc(size + 1);
    if (!copy) return fail_memory(err);
    memcpy(copy, name, size);
    copy[size] = '\0';
    list->parts[list->count] = (struct part){.name = copy, .kind = kind, .place = (uint32_t)list->count};
    list->count++;
    return STEMMA_OK;
}

static int by_name(const void *a, const void *b) {
    const struct part *p = a, *q = b;
    int names = strcmp(p->name, q->name);
    return names ? names : (p->place > q->place) - (p->place < q->place);
}

static int by_place(const void *a, const void *b) {
    const struct part *p = a, *q = b;
    return (p->place > q->place) - (p->place < q->place);
}

static int compare_name(const void *name, const void *part) {
    return strcmp(name, ((const struct part *)part)->name);
}

static void sort(struct part_list *list, int (*order)(const void *, const void *)) {
    if (list->count) qsort(list->parts, list->count, sizeof *list->parts, order);
}

void part_list_sort(struct part_list *list) {
    size_t kept = 0;
    sort(list, by_name);
    for (size_t i = 0; i < list->count; i++)
        if (kept && !strcmp(list->parts[kept - 1].name, list->parts[i].name))
            mem_free(list->parts[i].name);
        else
            list->parts[kept++] = list->parts[i];
    list->count = kept;
}

struct part *part_list_find(const struct part_list *list, const char *name) {
    if (!list->count) return NULL;
    return bsearch(name, list->parts, list->count, sizeof *list->parts, compare_name);
}

void part_list_note_missing(const struct part_list *list, stemma_error *damage) {
    for (size_t i = 0; i < list->count; i++)
        if (!list->parts[i].taken) NOTE_DAMAGE(damage, "it has no part '%s'", list->parts[i].name);
}

stemma_status part_list_join(struct part_list *list, struct buf *out, stemma_error *err) {
    sort(list, by_place);
    for (size_t i = 0; i < list->count; i++) {
        struct buf *text = &list->parts[i].text;
        bool inside = out->len && out->data[out->len - 1] != '\n';
        if (text->len == 0) continue;
        if ((inside && !buf_add_byte(out, '\n')) || !buf_add(out, text->data, text->len))
            return fail_memory(err);
        buf_release(text);
    }
    return STEMMA_OK;
}

void part_list_release(struct part_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        mem_free(list->parts[i].name);
        buf_release(&list->parts[i].text);
    }
    mem_free(list->parts);
}

/* ---- names ---- */

static void leave_folder(struct buf *name) {
    if (name->len) name->len--; /* the slash at its end */
    while (name->len && name->data[name->len - 1] != '/') name->len--;
}

bool part_name_resolve(const char *source, const char *target, struct buf *name) {
    const char *slash = strrchr(source, '/');
    size_t size = strcspn(target, "#");
    if (*target == '/')
        target++, size--;
    else if (slash && !buf_add(name, source, (size_t)(slash - source) + 1))
        return false;
    for (size_t length; size; target += length, size -= length) {
        const char *end = memchr(target, '/', size);
        length = end ? (size_t)(end - target) + 1 : size;
        if (length == 3 && !memcmp(target, "../", 3))
            leave_folder(name);
        else if (!(length == 2 && !memcmp(target, "./", 2)) && !buf_add(name, target, length))
            return false;
    }
    return true;
}
