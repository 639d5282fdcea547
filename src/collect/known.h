/*
 * Which files, binaries too, are versions of known ones? (Cherkasova et al. 2009: Mod_n over windows of
 * bytes.)
 *
 * The versions of a known file share one signature: the union of their samples. A file is a version of it to
 * the share of its own samples that are in the signature: what one version lacks and another has counts, too.
 * Versions are known by their names.
 */
#ifndef COLLECT_KNOWN_H
#define COLLECT_KNOWN_H

#include "collect/by_signature.h"
#include "collect/each.h"

/* What makes documents of the collection versions of one file. */
enum known_by {
    KNOWN_BY_NAME,   /* the last part of their path */
    KNOWN_BY_FOLDER, /* the folder they lie in */
    KNOWN_BY_EACH    /* nothing: each is a file of its own */
};

/* The context. */
struct known_asking {
    struct collection *store; /* of which each worker gets a twin */
    const struct stemma_recipe *recipe;
    enum known_by by;
    double contained; /* the share of it that makes a file known */
    /* How far apart two are by their signatures. */
    stemma_status (*measure)(const struct known_asking *asking, const struct signature_pair *pair,
                             stemma_edit *out, stemma_error *err);
};

/* The answers: the known file that is it, or has most of it. */
struct known_answer {
    char *name;        /* of the known file; NULL: there is none that has anything of it */
    char *best;        /* id of the version that has most, */
    bool identical;    /* with the same bytes, if there is one: then nothing else counts, */
    uint64_t versions; /* of so many with something of it */
    bool no_text;      /* it is not text to this collection */
    uint64_t samples;  /* of the file asked about; those of them in the signature, and in the best version */
    uint64_t shared, best_shared;
    uint64_t best_number; /* of the best version, where there is one, */
    bool measured;        /* and whether signatures tell how far it is: */
    stemma_edit edit;
};

extern const struct each_kind known_each;

#endif
