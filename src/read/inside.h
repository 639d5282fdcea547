/*
 * One document of a file that holds many, by the name that a scan gives it: FILE!/MEMBER in an archive, mail,
 * mailbox or crawl, FILE:ID of a record in a data set, FILE:LINE of one without an id.
 */
#ifndef READ_INSIDE_H
#define READ_INSIDE_H

#include "read/container.h"
#include "read/dataset.h"

/* Whether a name may be such a one, if there is no file that is called so. */
bool inside_is_id(const char *id);

/* Append its bytes, of a record its text. *name: by which its format is told, NULL for none. Of records with
 * one id the first. NOT_FOUND: there is none. */
stemma_status inside_read(const char *id, const struct container_options *containers,
                          const struct dataset_options *datasets, struct buf *bytes, const char **name,
                          stemma_error *err);

#endif
