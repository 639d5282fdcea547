/* Where in a file does text of another one stand, and how much of it? */
#include <stdio.h>
#include <stemma.h>

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s TARGET FILE\n", argv[0]);
        return 2;
    }
    stemma_target target = {.path = argv[1]};
    stemma_finder *finder;
    stemma_findings *findings = NULL;
    stemma_error error;
    if (stemma_finder_new(&target, 1, NULL, NULL, NULL, &finder, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    stemma_status status = stemma_find_file(finder, argv[2], NULL, &findings, &error);
    if (status) {
        fprintf(stderr, "%s\n", error.message);
    } else {
        size_t count;
        const stemma_fragment *fragments = stemma_findings_fragments(findings, &count);
        printf("%.3f of the target is there\n", stemma_findings_summary(findings).share);
        for (size_t i = 0; i < count; i++)
            printf("lines %d to %d: %d words\n", (int)fragments[i].first_line, (int)fragments[i].last_line,
                   (int)fragments[i].tokens);
    }
    stemma_findings_free(findings);
    stemma_finder_free(finder);
    return status ? 2 : 0;
}
