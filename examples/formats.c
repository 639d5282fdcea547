/* A page and a plain text that say the same: what a reader sees is compared, not the markup. */
#include <stdio.h>
#include <stemma.h>
#include <string.h>

static const char page[] =
    "<!doctype html><title>Opening times</title><h1>Harbour</h1><p>The <b>harbour</b> caf&eacute; opens at dawn.",
                  plain[] = "Harbour\n\nThe harbour caf\xE9 opens at dawn.\n"; /* in Latin-1 */

int main(void) {
    stemma_comparison found;
    stemma_text *text;
    stemma_error error;
    if (stemma_compare_bytes(page, strlen(page), plain, strlen(plain), NULL, NULL, NULL, &found, &error) !=
            STEMMA_OK ||
        stemma_text_bytes(page, strlen(page), NULL, NULL, &text, &error) != STEMMA_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    size_t size;
    const char *source = stemma_text_source(text, &size);
    printf("%s\n%s text:\n%.*s\n", stemma_relation_name(found.relation),
           stemma_text_is_extracted(text) ? "extracted" : "original", (int)size, source);
    stemma_text_free(text);
    return 0;
}
