/*
 * A scanner of groups, control words and characters.
 *
 * Characters are bytes in the code page of the document or of the font, \'hh in digits; they are collected as
 * long as the code page stays and converted together, since a character may have two. Or they are numbers,
 * \uN, followed by what stands for them where numbers are not known.
 */
#include "read/rtf.h"

#include "base/alloc.h"
#include "read/charset.h"
#include "read/damage.h"
#include "read/encoding.h"
#include "read/markup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 1000, FONTS_MOST = 4096, WORD_MOST = 32, STEP = 1 << 16 };

/* Where text goes. */
enum destination { BODY, NOTES, HEADERS, FONTS, INSTRUCTION, NOWHERE };

struct group {
    uint8_t destination;
    bool deleted;
    uint16_t page;     /* code page */
    uint16_t fallback; /* characters that stand for one \u */
};

struct scanner {
    const uint8_t *at, *end;
    struct group *groups; /* open ones; the last is the innermost */
    size_t depth, cap;
    struct text_writer writers[3]; /* of BODY, NOTES, HEADERS */
    struct buf pending;            /* bytes in `pending_page` */
    uint16_t pending_page;
    uint8_t pending_to;
    struct buf decoded;
    uint16_t default_page;
    uint16_t *fonts; /* their code pages; 0: the document's */
    size_t font;     /* that is being described */
    unsigned skip;   /* characters of a fallback that are left */
    uint32_t high;   /* surrogate that waits for its other half; 0: none */
    bool starred;    /* the group's first word may be unknown, and is then skipped */
    bool page_field; /* the field's value is a number of pages */
    bool too_deep, no_memory;
};

static struct group *top(struct scanner *s) {
    return &s->groups[s->depth - 1];
}

/* ---- characters ---- */

static struct text_writer *writer_of(struct scanner *s, unsigned destination) {
    return destination <= HEADERS ? &s->writers[destination] : NULL;
}

static bool is_ascii(const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i] >= 0x80) return false;
    return true;
}

static enum encoding encoding_of_page(uint16_t page) {
    char name[16];
    if (page == 65001) return ENCODING_UTF8;
    snprintf(name, sizeof name, "cp%u", page);
    const enum encoding named = charset_named(page == 10000 ? "macintosh" : name);
    return named ? named : ENCODING_LATIN1;
}

static bool decode_pending(struct scanner *s) {
    s->decoded.len = 0;
    return encoding_decode(encoding_of_page(s->pending_page), s->pending.data, s->pending.len, &s->decoded);
}

static void flush(struct scanner *s) {
    struct text_writer *writer = writer_of(s, s->pending_to);
    const struct buf *text = &s->pending;
    if (s->pending.len == 0) return;
    if (!is_ascii(s->pending.data, s->pending.len)) {
        s->no_memory |= !decode_pending(s);
        text = &s->decoded;
    }
    if (writer) write_words(writer, (const char *)text->data, text->len);
    s->pending.len = 0;
}

/* Whether the next character is a fallback, and so is not wanted. */
static bool is_fallback(struct scanner *s) {
    if (s->skip == 0) return false;
    s->skip--;
    return true;
}

static void take_byte(struct scanner *s, uint8_t byte) {
    struct group *g = top(s);
    if (is_fallback(s) || g->deleted || g->destination > HEADERS) return;
    s->high = 0;
    if (g->page != s->pending_page || g->destination != s->pending_to) flush(s);
    s->pending_page = g->page;
    s->pending_to = g->destination;
    s->no_memory |= !buf_add_byte(&s->pending, byte);
}

static void take_character(struct scanner *s, uint32_t cp) {
    struct group *g = top(s);
    struct text_writer *writer = writer_of(s, g->destination);
    if (!writer || g->deleted) return;
    flush(s);
    if (cp == ' ' || cp == 0xA0)
        write_space(writer);
    else
        write_character(writer, cp);
}

static void take_unit(struct scanner *s, long number) {
    uint32_t unit = (uint32_t)(number & 0xFFFF);
    s->skip = 0;
    if (unit >= 0xD800 && unit < 0xDC00) {
        s->high = unit;
    } else if (unit >= 0xDC00 && unit < 0xE000) {
        take_character(s, s->high ? 0x10000 + ((s->high - 0xD800) << 10) + (unit - 0xDC00) : 0xFFFD);
        s->high = 0;
    } else if (unit) {
        take_character(s, unit);
    }
    s->skip = top(s)->fallback;
}

static void end_line(struct scanner *s) {
    struct text_writer *writer = writer_of(s, top(s)->destination);
    flush(s);
    if (writer && !top(s)->deleted) write_break(writer);
}

