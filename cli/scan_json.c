/* A scan as JSON lines: groups, pairs or passages, then problems, then the summary. */
#include <string.h>
#include <time.h>

#include "json.h"
#include "scan_report.h"

/* ---- documents ---- */

static void put_time(json *j, int64_t nanoseconds) {
    char text[40];
    struct tm broken;
    time_t seconds = (time_t)(nanoseconds / 1000000000 - (nanoseconds % 1000000000 < 0));
    if (gmtime_r(&seconds, &broken) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &broken))
        json_word(j, "modified", text);
}

static void put_document(scan_report *r, json *j, uint64_t number) {
    stemma_scan_document d = stemma_scan_get_document(r->scan, number);
    json_name(j, "id", d.id);
    if (d.source) {
        json_name(j, "source", d.source);
        json_count(j, "offset", d.offset);
    }
    if (strcmp(d.form, "text")) json_word(j, "form", d.form);
    if (d.container) json_name(j, "container", d.container);
    json_count(j, "bytes", d.bytes);
    if (d.modified) put_time(j, d.modified);
    if (!d.has_owner) return;
    const char *name = owner_name(&r->owners, d.owner);
    if (name) json_word(j, "owner", name);
    json_count(j, "uid", d.owner);
}

static void put_id(const scan_report *r, json *j, const char *key, uint64_t number) {
    json_name(j, key, stemma_scan_get_document(r->scan, number).id);
}

/* With what tells a record from others of its id: "a_source", "a_offset". */
static void put_place(const scan_report *r, json *j, const char *key, uint64_t number) {
    stemma_scan_document d = stemma_scan_get_document(r->scan, number);
    char source[32], offset[32];
    if (!d.source) return;
    snprintf(source, sizeof source, "%s_source", key);
    snprintf(offset, sizeof offset, "%s_offset", key);
    json_name(j, source, d.source);
    json_count(j, offset, d.offset);
}

/* ---- groups ---- */

static void put_member(scan_report *r, json *j, const stemma_scan_member *m, const stemma_tree *tree,
                       size_t place) {
    json_open(j, NULL, '{');
    put_document(r, j, m->document);
    json_word(j, "relation", stemma_relation_name(m->relation));
    json_number(j, "resemblance", m->resemblance);
    json_number(j, "contained", m->contained);
    json_number(j, "contains", m->contains);
    json_bool(j, "redundant", m->redundant);
    if (tree)
        json_tree_node(r, j, tree, place);
    else
        put_id(r, j, "parent", m->parent);
    json_close(j, '}');
}

static void json_group(scan_report *r, uint64_t index, const stemma_scan_group *group) {
    json line = json_begin(r->out);
    stemma_tree tree;
    bool asked = r->options->tree || r->out != stdout; /* the page has trees in any case */
    bool has_tree = asked && !stemma_scan_get_tree(r->scan, index, &tree, NULL);
    json_count(&line, "group", index + 1);
    json_open(&line, "kept", '{');
    put_document(r, &line, group->kept);
    if (has_tree) json_tree_node(r, &line, &tree, 0);
    json_close(&line, '}');
    json_count(&line, "redundant_bytes", group->redundant_bytes);
    json_open(&line, "members", '[');
    for (size_t i = 0; i < group->member_count && report_heard(); i++)
        put_member(r, &line, &group->members[i], has_tree ? &tree : NULL, i + 1);
    json_close(&line, ']');
    json_end(&line);
}

void json_groups(scan_report *r, uint64_t most) {
    stemma_scan_group group;
    for (uint64_t i = 0; i < r->summary.groups && i < most && report_heard(); i++) {
        if (stemma_scan_get_group(r->scan, i, &group, NULL)) break;
        json_group(r, i, &group);
    }
}

/* ---- pairs, passages, problems ---- */

/* How many documents have this text, where it is more than this one. */
static void put_copies(const scan_report *r, json *j, const char *key, uint64_t document) {
    size_t count = 0;
    stemma_scan_copies(r->scan, document, &count);
    if (count > 1) json_count(j, key, count);
}

