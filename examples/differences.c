/* Where two versions of a text differ, in bytes and lines of the originals, and what they have in common. */
#include <stdio.h>
#include <stemma.h>
#include <string.h>

static const char before[] = "The harbour opens at six.\nShips wait outside until then.\n";
static const char after[] = "The harbour opens at five.\nShips with mail need not wait outside until then.\n";

static void print_place(const char *text, const stemma_place *place) {
    printf(" '%.*s' (line %llu)", (int)(place->end - place->begin), text + place->begin,
           (unsigned long long)place->first_line);
}

int main(void) {
    stemma_text *a, *b;
    stemma_alignment *alignment;
    stemma_error error;
    stemma_align_options options = stemma_align_options_default();
    options.least = 4;
    if (stemma_text_bytes(before, strlen(before), NULL, NULL, &a, &error) != STEMMA_OK ||
        stemma_text_bytes(after, strlen(after), NULL, NULL, &b, &error) != STEMMA_OK ||
        stemma_align_texts(a, b, &options, NULL, &alignment, &error) != STEMMA_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    size_t count;
    const stemma_difference *differences = stemma_alignment_differences(alignment, &count);
    for (size_t i = 0; i < count; i++) {
        printf("%s", stemma_change_name(differences[i].kind));
        print_place(before, &differences[i].a);
        print_place(after, &differences[i].b);
        putchar('\n');
    }
    const stemma_passage *shared = stemma_alignment_shared(alignment, &count);
    for (size_t i = 0; i < count; i++) {
        printf("%zu words in common:", shared[i].tokens);
        print_place(after, &shared[i].b);
        putchar('\n');
    }
    stemma_alignment_free(alignment);
    stemma_text_free(a);
    stemma_text_free(b);
    return 0;
}
