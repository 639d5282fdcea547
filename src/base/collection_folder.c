#include "base/collection_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int is_collection_folder(int folder, bool *is) {
    char begin[sizeof MANIFEST_MAGIC - 1];
    *is = false;
    int fd = openat(folder, MANIFEST_NAME, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return errno;
    *is = read(fd, begin, sizeof begin) == sizeof begin && memcmp(begin, MANIFEST_MAGIC, sizeof begin) == 0;
    close(fd);
    return 0;
}
