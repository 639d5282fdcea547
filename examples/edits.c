/* What does it take to make the second file of the first?     edits FILE FILE
 *
 * The exact number of edits, and the edits themselves where they are few. */
#include <stdio.h>
#include <stdlib.h>
#include <stemma.h>

#define FEW 200

struct file {
    char *bytes;
    size_t size;
};

static struct file read_file(const char *path) {
    struct file file = {malloc(1 << 20), 0};
    FILE *stream = fopen(path, "rb");
    if (!file.bytes || !stream) exit(2);
    file.size = fread(file.bytes, 1, 1 << 20, stream);
    fclose(stream);
    return file;
}

static void print_step(const stemma_step *step, const struct file *a, const struct file *b) {
    static const char *const names[] = {"keep", "replace", "delete", "insert"};
    if (step->kind == STEMMA_KEEP) return;
    printf("%s at %llu: '%.*s' by '%.*s'\n", names[step->kind], (unsigned long long)step->a_begin,
           (int)(step->a_end - step->a_begin), a->bytes + step->a_begin, (int)(step->b_end - step->b_begin),
           b->bytes + step->b_begin);
}

int main(int argc, char **argv) {
    stemma_error error;
    stemma_script *script;
    if (argc != 3) return 2;
    struct file a = read_file(argv[1]), b = read_file(argv[2]);
    stemma_status status = stemma_script_new(a.bytes, a.size, b.bytes, b.size, STEMMA_EDIT_CHARACTERS, FEW,
                                             NULL, &script, &error);
    if (status == STEMMA_OK) {
        size_t count;
        const stemma_step *steps = stemma_script_steps(script, &count);
        printf("%llu edits\n", (unsigned long long)stemma_script_distance(script));
        for (size_t i = 0; i < count; i++) print_step(&steps[i], &a, &b);
        stemma_script_free(script);
    } else {
        printf("%s\n", error.message); /* more than FEW, or why it cannot be said */
    }
    free(a.bytes);
    free(b.bytes);
    return status == STEMMA_OK || status == STEMMA_NOT_FOUND ? 0 : 2;
}
