#include "plot.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Small enough that letters stay legible where a phone shrinks it to its width. */
#define WIDTH       480.
#define HEIGHT      300.
#define LEFT        74.
#define RIGHT       20. /* half of the last number on the axis */
#define TOP         12.
#define BOTTOM      46.
#define LEGEND_LINE 20.
#define LETTER      7.2 /* width of a letter in the legend */

enum { COLOURS = 8, SERIES_MOST = 16, TICKS_MOST = 12 };

const char plot_style[] =
    "svg{--c0:#1f5fbf;--c1:#c2410c;--c2:#15803d;--c3:#9333ea;--c4:#18181b;--c5:#0e7490;--c6:#be185d;--c7:#52525b;"
    "--ink:#222;--faint:#d5d5d8;--ground:#fff}"
    "@media(prefers-color-scheme:dark){svg{--c0:#7db2ff;--c1:#ff9a6b;--c2:#6fd08c;--c3:#cf9bff;--c4:#fafafa;"
    "--c5:#5fd0e6;--c6:#ff8ab8;--c7:#b4b4bb;--ink:#e4e4e7;--faint:#3a3a40;--ground:#17171a}}"
    "svg text{font:13px system-ui,sans-serif;fill:var(--ink)}"
    "svg .axis{stroke:var(--ink)}svg .grid{stroke:var(--faint)}"
    "svg .line{fill:none;stroke-width:2;stroke-linejoin:round}svg .hollow{fill:var(--ground);stroke-width:1.8}";

struct axis {
    double low, high; /* logarithms where it is logarithmic */
    bool log;
    double from, to; /* pixels */
    double ticks[TICKS_MOST];
    size_t tick_count;
};

struct drawing {
    const struct plot *plot;
    const struct table *data, *paper;
    struct axis x, y;
    const char *series[SERIES_MOST]; /* all that the tables have, be they drawn or not */
    size_t series_count;
    struct buf *out;
    bool ok;
};

bool add_escaped(struct buf *out, const char *text) {
    bool ok = true;
    for (; *text; text++) {
        const char *safe = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        ok = ok && (safe ? buf_add_string(out, safe) : buf_add_byte(out, (uint8_t)*text));
    }
    return ok;
}

#define PUT(drawing, ...) ((drawing)->ok = (drawing)->ok && buf_add_format((drawing)->out, __VA_ARGS__))

/* ---- what is drawn ---- */

static const char *series_of(const struct plot *plot, const struct table *table, size_t row) {
    return plot->series ? table_cell(table, row, table_column(table, plot->series, strlen(plot->series)))
                        : "";
}

static size_t series_number(const struct drawing *d, const char *name) {
    size_t i = 0;
    while (i < d->series_count && strcmp(d->series[i], name)) i++;
    return i;
}

/* A point of a row, in the axes' terms; false when it has none. */
static bool point_of(const struct drawing *d, const struct table *table, size_t row, double *x, double *y) {
    if (!table_matches(table, row, d->plot->where)) return false;
    *x = table_number(table, row, d->plot->x);
    *y = table_number(table, row, d->plot->y);
    if ((d->x.log && *x <= 0) || (d->y.log && *y <= 0) || (d->plot->x_high > 0 && *x > d->plot->x_high))
        return false;
    if (d->x.log) *x = log10(*x);
    if (d->y.log) *y = log10(*y);
    return isfinite(*x) && isfinite(*y);
}

