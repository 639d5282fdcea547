/* An alignment as JSON: the keys that compare and diff share. */
#include "json.h"

#include "command.h"

static void json_place(json *j, const char *key, const stemma_place *place) {
    json_open(j, key, '{');
    json_count(j, "begin", place->begin);
    json_count(j, "end", place->end);
    json_count(j, "first_line", place->first_line);
    json_count(j, "last_line", place->last_line);
    json_close(j, '}');
}

static const char *offsets_word(bool extracted) {
    return extracted ? "extracted" : "original";
}

void json_offsets(json *j, bool extracted) {
    json_word(j, "offsets", offsets_word(extracted));
}

void json_offsets_of_pair(json *j, bool a_extracted, bool b_extracted) {
    json_open(j, "offsets", '{');
    json_word(j, "a", offsets_word(a_extracted));
    json_word(j, "b", offsets_word(b_extracted));
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
