#include "stored.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output.h"

/* Pipes and devices are documents: looking into them would eat their beginning. */
static bool is_regular(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool wanted(const stemma_sketch *sketch, const char *member) {
    return !member || !strcmp(stemma_sketch_info(sketch).name, member);
}

/* Reads on to the end, so that a second sketch of the same description is noticed. */
static stemma_status take_only(stemma_reader *reader, const char *member, stemma_sketch **out,
                               size_t *matches, stemma_error *error) {
    stemma_sketch *sketch;
    stemma_status status;
    while (!(status = stemma_reader_next(reader, &sketch, error))) {
        if (wanted(sketch, member) && (*matches)++ == 0)
            *out = sketch;
        else
            stemma_sketch_free(sketch);
    }
    return status == STEMMA_NOT_FOUND ? STEMMA_OK : status;
}

static stemma_status refuse_count(const char *path, const char *member, size_t matches, stemma_error *error) {
    if (matches == 0 && member)
        return set_error(error, STEMMA_NOT_FOUND, "cannot use '%s': it holds no sketch of '%s'", path,
                         member);
    if (matches == 0) return set_error(error, STEMMA_NOT_FOUND, "cannot use '%s': it holds no sketch", path);
    if (member)
        return set_error(error, STEMMA_INVALID, "cannot use '%s': it holds %zu sketches of '%s'", path,
                         matches, member);
    return set_error(error, STEMMA_INVALID,
                     "cannot use '%s': it holds %zu sketches; name one as '%s#DOCUMENT'", path, matches,
                     path);
}

static stemma_status load(const char *path, const char *member, stemma_sketch **out, stemma_error *error) {
    stemma_reader *reader;
    stemma_sketch *sketch = NULL;
    size_t matches = 0;
    stemma_status status = stemma_reader_open(path, &reader, error);
    if (status) return status;
    status = take_only(reader, member, &sketch, &matches, error);
    stemma_reader_free(reader);
    if (!status && matches != 1) status = refuse_count(path, member, matches, error);
    if (status)
        stemma_sketch_free(sketch);
    else
        *out = sketch;
    return status;
}

static stemma_status open_if_bundle(const char *path, const char *member, stemma_sketch **out,
                                    stemma_error *error) {
    bool is_bundle = false;
    if (!is_regular(path)) return STEMMA_OK;
    stemma_status status = stemma_is_bundle(path, &is_bundle, error);
    return status || !is_bundle ? status : load(path, member, out, error);
}

stemma_status stored_open(const char *name, stemma_sketch **out, stemma_error *error) {
    *out = NULL;
    stemma_status status = open_if_bundle(name, NULL, out, error);
    if (status || *out || is_regular(name)) return status;
    /* Not a file as it stands: perhaps FILE#NAME, where either may hold further '#'. */
    char *path = need_copy(name);
    for (char *mark = strchr(path, '#'); mark && !*out && !status; mark = strchr(mark + 1, '#')) {
        *mark = '\0';
        status = open_if_bundle(path, mark + 1, out, error);
        *mark = '#';
    }
    free(path);
    return status;
}
