#include "collection.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "shingle/labels.h"
#include "shingle/stream.h"

#include <stdlib.h>
#include <string.h>

#define DOCUMENT_MOST ((size_t)1 << 32)
#define LABEL_MEMORY  ((size_t)1 << 30)

/* ---- one document ---- */

struct reading {
    struct vec64 shingles;
    struct digest text;
    uint64_t text_bytes;
};

static stemma_status take_shingles(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                                   size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    struct vec64 *shingles = &((struct reading *)context)->shingles;
    if (!vec64_reserve(shingles, count)) return fail_memory(err);
    memcpy(shingles->data + shingles->len, fp, count * sizeof *fp);
    shingles->len += count;
    return STEMMA_OK;
}

static void take_text(void *context, const uint8_t *text, size_t size) {
    struct reading *reading = context;
    digest_add(&reading->text, text, size);
    reading->text_bytes += size;
}

static stemma_status shingle_all(const struct stemma_recipe *recipe, struct shingle_sink sink,
                                 struct reading *reading, const struct buf *bytes, stemma_error *err) {
    struct shingler *shingler = NULL;
    struct text_sink text = {reading, take_text};
    TRY(shingler_new(&recipe->view, &recipe->tables, sink, text, &shingler, err));
    stemma_status status = shingler_feed(shingler, bytes->data, bytes->len, err);
    if (status == STEMMA_OK) status = shingler_finish(shingler, err);
    shingler_free(shingler);
    return status;
}

static stemma_status shingle_document(const struct stemma_recipe *recipe, struct reading *reading,
                                      const struct buf *bytes, stemma_error *err) {
    struct shingle_sink sink = {.context = reading, .take = take_shingles};
    struct labeller *labeller = NULL;
    if (!recipe->view.labelled) return shingle_all(recipe, sink, reading, bytes, err);
    TRY(labeller_new(recipe->view.width, sink, LABEL_MEMORY, NULL, &labeller, err));
    stemma_status status = shingle_all(recipe, labeller_sink(labeller), reading, bytes, err);
    if (status == STEMMA_OK) status = labeller_finish(labeller, err);
    labeller_free(labeller);
    return status;
}

/* The set of what was read moves into the document, cut to its size. */
static stemma_status keep_set(struct reading *reading, struct truth_document *document, stemma_error *err) {
    struct vec64 *all = &reading->shingles;
    if (!sort_u64(all->data, all->len)) return fail_memory(err);
    document->shingle_count = unique_u64(all->data, all->len);
    document->shingles = mem_alloc(document->shingle_count * sizeof *all->data);
    if (!document->shingles) return fail_memory(err);
    if (document->shingle_count)
        memcpy(document->shingles, all->data, document->shingle_count * sizeof *all->data);
    document->text_bytes = reading->text_bytes;
    digest_finish(&reading->text, document->text_digest);
    return STEMMA_OK;
}

static stemma_status add_document(struct collection *collection, const char *name, const struct buf *bytes,
                                  const struct stemma_recipe *recipe, stemma_error *err) {
    if (!mem_grow((void **)&collection->documents, &collection->cap, collection->count + 1,
                  sizeof *collection->documents))
        return fail_memory(err);
    struct truth_document *document = &collection->documents[collection->count];
    *document = (struct truth_document){
        .name = mem_copy_string(name), .number = collection->count, .bytes = bytes->len};
    if (!document->name) return fail_memory(err);
    collection->count++;
    struct reading reading = {.text_bytes = 0};
    digest_init(&reading.text);
    stemma_status status = shingle_document(recipe, &reading, bytes, err);
    if (status == STEMMA_OK) status = keep_set(&reading, document, err);
    vec64_release(&reading.shingles);
    return status;
}

/* ---- the stream ---- */

