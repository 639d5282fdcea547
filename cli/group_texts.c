#include "group_texts.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

/* About what a line, and a run of them, takes besides its bytes: many short ones are to be counted, too. */
enum { LINE_COST = 32, RUN_COST = 16 };

typedef struct line {
    size_t number, size;
    char text[];
} line;

typedef struct run {
    size_t first, count;
} run;

typedef struct document {
    size_t runs; /* number of them before this one's */
    enum text_of { NONE, OWN, FIRST } text;
    bool folded;
} document;

struct group_texts {
    void *tree; /* of lines, by their text: a tree cannot be made slow by those who choose the lines */
    line **lines;
    size_t line_count, line_room;
    run *runs;
    size_t run_count, run_room;
    document *documents;
    size_t document_count, document_room;
};

group_texts *group_texts_new(void) {
    group_texts *g = need_memory(sizeof *g);
    *g = (group_texts){0};
    return g;
}

void group_texts_free(group_texts *g) {
    tdestroy(g->tree, free);
    free(g->lines);
    free(g->runs);
    free(g->documents);
    free(g);
}

static void *more_room(void *list, size_t count, size_t *room, size_t each) {
    if (count < *room) return list;
    *room = *room ? 2 * *room : 16;
    return need_more(list, *room * each);
}

static int compare_lines(const void *a, const void *b) {
    const line *p = a, *q = b;
    if (p->size != q->size) return p->size < q->size ? -1 : 1;
    return memcmp(p->text, q->text, p->size);
}

/* The line's number; *fresh grows when it is new. */
static size_t find_line(group_texts *g, const char *text, size_t size, size_t *fresh) {
    line *made = need_memory(sizeof *made + size);
    *made = (line){.number = g->line_count, .size = size};
    memcpy(made->text, text, size);
    line *found = *(line **)need(tsearch(made, &g->tree, compare_lines));
    if (found != made) {
        free(made);
        return found->number;
    }
    g->lines = more_room(g->lines, g->line_count, &g->line_room, sizeof *g->lines);
    g->lines[g->line_count++] = made;
    *fresh += size + LINE_COST;
    return made->number;
}

static void begin_document(group_texts *g, enum text_of text, bool folded) {
    g->documents = more_room(g->documents, g->document_count, &g->document_room, sizeof *g->documents);
    g->documents[g->document_count++] = (document){g->run_count, text, folded};
}

static void add_run(group_texts *g, run added) {
    g->runs = more_room(g->runs, g->run_count, &g->run_room, sizeof *g->runs);
    g->runs[g->run_count++] = added;
}

static void append_line(group_texts *g, size_t number) {
    bool any = g->run_count > g->documents[g->document_count - 1].runs;
    run *last = any ? &g->runs[g->run_count - 1] : NULL;
    if (last && last->first + last->count == number)
        last->count++;
    else
        add_run(g, (run){number, 1});
}

size_t group_texts_add(group_texts *g, const char *text, size_t size, bool folded) {
    const char *end = text + size;
    size_t fresh = 0;
    begin_document(g, OWN, folded);
    for (const char *at = text, *stop; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        append_line(g, find_line(g, at, (size_t)(stop - at), &fresh));
    }
    return fresh + (g->run_count - g->documents[g->document_count - 1].runs) * RUN_COST;
}

void group_texts_add_none(group_texts *g) {
    begin_document(g, NONE, false);
}

static size_t runs_end(const group_texts *g, size_t number) {
    return number + 1 < g->document_count ? g->documents[number + 1].runs : g->run_count;
}

void group_texts_add_first(group_texts *g) {
    begin_document(g, g->documents[0].text == OWN ? FIRST : NONE, g->documents[0].folded);
}

static void write_document(const group_texts *g, json *j, size_t number) {
    if (g->documents[number].text == NONE) {
        json_null(j, NULL);
        return;
    }
    if (g->documents[number].text == FIRST) {
        json_count(j, NULL, 0);
        return;
    }
    json_open(j, NULL, '[');
    for (size_t i = g->documents[number].runs; i < runs_end(g, number); i++) {
        json_count(j, NULL, g->runs[i].first);
        json_count(j, NULL, g->runs[i].count);
    }
    json_close(j, ']');
}

void group_texts_write(const group_texts *g, FILE *out) {
    json j = json_begin(out);
    json_open(&j, "lines", '[');
    for (size_t i = 0; i < g->line_count; i++) json_text(&j, NULL, g->lines[i]->text, g->lines[i]->size);
    json_close(&j, ']');
    json_open(&j, "documents", '[');
    for (size_t i = 0; i < g->document_count; i++) write_document(g, &j, i);
    json_close(&j, ']');
    json_open(&j, "folded", '[');
    for (size_t i = 0; i < g->document_count; i++)
        if (g->documents[i].folded) json_count(&j, NULL, i);
    json_close(&j, ']');
    json_end(&j);
}
