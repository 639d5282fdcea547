#include "family/clues.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "text/tokens.h"

#include <string.h>

enum {
    CONTEXT = 3,          /* words before a number that say which number it is */
    VALUE_BITS = 30,      /* of numbers of up to nine digits */
    SITES_MOST = 1 << 12, /* those with the lowest hashes, so that two texts keep the same ones */
    DATES_MOST = 1 << 8,
    SITES_HELD = 1 << 16 /* before the lowest are chosen */
};

#define VALUE_MASK (((uint64_t)1 << VALUE_BITS) - 1)

struct word {
    const uint8_t *bytes;
    size_t size;
};

/* The words around a year: four before it, four after. */
enum { BEFORE = 4, AROUND = 2 * BEFORE + 1 };

struct reader {
    const uint8_t *text;
    size_t size, at;
    struct word words[AROUND]; /* the one in the middle is looked at */
};

static struct word next_word(struct reader *r) {
    struct token token;
    if (!token_next(UNIT_WORD, r->text, r->size, true, &r->at, &token)) return (struct word){0};
    return (struct word){r->text + token.begin, token.end - token.begin};
}

/* False when there is none in the middle. */
static bool advance(struct reader *r) {
    memmove(r->words, r->words + 1, (AROUND - 1) * sizeof *r->words);
    r->words[AROUND - 1] = next_word(r);
    return r->words[BEFORE].size > 0;
}

/* ---- numbers ---- */

/* Up to nine digits and nothing else; -1 otherwise. */
static int64_t number_of(struct word word) {
    int64_t value = 0;
    if (word.size == 0 || word.size > 9) return -1;
    for (size_t i = 0; i < word.size; i++) {
        if (word.bytes[i] < '0' || word.bytes[i] > '9') return -1;
        value = 10 * value + (word.bytes[i] - '0');
    }
    return value;
}

static bool is_year(int64_t value) {
    return value >= 1900 && value < 2100;
}

static uint64_t hash_word(uint64_t hash, struct word word) {
    hash = mix64(hash ^ word.size);
    for (size_t i = 0; i < word.size; i += 8) {
        uint64_t part = 0;
        memcpy(&part, word.bytes + i, word.size - i < 8 ? word.size - i : 8);
        hash = mix64(hash ^ part);
    }
    return hash;
}

static uint64_t site_of(const struct reader *r, uint64_t value) {
    uint64_t hash = 0;
    for (size_t i = BEFORE - CONTEXT; i < BEFORE; i++) hash = hash_word(hash, r->words[i]);
    return (hash & ~VALUE_MASK) | value;
}

/* Sorted, without those whose words stand before several numbers: they do not say which. */
static bool settle_sites(struct vec64 *sites, size_t most) {
    if (!sort_u64(sites->data, sites->len)) return false;
    if (sites->len > most) sites->len = most;
    return true;
}

static void drop_ambiguous(struct vec64 *sites) {
    size_t kept = 0;
    for (size_t begin = 0, end; begin < sites->len; begin = end) {
        for (end = begin + 1;
             end < sites->len && sites->data[end] >> VALUE_BITS == sites->data[begin] >> VALUE_BITS;)
            end++;
        if (end - begin == 1) sites->data[kept++] = sites->data[begin];
    }
    sites->len = kept;
}

/* ---- dates ---- */

/* In the languages of the largest archives; of words that begin alike (sept, september) the beginning. */
static const char *const months[12] = {"jan ene", "feb fev fév", "mar mär", "apr abr avr",
                                       "may mai", "jun juin",    "jul",     "aug ago aoû aou",
                                       "sep",     "oct okt",     "nov",     "dec dic déc dez"};

static bool begins_with(struct word word, const char *start, size_t size) {
    if (word.size < size) return false;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = word.bytes[i];
        if (byte >= 'A' && byte <= 'Z') byte |= 0x20;
        if (byte != (uint8_t)start[i]) return false;
    }
    return true;
}

static unsigned month_of(struct word word) {
    if (word.size < 3 || word.size > 12) return 0;
    for (unsigned month = 0; month < 12; month++)
        for (const char *at = months[month]; *at;) {
            size_t size = strcspn(at, " ");
            if (begins_with(word, at, size)) return month + 1;
            at += size + (at[size] == ' ');
        }
    return 0;
}

static unsigned within(struct word word, unsigned most) {
    int64_t value = word.size <= 2 ? number_of(word) : -1;
    return value >= 1 && value <= most ? (unsigned)value : 0;
}

static bool is_word(struct word word, const char *text) {
    return word.size == strlen(text) && !memcmp(word.bytes, text, word.size);
}

/* 2019-12-28 or 2019 年 12 月 28 日, w[0] being the year. */
static bool date_behind(const struct word *w, unsigned *month, unsigned *day) {
    if (is_word(w[1], "年") && is_word(w[3], "月")) {
        *month = within(w[2], 12);
        *day = within(w[4], 31);
        return *month;
    }
    if (w[1].size != 2 || w[2].size != 2) return false;
    *month = within(w[1], 12);
    *day = within(w[2], 31);
    return *month && *day;
}

