/* Formats in which text is stored: XML, RTF, and lines set in pages. Archives are tested with the program. */
#include "read/document.h"
#include "read/pages.h"
#include "read/part_list.h"
#include "read/sheet_dates.h"
#include "read/xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct document_options automatic = {.format = FORMAT_AUTO};

static void expect(const void *bytes, size_t size, enum text_format format, const char *expected) {
    struct extractor x = {0};
    struct document_text text;
    stemma_error error;
    if (document_extract(&x, NULL, bytes, size, &automatic, &text, &error)) fail_msg("%s", error.message);
    assert_string_equal(format_name(text.format), format_name(format));
    if (text.size != strlen(expected) || (text.size && memcmp(text.bytes, expected, text.size)))
        fail_msg("'%.*s' instead of '%s'", (int)text.size, (const char *)text.bytes, expected);
    extractor_release(&x);
}

static void refuse(const void *bytes, size_t size, stemma_status status, const char *says) {
    struct extractor x = {0};
    struct document_text text;
    stemma_error error = {.message = ""};
    assert_int_equal(document_extract(&x, NULL, bytes, size, &automatic, &text, &error), status);
    if (!strstr(error.message, says)) fail_msg("'%s'", error.message);
    extractor_release(&x);
}

/* says NULL: nothing is missing. The extractor is used for all of them. */
static void expect_damage(struct extractor *x, const char *bytes, const char *says) {
    struct document_text text;
    assert_int_equal(
        document_extract(x, NULL, (const uint8_t *)bytes, strlen(bytes), &automatic, &text, NULL), STEMMA_OK);
    if (!says != !text.damage || (says && !strstr(text.damage, says)))
        fail_msg("'%s' of '%s'", text.damage ? text.damage : "", bytes);
}

/* A piece, many times; to be freed. */
static char *repeated(const char *before, const char *piece, size_t times, const char *after, size_t *size) {
    size_t length = strlen(piece);
    *size = strlen(before) + times * length + strlen(after);
    char *text = malloc(*size + 1), *at = text + strlen(before);
    strcpy(text, before);
    for (size_t i = 0; i < times; i++, at += length) memcpy(at, piece, length);
    strcpy(at, after);
    return text;
}

/* ---- which format ---- */

