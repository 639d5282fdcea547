/*
 * The parts of a mail are found once and listed, parents before children; what is said of them follows from
 * the list, so that no nesting makes anything be looked at again and again.
 */
#include "read/mail.h"

#include "base/alloc.h"
#include "kernels/kernels.h"
#include "read/damage.h"
#include "read/html.h"
#include "text/tokens.h"

#include <string.h>
#include <strings.h>

/* ---- is it one ---- */

/* Anything may begin with a word and a colon: a mail says from whom it is, and two things more. */
enum { LOOK = 1 << 16, SIGNS = 2 };

static bool is_one_of(struct text_span name, const char *const *words) {
    for (; *words; words++)
        if (name.size && (name.at[0] | 0x20) == **words && span_is(name, *words)) return true;
    return false;
}

static bool begins_with(struct text_span value, const char *word) {
    return value.size >= strlen(word) && !strncasecmp((const char *)value.at, word, strlen(word));
}

static bool is_letter(uint8_t byte) {
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

/* What most texts are not, at the price of their first word: a field that mail may begin with. */
static bool begins_like_mail(const uint8_t *bytes, size_t size) {
    static const char *const names[] = {
        "return-path", "received",     "delivered-to", "from",       "date",         "to",
        "subject",     "message-id",   "mime-version", "sender",     "reply-to",     "cc",
        "bcc",         "references",   "in-reply-to",  "newsgroups", "path",         "xref",
        "status",      "content-type", "envelope-to",  "user-agent", "organization", NULL};
    static const char *const families[] = {"x-",      "arc-", "dkim-", "list-", "authentication-",
                                           "resent-", NULL};
    enum { NAME_MOST = 64 };
    size_t at = 0;
    while (at < size && at < NAME_MOST && (is_letter(bytes[at]) || (at && bytes[at] == '-'))) at++;
    if (!at || at == size || bytes[at] != ':') return false;
    for (const char *const *family = families; *family; family++)
        if (begins_with((struct text_span){bytes, at}, *family)) return true;
    return is_one_of((struct text_span){bytes, at}, names);
}

bool mail_look(const uint8_t *bytes, size_t size, bool *files) {
    static const char *const senders[] = {"from", "sender", "return-path", NULL};
    static const char *const signs[] = {
        "date",        "message-id",   "received",     "subject",    "to",
        "cc",          "mime-version", "reply-to",     "references", "newsgroups",
        "in-reply-to", "content-type", "organization", "lines",      NULL};
    struct text_span text = {bytes, size < LOOK ? size : LOOK};
    struct header_field field;
    enum header_step step;
    bool sent = false;
    int found = 0;
    *files = false;
    if (!begins_like_mail(bytes, size)) return false;
    while ((step = header_next(&text, &field)) == HEADER_FIELD) {
        sent |= is_one_of(field.name, senders);
        found += is_one_of(field.name, signs);
        if (span_is(field.name, "content-type")) *files = !begins_with(field.value, "text/");
    }
    bool cut = size > LOOK && text.size && !memchr(text.at, '\n', text.size);
    return (step == HEADER_END || cut) && sent && found >= SIGNS;
}

/* ---- parts ---- */

enum part_kind {
    PART_PLAIN, /* of the body */
    PART_HTML,  /* likewise */
    PART_ALTERNATIVE,
    PART_SEVERAL,
    PART_FILE
};

/* What is deeper or more stays one part, as it stands. */
enum { DEPTH_MOST = 32, PARTS_MOST = 4096, NO_PART = UINT32_MAX };

struct part {
    struct text_span header, body;
    enum part_kind kind;
    uint32_t first, next; /* child, sibling */
    bool plain, html;     /* such a body is in it */
    bool chosen;          /* it is of the body, and not another form of it */
};

struct mail {
    struct part *parts;
    size_t count, cap;
    const uint8_t *end; /* of its bytes */
    bool cut;           /* they end before the boundary that ends the parts */
};

/* The value of a field; empty where there is none. */
static struct text_span field_of(struct text_span header, const char *name) {
    struct header_field field;
    while (header_next(&header, &field) == HEADER_FIELD)
        if (span_is(field.name, name)) return field.value;
    return (struct text_span){NULL, 0};
}

static bool part_name(const struct part *part, struct buf *out) {
    if (!header_parameter(field_of(part->header, "content-disposition"), "filename", out)) return false;
    return out->len || header_parameter(field_of(part->header, "content-type"), "name", out);
}

static stemma_status part_kind(struct part *part, bool digest, stemma_error *err) {
    char type[HEADER_WORD_MOST], disposition[HEADER_WORD_MOST];
    struct buf name = {0};
    bool done = true;
    header_word(field_of(part->header, "content-type"), type);
    header_word(field_of(part->header, "content-disposition"), disposition);
    part->kind = PART_FILE;
    if (!strncmp(type, "multipart/", 10))
        part->kind = strcmp(type + 10, "alternative") ? PART_SEVERAL : PART_ALTERNATIVE;
    else if (strcmp(disposition, "attachment") && !(digest && !*type)) {
        if (!*type || !strcmp(type, "text/plain") || !strcmp(type, "text")) part->kind = PART_PLAIN;
        if (!strcmp(type, "text/html")) part->kind = PART_HTML;
        done = part_name(part, &name);
        if (name.len) part->kind = PART_FILE;
    }
    buf_release(&name);
    return done ? STEMMA_OK : fail_memory(err);
}

/* Whether a line is the boundary; *last: the one behind all parts. */
static bool is_boundary(struct text_span line, const struct buf *boundary, bool *last) {
    if (line.size < boundary->len + 2 || memcmp(line.at, "--", 2) ||
        memcmp(line.at + 2, boundary->data, boundary->len))
        return false;
    line.at += boundary->len + 2;
    line.size -= boundary->len + 2;
    *last = line.size >= 2 && !memcmp(line.at, "--", 2);
    for (size_t i = *last ? 2 : 0; i < line.size; i++)
        if (!strchr(" \t\r\n", line.at[i]) || !line.at[i]) return false;
    return true;
}

/* The next part of a body, from behind one boundary to before the next, whose line end is not its own. */
static bool next_span(struct text_span *body, const struct buf *boundary, struct text_span *part,
                      bool *last) {
    struct text_span line;
    part->at = body->at;
    part->size = 0;
    while (span_line(body, &line)) {
        if (is_boundary(line, boundary, last)) {
            if (part->size && part->at[part->size - 1] == '\n') part->size--;
            if (part->size && part->at[part->size - 1] == '\r') part->size--;
            return true;
        }
        part->size += line.size;
    }
    *last = true;
    return part->size > 0;
}

static stemma_status add_part(struct mail *mail, struct text_span text, bool digest, uint32_t *number,
                              stemma_error *err) {
    struct part part = {.first = NO_PART, .next = NO_PART};
    struct header_field field;
    struct text_span rest = text;
    while (header_next(&rest, &field) == HEADER_FIELD) {
    }
    part.header = (struct text_span){text.at, text.size - rest.size};
    part.body = rest;
    TRY(part_kind(&part, digest, err));
    if (!mem_grow((void **)&mail->parts, &mail->cap, mail->count + 1, sizeof part)) return fail_memory(err);
    *number = (uint32_t)mail->count;
    mail->parts[mail->count++] = part;
    return STEMMA_OK;
}

/* Behind each part, and what stands before the first, there is a boundary. */
static void note_end(struct mail *mail, struct text_span part) {
    mail->cut |= part.at + part.size == mail->end;
}

static stemma_status divide(struct mail *mail, uint32_t number, int depth, stemma_error *err);

static stemma_status add_children(struct mail *mail, uint32_t parent, const struct buf *boundary, bool digest,
                                  int depth, stemma_error *err) {
    struct text_span body = mail->parts[parent].body, text;
    uint32_t before = NO_PART, child;
    bool last = false;
    next_span(&body, boundary, &text, &last); /* what stands before the first boundary is for old programs */
    note_end(mail, text);
    while (!last && mail->count < PARTS_MOST) {
        const bool found = next_span(&body, boundary, &text, &last);
        note_end(mail, text);
        if (!found) break;
        TRY(add_part(mail, text, digest, &child, err));
        if (before == NO_PART)
            mail->parts[parent].first = child;
        else
            mail->parts[before].next = child;
        before = child;
        TRY(divide(mail, child, depth + 1, err));
    }
    return STEMMA_OK;
}

/* Parts that have parts get them; those that cannot be divided are text. */
static stemma_status divide(struct mail *mail, uint32_t number, int depth, stemma_error *err) {
    struct part *part = &mail->parts[number];
    struct text_span type = field_of(part->header, "content-type");
    struct buf boundary = {0};
    if (part->kind != PART_SEVERAL && part->kind != PART_ALTERNATIVE) return STEMMA_OK;
    stemma_status status = header_parameter(type, "boundary", &boundary) ? STEMMA_OK : fail_memory(err);
    if (status == STEMMA_OK && boundary.len && depth < DEPTH_MOST)
        status = add_children(mail, number, &boundary, begins_with(type, "multipart/digest"), depth, err);
    if (mail->parts[number].first == NO_PART) mail->parts[number].kind = PART_PLAIN;
    buf_release(&boundary);
    return status;
}

/* Children come behind their parents, so from behind each is known when it is asked. */
static void find_bodies(struct mail *mail) {
    for (size_t i = mail->count; i-- > 0;) {
        struct part *part = &mail->parts[i];
        part->plain = part->kind == PART_PLAIN;
        part->html = part->kind == PART_HTML;
        for (uint32_t child = part->first; child != NO_PART; child = mail->parts[child].next) {
            part->plain |= mail->parts[child].plain;
            part->html |= mail->parts[child].html;
        }
    }
}

/* Of several forms of one text the plain one is what was written; the other was made from it. */
static uint32_t choose(const struct mail *mail, const struct part *part) {
    for (uint32_t child = part->first; child != NO_PART; child = mail->parts[child].next)
        if (part->plain ? mail->parts[child].plain : mail->parts[child].html) return child;
    return NO_PART;
}

/* And from before, parents say it of their children. */
static void choose_bodies(struct mail *mail) {
    mail->parts[0].chosen = true;
    for (size_t i = 0; i < mail->count; i++) {
        const struct part *part = &mail->parts[i];
        uint32_t form = part->kind == PART_ALTERNATIVE ? choose(mail, part) : NO_PART;
        for (uint32_t child = part->first; child != NO_PART; child = mail->parts[child].next)
            mail->parts[child].chosen = part->chosen && (part->kind == PART_SEVERAL || child == form);
    }
}

static stemma_status mail_open(struct mail *mail, const uint8_t *bytes, size_t size, stemma_error *err) {
    uint32_t root;
    *mail = (struct mail){.end = bytes + size};
    stemma_status status = add_part(mail, (struct text_span){bytes, size}, false, &root, err);
    if (status == STEMMA_OK) status = divide(mail, root, 0, err);
    if (status != STEMMA_OK) return status;
    find_bodies(mail);
    choose_bodies(mail);
    return STEMMA_OK;
}

static void mail_close(struct mail *mail) {
    mem_free(mail->parts);
}

/* ---- what is in a part ---- */

/* *bytes are those of the part, or in out. */
static stemma_status transfer_decode(const struct part *part, struct buf *out, struct text_span *bytes,
                                     stemma_error *err) {
    char encoding[HEADER_WORD_MOST];
    const struct text_span *body = &part->body;
    bool done = true, base64, quoted;
    header_word(field_of(part->header, "content-transfer-encoding"), encoding);
    base64 = !strcmp(encoding, "base64");
    quoted = !strcmp(encoding, "quoted-printable");
    out->len = 0;
    *bytes = *body;
    if (base64) done = decode_base64(body->at, body->size, out);
    if (quoted) done = decode_quoted_printable(body->at, body->size, out);
    if (!done || !buf_reserve(out, KERNEL_SLACK)) return fail_memory(err);
    if (base64 || quoted) *bytes = (struct text_span){out->data, out->len};
    return STEMMA_OK;
}

/* ---- the body ---- */

/* Scratch: what a part is made of, its characters. */
struct leaf {
    struct buf bytes, *text;
};

static stemma_status add_leaf(struct leaf *leaf, const struct part *part, struct buf *out,
                              stemma_error *err) {
    struct text_span bytes;
    struct buf charset = {0};
    TRY(transfer_decode(part, &leaf->bytes, &bytes, err));
    leaf->text->len = 0;
    bool done = header_parameter(field_of(part->header, "content-type"), "charset", &charset) &&
                buf_add_byte(&charset, 0) &&
                mail_decode_charset((const char *)charset.data, bytes.at, bytes.size, leaf->text) &&
                (!out->len || buf_add_byte(out, '\n'));
    if (done)
        done = part->kind == PART_HTML ? html_text(leaf->text->data, leaf->text->len, out)
                                       : buf_add(out, leaf->text->data, leaf->text->len);
    buf_release(&charset);
    return done ? STEMMA_OK : fail_memory(err);
}

/* The text of the body, or what was left out of it. Parts are listed as they stand in the mail. */
static stemma_status add_leaves(const struct mail *mail, bool body, struct buf *scratch, struct buf *out,
                                stemma_error *err) {
    struct leaf leaf = {.text = scratch};
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < mail->count && status == STEMMA_OK; i++) {
        const struct part *part = &mail->parts[i];
        if (part->chosen == body && (part->kind == PART_PLAIN || part->kind == PART_HTML))
            status = add_leaf(&leaf, part, out, err);
    }
    buf_release(&leaf.bytes);
    return status;
}

