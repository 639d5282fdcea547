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

void print_listed(const char *name, bool null_ended) {
    if (null_ended) {
        fputs(name, stdout);
        putchar('\0');
    } else {
        print_name(stdout, name);
        putchar('\n');
    }
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
static char *excerpt(const char *name, const stemma_fragment *f) {
    char bytes[4 * EXCERPT]; /* room for blanks that become one */
    struct stat info;
    uint64_t size = f->end - f->begin;
    int fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (fd < 0) return NULL;
    ssize_t got = fstat(fd, &info) || !S_ISREG(info.st_mode)
                      ? -1
                      : pread(fd, bytes, size < sizeof bytes ? (size_t)size : sizeof bytes, (off_t)f->begin);
    close(fd);
    return got < 0 ? NULL : excerpt_of(bytes, (size_t)got, EXCERPT, size > (uint64_t)got);
}

static void print_place(const char *name, const stemma_fragment *f, const char *unit, const int widths[3]) {
    char lines[48], bytes[48], count[32];
    char *text = excerpt(name, f);
    snprintf(lines, sizeof lines, "%llu-%llu", (unsigned long long)f->first_line,
             (unsigned long long)f->last_line);
    snprintf(bytes, sizeof bytes, "%llu-%llu", (unsigned long long)f->begin, (unsigned long long)f->end);
    printf("  lines %-*s  bytes %-*s  %*s %s", widths[0], lines, widths[1], bytes, widths[2],
           format_count(f->tokens, count, sizeof count), unit);
    printf("%s%s\n", text ? "  " : "", text ? text : "");
    free(text);
}

static int wider(int width, int other) {
    return width > other ? width : other;
}

static void print_places(const char *name, const stemma_fragment **chosen, size_t count, const char *unit) {
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
    for (size_t i = 0; i < count; i++) print_place(name, chosen[i], unit, widths);
}

void fragments_print(const char *name, const stemma_findings *findings, const char *unit, size_t targets) {
    const stemma_fragment *chosen[PLACES_SHOWN];
    stemma_find_summary summary = stemma_findings_summary(findings);
    size_t count;
    char share[32], number[32];
    palette colours = palette_choose();
    const stemma_fragment *all = stemma_findings_fragments(findings, &count);
    fputs(colours.strong, stdout);
    print_name(stdout, name);
    printf("%s: %s of the target%s, %s fragment%s\n", colours.end,
           format_fraction(summary.share, share, sizeof share), targets > 1 ? "s" : "",
           format_count(summary.fragments, number, sizeof number), summary.fragments == 1 ? "" : "s");
    size_t shown = choose(all, count, chosen);
    print_places(name, chosen, shown, unit);
    if (summary.fragments > shown)
        printf("  and %s more\n", format_count(summary.fragments - shown, number, sizeof number));
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

void fragments_print_json(const char *name, const stemma_findings *findings, const options *o) {
    stemma_find_summary summary = stemma_findings_summary(findings);
    size_t count;
    const stemma_fragment *all = stemma_findings_fragments(findings, &count);
    json line = json_begin(stdout);
    json_name(&line, "id", name);
    json_totals(&line, &summary);
    json_offsets(&line, false);
    json_open(&line, "fragments", '[');
    for (size_t i = 0; i < count && !output_lost(); i++) json_fragment(&line, &all[i], o);
    json_close(&line, ']');
    json_end(&line);
}
