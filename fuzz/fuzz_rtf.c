/*
 * Whatever pretends to be RTF has a text in UTF-8, not much longer than itself; lines and pages become
 * running text that is not longer, ligatures aside.
 *
 * Input: the document.
 */
#include "fuzz.h"

#include "read/pages.h"
#include "read/rtf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buf text = {0}, running = {0};
    const struct reading_limits limits = {.memory = 64 << 20};
    stemma_status status = rtf_text(data, size, &limits, &text, NULL, NULL);
    REQUIRE(status == STEMMA_OK || status == STEMMA_UNSUPPORTED || status == TEXT_TOO_LONG);
    if (status == STEMMA_OK) {
        REQUIRE(text.len <= 4 * size + 4);
        require_utf8(text.data, text.len);
    }
    status = pages_text(data, size, &limits, &running, NULL);
    REQUIRE(status == STEMMA_OK || status == TEXT_TOO_LONG);
    REQUIRE(running.len <= size + 1);
    buf_release(&text);
    buf_release(&running);
    return 0;
}
