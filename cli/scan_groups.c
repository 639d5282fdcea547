/*
 * The groups of a scan in words: the summary first, then the groups, the largest saving first, the kept
 * document before its members.
 *
 * On a terminal people look before they read: a long list is cut, and the folder that all names have in
 * common is said once. In a pipe everything is there, with names in full.
 */
#include "scan_report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "fragments.h"

enum {
    TERMINAL_GROUPS = 30,
    TERMINAL_MEMBERS = 10,
    RELATION_WIDTH = 19,  /* letters, unless a relation has more */
    RATE_WORTH = 1000000, /* bytes: of less, the time is that of starting */
    PREFIX_WORTH = 12     /* bytes of a common folder: a shorter one does not hide the rest of the names */
};

bool report_heard(void) {
    return !stop_requested && !output_lost();
}

/* ---- what is shown ---- */

typedef struct layout {
    bool terminal;
    uint64_t groups;     /* shown */
    bool several_owners; /* then they have a column */
    int owner_width, relation_width;
    bool several_sources; /* data sets: then each record says which one it is of */
    size_t prefix;        /* bytes of all names that are left out */
    stemma_scan_document first;
    bool any;
    palette colours;
} layout;

/* Conversions to another format lose a footnote's number or the number of a page, but hardly any text. */
#define SAME_FORM .98

static bool is_another_form(const scan_report *r, const stemma_scan_member *m) {
    return strcmp(stemma_scan_get_document(r->scan, m->document).form,
                  stemma_scan_get_document(r->scan, m->parent).form);
}

const char *relation_words(const stemma_scan_member *m, char *buffer, size_t size) {
    char percent[16];
    double share = m->relation == STEMMA_CONTAINED  ? m->contained
                   : m->relation == STEMMA_CONTAINS ? m->contains
                                                    : m->resemblance;
    if (m->relation == STEMMA_IDENTICAL) return "identical";
    if (m->relation == STEMMA_SAME_TEXT) return "same text";
    snprintf(buffer, size, "%s %s", stemma_relation_name(m->relation),
             format_percent(share, percent, sizeof percent));
    return buffer;
}

const char *form_words(const stemma_scan_member *m, bool another_form, char *buffer, size_t size) {
    char percent[16];
    if (another_form && m->relation == STEMMA_SAME_TEXT) return "same text in another form";
    if (!another_form || m->relation != STEMMA_NEAR_DUPLICATE || m->resemblance < SAME_FORM)
        return relation_words(m, buffer, size);
    snprintf(buffer, size, "another form %s", format_percent(m->resemblance, percent, sizeof percent));
    return buffer;
}

static const char *row_words(const scan_report *r, const stemma_scan_member *m, char *buffer, size_t size) {
    return form_words(m, is_another_form(r, m), buffer, size);
}

static size_t members_shown(const layout *l, const stemma_scan_group *group) {
    bool cut =
        l->terminal && group->member_count > TERMINAL_MEMBERS + 1; /* a line that says "1 more" is no gain */
    return cut ? TERMINAL_MEMBERS : group->member_count;
}

static const char *owner_text(owners *o, const stemma_scan_document *document, char *buffer, size_t size) {
    const char *name = document->has_owner ? owner_name(o, document->owner) : "-";
    if (!name) snprintf(buffer, size, "%u", document->owner);
    return name ? name : buffer;
}

/* The bytes up to the last slash of what both begin with. */
static size_t common_folder(const char *a, const char *b, size_t most) {
    size_t same = 0, folder = 0;
    for (; same < most && a[same] && a[same] == b[same]; same++)
        if (a[same] == '/') folder = same + 1;
    return folder;
}

static void survey_document(scan_report *r, layout *l, uint64_t number) {
    stemma_scan_document d = stemma_scan_get_document(r->scan, number);
    char buffer[16];
    if (!l->any) {
        l->first = d;
        l->prefix = strlen(d.id);
        l->any = true;
    }
    l->prefix = d.source ? 0 : common_folder(l->first.id, d.id, l->prefix);
    int width = (int)strlen(owner_text(&r->owners, &d, buffer, sizeof buffer));
    if (width > l->owner_width) l->owner_width = width;
    if (d.has_owner != l->first.has_owner || d.owner != l->first.owner) l->several_owners = true;
    if (!is_same_source(d.source, l->first.source)) l->several_sources = true;
}

