/* All experiments, in the order of the report: paper by paper. */
#include "broder.h"
#include "coates.h"
#include "hp.h"
#include "lab.h"
#include "peers.h"
#include "yuan.h"

const struct experiment *const experiments[] = {&broder_example,    &broder_metric,    &broder_sample,
                                                &broder_width,      &broder_levels,    &broder_clusters,
                                                &broder_crawl,      &broder_sketches,  &hp_window,
                                                &hp_false,          &hp_sampling,      &hp_algorithms,
                                                &hp_collections,    &hp_time,          &yuan_variance,
                                                &yuan_cost,         &yuan_precision,   &yuan_groups,
                                                &yuan_queries,      &coates2011_speed, &coates2011_scattered,
                                                &coates2011_blocks, &coates_embedded,  &coates2015_tables,
                                                &coates_unrelated,  &beyond_peers};
const size_t experiment_count = sizeof experiments / sizeof *experiments;
