#include "read/pdf.h"

#include "read/converter.h"
#include "read/damage.h"
#include "read/pages.h"

#include <string.h>

/* In the order of the file, which is nearly always that of reading: in the other, words that were divided are
 * joined by the program, and so are compounds. What it warns of "can be worked around; output will probably
 * be correct", what it calls an error has probably cost some. */
static const struct converter pdftotext = {.program = "pdftotext",
                                           .arguments = {"-raw", "-enc", "UTF-8", "-eol", "unix", "-", "-"},
                                           .chatter = "Syntax Warning",
                                           .advice = "PDF needs pdftotext (package poppler-utils)"};

stemma_status pdf_text(const uint8_t *bytes, size_t size, const struct reading_limits *limits,
                       struct buf *out, stemma_error *damage, stemma_error *err) {
    char words[CONVERTER_WORDS];
    struct buf pages = {0};
    stemma_status status = converter_run(&pdftotext, bytes, size, limits, &pages, words, err);
    if (status == STEMMA_CORRUPT && strstr(words, "Incorrect password"))
        status = fail(err, STEMMA_UNSUPPORTED, "it is encrypted");
    if (status == STEMMA_OK) status = pages_text(pages.data, pages.len, limits, out, err);
    if (words[0]) NOTE_DAMAGE(damage, "pdftotext says: %.*s", (int)strcspn(words, "\n"), words);
    buf_release(&pages);
    return status;
}