/* ---- fonts ---- */

static uint16_t page_of_charset(long charset) {
    static const struct {
        uint8_t charset;
        uint16_t page;
    } pages[] = {{77, 10000}, {128, 932},  {129, 949},  {134, 936},  {136, 950},
                 {161, 1253}, {162, 1254}, {163, 1258}, {177, 1255}, {178, 1256},
                 {186, 1257}, {204, 1251}, {222, 874},  {238, 1250}, {255, 850}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (pages[i].charset == charset) return pages[i].page;
    return 0;
}

static void choose_font(struct scanner *s, long number) {
    size_t font = number >= 0 && number < FONTS_MOST ? (size_t)number : 0;
    if (top(s)->destination == FONTS)
        s->font = font;
    else
        top(s)->page = s->fonts[font] ? s->fonts[font] : s->default_page;
}

/* ---- control words ---- */

enum action {
    LINE_END,
    SPACE,
    CHARACTER,
    DESTINATION,
    KNOWN, /* changes nothing, and what is inside counts */
    PLAIN,
    DELETED,
    PAGE,    /* code page */
    CHARSET, /* of a font */
    FONT,
    UNIT,
    FALLBACK,
    BINARY,
    FIELD,
    RESULT
};

static const struct word {
    const char *name;
    uint8_t action;
    uint16_t value; /* a character, a code page, a destination */
} words[] = {
    {"ansi", PAGE, 1252},
    {"ansicpg", PAGE, 0},
    {"bin", BINARY, 0},
    {"bkmkend", DESTINATION, NOWHERE},
    {"bkmkstart", DESTINATION, NOWHERE},
    {"bullet", CHARACTER, 0x2022},
    {"cell", LINE_END, 0},
    {"colorschememapping", DESTINATION, NOWHERE},
    {"colortbl", DESTINATION, NOWHERE},
    {"datastore", DESTINATION, NOWHERE},
    {"deleted", DELETED, 0},
    {"emdash", CHARACTER, 0x2014},
    {"emspace", SPACE, 0},
    {"endash", CHARACTER, 0x2013},
    {"enspace", SPACE, 0},
    {"f", FONT, 0},
    {"fcharset", CHARSET, 0},
    {"field", FIELD, 0},
    {"filetbl", DESTINATION, NOWHERE},
    {"fldinst", DESTINATION, INSTRUCTION},
    {"fldrslt", RESULT, 0},
    {"fonttbl", DESTINATION, FONTS},
    {"footer", DESTINATION, HEADERS},
    {"footerf", DESTINATION, HEADERS},
    {"footerl", DESTINATION, HEADERS},
    {"footerr", DESTINATION, HEADERS},
    {"footnote", DESTINATION, NOTES},
    {"header", DESTINATION, HEADERS},
    {"headerf", DESTINATION, HEADERS},
    {"headerl", DESTINATION, HEADERS},
    {"headerr", DESTINATION, HEADERS},
    {"info", DESTINATION, NOWHERE},
    {"ldblquote", CHARACTER, 0x201C},
    {"line", LINE_END, 0},
    {"listtext", DESTINATION, NOWHERE},
    {"lquote", CHARACTER, 0x2018},
    {"mac", PAGE, 10000},
    {"nestcell", LINE_END, 0},
    {"nesttableprops", DESTINATION, NOWHERE},
    {"nonesttables", DESTINATION, NOWHERE},
    {"nonshppict", DESTINATION, NOWHERE},
    {"objdata", DESTINATION, NOWHERE},
    {"page", LINE_END, 0},
    {"par", LINE_END, 0},
    {"pc", PAGE, 437},
    {"pca", PAGE, 850},
    {"pict", DESTINATION, NOWHERE},
    {"plain", PLAIN, 0},
    {"pntext", DESTINATION, NOWHERE},
    {"rdblquote", CHARACTER, 0x201D},
    {"row", LINE_END, 0},
    {"rquote", CHARACTER, 0x2019},
    {"sect", LINE_END, 0},
    {"shpinst", KNOWN, 0},
    {"shppict", KNOWN, 0},
    {"shprslt", DESTINATION, NOWHERE},
    {"shptxt", KNOWN, 0},
    {"softline", LINE_END, 0},
    {"sp", DESTINATION, NOWHERE},
    {"stylesheet", DESTINATION, NOWHERE},
    {"tab", SPACE, 0},
    {"themedata", DESTINATION, NOWHERE},
    {"u", UNIT, 0},
    {"uc", FALLBACK, 0},
};

static int compare_word(const void *name, const void *word) {
    return strcmp(name, ((const struct word *)word)->name);
}

static void enter(struct scanner *s, unsigned destination) {
    flush(s);
    if (top(s)->destination != NOWHERE) top(s)->destination = (uint8_t)destination;
    if (destination == NOTES || destination == HEADERS) end_line(s);
}

static void set_page(struct scanner *s, const struct word *word, long number) {
    s->default_page = word->value ? word->value : number > 0 && number < UINT16_MAX ? (uint16_t)number : 1252;
    top(s)->page = s->default_page;
}

static void skip_binary(struct scanner *s, long number) {
    size_t left = (size_t)(s->end - s->at);
    s->at += number < 0 ? 0 : (size_t)number < left ? (size_t)number : left;
}

static void obey(struct scanner *s, const struct word *word, long number) {
    switch ((enum action)word->action) {
    case LINE_END:
        end_line(s);
        break;
    case SPACE:
        take_character(s, ' ');
        break;
    case CHARACTER:
        take_character(s, word->value);
        break;
    case DESTINATION:
        enter(s, word->value);
        break;
    case KNOWN:
        break;
    case PLAIN:
        top(s)->deleted = false;
        break;
    case DELETED:
        flush(s);
        top(s)->deleted = number != 0;
        break;
    case PAGE:
        set_page(s, word, number);
        break;
    case CHARSET:
        if (top(s)->destination == FONTS) s->fonts[s->font] = page_of_charset(number);
        break;
    case FONT:
        choose_font(s, number);
        break;
    case UNIT:
        take_unit(s, number);
        break;
    case FALLBACK:
        top(s)->fallback = number >= 0 && number <= 16 ? (uint16_t)number : 1;
        break;
    case BINARY:
        skip_binary(s, number);
        break;
    case FIELD:
        s->page_field = false;
        break;
    case RESULT:
        if (s->page_field) enter(s, NOWHERE);
        break;
    }
}

static bool is_letter(uint8_t byte) {
    return (uint8_t)((byte | 32) - 'a') < 26;
}

static bool is_digit(uint8_t byte) {
    return (uint8_t)(byte - '0') < 10;
}

/* The number behind a control word, and the space that may end both; 1 where there is none. */
static long read_number(struct scanner *s) {
    bool minus = s->at < s->end && *s->at == '-';
    const uint8_t *digits = s->at + minus;
    long number = 0;
    if (digits < s->end && is_digit(*digits)) {
        for (s->at = digits; s->at < s->end && is_digit(*s->at); s->at++)
            if (number < 100000000) number = 10 * number + (*s->at - '0');
    } else {
        minus = false;
        number = 1;
    }
    if (s->at < s->end && *s->at == ' ') s->at++;
    return minus ? -number : number;
}

static void read_word(struct scanner *s) {
    char name[WORD_MOST + 1];
    size_t length = 0;
    for (; s->at < s->end && is_letter(*s->at); s->at++)
        if (length < WORD_MOST) name[length++] = (char)*s->at;
    name[length] = '\0';
    long number = read_number(s);
    const struct word *word = bsearch(name, words, sizeof words / sizeof *words, sizeof *words, compare_word);
    bool starred = s->starred;
    s->starred = false;
    if (!word && starred) enter(s, NOWHERE);
    bool is_unit = word && (word->action == UNIT || word->action == BINARY);
    if (word && (is_unit || !is_fallback(s))) obey(s, word, number);
}

static int hex_value(uint8_t digit) {
    if (is_digit(digit)) return digit - '0';
    return (uint8_t)((digit | 32) - 'a') < 6 ? (digit | 32) - 'a' + 10 : -1;
}

static void read_hex(struct scanner *s) {
    if (s->end - s->at < 2) {
        s->at = s->end;
        return;
    }
    int high = hex_value(s->at[0]), low = hex_value(s->at[1]);
    s->at += 2;
    if (high >= 0 && low >= 0) take_byte(s, (uint8_t)(16 * high + low));
}

/* Behind a backslash. */
static void read_control(struct scanner *s) {
    if (s->at == s->end) return;
    if (is_letter(*s->at)) {
        read_word(s);
        return;
    }
    uint8_t symbol = *s->at++;
    if (symbol == '\'')
        read_hex(s);
    else if (symbol == '*')
        s->starred = true;
    else if (symbol == '~')
        take_byte(s, ' ');
    else if (symbol == '_')
        take_byte(s, '-');
    else if (symbol == '\n' || symbol == '\r')
        end_line(s);
    else if (symbol == '\\' || symbol == '{' || symbol == '}')
        take_byte(s, symbol);
}

/* ---- all of it ---- */

static void open_group(struct scanner *s) {
    s->skip = 0;
    s->starred = false;
    s->too_deep = s->depth == DEPTH_MOST;
    if (s->too_deep || !mem_grow((void **)&s->groups, &s->cap, s->depth + 1, sizeof *s->groups)) {
        s->no_memory |= !s->too_deep;
        return;
    }
    s->groups[s->depth] = s->groups[s->depth - 1];
    s->depth++;
}

static void close_group(struct scanner *s) {
    unsigned inner = top(s)->destination;
    s->skip = 0;
    flush(s);
    if (inner == NOTES || inner == HEADERS) {
        unsigned outer = s->depth > 1 ? s->groups[s->depth - 2].destination : BODY;
        if (outer != inner) end_line(s);
    }
    if (s->depth > 1) s->depth--;
}

/* An instruction is looked at where it stands. */
static void look_for_page_field(struct scanner *s) {
    static const char *const names[] = {"PAGE", "NUMPAGES", "SECTIONPAGES"};
    size_t length = 0, left = (size_t)(s->end - s->at);
    while (length < left && is_letter(s->at[length])) length++;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i]) && !memcmp(s->at, names[i], length)) s->page_field = true;
    s->at += length;
}

