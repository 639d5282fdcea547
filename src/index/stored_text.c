#include "index/stored_text.h"

#include "kernels/kernels.h"

#include <string.h>
#include <zstd.h>

/* Texts are short and many: higher levels take five times as long to save a twentieth. */
#define LEVEL 3

stemma_status stored_text_pack(const uint8_t *text, size_t size, struct buf *out, stemma_error *err) {
    const size_t most = ZSTD_compressBound(size);
    if (ZSTD_isError(most) || !buf_reserve(out, most)) return fail_memory(err);
    const size_t packed = ZSTD_compress(out->data + out->len, most, text, size, LEVEL);
    if (ZSTD_isError(packed)) return fail_memory(err);
    out->len += packed;
    return STEMMA_OK;
}

/* A block of a frame says at most 2^17 bytes in 4: what claims more is not believed, nor given memory. */
#define EXPANDS_MOST (1 << 15)

stemma_status stored_text_unpack(const uint8_t *bytes, size_t size, uint64_t text_size, struct buf *out,
                                 stemma_error *err) {
    out->len = 0;
    if (ZSTD_getFrameContentSize(bytes, size) != text_size || text_size / EXPANDS_MOST > size)
        return fail(err, STEMMA_CORRUPT, "a stored text is not of %llu bytes", (unsigned long long)text_size);
    if (text_size > SIZE_MAX - KERNEL_SLACK || !buf_reserve(out, (size_t)text_size + KERNEL_SLACK))
        return fail_memory(err);
    const size_t got = ZSTD_decompress(out->data, (size_t)text_size, bytes, size);
    if (ZSTD_isError(got) || got != text_size)
        return fail(err, STEMMA_CORRUPT, "a stored text cannot be unpacked");
    memset(out->data + got, 0, KERNEL_SLACK);
    out->len = got;
    return STEMMA_OK;
}
