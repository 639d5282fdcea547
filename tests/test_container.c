/*
 * What is in containers comes out as it was put in: random trees of archives in archives, of every kind and
 * compression that libarchive writes, from memory and in pieces. Then the limits, and who waits for whom.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "effort.h"
#include "read/container.h"

#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- making archives ---- */

enum { MOST = 1 << 20 };

struct making {
    uint64_t seed;
    struct buf expected; /* "id bytes\n" of every document, in order */
};

typedef int set_format(struct archive *archive);

static const struct {
    set_format *format;
    set_format *filter;
} kinds[] = {{archive_write_set_format_zip, archive_write_add_filter_none},
             {archive_write_set_format_7zip, archive_write_add_filter_none},
             {archive_write_set_format_pax_restricted, archive_write_add_filter_none},
             {archive_write_set_format_gnutar, archive_write_add_filter_gzip},
             {archive_write_set_format_ustar, archive_write_add_filter_bzip2},
             {archive_write_set_format_v7tar, archive_write_add_filter_xz},
             {archive_write_set_format_pax, archive_write_add_filter_zstd}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void write_member(struct archive *archive, const char *name, const void *bytes, size_t size) {
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)size);
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    if (size) assert_int_equal(archive_write_data(archive, bytes, size), size);
    archive_entry_free(entry);
}

static struct archive *begin_archive(size_t kind, uint8_t *room, size_t *used) {
    struct archive *archive = archive_write_new();
    assert_int_equal(kinds[kind].format(archive), ARCHIVE_OK);
    assert_int_equal(kinds[kind].filter(archive), ARCHIVE_OK);
    archive_write_set_bytes_in_last_block(archive, 1);
    assert_int_equal(archive_write_open_memory(archive, room, MOST, used), ARCHIVE_OK);
    return archive;
}

static void end_archive(struct archive *archive) {
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
}

static void expect(struct making *m, const char *id, const void *bytes, size_t size) {
    assert_true(buf_add_format(&m->expected, "%s ", id) && buf_add(&m->expected, bytes, size) &&
                buf_add_byte(&m->expected, '\n'));
}

/* An archive of random members, some of them archives; what is in it is expected behind itself. */
static size_t make_archive(struct making *m, const char *id, size_t kind, int depth, uint8_t *room) {
    size_t used = 0, count = 1 + rng_below(&m->seed, 4);
    struct archive *archive = begin_archive(kind, room, &used);
    for (size_t i = 0; i < count; i++) {
        char name[64], text[64];
        struct buf inner_id = {0};
        uint8_t *inner = NULL;
        snprintf(name, sizeof name, "%s%zu.txt", rng_below(&m->seed, 3) ? "" : "folder/../", i);
        assert_true(buf_add_format(&inner_id, "%s!/%s", id, name) && buf_add_byte(&inner_id, 0));
        const char *own = (const char *)inner_id.data;
        snprintf(text, sizeof text, "text %llu", (unsigned long long)rng_below(&m->seed, 1000000));
        if (depth && rng_below(&m->seed, 2)) {
            struct making below = {.seed = rng_next(&m->seed)};
            inner = malloc(MOST);
            assert_non_null(inner);
            size_t size = make_archive(&below, own, rng_below(&m->seed, KINDS), depth - 1, inner);
            write_member(archive, name, inner, size);
            expect(m, own, inner, size);
            assert_true(buf_add(&m->expected, below.expected.data, below.expected.len));
            buf_release(&below.expected);
        } else {
            write_member(archive, name, text, strlen(text));
            expect(m, own, text, strlen(text));
        }
        free(inner);
        buf_release(&inner_id);
    }
    end_archive(archive);
    return used;
}

/* ---- going through them ---- */

struct seen {
    struct buf documents, problems;
    struct container_visitor visitor;
    uint64_t stop_at; /* documents; 0: never */
    uint64_t count;
    int waiting, waited;
};

