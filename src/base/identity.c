#include "base/identity.h"

#include "base/buf.h"

#include <sodium/randombytes.h>

void identity_key_draw(struct identity_key *key) {
    randombytes_buf(key->bytes, sizeof key->bytes);
}

static struct identity from_bytes(const uint8_t tag[16]) {
    return (struct identity){load_u64(tag), load_u64(tag + 8)};
}

struct identity identity_of(const struct identity_key *key, const void *data, size_t size) {
    uint8_t tag[16];
    crypto_onetimeauth_poly1305(tag, data, size, key->bytes);
    return from_bytes(tag);
}

void identity_begin(struct identity_state *state, const struct identity_key *key) {
    crypto_onetimeauth_poly1305_init(&state->state, key->bytes);
}

void identity_add(struct identity_state *state, const void *data, size_t size) {
    crypto_onetimeauth_poly1305_update(&state->state, data, size);
}

struct identity identity_end(struct identity_state *state) {
    uint8_t tag[16];
    crypto_onetimeauth_poly1305_final(&state->state, tag);
    return from_bytes(tag);
}
