#include "api/limits.h"

#include "read/charset.h"
#include "read/document.h"

#include <string.h>

#define DEFAULT_MEMORY ((size_t)1 << 30)
#define LEAST_MEMORY   ((size_t)1 << 18) /* with less, every few thousand fingerprints would go to disk */

stemma_limits stemma_limits_default(void) {
    return (stemma_limits){.size = sizeof(stemma_limits),
                           .memory = DEFAULT_MEMORY,
                           .converter_seconds = CONVERTER_SECONDS,
                           .converter_memory = CONVERTER_MEMORY};
}

stemma_thresholds stemma_thresholds_default(void) {
    return (stemma_thresholds){
        .size = sizeof(stemma_thresholds), .resemblance = .7, .containment = .9, .chance = .05};
}

stemma_status options_take(const void *given, void *options, size_t size, stemma_error *err) {
    size_t known;
    if (!given) return STEMMA_OK;
    memcpy(&known, given, sizeof known);
    if (known < sizeof known)
        return fail(err, STEMMA_INVALID,
                    "the size of a struct of options is not set: start from its default");
    memcpy(options, given, known < size ? known : size);
    memcpy(options, &size, sizeof size);
    return STEMMA_OK;
}

stemma_status stemma_encoding_named(const char *name, stemma_encoding *out, stemma_error *err) {
    enum encoding found;
    if (!name || !out) return fail(err, STEMMA_INVALID, "a name is needed, and where its number goes");
    if (!encoding_named(name, &found)) return fail(err, STEMMA_NOT_FOUND, "there is no encoding '%s'", name);
    *out = (stemma_encoding)found;
    return STEMMA_OK;
}

const char *stemma_encoding_name(stemma_encoding encoding) {
    return encoding_name((enum encoding)encoding);
}

/* That it can be read here is known before any document is. */
static stemma_status check_encoding(enum encoding encoding, stemma_error *err) {
    const char *name = encoding_name(encoding);
    struct buf nothing = {0};
    if (!name) return fail(err, STEMMA_INVALID, "there is no such encoding");
    if (encoding < ENCODING_LEGACY) return STEMMA_OK;
    const enum charset_result result = charset_decode(encoding, NULL, 0, &nothing, NULL);
    buf_release(&nothing);
    if (result == CHARSET_UNKNOWN)
        return fail(err, STEMMA_UNSUPPORTED, "the C library of this system cannot convert %s", name);
    return result == CHARSET_DONE ? STEMMA_OK : fail_memory(err);
}

stemma_status limits_check(const stemma_limits *given, stemma_limits *out, stemma_error *err) {
    stemma_limits limits = stemma_limits_default();
    TRY(options_take(given, &limits, sizeof limits, err));
    if (limits.memory == 0) limits.memory = DEFAULT_MEMORY;
    if (limits.memory < LEAST_MEMORY) limits.memory = LEAST_MEMORY;
    if (limits.converter_seconds == 0) limits.converter_seconds = CONVERTER_SECONDS;
    if (limits.converter_memory == 0) limits.converter_memory = CONVERTER_MEMORY;
    TRY(check_encoding((enum encoding)limits.encoding, err));
    *out = limits;
    return STEMMA_OK;
}

void limits_warn(const stemma_limits *limits, const char *name, const char *damage) {
    stemma_error what;
    if (!damage || !limits->warn) return;
    document_tell_damage(name, damage, &what);
    limits->warn(limits->warn_context, name ? name : "", what.message);
}

struct dataset_options limits_dataset(const stemma_limits *limits, size_t record_most) {
    return (struct dataset_options){.text_field = limits->text_field,
                                    .id_field = limits->id_field,
                                    .record_most = record_most,
                                    .window_most = limits->memory / WINDOW_PART,
                                    .directory = limits->temporary_directory,
                                    .stop = limits->stop};
}

static bool is_share(double x) {
    return x >= 0 && x <= 1; /* and so no NaN */
}

stemma_status thresholds_check(const stemma_thresholds *given, stemma_thresholds *out, stemma_error *err) {
    stemma_thresholds lines = stemma_thresholds_default();
    TRY(options_take(given, &lines, sizeof lines, err));
    if (!is_share(lines.resemblance) || !is_share(lines.containment) || !is_share(lines.chance))
        return fail(err, STEMMA_INVALID, "a threshold is not between 0 and 1");
    *out = lines;
    return STEMMA_OK;
}
