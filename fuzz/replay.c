/* Runs the files of a directory through a fuzzer, where there is no libFuzzer.     replay_NAME DIRECTORY */
#include "fuzz.h"

#include <dirent.h>

/* Each input in a block of exactly its size, so that a sanitizer sees a read beyond it. */
static void replay(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) exit((perror(path), 2));
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) exit((perror(path), 2));
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

int main(int argc, char **argv) {
    struct dirent **entries;
    int count = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1, replayed = 0;
    if (count < 0) exit((perror(argc == 2 ? argv[1] : "usage: replay_NAME DIRECTORY"), 2));
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            printf("%s\n", entries[i]->d_name); /* the last one printed is the one that failed */
            fflush(stdout);
            replay(path);
            replayed++;
        }
        free(entries[i]);
    }
    free(entries);
    printf("%d inputs replayed\n", replayed);
    return replayed > 0 ? 0 : 1;
}
