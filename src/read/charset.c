#include "read/charset.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

/* The names that the Encoding standard has, then those of older systems. Others are not handed to the C
 * library, which knows hundreds, some of them with a history of mistakes. A place is a number that is stored:
 * what comes new goes to the end. Letters and digits of ASCII are the same in all of them. */
static const char *const charsets[] = {"big5",         "big5-hkscs",
                                       "euc-jp",       "euc-kr",
                                       "gb18030",      "gb2312",
                                       "gbk",          "ibm866",
                                       "iso-2022-jp",  "iso-8859-2",
                                       "iso-8859-3",   "iso-8859-4",
                                       "iso-8859-5",   "iso-8859-6",
                                       "iso-8859-7",   "iso-8859-8",
                                       "iso-8859-9",   "iso-8859-10",
                                       "iso-8859-13",  "iso-8859-14",
                                       "iso-8859-15",  "iso-8859-16",
                                       "koi8-r",       "koi8-u",
                                       "macintosh",    "shift_jis",
                                       "tis-620",      "windows-1250",
                                       "windows-1251", "windows-1253",
                                       "windows-1254", "windows-1255",
                                       "windows-1256", "windows-1257",
                                       "windows-1258", "windows-874",
                                       "ibm437",       "ibm737",
                                       "ibm775",       "ibm850",
                                       "ibm852",       "ibm855",
                                       "ibm857",       "ibm858",
                                       "ibm860",       "ibm861",
                                       "ibm862",       "ibm863",
                                       "ibm864",       "ibm865",
                                       "ibm869",       "ibm1125",
                                       "euc-tw",       "johab",
                                       "koi8-t",       "mac-cyrillic",
                                       "mac-ukraine",  "mac-centraleurope",
                                       "viscii",       "tcvn",
                                       "armscii-8",    "georgian-ps",
                                       "pt154",        "hp-roman8"};

enum { COUNT = sizeof charsets / sizeof *charsets, NAME_MOST = 32 };
_Static_assert(ENCODING_LEGACY + COUNT <= 256, "a collection has one byte for the encoding asked for");

/* What others call them, without hyphens. */
static const char *const other_names[][2] = {
    {"cnbig5", "big5"},       {"windows31j", "shift_jis"}, {"cp932", "shift_jis"},
    {"mskanji", "shift_jis"}, {"sjis", "shift_jis"},       {"cp936", "gbk"},
    {"euccn", "gb2312"},      {"gb231280", "gb2312"},      {"cp949", "euc-kr"},
    {"ksc5601", "euc-kr"},    {"ksc56011987", "euc-kr"},   {"uhc", "euc-kr"},
    {"windows949", "euc-kr"}, {"cp950", "big5"},           {"cp874", "windows-874"},
    {"cp1361", "johab"},      {"iso88598i", "iso-8859-8"}, {"iso885911", "tis-620"},
    {"latin2", "iso-8859-2"}, {"latin5", "iso-8859-9"},    {"latin9", "iso-8859-15"},
    {"mac", "macintosh"},     {"macroman", "macintosh"},   {"macce", "mac-centraleurope"}};

/* "x-cp1251" is a "windows1251". */
static void squeeze(const char *said, char out[NAME_MOST]) {
    size_t length = 0;
    if ((said[0] | 32) == 'x' && said[1] == '-') said += 2;
    for (; *said && length + 1 < NAME_MOST; said++)
        if (*said != '-' && *said != '_' && *said != ' ')
            out[length++] = *said >= 'A' && *said <= 'Z' ? (char)(*said + 32) : *said;
    out[length] = 0;
    if (*said) out[0] = 0;
}

static bool begin_otherwise(char name[NAME_MOST], const char *beginning, const char *other) {
    const size_t old = strlen(beginning), new = strlen(other), length = strlen(name);
    if (strncmp(name, beginning, old) != 0 || length - old + new >= NAME_MOST) return false;
    memmove(name + new, name + old, length - old + 1);
    memcpy(name, other, new);
    return true;
}

