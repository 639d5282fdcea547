#include "reading_options.h"

#include "command.h"
#include "free_memory.h"

stemma_scan_options reading_options(const options *o, progress *p) {
    stemma_scan_options s = stemma_scan_options_default();
    s.include = o->include.texts;
    s.include_count = o->include.count;
    s.exclude = o->exclude.texts;
    s.exclude_count = o->exclude.count;
    s.hidden = o->hidden;
    s.follow_links = o->follow;
    s.no_ignore_files = o->no_ignore;
    s.least_bytes = o->min_size;
    s.most_bytes = o->max_size;
    s.no_archives = o->no_archives;
    s.most_unpacked = o->unpacked;
    s.text_field = o->text_field;
    s.id_field = o->id_field;
    s.threads = o->threads;
    s.progress = p ? progress_of_scan : NULL;
    s.progress_context = p;
    return s;
}

/* The rest of the machine, and the files' cache, need some, too. */
stemma_limits reading_limits(const options *o) {
    stemma_limits limits = limits_from(o);
    size_t half = free_memory() / 2;
    if (!o->memory && half) limits.memory = half;
    return limits;
}