stemma_status mail_text(const uint8_t *bytes, size_t size, struct buf *scratch, struct buf *out,
                        stemma_error *damage, stemma_error *err) {
    struct mail mail;
    stemma_status status = mail_open(&mail, bytes, size, err);
    if (status == STEMMA_OK) status = add_leaves(&mail, true, scratch, out, err);
    if (mail.cut) NOTE_DAMAGE(damage, "it ends before its last part does");
    mail_close(&mail);
    scratch->len = 0;
    return status;
}

/* ---- what the body leaves out ---- */

static stemma_status canonical(struct buf *text, struct buf *scratch, stemma_error *err) {
    struct canon *canon;
    scratch->len = 0;
    TRY(canon_new(FOLD_TEXT, UNIT_WORD, NULL, &canon, err));
    stemma_status status = canon_feed(canon, text->data, text->len, scratch, err);
    if (status == STEMMA_OK) status = canon_finish(canon, scratch, err);
    canon_free(canon);
    struct buf made = *scratch;
    *scratch = *text;
    *text = made;
    return status;
}

/* Whether all words of `some` are among those of `all`, in their order: a plain form adds the addresses of
 * links, and takes nothing away. */
static bool has_words(const struct buf *all, const struct buf *some) {
    struct token word, other;
    size_t at = 0, in = 0;
    while (token_next(UNIT_WORD, some->data, some->len, true, &at, &word)) {
        const size_t size = word.end - word.begin;
        do {
            if (!token_next(UNIT_WORD, all->data, all->len, true, &in, &other)) return false;
        } while (other.end - other.begin != size ||
                 memcmp(all->data + other.begin, some->data + word.begin, size));
    }
    return true;
}

