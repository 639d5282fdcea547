#include "output.h"

#include <ctype.h>
#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- exit codes ---- */

enum exit_code exit_code_of(stemma_status status) {
    switch (status) {
    case STEMMA_OK:
        return EXIT_DONE;
    case STEMMA_INVALID:
    case STEMMA_UNSUPPORTED:
    case STEMMA_UNREADABLE:
    case STEMMA_CORRUPT:
    case STEMMA_LATER_VERSION:
    case STEMMA_NOT_A_SKETCH:
    case STEMMA_MISMATCH:
    case STEMMA_NOT_FOUND:
        return EXIT_WRONG;
    case STEMMA_NO_MEMORY:
    case STEMMA_IO:
    case STEMMA_NO_SPACE:
        return EXIT_MACHINE;
    case STEMMA_INTERRUPTED:
        return EXIT_INTERRUPTED;
    }
    return EXIT_MACHINE;
}

enum exit_code graver(enum exit_code a, enum exit_code b) {
    return a > b ? a : b;
}

/* ---- messages ---- */

bool output_unread(void) {
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) > 0 && out.revents & POLLERR;
}

static int output_cause; /* errno of the first write that failed */

bool output_lost(void) {
    const int now = errno;
    if (ferror(stdout) && !output_cause) output_cause = output_unread() ? EPIPE : now;
    return output_cause != 0;
}

bool output_on_terminal(void) {
    return !output_lost() && isatty(STDOUT_FILENO);
}

bool flush_output(void) {
    if (!output_lost() && fflush(stdout)) output_cause = errno;
    return !output_lost();
}

/* What was printed before comes first, also where both streams go to one place. */
static void say(const char *format, va_list arguments) {
    char message[2048];
    vsnprintf(message, sizeof message, format, arguments);
    flush_output();
    char *safe = safe_text(message, strlen(message));
    fprintf(stderr, "stemma: %s\n", safe);
    free(safe);
}

void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

enum exit_code wrong_use(const char *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try 'stemma%s%s --help'.\n", command ? " " : "", command ? command : "");
    return EXIT_WRONG;
}

stemma_status set_error(stemma_error *error, stemma_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    error->status = status;
    return status;
}

static const char *collection;

void complain_of_collection(const char *path) {
    collection = path;
}

/* Whether a repair may help: of damage to the collection that is in use, or to files of it that are missing.
 * What names nothing is of a document in it. */
static bool can_be_repaired(const stemma_error *error) {
    const char *name = strchr(error->message, '\'');
    const size_t size = collection ? strlen(collection) : 0;
    if (!collection || (error->status != STEMMA_CORRUPT && error->status != STEMMA_NOT_FOUND)) return false;
    if (!name) return error->status == STEMMA_CORRUPT;
    return !strncmp(name + 1, collection, size) && name[1 + size] == '/';
}

enum exit_code complain_of(const stemma_error *error) {
    if (error->status != STEMMA_INTERRUPTED)
        complain("%s", error->message[0] ? error->message : stemma_status_text(error->status));
    if (can_be_repaired(error)) complain("'stemma verify --repair %s' mends what can be mended", collection);
    return exit_code_of(error->status);
}

enum exit_code complain_unless_lost(const stemma_error *error) {
    return output_lost() ? EXIT_DONE : complain_of(error);
}

void complain_no_text(const char *name, const char *what) {
    complain("'%s' holds no text to %s; --preset=raw --unit=byte takes its bytes", name, what);
}

const char *extracted_of(bool a, bool b) {
    if (a) return b ? "a and b" : "a";
    return b ? "b" : NULL;
}

const char *cause_text(int number) {
    static _Thread_local char text[128];
    snprintf(text, sizeof text, "%s", strerror(number));
    text[0] = (char)tolower((unsigned char)text[0]);
    return text;
}

enum exit_code finish_output(void) {
    if (flush_output() || output_cause == EPIPE) return EXIT_DONE; /* who stops reading has enough */
    if (output_cause != EINTR) complain("cannot write to standard output: %s", cause_text(output_cause));
    return EXIT_MACHINE;
}

/* ---- memory ---- */

void *need(void *memory) {
    if (!memory) {
        fputs("stemma: out of memory\n", stderr);
        _exit(EXIT_MACHINE);
    }
    return memory;
}

void *need_memory(size_t size) {
    return need(calloc(1, size ? size : 1));
}

void *need_more(void *old, size_t size) {
    return need(realloc(old, size ? size : 1));
}

char *need_copy(const char *text) {
    return need(strdup(text));
}

/* ---- names ---- */

size_t utf8_length(const unsigned char *text, size_t size) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (size == 0) return 0;
    if (text[0] < 0x80) return 1;
    size_t length = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    if (text[0] < 0xC2 || text[0] > 0xF4 || size < length) return 0;
    uint32_t code = text[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3F);
    }
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < least[length] || code > 0x10FFFF || surrogate ? 0 : length;
}

/* Control characters (C0, DEL, C1), line separators and bidirectional marks: what could forge a terminal's
 * lines. */
