/* The report of a run: one HTML page that needs nothing else, or Markdown with pictures beside it. */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include "lab.h"

/* A run's folder has the tables; experiments that were not run are left out. */
stemma_status report_html(const char *folder, const char *path, stemma_error *err);
/* README.md and pictures in a folder, which is made. */
stemma_status report_markdown(const char *folder, const char *target, stemma_error *err);

#endif
