/* What the papers say, as far as they say it in numbers: papers/NAME.tsv for each experiment that has some.
 * The build puts them one behind the other, each after a line "= NAME". */
#include "lab.h"

#include <string.h>

__asm__(".pushsection .rodata\n"
        ".globl lab_papers\n"
        ".hidden lab_papers\n"
        "lab_papers:\n"
        ".incbin \"" LAB_PAPERS "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char lab_papers[];

stemma_status paper_values(const char *experiment, struct table *out, stemma_error *err) {
    size_t length = strlen(experiment);
    for (const char *at = lab_papers; at; at = strstr(at, "\n= ")) {
        at += *at == '\n';
        if (strncmp(at + 2, experiment, length) || at[2 + length] != '\n') continue;
        const char *begin = at + 2 + length + 1, *end = strstr(begin, "\n= ");
        return table_parse(out, begin, end ? (size_t)(end + 1 - begin) : strlen(begin), experiment, err);
    }
    return STEMMA_OK;
}

const char *paper_title(const char *key) {
    static const char *const titles[][2] = {
        {"broder", "Broder 1997, On the resemblance and containment of documents"},
        {"hp",
         "Cherkasova et al. 2009, Applying syntactic similarity algorithms for enterprise information management"},
        {"yuan", "Yuan et al. 2012, Near-duplicate document detection with improved similarity measurement"},
        {"coates2011", "Coates 2011, A fast metric of document similarity"},
        {"coates2015", "Coates 2015, Estimating Levenshtein distance using signatures"},
        {"beyond", "Beyond the papers"},
    };
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (!strcmp(titles[i][0], key)) return titles[i][1];
    return key;
}
