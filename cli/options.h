/*
 * options.h - the options of every command, in one table.
 *
 * The table drives parsing, --help, completion and (through the tests) the manual pages, so that the
 * four never disagree. Forms: --long=value, --long value, -t.8, -t .8, -0q, and -- to end options.
 */
#ifndef STEMMA_CLI_OPTIONS_H
#define STEMMA_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stemma.h>

/* X(BIT, name): every command, in the order of `stemma --help`. */
#define COMMAND_LIST(X)                                                                                      \
    X(SCAN, scan)                                                                                            \
    X(TREE, tree)                                                                                            \
    X(COMPARE, compare)                                                                                      \
    X(DIFF, diff)                                                                                            \
    X(FIND, find)                                                                                            \
    X(ADD, add)                                                                                              \
    X(QUERY, query)                                                                                          \
    X(SEEN, seen)                                                                                            \
    X(KNOWN, known)                                                                                          \
    X(LIST, list_documents)                                                                                  \
    X(REMOVE, remove)                                                                                        \
    X(INFO, info)                                                                                            \
    X(VERIFY, verify)                                                                                        \
    X(BACKUP, backup)                                                                                        \
    X(EXPORT, export)                                                                                        \
    X(MERGE, merge)                                                                                          \
    X(SKETCH, sketch)                                                                                        \
    X(SHOW, show)                                                                                            \
    X(TEXT, text)                                                                                            \
    X(MUTATE, mutate)                                                                                        \
    X(TUNE, tune)                                                                                            \
    X(UNDO, undo)                                                                                            \
    X(LAB, lab)                                                                                              \
    X(HELP, help)                                                                                            \
    X(COMPLETION, completion)

enum command_number {
#define COMMAND_NUMBER(BIT, name) NUMBER_##BIT,
    COMMAND_LIST(COMMAND_NUMBER)
#undef COMMAND_NUMBER
        COMMAND_COUNT
};

/* Which commands know an option. */
enum command_mask {
#define COMMAND_BIT(BIT, name) IN_##BIT = 1 << NUMBER_##BIT,
    COMMAND_LIST(COMMAND_BIT)
#undef COMMAND_BIT
        IN_UPKEEP = IN_VERIFY | IN_BACKUP | IN_EXPORT | IN_MERGE, /* of collections */
    IN_COLLECTIONS = IN_QUERY | IN_KNOWN | IN_ADD | IN_REMOVE | IN_LIST | IN_INFO | IN_SEEN,
    IN_PILES = IN_ADD | IN_QUERY |
               IN_KNOWN, /* read documents as a scan does: its options of input are theirs, too */
    IN_READERS = IN_COMPARE | IN_DIFF | IN_SKETCH | IN_TEXT | IN_MUTATE, /* documents by their names */
    IN_DOCUMENTS = IN_COMPARE | IN_SKETCH | IN_TEXT | IN_FIND | IN_SCAN | IN_TREE | IN_ADD,
    IN_ALL = (1 << COMMAND_COUNT) - 1
};

