/*
 * Of all ways to tell the same changes, the one that reads well.
 *
 * An insertion or deletion that may stand in several places (its first token returns behind it, or its last
 * before it) is moved to where a sentence, a line or a paragraph begins. Changes with only a word or two in
 * common between them become one: nobody reads "[-north-]{+south+} of [-England-]{+Wales+}" more gladly than
 * the whole. The same where a token in common is a part of both: "4.5" became "5.4" as a whole.
 */
#ifndef ALIGN_READABLE_H
#define ALIGN_READABLE_H

#include "align/tokens/passages.h"

#include <stdbool.h>

/* What is asked of the texts; both are asked with the text's own pointer. */
struct readable {
    const void *a, *b;
    unsigned (*seam)(const void *text, size_t token); /* how strongly the text is parted before the token */
    size_t (*length)(const void *text, size_t token); /* bytes of a token */
    bool (*glued)(const void *text, size_t token);    /* to the token before it, by punctuation */
    size_t join_most; /* tokens in common that are given up to join two changes; 0: none */
};

/* Slides first, then joins. Tokens changed at most treble by it. */
void make_readable(const struct id_pair *pair, const struct readable *how, struct hunk_list *list);

/* Words in common by chance do not break up a passage that was moved as a whole: stretches shorter than a
 * passage that lie within a moved one, and are at most half of it, become part of the changes around them. */
stemma_status keep_moves_whole(const struct common_runs *runs, struct hunk_list *list, stemma_error *err);

#endif
