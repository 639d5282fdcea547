/*
 * Mail (RFC 5322 with MIME): the text of its body, and its attachments. docs/design/containers.md says which
 * part is which, and why there is no library for it.
 */
#ifndef READ_MAIL_H
#define READ_MAIL_H

#include "base/buf.h"
#include "base/error.h"
#include "read/mail_header.h"

/* Whether bytes that begin so are a mail; *files: it may hold more than its body. */
bool mail_look(const uint8_t *bytes, size_t size, bool *files);

/* Append the text of the body, as UTF-8. scratch is used and emptied. That the mail ends before its last
 * boundary is damage. */
stemma_status mail_text(const uint8_t *bytes, size_t size, struct buf *scratch, struct buf *out,
                        stemma_error *damage, stemma_error *err);

/* Whether another form of the body, which is not its text, has words that the text has not: a page, say,
 * beside the advice to open it in a browser. */
stemma_status mail_says_more(const uint8_t *bytes, size_t size, bool *more, stemma_error *err);

/* What is attached, one after the other, decoded; KERNEL_SLACK bytes behind it may be read. type: as its
 * header says, with parameters. What `take` returns, if it is not OK, ends it. */
typedef stemma_status mail_take(void *context, const char *name, struct text_span type, const uint8_t *bytes,
                                size_t size, stemma_error *err);
stemma_status mail_files(const uint8_t *bytes, size_t size, mail_take *take, void *context,
                         stemma_error *err);

#endif
