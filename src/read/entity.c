#include "read/entity.h"

#include "read/encoding.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAME_MOST = 31,
    OLD_LEAST = 2, /* the names that need no semicolon */
    OLD_MOST = 6
};

static const struct entity {
    const char *name;
    uint32_t cp;
    bool old; /* needs no semicolon */
} entities[] = {
#include "read/entity_table.inc"
};

struct name {
    const char *at;
    size_t size;
};

static int compare_name(const void *key, const void *element) {
    const struct name *name = key;
    const char *other = ((const struct entity *)element)->name;
    int order = strncmp(name->at, other, name->size);
    return order ? order : -(other[name->size] != '\0');
}

static const struct entity *find(const uint8_t *at, size_t size) {
    struct name name = {(const char *)at, size};
    return bsearch(&name, entities, sizeof entities / sizeof *entities, sizeof *entities, compare_name);
}

static bool is_alphanumeric(uint8_t byte) {
    return (uint8_t)((byte | 32) - 'a') < 26 || (uint8_t)(byte - '0') < 10;
}

static size_t decode_named(const uint8_t *at, size_t size, uint32_t *cp) {
    size_t length = 1;
    while (length < size && length <= NAME_MOST && is_alphanumeric(at[length])) length++;
    const struct entity *entity = length < size && at[length] == ';' ? find(at + 1, length - 1) : NULL;
    if (entity) {
        *cp = entity->cp;
        return length + 1;
    }
    if (length > OLD_MOST + 1) length = OLD_MOST + 1;
    for (; length > OLD_LEAST; length--) {
        entity = find(at + 1, length - 1);
        if (!entity || !entity->old) continue;
        *cp = entity->cp;
        return length;
    }
    return 0;
}

static int digit_value(uint8_t byte, uint32_t base) {
    int value = (uint8_t)(byte - '0') < 10         ? byte - '0'
                : (uint8_t)((byte | 32) - 'a') < 6 ? (byte | 32) - 'a' + 10
                                                   : 99;
    return value < (int)base ? value : -1;
}

/* Control characters are what pages made with Windows-1252 in mind say for its quotes and dashes. */
static uint32_t scalar(uint32_t value) {
    if (value - 0x80 < 32) return windows_1252_character((uint8_t)value);
    return value == 0 || value > 0x10FFFF || value - 0xD800 < 0x800 ? UTF8_REPLACEMENT : value;
}

static size_t decode_number(const uint8_t *at, size_t size, uint32_t *cp) {
    bool hex = size > 2 && (at[2] | 32) == 'x';
    size_t begin = hex ? 3 : 2, i = begin;
    uint32_t value = 0;
    for (int digit; i < size && (digit = digit_value(at[i], hex ? 16 : 10)) >= 0; i++)
        value = value > 0x10FFFF ? value : value * (hex ? 16 : 10) + (uint32_t)digit;
    if (i == begin) return 0;
    *cp = scalar(value);
    return i < size && at[i] == ';' ? i + 1 : i;
}

size_t entity_decode(const uint8_t *at, size_t size, uint32_t *cp) {
    if (size > 2 && at[1] == '#') return decode_number(at, size, cp);
    return decode_named(at, size, cp);
}
