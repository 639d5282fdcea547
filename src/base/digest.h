/* BLAKE2b-256 of what is fed in pieces, and 64-bit checksums of stored bytes. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <sodium/crypto_generichash_blake2b.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_SIZE 32

struct digest {
    crypto_generichash_blake2b_state state;
};

void digest_init(struct digest *digest);
void digest_add(struct digest *digest, const void *data, size_t size);
void digest_finish(struct digest *digest, uint8_t out[DIGEST_SIZE]);

/* Checksum against accidents (BLAKE2b cut to 64 bits), not against forgery. */
uint64_t checksum64(const void *data, size_t size);

/* 64-bit numbers that follow from a secret key and a label; nothing about the key follows from them. */
uint64_t derive64(const void *key, size_t key_size, const char *label);

#endif
