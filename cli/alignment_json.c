/* An alignment as JSON: the keys that compare and diff share. */
#include "json.h"

#include "command.h"

void json_place(json *j, const char *key, const stemma_place *place) {
    json_open(j, key, '{');
    json_count(j, "begin", place->begin);
    json_count(j, "end", place->end);
    json_count(j, "first_line", place->first_line);
    json_count(j, "last_line", place->last_line);
    json_close(j, '}');
}

void json_stretch(json *j, const char *key, const stemma_stretch *stretch, bool bytes) {
    json_open(j, key, '{');
    json_count(j, "begin", bytes ? stretch->byte_begin : stretch->begin);
    json_count(j, "end", bytes ? stretch->byte_end : stretch->end);
    if (!bytes) json_count(j, "margin", stretch->margin);
    json_close(j, '}');
}

const char *json_word_of_places(enum places places) {
    static const char *const words[] = {"original", "extracted", "canonical"};
    return words[places];
}

void json_offsets(json *j, enum places places) {
    json_word(j, "offsets", json_word_of_places(places));
}

void json_offsets_of_pair(json *j, enum places a, enum places b) {
    json_open(j, "offsets", '{');
    json_word(j, "a", json_word_of_places(a));
    json_word(j, "b", json_word_of_places(b));
    json_close(j, '}');
}

void json_differences(json *j, const stemma_difference *differences, size_t count) {
    json_open(j, "differences", '[');
    for (size_t i = 0; i < count && !stop_requested && !output_lost(); i++) {
        json_open(j, NULL, '{');
        json_word(j, "kind", stemma_change_name(differences[i].kind));
        json_place(j, "a", &differences[i].a);
        json_place(j, "b", &differences[i].b);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void json_shared(json *j, const stemma_alignment *alignment) {
    size_t count;
    const stemma_passage *shared = stemma_alignment_shared(alignment, &count);
    json_open(j, "shared", '[');
    for (size_t i = 0; i < count && !stop_requested && !output_lost(); i++) {
        json_open(j, NULL, '{');
        json_count(j, "tokens", shared[i].tokens);
        json_bool(j, "moved", shared[i].moved);
        json_place(j, "a", &shared[i].a);
        json_place(j, "b", &shared[i].b);
        json_close(j, '}');
    }
    json_close(j, ']');
}
