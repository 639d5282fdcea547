/*
 * META-INF/container.xml names the package, the package lists its items and the order in which they are read:
 * three walks through the archive.
 */
#include "read/epub.h"

#include "base/alloc.h"
#include "read/html.h"
#include "read/part_list.h"
#include "read/xml.h"
#include "read/zip_parts.h"

#include <stdlib.h>
#include <string.h>

struct item {
    char *id, *name;
};

struct book {
    struct zip_parts zip;
    size_t text_most;
    char *package; /* the name of the part that lists the others */
    struct item *items;
    size_t item_count, item_cap;
    struct part_list pages;
    bool no_memory, encrypted;
    bool package_found;
    bool sorted; /* the items are; no more are taken */
    stemma_error *damage;
};

/* ---- the package's name ---- */

static bool is_container(void *context, const char *name) {
    (void)context;
    return !strcmp(name, "META-INF/container.xml") || !strcmp(name, "META-INF/encryption.xml");
}

static bool take_root(void *context, const char *name, const char **attributes) {
    struct book *b = context;
    const char *path = strcmp(name, "rootfile") ? NULL : xml_attribute(attributes, "full-path");
    if (!path || b->package) return true;
    b->package = mem_copy_string(path);
    b->no_memory |= !b->package;
    return !b->no_memory;
}

/* Fonts are often scrambled, which is no harm; what is read is not. */
static bool look_for_encryption(void *context, const char *name, const char **attributes) {
    struct book *b = context;
    const char *path = strcmp(name, "CipherReference") ? NULL : xml_attribute(attributes, "URI");
    if (path && strstr(path, "html")) b->encrypted = true;
    return !b->encrypted;
}

static stemma_status take_container(void *context, const char *name, const uint8_t *bytes, size_t size,
                                    stemma_error *err) {
    static const struct xml_events root = {.begin = take_root}, encryption = {.begin = look_for_encryption};
    struct book *b = context;
    bool container = !strcmp(name, "META-INF/container.xml");
    return xml_parse(bytes, size, NULL, container ? &root : &encryption, b, b->zip.stop, err);
}

/* ---- items and their order ---- */

