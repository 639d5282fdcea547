#include "base/digest.h"

#include "base/buf.h"

#include <pthread.h>
#include <sodium/core.h>
#include <string.h>

/* Until it is called the library uses its plain BLAKE2b, whatever the CPU has; and when it fails, which then
 * is no loss. */
static void choose_speed(void) {
    int failed = sodium_init();
    (void)failed;
}

void digest_init(struct digest *digest) {
    static pthread_once_t chosen = PTHREAD_ONCE_INIT;
    pthread_once(&chosen, choose_speed);
    crypto_generichash_blake2b_init(&digest->state, NULL, 0, DIGEST_SIZE);
}

void digest_add(struct digest *digest, const void *data, size_t size) {
    if (size) crypto_generichash_blake2b_update(&digest->state, data, size);
}

void digest_finish(struct digest *digest, uint8_t out[DIGEST_SIZE]) {
    crypto_generichash_blake2b_final(&digest->state, out, DIGEST_SIZE);
}

static uint64_t first_u64(struct digest *digest) {
    uint8_t full[DIGEST_SIZE];
    digest_finish(digest, full);
    return load_u64(full);
}

uint64_t checksum64(const void *data, size_t size) {
    struct digest digest;
    digest_init(&digest);
    digest_add(&digest, data, size);
    return first_u64(&digest);
}

uint64_t derive64(const void *key, size_t key_size, const char *label) {
    uint8_t inner[DIGEST_SIZE];
    struct digest digest;
    digest_init(&digest);
    digest_add(&digest, key, key_size);
    digest_finish(&digest, inner);
    digest_init(&digest);
    digest_add(&digest, inner, sizeof inner);
    digest_add(&digest, label, strlen(label));
    return first_u64(&digest);
}
