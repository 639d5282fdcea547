/* The parts of a document that hold its text: found in the order of the archive, put out in the order of
 * reading. */
#ifndef READ_PART_LIST_H
#define READ_PART_LIST_H

#include "base/buf.h"
#include "base/error.h"

#define PARTS_MOST 20000

struct part {
    char *name;     /* in the archive */
    int kind;       /* the list's owner knows */
    uint32_t place; /* in the order of reading */
    bool taken;
    struct buf text;
};

struct part_list {
    struct part *parts;
    size_t count, cap;
    size_t text; /* bytes of all texts */
};

/* At the next place; the name is copied. UNSUPPORTED beyond PARTS_MOST. */
stemma_status part_list_add(struct part_list *list, const char *name, size_t size, int kind,
                            stemma_error *err);
/* When all are in: they can be found by name; of two with the same name the first stays. */
void part_list_sort(struct part_list *list);
struct part *part_list_find(const struct part_list *list, const char *name); /* NULL: it is not there */
/* Parts that were not taken are missing: the first of them is noted. Sorted or not. */
void part_list_note_missing(const struct part_list *list, stemma_error *damage);
/* Append the texts, in the order of reading, each from a line of its own. */
stemma_status part_list_join(struct part_list *list, struct buf *out, stemma_error *err);
void part_list_release(struct part_list *list);

/* Append `target`, as a part in the folder of `source` names it, to an empty name: "a/b.xml" and "../c.xml"
 * make "c.xml". An anchor at its end is left out. */
bool part_name_resolve(const char *source, const char *target, struct buf *name);

#endif
