#include "fragments.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"

enum {
    PLACES_SHOWN = 5, /* of a file: the longest */
    EXCERPT = 48      /* bytes */
};

void totals_add(find_totals *totals, const stemma_find_summary *summary) {
    totals->files++;
    totals->found += summary->fragments > 0;
    totals->bytes += summary->bytes;
    totals->fragments += summary->fragments;
}

void totals_print_json(const find_totals *totals) {
    json line = json_begin(stdout);
    json_open(&line, "summary", '{');
    json_count(&line, "files", totals->files);
    json_count(&line, "found", totals->found);
    json_count(&line, "unreadable", totals->unreadable);
    json_count(&line, "bytes", totals->bytes);
    json_count(&line, "fragments", totals->fragments);
    json_close(&line, '}');
    json_end(&line);
}

void print_listed(FILE *out, const char *name, bool null_ended) {
    if (null_ended)
        fputs(name, out);
    else
        print_name(out, name);
    putc(null_ended ? '\0' : '\n', out);
}

/* ---- for people ---- */

/* Longest first; of equal ones the first. */
static int by_length(const void *a, const void *b) {
    const stemma_fragment *x = *(const stemma_fragment *const *)a, *y = *(const stemma_fragment *const *)b;
    if (x->tokens != y->tokens) return x->tokens < y->tokens ? 1 : -1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_place(const void *a, const void *b) {
    const stemma_fragment *x = *(const stemma_fragment *const *)a, *y = *(const stemma_fragment *const *)b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The longest fragments in the order of their place; returns how many. */
static size_t choose(const stemma_fragment *all, size_t count, const stemma_fragment **chosen) {
    const stemma_fragment **sorted = need_memory(count * sizeof *sorted);
    size_t kept = count < PLACES_SHOWN ? count : PLACES_SHOWN;
    for (size_t i = 0; i < count; i++) sorted[i] = &all[i];
    qsort(sorted, count, sizeof *sorted, by_length);
    memcpy(chosen, sorted, kept * sizeof *sorted);
    qsort(chosen, kept, sizeof *chosen, by_place);
    free(sorted);
    return kept;
}

/* The beginning of the fragment; NULL where the file cannot be read again. Free it. */
static char *excerpt(const stemma_found *found, const stemma_fragment *f) {
    char bytes[4 * EXCERPT]; /* room for blanks that become one */
    struct stat info;
    const char *name = found->id;
    uint64_t size = f->end - f->begin;
    if (found->text) return excerpt_of(found->text + f->begin, (size_t)size, EXCERPT, false);
    int fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (fd < 0) return NULL;
    ssize_t got = fstat(fd, &info) || !S_ISREG(info.st_mode)
                      ? -1
                      : pread(fd, bytes, size < sizeof bytes ? (size_t)size : sizeof bytes, (off_t)f->begin);
    close(fd);
    return got < 0 ? NULL : excerpt_of(bytes, (size_t)got, EXCERPT, size > (uint64_t)got);
}

static void print_place(FILE *out, const stemma_found *found, const stemma_fragment *f, const char *unit,
                        const int widths[3]) {
    char lines[48], bytes[48], count[32];
    char *text = excerpt(found, f);
    snprintf(lines, sizeof lines, "%llu-%llu", (unsigned long long)f->first_line,
             (unsigned long long)f->last_line);
    snprintf(bytes, sizeof bytes, "%llu-%llu", (unsigned long long)f->begin, (unsigned long long)f->end);
    if (strcmp(unit, "bytes")) fprintf(out, "  lines %-*s", widths[0], lines); /* bytes have none */
    fprintf(out, "  bytes %-*s  %*s %s", widths[1], bytes, widths[2],
            format_count(f->tokens, count, sizeof count), unit);
    fprintf(out, "%s%s\n", text ? "  " : "", text ? text : "");
    free(text);
}

static int wider(int width, int other) {
    return width > other ? width : other;
}

static void print_places(FILE *out, const stemma_found *found, const stemma_fragment **chosen, size_t count,
                         const char *unit) {
    int widths[3] = {0};
    char text[64];
    for (size_t i = 0; i < count; i++) {
        const stemma_fragment *f = chosen[i];
        widths[0] =
            wider(widths[0], snprintf(text, sizeof text, "%llu-%llu", (unsigned long long)f->first_line,
                                      (unsigned long long)f->last_line));
        widths[1] = wider(widths[1], snprintf(text, sizeof text, "%llu-%llu", (unsigned long long)f->begin,
                                              (unsigned long long)f->end));
        widths[2] = wider(widths[2], (int)strlen(format_count(f->tokens, text, sizeof text)));
    }
    for (size_t i = 0; i < count; i++) print_place(out, found, chosen[i], unit, widths);
}

void fragments_print(FILE *out, const stemma_found *found, const char *unit, size_t targets) {
    const stemma_fragment *chosen[PLACES_SHOWN];
    stemma_find_summary summary = stemma_findings_summary(found->findings);
    size_t count;
    char share[32], number[32];
    palette colours = palette_choose();
    const stemma_fragment *all = stemma_findings_fragments(found->findings, &count);
    fputs(colours.strong, out);
    print_name(out, found->id);
    fprintf(out, "%s: %s of the target%s, %s fragment%s%s\n", colours.end,
            format_percent(summary.share, share, sizeof share), targets > 1 ? "s" : "",
            format_count(summary.fragments, number, sizeof number), summary.fragments == 1 ? "" : "s",
            found->extracted ? " (places in its text)" : "");
    size_t shown = choose(all, count, chosen);
    print_places(out, found, chosen, shown, unit);
    if (summary.fragments > shown)
        fprintf(out, "  and %s more\n", format_count(summary.fragments - shown, number, sizeof number));
}

/* ---- JSON ---- */

static void json_fragment(json *line, const stemma_fragment *f, const options *o) {
    json_open(line, NULL, '{');
    json_count(line, "begin", f->begin);
    json_count(line, "end", f->end);
    json_count(line, "first_line", f->first_line);
    json_count(line, "last_line", f->last_line);
    json_name(line, "target", o->targets.count ? o->targets.texts[f->target] : o->operands[0]);
    json_count(line, "target_begin", f->target_begin);
    json_count(line, "target_end", f->target_end);
    json_count(line, "tokens", f->tokens);
    json_close(line, '}');
}

static void json_totals(json *line, const stemma_find_summary *summary) {
    json_count(line, "bytes", summary->bytes);
    json_number(line, "share", summary->share);
    json_count(line, "covered", summary->covered);
    json_count(line, "fragment_count", summary->fragments);
}

void fragments_print_json(FILE *out, const stemma_found *found, const options *o) {
    stemma_find_summary summary = stemma_findings_summary(found->findings);
    size_t count;
    const stemma_fragment *all = stemma_findings_fragments(found->findings, &count);
    json line = json_begin(out);
    json_name(&line, "id", found->id);
    json_totals(&line, &summary);
    json_offsets(&line, found->extracted);
    json_open(&line, "fragments", '[');
    for (size_t i = 0; i < count; i++) json_fragment(&line, &all[i], o);
    json_close(&line, ']');
    json_end(&line);
}
