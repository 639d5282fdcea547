/* Mail: which part is the body, which are files, and what the encodings around them mean. And the layers of
 * WARC. */
#include "read/mail.h"
#include "read/mail_header.h"
#include "read/warc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct text_span span(const char *text) {
    return (struct text_span){(const uint8_t *)text, strlen(text)};
}

static void expect_text(struct buf *buf, const char *expected) {
    assert_true(buf_add_byte(buf, 0));
    assert_string_equal((const char *)buf->data, expected);
    buf->len = 0;
}

/* ---- headers ---- */

static void test_fields(void **state) {
    (void)state;
    struct text_span text = span("A: b\r\nLong:  one\r\n two\n\tthree \nEmpty:\n\nbody");
    static const char *const expected[][2] = {{"A", "b"}, {"Long", "one\r\n two\n\tthree"}, {"Empty", ""}};
    struct header_field field;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(header_next(&text, &field), HEADER_FIELD);
        assert_true(span_is(field.name, expected[i][0]));
        assert_true(span_is(field.value, expected[i][1]));
    }
    assert_int_equal(header_next(&text, &field), HEADER_END);
    assert_true(span_is(text, "body"));
    assert_int_equal(header_next(&text, &field), HEADER_NONE);
    text = span("");
    assert_int_equal(header_next(&text, &field), HEADER_END);
}

static void test_parameters(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"x; n=plain", "plain"},
        {"x; other=1; N = spaced ; m=2", "spaced"},
        {"x; n=\"a; \\\"b\\\"\"; n=second", "a; \"b\""},
        {"x; n==?utf-8?Q?a=20b_c?=", "a b c"},
        {"x; n=\"=?iso-8859-1?q?=E9?= =?utf-8?B?w6k=?= e\"", "\xC3\xA9\xC3\xA9 e"},
        {"x; n=\"=?utf-8?q?broken\"", "=?utf-8?q?broken"},
        {"x; n*=utf-8'en'%e2%82%ac%zz", "\xE2\x82\xAC%zz"},
        {"x; n*0=\"one \"; n*1*=%74wo; n*2=\" three\"", "one two three"},
        {"x; n*0*=windows-1251''%CF; n*1*=%F0", "\xD0\x9F\xD1\x80"},
        {"x; n*1=later; n*0=first", "first"},
        {"x; n*=utf-8''new; n=old", "new"},
        {"x; m=1", ""},
        {"x", ""},
        {"x; n", ""},
        {"x; n=", ""},
        {"x; n=\"open", "open"}};
    struct buf out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(header_parameter(span(cases[i][0]), "n", &out));
        expect_text(&out, cases[i][1]);
    }
    buf_release(&out);
}

static void test_transfer_encodings(void **state) {
    (void)state;
    static const struct {
        bool (*decode)(const uint8_t *bytes, size_t size, struct buf *out);
        const char *from, *to;
    } cases[] = {{decode_base64, "YQ==", "a"},
                 {decode_base64, "YWI=", "ab"},
                 {decode_base64, "Y W\r\nJj!", "abc"},
                 {decode_base64, "YQ==YWI=", "aab"},
                 {decode_base64, "YWJ", "ab"},
                 {decode_base64, "", ""},
                 {decode_quoted_printable, "a=20b=3D=C3=a9", "a b=\xC3\xA9"},
                 {decode_quoted_printable, "soft=\nbreak=  \r\nagain=", "softbreakagain"},
                 {decode_quoted_printable, "=zz = a", "=zz = a"}};
    struct buf out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(cases[i].decode((const uint8_t *)cases[i].from, strlen(cases[i].from), &out));
        expect_text(&out, cases[i].to);
    }
    buf_release(&out);
}

static void test_charsets(void **state) {
    (void)state;
    static const char *const cases[][3] = {{"utf-8", "\xC3\xA9", "\xC3\xA9"},
                                           {"", "\xC3\xA9", "\xC3\xA9"},
                                           {"ISO-8859-1", "\xE9", "\xC3\xA9"},
                                           {"unheard-of", "\xE9", "\xC3\xA9"},
                                           {"KOI8-R", "\xF0", "\xD0\x9F"},
                                           {"cp1251", "\xCF", "\xD0\x9F"},
                                           {"ks_c_5601-1987", "\xB0\xA1", "\xEA\xB0\x80"}};
    struct buf out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(
            mail_decode_charset(cases[i][0], (const uint8_t *)cases[i][1], strlen(cases[i][1]), &out));
        expect_text(&out, cases[i][2]);
    }
    buf_release(&out);
}

