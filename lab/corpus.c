#include "corpus.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/rng.h"
#include "english.h"
#include "truth/made.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_MOST   4200
#define PIECES_MOST ((size_t)1 << 30) /* bytes of a file of pieces */

static const struct kind {
    const char *folder, *words;
    size_t least, most; /* bytes of a document */
    bool pieces;        /* of a file those between empty lines, rather than the file */
} kinds[] = {
    [CORPUS_LONG] = {"long", "long documents", 9000, 540000, false},
    [CORPUS_SHORT_1] = {"short1", "short documents", 600, 1500, false},
    [CORPUS_SHORT_2] = {"short2", "documents of a page or two", 2000, 4000, false},
    [CORPUS_PIECES] = {"pieces", "pieces", 200, 3000, .pieces = true},
};

static stemma_status corpus_add(struct corpus *corpus, size_t *room, struct text text, stemma_error *err) {
    if (!mem_grow((void **)&corpus->texts, room, corpus->count + 1, sizeof *corpus->texts)) {
        mem_free(text.bytes);
        return fail_memory(err);
    }
    corpus->texts[corpus->count++] = text;
    return STEMMA_OK;
}

void corpus_release(struct corpus *corpus) {
    for (size_t i = 0; i < corpus->count; i++) mem_free(corpus->texts[i].bytes);
    mem_free(corpus->texts);
    *corpus = (struct corpus){0};
}

/* ---- generated ---- */

/* Most are short and few are long, as in figure 1 of the HP paper. */
static size_t long_size(size_t number, size_t count) {
    double share = count > 1 ? (double)number / (double)(count - 1) : 0;
    return (size_t)(9000 * pow(60, pow(share, 3)));
}

static stemma_status generate_long(uint64_t seed, size_t count, struct corpus *out, stemma_error *err) {
    size_t room = 0;
    for (size_t i = 0; i < count; i++) {
        struct text text = {NULL, long_size(i, count)};
        if (!(text.bytes = mem_alloc(text.size))) return fail_memory(err);
        english(text.bytes, text.size, mix64(seed + 1) + i);
        TRY(corpus_add(out, &room, text, err));
    }
    return STEMMA_OK;
}

/* Support documents: a template, and now and then an article that was made from an earlier one. Pieces have
 * neither. Lines are not broken: one word more would break all that follow elsewhere, which windows of bytes
 * see. */
static stemma_status generate_short(uint64_t seed, enum corpus_kind kind, size_t count, struct corpus *out,
                                    stemma_error *err) {
    bool pieces = kind == CORPUS_PIECES;
    const struct made_options options = {.seed = seed,
                                         .count = count,
                                         .near = pieces ? 0 : .1,
                                         .template_share = pieces ? 0 : .5,
                                         .template_words = 30,
                                         .size = pieces                   ? 600
                                                 : kind == CORPUS_SHORT_1 ? 1000
                                                                          : 2800,
                                         .spread = pieces ? .5 : .3,
                                         .edits = -1};
    struct maker *maker = made_new(&options);
    struct made_document document = {0};
    stemma_status status = maker ? STEMMA_OK : fail_memory(err);
    size_t room = 0;
    for (size_t i = 0; status == STEMMA_OK && i < count; i++) {
        struct buf text = {0};
        if (made_document(maker, i, &document) && made_text(maker, &document.words, " ", &text))
            status = corpus_add(out, &room, (struct text){text.data, text.len}, err);
        else
            status = fail_memory(err);
    }
    vec64_release(&document.words);
    made_free(maker);
    return status;
}

/* ---- from a folder ---- */

static stemma_status read_text(const char *path, const struct kind *kind, struct text *out,
                               stemma_error *err) {
    struct input input;
    struct buf bytes = {0};
    TRY(input_open(&input, path, err));
    bool fits = input.size >= kind->least && input.size <= kind->most;
    stemma_status status = fits ? input_read_all(&input, kind->most, &bytes, err) : STEMMA_OK;
    input_close(&input);
    if (status == STEMMA_OK) *out = (struct text){bytes.data, bytes.len};
    return status;
}

/* The next piece from `at` on; `at` moves behind it. 0: there is none. */
static size_t next_piece(const struct buf *bytes, size_t *at, const uint8_t **piece) {
    while (*at < bytes->len && bytes->data[*at] == '\n') ++*at;
    *piece = bytes->data + *at;
    const uint8_t *end = memmem(*piece, bytes->len - *at, "\n\n", 2);
    size_t size = end ? (size_t)(end - *piece) + 1 : bytes->len - *at;
    *at += size;
    return size;
}

static stemma_status cut_pieces(const struct buf *bytes, const struct kind *kind, struct corpus *out,
                                size_t *room, stemma_error *err) {
    const uint8_t *piece;
    for (size_t at = 0, size; (size = next_piece(bytes, &at, &piece)) > 0;) {
        if (size < kind->least || size > kind->most) continue;
        struct text text = {mem_alloc(size), size};
        if (!text.bytes) return fail_memory(err);
        memcpy(text.bytes, piece, size);
        TRY(corpus_add(out, room, text, err));
    }
    return STEMMA_OK;
}

