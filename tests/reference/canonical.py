"""From bytes to canonical text and its tokens: docs/format.md, section 3, on a whole document at once."""

import unicodedata


def characters(*ranges):
    return {chr(c) for first, last in ranges for c in range(first, last + 1)}


WHITE_SPACE = characters((9, 13), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
                         (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000))
LINE_ENDS = set("\n\v\f\r\x85\u2028\u2029")
INVISIBLE = characters((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
                       (0x180B, 0x180F), (0x200C, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
                       (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
                       (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF))
UNSPACED = characters((0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A20, 0x1AAF),
                      (0x3000, 0x312F), (0x31A0, 0x31FF), (0x3400, 0xA4CF), (0xA9E0, 0xA9FF), (0xAA60, 0xAADF),
                      (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x11700, 0x1174F), (0x16FE0, 0x18D7F), (0x1AFF0, 0x1B2FF),
                      (0x20000, 0x3FFFF))


def second_of_composites():
    """Characters that NFC may join to the one before: the vowels and finals of Hangul, and the ends of pairs."""
    pairs = ((c, unicodedata.decomposition(c).split()) for c in characters((0, 0x1FFFF)))
    ends = {chr(int(codes[1], 16)) for c, codes in pairs
            if len(codes) == 2 and codes[0][0] != "<" and unicodedata.normalize("NFC", c) == c}
    return ends | characters((0x1161, 0x1175), (0x11A8, 0x11C2))


JOINS = second_of_composites()


def category(c):
    return unicodedata.category(c)[0]


def stands_alone(c):
    return c in UNSPACED and (category(c) == "L" or unicodedata.category(c) == "Nl")


def segments(text):
    """A character and those behind it that may join it, at most 33 in all."""
    out = []
    for c in text:
        joins = c in JOINS or unicodedata.combining(unicodedata.normalize("NFD", c)[0]) != 0
        if out and joins and len(out[-1]) < 33:
            out[-1] += c
        else:
            out.append(c)
    return out


def nfc(text):
    return unicodedata.normalize("NFC", text)


def fold_characters(text, fold):
    if "nfc" not in fold:
        return text.casefold() if "case" in fold else text
    if "case" not in fold:
        return "".join(nfc(segment) for segment in segments(text))
    return "".join(nfc(nfc(segment).casefold()) for segment in segments(text))


def without_punctuation(text, unit):
    out = []
    alone = False  # the last character kept was a word of its own
    for c in text:
        if category(c) not in "LNM":
            out.append(c if c in WHITE_SPACE else " ")
            alone = False
        elif unit == "word" and category(c) != "M":
            if out and (alone or stands_alone(c)) and out[-1] not in WHITE_SPACE:
                out.append(" ")
            out.append(c)
            alone = stands_alone(c)
        else:
            out.append(c)
    return "".join(out)


def split_at(text, separators):
    pieces = [""]
    for c in text:
        if c in separators:
            pieces.append("")
        else:
            pieces[-1] += c
    return [piece for piece in pieces if piece]


def fold_space(text, unit):
    if unit != "line":
        return " ".join(split_at(text, WHITE_SPACE))
    lines = [" ".join(split_at(line, WHITE_SPACE)) for line in split_at(text, LINE_ENDS)]
    return "\n".join(line for line in lines if line)


def canonical_text(data, recipe):
    """The text, with a byte that is not UTF-8 as a surrogate (U+DC80 to U+DCFF) where it passes."""
    fold = recipe.fold
    text = data.decode("utf-8", "replace" if {"nfc", "case", "punct"} & set(fold) else "surrogateescape")
    if "punct" in fold:
        text = "".join(c for c in text if c not in INVISIBLE)
    text = fold_characters(text, fold)
    if "punct" in fold:
        text = without_punctuation(text, recipe.unit)
    if "space" in fold:
        text = fold_space(text, recipe.unit)
    return text


def encode(text):
    return text.encode("utf-8", "surrogateescape")


def tokens_of(text, recipe):
    """Tokens as bytes."""
    if recipe.unit == "byte":
        return [bytes([b]) for b in encode(text)]
    if recipe.unit == "char":
        return [encode(c) for c in text]
    pieces = [encode(piece) for piece in split_at(text, WHITE_SPACE if recipe.unit == "word" else "\n")]
    longest = 8 if recipe.hash == "padded" else 65536
    return [piece[i : i + longest] for piece in pieces for i in range(0, len(piece), longest)]
