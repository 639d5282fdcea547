/* The experiments of Broder 1997. */
#ifndef LAB_BRODER_H
#define LAB_BRODER_H

#include "lab.h"

extern const struct experiment broder_example, broder_metric, broder_sample, broder_width, broder_levels,
    broder_clusters, broder_crawl, broder_sketches;

#endif
