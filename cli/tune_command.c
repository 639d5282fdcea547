/* The commands that tune ends with, quoted for a shell: the scan to run, and how sketches are made. */
#include "tune.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct line {
    char *text;
    size_t size;
} line;

static void add_bytes(line *l, const char *bytes, size_t size) {
    l->text = need_more(l->text, l->size + size + 1);
    memcpy(l->text + l->size, bytes, size);
    l->size += size;
    l->text[l->size] = '\0';
}

/* A word as a shell takes it: plain where it is harmless, else in quotes. */
static void add_word(line *l, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+-@%";
    if (l->size) add_bytes(l, " ", 1);
    if (*word && strspn(word, plain) == strlen(word)) {
        add_bytes(l, word, strlen(word));
        return;
    }
    add_bytes(l, "'", 1);
    for (; *word; word++) {
        if (*word == '\'')
            add_bytes(l, "'\\''", 4);
        else
            add_bytes(l, word, 1);
    }
    add_bytes(l, "'", 1);
}

static void add_option(line *l, const char *name, const char *value) {
    size_t size = strlen(name) + strlen(value) + 1;
    char *word = need_memory(size);
    snprintf(word, size, "%s%s", name, value);
    add_word(l, word);
    free(word);
}

static void add_size(line *l, const char *name, size_t value) {
    char text[32];
    if (!value) return;
    snprintf(text, sizeof text, "%zu", value);
    add_option(l, name, text);
}

static void add_encoding(line *l, const options *o) {
    add_option(l, "--encoding=", stemma_encoding_name(o->encoding));
}

/* What was said of the input is said again. */
static void add_input(line *l, const options *o) {
    for (size_t i = 0; i < o->include.count; i++) add_option(l, "--include=", o->include.texts[i]);
    for (size_t i = 0; i < o->exclude.count; i++) add_option(l, "--exclude=", o->exclude.texts[i]);
    if (o->hidden) add_word(l, "--hidden");
    if (o->follow) add_word(l, "--follow");
    if (o->no_ignore) add_word(l, "--no-ignore");
    if (o->no_archives) add_word(l, "--no-archives");
    if (o->strict) add_word(l, "--strict");
    add_size(l, "--unpacked=", o->unpacked);
    add_size(l, "--min-size=", o->min_size);
    add_size(l, "--max-size=", o->max_size);
    if (o->text_field) add_option(l, "--text-field=", o->text_field);
    if (o->id_field) add_option(l, "--id-field=", o->id_field);
    if (o->encoding) add_encoding(l, o);
    if (o->files_from) add_option(l, "--files-from=", o->files_from);
    if (o->null_separated) add_word(l, "-0");
}

/* Names that would be taken for options. */
static bool has_dashes(const options *o) {
    for (size_t i = 0; i < o->operand_count; i++)
        if (o->operands[i][0] == '-' && o->operands[i][1]) return true;
    return false;
}

char *tune_command(const tuning *t) {
    const tune_view *view = &t->views[t->best_view];
    const options *o = t->options;
    char number[32], window[16];
    line l = {0};
    double threshold = tune_best(t)->threshold,
           contained = t->aim->by_containment ? threshold : t->aim->contained;
    snprintf(window, sizeof window, "%u", view->window);
    add_word(&l, "stemma");
    add_word(&l, "scan");
    add_option(&l, "--unit=", view->unit);
    add_option(&l, "--window=", window);
    add_option(&l, "--threshold=", format_threshold(threshold, number, sizeof number));
    add_option(&l, "--contained=", format_threshold(contained, number, sizeof number));
    add_input(&l, o);
    if (has_dashes(o)) add_word(&l, "--");
    for (size_t i = 0; i < o->operand_count; i++) add_word(&l, o->operands[i]);
    return l.text;
}

/* ---- sketches ---- */

static bool is_folder(const char *name) {
    struct stat info;
    return stat(name, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool has_folders(const options *o) {
    for (size_t i = 0; i < o->operand_count; i++)
        if (is_folder(o->operands[i])) return true;
    return false;
}

static bool names_hidden(const options *o) {
    for (size_t i = 0; i < o->operand_count; i++)
        if (strstr(o->operands[i], "/.")) return true;
    return false;
}

/* `stemma sketch` takes files: those of folders are named by find(1). */
static void add_find(line *l, const options *o) {
    add_word(l, "find");
    if (o->follow) add_word(l, "-L");
    for (size_t i = 0; i < o->operand_count; i++)
        add_option(l, o->operands[i][0] == '-' ? "./" : "", o->operands[i]);
    add_word(l, "-type");
    add_word(l, "f");
    if (!o->hidden && !names_hidden(o)) {
        add_word(l, "-not");
        add_word(l, "-path");
        add_word(l, "*/.*");
    }
    add_word(l, "-print0");
    add_bytes(l, " |", 2);
}

/* Documents that only a scan tells apart cannot be named: records, members of archives, what was chosen by
 * its name or size; nor can folders beside a list. */
static bool can_name(const tuning *t) {
    const options *o = t->options;
    if (o->files_from && has_folders(o)) return false;
    return !t->sample.inside && !o->include.count && !o->exclude.count && !o->min_size && !o->max_size;
}

/* Found: by find(1), which comes before. */
static void add_documents(line *l, const options *o, bool found) {
    if (o->null_separated || found) add_word(l, "-0");
    if (o->files_from || found) add_option(l, "--files-from=", found ? "-" : o->files_from);
    if (found) return;
    if (has_dashes(o)) add_word(l, "--");
    for (size_t i = 0; i < o->operand_count; i++) add_word(l, o->operands[i]);
}

char *tune_sketch_command(const tuning *t, const tune_sketch *sketch) {
    const options *o = t->options;
    line l = {0};
    bool named = can_name(t), found = named && has_folders(o);
    if (found) add_find(&l, o);
    add_word(&l, "stemma");
    add_word(&l, "sketch");
    add_option(&l, "--recipe=", sketch->recipe);
    add_word(&l, "--output=documents.sketches");
    add_size(&l, "--unpacked=", o->unpacked);
    if (o->encoding) add_encoding(&l, o);
    if (!named)
        add_word(&l, "DOCUMENT...");
    else
        add_documents(&l, o, found);
    return l.text;
}