static enum encoding find_squeezed(const char *squeezed) {
    char name[NAME_MOST];
    for (unsigned i = 0; i < COUNT; i++) {
        squeeze(charsets[i], name);
        if (!strcmp(name, squeezed)) return (enum encoding)(ENCODING_LEGACY + i);
    }
    return ENCODING_AUTO;
}

enum encoding charset_named(const char *said) {
    char name[NAME_MOST];
    squeeze(said, name);
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (!strcmp(name, other_names[i][0])) squeeze(other_names[i][1], name);
    if (!begin_otherwise(name, "cp125", "windows125") && !begin_otherwise(name, "win125", "windows125"))
        begin_otherwise(name, "cp", "ibm");
    return find_squeezed(name);
}

static const char *const simple[] = {"auto", "utf-8", "utf-16le", "utf-16be", "latin-1", "utf-16"};
enum { SIMPLE_COUNT = sizeof simple / sizeof *simple };

const char *encoding_name(enum encoding encoding) {
    const unsigned place = (unsigned)encoding - ENCODING_LEGACY;
    if ((unsigned)encoding < SIMPLE_COUNT) return simple[encoding];
    return place < COUNT ? charsets[place] : NULL;
}

bool encoding_named(const char *said, enum encoding *out) {
    static const char *const latin1[] = {"iso88591", "windows1252", "cp1252", "ascii", "usascii"};
    char name[NAME_MOST], other[NAME_MOST];
    enum encoding found = charset_named(said);
    squeeze(said, name);
    for (unsigned i = 0; i < SIMPLE_COUNT; i++) {
        squeeze(simple[i], other);
        if (!strcmp(name, other)) return *out = (enum encoding)i, true;
    }
    for (size_t i = 0; i < sizeof latin1 / sizeof *latin1; i++)
        if (!strcmp(name, latin1[i])) found = ENCODING_LATIN1;
    if (found) *out = found;
    return found != ENCODING_AUTO;
}

/* The C library calls the supersets that pages mean by these names differently. */
static const char *library_name(const char *charset) {
    if (!strcmp(charset, "gb2312") || !strcmp(charset, "gbk")) return "gb18030";
    if (!strcmp(charset, "euc-kr")) return "cp949";
    if (!strcmp(charset, "shift_jis")) return "cp932";
    if (!strcmp(charset, "windows-874") || !strcmp(charset, "tis-620")) return "cp874";
    if (!strcmp(charset, "mac-ukraine")) return "mac-uk";
    if (!strcmp(charset, "ibm737")) return "cp737";
    if (!strcmp(charset, "ibm1125")) return "cp1125";
    return charset;
}

/* With no bytes it gives what was held to be joined with a mark that did not come. */
static bool convert(iconv_t converter, const uint8_t *bytes, size_t size, struct buf *out, size_t *strange) {
    char *from = (char *)bytes; /* which iconv does not change */
    do {
        if (!buf_reserve(out, size + 16)) return false;
        char *to = (char *)out->data + out->len;
        size_t room = out->cap - out->len;
        size_t result = iconv(converter, from ? &from : NULL, &size, &to, &room);
        out->len = (size_t)((uint8_t *)to - out->data);
        if (result != (size_t)-1 || errno == E2BIG) continue;
        if (!from) return true;
        if (!buf_add(out, "\xEF\xBF\xBD", 3)) return false;
        from++, size--, ++*strange;
    } while (size);
    return true;
}

enum charset_result charset_decode(enum encoding charset, const uint8_t *bytes, size_t size, struct buf *out,
                                   size_t *strange) {
    const char *name = charset < ENCODING_LEGACY ? NULL : encoding_name(charset);
    size_t unknown = 0;
    iconv_t converter = name ? iconv_open("UTF-8", library_name(name)) : (iconv_t)-1;
    if (converter == (iconv_t)-1) return name && errno == ENOMEM ? CHARSET_NO_MEMORY : CHARSET_UNKNOWN;
    bool done = (!size || convert(converter, bytes, size, out, &unknown)) &&
                convert(converter, NULL, 0, out, &unknown);
    iconv_close(converter);
    if (strange) *strange = unknown;
    return done ? CHARSET_DONE : CHARSET_NO_MEMORY;
}
