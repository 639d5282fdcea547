#include "crawl.h"

#include "base/rng.h"

#include <math.h>

#define MILLION 1e6
static const double alone = 17.7, identical = 2.1, mixed_ones = 1.5; /* clusters, in millions */
static const double identical_documents = 5.3, mixed_documents = 7;

static const struct {
    size_t least, most;
} sizes[CRAWL_SIZES] = {{2, SIZE_MAX}, {2, 2}, {3, 10}, {11, SIZE_MAX}};
const char *const crawl_size_names[CRAWL_SIZES] = {"all", "2", "3_to_10", "11_or_more"};

/* 2 and more, with this mean: geometric, since the paper does not give them. */
static size_t cluster_size(uint64_t *rng, double mean) {
    size_t size = 2;
    while (rng_unit(rng) < (mean - 2) / (mean - 1)) size++;
    return size;
}

void crawl_count(struct planted by_size[CRAWL_SIZES], bool mixed, size_t size) {
    for (size_t i = 0; i < CRAWL_SIZES; i++) {
        struct planted *p = &by_size[i];
        if (size < sizes[i].least || size > sizes[i].most) continue;
        *(mixed ? &p->mixed : &p->identical) += 1;
        *(mixed ? &p->mixed_documents : &p->identical_documents) += size;
    }
}

size_t crawl_draw(uint64_t *rng, struct planted *planted, bool *mixed) {
    double draw = rng_unit(rng) * (alone + identical + mixed_ones);
    *mixed = draw >= alone + identical;
    if (draw < alone) return 1;
    size_t size = cluster_size(rng, *mixed ? mixed_documents / mixed_ones : identical_documents / identical);
    crawl_count(planted, *mixed, size);
    return size;
}

bool crawl_changes(uint64_t *rng, bool mixed, size_t copy) {
    return mixed && (copy == 1 || rng_below(rng, 3));
}

double crawl_share(uint64_t *rng) {
    return .005 + .05 * rng_unit(rng);
}

void crawl_row(const char *what, const struct planted *p, const char *more, struct table *data) {
    double scale = CRAWL_DOCUMENTS / (double)p->documents / MILLION;
    table_row(data, "%s\t%zu\t%zu\t%zu\t%zu\t%zu\t%.2f\t%.2f\t%.2f\t%.2f%s", what, p->documents, p->identical,
              p->identical_documents, p->mixed, p->mixed_documents, scale * (double)p->identical,
              scale * (double)p->identical_documents, scale * (double)p->mixed,
              scale * (double)p->mixed_documents, more);
}

double crawl_error(const struct table *data, const char *where) {
    static const char *const columns[] = {"identical", "identical_documents", "mixed", "mixed_documents"};
    double worst = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double made = table_at(data, columns[i], "crawl=made %s", where),
               found = table_at(data, columns[i], "crawl=found %s", where);
        worst = fmax(worst, fabs(found - made) / made);
    }
    return worst;
}
