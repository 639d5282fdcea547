#include "read/charset.h"

#include <errno.h>
#include <iconv.h>
#include <stdio.h>
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

void charset_standard_name(const char *said, char out[CHARSET_NAME_MOST]) {
    static const char *const names[][2] = {{"big5hkscs", "big5-hkscs"},
                                           {"cn-big5", "big5"},
                                           {"cp866", "ibm866"},
                                           {"cp932", "shift_jis"},
                                           {"cp936", "gbk"},
                                           {"cp949", "euc-kr"},
                                           {"cp950", "big5"},
                                           {"gb_2312-80", "gb2312"},
                                           {"iso-8859-11", "tis-620"},
                                           {"iso-8859-8-i", "iso-8859-8"},
                                           {"ks_c_5601-1987", "euc-kr"},
                                           {"ms_kanji", "shift_jis"},
                                           {"shift-jis", "shift_jis"},
                                           {"sjis", "shift_jis"},
                                           {"windows-31j", "shift_jis"},
                                           {"windows-949", "euc-kr"},
                                           {"x-euc-jp", "euc-jp"},
                                           {"x-gbk", "gbk"},
                                           {"x-sjis", "shift_jis"}};
    size_t length = 0;
    for (; said[length] && length + 8 < CHARSET_NAME_MOST; length++)
        out[length] = said[length] >= 'A' && said[length] <= 'Z' ? (char)(said[length] + 32) : said[length];
    out[length] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(out, names[i][0])) snprintf(out, CHARSET_NAME_MOST, "%s", names[i][1]);
    if (!strncmp(out, "cp125", 5)) { /* cp1251 */
        memmove(out + 8, out + 2, strlen(out + 2) + 1);
        memcpy(out, "windows-", 8);
    }
}

bool charset_is_legacy(const char *charset) {
    for (size_t i = 0; i < sizeof legacy / sizeof *legacy; i++)
        if (!strcmp(legacy[i], charset)) return true;
    return false;
}

/* The C library calls the supersets that pages mean by these names differently. */
static const char *library_name(const char *charset) {
    if (!strcmp(charset, "gb2312") || !strcmp(charset, "gbk")) return "gb18030";
    if (!strcmp(charset, "euc-kr")) return "cp949";
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
