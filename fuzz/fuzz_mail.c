/*
 * Any mail has a body and attachments, the same each time, together not longer than a few times itself; a
 * body is UTF-8 wherever the mail is ASCII.
 *
 * Input: the mail.
 */
#include "fuzz.h"

#include "base/alloc.h"
#include "read/mail.h"

static stemma_status take(void *context, const char *name, struct text_span type, const uint8_t *bytes,
                          size_t size, stemma_error *err) {
    struct buf *all = context;
    enum encoding charset;
    REQUIRE(declares_charset(type, bytes, size, &charset, err) == STEMMA_OK);
    REQUIRE(*name);
    REQUIRE(buf_add_string(all, name) && (!size || buf_add(all, bytes, size)));
    return STEMMA_OK;
}

static void read_mail(const uint8_t *data, size_t size, struct buf *body, struct buf *files) {
    struct buf scratch = {0};
    REQUIRE(mail_text(data, size, &scratch, body, NULL, NULL) == STEMMA_OK);
    REQUIRE(mail_files(data, size, take, files, NULL) == STEMMA_OK);
    buf_release(&scratch);
}

static void check_same(const struct buf *a, const struct buf *b) {
    REQUIRE(a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len)));
}

/* The same each time, whatever there is to compare. */
static void check_more(const uint8_t *data, size_t size) {
    bool more, more_again;
    REQUIRE(mail_says_more(data, size, &more, NULL) == STEMMA_OK);
    REQUIRE(mail_says_more(data, size, &more_again, NULL) == STEMMA_OK);
    REQUIRE(more == more_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buf body = {0}, files = {0}, body_again = {0}, files_again = {0};
    bool any;
    mail_look(data, size, &any);
    read_mail(data, size, &body, &files);
    read_mail(data, size, &body_again, &files_again);
    check_more(data, size);
    check_same(&body, &body_again);
    check_same(&files, &files_again);
    REQUIRE(body.len <= 4 * size + 16);   /* a byte of Latin-1 has up to three, and each part a line end */
    REQUIRE(files.len <= 12 * size + 64); /* a short part may have a long name */
    buf_release(&body);
    buf_release(&files);
    buf_release(&body_again);
    buf_release(&files_again);
    return 0;
}
