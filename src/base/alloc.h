/* All allocation goes through here, so that tests can make each one fail. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

void *mem_alloc(size_t size);              /* NULL when refused; size 0 gives a pointer to free */
void *mem_zero(size_t count, size_t size); /* zeroed, overflow checked */
char *mem_copy_string(const char *text);
char *mem_copy_bytes(const void *bytes, size_t size); /* with a NUL behind them */
void mem_free(void *pointer);
void mem_trim(void);                      /* what was freed goes back to the system, as far as it can */
void mem_touch(void *bytes, size_t size); /* will be written soon: its pages, at once and not one by one */
void mem_large_pages(void *bytes, size_t size); /* before it is written from one end to the other */
/* Will be asked for anywhere: in large pages, where the system has them, so that finding a place costs less.
 */
void mem_scattered(void *bytes, size_t size);

/* Make room for `need` elements in a growing array (at least doubling); false leaves all as it was. */
bool mem_grow(void **array, size_t *capacity, size_t need, size_t element_size);

#endif
