#include "scan/identity.h"

#include "base/buf.h"

#include <sodium/randombytes.h>
#include <string.h>

/* ---- the point ---- */

static void times_x(uint64_t element[2]) {
    uint64_t above = element[1] >> 63;
    element[1] = element[1] << 1 | element[0] >> 63;
    element[0] = element[0] << 1 ^ above * 0x87;
}

/* Bit by bit: a key needs few products. */
static void multiply(const uint64_t a[2], const uint64_t b[2], uint64_t product[2]) {
    uint64_t sum[2] = {0};
    for (int bit = 127; bit >= 0; bit--) {
        times_x(sum);
        if (!(a[bit / 64] >> bit % 64 & 1)) continue;
        sum[0] ^= b[0];
        sum[1] ^= b[1];
    }
    memcpy(product, sum, sizeof sum);
}

void identity_key_set(struct identity_key *key, const uint8_t point[IDENTITY_BLOCK]) {
    struct horner_key *r = &key->point;
    key->lasting = false;
    uint64_t *last = r->powers[HORNER_POWERS - 1];
    last[0] = load_u64(point);
    last[1] = load_u64(point + 8);
    for (int i = HORNER_POWERS - 2; i >= 0; i--) multiply(r->powers[i + 1], last, r->powers[i]);
    for (uint64_t nibble = 0; nibble < 16; nibble++)
        multiply((const uint64_t[2]){nibble, 0}, last, r->nibbles[nibble]);
}

void identity_key_draw(struct identity_key *key) {
    uint8_t point[IDENTITY_BLOCK];
    randombytes_buf(point, sizeof point);
    identity_key_set(key, point);
}

void identity_key_lasting(struct identity_key *key) {
    *key = (struct identity_key){.lasting = true};
}

static struct identity of_digest(struct digest *digest) {
    uint8_t bytes[DIGEST_SIZE];
    digest_finish(digest, bytes);
    return (struct identity){load_u64(bytes), load_u64(bytes + 8)};
}

/* ---- the polynomial ---- */

void identity_begin(struct identity_state *state, const struct identity_key *key) {
    state->key = key;
    state->sum[0] = state->sum[1] = state->size = 0;
    if (key->lasting) digest_init(&state->digest);
}

static void add_blocks(struct identity_state *s, const uint8_t *blocks, size_t count) {
    if (count > 0) kernels_get()->horner(&s->key->point, blocks, count, s->sum);
}

/* Bytes for the rest, until it is a block. Returns how many. */
static size_t complete_rest(struct identity_state *s, const uint8_t *data, size_t size) {
    size_t held = s->size % IDENTITY_BLOCK, room = IDENTITY_BLOCK - held;
    size_t taken = size < room ? size : room;
    memcpy(s->rest + held, data, taken);
    if (taken == room) add_blocks(s, s->rest, 1);
    return taken;
}

void identity_add(struct identity_state *s, const void *data, size_t size) {
    const uint8_t *bytes = data;
    if (size == 0) return;
    if (s->key->lasting) {
        digest_add(&s->digest, data, size);
        return;
    }
    size_t done = s->size % IDENTITY_BLOCK ? complete_rest(s, bytes, size) : 0;
    size_t blocks = (size - done) / IDENTITY_BLOCK;
    add_blocks(s, bytes + done, blocks);
    done += blocks * IDENTITY_BLOCK;
    if (done < size) memcpy(s->rest, bytes + done, size - done);
    s->size += size;
}

struct identity identity_end(struct identity_state *s) {
    if (s->key->lasting) return of_digest(&s->digest);
    uint8_t last[2 * IDENTITY_BLOCK] = {0};
    size_t held = s->size % IDENTITY_BLOCK, blocks = held > 0;
    memcpy(last, s->rest, held);
    store_u64(last + blocks * IDENTITY_BLOCK, s->size);
    add_blocks(s, last, blocks + 1);
    return (struct identity){s->sum[0], s->sum[1]};
}

struct identity identity_of(const struct identity_key *key, const void *data, size_t size) {
    struct identity_state state;
    identity_begin(&state, key);
    identity_add(&state, data, size);
    return identity_end(&state);
}