static void tells_formats_by_their_bytes(void **state) {
    (void)state;
    static const struct {
        const char *name, *bytes;
        enum text_format format;
    } cases[] = {{"a.txt", "%PDF-1.4 and so on", TEXT_PDF},
                 {"a.pdf", "plain text, whatever it is called", TEXT_PLAIN},
                 {NULL, "\n %PDF-1.7\n....", TEXT_PDF},
                 {"a.html", "{\\rtf1 x}", TEXT_RTF},
                 {"a.md", "{\\rtf1 x}", TEXT_RTF},
                 {NULL, "{\\rtx1 x}", TEXT_PLAIN},
                 {NULL, "<?xml version='1.0'?><a/>", TEXT_XML},
                 {NULL, "  <!-- here --> <?xml version='1.0'?><a/>", TEXT_XML},
                 {NULL, "<?xml version='1.0'?><html/>", TEXT_HTML},
                 {"a.html", "<?xml version='1.0'?><a/>", TEXT_HTML},
                 {NULL, "<?xmlish", TEXT_PLAIN},
                 {NULL, "<root><p>one</p></root>", TEXT_XML},
                 {NULL, " <!-- here -->\n<!DOCTYPE book SYSTEM 'b.dtd'><book/>", TEXT_XML},
                 {"a.svg", "<svg xmlns='http://www.w3.org/2000/svg'><text>one</text></svg>\n", TEXT_XML},
                 {NULL, "<!doctype html><p>one", TEXT_HTML},
                 {NULL, "<p>one<p>two", TEXT_PLAIN},
                 {NULL, "<doc>one</doc>\n<doc>two</doc>", TEXT_PLAIN},
                 {NULL, "<a@example.org> wrote", TEXT_PLAIN},
                 {NULL, "<!DOCTYPE book><book><title>SGML</book>", TEXT_PLAIN},
                 {NULL, "PK\3\4 is how an archive begins", TEXT_PLAIN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(
            format_name(format_guess(cases[i].name, ENCODING_UTF8, (const uint8_t *)cases[i].bytes,
                                     strlen(cases[i].bytes), true)),
            format_name(cases[i].format));
}

static size_t put_member(char *to, const char *name, const char *content) {
    memset(to, 0, 30);
    memcpy(to, "PK\3\4", 4);
    to[26] = (char)strlen(name);
    memcpy(to + 30, name, strlen(name));
    memcpy(to + 30 + strlen(name), content, strlen(content));
    return 30 + strlen(name) + strlen(content);
}

static enum text_format format_of_members(const char *first, const char *content, const char *second) {
    char zip[1024];
    size_t size = put_member(zip, first, content);
    if (second) size += put_member(zip + size, second, "..");
    return format_guess("x.bin", ENCODING_UTF8, (const uint8_t *)zip, size, true);
}

static void tells_archives_by_their_members(void **state) {
    (void)state;
    static const char odf[] = "application/vnd.oasis.opendocument.";
    char type[80];
    static const struct {
        const char *kind;
        enum text_format format;
    } kinds[] = {{"text", TEXT_ODT},
                 {"text-template", TEXT_ODT},
                 {"spreadsheet", TEXT_ODS},
                 {"presentation", TEXT_ODP},
                 {"image", TEXT_PLAIN}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(type, sizeof type, "%s%s", odf, kinds[i].kind);
        assert_int_equal(format_of_members("mimetype", type, "content.xml"), kinds[i].format);
    }
    assert_int_equal(format_of_members("mimetype", "application/epub+zip", NULL), TEXT_EPUB);
    assert_int_equal(format_of_members("[Content_Types].xml", "...", "word/document.xml"), TEXT_DOCX);
    assert_int_equal(format_of_members("xl/workbook.xml", "...", "_rels/.rels"), TEXT_XLSX);
    assert_int_equal(format_of_members("_rels/.rels", "...", "ppt/presentation.xml"), TEXT_PPTX);
    assert_int_equal(format_of_members("_rels/.rels", "...", "package.nuspec"), TEXT_PLAIN);
    assert_int_equal(format_of_members("word/list.txt", "...", "word/more.txt"), TEXT_PLAIN);
    assert_int_equal(format_of_members("notes.txt", "...", NULL), TEXT_PLAIN);
}

/* ---- XML ---- */

#define XML(literal, expected) expect(literal, sizeof literal - 1, TEXT_XML, expected)

/* Taken for XML by its beginning, it is found to be none behind it: then it is a text as it stands. */
static void what_is_no_xml_is_plain(void **state) {
    (void)state;
    size_t size;
    char *whole = repeated("<a>", "one <b>two</b>\n", 1 << 15, "</a>", &size);
    struct extractor x = {0};
    struct document_text text;
    assert_int_equal(document_extract(&x, NULL, (uint8_t *)whole, size, &automatic, &text, NULL), STEMMA_OK);
    assert_int_equal(text.format, TEXT_XML);
    extractor_release(&x);
    memcpy(whole + size - 4, "</b>", 4);
    expect(whole, size, TEXT_PLAIN, whole);
    free(whole);
}

/* Latin-1 as UTF-16 with a mark; to be freed. */
static char *widened(const char *text, size_t length, bool big, size_t *size) {
    *size = 2 * length + 2;
    char *wide = calloc(1, *size);
    memcpy(wide, big ? "\xFE\xFF" : "\xFF\xFE", 2);
    for (size_t i = 0; i < length; i++) wide[2 * i + 2 + big] = text[i];
    return wide;
}

static void expect_same_text(const char *bytes, size_t size, const char *other, size_t other_size) {
    struct extractor x = {0}, y = {0};
    struct document_text text, same;
    assert_int_equal(document_extract(&x, NULL, (const uint8_t *)bytes, size, &automatic, &text, NULL), 0);
    assert_int_equal(document_extract(&y, NULL, (const uint8_t *)other, other_size, &automatic, &same, NULL),
                     0);
    assert_int_equal(text.format, TEXT_XML);
    assert_int_equal(same.format, TEXT_XML);
    assert_int_equal(text.size, same.size);
    assert_memory_equal(text.bytes, same.bytes, text.size);
    extractor_release(&x);
    extractor_release(&y);
}

/* It is XML in every encoding, be it longer than what is looked at, be the look at its beginning alone. */
static void tells_bare_xml_in_any_encoding(void **state) {
    (void)state;
    static const size_t items[] = {1, 100, 1 << 14};
    for (size_t i = 0; i < 3; i++) {
        size_t size, latin_size, wide_size;
        char *text = repeated("<list>", "<item>caf\xC3\xA9</item>\n", items[i], "</list>", &size);
        char *latin = repeated("<list>", "<item>caf\xE9</item>\n", items[i], "</list>", &latin_size);
        expect_same_text(text, size, latin, latin_size);
        for (int big = 0; big < 2; big++) {
            char *wide = widened(latin, latin_size, big, &wide_size);
            const size_t head = wide_size < DOCUMENT_HEAD ? wide_size : DOCUMENT_HEAD;
            expect_same_text(text, size, wide, wide_size);
            assert_int_equal(document_look(NULL, (const uint8_t *)wide, head, &automatic).format, TEXT_XML);
            memcpy(wide + wide_size - 4, ">\0>\0", 4);
            if (wide_size == head)
                assert_int_equal(document_look(NULL, (const uint8_t *)wide, head, &automatic).format,
                                 TEXT_PLAIN);
            free(wide);
        }
        free(text);
        free(latin);
    }
}

static void reads_xml(void **state) {
    (void)state;
    XML("<a><b>one</b><c>two</c> three</a>", "one two three");
    XML("<?xml version='1.0'?><a><b>one</b><c>two</c> three</a>", "one two three");
    XML("<?xml version='1.0'?><a x='not this'>  one\n\n  two <!-- nor this --><?nor this?><![CDATA[<three>]]></a>",
        "one\ntwo <three>");
    XML("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e 'named'>]><a>&e; &amp; &#xE9;</a>", "named & \xC3\xA9");
    XML("<?xml version='1.0' encoding='koi8-r'?><a>\xF0\xD2\xC9</a>", "\xD0\x9F\xD1\x80\xD0\xB8");
    XML("<?xml version='1.0' encoding='iso-8859-1'?><a>caf\xE9</a>", "caf\xC3\xA9");
    XML("<?xml version='1.0'?><a>caf\xC3\xA9 \xFF caf\xC3\xA9 \xE4\xB8\xAD</a>",
        "caf\xC3\xA9 \xEF\xBF\xBD caf\xC3\xA9 \xE4\xB8\xAD");
    static const char narrow[] = "\xFF\xFE<?xml version='1.0' encoding='UTF-16'?><a>\xE9</a>";
    char wide[2 * sizeof narrow] = "\xFF\xFE";
    for (size_t i = 2; i < sizeof narrow - 1; i++) wide[2 * i - 2] = narrow[i];
    expect(wide, 2 * (sizeof narrow - 2), TEXT_XML, "\xC3\xA9");
    XML("<?xml version='1.0'?><a/>", "");
}

static void refuses_broken_xml(void **state) {
    (void)state;
    static const char *const broken[] = {"<?xml version='1.0'?>", "<?xml version='1.0'?><a>",
                                         "<?xml ?><a></b>", "<?xml version='1.0'?><a>&nix;</a>",
                                         "<?xml version='1.0'?><a b=c/>"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        refuse(broken[i], strlen(broken[i]), STEMMA_CORRUPT, "broken XML in line 1");
}

static void loads_nothing_from_outside(void **state) {
    (void)state;
    XML("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>before &e; after</a>",
        "before after");
    XML("<?xml version='1.0'?><!DOCTYPE a SYSTEM 'http://localhost/a.dtd'><a>before &e; after</a>",
        "before after");
    XML("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY % p SYSTEM '/etc/passwd'> %p;]><a>text</a>", "text");
}

static void bounds_entities(void **state) {
    (void)state;
    char laughs[2048] = "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY l0 'laughs and laughs'>";
    for (int i = 1; i < 12; i++)
        sprintf(laughs + strlen(laughs), "<!ENTITY l%d '&l%d;&l%d;&l%d;&l%d;&l%d;&l%d;&l%d;&l%d;'>", i, i - 1,
                i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    strcat(laughs, "]><a>&l11;</a>");
    refuse(laughs, strlen(laughs), STEMMA_UNSUPPORTED, "expand to more than ten times");

    size_t long_size, size;
    char *head =
        repeated("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e '", "x", 100000, "'>]><a>", &long_size);
    char *quadratic = repeated(head, "&e;", 30000, "</a>", &size);
    refuse(quadratic, size, STEMMA_UNSUPPORTED, "expand to more than ten times");
    free(head);
    free(quadratic);
}

static void bounds_depth(void **state) {
    (void)state;
    size_t size;
    char *deep = repeated("<?xml version='1.0'?>", "<a>", 1000000, "", &size);
    refuse(deep, size, STEMMA_UNSUPPORTED, "nested more than 1000 deep");
    free(deep);
    char *inner = repeated("<?xml version='1.0'?>", "<a>", 1000, "deep", &size);
    char *whole = repeated(inner, "</a>", 1000, "", &size);
    expect(whole, size, TEXT_XML, "deep");
    free(inner);
    free(whole);
}

static void takes_long_tokens(void **state) {
    (void)state;
    size_t size;
    char *token = repeated("<?xml version='1.0'?><a b='", "x", 20 << 20, "'>text</a>", &size);
    expect(token, size, TEXT_XML, "text");
    free(token);
}

struct interruption {
    volatile int stop;
    int seen;
};

static bool interrupt(void *context, const char *name, const char **attributes) {
    struct interruption *i = context;
    (void)name, (void)attributes;
    i->stop = 1;
    i->seen++;
    return true;
}

static void stops_between_elements(void **state) {
    (void)state;
    static const struct xml_events events = {.begin = interrupt};
    struct interruption i = {0};
    size_t size;
    char *many = repeated("<a>", "<b/>", 100000, "</a>", &size);
    assert_int_equal(xml_parse((const uint8_t *)many, size, NULL, &events, &i, &i.stop, NULL),
                     STEMMA_INTERRUPTED);
    assert_in_range(i.seen, 1, 2000);
    free(many);
}

/* ---- RTF ---- */

#define RTF(literal, expected) expect(literal, sizeof literal - 1, TEXT_RTF, expected)

static void reads_rtf(void **state) {
    (void)state;
    RTF("{\\rtf1\\ansi One {\\b two}three\\par four\\tab five\\line six\\~seven\\_eight\\-nine}",
        "One twothree\nfour five\nsix seven-eightnine\n");
    RTF("{\\rtf1 braces \\{ \\} \\\\ and\r\n line ends}", "braces { } \\ and line ends\n");
    RTF("{\\rtf1 \\lquote a\\rquote\\emdash\\bullet \\ldblquote b\\rdblquote}",
        "\xE2\x80\x98"
        "a\xE2\x80\x99\xE2\x80\x94\xE2\x80\xA2\xE2\x80\x9C"
        "b\xE2\x80\x9D\n");
    RTF("{\\rtf1\\trowd one\\cell two\\cell\\row three\\par}", "one\ntwo\nthree\n");
    RTF("{\\rtf1 before{\\footnote the note} after\\par end}", "before after\nend\nthe note\n");
    RTF("{\\rtf1{\\header Title\\par}{\\headerl Title\\par}{\\footer page {\\field{\\*\\fldinst PAGE}{\\fldrslt 7}}}Body}",
        "Title\npage\nBody\n");
    RTF("{\\rtf1 see {\\field{\\*\\fldinst HYPERLINK \"x\"}{\\fldrslt the page}} now}", "see the page now\n");
    RTF("{\\rtf1 kept {\\deleted gone }{\\revised new} text{\\deleted\\plain back}}", "kept new textback\n");
}

static void reads_code_pages(void **state) {
    (void)state;
    RTF("{\\rtf1\\ansi caf\\'e9 \\'80}", "caf\xC3\xA9 \xE2\x82\xAC\n");
    RTF("{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\'e8}", "\xD0\x9F\xD1\x80\xD0\xB8\n");
    RTF("{\\rtf1\\mac caf\\'8e}", "caf\xC3\xA9\n");
    RTF("{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset0 A;}{\\f7\\fcharset128 B;}}\\f0 a\\'e9\\f7 \\'93\\'fa\\'96\\'7b\\f0 \\'e9}",
        "a\xC3\xA9\xE6\x97\xA5\xE6\x9C\xAC\xC3\xA9\n");
    RTF("{\\rtf1\\ansi{\\fonttbl{\\f1\\fcharset204 C;}}{\\f1 \\'cf}\\'cf}", "\xD0\x9F\xC3\x8F\n");
    RTF("{\\rtf1\\ansi\\ansicpg65001 caf\xC3\xA9}", "caf\xC3\xA9\n");
    RTF("{\\rtf1\\ansi\\ansicpg4711 caf\\'e9}", "caf\xC3\xA9\n");
}

static void reads_numbers_of_characters(void **state) {
    (void)state;
    RTF("{\\rtf1 \\u233?t\\u233\\'3f.}", "\xC3\xA9t\xC3\xA9.\n");
    RTF("{\\rtf1 \\uc0\\u233 t\\uc2\\u233\\'3f\\'3f.}", "\xC3\xA9t\xC3\xA9.\n");
    RTF("{\\rtf1 \\u-10179?\\u-8704?x}", "\xF0\x9F\x98\x80x\n");
    RTF("{\\rtf1 a\\u-8704?b\\u-10179?c}", "a\xEF\xBF\xBD"
                                           "bc\n");
    RTF("{\\rtf1{\\uc3\\u233???}\\u233?x}", "\xC3\xA9\xC3\xA9x\n");
}

static void skips_what_is_no_text(void **state) {
    (void)state;
    RTF("{\\rtf1{\\fonttbl{\\f0 Times;}}{\\colortbl;\\red0;}{\\stylesheet{Normal;}}{\\info{\\title T}}text}",
        "text\n");
    RTF("{\\rtf1{\\*\\unheard of{ it} all}text{\\unheard of it}}", "textof it\n");
    RTF("{\\rtf1{\\pict\\pngblip 89504e47}a\\bin5 {{{{{b{\\*\\shppict{\\pict 00}}c}", "abc\n");
    RTF("{\\rtf1{\\shp{\\*\\shpinst{\\sp{\\sn name}{\\sv value}}{\\shptxt in a box\\par}}{\\shprslt twice}}after}",
        "in a box\nafter\n");
    RTF("{\\rtf1{\\listtext 1.\\tab}first\\par}", "first\n");
}

static void survives_broken_rtf(void **state) {
    (void)state;
    RTF("{\\rtf1", "");
    RTF("{\\rtf1 open {groups {never {closed", "open groups never closed\n");
    RTF("{\\rtf1 closed}}}}} too often}", "closed too often\n");
    RTF("{\\rtf1 x\\'", "x\n");
    RTF("{\\rtf1 x\\'zzy\\", "xy\n");
    RTF("{\\rtf1 x\\bin99999999999999999999 gone", "x\n");
    RTF("{\\rtf1\\f99999\\fcharset1\\uc-5\\u-1? x}", "\xEF\xBF\xBF x\n");
    size_t size;
    char *deep = repeated("{\\rtf1", "{", 100000, "x", &size);
    refuse(deep, size, STEMMA_UNSUPPORTED, "nested more than 1000 deep");
    free(deep);
}

/* ---- dates of sheets ---- */

static void expect_date(const char *code, const char *number, const char *expected) {
    char date[DATE_MOST];
    if (!expected) {
        assert_false(date_text(code, false, number, date));
        return;
    }
    assert_true(date_text(code, false, number, date));
    assert_string_equal(date, expected);
}

static void dates_are_shown_as_their_format_says(void **state) {
    (void)state;
    expect_date("yyyy-mm-dd", "45293", "2024-01-02");
    expect_date("d/m/yy", "45293", "2/1/24");
    expect_date("dddd, d. mmmm yyyy", "45293", "Tuesday, 2. January 2024");
    expect_date("ddd d mmm", "45351", "Thu 29 Feb");
    expect_date("mmmmm", "45293", "J");
    expect_date("yyyy\"年\"m\"月\"", "45293", "2024年1月");
    expect_date("[Red]_-dd\\x* ;[h]", "45293", "02x");
    /* minutes beside hours and seconds */
    expect_date("m/d h:mm", "45293.5", "1/2 12:00");
    expect_date("h:mm:ss AM/PM", "0", "12:00:00 AM");
    expect_date("h AM/PM", ".5", NULL);
    expect_date("h AM/PM", "0.5", "12 PM");
    expect_date("mm:ss.0", "0.00005", "00:04.3");
    expect_date("[h]:mm", "1.5", "36:00");
    expect_date("[mm]:ss", "0.5", "720:00");
    /* to the nearest second, also into the next day */
    expect_date("yyyy-mm-dd hh:mm:ss", "45293.999999", "2024-01-03 00:00:00");
    expect_date("hh:mm", "0.4166666666666667", "10:00");
    /* 1900 has a day too many there */
    expect_date("yyyy-mm-dd", "1", "1900-01-01");
    expect_date("yyyy-mm-dd", "59", "1900-02-28");
    expect_date("yyyy-mm-dd", "61", "1900-03-01");
    expect_date("yyyy-mm-dd", "2958465", "9999-12-31");
    /* what is no day, or no end of it */
    expect_date("yyyy", "2958466", NULL);
    expect_date("yyyy", "-1", NULL);
    expect_date("yyyy", "4E4", NULL);
    expect_date("yyyy", "", NULL);
    expect_date("[", "1", "");
    expect_date("y\"", "1", "00");
    expect_date("y\\", "1", "00");
    expect_date("y_", "1", "00");
    expect_date("dddd dddd dddd dddd dddd dddd dddd dddd dddd dddd dddd dddd dddd dddd dddd dddd dddd dddd",
                "45294", NULL);
}

/* ---- pages ---- */

static void expect_pages(const char *pages, const char *expected) {
    struct buf out = {0};
    const struct reading_limits limits = {0};
    assert_int_equal(pages_text((const uint8_t *)pages, strlen(pages), &limits, &out, NULL), STEMMA_OK);
    assert_true(buf_add_byte(&out, '\0'));
    assert_string_equal((const char *)out.data, expected);
    buf_release(&out);
}

static void joins_divided_words(void **state) {
    (void)state;
    /* the words elsewhere tell */
    expect_pages("a compari-\nson, and the comparison\n", "a comparison, and the comparison\n");
    expect_pages("a well-\nknown and well-known fact\n", "a well-known and well-known fact\n");
    expect_pages("Well-\nknown and well-known fact\n", "Well-known and well-known fact\n");
    /* or the habit: few lines end so, or many */
    expect_pages(
        "a state-\nof things\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n",
        "a state-of things\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n");
    expect_pages("docu-\nments compari-\nson\n", "documents comparison\n");
    /* a soft hyphen is nothing else */
    expect_pages("a well\xC2\xAD\nknown and well-known\n", "a wellknown and well-known\n");
    expect_pages("a compari\xE2\x80\x90\nson of comparison\n", "a comparison of comparison\n");
    /* no word goes on */
    expect_pages("from 10-\n20 pages -\nand -- so\n", "from 10-\n20 pages -\nand -- so\n");
    expect_pages("the end-", "the end-\n");
    expect_pages("-\n-\n", "-\n-\n");
}

static void drops_running_lines(void **state) {
    (void)state;
    expect_pages("Title\na b c\n1\n\fTitle\nd e f\n2\n\fTitle\ng h i\n3\n\f", "Title\na b c\nd e f\ng h i\n");
    expect_pages("a b c\npage 1 of 2\n\fd e f\npage 2 of 2\n\f", "a b c\npage  of \nd e f\n");
    expect_pages("a compari-\n1\n\fson of comparison\n2\n\f", "a comparison of comparison\n");
    expect_pages("odd\na b\n\feven\nc d\n\fodd\ne f\n\feven\ng h\n\fodd\ni j\n\feven\nk l\n\f",
                 "odd\na b\neven\nc d\ne f\ng h\ni j\nk l\n");
    /* what is in the middle of pages, or on one of them, stays; and what comes again here and there */
    expect_pages("});\nclose();\na\n\fb\nclose();\nc\n\fd\ne\nclose();\n\f",
                 "});\nclose();\na\nb\nclose();\nc\nd\ne\nclose();\n");
    expect_pages("Note\na\n\fb\nc\n\fd\ne\n\fNote\nf\n\fg\nh\n\fi\nj\n\fNote\nk\n\f",
                 "Note\na\nb\nc\nd\ne\nNote\nf\ng\nh\ni\nj\nNote\nk\n");
    expect_pages("1\n2\n3\nsame\n4\n5\n6\n", "1\n2\n3\nsame\n4\n5\n6\n");
    expect_pages("one page\n1\n\f", "one page\n1\n");
    expect_pages("", "");
    expect_pages("\f\f\f", "");
}

static void bounds_what_lines_take(void **state) {
    (void)state;
    const struct reading_limits limits = {.memory = 1 << 20};
    struct buf out = {0};
    size_t size;
    char *lines = repeated("", "x\n", 50000, "", &size), *words = repeated("", "x ", 100000, "", &size);
    assert_int_equal(pages_text((const uint8_t *)lines, strlen(lines), &limits, &out, NULL), TEXT_TOO_LONG);
    assert_int_equal(pages_text((const uint8_t *)words, strlen(words), &limits, &out, NULL), TEXT_TOO_LONG);
    buf_release(&out);
    free(lines);
    free(words);
}

static void opens_ligatures(void **state) {
    (void)state;
    expect_pages("e\xEF\xAC\x83"
                 "cient \xEF\xAC\x81sh \xEF\xAC\x82ow o\xEF\xAC\x80 \xEF\xAC\x84 \xEF\xAC\x86 \xEF\xAC\x93\n",
                 "efficient fish flow off ffl st \xEF\xAC\x93\n");
}

/* ---- names of parts ---- */

static void resolves_names(void **state) {
    (void)state;
    static const char *const cases[][3] = {{"", "word/document.xml", "word/document.xml"},
                                           {"", "/word/document.xml", "word/document.xml"},
                                           {"ppt/slides/slide1.xml", "../notes/n1.xml", "ppt/notes/n1.xml"},
                                           {"a/b.opf", "c.html#part", "a/c.html"},
                                           {"a/b.opf", "./x/../c.html", "a/c.html"},
                                           {"a/b.opf", "../../../../etc/passwd", "etc/passwd"},
                                           {"a/b.opf", "..", "a/.."},
                                           {"a/b.opf", "", "a/"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf name = {0};
        assert_true(part_name_resolve(cases[i][0], cases[i][1], &name) && buf_add_byte(&name, '\0'));
        assert_string_equal((const char *)name.data, cases[i][2]);
        buf_release(&name);
    }
}

/* ---- damage ---- */

static void says_what_is_missing(void **state) {
    (void)state;
    struct extractor x = {0};
    static const char *const cases[][2] = {
        {"{\\rtf1 cut {off", "ends in the middle"},
        {"{\\rtf1 whole}", NULL},
        {"{\\rtf1 whole}\n}", NULL},
        {"<?xml version='1.0'?><!DOCTYPE a SYSTEM 'a.dtd'><a>&other; &another;</a>", "'other'"},
        {"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e SYSTEM 'file'>]><a>&e;</a>", "'file'"},
        {"<?xml version='1.0'?><!DOCTYPE a SYSTEM 'a.dtd'><a>&eacute;</a>", NULL},
        {"From: a@b\nTo: c@d\nDate: now\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ncut",
         "last part"},
        {"From: a@b\nTo: c@d\nDate: now\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nwhole\n--b--",
         NULL},
        {"plain text", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect_damage(&x, cases[i][0], cases[i][1]);
    extractor_release(&x);
}

static void take_warning(void *context, const char *name, const char *message) {
    snprintf(context, 200, "%s|%s", name, message);
}

static void warns_of_what_is_missing(void **state) {
    (void)state;
    static const char cut[] = "{\\rtf1 some words that are cut off";
    static const char expected[] = "|the document may lack text: it ends in the middle";
    char told[200] = "";
    stemma_limits limits = stemma_limits_default();
    stemma_text *text;
    stemma_document *document;
    stemma_sketch *sketch;
    limits.warn = take_warning;
    limits.warn_context = told;
    assert_int_equal(stemma_text_bytes(cut, sizeof cut - 1, NULL, &limits, &text, NULL), STEMMA_OK);
    assert_string_equal(told, expected);
    told[0] = '\0';
    assert_int_equal(stemma_document_bytes(cut, sizeof cut - 1, NULL, &limits, &document, NULL), STEMMA_OK);
    assert_string_equal(told, expected);
    assert_int_equal(stemma_sketch_bytes(cut, sizeof cut - 1, "a", NULL, &limits, &sketch, NULL), STEMMA_OK);
    assert_string_equal(told, "a|'a' may lack text: it ends in the middle");
    stemma_text_free(text);
    stemma_document_free(document);
    stemma_sketch_free(sketch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_formats_by_their_bytes),
        cmocka_unit_test(tells_archives_by_their_members),
        cmocka_unit_test(what_is_no_xml_is_plain),
        cmocka_unit_test(tells_bare_xml_in_any_encoding),
        cmocka_unit_test(reads_xml),
        cmocka_unit_test(refuses_broken_xml),
        cmocka_unit_test(loads_nothing_from_outside),
        cmocka_unit_test(bounds_entities),
        cmocka_unit_test(bounds_depth),
        cmocka_unit_test(takes_long_tokens),
        cmocka_unit_test(stops_between_elements),
        cmocka_unit_test(reads_rtf),
        cmocka_unit_test(reads_code_pages),
        cmocka_unit_test(dates_are_shown_as_their_format_says),
        cmocka_unit_test(reads_numbers_of_characters),
        cmocka_unit_test(skips_what_is_no_text),
        cmocka_unit_test(survives_broken_rtf),
        cmocka_unit_test(joins_divided_words),
        cmocka_unit_test(drops_running_lines),
        cmocka_unit_test(bounds_what_lines_take),
        cmocka_unit_test(opens_ligatures),
        cmocka_unit_test(resolves_names),
        cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(warns_of_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
