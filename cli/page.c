/* The assembler puts the file into the program as it is. An empty one stands for none:
 * see cmake/page.cmake. */
#include "page.h"

#include <string.h>

static const char mark[] = "<!--data-->";

__asm__(".pushsection .rodata\n"
        ".globl stemma_page\n"
        ".hidden stemma_page\n"
        "stemma_page:\n"
        ".incbin \"" STEMMA_PAGE "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char stemma_page[];

const char *page_before(size_t *size) {
    const char *found = strstr(stemma_page, mark);
    if (found) *size = (size_t)(found - stemma_page);
    return found ? stemma_page : NULL;
}

const char *page_behind(size_t *size) {
    const char *found = strstr(stemma_page, mark);
    if (!found) return NULL;
    found += strlen(mark);
    *size = strlen(found);
    return found;
}