/* ---- parts ---- */

static stemma_status take(void *context, const char *name, struct text_span type, const uint8_t *bytes,
                          size_t size, stemma_error *err) {
    (void)type, (void)err;
    assert_true(buf_add_format(context, "[%s|%.*s]", name, (int)size, (const char *)bytes));
    return STEMMA_OK;
}

/* The body, then "[name|content]" of each file. */
static void expect_mail(const char *mail, const char *body, const char *files) {
    struct buf scratch = {0}, out = {0};
    assert_int_equal(mail_text((const uint8_t *)mail, strlen(mail), &scratch, &out, NULL, NULL), STEMMA_OK);
    expect_text(&out, body);
    assert_int_equal(mail_files((const uint8_t *)mail, strlen(mail), take, &out, NULL), STEMMA_OK);
    expect_text(&out, files);
    buf_release(&scratch);
    buf_release(&out);
}

#define MULTI(kind) "From: a\nContent-Type: multipart/" kind "; boundary=\"=b=\"\n\npreamble\n"
#define PART(type)  "--=b=\nContent-Type: " type "\n\n"
#define END         "--=b=--\nepilogue\n"

static void test_bodies_and_files(void **state) {
    (void)state;
    expect_mail("From: a\n\nbody\n", "body\n", "");
    expect_mail("From: a\nContent-Type: text/html\n\n<i>a&amp;b</i>", "a&b", "");
    expect_mail("From: a\nContent-Type: application/x\n\nabc", "", "[part-0|abc]");
    expect_mail(MULTI("mixed") PART("text/plain") "one\n" PART("image/x; name=i") "two\n" PART(
                    "text/plain") "three\n" END,
                "one\nthree", "[i|two]");
    expect_mail(MULTI("alternative") PART("text/html") "<i>page</i>\n" PART("text/plain") "plain\n" END,
                "plain", "");
    expect_mail(MULTI("alternative") PART("text/html") "<i>page</i>\n" PART("text/calendar") "cal\n" END,
                "page", "[part-2|cal]");
    expect_mail(MULTI("related") PART("text/html") "page\n" PART("image/x") "img\n" END, "page",
                "[part-2|img]");
    expect_mail(MULTI("mixed")
                    PART("text/plain; name=a.txt") "named\n" PART("message/rfc822") "From: x\n\nold\n" END,
                "", "[a.txt|named][part-2.eml|From: x\n\nold]");
    expect_mail(MULTI("mixed") PART("text/plain\nContent-Disposition: ATTACHMENT") "file\n" END, "",
                "[part-1|file]");
    expect_mail(MULTI("digest") "--=b=\n\nFrom: x\n\none\n" END, "", "[part-1|From: x\n\none]");
    expect_mail(MULTI("mixed") PART("text/plain; name=\"a\"\nContent-Transfer-Encoding: base64") "YWJj\n" END,
                "", "[a|abc]");
}

static void test_one_inside_the_other(void **state) {
    (void)state;
    expect_mail(
        "From: a\nContent-Type: multipart/mixed; boundary=out\n\n"
        "--out\nContent-Type: multipart/alternative; boundary=in\n\n"
        "--in\n\nplain\n--in\nContent-Type: multipart/related; boundary=deep\n\n"
        "--deep\nContent-Type: text/html\n\npage\n--deep\nContent-Type: image/x; name=i\n\nimg\n--deep--\n"
        "--in--\n--out\n\nfooter\n--out--\n",
        "plain\nfooter", "[i|img]");
}

static void expect_more(const char *mail, bool expected) {
    bool more = !expected;
    assert_int_equal(mail_says_more((const uint8_t *)mail, strlen(mail), &more, NULL), STEMMA_OK);
    assert_int_equal(more, expected);
}

