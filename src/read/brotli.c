#include "read/brotli.h"

#include "base/alloc.h"

#include <brotli/decode.h>

struct brotli {
    BrotliDecoderState *state;
    const char *name;
    const uint8_t *next;
    size_t left;
    bool starved; /* memory was refused */
};

static void *take_memory(void *context, size_t size) {
    struct brotli *brotli = context;
    void *memory = mem_alloc(size);
    brotli->starved |= !memory;
    return memory;
}

static void give_memory(void *context, void *memory) {
    (void)context;
    mem_free(memory);
}

stemma_status brotli_new(const char *name, const uint8_t *bytes, size_t size, struct brotli **out,
                         stemma_error *err) {
    struct brotli *brotli = mem_zero(1, sizeof *brotli);
    if (!brotli) return fail_memory(err);
    *brotli = (struct brotli){.name = name, .next = bytes, .left = size};
    brotli->state = BrotliDecoderCreateInstance(take_memory, give_memory, brotli);
    if (brotli->state) {
        *out = brotli;
        return STEMMA_OK;
    }
    brotli_free(brotli);
    return fail_memory(err);
}

stemma_status brotli_read(void *context, uint8_t *bytes, size_t size, size_t *got, stemma_error *err) {
    struct brotli *brotli = context;
    size_t room = size;
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(brotli->state, &brotli->left, &brotli->next, &room, &bytes, NULL);
    *got = size - room;
    if (brotli->starved) return fail_memory(err);
    if (result == BROTLI_DECODER_RESULT_ERROR || (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT && !*got))
        return fail(err, STEMMA_CORRUPT, "cannot unpack '%s': %s", brotli->name,
                    result == BROTLI_DECODER_RESULT_ERROR ? "damaged data" : "it ends too early");
    return STEMMA_OK;
}

void brotli_free(struct brotli *brotli) {
    if (!brotli) return;
    if (brotli->state) BrotliDecoderDestroyInstance(brotli->state);
    mem_free(brotli);
}
