/* Pictures of tables, as SVG: lines or dots with axes, our values filled, the paper's hollow. */
#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include "lab.h"

/* Appends. paper may be NULL; alone: the picture is a file of its own and brings its colours. */
stemma_status plot_svg(const struct plot *plot, const struct table *data, const struct table *paper,
                       bool alone, struct buf *out, stemma_error *err);

/* Colours of pictures, for light and dark surroundings. */
extern const char plot_style[];

/* Text between tags. */
bool add_escaped(struct buf *out, const char *text);

#endif
