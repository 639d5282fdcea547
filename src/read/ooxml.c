/*
 * A package of parts that name each other in relations. The archive is gone through three times: for the
 * relations, for the order of slides or sheets (and what sheets share: strings, styles), for the text.
 */
#include "read/ooxml.h"

#include "base/alloc.h"
#include "read/markup.h"
#include "read/part_list.h"
#include "read/sheet.h"
#include "read/xml.h"
#include "read/zip_parts.h"

#include <stdlib.h>
#include <string.h>

enum kind { MAIN, HEADER, FOOTER, FOOTNOTES, ENDNOTES, SLIDE, NOTES, SHEET, STRINGS, STYLES, KINDS };

/* The last words of the types of relations. */
static const char *const kind_names[KINDS] = {"officeDocument", "header", "footer",     "footnotes",
                                              "endnotes",       "slide",  "notesSlide", "worksheet",
                                              "sharedStrings",  "styles"};

struct relation {
    char *source, *id, *target;
    int kind;
};

struct package {
    enum text_format format;
    struct zip_parts zip;
    size_t text_most;
    struct relation *relations; /* of the kinds above, sorted by source and id */
    size_t relation_count, relation_cap;
    const char *main;        /* of the relations */
    struct part_list orders; /* the main part, shared strings, styles: what is read before the text */
    struct part_list parts;
    struct shared_strings strings;
    struct date_styles styles;
    const char *source;   /* whose relations or order are being read */
    stemma_status status; /* of a callback of the parser */
    stemma_error *err, *damage;
};

/* ---- relations ---- */

static int kind_of(const char *type) {
    const char *slash = type ? strrchr(type, '/') : NULL;
    for (int kind = 0; slash && kind < KINDS; kind++)
        if (!strcmp(slash + 1, kind_names[kind])) return kind;
    return KINDS;
}

static bool copy_relation(struct relation *r, const char *source, const char *id, const char *target) {
    struct buf name = {0};
    bool done = part_name_resolve(source, target, &name) && buf_add_byte(&name, '\0');
    r->source = mem_copy_string(source);
    r->id = mem_copy_string(id ? id : "");
    r->target = done ? mem_copy_string((const char *)name.data) : NULL;
    buf_release(&name);
    return r->source && r->id && r->target;
}

static void relation_release(struct relation *r) {
    mem_free(r->source);
    mem_free(r->id);
    mem_free(r->target);
}

static stemma_status add_relation(struct package *p, int kind, const char **attributes, stemma_error *err) {
    const char *target = xml_attribute(attributes, "Target"), *mode = xml_attribute(attributes, "TargetMode");
    struct relation relation = {.kind = kind};
    if (!target || (mode && !strcmp(mode, "External"))) return STEMMA_OK;
    if (p->relation_count == PARTS_MOST)
        return fail(err, STEMMA_UNSUPPORTED, "it has more than %d parts", PARTS_MOST);
    if (!copy_relation(&relation, p->source, xml_attribute(attributes, "Id"), target) ||
        !mem_grow((void **)&p->relations, &p->relation_cap, p->relation_count + 1, sizeof relation)) {
        relation_release(&relation);
        return fail_memory(err);
    }
    p->relations[p->relation_count++] = relation;
    return STEMMA_OK;
}

static bool take_relation(void *context, const char *name, const char **attributes) {
    struct package *p = context;
    int kind = strcmp(name, "Relationship") ? KINDS : kind_of(xml_attribute(attributes, "Type"));
    if (kind != KINDS) p->status = add_relation(p, kind, attributes, p->err);
    return p->status == STEMMA_OK;
}

static bool is_relations(void *context, const char *name) {
    (void)context;
    size_t size = strlen(name);
    return size >= 11 && !strcmp(name + size - 5, ".rels") && strstr(name, "_rels/");
}

/* "word/_rels/document.xml.rels" is about "word/document.xml". */
static char *relations_source(const char *name) {
    const char *folder = strstr(name, "_rels/");
    size_t before = (size_t)(folder - name), size = strlen(folder + 6) - 5;
    char *source = mem_alloc(before + size + 1);
    if (!source) return NULL;
    memcpy(source, name, before);
    memcpy(source + before, folder + 6, size);
    source[before + size] = '\0';
    return source;
}

