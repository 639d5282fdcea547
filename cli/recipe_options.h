/*
 * recipe_options.h - the recipe that the options ask for, and whether a stored sketch agrees with it.
 */
#ifndef STEMMA_CLI_RECIPE_OPTIONS_H
#define STEMMA_CLI_RECIPE_OPTIONS_H

#include "options.h"
#include "output.h"

/* The recipe of --preset ... --mod, --recipe and --key; the default where nothing is given.
 * Complains and returns the exit code when it cannot be had. */
enum exit_code recipe_from_options(const options *o, const char *command, stemma_recipe **out);

/* The secret of --key, of which *size bytes are given; 0 without one. Complains when it cannot be read. */
#define KEY_MAX 4096
enum exit_code key_from_options(const options *o, uint8_t key[KEY_MAX + 1], size_t *size);

/* The value of a field of the view in a recipe's text; length 0 when it is not there. */
const char *recipe_field(const char *text, const char *name, size_t *length);

/* "word", or "words" for another count than 1, and so on: the unit that a recipe's text names. */
const char *recipe_unit(const char *text, uint64_t count);

/* The recipe of a stored sketch, under the key of --key where it is keyed, to sketch a document in the same
 * way. */
stemma_status recipe_like_stored(const options *o, const char *file, const stemma_recipe *stored,
                                 stemma_recipe **out, stemma_error *error);

/* MISMATCH when options that were given ask for something else than the stored sketch has. */
stemma_status recipe_check_stored(const options *o, const stemma_recipe *asked, const char *file,
                                  const stemma_recipe *stored, stemma_error *error);

#endif
