/* Records of WARC files (ISO 28500), and the HTTP responses in them: what stands where. */
#ifndef READ_WARC_H
#define READ_WARC_H

#include "read/mail_header.h"

struct warc_record {
    bool document;              /* a response, a resource or a conversion, with a target */
    bool http;                  /* an HTTP response */
    struct text_span uri, type; /* of the header */
    uint64_t length;            /* of what follows the header */
};

/* From the header of a record, with its first line; false: it is none. */
bool warc_header(struct text_span header, struct warc_record *record);

enum http_coding { HTTP_PLAIN, HTTP_COMPRESSED, HTTP_DEFLATED, HTTP_BROTLI, HTTP_UNKNOWN };
enum { HTTP_CODINGS_MOST = 4 };

struct http_response {
    unsigned status;
    struct text_span body, type;
    bool chunked, too_many_codings;
    enum http_coding codings[HTTP_CODINGS_MOST]; /* one upon the other, the outermost last; none is PLAIN */
    size_t coding_count;
    char unknown[HEADER_WORD_MOST]; /* a coding that is not known; "": all are */
};

bool http_response(struct text_span block, struct http_response *response);
/* Takes the marks of chunks out, in place, and says how much is left; a body that is cut off ends there. */
size_t http_join_chunks(uint8_t *bytes, size_t size);

#endif
