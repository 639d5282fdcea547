/* stemma seen: a stream of documents, each answered as it arrives. */
#include "collections.h"
#include "command.h"
#include "json.h"
#include "json_record.h"
#include "problems.h"
#include "stream.h"

#include <string.h>
#include <unistd.h>

typedef struct watch {
    const options *options;
    stemma_collection *collection;
    stemma_see_options how;
    line_stream input;
    uint64_t answered, problems;
    uint64_t rows; /* lines so far that are no names of files, and could be rows of a table */
} watch;

/* ---- verdicts ---- */

static void print_json(const stemma_sighting *s, const char *given) {
    json line = json_begin(stdout);
    json_name(&line, "given", given);
    json_name(&line, "id", s->id);
    json_bool(&line, "new", !s->match);
    json_word(&line, "relation", stemma_relation_name(s->relation));
    if (s->match) {
        json_name(&line, "match", s->match);
        json_quantity(&line, "resemblance", &s->resemblance);
        json_open(&line, "containment", '{');
        json_quantity(&line, "a_in_b", &s->a_in_b);
        json_quantity(&line, "b_in_a", &s->b_in_a);
        json_close(&line, '}');
    }
    json_end(&line);
}

/* What the relation says: how alike, or how much of the one is in the other. */
static const stemma_quantity *weight_of(const stemma_sighting *s) {
    if (s->relation == STEMMA_CONTAINED) return &s->a_in_b;
    return s->relation == STEMMA_CONTAINS ? &s->b_in_a : &s->resemblance;
}

/* The document by the name that came in, so that who asked knows it again. */
static void print_words(const stemma_sighting *s, const char *given) {
    char number[32];
    const char *word = s->match                        ? stemma_relation_name(s->relation)
                       : s->relation == STEMMA_UNKNOWN ? "no text"
                                                       : "new";
    printf("%-14s %6s  ", word, s->match ? format_quantity(weight_of(s), number, sizeof number) : "");
    print_name(stdout, given);
    if (s->match) {
        printf("  ->  ");
        print_name(stdout, s->match);
    }
    putchar('\n');
}

/* name: of the document, where it has one; else the stream's. */
static void problem(watch *w, const char *name, const char *cause) {
    w->problems++;
    if (w->options->json)
        problem_json(stdout,
                     &(stemma_scan_problem){
                         .name = name, .line = w->input.number, .status = STEMMA_UNREADABLE, .cause = cause});
    else if (!w->options->quiet)
        complain("line %llu: %s", (unsigned long long)w->input.number, cause);
}

/* Damage is the collection's: a damaged document is one without text. */
static bool is_document(stemma_status status) {
    return status == STEMMA_UNREADABLE || status == STEMMA_NOT_FOUND || status == STEMMA_UNSUPPORTED;
}

static enum exit_code answer(watch *w, stemma_status status, const stemma_sighting *s, const char *given,
                             const stemma_error *error) {
    if (status && !is_document(status)) return complain_of(error);
    if (status) {
        problem(w, given, error->message);
    } else {
        w->answered++;
        if (w->options->json)
            print_json(s, given);
        else if (!w->options->quiet || s->match)
            print_words(s, given);
    }
    return EXIT_DONE;
}

/* ---- documents ---- */

static enum exit_code see_record(watch *w, const char *line, size_t size) {
    stemma_sighting sighting;
    stemma_error error;
    json_record record;
    const char *trouble = json_record_read(&record, line, size, w->options->text_field, w->options->id_field);
    char place[32];
    if (trouble) {
        problem(w, "-", trouble);
        return EXIT_DONE;
    }
    snprintf(place, sizeof place, "-:%llu", (unsigned long long)w->input.number);
    stemma_status status = stemma_collection_see(w->collection, record.id, record.text, record.text_size,
                                                 &w->how, &sighting, &error);
    enum exit_code code = answer(w, status, &sighting, record.id ? record.id : place, &error);
    json_record_release(&record);
    return code;
}

/* ---- what was piped in by mistake: said once, and not of each line ---- */

enum { ROWS_MOST = 10 };

/* By bytes that no text has: names of files may begin in any other way. */
static bool is_compressed(const char *line, size_t size) {
    static const char *const magics[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd", "\xfd\x37zXZ"};
    static const char bzip2[] = "1AY&SY"; /* behind "BZh" and a digit */
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= strlen(magics[i]) && !memcmp(line, magics[i], strlen(magics[i]))) return true;
    return size >= 4 + strlen(bzip2) && !memcmp(line, "BZh", 3) && !memcmp(line + 4, bzip2, strlen(bzip2));
}

static bool has_separator(const char *line) {
    return strpbrk(line, ",;\t");
}

