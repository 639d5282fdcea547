/* signature, signature2011: a signer as one of the makers of a sketch. It reads the document's own bytes:
 * what fingerprints are made of may be words. */
#include "base/alloc.h"
#include "sketch/maker.h"

struct signature_maker {
    struct maker base;
    struct signer *signer;
};

static stemma_status signature_take(struct maker *base, const uint8_t *bytes, size_t size,
                                    stemma_error *err) {
    return signer_feed(((struct signature_maker *)base)->signer, bytes, size, err);
}

static stemma_status signature_finish(struct maker *base, uint64_t shingles, struct part *out,
                                      stemma_error *err) {
    (void)shingles;
    return signer_finish(((struct signature_maker *)base)->signer, &out->signature, err);
}

static void signature_free(struct maker *base) {
    signer_free(((struct signature_maker *)base)->signer);
    mem_free(base);
}

struct maker *signature_maker_new(const struct spec *spec, const struct view *view, size_t memory) {
    static const struct maker_class class = {
        .finish = signature_finish, .free = signature_free, .take_bytes = signature_take};
    struct signature_maker *maker = mem_zero(1, sizeof *maker);
    if (!maker) return NULL;
    maker->base = (struct maker){.class = &class, .spec = *spec};
    if (signer_new(view, spec, memory, &maker->signer, NULL) != STEMMA_OK) { /* only memory can be missing */
        mem_free(maker);
        return NULL;
    }
    return &maker->base;
}
