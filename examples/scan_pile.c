/* All near-duplicates in a pile: which document of each group to keep, and how the others relate to it.
 *                                                                                    scan_pile PATH...
 * A path is a file, a folder, or a data set. What cannot be read is a problem of its own; the rest is
 * scanned. */
#include <stdio.h>
#include <stemma.h>

static const char *name_of(const stemma_scan *scan, uint64_t document) {
    return stemma_scan_get_document(scan, document).id;
}

static void print_groups(const stemma_scan *scan) {
    stemma_scan_group group;
    for (uint64_t i = 0; stemma_scan_get_group(scan, i, &group, NULL) == STEMMA_OK; i++) {
        printf("keep %s\n", name_of(scan, group.kept));
        for (size_t k = 0; k < group.member_count; k++)
            printf("  %s: %s, resemblance %.3f, %.3f of it contained\n",
                   name_of(scan, group.members[k].document), stemma_relation_name(group.members[k].relation),
                   group.members[k].resemblance, group.members[k].contained);
    }
}

static void print_problems(const stemma_scan *scan) {
    stemma_scan_problem problem;
    for (uint64_t i = 0; stemma_scan_get_problem(scan, i, &problem, NULL) == STEMMA_OK; i++)
        printf("%s\n", problem.cause);
}

static stemma_status run(char **paths, int count, stemma_scan *scan, stemma_error *error) {
    stemma_status status = STEMMA_OK;
    for (int i = 0; i < count && status == STEMMA_OK; i++)
        status = stemma_scan_add_path(scan, paths[i], error);
    if (status == STEMMA_OK) status = stemma_scan_run(scan, error);
    if (status != STEMMA_OK) return status;
    stemma_scan_summary found = stemma_scan_get_summary(scan);
    printf("%llu documents, %llu groups, %llu could be removed\n", (unsigned long long)found.documents,
           (unsigned long long)found.groups, (unsigned long long)found.redundant);
    print_groups(scan);
    print_problems(scan);
    return STEMMA_OK;
}

int main(int argc, char **argv) {
    stemma_scan_options options = stemma_scan_options_default();
    stemma_error error = {0};
    stemma_scan *scan;
    options.threshold = .5;
    stemma_status status = stemma_scan_new(NULL, &options, NULL, &scan, &error);
    if (status == STEMMA_OK) {
        status = run(argv + 1, argc - 1, scan, &error);
        stemma_scan_free(scan);
    }
    if (status != STEMMA_OK) fprintf(stderr, "%s\n", error.message);
    return status == STEMMA_OK ? 0 : 2;
}
