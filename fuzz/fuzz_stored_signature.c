/* Any bytes as the signatures that a collection keeps of two documents: a clean error, or signatures that
 * pack to the same bytes again, and can be compared. */
#include "fuzz.h"

#include "align/signature/edit_regions.h"
#include "align/signature/estimated.h"
#include "index/stored_signature.h"

static void pack_again(const struct signature_form *form, const struct signature *signature, uint16_t agree,
                       const uint8_t *bytes, size_t size) {
    struct kept_windows kept = {.length = signature->length, .agree = agree, .rate = signature->c};
    struct buf again = {0};
    for (size_t i = 0; i < signature->count; i++)
        REQUIRE(vec64_add(&kept.hashes, (uint64_t)signature->symbols[i] * signature->c));
    REQUIRE(stored_signature_pack(form, &kept, &again, NULL) == STEMMA_OK);
    REQUIRE(again.len == size && !memcmp(again.data, bytes, size));
    kept_windows_release(&kept);
    buf_release(&again);
}

static bool unpack(const struct signature_form *form, const uint8_t *bytes, size_t size,
                   struct signature_data *data, struct signature *signature) {
    if (stored_signature_unpack(form, (struct cell){bytes, size}, data, signature, NULL) != STEMMA_OK)
        return false;
    REQUIRE(signature->count <= form->most || signature->c == KEPT_RATE_MOST);
    pack_again(form, signature, data->agree, bytes, size);
    return true;
}

static void compare(const struct signature *a, const struct signature *b) {
    struct edit_estimate estimate;
    struct edit_regions regions;
    const stemma_status status = estimate_edit(a, b, &estimate, NULL);
    REQUIRE(status == STEMMA_OK || status == STEMMA_MISMATCH);
    if (status == STEMMA_OK && estimate.distance.known)
        REQUIRE(estimate.distance.low <= estimate.distance.value &&
                estimate.distance.value <= estimate.distance.high);
    if (find_edit_regions(a, b, &regions, NULL) == STEMMA_OK) edit_regions_release(&regions);
}

/* The spec of the part, then both cells. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct signature_data own_a = {0}, own_b = {0};
    struct signature a, b;
    struct signature_form form;
    if (size < 4) return 0;
    const struct part part = {.kind = KIND_SIGNATURE, .spec = load_u32(data), .form = FORM_TEXT, .width = 16};
    if (!signature_form_of(&part, &form)) return 0;
    const struct documents cells = split_documents(data + 4, size - 4);
    const bool first = unpack(&form, cells.a, cells.a_size, &own_a, &a);
    const bool second = unpack(&form, cells.b, cells.b_size, &own_b, &b);
    if (first && second) compare(&a, &b);
    signature_data_release(&own_a);
    signature_data_release(&own_b);
    return 0;
}