static stemma_status compare_forms(const struct mail *mail, bool *more, stemma_error *err) {
    struct buf scratch = {0}, body = {0}, others = {0};
    stemma_status status = add_leaves(mail, false, &scratch, &others, err);
    if (status == STEMMA_OK && others.len) {
        status = add_leaves(mail, true, &scratch, &body, err);
        if (status == STEMMA_OK) status = canonical(&others, &scratch, err);
        if (status == STEMMA_OK) status = canonical(&body, &scratch, err);
        if (status == STEMMA_OK) *more = !has_words(&body, &others);
    }
    buf_release(&scratch);
    buf_release(&body);
    buf_release(&others);
    return status;
}

stemma_status mail_says_more(const uint8_t *bytes, size_t size, bool *more, stemma_error *err) {
    struct mail mail;
    *more = false;
    stemma_status status = mail_open(&mail, bytes, size, err);
    if (status == STEMMA_OK) status = compare_forms(&mail, more, err);
    mail_close(&mail);
    return status;
}

/* ---- attachments ---- */

/* As it is called, or by its place; without a NUL inside. */
static stemma_status name_of(const struct part *part, size_t number, struct buf *name, stemma_error *err) {
    char type[HEADER_WORD_MOST];
    if (!part_name(part, name)) return fail_memory(err);
    header_word(field_of(part->header, "content-type"), type);
    if (name->len && memchr(name->data, 0, name->len)) name->len = strlen((const char *)name->data);
    bool named =
        name->len || buf_add_format(name, "part-%zu%s", number, strcmp(type, "message/rfc822") ? "" : ".eml");
    return named && buf_add_byte(name, 0) ? STEMMA_OK : fail_memory(err);
}

stemma_status mail_files(const uint8_t *bytes, size_t size, mail_take *take, void *context,
                         stemma_error *err) {
    struct mail mail;
    struct buf name = {0}, decoded = {0};
    struct text_span file;
    stemma_status status = mail_open(&mail, bytes, size, err);
    for (size_t i = 0; i < mail.count && status == STEMMA_OK; i++) {
        if (mail.parts[i].kind != PART_FILE) continue;
        status = name_of(&mail.parts[i], i, &name, err);
        if (status == STEMMA_OK) status = transfer_decode(&mail.parts[i], &decoded, &file, err);
        if (status == STEMMA_OK)
            status = take(context, (const char *)name.data, field_of(mail.parts[i].header, "content-type"),
                          file.at, file.size, err);
    }
    buf_release(&name);
    buf_release(&decoded);
    mail_close(&mail);
    return status;
}
