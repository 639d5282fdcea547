#include "query_print.h"

#include "collections.h"
#include "edits.h"
#include "json.h"

#include <string.h>

/* ---- words ---- */

static const char *edit_text(const stemma_match *m, char *buffer, size_t size) {
    char number[32];
    const stemma_quantity *q = &m->edit.distance;
    if (!q->known) return m->edit.more_than ? "many" : "-";
    snprintf(buffer, size, "%s%s", q->exact ? "" : "~",
             format_count((uint64_t)(q->value + .5), number, sizeof number));
    return buffer;
}

/* Lines that differ, the first few of them. */
enum { PLACES_SHOWN = 4 };

static void print_range(uint64_t first, uint64_t last) {
    if (first == last)
        printf("%llu", (unsigned long long)first);
    else
        printf("%llu-%llu", (unsigned long long)first, (unsigned long long)last);
}

/* Where the match differs; by signatures alone, where the document asked about does: it is at hand. */
static size_t place_count(const stemma_match *m) {
    size_t count = m->placed ? m->region_count : 0;
    if (m->alignment) stemma_alignment_differences(m->alignment, &count);
    return count;
}

static stemma_place place_at(const stemma_match *m, size_t index) {
    size_t count;
    return m->alignment ? stemma_alignment_differences(m->alignment, &count)[index].b : m->regions[index].a;
}

/* Several differences may stand in one line; of what has no lines each counts. */
static size_t distinct_places(const stemma_match *m, bool bytes, stemma_place *out) {
    const size_t count = place_count(m);
    size_t kept = 0;
    for (size_t i = 0; i < count && kept <= PLACES_SHOWN; i++) {
        const stemma_place place = place_at(m, i);
        if (!kept || bytes || place.first_line > out[kept - 1].last_line) out[kept++] = place;
    }
    return kept;
}

static const char *text_of_places(const stemma_match *m) {
    if (m->alignment)
        return m->canonical[1] ? " of its canonical text" : m->extracted[1] ? " of its text" : "";
    return m->canonical[0]   ? " of the query's canonical text"
           : m->extracted[0] ? " of the query's text"
                             : " of the query";
}

static void print_places(const stemma_match *m, const palette *p) {
    stemma_place places[PLACES_SHOWN + 1];
    const bool bytes =
        m->edit.unit == STEMMA_EDIT_BYTES || m->canonical[m->alignment ? 1 : 0]; /* which may be one line */
    const size_t kept = distinct_places(m, bytes, places);
    if (kept == 0) return;
    const bool one = kept == 1 && places[0].first_line == places[0].last_line && !bytes;
    printf("  %sdiffers %s %s ", p->faint, m->alignment ? "in" : "within",
           bytes ? "bytes"
           : one ? "line"
                 : "lines");
    for (size_t i = 0; i < kept && i < PLACES_SHOWN; i++) {
        if (i) fputs(", ", stdout);
        if (bytes)
            print_range(places[i].begin, places[i].end);
        else
            print_range(places[i].first_line, places[i].last_line);
    }
    printf("%s%s%s", kept > PLACES_SHOWN ? ", ..." : "", text_of_places(m), p->end);
}

static void print_subject(query_printer *printer, const char *id, uint64_t place, const palette *p) {
    if (printer->shown++) putchar('\n');
    printf("%s", p->strong);
    print_name(stdout, id);
    printf("%s\n", p->end);
    printer->place = place;
}

/* Of a family, too, the first match is like the document itself. */
static void print_head(query_printer *printer, const stemma_match *m, const palette *p) {
    if (printer->shown && printer->place == m->place) return;
    print_subject(printer, m->query, m->place, p);
    if (!printer->options->quiet)
        printf("  %s%-14s %8s %7s %7s %7s%s\n", p->faint, "relation", "resembl.", "in it", "of it", "edits",
               p->end);
}

