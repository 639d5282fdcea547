#include "read/sheet_dates.h"

#include "read/xml.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* ---- the pieces of a format ---- */

/* What comes next in a code: letters that stand for a part of the date, or characters that are shown. */
struct piece {
    char letter; /* y, m, d, h or s; 'A' for AM/PM; '.' for parts of a second; 0 for what is shown as it is */
    bool elapsed;     /* [h]: all hours since the beginning of days */
    const char *text; /* what it is */
    size_t size;
};

static bool is_part(char byte) {
    return byte && strchr("ymdhsYMDHS", byte);
}

static size_t run_of(const char *at) {
    size_t size = 1;
    while (tolower((unsigned char)at[size]) == tolower((unsigned char)*at)) size++;
    return size;
}

/* "[h]" is a part, "[Red]" and "[$-409]" are not shown. */
static const char *take_bracket(const char *at, struct piece *piece) {
    const char *end = strchr(at, ']');
    size_t size = end ? (size_t)(end - at - 1) : 0;
    if (size && is_part(at[1]) && run_of(at + 1) == size)
        *piece = (struct piece){(char)tolower((unsigned char)at[1]), true, at + 1, size};
    return end ? end + 1 : at + strlen(at);
}

static const char *take_quoted(const char *at, struct piece *piece) {
    const char *end = strchr(at + 1, '"');
    size_t size = end ? (size_t)(end - at - 1) : strlen(at + 1);
    *piece = (struct piece){.text = at + 1, .size = size};
    return at + 1 + size + (end != NULL);
}

static const char *take_letters(const char *at, struct piece *piece) {
    if (!strncasecmp(at, "AM/PM", 5) || !strncasecmp(at, "A/P", 3)) {
        *piece = (struct piece){'A', false, at, tolower((unsigned char)at[1]) == 'm' ? 5 : 3};
        return at + piece->size;
    }
    if (*at == '.' && at[1] == '0') {
        *piece = (struct piece){'.', false, at, 1 + run_of(at + 1)};
        return at + piece->size;
    }
    bool part = is_part(*at);
    *piece =
        (struct piece){part ? (char)tolower((unsigned char)*at) : '\0', false, at, part ? run_of(at) : 1};
    return at + piece->size;
}

/* The next piece of a code, which ends with its first section; where the next begins, NULL at the end. */
static const char *next_piece(const char *at, struct piece *piece) {
    *piece = (struct piece){.text = at};
    if (!*at || *at == ';') return NULL;
    if (*at == '[') return take_bracket(at, piece);
    if (*at == '"') return take_quoted(at, piece);
    if (*at == '_' || *at == '*') return at + 1 + (at[1] != '\0'); /* room for the next, or filled with it */
    if (*at == '\\') {
        *piece = (struct piece){.text = at + 1, .size = at[1] != '\0'};
        return at + 1 + piece->size;
    }
    return take_letters(at, piece);
}

static bool has_part(const char *code, const char *letters) {
    struct piece piece;
    while ((code = next_piece(code, &piece)))
        if (piece.letter && strchr(letters, piece.letter)) return true;
    return false;
}

/* ---- a date ---- */

struct moment {
    struct tm day;
    long long thousandths; /* of a second, since the beginning of days */
    bool halves;           /* the hours are those of half a day */
};

/* Digits, and a fraction of them; numbers with an exponent are no days that anybody has. */
static bool parse_days(const char *number, long long *days, double *part) {
    double place = .1;
    *days = 0;
    *part = 0;
    if (!isdigit((unsigned char)*number)) return false;
    for (; isdigit((unsigned char)*number); number++)
        if ((*days = *days * 10 + (*number - '0')) > 2958465) return false; /* the end of 9999 */
    if (*number == '.')
        for (number++; isdigit((unsigned char)*number); number++, place /= 10)
            *part += (*number - '0') * place;
    return !*number;
}