/* The size behind a name, and the bytes behind that. */
static stemma_status read_bytes(FILE *in, struct buf *bytes, stemma_error *err) {
    size_t size = 0;
    if (fscanf(in, "%zu", &size) != 1 || getc(in) != '\n' || size > DOCUMENT_MOST)
        return fail(err, STEMMA_CORRUPT, "a document without its size");
    bytes->len = 0;
    if (!buf_reserve(bytes, size)) return fail_memory(err);
    if (fread(bytes->data, 1, size, in) != size)
        return fail(err, STEMMA_CORRUPT, "a document ends too early");
    bytes->len = size;
    return STEMMA_OK;
}

static stemma_status read_documents(struct collection *collection, FILE *in,
                                    const struct stemma_recipe *recipe, stemma_error *err) {
    char *name = NULL;
    size_t name_cap = 0;
    struct buf bytes = {0};
    stemma_status status = STEMMA_OK;
    while (status == STEMMA_OK && getdelim(&name, &name_cap, '\0', in) > 0) {
        status = read_bytes(in, &bytes, err);
        if (status == STEMMA_OK) status = add_document(collection, name, &bytes, recipe, err);
    }
    buf_release(&bytes);
    free(name);
    return status;
}

/* ---- keep order and classes ---- */

static int in_keep_order(const void *left, const void *right) {
    const struct truth_document *a = left, *b = right;
    if (a->text_bytes != b->text_bytes) return a->text_bytes > b->text_bytes ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int by_text(const void *left, const void *right) {
    const struct truth_document *a = *(struct truth_document *const *)left,
                                *b = *(struct truth_document *const *)right;
    int order = memcmp(a->text_digest, b->text_digest, DIGEST_SIZE);
    return order ? order : (a > b) - (a < b);
}

/* The first of each run of equal texts becomes a class of its own; the others point to it for a moment. */
static void mark_copies(struct truth_document **sorted, size_t count, const struct truth_document *base) {
    for (size_t i = 0, first = 0; i < count; i++) {
        if (memcmp(sorted[i]->text_digest, sorted[first]->text_digest, DIGEST_SIZE) != 0) first = i;
        sorted[i]->class_number = (uint32_t)(sorted[first] - base);
    }
}

static void number_classes(struct collection *collection) {
    for (size_t i = 0; i < collection->count; i++) {
        struct truth_document *document = &collection->documents[i];
        if (!document->shingle_count) {
            document->class_number = NO_CLASS;
        } else if (document->class_number == i) {
            collection->classes[collection->class_count] = document;
            document->class_number = collection->class_count++;
        } else { /* its first one stands before it, and has its number already */
            document->class_number = collection->documents[document->class_number].class_number;
        }
    }
}

static stemma_status find_classes(struct collection *collection, stemma_error *err) {
    size_t count = collection->count;
    if (!count) return fail(err, STEMMA_INVALID, "there are no documents");
    qsort(collection->documents, count, sizeof *collection->documents, in_keep_order);
    struct truth_document **sorted = mem_zero(count + 1, sizeof *sorted);
    collection->classes = mem_zero(count + 1, sizeof(struct truth_document *));
    if (!sorted || !collection->classes) {
        mem_free(sorted);
        return fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) sorted[i] = &collection->documents[i];
    qsort(sorted, count, sizeof *sorted, by_text);
    mark_copies(sorted, count, collection->documents);
    mem_free(sorted);
    number_classes(collection);
    return STEMMA_OK;
}

stemma_status collection_read(struct collection *collection, FILE *in, const struct stemma_recipe *recipe,
                              stemma_error *err) {
    *collection = (struct collection){0};
    stemma_status status = read_documents(collection, in, recipe, err);
    if (status == STEMMA_OK) status = find_classes(collection, err);
    if (status != STEMMA_OK) collection_release(collection);
    return status;
}

void collection_release(struct collection *collection) {
    for (size_t i = 0; i < collection->count; i++) {
        mem_free(collection->documents[i].name);
        mem_free(collection->documents[i].shingles);
    }
    mem_free(collection->documents);
    mem_free(collection->classes);
    *collection = (struct collection){0};
}
