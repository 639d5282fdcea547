/* What libarchive says is wrong: one line, as messages are, which its own are not always. */
#ifndef READ_ARCHIVE_FAILURE_H
#define READ_ARCHIVE_FAILURE_H

#include <archive.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { ARCHIVE_SAID = 256 };

static inline const char *archive_said(struct archive *archive, char said[ARCHIVE_SAID]) {
    const char *message = archive_error_string(archive);
    snprintf(said, ARCHIVE_SAID, "%s", message && *message ? message : "damaged data");
    for (size_t size = strlen(said); size && isspace((unsigned char)said[size - 1]); size--)
        said[size - 1] = 0;
    return said;
}

#endif
