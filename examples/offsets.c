/* The canonical text, word by word, and the bytes of the original that each word came from. */
#include <stdio.h>
#include <stemma.h>
#include <string.h>

static const char original[] = "  \"Well-known\" -- THIRTY\tyears ago. ";

int main(void) {
    stemma_recipe *recipe;
    stemma_text *text;
    stemma_token token;
    stemma_error error;
    if (stemma_recipe_parse("preset=text unit=word", &recipe, &error) != STEMMA_OK ||
        stemma_text_bytes(original, strlen(original), recipe, NULL, &text, &error) != STEMMA_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    size_t size;
    const char *canonical = stemma_text_data(text, &size);
    printf("%.*s\n", (int)size, canonical);
    for (size_t i = 0; stemma_text_token(text, i, &token, NULL) == STEMMA_OK; i++)
        printf("%.*s <- %.*s at %llu\n", (int)(token.end - token.begin), canonical + token.begin,
               (int)(token.source_end - token.source_begin), original + token.source_begin,
               (unsigned long long)token.source_begin);
    stemma_text_free(text);
    stemma_recipe_free(recipe);
    return 0;
}