static void test_what_the_body_leaves_out(void **state) {
    (void)state;
    expect_more("From: a\n\nbody\n", false);
    expect_more(MULTI("mixed") PART("text/plain") "one\n" PART("text/html") "two\n" END, false);
    expect_more(MULTI("alternative") PART("text/plain") "Read [1] our\n*news*.\n1: http://a\n" PART(
                    "text/html") "<a href=\"http://a\">Read</a>&nbsp;our <b>News</b>!\n" END,
                false);
    expect_more(MULTI("alternative") PART("text/plain") "Open it in your browser.\n" PART(
                    "text/html") "<p>The news: all is well.\n" END,
                true);
    expect_more(MULTI("alternative") PART("text/plain") "one two\n" PART("text/html") "two one\n" END, true);
    expect_more(MULTI("alternative") PART("text/plain") "\n" PART("text/html") "<img src=x>\n" END, false);
    expect_more("From: a\nContent-Type: multipart/alternative; boundary=out\n\n--out\n\nplain\n"
                "--out\nContent-Type: multipart/alternative; boundary=in\n\n"
                "--in\n\nplain\n--in\nContent-Type: text/html\n\npage\n--in--\n--out--\n",
                true);
}

static void test_boundaries(void **state) {
    (void)state;
    /* Not a boundary: another one that begins like it, and one in the middle of a line. */
    expect_mail(
        "From: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n--bb\nx --b\n--b  \r\n\r\ntwo\r\n--b--",
        "--bb\nx --b\ntwo", "");
    expect_mail("From: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nnever ends\n", "never ends\n",
                "");
    expect_mail("From: a\nContent-Type: multipart/mixed; boundary=b\n\nno parts\n", "no parts\n", "");
    expect_mail("From: a\nContent-Type: multipart/mixed\n\nno boundary\n", "no boundary\n", "");
}

/* ---- WARC and HTTP ---- */

static void test_records(void **state) {
    (void)state;
    struct warc_record record;
    assert_true(warc_header(span("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://a/>\r\n"
                                 "Content-Type: application/http;msgtype=response\r\nContent-Length: 12\r\n"),
                            &record));
    assert_true(record.document && record.http && record.length == 12 && span_is(record.uri, "http://a/"));
    assert_true(
        warc_header(span("WARC/1.1\nwarc-type: RESOURCE\nwarc-target-uri: u\ncontent-length: 0\n"), &record));
    assert_true(record.document && !record.http && record.length == 0);
    assert_true(
        warc_header(span("WARC/1.0\nWARC-Type: request\nWARC-Target-URI: u\nContent-Length: 1\n"), &record));
    assert_false(record.document);
    assert_false(warc_header(span("WARC/1.0\nWARC-Type: resource\n"), &record));
    assert_false(warc_header(span("WARC/1.0\nContent-Length: 99999999999999999999999\n"), &record));
    assert_false(warc_header(span("HTTP/1.0\nContent-Length: 1\n"), &record));
}

static void test_responses(void **state) {
    (void)state;
    struct http_response response;
    assert_true(http_response(span("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody"), &response));
    assert_true(response.status == 200 && span_is(response.body, "body") && !response.chunked);
    assert_int_equal(response.coding_count, 0);
    assert_true(http_response(span("HTTP/1.1 200\nContent-Encoding: X-Gzip\nTransfer-Encoding: Chunked\n\n"),
                              &response));
    assert_true(response.chunked && response.coding_count == 1 && response.body.size == 0);
    assert_int_equal(response.codings[0], HTTP_COMPRESSED);
    assert_true(http_response(span("HTTP/1.1 404 No\nContent-Encoding: br, none ,gzip\n\n"), &response));
    assert_true(response.status == 404 && response.coding_count == 2 && !*response.unknown);
    assert_true(response.codings[0] == HTTP_BROTLI && response.codings[1] == HTTP_COMPRESSED);
    assert_true(http_response(span("HTTP/1.1 200 OK\nContent-Encoding: compress\n\n"), &response));
    assert_string_equal(response.unknown, "compress");
    assert_false(http_response(span("GET / HTTP/1.1\n\n"), &response));
}

static void test_chunks(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"3\r\nabc\r\n0\r\n\r\n", "abc"},
                                           {"3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde"},
                                           {"A\r\n0123456789\r\n", "0123456789"},
                                           {"5\r\nab", "ab"},
                                           {"<html>", "<html>"},
                                           {"0\r\n\r\n", ""},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[64];
        snprintf(bytes, sizeof bytes, "%s", cases[i][0]);
        size_t size = http_join_chunks((uint8_t *)bytes, strlen(bytes));
        assert_int_equal(size, strlen(cases[i][1]));
        assert_memory_equal(bytes, cases[i][1], size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_transfer_encodings),
        cmocka_unit_test(test_charsets),
        cmocka_unit_test(test_bodies_and_files),
        cmocka_unit_test(test_one_inside_the_other),
        cmocka_unit_test(test_what_the_body_leaves_out),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_responses),
        cmocka_unit_test(test_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
