/*
 * Patterns against paths: any bytes are survived, the verdict is that of a slow twin, and a list says what
 * its last matching line says.
 *
 * Input: the pattern, a NUL, the path.
 */
#include "fuzz.h"

#include "read/glob.h"

#include <stdint.h>

enum { MOST = 100 };

struct text {
    const char *bytes;
    size_t size;
};

/* Whether pattern[p..] matches path[s..], remembered: 0 not yet known, 1 no, 2 yes. */
static uint8_t known[MOST + 2][MOST + 2];

static bool is_deep(struct text pattern, size_t p) {
    bool begins = p == 0 || pattern.bytes[p - 1] == '/';
    bool ends = p + 2 == pattern.size || (p + 2 < pattern.size && pattern.bytes[p + 2] == '/');
    return begins && ends && p + 2 <= pattern.size && !memcmp(pattern.bytes + p, "**", 2);
}

static bool twin(struct text pattern, size_t p, struct text path, size_t s);

/* At a star of folders: nothing, or one folder more. */
static bool twin_deep(struct text pattern, size_t p, struct text path, size_t s) {
    if (p + 2 == pattern.size) return true;
    if (twin(pattern, p + 3, path, s)) return true;
    const char *slash = memchr(path.bytes + s, '/', path.size - s);
    return slash && twin_deep(pattern, p, path, (size_t)(slash - path.bytes) + 1);
}

static bool twin_step(struct text pattern, size_t p, struct text path, size_t s) {
    if (p == pattern.size) return s == path.size;
    if (is_deep(pattern, p)) return twin_deep(pattern, p, path, s);
    if (pattern.bytes[p] == '*') {
        if (twin(pattern, p + 1, path, s)) return true;
        return s < path.size && path.bytes[s] != '/' && twin(pattern, p, path, s + 1);
    }
    if (s == path.size) return false;
    bool same = pattern.bytes[p] == '?' ? path.bytes[s] != '/' : pattern.bytes[p] == path.bytes[s];
    return same && twin(pattern, p + 1, path, s + 1);
}

static bool twin(struct text pattern, size_t p, struct text path, size_t s) {
    if (!known[p][s]) known[p][s] = 1 + twin_step(pattern, p, path, s);
    return known[p][s] == 2;
}

/* Brackets and backslashes are left to the table in tests/test_tree.c. */
static void check_twin(const struct glob *glob, const char *path, size_t size) {
    if (memchr(glob->text, '[', glob->size) || memchr(glob->text, '\\', glob->size)) return;
    const char *slash = memrchr(path, '/', size), *name = slash && !glob->anchored ? slash + 1 : path;
    struct text pattern = {glob->text, glob->size}, text = {name, size - (size_t)(name - path)};
    memset(known, 0, sizeof known);
    struct glob any = *glob;
    any.folder = false;
    REQUIRE(glob_matches(&any, path, size, false) == twin(pattern, 0, text, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    if (!end) return 0;
    const char *pattern = (const char *)data, *path = (const char *)end + 1;
    size_t pattern_size = (size_t)(end - data), path_size = size - pattern_size - 1;
    struct glob glob;
    struct glob_list globs = {0};
    REQUIRE(glob_list_add_lines(&globs, pattern, pattern_size));
    enum glob_verdict verdict = glob_list_judge(&globs, path, path_size, true), expected = GLOB_SILENT;
    for (size_t i = 0; i < globs.count; i++)
        if (glob_matches(&globs.list[i], path, path_size, true))
            expected = globs.list[i].negated ? GLOB_NEGATED : GLOB_MATCHED;
    REQUIRE(verdict == expected);
    glob_list_release(&globs);
    bool plain = path_size > 0 && path_size <= MOST && pattern_size <= MOST && !memchr(path, 0, path_size);
    if (plain && glob_parse(pattern, pattern_size, &glob)) check_twin(&glob, path, path_size);
    return 0;
}
