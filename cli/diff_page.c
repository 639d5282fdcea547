#include "diff_print.h"

void write_page(FILE *out, const diff_view *view, const char *unit, size_t context) {
    (void)context;
    write_summary(out, view, unit);
}
