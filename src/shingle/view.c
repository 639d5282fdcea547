#include "shingle/view.h"

uint64_t view_seed(const struct view *view) {
    return view->keyed ? view->secret : view->seed;
}