enum option_id {
    OPT_PRESET, /* the view: these first, in the order of the recipe's text form */
    OPT_FOLD,
    OPT_UNIT,
    OPT_WINDOW,
    OPT_LABELLED,
    OPT_HASH,
    OPT_WIDTH,
    OPT_SEED,
    OPT_KEY,
    OPT_RECIPE,
    OPT_SCHEME,
    OPT_N,
    OPT_BITS,
    OPT_MOD,
    OPT_SIGNATURE,
    OPT_RATE,
    OPT_ALPHABET,
    OPT_POSITIONS,
    OPT_SKETCH,
    OPT_THRESHOLD,
    OPT_CONTAINED,
    OPT_SCAN_THRESHOLD, /* of a scan they have other words: the same options, another line of help */
    OPT_SCAN_CONTAINED,
    OPT_KEEP,
    OPT_GROUP,
    OPT_CAP,
    OPT_EDIT,
    OPT_EDIT_LIMIT,
    OPT_BLOCKS,
    OPT_LEAST,
    OPT_THOROUGH,
    OPT_TARGET,
    OPT_PAIRS_FROM,
    OPT_FILES_FROM,
    OPT_NULL,
    OPT_SEEN_NULL,
    OPT_INCLUDE,
    OPT_EXCLUDE,
    OPT_HIDDEN,
    OPT_FOLLOW,
    OPT_NO_IGNORE,
    OPT_NO_ARCHIVES,
    OPT_UNPACKED,
    OPT_MIN_SIZE,
    OPT_MAX_SIZE,
    OPT_ENCODING,
    OPT_TEXT_FIELD,
    OPT_ID_FIELD,
    OPT_STRICT,
    OPT_TOKENS,
    OPT_EXTRACTED,
    OPT_SIDE_BY_SIDE,
    OPT_COLUMNS,
    OPT_CONTEXT,
    OPT_PASSAGES,
    OPT_HTML,
    OPT_TREE,
    OPT_DATES,
    OPT_FORMAT,
    OPT_FROM,
    OPT_PAIRS,
    OPT_BOILERPLATE,
    OPT_LIST_REDUNDANT,
    OPT_FILTER,
    OPT_REPORT,
    OPT_TUNE_REPORT,
    OPT_REPORT_TEXT,
    OPT_CSV,
    OPT_OUTPUT,
    OPT_DIRECTORY,
    OPT_FORCE,
    OPT_JSON,
    OPT_COMPARE_QUIET,
    OPT_SKETCH_QUIET,
    OPT_ANSWER_QUIET,
    OPT_SCAN_QUIET,
    OPT_TUNE_QUIET,
    OPT_KNOWN_QUIET,
    OPT_SEEN_QUIET,
    OPT_CHANGE_QUIET,
    OPT_NO_QUIET,
    OPT_PRINT0,
    OPT_LIST,
    OPT_DELETE,
    OPT_HARDLINK,
    OPT_REFLINK,
    OPT_MOVE,
    OPT_NEAR,
    OPT_NEAR_CONTAINED,
    OPT_SEEN_DRY_RUN,
    OPT_DRY_RUN,
    OPT_YES,
    OPT_LOG,
    OPT_PRUNE, /* collections */
    OPT_PRUNE_ALL,
    OPT_STORE_TEXT,
    OPT_PARTS,
    OPT_HAMMING_BITS,
    OPT_GROUP_BITS,
    OPT_KEEP_SIGNATURE,
    OPT_SIGNATURE_SYMBOLS,
    OPT_CACHE,
    OPT_JSONL,
    OPT_WAIT,
    OPT_QUERY_THRESHOLD, /* likewise of a question */
    OPT_QUERY_CONTAINED,
    OPT_TOP,
    OPT_VIA,
    OPT_FAMILY,
    OPT_NO_EDITS,
    OPT_EXPLAIN,
    OPT_REPAIR, /* their upkeep */
    OPT_LINK,
    OPT_PREFIX,
    OPT_EXPORT_OUTPUT,
    OPT_HAMMING,
    OPT_KNOWN_CONTAINED,
    OPT_VERSIONS,
    OPT_THREADS,
    OPT_MEMORY,
    OPT_SCAN_MEMORY,
    OPT_ASK_MEMORY,
    OPT_KIND, /* of mutate and tune */
    OPT_COUNT_OF,
    OPT_SHARE,
    OPT_PASSAGE_COUNT,
    OPT_WRAP,
    OPT_WITH,
    OPT_CHANCE,
    OPT_FOR,
    OPT_COPIES,
    OPT_SAMPLE,
    OPT_MOST_BYTES,
    OPT_PREFER,
    OPT_HELP,
    OPT_VERSION,
    OPT_COUNT
};

#define OPT_VIEW_COUNT (OPT_SEED + 1) /* the options that are fields of a recipe's view */

typedef struct option_spec {
    enum option_id id;
    char short_name;       /* 0 when there is none */
    const char *long_name; /* NULL when there is none */
    const char *argument;  /* NULL for a flag; FILE and DIR complete file names */
    const char *choices;   /* the values of the argument, separated by spaces, or NULL */
    const char *group;     /* heading in --help */
    const char *help;
    unsigned commands;
} option_spec;

extern const option_spec option_table[OPT_COUNT];

/* Whether the commands of this mask know the option. */
bool option_known(const option_spec *spec, unsigned mask);

/* The groups in the order of --help: what is used every day first. */
enum { OPTION_GROUPS = 10 };
extern const char *const option_groups[OPTION_GROUPS];