void query_print_none(query_printer *printer, const stemma_question *q) {
    const palette p = palette_choose();
    if (printer->options->quiet) return;
    print_subject(printer, q->id, q->place, &p);
    printf("  %s%s%s\n", p.faint, q->empty ? "empty: like nothing" : "nothing like it", p.end);
}

static void print_source(const stemma_match *m, const palette *p) {
    if (m->source != STEMMA_FROM_ORIGINAL)
        printf("  %s(%s)%s", p->faint, stemma_evidence_name(m->source), p->end);
}

/* A member of a family comes with the one it was reached from. */
static void print_link(const query_printer *printer, const stemma_match *m, const palette *p) {
    if (!printer->options->family) return;
    printf("  %sstep %llu, from ", p->faint, (unsigned long long)m->step);
    print_name(stdout, m->query);
    printf("%s", p->end);
}

void query_print_match(query_printer *printer, const stemma_match *m) {
    const palette p = palette_choose();
    char resemblance[32], in[32], of[32], apart[32];
    print_head(printer, m, &p);
    printf("  %-14s %8s %7s %7s %7s  ", stemma_relation_name(m->relation),
           format_quantity(&m->resemblance, resemblance, sizeof resemblance),
           format_quantity(&m->a_in_b, in, sizeof in), format_quantity(&m->b_in_a, of, sizeof of),
           edit_text(m, apart, sizeof apart));
    print_name(stdout, m->id);
    print_link(printer, m, &p);
    print_source(m, &p);
    print_places(m, &p);
    putchar('\n');
}

static void print_time(const char *label, double seconds) {
    printf("  %-11s %.2f ms\n", label, seconds * 1e3);
}

static void print_counted(const char *label, uint64_t count, const char *what) {
    char text[32];
    printf("  %-11s %s %s\n", label, format_count(count, text, sizeof text), what);
}

/* In the order of stemma_way. */
static const struct {
    const char *key, *words;
} ways[STEMMA_WAYS] = {{"bands", "bands looked up"},
                       {"all_minima", "all minima read"},
                       {"samples", "samples looked up"},
                       {"all_samples", "all minima and samples read"},
                       {"g", "groups of bits looked up, algorithm G,"},
                       {"h", "groups of bits looked up, algorithm H,"},
                       {"mih", "groups of bits looked up, multi-index hashing,"},
                       {"all_bits", "all fingerprints read"}};

/* Of a document there may be several. */
static void print_ways(const stemma_query_summary *s) {
    char count[32];
    const char *label = "ways";
    for (stemma_way way = 0; way < STEMMA_WAYS; way++) {
        if (!s->ways[way]) continue;
        printf("  %-11s %s for %s", label, ways[way].words,
               count_of_documents(s->ways[way], count, sizeof count));
        if (way == STEMMA_WAY_BANDS)
            printf(": %u of each, %u of 128 minima in common at least", s->bands, s->agree);
        if (way == STEMMA_WAY_ALL_MINIMA) printf(": %u of 128 in common at least", s->scan_agree);
        putchar('\n');
        label = "";
    }
}

void query_print_summary(const stemma_query_summary *s) {
    char documents[64];
    printf("\nasked about %s\n", count_of_documents(s->documents, documents, sizeof documents));
    print_ways(s);
    print_counted("lookups", s->lookups, "keys");
    print_counted("", s->postings, "documents that have them");
    if (s->common) print_counted("", s->common, "keys left aside, which very many documents have");
    if (s->scanned) print_counted("scanned", s->scanned, "rows");
    if (s->left_aside) print_counted("damaged", s->left_aside, "indexes, left aside: run 'stemma verify'");
    print_counted("candidates", s->candidates, "");
    print_counted("verified", s->verified, "");
    if (s->unverified) print_counted("", s->unverified, "left out: the others promised more");
    if (s->unmeasured)
        print_counted("not known", s->unmeasured,
                      "edit distances to what cannot be read: see --signature of 'stemma add'");
    print_time("reading", s->seconds_reading);
    print_time("finding", s->seconds_finding);
    print_time("verifying", s->seconds_verifying);
}

