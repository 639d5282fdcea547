/* What makes a folder a collection: a file of this name that begins with these bytes (docs/format.md, section
 * 9). Walks that pass collections by look for it as well as who reads one. */
#ifndef BASE_COLLECTION_FOLDER_H
#define BASE_COLLECTION_FOLDER_H

#include <stdbool.h>

#define MANIFEST_NAME  "manifest"
#define MANIFEST_MAGIC "\x8bSTL\r\n\x1a\n"

/* 0, or the cause why the file cannot be opened. */
int is_collection_folder(int folder, bool *is);

#endif
