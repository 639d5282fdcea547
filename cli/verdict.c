/* How a verdict looks: a short block for one pair, a row for many, JSON for programs. */
#include "json.h"
#include "judge.h"

#include <string.h>

/* Characters that depend on the locale. */
typedef struct glyphs {
    const char *arrow, *at_least;
} glyphs;

static glyphs glyphs_choose(void) {
    return locale_is_utf8() ? (glyphs){"→", "≥"} : (glyphs){"->", ">="};
}

static void print_label(const palette *p, const char *label) {
    printf("  %s%-13s%s ", p->faint, label, p->end);
}

static void print_quantity(const palette *p, const char *label, stemma_quantity q) {
    char value[32], low[32], high[32];
    print_label(p, label);
    if (!q.known)
        printf("not known: %s\n", q.why ? q.why : "no reason given");
    else if (q.exact)
        printf("%-4s  exact\n", format_fraction(q.value, value, sizeof value));
    else
        printf("about %s, 95 %% between %s and %s\n", format_fraction(q.value, value, sizeof value),
               format_fraction(q.low, low, sizeof low), format_fraction(q.high, high, sizeof high));
}

static void print_shingles(const palette *p, const stemma_comparison *c) {
    char a[32], b[32], common[32];
    if (c->from_sketches) return;
    print_label(p, "shingles");
    printf("%s and %s, %s in common\n", format_count(c->shingles_a, a, sizeof a),
           format_count(c->shingles_b, b, sizeof b), format_count(c->shingles_common, common, sizeof common));
}

/* The largest number is what lifts a pair above chance; an estimate counts when its interval excludes 0. */
static void print_related(const stemma_comparison *c, const char *chance, const char *resemblance,
                          const char *containment) {
    const struct {
        const char *name;
        const stemma_quantity *quantity;
    } numbers[] = {{"resemblance", &c->resemblance}, {"a in b", &c->a_in_b}, {"b in a", &c->b_in_a}};
    size_t best = 0;
    char value[32];
    for (size_t i = 1; i < 3; i++) {
        const stemma_quantity *q = numbers[i].quantity;
        bool counts = q->known && (q->exact || q->low > 0);
        if (counts && q->value > numbers[best].quantity->value) best = i;
    }
    printf("%s %s > %s (chance); below resemblance %s and containment %s\n", numbers[best].name,
           format_fraction(numbers[best].quantity->value, value, sizeof value), chance, resemblance,
           containment);
}

static void print_reason(const judge *j, const palette *p, const stemma_comparison *c) {
    const char *at_least = glyphs_choose().at_least;
    char resemblance[32], containment[32], chance[32];
    const char *r = format_threshold(j->thresholds.resemblance, resemblance, sizeof resemblance);
    const char *k = format_threshold(j->thresholds.containment, containment, sizeof containment);
    const char *x = format_threshold(j->thresholds.chance, chance, sizeof chance);
    print_label(p, "decided by");
    switch (c->relation) {
    case STEMMA_IDENTICAL:
        puts("the same bytes");
        break;
    case STEMMA_SAME_TEXT:
        puts("the same canonical text");
        break;
    case STEMMA_NEAR_DUPLICATE:
        printf("resemblance %s %s\n", at_least, r);
        break;
    case STEMMA_CONTAINED:
        printf("a in b %s %s\n", at_least, k);
        break;
    case STEMMA_CONTAINS:
        printf("b in a %s %s\n", at_least, k);
        break;
    case STEMMA_RELATED:
        print_related(c, x, r, k);
        break;
    case STEMMA_UNRELATED:
        printf("nothing above %s (chance)\n", x);
        break;
    case STEMMA_UNKNOWN:
        puts("nothing to judge by");
        break;
    }
}

static bool is_doubtful(const stemma_comparison *c) {
    return !c->certain && c->relation != STEMMA_UNKNOWN;
}

/* A relation that is not certain carries a question mark. */
static const char *relation_text(const stemma_comparison *c, char *buffer, size_t size) {
    snprintf(buffer, size, "%s%s", stemma_relation_name(c->relation), is_doubtful(c) ? "?" : "");
    return buffer;
}

/* A near-duplicate is one by resemblance alone; every other relation also says what is contained in what. */
static void print_doubt(const palette *p, const stemma_comparison *c) {
    bool contained_known = c->a_in_b.known && c->b_in_a.known;
    if (!is_doubtful(c)) return;
    print_label(p, "not certain");
    if (!c->resemblance.known)
        puts("resemblance is not known from these sketches; compare the documents themselves");
    else if (c->relation != STEMMA_NEAR_DUPLICATE && !contained_known)
        puts("containment is not known under this recipe; use --scheme=mod, or compare the documents");
    else
        puts("an interval crosses a threshold; compare the documents themselves, or larger sketches");
}

static void print_hint(const palette *p, const char *hint) {
    if (!hint) return;
    print_label(p, "too short");
    print_name(stdout, hint);
    putchar('\n');
}

