/* page.h - the page that --report fills, made from web/report and part of the program. */
#ifndef STEMMA_CLI_PAGE_H
#define STEMMA_CLI_PAGE_H

#include <stddef.h>

/* What comes before and behind the data. NULL when the program was built without the page. */
const char *page_before(size_t *size);
const char *page_behind(size_t *size);

#endif