static void widen(struct axis *axis, double value) {
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

/* Numbered over all rows, wanted or not: so a name has one colour in all pictures of a table. */
static void name_series(struct drawing *d, const struct table *table) {
    for (size_t row = 0; table && row < table->rows; row++) {
        const char *series = series_of(d->plot, table, row);
        if (d->series_count < SERIES_MOST && series_number(d, series) == d->series_count)
            d->series[d->series_count++] = series;
    }
}

static void survey(struct drawing *d, const struct table *table) {
    for (size_t row = 0; table && row < table->rows; row++) {
        double x, y;
        if (!point_of(d, table, row, &x, &y)) continue;
        widen(&d->x, x);
        widen(&d->y, y);
    }
}

/* ---- axes ---- */

/* 1, 2 or 5 times a power of ten, so that about `want` steps span the range. */
static double nice_step(double range, double want) {
    double raw = range / want, power = pow(10, floor(log10(raw))), lead = raw / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void linear_ticks(struct axis *axis, bool fixed) {
    double step = nice_step(axis->high - axis->low, 5);
    if (!fixed) {
        axis->low = floor(axis->low / step + 1e-9) * step;
        axis->high = ceil(axis->high / step - 1e-9) * step;
    }
    for (double at = ceil(axis->low / step - 1e-9) * step;
         at <= axis->high + step * 1e-6 && axis->tick_count < TICKS_MOST; at += step)
        axis->ticks[axis->tick_count++] = fabs(at) < step * 1e-6 ? 0 : at;
}

static void log_ticks(struct axis *axis) {
    double range = axis->high - axis->low;
    static const double few[] = {1, 2, 5};
    size_t leads = range < 2.2 ? 3 : 1;
    double stride = range > 9 ? 3 : range > 5 ? 2 : 1;
    for (double power = floor(axis->low); power <= axis->high; power += stride)
        for (size_t i = 0; i < leads && axis->tick_count < TICKS_MOST; i++) {
            double at = power + log10(few[i]);
            if (at >= axis->low - 1e-9 && at <= axis->high + 1e-9) axis->ticks[axis->tick_count++] = at;
        }
}

static void axis_finish(struct axis *axis, bool fixed) {
    if (!(axis->high > axis->low)) {
        axis->low -= .5;
        axis->high += .5;
    }
    if (axis->log)
        log_ticks(axis);
    else
        linear_ticks(axis, fixed);
}

static double place(const struct axis *axis, double value) {
    return axis->from + (value - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

/* Short, so that it stays clear of the name of its axis: 10k, 2M; on a linear axis all alike. */
static void tick_text(const struct axis *axis, double tick, char *text, size_t size) {
    double value = axis->log ? pow(10, tick) : tick, largest = value;
    for (size_t i = 0; !axis->log && i < axis->tick_count; i++) largest = fmax(largest, fabs(axis->ticks[i]));
    if (value == 0)
        snprintf(text, size, "0");
    else if (largest >= 1e9 || largest < 1e-4)
        snprintf(text, size, "%.0e", value);
    else if (largest >= 1e6)
        snprintf(text, size, "%.4gM", value / 1e6);
    else if (largest >= 1e4)
        snprintf(text, size, "%.4gk", value / 1e3);
    else
        snprintf(text, size, "%.4g", value);
}

static void draw_axes(struct drawing *d) {
    char text[40];
    for (size_t i = 0; i < d->x.tick_count; i++) {
        double at = place(&d->x, d->x.ticks[i]);
        tick_text(&d->x, d->x.ticks[i], text, sizeof text);
        PUT(d, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", at, d->y.to, d->y.from);
        PUT(d, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>", at, d->y.from + 17, text);
    }
    for (size_t i = 0; i < d->y.tick_count; i++) {
        double at = place(&d->y, d->y.ticks[i]);
        tick_text(&d->y, d->y.ticks[i], text, sizeof text);
        PUT(d, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", d->x.from, at, d->x.to);
        PUT(d, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>", d->x.from - 6, at + 4, text);
    }
    PUT(d, "<path class=\"axis\" fill=\"none\" d=\"M%.1f %.1fV%.1fH%.1f\"/>", d->x.from, d->y.to, d->y.from,
        d->x.to);
    PUT(d, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", (d->x.from + d->x.to) / 2, d->y.from + 36);
    d->ok = d->ok && add_escaped(d->out, d->plot->x_label);
    PUT(d, "</text><text transform=\"translate(13 %.1f)rotate(-90)\" text-anchor=\"middle\">",
        (d->y.from + d->y.to) / 2);
    d->ok = d->ok && add_escaped(d->out, d->plot->y_label);
    PUT(d, "</text>");
}

/* ---- series ---- */

static const char *const dashes[] = {"none", "7 4", "2 4", "9 3 2 3"};

static void draw_line(struct drawing *d, size_t number) {
    bool begun = false;
    double x, y;
    for (size_t row = 0; row < d->data->rows; row++) {
        if (!point_of(d, d->data, row, &x, &y) ||
            series_number(d, series_of(d->plot, d->data, row)) != number)
            continue;
        if (!begun)
            PUT(d, "<path class=\"line\" stroke=\"var(--c%zu)\" stroke-dasharray=\"%s\" d=\"M",
                number % COLOURS, dashes[number % COUNT(dashes)]);
        PUT(d, "%s%.1f %.1f", begun ? "L" : "", place(&d->x, x), place(&d->y, y));
        begun = true;
    }
    if (begun) PUT(d, "\"/>");
}

static void draw_points(struct drawing *d, const struct table *table, const char *kind, double radius) {
    double x, y;
    for (size_t row = 0; table && row < table->rows; row++) {
        if (!point_of(d, table, row, &x, &y)) continue;
        size_t number = series_number(d, series_of(d->plot, table, row));
        if (number == d->series_count) continue;
        PUT(d, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" ", place(&d->x, x), place(&d->y, y), radius);
        if (*kind)
            PUT(d, "class=\"%s\" stroke=\"var(--c%zu)\"/>", kind, number % COLOURS);
        else
            PUT(d, "fill=\"var(--c%zu)\"/>", number % COLOURS);
    }
}

static size_t points_in(const struct drawing *d, const struct table *table) {
    size_t count = 0;
    double x, y;
    for (size_t row = 0; table && row < table->rows; row++) count += point_of(d, table, row, &x, &y);
    return count;
}

/* ---- the legend ---- */

struct pen {
    double x, y;
};

static void legend_entry(struct drawing *d, struct pen *pen, const char *name, size_t number, bool paper) {
    double width = 34 + LETTER * (double)strlen(name) + 12;
    if (pen->x + width > WIDTH && pen->x > LEFT) *pen = (struct pen){LEFT, pen->y + LEGEND_LINE};
    if (paper)
        PUT(d, "<circle class=\"hollow\" stroke=\"var(--ink)\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>",
            pen->x + 13, pen->y - 4);
    else
        PUT(d, "<path class=\"line\" stroke=\"var(--c%zu)\" stroke-dasharray=\"%s\" d=\"M%.1f %.1fh26\"/>",
            number % COLOURS, d->plot->dots ? "none" : dashes[number % COUNT(dashes)], pen->x, pen->y - 4);
    PUT(d, "<text x=\"%.1f\" y=\"%.1f\">", pen->x + 31, pen->y);
    char words[60];
    snprintf(words, sizeof words, "%s", name);
    for (char *c = words; *c; c++)
        if (*c == '_') *c = ' ';
    d->ok = d->ok && add_escaped(d->out, words);
    PUT(d, "</text>");
    pen->x += width;
}

/* Whether a series has a point here, or says that it could have none. */
static bool series_drawn(const struct drawing *d, size_t number) {
    double x, y;
    for (size_t row = 0; row < d->data->rows; row++)
        if (series_number(d, series_of(d->plot, d->data, row)) == number && point_of(d, d->data, row, &x, &y))
            return true;
    return false;
}

static bool series_missing(const struct drawing *d, size_t number) {
    size_t y = table_column(d->data, d->plot->y, strlen(d->plot->y));
    for (size_t row = 0; row < d->data->rows; row++)
        if (series_number(d, series_of(d->plot, d->data, row)) == number &&
            table_matches(d->data, row, d->plot->where) && !strcmp(table_cell(d->data, row, y), PLOT_MISSING))
            return true;
    return false;
}

static double legend(struct drawing *d) {
    struct pen pen = {LEFT, HEIGHT + 14};
    for (size_t i = 0; i < d->series_count; i++) {
        char name[60];
        bool missing = series_missing(d, i);
        if (!*d->series[i] || !(missing || series_drawn(d, i))) continue;
        snprintf(name, sizeof name, "%s%s", d->series[i], missing ? " (not installed)" : "");
        legend_entry(d, &pen, name, i, false);
    }
    if (points_in(d, d->paper)) legend_entry(d, &pen, "the paper", 0, true);
    return pen.x > LEFT || pen.y > HEIGHT + 14 ? pen.y + 8 : HEIGHT;
}

/* ---- all of it ---- */

static size_t series_in(const struct drawing *d) {
    size_t count = 0;
    for (size_t i = 0; i < d->series_count; i++) count += series_drawn(d, i);
    return count;
}

static double draw(struct drawing *d) {
    draw_axes(d);
    size_t points = points_in(d, d->data);
    if (!d->plot->dots)
        for (size_t i = 0; i < d->series_count; i++) draw_line(d, i);
    if (d->plot->dots || points <= 12 * series_in(d)) draw_points(d, d->data, "", d->plot->dots ? 2 : 2.8);
    draw_points(d, d->paper, "hollow", 4);
    return legend(d);
}

static void survey_all(struct drawing *d) {
    const struct plot *plot = d->plot;
    d->x = (struct axis){INFINITY, -INFINITY, plot->log_x, LEFT, WIDTH - RIGHT, {0}, 0};
    d->y = (struct axis){INFINITY, -INFINITY, plot->log_y, HEIGHT - BOTTOM, TOP, {0}, 0};
    name_series(d, d->data);
    name_series(d, d->paper);
    survey(d, d->data);
    survey(d, d->paper);
    bool fixed = plot->y_high > plot->y_low;
    if (fixed) {
        d->y.low = plot->y_low;
        d->y.high = plot->y_high;
    }
    axis_finish(&d->x, true);
    axis_finish(&d->y, fixed);
}

stemma_status plot_svg(const struct plot *plot, const struct table *data, const struct table *paper,
                       bool alone, struct buf *out, stemma_error *err) {
    struct buf body = {0};
    struct drawing d = {.plot = plot, .data = data, .paper = paper, .out = &body, .ok = true};
    survey_all(&d);
    double height = draw(&d);
    bool ok =
        d.ok &&
        buf_add_format(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %.0f\" role=\"img\">",
                       WIDTH, height);
    if (alone) ok = ok && buf_add_format(out, "<style>%s svg{background:var(--ground)}</style>", plot_style);
    ok = ok && buf_add_string(out, "<title>") && add_escaped(out, plot->title) &&
         buf_add_string(out, "</title>") && buf_add(out, body.data, body.len) &&
         buf_add_string(out, "</svg>\n");
    buf_release(&body);
    return ok ? STEMMA_OK : fail_memory(err);
}
