/*
 * stored.h - sketches found in files: FILE with one sketch, or FILE#NAME in a bundle of many.
 *
 * A list of pairs names the same bundle again and again: each is read and checked once, and its sketches are
 * then found by name. Threads share a set, and the sketches it gives.
 */
#ifndef STEMMA_CLI_STORED_H
#define STEMMA_CLI_STORED_H

#include <stemma.h>

typedef struct stored_set stored_set;

stored_set *stored_new(void);
void stored_free(stored_set *set);

/* The sketch that `name` stands for, belonging to the set; *out is NULL when it is a document. What a file
 * is, its content says; a document that is named like a sketch gets a warning. */
stemma_status stored_find(stored_set *set, const char *name, const stemma_sketch **out, stemma_error *error);

/* An error when `name` is a file of sketches: "cannot VERB it". For commands that want a document. */
stemma_status stored_refuse(const char *name, const char *verb, stemma_error *error);

/* Forgets all bundles when they have become many. Only while no sketch of the set is in use. */
void stored_trim(stored_set *set);

#endif
