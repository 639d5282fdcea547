#include "index/mended.h"

#include "base/file.h"
#include "base/temporary.h"

#include <unistd.h>

stemma_status mended_add(struct mended *m, const char *folder, const struct schema *schema,
                         const struct row *row, stemma_error *err) {
    rows_clear(&m->held);
    if (!rows_reserve(&m->held, schema, row) || !vec64_reserve(&m->places, 1)) return fail_memory(err);
    rows_add(&m->held, schema, row);
    if (!m->has_file) TRY(temporary_open(folder, &m->fd, err));
    m->has_file = true;
    int cause = write_at(m->fd, m->held.bytes.data, m->held.bytes.len, m->size);
    if (cause) return fail_errno(err, "write a temporary file in", folder, cause);
    (void)vec64_add(&m->places, m->size);
    m->size += m->held.bytes.len;
    return STEMMA_OK;
}

stemma_status mended_get(struct mended *m, const struct schema *schema, size_t index, struct row *row,
                         stemma_error *err) {
    uint64_t start = m->places.data[index],
             end = index + 1 < m->places.len ? m->places.data[index + 1] : m->size;
    m->held.bytes.len = 0;
    if (!buf_reserve(&m->held.bytes, end - start)) return fail_memory(err);
    int cause = read_at(m->fd, m->held.bytes.data, end - start, start);
    if (cause) return fail_errno(err, "read", "a temporary file", cause);
    rows_get(&m->held, schema, 0, row);
    return STEMMA_OK;
}

void mended_release(struct mended *m) {
    if (m->has_file) close(m->fd);
    vec64_release(&m->places);
    rows_release(&m->held);
}