void json_pair(const scan_report *r, const stemma_scan_pair *pair) {
    json line = json_begin(r->out);
    put_id(r, &line, "a", pair->a);
    put_id(r, &line, "b", pair->b);
    json_word(&line, "relation", stemma_relation_name(pair->relation));
    json_number(&line, "resemblance", pair->resemblance);
    json_number(&line, "a_in_b", pair->a_in_b);
    json_number(&line, "b_in_a", pair->b_in_a);
    if (pair->relation > STEMMA_SAME_TEXT) {
        put_copies(r, &line, "a_copies", pair->a);
        put_copies(r, &line, "b_copies", pair->b);
    }
    put_place(r, &line, "a", pair->a);
    put_place(r, &line, "b", pair->b);
    json_end(&line);
}

void json_passage(const scan_report *r, const stemma_scan_passage *passage) {
    json line = json_begin(r->out);
    json_count(&line, "passage", r->printed + 1);
    json_count(&line, "documents", passage->documents);
    json_count(&line, "tokens", passage->tokens);
    json_text(&line, "text", passage->text, passage->size);
    put_id(r, &line, "example", passage->example);
    json_count(&line, "offset", passage->offset);
    put_place(r, &line, "example", passage->example);
    json_end(&line);
}

/* ---- the summary ---- */

/* To the microsecond: more digits would be noise. */
static void put_seconds(json *j, const char *key, double seconds) {
    json_number(j, key, (double)(uint64_t)(seconds * 1e6 + .5) / 1e6);
}

static void put_counts(json *j, const stemma_scan_summary *s) {
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"documents", s->documents},
                  {"bytes", s->bytes},
                  {"text_bytes", s->text_bytes},
                  {"empty", s->empty},
                  {"binary", s->binary},
                  {"containers", s->containers},
                  {"contained", s->contained},
                  {"problems", s->problems},
                  {"repeated", s->repeated},
                  {"classes", s->classes},
                  {"groups", s->groups},
                  {"redundant", s->redundant},
                  {"redundant_bytes", s->redundant_bytes},
                  {"candidates", s->candidates},
                  {"verified", s->verified},
                  {"resident_bytes", s->resident_bytes},
                  {"cached_bytes", s->cached_bytes},
                  {"spilled_bytes", s->spilled_bytes},
                  {"passed_over", s->passed_over},
                  {"namesakes", s->namesakes},
                  {"crowded", s->crowded},
                  {"damaged", s->damaged}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) json_count(j, counts[i].key, counts[i].value);
    put_seconds(j, "seconds", s->seconds);
    put_seconds(j, "seconds_reading", s->seconds_reading);
    put_seconds(j, "seconds_matching", s->seconds_matching);
    put_seconds(j, "seconds_verifying", s->seconds_verifying);
}

/* The word that was chosen from the table of options; the first is the default. */
static void put_choice(json *j, enum option_id id, unsigned place) {
    const char *word = "", *name = "";
    size_t length = 0;
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_table[i].id == id) {
            name = option_table[i].long_name;
            word = choice_at(option_table[i].choices, place ? place : 1, &length);
        }
    json_text(j, name, word, length);
}

void json_summary(const scan_report *r) {
    const options *o = r->options;
    json line = json_begin(r->out);
    json_open(&line, "summary", '{');
    put_counts(&line, &r->summary);
    json_open(&line, "thresholds", '{');
    json_number(&line, "resemblance", r->threshold);
    json_number(&line, "containment", r->contained);
    json_close(&line, '}');
    put_choice(&line, OPT_KEEP, o->keep);
    put_choice(&line, OPT_GROUP, o->group);
    if (o->filter) json_count(&line, "filtered", r->filtered);
    json_text(&line, "recipe", r->recipe, strcspn(r->recipe, ";")); /* the view: no sketch is kept */
    json_close(&line, '}');
    json_end(&line);
}
