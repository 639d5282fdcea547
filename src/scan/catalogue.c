#include "scan/catalogue.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "kernels/kernels.h"
#include "read/format.h"

#include <stdlib.h>
#include <string.h>

void catalogue_init(struct catalogue *c, size_t key_bytes) {
    pthread_mutexattr_t spinning; /* it is held for less time than going to sleep takes */
    *c = (struct catalogue){.key_bytes = key_bytes};
    pthread_mutexattr_init(&spinning);
    pthread_mutexattr_settype(&spinning, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&c->lock, &spinning);
    pthread_mutexattr_destroy(&spinning);
}

void catalogue_release(struct catalogue *c) {
    catalogue_forget_sources(c);
    problems_release(&c->problems);
    mem_free(c->sources);
    mem_free(c->documents);
    mem_free(c->classes);
    mem_free(c->keys);
    mem_free(c->by_bytes.slots);
    mem_free(c->by_text.slots);
    pthread_mutex_destroy(&c->lock);
}

static void table_forget(struct identity_table *table) {
    mem_free(table->slots);
    *table = (struct identity_table){0};
}

void catalogue_forget_keys(struct catalogue *c) {
    mem_free(c->keys);
    c->keys = NULL;
    c->key_cap = c->key_bytes = 0;
    table_forget(&c->by_bytes);
    table_forget(&c->by_text);
}

/* ---- room ---- */

/* Room for one more at the end. Pages come many at a time, so that nobody waits for the lock while the system
 * finds each of them; they count in bytes. */
static bool array_room(void **array, size_t *capacity, size_t *touched, size_t need, size_t element_size) {
    enum { STEP = 1 << 18 };
    if (!mem_grow(array, capacity, need, element_size)) return false;
    if (need * element_size <= *touched) return true;
    size_t left = *capacity * element_size - *touched, step = left < STEP ? left : STEP;
    mem_touch((uint8_t *)*array + *touched, step);
    *touched += step;
    return true;
}

/* ---- names ---- */

enum { NAME_PIECE = 1 << 16, NAME_SHARES = NAME_PIECE / 8 }; /* longer names have a piece of their own */

static char *add_piece(struct name_store *names, size_t size) {
    if (!mem_grow((void **)&names->pieces, &names->cap, names->count + 1, sizeof *names->pieces)) return NULL;
    char *piece = mem_alloc(size);
    if (!piece) return NULL;
    mem_touch(piece, size);
    names->bytes += size;
    return names->pieces[names->count++] = piece;
}

/* A copy, with a NUL behind it; NULL without memory. */
static const char *keep_name(struct name_store *names, const char *name, size_t size) {
    char *place;
    if (size >= NAME_SHARES) {
        place = add_piece(names, size + 1);
        if (!place) return NULL;
    } else {
        if (names->left < size + 1) {
            char *piece = add_piece(names, NAME_PIECE);
            if (!piece) return NULL;
            names->at = piece;
            names->left = NAME_PIECE;
        }
        place = names->at;
        names->at += size + 1;
        names->left -= size + 1;
    }
    memcpy(place, name, size);
    place[size] = 0;
    return place;
}

/* ---- sources ---- */

stemma_status catalogue_add_source(struct catalogue *c, const struct source *source, stemma_error *err) {
    if (c->source_count >= UINT32_MAX - 1 ||
        !mem_grow((void **)&c->sources, &c->source_cap, c->source_count + 1, sizeof *c->sources))
        return fail_memory(err);
    const char *name = keep_name(&c->names, source->name, strlen(source->name));
    if (!name) return fail_memory(err);
    c->sources[c->source_count] = *source;
    c->sources[c->source_count++].name = name;
    return STEMMA_OK;
}

void catalogue_forget_sources(struct catalogue *c) {
    for (size_t i = 0; i < c->names.count; i++) mem_free(c->names.pieces[i]);
    mem_free(c->names.pieces);
    c->names = (struct name_store){0};
    c->source_count = 0;
}

/* ---- identities ---- */

/* Of a number in a table. */
typedef struct identity identity_getter(const struct catalogue *c, uint32_t number);

struct identity document_identity(const struct document *document) {
    struct identity identity = document->bytes_identity;
    identity.low ^= mix64(document->format);
    return identity;
}

static struct identity bytes_identity(const struct catalogue *c, uint32_t number) {
    return document_identity(&c->documents[number]);
}

static struct identity text_identity(const struct catalogue *c, uint32_t number) {
    return c->classes[number].text_identity;
}

/* The tag tells nearly all others apart: what numbers name lies anywhere in memory. */
static struct identity_slot *find_slot(const struct catalogue *c, const struct identity_table *table,
                                       identity_getter *get, struct identity identity) {
    const uint32_t tag = (uint32_t)identity.low;
    size_t at = tag & (table->capacity - 1);
    while (table->slots[at].number &&
           !(table->slots[at].tag == tag && identity_equal(get(c, table->slots[at].number - 1), identity)))
        at = (at + 1) & (table->capacity - 1);
    return &table->slots[at];
}

