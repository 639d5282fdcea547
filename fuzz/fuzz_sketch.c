/* Any bytes as a bundle: a clean error, or sketches that encode to the same bytes again. */
#include "fuzz.h"

#include "sketch/sketch.h"

/* Fuzzers seldom find a checksum: the second half of the target reads one record behind a good one. */
static void read_record(const uint8_t *data, size_t size) {
    static const char *const texts[] = {
        "; mod n=7; min n=20; minmod n=10 mod=3; level; minhash n=3; oph n=5 bits=64; bsw n=9; bsw-chunk n=5",
        "width=40; simhash; simhash bits=128; minhash n=9 bits=1; oph n=33 bits=1; oph n=7 bits=4; oph n=3 bits=16",
        "; level",
        "; mod n=2",
        "; signature n=2 alphabet=100 positions=yes; signature2011 n=1",
        "; signature positions=yes"};
    struct stemma_recipe *recipe;
    struct stemma_sketch *sketch = NULL;
    struct buf record = {0}, again = {0};
    size_t at = 0;
    if (size < 2) return;
    const char *text = texts[data[0] % (sizeof texts / sizeof *texts)];
    REQUIRE(recipe_parse(text, strlen(text), &recipe, NULL) == STEMMA_OK);
    REQUIRE(buf_add_u32(&record, (uint32_t)(size - 1)) && buf_add(&record, data + 1, size - 1));
    REQUIRE(buf_add_u64(&record, checksum64(record.data, record.len)));
    if (codec_get_sketch(record.data, record.len, &at, recipe, 0, &sketch, NULL) == STEMMA_OK) {
        REQUIRE(codec_put_sketch(sketch, &again, NULL) == STEMMA_OK && at == record.len);
        REQUIRE(again.len == record.len && !memcmp(again.data, record.data, record.len));
        sketch_free(sketch);
    }
    buf_release(&record);
    buf_release(&again);
    recipe_release(recipe);
}

/* Whether the records end as they should; `at` stands behind the header. */
static bool read_records(const uint8_t *data, size_t size, size_t at, const struct stemma_recipe *recipe,
                         struct buf *again) {
    for (uint64_t count = 0;; count++) {
        struct stemma_sketch *sketch = NULL;
        if (codec_get_sketch(data, size, &at, recipe, count, &sketch, NULL) != STEMMA_OK) return false;
        REQUIRE((sketch ? codec_put_sketch(sketch, again, NULL) : codec_put_end(count, again, NULL)) ==
                STEMMA_OK);
        if (!sketch) return true;
        sketch_free(sketch);
    }
}

static bool read_bundle(const uint8_t *data, size_t size, struct buf *again) {
    struct stemma_recipe *recipe;
    size_t at = 0;
    if (codec_get_header(data, size, &at, &recipe, NULL) != STEMMA_OK) return false;
    REQUIRE(codec_put_header(recipe, again, NULL) == STEMMA_OK);
    bool good = read_records(data, size, at, recipe, again);
    recipe_release(recipe);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buf again = {0};
    if (read_bundle(data, size, &again)) REQUIRE(again.len == size && !memcmp(again.data, data, size));
    buf_release(&again);
    read_record(data, size);
    return 0;
}