static void survey_member(scan_report *r, layout *l, const stemma_scan_member *m) {
    char relation[48];
    int width = (int)strlen(row_words(r, m, relation, sizeof relation));
    if (width > l->relation_width) l->relation_width = width;
    survey_document(r, l, m->document);
}

static layout survey(scan_report *r) {
    layout l = {.terminal = isatty(STDOUT_FILENO),
                .groups = r->summary.groups,
                .relation_width = RELATION_WIDTH,
                .colours = palette_choose()};
    stemma_scan_group group;
    if (l.terminal && l.groups > TERMINAL_GROUPS) l.groups = TERMINAL_GROUPS;
    for (uint64_t i = 0; i < l.groups && !stop_requested; i++) {
        if (stemma_scan_get_group(r->scan, i, &group, NULL)) break;
        survey_document(r, &l, group.kept);
        for (size_t k = 0; k < members_shown(&l, &group); k++) survey_member(r, &l, &group.members[k]);
    }
    if (!l.terminal || l.prefix < PREFIX_WORTH) l.prefix = 0;
    return l;
}

/* ---- rows ---- */

static bool is_inside(const scan_report *r, const stemma_scan_member *m) {
    return stemma_scan_get_document(r->scan, m->document).container;
}

/* What it lacks was told among the problems. */
static bool is_damaged(const scan_report *r, const stemma_scan_member *m) {
    stemma_status status;
    return find_problem(r, stemma_scan_get_document(r->scan, m->document).id, &status) && status == STEMMA_OK;
}

static void print_row(scan_report *r, const layout *l, const char *relation, const char *colour,
                      uint64_t number, const char *note) {
    stemma_scan_document d = stemma_scan_get_document(r->scan, number);
    char bytes[32], buffer[16];
    printf("  %s%-*s%s  %8s  ", colour, l->relation_width, relation, *colour ? l->colours.end : "",
           format_bytes(d.bytes, bytes, sizeof bytes));
    if (l->several_owners)
        printf("%-*s  ", l->owner_width, owner_text(&r->owners, &d, buffer, sizeof buffer));
    print_name(stdout, d.id + l->prefix);
    if (l->several_sources && d.source) {
        fputs("  in ", stdout);
        print_name(stdout, d.source);
    }
    puts(note);
}

static void print_group(scan_report *r, const layout *l, uint64_t index, const stemma_scan_group *group) {
    const palette *p = &l->colours;
    char count[32], bytes[32], relation[48];
    size_t shown = members_shown(l, group);
    if (index > 0 || !r->options->quiet) putchar('\n');
    printf("%sgroup %s%s: ", p->strong, format_count(index + 1, count, sizeof count), p->end);
    printf("%s documents, %s could be removed\n", format_count(group->member_count + 1, count, sizeof count),
           format_bytes(group->redundant_bytes, bytes, sizeof bytes));
    print_row(r, l, "kept", p->good, group->kept, "");
    for (size_t i = 0; i < shown && report_heard(); i++) {
        const stemma_scan_member *m = &group->members[i];
        bool stays = !m->redundant && !is_inside(r, m);
        print_row(r, l, row_words(r, m, relation, sizeof relation), "", m->document,
                  !stays             ? ""
                  : is_damaged(r, m) ? "  (may lack text)"
                                     : "  (holds more than was compared)");
    }
    if (shown < group->member_count)
        printf("  ... and %s more; --json has all\n",
               format_count(group->member_count - shown, count, sizeof count));
}

void report_groups(scan_report *r) {
    stemma_scan_group group;
    layout l = survey(r);
    char count[32];
    if (l.prefix) {
        char *folder = safe_text(l.first.id, l.prefix);
        printf("all names below %s\n", folder);
        free(folder);
    }
    for (uint64_t i = 0; i < l.groups && report_heard(); i++) {
        if (stemma_scan_get_group(r->scan, i, &group, NULL)) break;
        print_group(r, &l, i, &group);
    }
    if (l.groups < r->summary.groups)
        printf("\n... and %s more groups; --json has all\n",
               format_count(r->summary.groups - l.groups, count, sizeof count));
}

