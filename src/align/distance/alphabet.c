#include "align/distance/alphabet.h"

#define PLACES  1024 /* of a hash table: four for each character */
#define NUMBERS 256

struct alphabet {
    uint32_t characters[PLACES];
    uint16_t numbers[PLACES]; /* from 1; 0: free */
    unsigned count;
};

static size_t place_of(const struct alphabet *alphabet, uint32_t character) {
    size_t at = character * UINT32_C(0x9e3779b1) >> 22;
    while (alphabet->numbers[at] && alphabet->characters[at] != character) at = (at + 1) % PLACES;
    return at;
}

static bool number_all(struct alphabet *alphabet, const uint32_t *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        size_t at = place_of(alphabet, text[i]);
        if (alphabet->numbers[at]) continue;
        if (alphabet->count == NUMBERS) return false;
        alphabet->characters[at] = text[i];
        alphabet->numbers[at] = (uint16_t)++alphabet->count;
    }
    return true;
}

/* A byte is written no later than the character before it has been read. */
static void squeeze(const struct alphabet *alphabet, uint32_t *text, size_t size) {
    uint8_t *out = (uint8_t *)text;
    for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(alphabet->numbers[place_of(alphabet, text[i])] - 1);
}

bool alphabet_squeeze(uint32_t *a, size_t n, uint32_t *b, size_t m) {
    struct alphabet alphabet = {.count = 0};
    if (!number_all(&alphabet, a, n) || !number_all(&alphabet, b, m)) return false;
    squeeze(&alphabet, a, n);
    squeeze(&alphabet, b, m);
    return true;
}
