/*
 * What the operations of test_faults.c share: the calls that can be made to fail, and the world they work in.
 */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include "stemma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <cmocka.h>

/* ---- the faults (calls.c) ---- */

enum call { ALLOCATE, OPEN, OPEN_UNNAMED, OPEN_NAMED, READ, WRITE, SYNC, LINK, RENAME };

enum how {
    ONCE = 0,
    LASTING = 1, /* every later call fails, too */
    NAMED = 2,   /* the file system knows no unnamed files */
    SHORT = 4    /* reads and writes move less than was asked */
};

extern struct fault {
    bool armed, fired;
    enum call call;
    int error;
    unsigned how;
    long left;   /* calls that still succeed */
    long live;   /* allocations not yet freed */
    bool tidied; /* at its end a folder was opened, to remove what is left over: which may fail */
} fault;

/* Without a fault. */
ssize_t __real_write(int fd, const void *bytes, size_t size);

/* ---- the world the operations work in (world.c) ---- */

enum {
    TEXT_SIZE = 20000,
    LARGE_SIZE = 300000
}; /* large: its fingerprints fill more runs than are merged at once */

extern struct world {
    char folder[64], tree_path[96], text_path[96], other_path[96], large_path[96], bundle_path[96],
        new_path[96], collection_path[96], forgotten_path[96];
    char *text, *other, *large;
    char *bundle;
    size_t bundle_size;
    stemma_recipe *recipe;
    stemma_sketch *sketch, *other_sketch;
    stemma_limits spilling;
} world;

extern const char every_scheme[];
int make_world(void **state);
int end_world(void **state);
void make_collection(void); /* keeping.c */
void remove_collection(void);
void make_asked_collection(void); /* (asking.c) */
void remove_asked_collection(void);
void place(char *path, size_t size, const char *name); /* the path of a name in the world's folder */
void remove_flat(const char *path);                    /* a folder in which there are files alone */

/* ---- operations, a file of them for each part of the library ---- */

/* What stands in an output before the call, and must still stand there when it failed. */
extern char untouched_place;
#define UNTOUCHED ((void *)&untouched_place)
void check_untouched(stemma_status status, const void *output);

typedef stemma_status run_operation(const char *argument, stemma_error *error);

struct operation {
    const char *name;
    run_operation *run;
    const char *argument;
};

/* Each ends with one that has no name. */
extern const struct operation sketches_operations[], comparing_operations[], aligning_operations[],
    reading_operations[], joining_operations[], showing_operations[], asking_operations[],
    keeping_operations[], writing_operations[], filling_operations[];

/* The recipe is part of the operation: its failure is one like the others. */
stemma_status with_recipe(const char *text, stemma_error *error,
                          stemma_status (*run)(const stemma_recipe *recipe, stemma_error *error));
stemma_status release_sketch(stemma_status status, stemma_sketch *sketch); /* checks it when that failed */
stemma_status filter_to(const char *from, const char *to, stemma_error *error);

#endif