static stemma_status take_relations(void *context, const char *name, const uint8_t *bytes, size_t size,
                                    stemma_error *err) {
    static const struct xml_events events = {.begin = take_relation};
    struct package *p = context;
    char *source = relations_source(name);
    if (!source) return fail_memory(err);
    p->source = source;
    p->err = err;
    stemma_status status = xml_parse(bytes, size, NULL, &events, p, p->zip.stop, err);
    mem_free(source);
    return status == STEMMA_OK ? p->status : status;
}

static int by_source(const void *a, const void *b) {
    const struct relation *r = a, *s = b;
    int sources = strcmp(r->source, s->source);
    return sources ? sources : strcmp(r->id, s->id);
}

/* The first relation of a part; those of other parts follow. NULL: there are none of either. */
static const struct relation *relations_of(const struct package *p, const char *source) {
    size_t low = 0, high = p->relation_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(p->relations[middle].source, source) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->relation_count ? &p->relations[low] : NULL;
}

static bool is_of(const struct package *p, const struct relation *r, const char *source) {
    return r && r < p->relations + p->relation_count && !strcmp(r->source, source);
}

static stemma_status read_relations(struct package *p, stemma_error *err) {
    static const struct zip_taker taker = {is_relations, take_relations};
    TRY(zip_parts_each(&p->zip, &taker, p, err));
    if (p->relation_count) qsort(p->relations, p->relation_count, sizeof *p->relations, by_source);
    for (const struct relation *r = relations_of(p, ""); is_of(p, r, ""); r++)
        if (r->kind == MAIN) p->main = r->target;
    if (p->main) return STEMMA_OK;
    return fail(err, STEMMA_CORRUPT, "it does not say which of its parts is the document");
}

/* ---- which parts, in which order ---- */

static stemma_status add_part(struct part_list *list, const char *name, int kind, stemma_error *err) {
    return part_list_add(list, name, strlen(name), kind, err);
}

static stemma_status add_related(const struct package *p, struct part_list *list, const char *source,
                                 int kind, stemma_error *err) {
    for (const struct relation *r = relations_of(p, source); is_of(p, r, source); r++)
        if (r->kind == kind) TRY(add_part(list, r->target, kind, err));
    return STEMMA_OK;
}

static stemma_status check_main(const struct package *p, const struct part_list *list, stemma_error *err) {
    if (part_list_find(list, p->main)->taken) return STEMMA_OK;
    return fail(err, STEMMA_CORRUPT, "it has no part '%s'", p->main);
}

static stemma_status plan_document(struct package *p, stemma_error *err) {
    TRY(add_related(p, &p->parts, p->main, HEADER, err));
    TRY(add_part(&p->parts, p->main, MAIN, err));
    TRY(add_related(p, &p->parts, p->main, FOOTNOTES, err));
    TRY(add_related(p, &p->parts, p->main, ENDNOTES, err));
    return add_related(p, &p->parts, p->main, FOOTER, err);
}

/* A slide or a sheet, by the id of its relation, and the notes of the slide. */
static stemma_status add_page(struct package *p, const char *id, stemma_error *err) {
    const struct relation asked = {.source = (char *)p->main, .id = (char *)id}; /* only compared */
    const struct relation *r = bsearch(&asked, p->relations, p->relation_count, sizeof asked, by_source);
    if (!r || (r->kind != SLIDE && r->kind != SHEET)) return STEMMA_OK;
    TRY(add_part(&p->parts, r->target, r->kind, err));
    return add_related(p, &p->parts, r->target, NOTES, err);
}

static bool is_true(const char *value) {
    return value && (!strcmp(value, "1") || !strcmp(value, "true"));
}

/* <sldId id="256" r:id="rId2"/>, <sheet name="..." sheetId="1" r:id="rId1"/> */
static bool take_page(void *context, const char *name, const char **attributes) {
    struct package *p = context;
    if (!strcmp(name, "workbookPr")) p->styles.from_1904 = is_true(xml_attribute(attributes, "date1904"));
    if (strcmp(name, "sldId") && strcmp(name, "sheet")) return true;
    for (; *attributes; attributes += 2) {
        const char *colon = strchr(*attributes, ':');
        if (colon && !strcmp(colon, ":id")) p->status = add_page(p, attributes[1], p->err);
    }
    return p->status == STEMMA_OK;
}

static bool is_order(void *context, const char *name) {
    return part_list_find(&((struct package *)context)->orders, name) != NULL;
}

