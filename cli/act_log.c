/* Where logs go that were given no name: what a program keeps of its doings belongs into the state of the
 * user. */
#include "act.h"
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

bool act_list_logs(void) {
    char *folder = state_folder();
    struct dirent **found = NULL;
    int count = folder ? scandir(folder, &found, is_log, newest_first) : 0;
    for (int i = 0; i < count; i++) {
        print_name(stdout, folder);
        putchar('/');
        print_name(stdout, found[i]->d_name);
        putchar('\n');
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