static void read_next(struct scanner *s) {
    uint8_t byte = *s->at;
    if (top(s)->destination == INSTRUCTION && is_letter(byte)) {
        look_for_page_field(s);
        return;
    }
    s->at++;
    if (byte == '{')
        open_group(s);
    else if (byte == '}')
        close_group(s);
    else if (byte == '\\')
        read_control(s);
    else if (byte != '\r' && byte != '\n' && byte != '\0')
        take_byte(s, byte);
}

static bool is_good(const struct scanner *s) {
    return !s->too_deep && !s->no_memory && writer_is_good(&s->writers[BODY]) &&
           writer_is_good(&s->writers[NOTES]) && writer_is_good(&s->writers[HEADERS]);
}

static stemma_status scan(struct scanner *s, const volatile int *stop, stemma_error *err) {
    while (s->at < s->end && is_good(s)) {
        const uint8_t *step = (size_t)(s->end - s->at) > STEP ? s->at + STEP : s->end;
        TRY(check_stop(stop, err));
        while (s->at < step && is_good(s)) read_next(s);
    }
    flush(s);
    if (s->too_deep)
        return fail(err, STEMMA_UNSUPPORTED, "its groups are nested more than %d deep", DEPTH_MOST);
    if (s->no_memory) return fail_memory(err);
    for (int i = BODY; i <= HEADERS; i++) TRY(writer_finish(&s->writers[i], err));
    return STEMMA_OK;
}

