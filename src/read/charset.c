#include "read/charset.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

/* The names that the Encoding standard has for them, without those nobody uses. Others are not handed to the
 * C library, which knows hundreds, some of them with a history of mistakes. */
static const char *const legacy[] = {
    "big5",         "big5-hkscs",   "euc-jp",       "euc-kr",       "gb18030",      "gb2312",
    "gbk",          "ibm866",       "iso-2022-jp",  "iso-8859-2",   "iso-8859-3",   "iso-8859-4",
    "iso-8859-5",   "iso-8859-6",   "iso-8859-7",   "iso-8859-8",   "iso-8859-9",   "iso-8859-10",
    "iso-8859-13",  "iso-8859-14",  "iso-8859-15",  "iso-8859-16",  "koi8-r",       "koi8-u",
    "macintosh",    "shift_jis",    "tis-620",      "windows-1250", "windows-1251", "windows-1253",
    "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "windows-874"};

bool charset_is_legacy(const char *charset) {
    for (size_t i = 0; i < sizeof legacy / sizeof *legacy; i++)
        if (!strcmp(legacy[i], charset)) return true;
    return false;
}

/* The C library calls the supersets that pages mean by these names differently. */
static const char *library_name(const char *charset) {
    if (!strcmp(charset, "gb2312") || !strcmp(charset, "gbk")) return "gb18030";
    if (!strcmp(charset, "shift_jis")) return "cp932";
    if (!strcmp(charset, "windows-874") || !strcmp(charset, "tis-620")) return "cp874";
    return charset;
}

static bool convert(iconv_t converter, const uint8_t *bytes, size_t size, struct buf *out) {
    char *from = (char *)bytes; /* which iconv does not change */
    while (size) {
        if (!buf_reserve(out, size + 16)) return false;
        char *to = (char *)out->data + out->len;
        size_t room = out->cap - out->len;
        size_t result = iconv(converter, &from, &size, &to, &room);
        out->len = (size_t)((uint8_t *)to - out->data);
        if (result != (size_t)-1 || errno == E2BIG) continue;
        if (!buf_add(out, "\xEF\xBF\xBD", 3)) return false;
        from++, size--;
    }
    return true;
}

enum charset_result charset_decode(const char *charset, const uint8_t *bytes, size_t size, struct buf *out) {
    iconv_t converter = iconv_open("UTF-8", library_name(charset));
    if (converter == (iconv_t)-1) return errno == ENOMEM ? CHARSET_NO_MEMORY : CHARSET_UNKNOWN;
    bool done = convert(converter, bytes, size, out);
    iconv_close(converter);
    return done ? CHARSET_DONE : CHARSET_NO_MEMORY;
}
