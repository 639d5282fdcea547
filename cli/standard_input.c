/* A pipe gives its bytes once, and who is to read them is known only when they have been looked at. */
#include "standard_input.h"

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

static stemma_status cannot(const char *what, stemma_status status, stemma_error *error) {
    return set_error(error, status, "cannot %s: %s", what, cause_text(errno));
}

/* The next bytes, none at the end. */
static stemma_status read_piece(char *bytes, size_t *got, stemma_error *error) {
    ssize_t count = -1;
    do {
        if (stop_requested) return set_error(error, STEMMA_INTERRUPTED, "interrupted");
        count = read(STDIN_FILENO, bytes, PIECE);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return cannot("read '-'", STEMMA_UNREADABLE, error);
    *got = (size_t)count;
    return STEMMA_OK;
}

static int open_temporary(void) {
    const char *named = getenv("TMPDIR"), *directory = named && *named ? named : "/tmp";
    char name[4096];
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
    snprintf(name, sizeof name, "%s/stemma-XXXXXX", directory); /* no nameless files: named for a moment */
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) unlink(name);
    return fd;
}

static bool write_all(int fd, const char *bytes, size_t size) {
    for (ssize_t done; size; bytes += done, size -= (size_t)done) {
        done = write(fd, bytes, size);
        if (done < 0 && errno == EINTR) done = 0;
        if (done < 0) return false;
    }
    return true;
}

static stemma_status copy_to(int fd, stemma_error *error) {
    char *bytes = need_memory(PIECE);
    size_t got = 1;
    stemma_status status = STEMMA_OK;
    while (got > 0 && !status) {
        status = read_piece(bytes, &got, error);
        if (!status && !write_all(fd, bytes, got))
            status = cannot("keep '-' in a temporary file", STEMMA_IO, error);
    }
    free(bytes);
    if (status) return status;
    const bool ready = lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO;
    return ready ? STEMMA_OK : cannot("read '-' again", STEMMA_IO, error);
}

stemma_status standard_input_keep(stemma_error *error) {
    struct stat info;
    if (!fstat(STDIN_FILENO, &info) && S_ISREG(info.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
        return STEMMA_OK;
    int fd = open_temporary();
    if (fd < 0) return cannot("make a temporary file", STEMMA_IO, error);
    stemma_status status = copy_to(fd, error);
    close(fd);
    return status;
}
