#include "index/asking.h"

#include "sketch/agreement.h"

#include <math.h>

enum { ROWS = 2, BANDS = KEY_MINIMA / ROWS };

/* Half of what may be missed is missed by the bands, the rest by the count of minima that agree: fewer bands
 * would let pass more documents that are then compared in full. */
#define BANDS_PART .5

static double band_agrees(double resemblance) {
    struct agreement a;
    agreement_init(&a, ROWS, resemblance);
    return a.band[ROWS] - a.band_apart[ROWS];
}

static double floor_at(double threshold, int floor) {
    return fmin(threshold + agreement_floors[floor].above, 1);
}

static uint32_t bands_for(double threshold) {
    double most = 1;
    for (int i = 0; i < AGREEMENT_FLOORS; i++) {
        double miss = (1 - agreement_floors[i].share) * BANDS_PART;
        double apart = 1 - band_agrees(floor_at(threshold, i));
        most = fmax(most, apart > 0 ? ceil(log(miss) / log(apart)) : 1);
    }
    return most < BANDS_POSTED ? (uint32_t)most : BANDS_POSTED;
}

/* Of all minima, of which those of `bands` bands are looked up. Without any, everybody is met. */
static void agreement_of(struct agreement *a, uint32_t bands, double resemblance) {
    agreement_init(a, ROWS, resemblance);
    if (bands == 0) a->apart[0] = 0;
    for (uint32_t band = 0; band < bands; band++) agreement_add_band(a);
    for (uint32_t band = bands; band < BANDS; band++) agreement_add_rows(a);
}

static uint32_t agree_for(uint32_t bands, double threshold) {
    struct agreement floors[AGREEMENT_FLOORS];
    for (int i = 0; i < AGREEMENT_FLOORS; i++) agreement_of(&floors[i], bands, floor_at(threshold, i));
    return (uint32_t)agreement_reaching(floors);
}

double asking_chance(uint32_t bands, uint32_t agree, double resemblance) {
    struct agreement a;
    agreement_of(&a, bands, resemblance);
    return agreement_chance(&a, agree);
}

static bool may_be_asked(double threshold) {
    return threshold >= 0 && threshold <= 1;
}

stemma_status asking_init(struct asking *asking, double threshold, double contained, stemma_error *err) {
    if (!may_be_asked(threshold) || !may_be_asked(contained) || (threshold == 0 && contained == 0))
        return fail(err, STEMMA_INVALID, "thresholds must be above 0, and at most 1");
    struct asking a = {.threshold = threshold, .contained = contained};
    if (threshold > 0) {
        a.bands = bands_for(threshold);
        a.agree = agree_for(a.bands, threshold);
        if (a.agree == 0) a.bands = 0;
        a.scan_agree = agree_for(0, threshold);
    }
    if (contained > 0) sharing_init(&a.sharing, contained, KEY_MINIMA);
    *asking = a;
    return STEMMA_OK;
}