/* One --scheme with what follows it; a text is NULL when it was not given. */
typedef struct scheme_choice {
    const char *scheme, *n, *bits, *mod, *rate, *alphabet;
    bool positions;
} scheme_choice;

enum { MAX_SCHEMES = 16, MAX_TEXTS = 256, REPORT_TEXT = 32 << 20 };

/* The values of an option that may be given several times. */
typedef struct text_list {
    const char *texts[MAX_TEXTS];
    size_t count;
} text_list;

/* --edit, in the order of its choices in the table */
enum edit_choice { EDIT_DEFAULT, EDIT_EXACT, EDIT_ESTIMATE, EDIT_NONE };

typedef struct options {
    const char *view[OPT_VIEW_COUNT]; /* texts of the view's fields, NULL when not given */
    const char *key_file, *recipe;
    scheme_choice schemes[MAX_SCHEMES];
    size_t scheme_count; /* also 1 when -n, --bits or --mod came without a --scheme */
    bool signature;      /* one more sketch, besides those of the recipe: */
    scheme_choice
        signature_of; /* --rate, --alphabet, --positions where no --scheme=signature stands before them */
    bool sketch, thorough, list;
    size_t blocks;  /* bytes; 0 when not given */
    uint64_t least; /* tokens; likewise */
    text_list targets;
    unsigned edit;               /* enum edit_choice */
    uint64_t edit_limit;         /* 0 when not given */
    double threshold, contained; /* negative when not given */
    stemma_encoding encoding;
    unsigned keep, group; /* place among the choices in the table, from 1; 0 when not given */
    unsigned cap;         /* 0 when not given, as the sizes below */
    text_list include, exclude;
    bool hidden, follow, no_ignore, strict;
    bool no_archives;
    size_t unpacked;
    size_t min_size, max_size;
    const char *text_field, *id_field, *filter;
    bool pairs, boilerplate, list_redundant;
    bool tree, dates;
    unsigned format; /* of trees: place among the choices */
    const char *from;
    const char *report, *csv;
    size_t report_text;                           /* bytes */
    bool delete, hardlink, reflink, dry_run, yes; /* acting */
    const char *move_to, *log;
    double near, near_contained; /* negative when not given */
    const char *pairs_from, *files_from;
    bool null_separated, tokens, extracted;
    bool side_by_side, passages, html;
    unsigned columns; /* 0 when not given */
    long context;     /* negative when not given */
    const char *output, *directory;
    const char *cache;
    bool prune, prune_all, store_text, keep_signature, wait, jsonl; /* collections */
    bool repair, link;                                              /* their upkeep */
    const char *prefix;
    unsigned parts, hamming_bits, group_bits, signature_symbols; /* 0 when not given */
    bool force, json, quiet, print0;
    unsigned versions; /* of known files: place among the choices, from 1; 0 when not given */
    unsigned via;      /* of a query: place among the choices, from 1; 0 when not given */
    long top;          /* likewise; negative when not given */
    bool family, no_edits, explain, hamming;
    unsigned threads;
    size_t memory;
    unsigned kind, aim;        /* of mutate and tune: place among the choices */
    unsigned prefer;           /* likewise */
    size_t sample, most_bytes; /* of tune; 0 when not given */
    uint64_t count, chance;    /* 0 when not given */
    double share, copies;      /* negative when not given */
    unsigned passage_count;
    const char *with;
    bool help, version;
    bool given[OPT_COUNT]; /* by enum option_id */
    char **operands;       /* a part of argv, reordered */
    size_t operand_count;
} options;

/* Reads argv[1..] of a command. On wrong use prints the reason and returns false. */
bool options_parse(options *out, const char *command_name, unsigned mask, int argc, char **argv);

/* The first option that was given and is none of `count`; NULL: there is none. */
const option_spec *option_besides(const options *o, const enum option_id *ids, size_t count);

/* "--window" or "-n". */
const char *option_name(const option_spec *spec, char *buffer, size_t size);

/* The word at a place, from 1, among an option's choices; not NUL-terminated. */
const char *choice_at(const char *choices, unsigned place, size_t *length);

/* The nearest of `count` words (see edit distance), or NULL when none is near enough to suggest. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

#endif