static stemma_status see(void *context, const struct contained *document, stemma_error *err) {
    struct seen *seen = context;
    (void)err;
    assert_int_equal(document->number, seen->count);
    seen->count++;
    assert_true(buf_add_format(&seen->documents, "%s ", document->id));
    assert_true(buf_add(&seen->documents, document->bytes, document->size));
    assert_true(buf_add_byte(&seen->documents, '\n'));
    seen->visitor.enough = seen->count == seen->stop_at;
    return STEMMA_OK;
}

static void see_problem(void *context, const char *id, const stemma_error *cause) {
    struct seen *seen = context;
    assert_non_null(strstr(cause->message, id));
    assert_true(buf_add_format(&seen->problems, "%s\n", cause->message));
}

static void seen_init(struct seen *seen) {
    *seen = (struct seen){.visitor = {.context = seen, .document = see, .problem = see_problem}};
}

static void seen_release(struct seen *seen) {
    buf_release(&seen->documents);
    buf_release(&seen->problems);
}

static const char *text_of(struct buf *buf) {
    assert_true(buf_add_byte(buf, 0));
    return (const char *)buf->data;
}

struct pieces {
    const uint8_t *data;
    size_t size, at, piece;
};

static stemma_status pull(void *context, uint8_t *bytes, size_t size, size_t *got, stemma_error *err) {
    struct pieces *p = context;
    (void)err;
    *got = p->size - p->at < p->piece ? p->size - p->at : p->piece;
    if (*got > size) *got = size;
    memcpy(bytes, p->data + p->at, *got);
    p->at += *got;
    return STEMMA_OK;
}

static const struct container_options roomy = {.held_most = 8 * MOST};

static void check_walk(const struct stream *stream, const struct buf *expected) {
    struct seen seen;
    seen_init(&seen);
    assert_int_equal(container_walk(stream, &roomy, &seen.visitor, NULL), STEMMA_OK);
    assert_string_equal(text_of(&seen.problems), "");
    assert_int_equal(seen.documents.len, expected->len);
    assert_memory_equal(seen.documents.data, expected->data, expected->len);
    seen_release(&seen);
}

static enum container_kind kind_of(const void *bytes, size_t size) {
    enum container_kind kind;
    assert_int_equal(container_look(NULL, bytes, size, &roomy.document, &kind, NULL), STEMMA_OK);
    return kind;
}

static void test_what_was_put_in_comes_out(void **state) {
    (void)state;
    uint8_t *room = malloc(MOST);
    assert_non_null(room);
    for (uint64_t round = 0; round < effort(70); round++) {
        struct making m = {.seed = round};
        size_t size = make_archive(&m, "top", round % KINDS, 3, room);
        struct pieces pieces = {room, size, 0, 1 + rng_below(&m.seed, 5000)};
        struct stream memory = stream_of_memory("top", room, size);
        struct stream pulled = stream_of_pull("top", NULL, 0, pull, &pieces);
        assert_int_equal(kind_of(room, size), CONTAINER_ARCHIVE);
        check_walk(&memory, &m.expected);
        check_walk(&pulled, &m.expected);
        buf_release(&m.expected);
    }
    free(room);
}

/* ---- limits ---- */

static size_t make_plain(size_t kind, size_t members, size_t size, uint8_t *room) {
    size_t used = 0;
    char name[32], *bytes = calloc(size + 1, 1);
    assert_non_null(bytes);
    struct archive *archive = begin_archive(kind, room, &used);
    for (size_t i = 0; i < members; i++) {
        snprintf(name, sizeof name, "%zu", i);
        memset(bytes, 'a' + (int)(i % 26), size);
        write_member(archive, name, bytes, size);
    }
    end_archive(archive);
    free(bytes);
    return used;
}

static void walk_with(const struct container_options *options, const uint8_t *bytes, size_t size,
                      struct seen *seen) {
    struct stream stream = stream_of_memory("top", bytes, size);
    assert_int_equal(container_walk(&stream, options, &seen->visitor, NULL), STEMMA_OK);
}

