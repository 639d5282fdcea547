#include "align/tokens/passages.h"

#include "align/tokens/prefix_hash.h"
#include "base/alloc.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

/* Places in a that are tried for a run of b: the first so many. More would cost time on text that repeats
 * itself, and find the same words elsewhere. */
enum { PLACES_MOST = 16 };

/* How often a run may lose ends to longer ones before it is dropped. */
enum { TRIMS_MOST = 16 };

/* A run of `least` tokens that is looked for, and where a has it. */
struct window_slot {
    uint64_t hash;
    uint32_t first, last; /* places + 1; 0: none yet */
    uint32_t count;
    bool used;
};

struct window_table {
    struct window_slot *slots;
    size_t mask;
    uint32_t *next; /* from a place to the next of the same run, + 1; 0: none */
};

/* A match that waits for its turn. */
struct waiting {
    struct common_run run;
    unsigned trims;
};

struct finder {
    const struct id_pair *pair;
    size_t least;
    const volatile int *stop;
    struct prefix_hashes hashes;
    struct window_table table;
    struct waiting *heap;
    size_t heap_count, heap_cap;
    uint32_t *taken; /* by token of b: the run it belongs to, + 1; 0: free */
    struct common_runs found;
};

/* ---- what no run has taken of b ---- */

/* The next stretch, behind *end, that is long enough for a run. */
static bool next_free(const struct finder *f, size_t *begin, size_t *end) {
    const size_t count = f->pair->b.count;
    for (*begin = *end; *begin < count; *begin = *end) {
        while (*begin < count && f->taken[*begin]) ++*begin;
        for (*end = *begin; *end < count && !f->taken[*end]; ++*end) continue;
        if (*end - *begin >= f->least) return true;
    }
    return false;
}

/* ---- the table of a's runs ---- */

static struct window_slot *find_slot(const struct window_table *table, uint64_t hash) {
    size_t at = mix64(hash) & table->mask;
    while (table->slots[at].used && table->slots[at].hash != hash) at = (at + 1) & table->mask;
    return &table->slots[at];
}

static void enter_window(struct window_table *table, uint64_t hash, size_t at) {
    struct window_slot *slot = find_slot(table, hash);
    if (!slot->used || slot->count == PLACES_MOST) return;
    if (slot->count++)
        table->next[slot->last - 1] = (uint32_t)at + 1;
    else
        slot->first = (uint32_t)at + 1;
    slot->last = (uint32_t)at + 1;
}

static void ask_for_free_windows(struct finder *f) {
    for (size_t begin, end = 0; next_free(f, &begin, &end);)
        for (size_t b = begin; b + f->least <= end; b++) {
            uint64_t hash = run_hash(&f->hashes, f->hashes.b, b, f->least);
            struct window_slot *slot = find_slot(&f->table, hash);
            slot->hash = hash;
            slot->used = true;
        }
}

/* Of a's runs only those that will be asked for: of two versions that is little, which stays in the cache. */
static stemma_status make_table(struct finder *f, size_t asked, stemma_error *err) {
    size_t count = f->pair->a.count, slots = 16;
    while (slots < 2 * asked) slots *= 2;
    f->table.slots = mem_zero(slots, sizeof *f->table.slots);
    f->table.next = mem_zero(count, sizeof *f->table.next);
    f->table.mask = slots - 1;
    if (!f->table.slots || !f->table.next) return fail_memory(err);
    ask_for_free_windows(f);
    for (size_t at = 0; at + f->least <= count; at++)
        enter_window(&f->table, run_hash(&f->hashes, f->hashes.a, at, f->least), at);
    f->found.steps += count;
    return STEMMA_OK;
}

/* ---- the heap: longest first, then by place ---- */

static int compare_runs(const struct common_run *x, const struct common_run *y) {
    if (x->length != y->length) return x->length > y->length ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    return x->a < y->a ? -1 : x->a > y->a;
}

static bool heap_add(struct finder *f, struct waiting item) {
    if (!mem_grow((void **)&f->heap, &f->heap_cap, f->heap_count + 1, sizeof *f->heap)) return false;
    size_t at = f->heap_count++;
    for (; at > 0 && compare_runs(&item.run, &f->heap[(at - 1) / 2].run) < 0; at = (at - 1) / 2)
        f->heap[at] = f->heap[(at - 1) / 2];
    f->heap[at] = item;
    return true;
}

static struct waiting heap_take(struct finder *f) {
    struct waiting top = f->heap[0], last = f->heap[--f->heap_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < f->heap_count; at = child) {
        if (child + 1 < f->heap_count && compare_runs(&f->heap[child + 1].run, &f->heap[child].run) < 0)
            child++;
        if (compare_runs(&last.run, &f->heap[child].run) <= 0) break;
        f->heap[at] = f->heap[child];
    }
    f->heap[at] = last;
    return top;
}

/* ---- taking runs ---- */

static bool take(struct finder *f, struct common_run run) {
    struct common_runs *found = &f->found;
    if (!mem_grow((void **)&found->runs, &found->cap, found->count + 1, sizeof *found->runs)) return false;
    found->runs[found->count++] = run;
    for (size_t i = 0; i < run.length; i++) f->taken[run.b + i] = (uint32_t)found->count;
    return true;
}

/* Between two differences. */
static bool take_in_order(struct finder *f, size_t a, size_t b, size_t length) {
    return length < f->least || take(f, (struct common_run){a, b, length, false});
}