static stemma_status read_pieces(const char *path, const struct kind *kind, struct corpus *out, size_t *room,
                                 stemma_error *err) {
    struct input input;
    struct buf bytes = {0};
    TRY(input_open(&input, path, err));
    stemma_status status = input_read_all(&input, PIECES_MOST, &bytes, err);
    input_close(&input);
    if (status == STEMMA_OK) status = cut_pieces(&bytes, kind, out, room, err);
    buf_release(&bytes);
    return status;
}

static stemma_status read_folder(const char *folder, const struct kind *kind, struct corpus *out,
                                 size_t *room, stemma_error *err);

/* What is neither file nor folder is passed over, and so is what begins with a dot, as a scan does. */
static stemma_status read_entry(const char *folder, const char *name, const struct kind *kind,
                                struct corpus *out, size_t *room, stemma_error *err) {
    char path[PATH_MOST];
    struct stat info;
    struct text text = {0};
    if (*name == '.') return STEMMA_OK;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return fail(err, STEMMA_INVALID, "the name of the folder '%.200s' is too long", folder);
    if (!lstat(path, &info) && S_ISDIR(info.st_mode)) return read_folder(path, kind, out, room, err);
    if (stat(path, &info) || !S_ISREG(info.st_mode)) return STEMMA_OK;
    if (kind->pieces) return read_pieces(path, kind, out, room, err);
    TRY(read_text(path, kind, &text, err));
    return text.bytes ? corpus_add(out, room, text, err) : STEMMA_OK;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* And the folders in it. */
static stemma_status read_folder(const char *folder, const struct kind *kind, struct corpus *out,
                                 size_t *room, stemma_error *err) {
    struct dirent **names;
    int count = scandir(folder, &names, NULL, by_name);
    if (count < 0) return fail_errno(err, "read the folder", folder, errno);
    stemma_status status = STEMMA_OK;
    for (int i = 0; i < count; i++) {
        if (status == STEMMA_OK) status = read_entry(folder, names[i]->d_name, kind, out, room, err);
        free(names[i]);
    }
    free(names);
    return status;
}

static bool is_folder(const char *path) {
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

/* An even choice, so that a smaller experiment has documents of all kinds. */
static void thin_out(struct corpus *corpus, size_t most) {
    if (corpus->count <= most) return;
    size_t kept = 0;
    for (size_t i = 0; i < corpus->count; i++) {
        bool wanted = kept < most && i * most / corpus->count == kept;
        if (wanted)
            corpus->texts[kept++] = corpus->texts[i];
        else
            mem_free(corpus->texts[i].bytes);
    }
    corpus->count = kept;
}

static int by_size(const void *a, const void *b) {
    const struct text *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return memcmp(x->bytes, y->bytes, x->size);
}

static stemma_status load_folder(const struct lab *lab, const struct kind *kind, struct corpus *out,
                                 stemma_error *err) {
    char path[PATH_MOST];
    size_t room = 0;
    snprintf(path, sizeof path, "%s/%s", lab->corpus, kind->folder);
    TRY(read_folder(is_folder(path) ? path : lab->corpus, kind, out, &room, err));
    if (out->count < 2)
        return fail(err, STEMMA_NOT_FOUND, "'%s' has no %s (%zu to %zu bytes)", lab->corpus, kind->words,
                    kind->least, kind->most);
    qsort(out->texts, out->count, sizeof *out->texts, by_size);
    return STEMMA_OK;
}

/* Who runs it again can see whether the documents are the same. */
static void remark_corpus(const struct lab *lab, const struct kind *kind, const struct corpus *corpus,
                          struct table *data) {
    struct digest digest;
    uint8_t value[32];
    size_t bytes = 0;
    digest_init(&digest);
    for (size_t i = 0; i < corpus->count; i++) {
        digest_add(&digest, corpus->texts[i].bytes, corpus->texts[i].size);
        bytes += corpus->texts[i].size;
    }
    digest_finish(&digest, value);
    table_remark(data, "documents %zu %s %s, %zu bytes, %02x%02x%02x%02x%02x%02x%02x%02x", corpus->count,
                 lab->corpus ? "real" : "generated", kind->words, bytes, value[0], value[1], value[2],
                 value[3], value[4], value[5], value[6], value[7]);
}

stemma_status corpus_load(const struct lab *lab, enum corpus_kind kind, size_t most, struct table *data,
                          struct corpus *out, stemma_error *err) {
    *out = (struct corpus){0};
    stemma_status status = lab->corpus           ? load_folder(lab, &kinds[kind], out, err)
                           : kind == CORPUS_LONG ? generate_long(lab->seed, most, out, err)
                                                 : generate_short(lab->seed, kind, most, out, err);
    if (status != STEMMA_OK) {
        corpus_release(out);
        return status;
    }
    thin_out(out, most);
    remark_corpus(lab, &kinds[kind], out, data);
    return STEMMA_OK;
}