static void test_limits(void **state) {
    (void)state;
    uint8_t *room = malloc(MOST);
    assert_non_null(room);
    struct seen seen;
    for (size_t kind = 0; kind < KINDS; kind++) {
        size_t size = make_plain(kind, 20, 40000, room);
        struct container_options options = {.held_most = MOST, .document.limits.unpacked_most = 400000};
        seen_init(&seen);
        walk_with(&options, room, size, &seen);
        assert_in_range(seen.count, 1, 9); /* members and their list count, and compression again */
        assert_non_null(
            strstr(text_of(&seen.problems), "'top' unpacks to more than 400000 bytes: left at 'top"));
        seen_release(&seen);

        options = (struct container_options){.held_most = 30000};
        seen_init(&seen);
        walk_with(&options, room, size, &seen);
        assert_int_equal(seen.count, 0);
        assert_non_null(
            strstr(text_of(&seen.problems), "'top!/7' has to be held in memory, and is too large"));
        seen_release(&seen);

        seen_init(&seen);
        seen.stop_at = 3;
        walk_with(&roomy, room, size, &seen);
        assert_int_equal(seen.count, 3);
        seen_release(&seen);
    }
    free(room);
}

static void wait_for(void *context) {
    struct seen *seen = context;
    seen->waited++;
    assert_int_equal(seen->waiting++, 0);
}

static void go_on(void *context) {
    struct seen *seen = context;
    assert_int_equal(--seen->waiting, 0);
}

/* One inside the other, each larger than is free: asked for once at a time, and always given back. */
static void test_those_who_hold_much_wait(void **state) {
    (void)state;
    uint8_t *room = malloc(MOST), *outer = malloc(MOST);
    assert_true(room && outer);
    size_t used = 0, inner = make_plain(2, 3, 100000, room);
    struct archive *archive = begin_archive(0, outer, &used);
    for (int i = 0; i < 2; i++) write_member(archive, i ? "b" : "a", room, inner);
    end_archive(archive);
    struct seen seen;
    seen_init(&seen);
    struct container_options options = {
        .held_most = 4 * MOST, .held_freely = 1 << 17, .wait = wait_for, .go_on = go_on, .context = &seen};
    walk_with(&options, outer, used, &seen);
    assert_int_equal(seen.count, 8);
    assert_int_equal(seen.waited, 2);
    assert_int_equal(seen.waiting, 0);
    seen_release(&seen);
    free(room);
    free(outer);
}

static void test_encrypted(void **state) {
    (void)state;
    uint8_t *room = malloc(MOST);
    assert_non_null(room);
    size_t used = 0;
    struct seen seen;
    struct archive *archive = archive_write_new();
    archive_write_set_format_zip(archive);
    assert_int_equal(archive_write_set_options(archive, "zip:encryption=zipcrypt"), ARCHIVE_OK);
    assert_int_equal(archive_write_set_passphrase(archive, "secret"), ARCHIVE_OK);
    archive_write_set_bytes_in_last_block(archive, 1);
    assert_int_equal(archive_write_open_memory(archive, room, MOST, &used), ARCHIVE_OK);
    write_member(archive, "a.txt", "text", 4);
    end_archive(archive);
    seen_init(&seen);
    walk_with(&roomy, room, used, &seen);
    assert_int_equal(seen.count, 0);
    assert_string_equal(text_of(&seen.problems), "'top!/a.txt' is encrypted\n");
    seen_release(&seen);
    free(room);
}

/* A failure of the visitor is handed on from any depth, and is nobody's problem. */
static stemma_status refuse(void *context, const struct contained *document, stemma_error *err) {
    struct seen *seen = context;
    return ++seen->count < 3 ? STEMMA_OK : (fail)(err, STEMMA_NO_SPACE, "no more room for %s", document->id);
}

static stemma_status pass(void *context, const struct contained *document, stemma_error *err) {
    (void)context, (void)document, (void)err;
    return STEMMA_OK;
}

static void note_problem(void *context, const char *id, const stemma_error *cause) {
    (void)id;
    *(stemma_error *)context = *cause;
}

