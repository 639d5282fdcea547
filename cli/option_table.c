/* The table itself: every option, its argument, its help and the commands that know it. */
#include "options.h"

#define VIEW   "View (how a document becomes a set of fingerprints)"
#define KEPT   "Sketches (what is kept of the set)"
#define JUDGE  "Judging"
#define INPUT  "Input"
#define OUTPUT "Output"
#define WORK   "Work"
#define OTHER  "Other"

#define IN_KEEPING (IN_COMPARE | IN_SKETCH)
#define IN_READING (IN_DOCUMENTS | IN_DIFF)

const char *const option_groups[OPTION_GROUPS] = {JUDGE, INPUT, OUTPUT, VIEW, KEPT, WORK, OTHER};

const option_spec option_table[OPT_COUNT] = {
    {OPT_PRESET, 0, "preset", "NAME", "raw text code", VIEW,
     "canonical form: raw bytes, text (case, space and punctuation folded; the default), code (space folded)",
     IN_READING},
    {OPT_FOLD, 0, "fold", "LIST", NULL, VIEW, "instead of a preset: any of nfc+case+space+punct", IN_READING},
    {OPT_UNIT, 0, "unit", "UNIT", "byte char word line", VIEW, "what a token is (default word)", IN_READING},
    {OPT_WINDOW, 0, "window", "W", NULL, VIEW, "tokens in a shingle, 1 to 1024 (default 5; 20 for bytes)",
     IN_DOCUMENTS},
    {OPT_LABELLED, 0, "labelled", NULL, NULL, VIEW, "number repeated shingles, so that repetition counts",
     IN_DOCUMENTS},
    {OPT_HASH, 0, "hash", "NAME", "rabin mix padded", VIEW, "how a shingle becomes a fingerprint",
     IN_DOCUMENTS},
    {OPT_WIDTH, 0, "width", "BITS", NULL, VIEW, "bits of a fingerprint, 32 to 64 (default 64)", IN_DOCUMENTS},
    {OPT_SEED, 0, "seed", "S", NULL, VIEW, "choose other hash functions (default 0)", IN_DOCUMENTS},
    {OPT_KEY, 0, "key", "FILE", NULL, VIEW, "secret key of at least 16 bytes, for input that may be hostile",
     IN_KEEPING | IN_FIND},
    {OPT_RECIPE, 0, "recipe", "TEXT", NULL, VIEW, "view and sketches as one text, see stemma-recipe(7)",
     IN_READING},

    {OPT_SCHEME, 0, "scheme", "NAME",
     "mod min minmod level minhash oph bsw bsw-chunk simhash signature signature2011", KEPT,
     "what to keep; may be given several times, each followed by its -n, --bits, --mod", IN_KEEPING},
    {OPT_N, 'n', NULL, "N", NULL, KEPT, "size or rate of the scheme", IN_KEEPING},
    {OPT_BITS, 0, "bits", "B", NULL, KEPT, "bits kept of each value (minhash, oph), or of a simhash",
     IN_KEEPING},
    {OPT_MOD, 0, "mod", "M", NULL, KEPT, "the modulus of minmod", IN_KEEPING},
    {OPT_SIGNATURE, 0, "signature", NULL, NULL, KEPT, "also keep a signature, which tells the edit distance",
     IN_KEEPING},
    {OPT_RATE, 0, "rate", "C", NULL, KEPT, "of a signature: one window in C leaves a symbol (default 64)",
     IN_KEEPING},
    {OPT_ALPHABET, 0, "alphabet", "A", NULL, KEPT,
     "of a signature: how many symbols there are (default 65536)", IN_KEEPING},
    {OPT_POSITIONS, 0, "positions", NULL, NULL, KEPT,
     "of a signature: keep where its symbols stand, too, to tell where documents differ", IN_KEEPING},

    {OPT_SKETCH, 0, "sketch", NULL, NULL, JUDGE, "compare by sketches alone: estimates with 95 % intervals",
     IN_COMPARE},
    {OPT_THRESHOLD, 't', "threshold", "T", NULL, JUDGE, "near-duplicate from this resemblance (default .7)",
     IN_COMPARE},
    {OPT_CONTAINED, 0, "contained", "C", NULL, JUDGE, "contained from this containment (default .9)",
     IN_COMPARE},

    {OPT_EDIT, 0, "edit", "HOW", "exact estimate none", JUDGE,
     "the edit distance: exact, estimated from signatures, or none (default: exact where that is cheap; of a list none)",
     IN_COMPARE},
    {OPT_EDIT_LIMIT, 0, "edit-limit", "N", NULL, JUDGE, "do not look for an exact edit distance above N", IN_COMPARE},
    {OPT_BLOCKS, 0, "blocks", "SIZE", NULL, JUDGE,
     "which blocks of SIZE bytes (such as 64K) of B hold text of A, instead of a verdict", IN_COMPARE},
    {OPT_LEAST, 0, "least", "N", NULL, JUDGE,
     "tokens of a passage or fragment worth mentioning (default 8; of fragments of bytes or characters 32)",
     IN_DIFF | IN_FIND},
    {OPT_THOROUGH, 0, "thorough", NULL, NULL, JUDGE,
     "look at every window, also of large targets with very short fragments: slower, nothing is missed", IN_FIND},

    {OPT_TARGET, 0, "target", "FILE", NULL, INPUT,
     "what to look for; may be given several times, and then all operands are searched", IN_FIND},
    {OPT_PAIRS_FROM, 0, "pairs-from", "FILE", NULL, INPUT,
     "judge the pairs listed in FILE (- is standard input), "
     "one a line, the two names separated by a TAB",
     IN_COMPARE},
    {OPT_FILES_FROM, 0, "files-from", "FILE", NULL, INPUT,
     "also the documents listed in FILE (- is standard input), "
     "one a line",
     IN_SKETCH | IN_FIND},
    {OPT_NULL, '0', "null", NULL, NULL, INPUT, "the names in that list are each ended by NUL",
     IN_KEEPING | IN_FIND},
    {OPT_ENCODING, 0, "encoding", "NAME", "auto utf-8 utf-16 utf-16le utf-16be latin-1", INPUT,
     "of the documents (default auto: told by their bytes)", IN_KEEPING | IN_TEXT | IN_DIFF},

    {OPT_TOKENS, 0, "tokens", NULL, NULL, OUTPUT,
     "one token a line, after the bytes of the original it came from", IN_TEXT},
    {OPT_EXTRACTED, 0, "extracted", NULL, NULL, OUTPUT,
     "the text before it is folded: of HTML and Markdown without the marks, in UTF-8", IN_TEXT},
    {OPT_SIDE_BY_SIDE, 0, "side-by-side", NULL, NULL, OUTPUT,
     "two columns (the default where there are 120 columns or more)", IN_DIFF},
    {OPT_COLUMNS, 0, "columns", "N", NULL, OUTPUT, "the width to print two columns for (default: the terminal's, else 80)",
     IN_DIFF},
    {OPT_CONTEXT, 0, "context", "N", NULL, OUTPUT, "lines shown around each change (default 3)", IN_DIFF},
    {OPT_PASSAGES, 0, "passages", NULL, NULL, OUTPUT,
     "list what both have in common instead, longest first, with its place in both", IN_DIFF},
    {OPT_HTML, 0, "html", NULL, NULL, OUTPUT, "one page with both texts side by side, see --output", IN_DIFF},
    {OPT_OUTPUT, 'o', "output", "FILE", NULL, OUTPUT,
     "write to FILE: all sketches as one bundle, or the page of --html", IN_SKETCH | IN_DIFF},
    {OPT_DIRECTORY, 'd', "directory", "DIR", NULL, OUTPUT, "write the sketches into DIR", IN_SKETCH},
    {OPT_FORCE, 0, "force", NULL, NULL, OUTPUT, "overwrite files that exist", IN_SKETCH | IN_DIFF},
    {OPT_JSON, 0, "json", NULL, NULL, OUTPUT, "one JSON object a line", IN_READING | IN_SHOW},
    {OPT_QUIET, 'q', "quiet", NULL, NULL, OUTPUT,
     "print less: the verdict alone, no head line, no names; nothing where the exit status is the answer",
     IN_KEEPING | IN_DIFF | IN_FIND},
    {OPT_PRINT0, 0, "print0", NULL, NULL, OUTPUT,
     "the names of the files written or found, as they are, each ended by NUL", IN_SKETCH | IN_FIND},
    {OPT_LIST, 'l', "list", NULL, NULL, OUTPUT, "the names of the files alone", IN_FIND},

    {OPT_THREADS, 0, "threads", "N", NULL, WORK,
     "documents or pairs worked on at once (default: one a processor)", IN_KEEPING | IN_FIND},
    {OPT_MEMORY, 0, "memory", "SIZE", NULL, WORK,
     "for one document, such as 512M (default 1G); of its fingerprints, more go to disk; a text or a sample "
     "that needs more is refused",
     IN_READING},

    {OPT_HELP, 'h', "help", NULL, NULL, OTHER, "show this help", IN_ALL},
    {OPT_VERSION, 'V', "version", NULL, NULL, OTHER, "show the version", IN_ALL},
};
