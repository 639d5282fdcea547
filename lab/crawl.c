#include "crawl.h"

#include "base/rng.h"

#include <math.h>

#define MILLION 1e6
static const double alone = 17.7, identical = 2.1, mixed_ones = 1.5; /* clusters, in millions */
static const double identical_documents = 5.3, mixed_documents = 7;

/* 2 and more, with this mean. */
static size_t cluster_size(uint64_t *rng, double mean) {
    size_t size = 2;
    while (rng_unit(rng) < (mean - 2) / (mean - 1)) size++;
    return size;
}

size_t crawl_draw(uint64_t *rng, struct planted *planted, bool *mixed) {
    double draw = rng_unit(rng) * (alone + identical + mixed_ones);
    *mixed = draw >= alone + identical;
    if (draw < alone) return 1;
    size_t size = cluster_size(rng, *mixed ? mixed_documents / mixed_ones : identical_documents / identical);
    *(*mixed ? &planted->mixed : &planted->identical) += 1;
    *(*mixed ? &planted->mixed_documents : &planted->identical_documents) += size;
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