/* Whether a line names the column of the text, among others. */
static bool names_text(const watch *w, const char *line) {
    const char *name = w->options->text_field ? w->options->text_field : "text";
    const size_t length = strlen(name);
    if (!has_separator(line)) return false;
    for (size_t size; *line; line += size + (line[size] != '\0')) {
        size = strcspn(line, ",;\t");
        const bool quoted = size >= 2 && line[0] == '"' && line[size - 1] == '"';
        if (size - 2 * quoted == length && !memcmp(line + quoted, name, length)) return true;
    }
    return false;
}

static enum exit_code give_up(const char *what) {
    complain("standard input is %s: 'seen' takes names of files or JSON lines; 'stemma add COLLECTION -' "
             "reads it by the record",
             what);
    return EXIT_WRONG;
}

/* A line that is not the name of a file. No table has NUL bytes between its rows. */
static bool is_of_table(watch *w, const char *line) {
    w->rows += has_separator(line);
    return !w->options->null_separated && w->answered == 0 && w->rows == w->input.number &&
           (w->rows >= ROWS_MOST || names_text(w, line));
}

static enum exit_code see_line(watch *w, const char *line, size_t size) {
    stemma_sighting sighting;
    stemma_error error;
    if (size == 0) return EXIT_DONE;
    if (w->input.number == 1 && is_compressed(line, size)) return give_up("compressed");
    if (w->options->jsonl || line[0] == '{') return see_record(w, line, size);
    if (strlen(line) != size) {
        problem(w, "-", "the name holds a NUL byte");
        return EXIT_DONE;
    }
    stemma_status status = stemma_collection_see_file(w->collection, line, &w->how, &sighting, &error);
    if (is_document(status) && access(line, F_OK) && is_of_table(w, line)) return give_up("a table");
    return answer(w, status, &sighting, line, &error);
}

/* ---- the stream ---- */

static enum exit_code commit(watch *w) {
    stemma_error error;
    return !w->how.dry && stemma_collection_commit(w->collection, &error) ? complain_of(&error) : EXIT_DONE;
}

static enum exit_code watch_stream(watch *w) {
    enum exit_code code = EXIT_DONE;
    enum stream_event event = STREAM_IDLE;
    char *line;
    size_t size;
    while (!code && event != STREAM_END && flush_output()) { /* main() says why it cannot be written */
        event = stream_next(&w->input, &line, &size);
        if (event == STREAM_LINE) code = see_line(w, line, size);
        if (event == STREAM_LONG) problem(w, "-", "it is too long");
        if (event == STREAM_IDLE) code = commit(w);
    }
    code = graver(code, commit(w)); /* what was answered is kept, whatever ended it */
    if (!code && w->input.cause) {
        complain("cannot read standard input: %s", cause_text(w->input.cause));
        code = EXIT_WRONG;
    }
    return code;
}

static enum exit_code run(const options *o) {
    watch w = {.options = o,
               .how = stemma_see_options_default(),
               .input = {.separator = o->null_separated ? '\0' : '\n'}};
    what_made made = {0};
    if (o->operand_count != 1)
        return wrong_use("seen", "one collection is needed, %zu given", o->operand_count);
    if (o->threshold >= 0) w.how.threshold = o->threshold;
    w.how.dry = o->dry_run;
    enum exit_code code = o->dry_run ? collection_to_read(o, &w.collection)
                                     : collection_to_fill(o, "seen", "stemma seen", &w.collection, &made);
    if (code) return code;
    if (o->contained >= 0)
        w.how.contained = o->contained;
    else if (w.how.threshold > 0 && !collection_keeps(w.collection, STEMMA_PART_SAMPLES))
        w.how.contained = 0;
    code = watch_stream(&w);
    if (!code && w.problems && (o->strict || !w.answered)) code = EXIT_WRONG;
    if (stop_requested) code = EXIT_INTERRUPTED;
    if (o->quiet && !o->json && w.problems && !stop_requested)
        complain("warning: %llu line%s could not be used", (unsigned long long)w.problems,
                 w.problems == 1 ? "" : "s");
    if (code) collection_take_back(o->operands[0], w.collection, &made);
    stemma_collection_free(w.collection);
    stream_release(&w.input);
    return code;
}

const command command_seen = {
    .name = "seen",
    .mask = IN_SEEN,
    .summary = "a stream of documents: each answered as it arrives, then remembered",
    .usage = "[OPTION]... COLLECTION",
    .purpose =
        "Reads names of files, or JSON objects with a text, one a line, from standard input, and answers each at "
        "once: new, or what of all documents before it is most like it, and how much. Then the document is "
        "added to the collection, which is made when it is not there. A file is one document: what an archive or a "
        "data set holds is not looked into. For crawlers, and wherever documents come in.",
    .examples = "  find inbox -type f | stemma seen archive.stemma\n"
                "  crawl | stemma seen --json --text-field=body pages.stemma | jq -r 'select(.new) | .id'\n"
                "  echo draft.txt | stemma seen --dry-run archive.stemma\n",
    .see_also = "stemma-seen(1), stemma-add(1), stemma-query(1)",
    .run = run,
};
