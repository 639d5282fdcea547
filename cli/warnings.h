/*
 * warnings.h - documents that are used but may lack text: said once each, however often they are read.
 */
#ifndef STEMMA_CLI_WARNINGS_H
#define STEMMA_CLI_WARNINGS_H

/* For stemma_limits; by any thread. */
void warn_of_document(void *context, const char *name, const char *message);

#endif
