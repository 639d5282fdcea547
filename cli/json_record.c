#include "json_record.h"

#include "output.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

/* "a.b" is the field b of the object a, unless there is a field named so. */
static json_object *field_of(json_object *object, const char *path) {
    json_object *found = NULL;
    const char *dot = strchr(path, '.');
    if (!json_object_is_type(object, json_type_object)) return NULL;
    if (json_object_object_get_ex(object, path, &found) || !dot) return found;
    char *name = need_copy(path);
    name[dot - path] = '\0';
    json_object_object_get_ex(object, name, &found);
    free(name);
    return field_of(found, dot + 1);
}

/* What stands beside the text may be nested so deep; the library frees it by recursion. */
enum { DEPTH = 1000 };

/* A line is one record: a second one behind it would be lost without a word. */
static json_object *parse(const char *line, size_t size) {
    json_tokener *parser = need(json_tokener_new_ex(DEPTH));
    json_tokener_set_flags(parser, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json_object *object = size < INT32_MAX ? json_tokener_parse_ex(parser, line, (int)size) : NULL;
    json_tokener_free(parser);
    return object;
}

/* An id with a NUL in it would be taken for what is before that: it is none, as in data sets. */
static const char *id_of(json_object *id) {
    if (!json_object_is_type(id, json_type_string) && !json_object_is_type(id, json_type_int)) return NULL;
    const char *text = json_object_get_string(id);
    const bool whole =
        !json_object_is_type(id, json_type_string) || strlen(text) == (size_t)json_object_get_string_len(id);
    return whole && *text ? text : NULL;
}

const char *json_record_read(json_record *record, const char *line, size_t size, const char *text_field,
                             const char *id_field) {
    json_object *object = parse(line, size);
    json_object *text = field_of(object, text_field ? text_field : "text");
    if (!json_object_is_type(text, json_type_string)) {
        json_object_put(object);
        return object ? "the record has no text" : "it is broken JSON";
    }
    *record = (json_record){.object = object,
                            .text = json_object_get_string(text),
                            .text_size = (size_t)json_object_get_string_len(text),
                            .id = id_of(field_of(object, id_field ? id_field : "id"))};
    return NULL;
}

void json_record_release(json_record *record) {
    json_object_put(record->object);
}