static stemma_status take_order(void *context, const char *name, const uint8_t *bytes, size_t size,
                                stemma_error *err) {
    static const struct xml_events events = {.begin = take_page};
    struct package *p = context;
    p->err = err;
    struct part *part = part_list_find(&p->orders, name);
    part->taken = true;
    if (part->kind == STRINGS)
        return shared_strings_read(&p->strings, bytes, size, p->text_most, p->zip.stop, err);
    if (part->kind == STYLES) return date_styles_read(&p->styles, bytes, size, p->zip.stop, err);
    TRY(xml_parse(bytes, size, NULL, &events, p, p->zip.stop, err));
    return p->status;
}

static stemma_status plan_pages(struct package *p, stemma_error *err) {
    static const struct zip_taker taker = {is_order, take_order};
    TRY(add_part(&p->orders, p->main, MAIN, err));
    TRY(add_related(p, &p->orders, p->main, STRINGS, err));
    TRY(add_related(p, &p->orders, p->main, STYLES, err));
    part_list_sort(&p->orders);
    TRY(zip_parts_each(&p->zip, &taker, p, err));
    TRY(check_main(p, &p->orders, err));
    part_list_note_missing(&p->orders, p->damage);
    return STEMMA_OK;
}

/* ---- their text ---- */

static bool is_wanted(void *context, const char *name) {
    const struct part *part = part_list_find(&((struct package *)context)->parts, name);
    return part && !part->taken;
}

static stemma_status read_part(struct package *p, const struct part *part, const uint8_t *bytes, size_t size,
                               struct text_writer *writer, stemma_error *err) {
    if (part->kind == SHEET)
        return sheet_text(&p->strings, &p->styles, bytes, size, writer, p->zip.stop, err);
    const struct markup_dialect *dialect = p->format == TEXT_PPTX ? &markup_slides : &markup_word;
    return markup_text(dialect, bytes, size, writer, writer, p->zip.stop, p->damage, err);
}

static stemma_status take_part(void *context, const char *name, const uint8_t *bytes, size_t size,
                               stemma_error *err) {
    struct package *p = context;
    struct part *part = part_list_find(&p->parts, name);
    struct text_writer writer = {.out = &part->text, .most = p->text_most - p->parts.text};
    part->taken = true;
    TRY(read_part(p, part, bytes, size, &writer, err));
    TRY(writer_finish(&writer, err));
    p->parts.text += part->text.len;
    return STEMMA_OK;
}

/* Headers are said once, all of them in the first; and so are footers. */
static stemma_status join_kind(struct part_list *list, int kind, stemma_error *err) {
    struct part *first = NULL;
    for (size_t i = 0; i < list->count; i++) {
        struct part *part = &list->parts[i];
        if (part->kind != kind) continue;
        if (first && !buf_add(&first->text, part->text.data, part->text.len)) return fail_memory(err);
        if (first) part->text.len = 0;
        if (!first) first = part;
    }
    if (first) markup_drop_repeated_lines(&first->text);
    return STEMMA_OK;
}

static stemma_status read_package(struct package *p, struct buf *out, stemma_error *err) {
    static const struct zip_taker taker = {is_wanted, take_part};
    TRY(read_relations(p, err));
    TRY(p->format == TEXT_DOCX ? plan_document(p, err) : plan_pages(p, err));
    part_list_sort(&p->parts);
    TRY(zip_parts_each(&p->zip, &taker, p, err));
    if (p->format == TEXT_DOCX) TRY(check_main(p, &p->parts, err));
    part_list_note_missing(&p->parts, p->damage);
    TRY(join_kind(&p->parts, HEADER, err));
    TRY(join_kind(&p->parts, FOOTER, err));
    return part_list_join(&p->parts, out, err);
}

stemma_status ooxml_text(enum text_format format, const uint8_t *bytes, size_t size,
                         const struct reading_limits *limits, struct buf *out, stemma_error *damage,
                         stemma_error *err) {
    struct package package = {.format = format, .text_most = reading_text_most(limits), .damage = damage};
    zip_parts_init(&package.zip, bytes, size, limits);
    stemma_status status = read_package(&package, out, err);
    zip_parts_release(&package.zip);
    part_list_release(&package.orders);
    part_list_release(&package.parts);
    shared_strings_release(&package.strings);
    date_styles_release(&package.styles);
    for (size_t i = 0; i < package.relation_count; i++) relation_release(&package.relations[i]);
    mem_free(package.relations);
    return status;
}