/* 1900 has a 29th of February there, so that days before it count from one day later. */
static bool find_moment(const char *code, bool from_1904, const char *number, struct moment *m) {
    enum { TO_1970 = 25569, FROM_1904 = 1462, LEAP = 60 };
    const long long unit = has_part(code, ".") ? 1 : 1000, day = 86400000;
    long long days;
    double part;
    if (!parse_days(number, &days, &part)) return false;
    m->thousandths = days * day + (long long)(part * (double)(day / unit) + .5) * unit;
    days = m->thousandths / day;
    days += from_1904 ? FROM_1904 : days < LEAP;
    time_t seconds = (time_t)((days - TO_1970) * 86400 + m->thousandths % day / 1000);
    m->halves = has_part(code, "A");
    return gmtime_r(&seconds, &m->day) != NULL;
}

/* ---- how it is shown ---- */

/* Letters that stand for minutes are those of months. */
static bool is_minutes(const struct piece *piece, char before, const char *rest) {
    struct piece next = {0};
    while (rest && (rest = next_piece(rest, &next)) && !next.letter) continue;
    return piece->letter == 'm' && (piece->elapsed || before == 'h' || next.letter == 's');
}

static int show_number(long long value, size_t digits, char *out, size_t room) {
    return snprintf(out, room, "%0*lld", digits > 1 ? 2 : 1, value);
}

static int show_elapsed(const struct moment *m, const struct piece *piece, char *out, size_t room) {
    const long long unit = piece->letter == 'h' ? 3600000 : piece->letter == 'm' ? 60000 : 1000;
    return show_number(m->thousandths / unit, piece->size, out, room);
}

static int show_name(const char *name, size_t letters, char *out, size_t room) {
    return snprintf(out, room, "%.*s", letters == 3 ? 3 : letters == 5 ? 1 : 9, name);
}

static int show_day(const struct tm *day, const struct piece *piece, char *out, size_t room) {
    static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    if (piece->letter == 'y')
        return snprintf(out, room, "%0*d", piece->size > 2 ? 4 : 2,
                        (day->tm_year + 1900) % (piece->size > 2 ? 10000 : 100));
    if (piece->size > 2)
        return show_name(piece->letter == 'd' ? days[day->tm_wday] : months[day->tm_mon],
                         piece->letter == 'd' && piece->size > 4 ? 4 : piece->size, out, room);
    return show_number(piece->letter == 'd' ? day->tm_mday : day->tm_mon + 1, piece->size, out, room);
}

static int show_fraction(long long thousandths, size_t digits, char *out, size_t room) {
    for (size_t i = 3; i > digits; i--) thousandths /= 10;
    return snprintf(out, room, ".%0*lld", digits < 3 ? (int)digits : 3, thousandths);
}

static int show_time(const struct moment *m, const struct piece *piece, char *out, size_t room) {
    const int hour = m->day.tm_hour;
    if (piece->letter == 'A') return snprintf(out, room, "%s", hour < 12 ? "AM" : "PM");
    if (piece->letter == '.') return show_fraction(m->thousandths % 1000, piece->size - 1, out, room);
    if (piece->letter == 's') return show_number(m->day.tm_sec, piece->size, out, room);
    if (piece->letter == 'm') return show_number(m->day.tm_min, piece->size, out, room);
    return show_number(m->halves ? (hour + 11) % 12 + 1 : hour, piece->size, out, room);
}

static int show(const struct moment *m, const struct piece *piece, bool minutes, char *out, size_t room) {
    if (!piece->letter) return snprintf(out, room, "%.*s", (int)piece->size, piece->text);
    if (piece->elapsed) return show_elapsed(m, piece, out, room);
    if (minutes || strchr("hsA.", piece->letter)) return show_time(m, piece, out, room);
    return show_day(&m->day, piece, out, room);
}