static stemma_status take_all_in_order(struct finder *f, const struct hunk_list *hunks, stemma_error *err) {
    size_t a = 0, b = 0;
    for (size_t i = 0; i < hunks->count; i++) {
        if (!take_in_order(f, a, b, hunks->hunks[i].a_begin - a)) return fail_memory(err);
        a = hunks->hunks[i].a_end;
        b = hunks->hunks[i].b_end;
    }
    return take_in_order(f, a, b, f->pair->a.count - a) ? STEMMA_OK : fail_memory(err);
}

/* Cut off what longer runs have taken: only at its ends, since what was taken is at least as long. Returns
 * whether something was cut. */
static bool trim(const struct finder *f, struct common_run *run) {
    size_t whole = run->length;
    while (run->length && f->taken[run->b]) {
        const struct common_run *other = &f->found.runs[f->taken[run->b] - 1];
        size_t cut = other->b + other->length - run->b;
        if (cut > run->length) cut = run->length;
        run->a += cut;
        run->b += cut;
        run->length -= cut;
    }
    while (run->length && f->taken[run->b + run->length - 1])
        run->length = f->found.runs[f->taken[run->b + run->length - 1] - 1].b - run->b;
    return run->length < whole;
}

static bool is_equal(const struct finder *f, const struct common_run *run) {
    return !memcmp(f->pair->a.ids + run->a, f->pair->b.ids + run->b, run->length * sizeof *f->pair->a.ids);
}

static stemma_status take_waiting(struct finder *f, stemma_error *err) {
    while (f->heap_count) {
        struct waiting item = heap_take(f);
        f->found.steps++;
        if (trim(f, &item.run)) {
            if (item.run.length < f->least || ++item.trims > TRIMS_MOST) continue;
            if (!heap_add(f, item)) return fail_memory(err);
        } else if (is_equal(f, &item.run) && !take(f, item.run)) {
            return fail_memory(err);
        }
    }
    return STEMMA_OK;
}

/* ---- looking for runs in what is left of b ---- */

/* The longest match of b's run at `b` with one of its places in a, as far as b is free. */
static struct common_run longest_at(struct finder *f, size_t b, size_t end) {
    struct common_run best = {.b = b, .moved = true};
    const struct window_slot *slot = find_slot(&f->table, run_hash(&f->hashes, f->hashes.b, b, f->least));
    for (uint32_t place = slot->first; place; place = f->table.next[place - 1]) {
        size_t length = match_ahead(&f->hashes, place - 1, b, end - b);
        f->found.steps++;
        if (length <= best.length) continue;
        best.a = place - 1;
        best.length = length;
    }
    return best;
}

enum { STEP = 1 << 16 }; /* tokens between two looks at whether to stop */

/* A match that only goes on with the one before it is part of that. */
static stemma_status search_stretch(struct finder *f, size_t begin, size_t end, stemma_error *err) {
    struct common_run before = {0};
    for (size_t b = begin; b + f->least <= end; b++) {
        if ((b - begin) % STEP == 0) TRY(check_stop(f->stop, err));
        struct common_run run = longest_at(f, b, end);
        bool goes_on = before.length && run.a == before.a + 1 && run.length + 1 == before.length;
        before = run;
        if (run.length < f->least || goes_on) continue;
        size_t behind = match_behind(&f->hashes, run.a, run.b, b - begin);
        run.a -= behind;
        run.b -= behind;
        run.length += behind;
        if (!heap_add(f, (struct waiting){run, 0})) return fail_memory(err);
    }
    f->found.steps += end - begin;
    return STEMMA_OK;
}

static stemma_status search_free(struct finder *f, stemma_error *err) {
    size_t windows = 0;
    for (size_t begin, end = 0; next_free(f, &begin, &end);) windows += end - begin - f->least + 1;
    if (windows == 0 || f->pair->a.count < f->least) return STEMMA_OK;
    TRY(prefix_hashes_init(&f->hashes, f->pair, err));
    TRY(make_table(f, windows, err));
    for (size_t begin, end = 0; next_free(f, &begin, &end);) TRY(search_stretch(f, begin, end, err));
    return take_waiting(f, err);
}

static int by_length(const void *x, const void *y) {
    return compare_runs(x, y);
}

stemma_status common_runs_find(const struct id_pair *pair, const struct hunk_list *hunks, size_t least,
                               const volatile int *stop, struct common_runs *out, stemma_error *err) {
    struct finder f = {.pair = pair, .least = least, .stop = stop};
    f.taken = mem_zero(pair->b.count, sizeof *f.taken);
    stemma_status status = f.taken ? take_all_in_order(&f, hunks, err) : fail_memory(err);
    if (status == STEMMA_OK) status = search_free(&f, err);
    prefix_hashes_release(&f.hashes);
    mem_free(f.table.slots);
    mem_free(f.table.next);
    mem_free(f.heap);
    mem_free(f.taken);
    if (status != STEMMA_OK) {
        common_runs_release(&f.found);
        return status;
    }
    if (f.found.count) qsort(f.found.runs, f.found.count, sizeof *f.found.runs, by_length);
    *out = f.found;
    return STEMMA_OK;
}

void common_runs_release(struct common_runs *runs) {
    mem_free(runs->runs);
    *runs = (struct common_runs){0};
}