/* ---- the summary ---- */

scan_staying count_staying(const scan_report *r) {
    stemma_scan_group group;
    scan_staying staying = {0};
    for (uint64_t i = 0; i < r->summary.groups && !stemma_scan_get_group(r->scan, i, &group, NULL); i++)
        for (size_t k = 0; k < group.member_count; k++) {
            const stemma_scan_member *m = &group.members[k];
            if (m->redundant) continue;
            *(is_inside(r, m) ? &staying.inside : &staying.holding) += 1;
        }
    return staying;
}

static void print_found(const scan_report *r) {
    const stemma_scan_summary *s = &r->summary;
    palette p = palette_choose();
    char groups[32], documents[32], bytes[32], share[16], threshold[32], contained[32];
    if (s->groups == 0) {
        printf("no near-duplicates: no resemblance from %s",
               format_threshold(r->threshold, threshold, sizeof threshold));
        if (r->contained > 0)
            printf(", no containment from %s", format_threshold(r->contained, contained, sizeof contained));
        putchar('\n');
        return;
    }
    scan_staying staying = count_staying(r);
    printf("%s%s group%s%s: %s document%s, %s (%s) could be removed", p.strong,
           format_count(s->groups, groups, sizeof groups), s->groups == 1 ? "" : "s", p.end,
           format_count(s->redundant, documents, sizeof documents), s->redundant == 1 ? "" : "s",
           format_bytes(s->redundant_bytes, bytes, sizeof bytes),
           format_percent(s->bytes ? (double)s->redundant_bytes / (double)s->bytes : 0, share, sizeof share));
    if (staying.inside)
        printf(", %s more inside other files", format_count(staying.inside, documents, sizeof documents));
    if (staying.holding)
        printf(", %s left, as %s more than was compared",
               format_count(staying.holding, documents, sizeof documents),
               staying.holding == 1 ? "it holds" : "they hold");
    if (staying.holding && s->damaged) fputs(" or may lack text", stdout);
    putchar('\n');
}

/* What takes no part in groups, or not with all of its text, and why; nothing when everything does. */
static void print_left_out(const stemma_scan_summary *s) {
    const struct {
        uint64_t count;
        const char *words;
    } kinds[] = {{s->empty, "empty"},
                 {s->binary, "without text (compared by their bytes alone)"},
                 {s->containers, "looked into for documents"},
                 {s->repeated, "met again (counted once)"},
                 {s->passed_over, "passed over (links, pipes, devices)"},
                 {s->damaged, "may lack text"},
                 {s->problems - s->damaged, "could not be read"}};
    const char *lead = "";
    char count[32];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i].count) continue;
        printf("%s%s %s", lead, format_count(kinds[i].count, count, sizeof count), kinds[i].words);
        lead = ", ";
    }
    if (*lead) putchar('\n');
}

void report_summary(const scan_report *r) {
    const stemma_scan_summary *s = &r->summary;
    char documents[32], bytes[32];
    if (s->documents == 0) {
        puts(
            "no documents: there are no files and records, or all are left out (hidden, named by an ignore file, by "
            "--include, --exclude or their size)");
        return;
    }
    printf("%s document%s, %s in %.2f s", format_count(s->documents, documents, sizeof documents),
           s->documents == 1 ? "" : "s", format_bytes(s->bytes, bytes, sizeof bytes), s->seconds);
    if (s->seconds > 0 && s->bytes >= RATE_WORTH) printf(", %.0f MB/s", (double)s->bytes / 1e6 / s->seconds);
    putchar('\n');
    if (!r->options->boilerplate) print_found(r);
    print_left_out(s);
}

/* ---- names alone ---- */

void report_redundant(const scan_report *r) {
    stemma_scan_group group;
    for (uint64_t i = 0; i < r->summary.groups && report_heard(); i++) {
        if (stemma_scan_get_group(r->scan, i, &group, NULL)) break;
        for (size_t k = 0; k < group.member_count && report_heard(); k++) {
            const stemma_scan_member *m = &group.members[k];
            if (!m->redundant) continue;
            char *name = document_name(r, m->document);
            print_listed(stdout, name, r->options->print0);
            free(name);
        }
    }
}
