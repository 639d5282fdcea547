/*
 * option_values.h - what is made of an option's value, and where it is kept.
 */
#ifndef STEMMA_CLI_OPTION_VALUES_H
#define STEMMA_CLI_OPTION_VALUES_H

#include "options.h"

/* An option as it was given; the value is NULL of a flag. */
typedef struct given_option {
    options *out;
    const char *command_name;
    const option_spec *spec;
    const char *value;
} given_option;

/* On wrong use prints the reason and returns false. */
bool option_store(const given_option *given);

/* "'x' is not ...": prints why the value is not taken, and returns false. */
bool option_refuse(const given_option *given, const char *reason);

#endif