/* More names than memory should hold go to a file where the caller says. */
static void test_names_are_spilled_where_asked(void **state) {
    enum { MESSAGES = 60000 };
    static const char message[] = "From a 12:34\nFrom: a@b\nTo: c@d\nDate: x\n\nhi\n\n";
    struct buf mailbox = {0};
    stemma_error problem = {.message = ""};
    struct container_visitor visitor = {.context = &problem, .document = pass, .problem = note_problem};
    struct container_options options = roomy;
    (void)state;
    for (int i = 0; i < MESSAGES; i++) assert_true(buf_add(&mailbox, message, sizeof message - 1));
    struct stream stream = stream_of_memory("x.mbox", mailbox.data, mailbox.len);
    assert_int_equal(container_walk(&stream, &options, &visitor, NULL), STEMMA_OK);
    assert_string_equal(problem.message, "");
    options.document.limits.temporary_directory = "/nowhere/at/all";
    assert_int_equal(container_walk(&stream, &options, &visitor, NULL), STEMMA_OK);
    assert_non_null(strstr(problem.message, "/nowhere/at/all"));
    buf_release(&mailbox);
}

static void test_the_visitor_fails(void **state) {
    (void)state;
    uint8_t *room = malloc(MOST), *outer = malloc(MOST);
    assert_true(room && outer);
    size_t used = 0, inner = make_plain(3, 3, 100, room);
    struct archive *archive = begin_archive(0, outer, &used);
    write_member(archive, "a", room, inner);
    write_member(archive, "b", room, inner);
    end_archive(archive);
    struct seen seen;
    stemma_error error;
    struct stream stream = stream_of_memory("top", outer, used);
    seen_init(&seen);
    seen.visitor.document = refuse;
    assert_int_equal(container_walk(&stream, &roomy, &seen.visitor, &error), STEMMA_NO_SPACE);
    assert_string_equal(error.message, "no more room for top!/a!/1");
    assert_int_equal(seen.count, 3);
    assert_string_equal(text_of(&seen.problems), "");
    seen_release(&seen);
    free(room);
    free(outer);
}

static void test_interrupted(void **state) {
    (void)state;
    volatile int stop = 1;
    uint8_t *room = malloc(MOST);
    assert_non_null(room);
    struct container_options options = {.held_most = MOST, .stop = &stop};
    size_t size = make_plain(0, 3, 100, room);
    struct stream stream = stream_of_memory("top", room, size);
    struct seen seen;
    seen_init(&seen);
    assert_int_equal(container_walk(&stream, &options, &seen.visitor, NULL), STEMMA_INTERRUPTED);
    seen_release(&seen);
    free(room);
}

/* ---- by name ---- */

static void test_what_is_a_container(void **state) {
    (void)state;
    static const char headers[] = "From: a@b\nTo: c@d\nSubject: x\n";
    static const struct {
        const char *begins, *rest;
        enum container_kind kind;
    } cases[] = {{"PK\3\4", "", CONTAINER_ARCHIVE},
                 {"PK\5\6", "", CONTAINER_ARCHIVE},
                 {"PK", " is no zip", CONTAINER_NONE},
                 {"7z\xBC\xAF\x27\x1C", "", CONTAINER_ARCHIVE},
                 {"WARC/1.0\r\n", "WARC-Type: x\r\n", CONTAINER_WARC},
                 {"WARC/peace", "", CONTAINER_NONE},
                 {headers, "\nbody", CONTAINER_NONE},
                 {headers, "Content-Type: text/html\n\nbody", CONTAINER_NONE},
                 {headers, "Content-Type: multipart/mixed\n\nbody", CONTAINER_MAIL},
                 {headers, "Content-Type: application/pdf\n\nbody", CONTAINER_MAIL},
                 {"From me to you\n", headers, CONTAINER_MBOX},
                 {"From me to you\n", "and back", CONTAINER_NONE},
                 {"", "", CONTAINER_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512] = "";
        size_t size = (size_t)snprintf(text, sizeof text, "%s%s", cases[i].begins, cases[i].rest);
        assert_int_equal(kind_of(text, size), cases[i].kind);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_put_in_comes_out),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_those_who_hold_much_wait),
        cmocka_unit_test(test_encrypted),
        cmocka_unit_test(test_names_are_spilled_where_asked),
        cmocka_unit_test(test_the_visitor_fails),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_what_is_a_container),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