/* A changed word changes every shingle that it is in, which may be all of a short text: the number of edits
 * still tells that the texts are close. The relation stays what the shingles say. */
static void print_closeness(const palette *p, const verdict *v) {
    const stemma_edit *e = &v->edits.edit;
    const bool apart = v->comparison.relation == STEMMA_UNRELATED || v->comparison.relation == STEMMA_UNKNOWN;
    char distance[32], unrelated[32];
    if (!apart || !v->edits.known || !e->distance.known || !e->unrelated.known) return;
    if (e->distance.value * 2 > e->unrelated.value) return;
    print_label(p, "but close");
    printf(
        "%s edits, where chance would leave about %s: of texts so short, compare shorter windows (--window=2)\n",
        format_count((uint64_t)e->distance.value, distance, sizeof distance),
        format_count((uint64_t)e->unrelated.value, unrelated, sizeof unrelated));
}

static void print_headline(const palette *p, const verdict *v) {
    const char *colour = v->comparison.relation <= STEMMA_CONTAINS ? p->good : p->strong;
    char relation[32];
    printf("%s%-15s%s  ", colour, relation_text(&v->comparison, relation, sizeof relation), p->end);
    print_name(stdout, v->a);
    printf("  %s  ", glyphs_choose().arrow);
    print_name(stdout, v->b);
    putchar('\n');
}

void verdict_print(const judge *j, const verdict *v) {
    const stemma_comparison *c = &v->comparison;
    palette p = palette_choose();
    print_headline(&p, v);
    if (j->options->quiet) return;
    print_quantity(&p, "resemblance", c->resemblance);
    print_quantity(&p, "a in b", c->a_in_b);
    print_quantity(&p, "b in a", c->b_in_a);
    if (c->cosine.known) print_quantity(&p, "cosine", c->cosine);
    if (v->edits.known) edits_print(&v->edits, print_label, &p);
    print_shingles(&p, c);
    print_reason(j, &p, c);
    print_closeness(&p, v);
    print_doubt(&p, c);
    print_hint(&p, v->hint);
    print_label(&p, "recipe");
    /* Of an exact comparison the view alone: no sketch was used. */
    printf("%.*s\n", (int)strcspn(v->recipe, c->from_sketches ? "" : ";"), v->recipe);
}

/* ---- rows ---- */

void verdict_print_head(void) {
    printf("%-16s %11s %8s %8s  %s\n", "relation", "resemblance", "a in b", "b in a", "a, b");
}

static void print_cell(int width, const stemma_quantity *q) {
    char value[32];
    printf(" %*s", width, q->known ? format_fraction(q->value, value, sizeof value) : "-");
}

void verdict_print_row(const verdict *v) {
    const stemma_comparison *c = &v->comparison;
    char relation[32];
    printf("%-16s", relation_text(c, relation, sizeof relation));
    print_cell(11, &c->resemblance);
    print_cell(8, &c->a_in_b);
    print_cell(8, &c->b_in_a);
    fputs("  ", stdout);
    print_name(stdout, v->a);
    fputs("  ", stdout);
    print_name(stdout, v->b);
    putchar('\n');
}

/* ---- JSON ---- */

void verdict_print_json(const judge *j, const verdict *v) {
    const stemma_comparison *c = &v->comparison;
    json line = json_begin(stdout);
    json_name(&line, "a", v->a);
    json_name(&line, "b", v->b);
    json_word(&line, "relation", stemma_relation_name(c->relation));
    json_bool(&line, "certain", c->certain);
    json_quantity(&line, "resemblance", &c->resemblance);
    json_open(&line, "containment", '{');
    json_quantity(&line, "a_in_b", &c->a_in_b);
    json_quantity(&line, "b_in_a", &c->b_in_a);
    json_close(&line, '}');
    if (c->cosine.known) json_quantity(&line, "cosine", &c->cosine);
    if (!c->from_sketches) {
        json_open(&line, "shingles", '{');
        json_count(&line, "a", c->shingles_a);
        json_count(&line, "b", c->shingles_b);
        json_count(&line, "common", c->shingles_common);
        json_close(&line, '}');
    }
    if (v->edits.known) edits_print_json(&v->edits, &line);
    json_open(&line, "thresholds", '{');
    json_number(&line, "resemblance", j->thresholds.resemblance);
    json_number(&line, "containment", j->thresholds.containment);
    json_number(&line, "chance", j->thresholds.chance);
    json_close(&line, '}');
    json_bool(&line, "from_sketches", c->from_sketches);
    json_word(&line, "recipe", v->recipe);
    json_end(&line);
}

void verdict_print_error(const char *a, const char *b, const char *cause) {
    json line = json_begin(stdout);
    json_name(&line, "a", a);
    json_name(&line, "b", b);
    json_word(&line, "cause", cause);
    json_end(&line);
}