static int hex_value(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    digit |= 32;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Addresses have % and two digits for bytes that they cannot hold. */
static void decode_percent(char *text) {
    char *to = text;
    while (*text) {
        int high = *text == '%' ? hex_value(text[1]) : -1, low = high >= 0 ? hex_value(text[2]) : -1;
        bool coded = low >= 0 && high + low > 0;
        *to++ = coded ? (char)(16 * high + low) : *text;
        text += coded ? 3 : 1;
    }
    *to = '\0';
}

static char *resolved(const char *source, const char *target) {
    struct buf name = {0};
    char *copy = part_name_resolve(source, target, &name) && buf_add_byte(&name, '\0')
                     ? mem_copy_string((const char *)name.data)
                     : NULL;
    buf_release(&name);
    if (copy) decode_percent(copy);
    return copy;
}

static bool is_page_type(const char *type) {
    return type && (!strcmp(type, "application/xhtml+xml") || !strcmp(type, "text/html"));
}

/* A list of contents says what the pages say again. */
static bool is_contents(const char *properties) {
    for (const char *at = properties; at && (at = strstr(at, "nav")); at++)
        if ((at == properties || at[-1] == ' ') && (at[3] == '\0' || at[3] == ' ')) return true;
    return false;
}

static bool add_item(struct book *b, const char **attributes) {
    const char *id = xml_attribute(attributes, "id"), *href = xml_attribute(attributes, "href");
    if (!id || !href || b->item_count == PARTS_MOST || b->sorted ||
        !is_page_type(xml_attribute(attributes, "media-type")) ||
        is_contents(xml_attribute(attributes, "properties")))
        return true;
    if (!mem_grow((void **)&b->items, &b->item_cap, b->item_count + 1, sizeof *b->items)) return false;
    struct item item = {mem_copy_string(id), resolved(b->package, href)};
    b->items[b->item_count++] = item;
    return item.id && item.name;
}

static int by_id(const void *a, const void *b) {
    return strcmp(((const struct item *)a)->id, ((const struct item *)b)->id);
}

/* Items come before the spine. Once: sorting them at every spine of a hostile file takes
 * as long as it likes. */
static void sort_items(struct book *b) {
    if (!b->sorted && b->item_count) qsort(b->items, b->item_count, sizeof *b->items, by_id);
    b->sorted = true;
}

static bool add_page(struct book *b, const char **attributes) {
    struct item asked = {.id = (char *)xml_attribute(attributes, "idref")}; /* which is only compared */
    const struct item *item =
        asked.id && b->item_count ? bsearch(&asked, b->items, b->item_count, sizeof asked, by_id) : NULL;
    if (!item || b->pages.count == PARTS_MOST) return true;
    return part_list_add(&b->pages, item->name, strlen(item->name), 0, NULL) == STEMMA_OK;
}

static bool take_package(void *context, const char *name, const char **attributes) {
    struct book *b = context;
    bool done = true;
    if (!strcmp(name, "item"))
        done = add_item(b, attributes);
    else if (!strcmp(name, "spine"))
        sort_items(b);
    else if (!strcmp(name, "itemref"))
        done = add_page(b, attributes);
    b->no_memory |= !done;
    return done;
}

static bool is_package(void *context, const char *name) {
    struct book *b = context;
    return !b->package_found && !strcmp(name, b->package);
}

static stemma_status take_package_part(void *context, const char *name, const uint8_t *bytes, size_t size,
                                       stemma_error *err) {
    static const struct xml_events events = {.begin = take_package};
    struct book *b = context;
    (void)name;
    b->package_found = true;
    TRY(xml_parse(bytes, size, NULL, &events, b, b->zip.stop, err));
    return b->no_memory ? fail_memory(err) : STEMMA_OK;
}

/* ---- pages ---- */

static bool is_page(void *context, const char *name) {
    const struct part *page = part_list_find(&((struct book *)context)->pages, name);
    return page && !page->taken;
}

static stemma_status take_page(void *context, const char *name, const uint8_t *bytes, size_t size,
                               stemma_error *err) {
    struct book *b = context;
    struct part *page = part_list_find(&b->pages, name);
    page->taken = true;
    if (size > b->text_most - b->pages.text) /* the text of a page is no longer than the page */
        return fail(err, TEXT_TOO_LONG, "its text may be longer than %zu bytes: allow more memory (--memory)",
                    b->text_most);
    const uint8_t *body = memmem(bytes, size, "<body", 5); /* what is in front is no text */
    if (body) size -= (size_t)(body - bytes), bytes = body;
    if (!xhtml_text(bytes, size, &page->text)) return fail_memory(err);
    b->pages.text += page->text.len;
    return STEMMA_OK;
}

static stemma_status read_book(struct book *b, struct buf *out, stemma_error *err) {
    static const struct zip_taker container = {is_container, take_container},
                                  package = {is_package, take_package_part}, pages = {is_page, take_page};
    TRY(zip_parts_each(&b->zip, &container, b, err));
    if (b->no_memory) return fail_memory(err);
    if (b->encrypted) return fail(err, STEMMA_UNSUPPORTED, "it is encrypted");
    if (!b->package) return fail(err, STEMMA_CORRUPT, "it does not say which of its parts lists the others");
    TRY(zip_parts_each(&b->zip, &package, b, err));
    if (!b->package_found) return fail(err, STEMMA_CORRUPT, "it has no part '%s'", b->package);
    part_list_sort(&b->pages);
    TRY(zip_parts_each(&b->zip, &pages, b, err));
    part_list_note_missing(&b->pages, b->damage);
    return part_list_join(&b->pages, out, err);
}

stemma_status epub_text(const uint8_t *bytes, size_t size, const struct reading_limits *limits,
                        struct buf *out, stemma_error *damage, stemma_error *err) {
    struct book book = {.text_most = reading_text_most(limits), .damage = damage};
    zip_parts_init(&book.zip, bytes, size, limits);
    stemma_status status = read_book(&book, out, err);
    zip_parts_release(&book.zip);
    part_list_release(&book.pages);
    for (size_t i = 0; i < book.item_count; i++) {
        mem_free(book.items[i].id);
        mem_free(book.items[i].name);
    }
    mem_free(book.items);
    mem_free(book.package);
    return status;
}