static bool prepare(struct scanner *s) {
    s->fonts = mem_zero(FONTS_MOST, sizeof *s->fonts);
    if (!s->fonts || !mem_grow((void **)&s->groups, &s->cap, 1, sizeof *s->groups)) return false;
    s->groups[0] = (struct group){.destination = BODY, .page = 1252, .fallback = 1};
    s->depth = 1;
    return true;
}

static void release(struct scanner *s) {
    buf_release(&s->pending);
    buf_release(&s->decoded);
    mem_free(s->fonts);
    mem_free(s->groups);
}

stemma_status rtf_text(const uint8_t *bytes, size_t size, const struct reading_limits *limits,
                       struct buf *out, stemma_error *damage, stemma_error *err) {
    struct buf parts[3] = {{0}};
    struct scanner scanner = {.at = bytes, .end = bytes + size, .default_page = 1252};
    for (int i = BODY; i <= HEADERS; i++)
        scanner.writers[i] = (struct text_writer){.out = &parts[i], .most = reading_text_most(limits) / 2};
    stemma_status status = prepare(&scanner) ? scan(&scanner, limits->stop, err) : fail_memory(err);
    if (scanner.depth > 1) NOTE_DAMAGE(damage, "it ends in the middle");
    if (status == STEMMA_OK) {
        write_break(&scanner.writers[BODY]);
        markup_drop_repeated_lines(&parts[HEADERS]);
        bool done = buf_add(out, parts[HEADERS].data, parts[HEADERS].len) &&
                    buf_add(out, parts[BODY].data, parts[BODY].len) &&
                    buf_add(out, parts[NOTES].data, parts[NOTES].len);
        if (!done) status = fail_memory(err);
    }
    release(&scanner);
    for (int i = BODY; i <= HEADERS; i++) buf_release(&parts[i]);
    return status;
}
