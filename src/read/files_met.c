#include "read/files_met.h"

stemma_status file_met(struct key_table *files, uint64_t device, uint64_t inode, bool *again,
                       stemma_error *err) {
    const uint64_t bit = UINT64_C(1) << inode % 64;
    uint64_t *bits;
    TRY(key_table_at(files, inode / 64 + 1, device, &bits, err));
    *again = *bits & bit;
    *bits |= bit;
    return STEMMA_OK;
}