/* 28 December 2019, December 28, 2019, 28 de diciembre de 2019. */
static void date_before(const struct word *w, unsigned *month, unsigned *day) {
    size_t at = 1;
    if (is_word(w[-1], "de")) at++;
    *month = month_of(*(w - at));
    if (*month) {
        at++;
        if (is_word(*(w - at), "de") && at < BEFORE) at++;
        *day = within(*(w - at), 31);
    } else if (month_of(w[-2])) {
        *day = within(w[-1], 31);
        *month = *day ? month_of(w[-2]) : 0;
    }
}

static uint64_t date_of(const struct reader *r, uint64_t year) {
    unsigned month = 0, day = 0;
    const struct word *w = &r->words[BEFORE];
    if (!date_behind(w, &month, &day)) {
        month = day = 0;
        date_before(w, &month, &day);
    }
    return year << 16 | month << 8 | day;
}

static bool settle_dates(struct vec64 *dates) {
    if (!sort_u64(dates->data, dates->len)) return false;
    dates->len = unique_u64(dates->data, dates->len);
    for (size_t i = 0; i < dates->len / 2; i++) {
        uint64_t low = dates->data[i];
        dates->data[i] = dates->data[dates->len - 1 - i];
        dates->data[dates->len - 1 - i] = low;
    }
    if (dates->len > DATES_MOST) dates->len = DATES_MOST;
    return true;
}

/* ---- all of a text ---- */

/* The last word of a text that was cut off may be the beginning of a longer number: entered twice, it makes
 * its place ambiguous. */
static bool add_site(struct clues *clues, const struct reader *r, uint64_t value) {
    const uint64_t site = site_of(r, value);
    const bool is_last = r->words[BEFORE + 1].size == 0;
    return vec64_add(&clues->sites, site) && (!is_last || vec64_add(&clues->sites, site));
}

static bool add_number(struct clues *clues, const struct reader *r, uint64_t value) {
    if (!add_site(clues, r, value)) return false;
    if (clues->sites.len >= SITES_HELD && !settle_sites(&clues->sites, SITES_HELD / 2)) return false;
    if (!is_year((int64_t)value)) return true;
    if (!vec64_add(&clues->dates, date_of(r, value))) return false;
    return clues->dates.len < SITES_HELD || settle_dates(&clues->dates);
}

stemma_status clues_find(struct clues *clues, const uint8_t *text, size_t size, stemma_error *err) {
    struct reader r = {.text = text, .size = size};
    for (size_t i = BEFORE + 1; i < AROUND; i++) r.words[i] = next_word(&r);
    while (advance(&r)) {
        int64_t value = number_of(r.words[BEFORE]);
        if (value >= 0 && !add_number(clues, &r, (uint64_t)value)) return fail_memory(err);
    }
    if (!settle_sites(&clues->sites, SIZE_MAX) || !settle_dates(&clues->dates)) return fail_memory(err);
    drop_ambiguous(&clues->sites);
    if (clues->sites.len > SITES_MOST) clues->sites.len = SITES_MOST;
    return STEMMA_OK;
}

void clues_release(struct clues *clues) {
    vec64_release(&clues->sites);
    vec64_release(&clues->dates);
}

/* ---- two texts ---- */

static void weigh_site(struct evidence *e, uint64_t a, uint64_t b) {
    int32_t way = a < b ? 1 : -1;
    if (a == b) return;
    if (is_year((int64_t)a) && is_year((int64_t)b)) {
        e->years += way;
    } else {
        e->numbers += way;
        e->replaced++;
    }
}

/* Walking down from the latest, the first date that only one of them names decides. */
static int32_t later_date(const struct vec64 *a, const struct vec64 *b) {
    size_t i = 0;
    while (i < a->len && i < b->len && a->data[i] == b->data[i]) i++;
    uint64_t of_a = i < a->len ? a->data[i] : 0, of_b = i < b->len ? b->data[i] : 0;
    return (of_b > of_a) - (of_b < of_a);
}

struct evidence clues_weigh(const struct clues *a, const struct clues *b) {
    struct evidence e = {.dates = later_date(&a->dates, &b->dates)};
    for (size_t i = 0, k = 0; i < a->sites.len && k < b->sites.len;) {
        uint64_t x = a->sites.data[i], y = b->sites.data[k];
        if (x >> VALUE_BITS == y >> VALUE_BITS) weigh_site(&e, x & VALUE_MASK, y & VALUE_MASK);
        if (x >> VALUE_BITS <= y >> VALUE_BITS) i++;
        if (x >> VALUE_BITS >= y >> VALUE_BITS) k++;
    }
    return e;
}
