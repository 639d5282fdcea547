/* Properties of Unicode 15.0 that utf8proc does not know, as ranges of code points: for the tool that writes
 * the frozen table and for the tests that doubt it. */
#ifndef TOOLS_UNICODE_RANGES_H
#define TOOLS_UNICODE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    uint32_t first, last;
};

static const struct range white_space[] = {
    {0x0009, 0x000D}, {0x0020, 0x0020}, {0x0085, 0x0085}, {0x00A0, 0x00A0}, {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000},
};

static const struct range line_ends[] = {{0x000A, 0x000D}, {0x0085, 0x0085}, {0x2028, 0x2029}};

/* Default_Ignorable_Code_Point without ZERO WIDTH SPACE, which stands for the border of a word. */
static const struct range ignorable[] = {
    {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x061C, 0x061C}, {0x115F, 0x1160}, {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x200C, 0x200F},   {0x202A, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFF8}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

/* Scripts written without spaces: letters in these ranges are words of their own. */
static const struct range unspaced[] = {
    {0x0E00, 0x0E7F},   /* Thai */
    {0x0E80, 0x0EFF},   /* Lao */
    {0x1000, 0x109F},   /* Myanmar */
    {0x1780, 0x17FF},   /* Khmer */
    {0x1950, 0x197F},   /* Tai Le */
    {0x1980, 0x19DF},   /* New Tai Lue */
    {0x1A20, 0x1AAF},   /* Tai Tham */
    {0x3005, 0x3007},   /* ideographic iteration, closing mark, zero */
    {0x3021, 0x3029},   /* Hangzhou numerals */
    {0x3031, 0x3035},   /* kana repeat marks */
    {0x3038, 0x303C},   /* Hangzhou numerals, masu mark */
    {0x3041, 0x30FF},   /* Hiragana, Katakana */
    {0x3105, 0x312F},   /* Bopomofo */
    {0x31A0, 0x31BF},   /* Bopomofo Extended */
    {0x31F0, 0x31FF},   /* Katakana Phonetic Extensions */
    {0x3400, 0x4DBF},   /* Han, extension A */
    {0x4E00, 0x9FFF},   /* Han */
    {0xA000, 0xA48F},   /* Yi */
    {0xA9E0, 0xA9FF},   /* Myanmar Extended-B */
    {0xAA60, 0xAA7F},   /* Myanmar Extended-A */
    {0xAA80, 0xAADF},   /* Tai Viet */
    {0xF900, 0xFAFF},   /* Han, compatibility */
    {0xFF66, 0xFF9F},   /* half-width Katakana */
    {0x11700, 0x1174F}, /* Ahom */
    {0x16FE0, 0x18DFF}, /* Tangut, Khitan and their marks */
    {0x1AFF0, 0x1B16F}, /* Kana supplements */
    {0x1B170, 0x1B2FF}, /* Nushu */
    {0x20000, 0x3FFFD}, /* Han, the later extensions */
};

#define IN(ranges, cp) in_ranges(ranges, sizeof(ranges) / sizeof *(ranges), cp)

static bool in_ranges(const struct range *ranges, size_t count, uint32_t cp) {
    for (size_t i = 0; i < count; i++)
        if (cp >= ranges[i].first && cp <= ranges[i].last) return true;
    return false;
}

#endif