/* ---- JSON ---- */

void query_print_none_json(const stemma_question *q) {
    json line = json_begin(stdout);
    json_name(&line, "query", q->id);
    json_count(&line, "matches", 0);
    json_end(&line);
}

static const char *words_of_offsets(const stemma_match *m) {
    return m->edit.unit == STEMMA_EDIT_BYTES ? "bytes, about" : "characters of the canonical text, about";
}

/* In the document asked about a difference lies within its place; in the match, which cannot be read, about
 * there. */
static void print_regions_json(const stemma_match *m, json *line) {
    json_open(line, "offsets", '{');
    json_word(line, "a",
              !m->placed ? words_of_offsets(m)
                         : json_word_of_places(m->canonical[0]   ? PLACES_CANONICAL
                                               : m->extracted[0] ? PLACES_EXTRACTED
                                                                 : PLACES_ORIGINAL));
    json_word(line, "b", words_of_offsets(m));
    json_close(line, '}');
    json_open(line, "differences", '[');
    for (size_t i = 0; i < m->region_count; i++) {
        const stemma_match_region *r = &m->regions[i];
        json_open(line, NULL, '{');
        json_word(line, "kind", stemma_change_name(r->about.kind));
        if (m->placed)
            json_place(line, "a", &r->a);
        else
            json_stretch(line, "a", &r->about.a, false);
        json_stretch(line, "b", &r->about.b, false);
        json_close(line, '}');
    }
    json_close(line, ']');
}

void query_print_match_json(const options *o, const stemma_match *m) {
    json line = json_begin(stdout);
    json_name(&line, "query", m->query);
    json_name(&line, "id", m->id);
    if (o->family) json_count(&line, "step", m->step);
    json_word(&line, "relation", stemma_relation_name(m->relation));
    json_quantity(&line, "resemblance", &m->resemblance);
    json_open(&line, "containment", '{');
    json_quantity(&line, "a_in_b", &m->a_in_b);
    json_quantity(&line, "b_in_a", &m->b_in_a);
    json_close(&line, '}');
    json_word(&line, "source", stemma_evidence_name(m->source));
    const edits e = {.known = true,
                     .edit = m->edit,
                     .extracted = {m->extracted[0], m->extracted[1]},
                     .canonical = {m->canonical[0], m->canonical[1]},
                     .alignment = (stemma_alignment *)m->alignment};
    if (!o->no_edits) edits_print_json(&e, &line);
    if (m->regions) print_regions_json(m, &line);
    json_end(&line);
}

void query_print_summary_json(const options *o, const stemma_query_summary *s) {
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"documents", s->documents},   {"without_text", s->without_text},
                  {"problems", s->problems},     {"found", s->found},
                  {"bands", s->bands},           {"agree", s->agree},
                  {"scan_agree", s->scan_agree}, {"lookups", s->lookups},
                  {"postings", s->postings},     {"common", s->common},
                  {"scanned", s->scanned},       {"left_aside", s->left_aside},
                  {"candidates", s->candidates}, {"verified", s->verified},
                  {"unverified", s->unverified}, {"families_cut", s->families_cut},
                  {"unmeasured", s->unmeasured}};
    json line = json_begin(stdout);
    json_open(&line, "explain", '{');
    json_word(&line, "via", stemma_via_name(o->via ? (stemma_via)(o->via - 1) : STEMMA_VIA_AUTO));
    json_open(&line, "ways", '{');
    for (size_t i = 0; i < STEMMA_WAYS; i++)
        if (s->ways[i]) json_count(&line, ways[i].key, s->ways[i]);
    json_close(&line, '}');
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_count(&line, counts[i].name, counts[i].value);
    json_number(&line, "seconds_reading", s->seconds_reading);
    json_number(&line, "seconds_finding", s->seconds_finding);
    json_number(&line, "seconds_verifying", s->seconds_verifying);
    json_close(&line, '}');
    json_end(&line);
}