static void fill_slot(struct identity_table *table, struct identity_slot *slot, struct identity identity,
                      size_t number) {
    *slot = (struct identity_slot){.tag = (uint32_t)identity.low, .number = (uint32_t)number + 1};
    table->count++;
}

/* All are different: none has to be compared. */
static void enter_again(struct identity_table *table, struct identity_slot slot) {
    size_t at = slot.tag & (table->capacity - 1);
    while (table->slots[at].number) at = (at + 1) & (table->capacity - 1);
    table->slots[at] = slot;
}

/* Room for one more; at most two thirds of the slots are used. */
static bool table_reserve(struct identity_table *table) {
    if (3 * (table->count + 1) <= 2 * table->capacity) return true;
    struct identity_table larger = {.capacity = table->capacity ? 2 * table->capacity : 1024,
                                    .count = table->count};
    larger.slots = mem_zero(larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].number) enter_again(&larger, table->slots[i]);
    mem_free(table->slots);
    *table = larger;
    return true;
}

/* ---- documents ---- */

static bool document_room(struct catalogue *c) {
    return c->document_count < UINT32_MAX - 1 && table_reserve(&c->by_bytes) &&
           array_room((void **)&c->documents, &c->document_cap, &c->documents_touched, c->document_count + 1,
                      sizeof *c->documents);
}

/* With the room for it. */
static void enter_document(struct catalogue *c, const struct document *document, const char *id) {
    struct document *entry = &c->documents[c->document_count];
    *entry = *document;
    entry->id = id;
    entry->class = NO_CLASS;
    entry->same_as = NO_DOCUMENT;
    const struct identity identity = document_identity(entry);
    struct identity_slot *slot = find_slot(c, &c->by_bytes, bytes_identity, identity);
    if (slot->number)
        entry->same_as = slot->number - 1;
    else
        fill_slot(&c->by_bytes, slot, identity, c->document_count);
    c->document_count++;
}

stemma_status catalogue_add_document(struct catalogue *c, const struct document *document, const char *id,
                                     size_t id_size, uint32_t *number, bool *seen, stemma_error *err) {
    pthread_mutex_lock(&c->lock);
    bool room = document_room(c);
    const char *copy = room && id ? keep_name(&c->names, id, id_size) : NULL;
    if (id && !copy) room = false;
    if (room) {
        *number = (uint32_t)c->document_count;
        enter_document(c, document, copy);
        *seen = c->documents[*number].same_as != NO_DOCUMENT;
    }
    pthread_mutex_unlock(&c->lock);
    return room ? STEMMA_OK : fail_memory(err);
}

void catalogue_set_state(struct catalogue *c, uint32_t document, enum document_state state) {
    pthread_mutex_lock(&c->lock);
    c->documents[document].state = (uint8_t)state;
    pthread_mutex_unlock(&c->lock);
}

/* ---- classes ---- */

static bool class_room(struct catalogue *c) {
    return table_reserve(&c->by_text) &&
           array_room((void **)&c->classes, &c->class_cap, &c->classes_touched, c->class_count + 1,
                      sizeof *c->classes) &&
           array_room((void **)&c->keys, &c->key_cap, &c->keys_touched,
                      c->class_count + 1 + KERNEL_SLACK / c->key_bytes + 1, c->key_bytes);
}

stemma_status catalogue_classify(struct catalogue *c, uint32_t document, struct identity text,
                                 uint64_t text_size, uint32_t *class, bool *made, stemma_error *err) {
    pthread_mutex_lock(&c->lock);
    bool room = class_room(c);
    if (room) {
        struct identity_slot *slot = find_slot(c, &c->by_text, text_identity, text);
        *made = slot->number == 0;
        if (*made) {
            c->classes[c->class_count] =
                (struct text_class){.text_identity = text, .text_size = text_size, .document = document};
            memset(c->keys + c->class_count * c->key_bytes, 0, c->key_bytes);
            fill_slot(&c->by_text, slot, text, c->class_count++);
        }
        *class = slot->number - 1;
        c->documents[document].class = *class;
    }
    pthread_mutex_unlock(&c->lock);
    return room ? STEMMA_OK : fail_memory(err);
}

void catalogue_mark_known(struct catalogue *c, uint32_t class) {
    pthread_mutex_lock(&c->lock);
    c->classes[class].known = true;
    pthread_mutex_unlock(&c->lock);
}

void catalogue_set_keys(struct catalogue *c, uint32_t class, const uint8_t *keys, uint32_t size,
                        uint32_t samples) {
    pthread_mutex_lock(&c->lock);
    memcpy(c->keys + class * c->key_bytes, keys, c->key_bytes);
    c->classes[class].size = size;
    c->classes[class].samples = samples;
    pthread_mutex_unlock(&c->lock);
}

