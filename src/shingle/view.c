#include "shingle/view.h"

uint64_t view_seed(const struct view *view) {
    return view->keyed ? view->secret : view->seed;
}

bool view_can_read(const struct view *view) {
    return !view->keyed || view->has_secret;
}

size_t view_symbol_size(const struct view *view) {
    if (view->hash == HASH_MIX) return 0;
    switch (view->unit) {
    case UNIT_BYTE:
        return 1;
    case UNIT_CHAR:
        return 4;
    case UNIT_WORD:
    case UNIT_LINE:
        return 8;
    }
    return 8;
}
