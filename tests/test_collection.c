/* The store of a collection against a model: random puts, replacements, removals and commits, by one writer,
 * seen by readers. */
#include "collection_support.h"
#include "effort.h"

#include <sys/wait.h>

static uint64_t seed = 1;

static void agrees_with_the_model(void **state) {
    (void)state;
    for (size_t round = 0; round < effort(12); round++) {
        uint64_t random = seed * 1000 + round;
        struct model model = {.next = 0};
        char *path = new_folder();
        /* Little memory: a batch is cut into several segments. */
        size_t memory = rng_below(&random, 2) ? 0 : 4096;
        struct collection *c = open_model(path, NULL, memory), *reader = read_model(path), *twin;
        for (unsigned i = 0; i < 30; i++) {
            bool moved;
            OK(random_commit(c, &model, &random, err));
            check_collection(c, &model);
            OK(collection_follow(reader, &moved, err));
            check_collection(reader, &model);
            if (i % 10 == 9) OK(collection_compact(c, err));
            if (i % 8 == 0) {
                OK(collection_twin(reader, &twin, err));
                check_collection(twin, &model);
                collection_close(twin);
                collection_close(c);
                c = open_model(path, NULL, memory);
            }
        }
        collection_close(c);
        collection_close(reader);
        remove_folder(path);
        free(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