bool date_text(const char *code, bool from_1904, const char *number, char out[DATE_MOST]) {
    struct moment moment;
    struct piece piece;
    size_t size = 0;
    char before = 0;
    if (!find_moment(code, from_1904, number, &moment)) return false;
    out[0] = '\0';
    while ((code = next_piece(code, &piece))) {
        int shown = show(&moment, &piece, is_minutes(&piece, before, code), out + size, DATE_MOST - size);
        if (shown < 0 || (size_t)shown >= DATE_MOST - size) return false;
        size += (size_t)shown;
        if (piece.letter) before = piece.letter;
    }
    return true;
}

/* ---- styles ---- */

/* Formats that are known by their number alone; the first is that of the user's country. */
static const char *code_of(uint64_t number) {
    static const char *const days[] = {"m/d/yyyy",      "d-mmm-yy", "d-mmm",   "mmm-yy",       "h:mm AM/PM",
                                       "h:mm:ss AM/PM", "h:mm",     "h:mm:ss", "m/d/yyyy h:mm"};
    static const char *const times[] = {"mm:ss", "[h]:mm:ss", "mm:ss.0"};
    if (number >= 14 && number <= 22) return days[number - 14];
    return number >= 45 && number <= 47 ? times[number - 45] : NULL;
}

void date_styles_release(struct date_styles *styles) {
    buf_release(&styles->codes);
    vec64_release(&styles->formats);
    vec64_release(&styles->cells);
}

struct style_walk {
    struct date_styles *styles;
    bool in_cells, no_memory;
};

static uint32_t number_in(const char **attributes, const char *name) {
    const char *text = xml_attribute(attributes, name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

enum { CODE_MOST = 255 }; /* bytes, as programs have it: a code is gone through for each cell */

/* Those that show no date are noted without a code: they may stand for a number that is known. */
static bool add_format(struct date_styles *s, const char **attributes) {
    const char *code = xml_attribute(attributes, "formatCode");
    uint64_t entry = (uint64_t)number_in(attributes, "numFmtId") << 32 | UINT32_MAX;
    if (!code) return true;
    if (strlen(code) > CODE_MOST || !has_part(code, "ymdhs") || s->codes.len > UINT32_MAX / 2)
        return vec64_add(&s->formats, entry);
    return vec64_add(&s->formats, (entry ^ UINT32_MAX) | s->codes.len) &&
           buf_add(&s->codes, code, strlen(code) + 1);
}

static bool begin_style(void *context, const char *name, const char **attributes) {
    struct style_walk *w = context;
    if (!strcmp(name, "numFmt"))
        w->no_memory |= !add_format(w->styles, attributes);
    else if (!strcmp(name, "cellXfs"))
        w->in_cells = true;
    else if (!strcmp(name, "xf") && w->in_cells)
        w->no_memory |= !vec64_add(&w->styles->cells, number_in(attributes, "numFmtId"));
    return !w->no_memory;
}

static bool end_style(void *context, const char *name) {
    if (!strcmp(name, "cellXfs")) ((struct style_walk *)context)->in_cells = false;
    return true;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

stemma_status date_styles_read(struct date_styles *styles, const uint8_t *bytes, size_t size,
                               const volatile int *stop, stemma_error *err) {
    static const struct xml_events events = {.begin = begin_style, .end = end_style};
    struct style_walk walk = {.styles = styles};
    TRY(xml_parse(bytes, size, NULL, &events, &walk, stop, err));
    if (walk.no_memory) return fail_memory(err);
    if (styles->formats.len)
        qsort(styles->formats.data, styles->formats.len, sizeof *styles->formats.data, by_number);
    return STEMMA_OK;
}

const char *date_styles_code(const struct date_styles *styles, size_t cell_style) {
    if (cell_style >= styles->cells.len) return NULL;
    const uint64_t number = styles->cells.data[cell_style];
    size_t low = 0, high = styles->formats.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (styles->formats.data[middle] >> 32 < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == styles->formats.len || styles->formats.data[low] >> 32 != number) return code_of(number);
    const uint32_t place = (uint32_t)styles->formats.data[low];
    return place == UINT32_MAX ? NULL : (const char *)styles->codes.data + place;
}