/* ---- problems ---- */

void catalogue_add_problem(struct catalogue *c, const char *name, uint64_t line, const stemma_error *cause) {
    pthread_mutex_lock(&c->lock);
    problems_add(&c->problems, NO_DOCUMENT, name, line, cause->status, cause->message);
    pthread_mutex_unlock(&c->lock);
}

void catalogue_fail_document(struct catalogue *c, uint32_t document, const stemma_error *cause) {
    pthread_mutex_lock(&c->lock);
    c->documents[document].state = DOCUMENT_FAILED;
    problems_add(&c->problems, document, catalogue_id(c, document), 0, cause->status, cause->message);
    pthread_mutex_unlock(&c->lock);
}

void catalogue_damage_document(struct catalogue *c, uint32_t document, const stemma_error *cause) {
    pthread_mutex_lock(&c->lock);
    c->documents[document].damaged = true;
    problems_add(&c->problems, document, catalogue_id(c, document), 0, cause->status, cause->message);
    pthread_mutex_unlock(&c->lock);
}

void catalogue_lose(struct catalogue *c, uint32_t class, const stemma_error *cause) {
    if (!atomic_exchange(&c->classes[class].lost, true))
        catalogue_add_problem(c, catalogue_id(c, c->classes[class].document), 0, cause);
}

static int by_document(const void *a, const void *b) {
    uint32_t x = ((const struct problem *)a)->document, y = ((const struct problem *)b)->document;
    return (x > y) - (x < y);
}

/* Which of several was read does not show: each is told of under its own name. */
static void tell_of(struct catalogue *c, uint32_t document, const struct problem *of) {
    const char *own = catalogue_id(c, document), *other = catalogue_id(c, of->document);
    const char *at = strstr(of->cause, other);
    stemma_error told;
    if (at)
        (void)fail(&told, of->status, "%.*s%s%s", (int)(at - of->cause), of->cause, own, at + strlen(other));
    problems_add(&c->problems, document, own, 0, of->status, at ? told.message : of->cause);
}

/* Documents that failed or are damaged are entered once, so the first `known` problems are sorted by them. */
static void share_problem(struct catalogue *c, size_t known, uint32_t from, uint32_t to) {
    struct problem asked = {.document = from};
    const struct problem *found =
        known ? bsearch(&asked, c->problems.list, known, sizeof asked, by_document) : NULL;
    if (found) tell_of(c, to, found);
}

/* What goes with a file, and no number tells of: documents inside it, what could not be read of it, and of a
 * mail from whom it is and what about. */
static bool is_more_than_text(const struct catalogue *c, const struct document *document) {
    const bool holds = document->holds && !document->id && c->sources[document->source].filled;
    return holds || document->damaged || document->format == TEXT_MAIL;
}

/* Of files with the same bytes one was looked into: what it holds, all of them do. */
static void settle_filled(struct catalogue *c) {
    for (size_t i = 0; i < c->document_count; i++) {
        if (is_more_than_text(c, &c->documents[i]))
            c->documents[catalogue_first_same(c, (uint32_t)i)].filled = true;
    }
    for (size_t i = 0; i < c->document_count; i++)
        c->documents[i].filled = c->documents[catalogue_first_same(c, (uint32_t)i)].filled;
}

void catalogue_settle(struct catalogue *c) {
    const size_t known = c->problems.held;
    if (known) qsort(c->problems.list, known, sizeof *c->problems.list, by_document);
    for (size_t i = 0; i < c->document_count; i++) {
        struct document *document = &c->documents[i];
        if (document->same_as == NO_DOCUMENT) continue;
        const struct document *first = &c->documents[document->same_as];
        document->class = first->class;
        document->state = first->state;
        document->damaged = first->damaged;
        if (first->state == DOCUMENT_FAILED || first->damaged)
            share_problem(c, known, document->same_as, (uint32_t)i);
    }
    settle_filled(c);
}

uint32_t catalogue_first_same(const struct catalogue *c, uint32_t document) {
    uint32_t first = c->documents[document].same_as;
    return first == NO_DOCUMENT ? document : first;
}

/* ---- asking ---- */

const char *catalogue_id(const struct catalogue *c, uint32_t document) {
    const struct document *entry = &c->documents[document];
    return entry->id ? entry->id : c->sources[entry->source].name;
}

bool catalogue_is_contained(const struct catalogue *c, const struct document *document) {
    return document->id && c->sources[document->source].kind == SOURCE_FILE;
}

uint64_t catalogue_resident(const struct catalogue *c) {
    return c->source_count * sizeof *c->sources + c->document_count * sizeof *c->documents +
           c->class_count * (sizeof *c->classes + c->key_bytes) +
           (c->by_bytes.capacity + c->by_text.capacity) * sizeof *c->by_bytes.slots + c->names.bytes;
}
