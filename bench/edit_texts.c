/* Where the texts come from. */
#include "edit_texts.h"

#include "base/rng.h"
#include "english.h"

#include <stdio.h>
#include <stdlib.h>

static bool read_file(struct source *source) {
    FILE *file = fopen(source->file, "rb");
    if (!file) return false;
    source->size = fread(source->bytes, 1, source->size, file);
    fclose(file);
    return source->size > 0;
}

bool source_init(struct source *source, const char *file, size_t size) {
    *source = (struct source){.bytes = malloc(size), .size = size, .random = 1, .file = file};
    if (!source->bytes) return false;
    if (file) return read_file(source);
    english(source->bytes, size, 1);
    return true;
}

void source_release(struct source *source) {
    free(source->bytes);
}

const uint8_t *source_piece(struct source *source, size_t size) {
    if (size > source->size) return NULL;
    if (size > source->size - source->next) source->next = 0;
    const uint8_t *piece = source->bytes + source->next;
    source->next += size;
    return piece;
}

/* How many of the edits are due before the character at i: evenly spread would be edits * i / size. */
static bool due(size_t edits_left, size_t characters_left, uint64_t *random) {
    return rng_below(random, characters_left) < edits_left;
}

bool edited_copy(const uint8_t *text, size_t size, size_t edits, uint64_t *random, struct buf *out) {
    if (!buf_reserve(out, size + edits)) return false;
    for (size_t i = 0; i < size; i++) {
        bool edit = due(edits, size - i, random);
        uint64_t kind = edit ? rng_below(random, 3) : 3; /* replaced, added, dropped, kept */
        edits -= edit;
        if (kind < 2) buf_add_byte(out, (uint8_t)('a' + rng_below(random, 26)));
        if (kind == 1 || kind == 3) buf_add_byte(out, text[i]);
    }
    return true;
}
