/*
 * How good is the edit distance from signatures? The papers' experiments on the texts of a folder (or on
 * generated ones): root mean square error and bias as shares of the unrelated distance, how often the
 * interval holds the true distance, the same for C times the distance of the signatures as the papers have
 * it, and the papers' own errors.
 *
 *   edit_accuracy [FOLDER]
 *
 * Prints Markdown. Several stretches of a text and several seeds: one draw of signatures says little.
 */
#include "edit_trials.h"
#include "english.h"

#include "base/file.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MOST = 64, SEEDS = 3 };

static uint8_t *texts[TEXTS_MOST]; /* of TRIAL_TEXT characters each */
static size_t text_count;

static void die(const char *what) {
    fprintf(stderr, "edit_accuracy: %s\n", what);
    exit(2);
}

static void keep_text(const uint8_t *bytes) {
    texts[text_count] = malloc(TRIAL_TEXT);
    if (!texts[text_count]) die("not enough memory");
    memcpy(texts[text_count++], bytes, TRIAL_TEXT);
}

/* Stretches of one file, from beyond what a library puts in front. */
static void read_text(const char *folder, const char *name) {
    char path[4096];
    struct input input;
    struct buf bytes = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (input_open(&input, path, NULL) != STEMMA_OK) return;
    if (input_read_all(&input, (size_t)1 << 28, &bytes, NULL) == STEMMA_OK) {
        size_t size = fold_plain(bytes.data, bytes.len);
        for (size_t at = 5000;
             at + TRIAL_TEXT + 5000 <= size && at < 2 * TRIAL_TEXT && text_count < TEXTS_MOST;
             at += TRIAL_TEXT)
            keep_text(bytes.data + at);
    }
    input_close(&input);
    buf_release(&bytes);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_folder(const char *folder) {
    struct dirent **names;
    int count = scandir(folder, &names, NULL, by_name);
    if (count < 0) die("cannot read the folder");
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.') read_text(folder, names[i]->d_name);
        free(names[i]);
    }
    free(names);
}

static void generate_texts(void) {
    static uint8_t bytes[TRIAL_TEXT * 3 / 2];
    for (uint64_t seed = 1; seed <= 24; seed++) {
        english(bytes, sizeof bytes, seed);
        if (fold_plain(bytes, sizeof bytes) < TRIAL_TEXT) die("the generated text is too short");
        keep_text(bytes);
    }
}

static void print_trial(const struct trial *trial) {
    double squares = 0, sum = 0, parity = 0, covered = 0, count = 0;
    for (size_t i = 0; i < text_count; i++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct trial_result result = run_trial(trial, texts[i], i * SEEDS + seed);
            const stemma_quantity *distance = &result.estimate.distance;
            double unrelated = result.estimate.unrelated.value;
            double error = (distance->value - result.truth) / unrelated;
            squares += error * error;
            sum += error;
            parity += pow((result.parity - result.truth) / unrelated, 2);
            covered += distance->low <= result.truth && result.truth <= distance->high;
            count++;
        }
    }
    double error = sqrt(squares / count);
    printf("| %s | %u | %u | %u | %.4f | %+.4f | %.2f | %.4f | %s | %.4f%s |\n", trial->name, trial->n,
           trial->c, trial->alphabet, error, sum / count, covered / count, sqrt(parity / count), trial->paper,
           trial->most, error > trial->most ? " **missed**" : "");
}

int main(int argc, char **argv) {
    if (argc > 1)
        read_folder(argv[1]);
    else
        generate_texts();
    if (!text_count) die("no text is long enough");
    printf("%zu texts, %d seeds each; errors as shares of the unrelated distance.\n\n", text_count, SEEDS);
    printf(
        "| experiment | n | C | alphabet | RMSE | bias | covered | C · LD(signatures) | paper | asked |\n");
    printf("|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < trial_count; i++) print_trial(&trials[i]);
    for (size_t i = 0; i < text_count; i++) free(texts[i]);
    return 0;
}
