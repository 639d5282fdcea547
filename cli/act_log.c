/* Where logs go that were given no name: what a program keeps of its doings belongs into the state of the
 * user. */
#include "act.h"
#include "json.h"
#include "new_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_ROOM = 80 };

static char *join(const char *folder, const char *rest) {
    size_t size = strlen(folder) + strlen(rest) + 1;
    char *joined = need_memory(size);
    snprintf(joined, size, "%s%s", folder, rest);
    return joined;
}

static char *state_folder(void) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && state[0] == '/') return join(state, "/stemma"); /* a relative one is to be ignored */
    return home && home[0] == '/' ? join(home, "/.local/state/stemma") : NULL;
}

/* For the user alone, as names may be secrets. Returns 0 or the cause. */
static int make_folders(char *path) {
    for (char *at = path + 1;; at++) {
        char cut = *at;
        if (cut && cut != '/') continue;
        *at = '\0';
        int cause = mkdir(path, 0700) ? errno : 0;
        *at = cut;
        if (cause && cause != EEXIST) return cause;
        if (!cut) return 0;
    }
}

static int is_log(const struct dirent *entry) {
    const char *end = strrchr(entry->d_name, '.');
    return strchr(entry->d_name, '-') && end && !strcmp(end, ".jsonl");
}

/* By what follows the action: the time. */
static int newest_first(const struct dirent **a, const struct dirent **b) {
    return strcmp(strchr((*b)->d_name, '-'), strchr((*a)->d_name, '-'));
}

/* What a log says at the beginnings of its lines. */
typedef struct log_summary {
    long long started; /* seconds since 1970; 0: it does not say */
    uint64_t done, undone;
} log_summary;

static log_summary summarize(const char *path) {
    log_summary s = {0};
    char *line = NULL;
    size_t room = 0;
    FILE *log = fopen(path, "r");
    while (log && getline(&line, &room, log) > 0) {
        const char *started = strstr(line, "\"started\":");
        s.done += !strncmp(line, "{\"done\":", 8);
        s.undone += !strncmp(line, "{\"undone\":", 10);
        if (started && !strncmp(line, "{\"stemma_log\":", 14))
            s.started = atoll(started + strlen("\"started\":"));
    }
    if (log) fclose(log);
    free(line);
    return s;
}

static void print_log(const char *path, const char *name, bool as_json) {
    const log_summary s = summarize(path);
    const time_t seconds = (time_t)s.started;
    const int length = (int)strcspn(name, "-"); /* of the action */
    char moment[32] = "", done[32], undone[32];
    struct tm broken;
    if (s.started && gmtime_r(&seconds, &broken))
        strftime(moment, sizeof moment, "%Y-%m-%dT%H:%M:%SZ", &broken);
    if (as_json) {
        json line = json_begin(stdout);
        json_name(&line, "log", path);
        json_text(&line, "action", name, (size_t)length);
        json_word(&line, "started", moment);
        json_count(&line, "done", s.done);
        json_count(&line, "undone", s.undone);
        json_end(&line);
        return;
    }
    printf("%-20s  %-8.*s  %s file%s", moment, length, name, format_count(s.done, done, sizeof done),
           s.done == 1 ? "" : "s");
    if (s.undone) printf(", %s taken back", format_count(s.undone, undone, sizeof undone));
    fputs("  ", stdout);
    print_name(stdout, path);
    putchar('\n');
}

bool act_list_logs(bool as_json) {
    char *folder = state_folder();
    struct dirent **found = NULL;
    int count = folder ? scandir(folder, &found, is_log, newest_first) : 0;
    for (int i = 0; i < count; i++) {
        char *slashed = join("/", found[i]->d_name), *path = join(folder, slashed);
        print_log(path, found[i]->d_name, as_json);
        free(path);
        free(slashed);
        free(found[i]);
    }
    free(found);
    free(folder);
    return count > 0;
}

enum exit_code act_check_log(const char *path) {
    struct stat info;
    if (new_file_check_place(path)) return EXIT_WRONG;
    if (lstat(path, &info)) return EXIT_DONE;
    complain("the log '%s' exists", path);
    return EXIT_WRONG;
}

char *act_log_path(stemma_action action) {
    char name[NAME_ROOM], moment[32];
    time_t now = time(NULL);
    struct tm broken;
    char *folder = state_folder();
    if (!folder) {
        complain("there is no home to keep the log in: say --log=FILE");
        return NULL;
    }
    int cause = make_folders(folder);
    if (cause) {
        complain("cannot make the folder '%s' for the log: %s", folder, cause_text(cause));
        free(folder);
        return NULL;
    }
    if (!gmtime_r(&now, &broken) || !strftime(moment, sizeof moment, "%Y%m%dT%H%M%SZ", &broken))
        moment[0] = '\0';
    snprintf(name, sizeof name, "/%s-%s-%d.jsonl", stemma_action_name(action), moment, (int)getpid());
    char *path = join(folder, name);
    free(folder);
    return path;
}