static bool is_unsafe(const unsigned char *at, size_t length) {
    if (length == 1) return at[0] < 0x20 || at[0] == 0x7F;
    if (length == 2) return (at[0] == 0xC2 && at[1] < 0xA0) || (at[0] == 0xD8 && at[1] == 0x9C);
    if (length == 3 && at[0] == 0xE2 && at[1] == 0x80)
        return at[2] == 0x8E || at[2] == 0x8F || (at[2] >= 0xA8 && at[2] <= 0xAE);
    return length == 3 && at[0] == 0xE2 && at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9;
}

char *safe_text(const char *text, size_t size) {
    const unsigned char *at = (const unsigned char *)text, *end = at + size;
    char *safe = need_memory(4 * size + 1), *to = safe;
    while (at < end) {
        size_t length = utf8_length(at, (size_t)(end - at));
        size_t taken = length ? length : 1;
        if (length && !is_unsafe(at, length)) {
            memcpy(to, at, taken);
            to += taken;
        } else {
            for (size_t i = 0; i < taken; i++) to += sprintf(to, "\\x%02x", at[i]);
        }
        at += taken;
    }
    *to = '\0';
    return safe;
}

/* Without what a cut has left of the last character. */
static size_t whole_characters(const unsigned char *text, size_t size) {
    size_t behind = 0;
    while (behind < 3 && behind < size && (text[size - 1 - behind] & 0xC0) == 0x80) behind++;
    if (behind == size || text[size - 1 - behind] < 0xC0) return size;
    return utf8_length(text + size - 1 - behind, behind + 1) ? size : size - 1 - behind;
}

char *excerpt_of(const char *text, size_t size, size_t most, bool more) {
    char *line = need_memory(most + sizeof "...");
    size_t used = 0, at = 0;
    for (; at < size && used < most; at++) {
        bool blank = text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n';
        if (!blank) line[used++] = text[at];
        if (blank && used && line[used - 1] != ' ') line[used++] = ' ';
    }
    if (more || at < size) {
        used = whole_characters((const unsigned char *)line, used);
        for (int i = 0; i < 3; i++) line[used++] = '.';
    }
    char *safe = safe_text(line, used);
    free(line);
    return safe;
}

void print_name(FILE *out, const char *name) {
    char *safe = safe_text(name, strlen(name));
    fputs(safe, out);
    free(safe);
}

/* ---- the terminal ---- */

bool locale_is_utf8(void) {
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

palette palette_choose(void) {
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if ((none && *none) || !isatty(STDOUT_FILENO) || !terminal || !strcmp(terminal, "dumb"))
        return (palette){"", "", "", "", "", ""};
    return (palette){"\033[1m", "\033[1;32m", "\033[31m", "\033[36m", "\033[2m", "\033[0m"};
}

/* ---- numbers ---- */

/* Cut, not rounded, as percentages are: what is below a threshold never looks as if it were not. .29 is a
 * little less than 29 hundredths. */
static double cut(double value) {
    return trunc(value + (value < 0 ? -1e-9 : 1e-9));
}

const char *format_fraction(double value, char *buffer, size_t size) {
    if (value == 0 || value == 1) {
        snprintf(buffer, size, "%d", (int)value);
        return buffer;
    }
    double unit = 1000;
    for (int places = 3; places <= 9; places++, unit *= 10) {
        snprintf(buffer, size, "%.*f", places, cut(value * unit) / unit);
        double shown = strtod(buffer, NULL);
        if (shown != 0 && shown != 1) break;
    }
    /* The 0 before the point goes, also behind a sign. */
    if (buffer[0] != '-') return buffer[0] == '0' ? buffer + 1 : buffer;
    if (buffer[1] == '0') buffer[1] = '-';
    return buffer + (buffer[1] == '-');
}

const char *format_quantity(const stemma_quantity *q, char *buffer, size_t size) {
    char number[32];
    snprintf(buffer, size, "%s%s", q->known && !q->exact ? "~" : "",
             q->known ? format_fraction(q->value, number, sizeof number) : "?");
    return buffer;
}

const char *format_threshold(double value, char *buffer, size_t size) {
    snprintf(buffer, size, "%.6g", value);
    return buffer[0] == '0' && buffer[1] ? buffer + 1 : buffer;
}

const char *format_count(uint64_t value, char *buffer, size_t size) {
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0) buffer[used++] = ',';
        buffer[used++] = digits[i];
    }
    buffer[used] = '\0';
    return buffer;
}

const char *format_bytes(uint64_t bytes, char *buffer, size_t size) {
    static const char *const units[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes / 1000;
    size_t unit = 0;
    if (bytes < 1000) {
        snprintf(buffer, size, "%u B", (unsigned)bytes);
        return buffer;
    }
    for (; value >= 999.95; value /= 1000) unit++;
    snprintf(buffer, size, "%.1f %s", value, units[unit]);
    return buffer;
}

const char *format_percent(double share, char *buffer, size_t size) {
    int whole = (int)cut(share * 100);
    if (whole == 100 && share < 1) whole = 99;
    if (whole == 0 && share > 0)
        snprintf(buffer, size, "<1 %%");
    else
        snprintf(buffer, size, "%d %%", whole);
    return buffer;
}
