"""The specification once more, as slowly and obviously as it can be said.

Written from docs/format.md alone, not from the C code: where the two give equal bytes, the page is complete and the
program does what it says. Everything is a list, a set or a whole number of any size; nothing rolls, streams or spills.
"""

import copy
import functools
import hashlib
import itertools
import math
import struct

from canonical import canonical_text, encode, tokens_of

U64 = (1 << 64) - 1


# ---- numbers ----------------------------------------------------------------------------------------


def mix64(x):
    for _ in range(2):
        x ^= x >> 32
        x = x * 0xD6E8FEB86659FD93 & U64
    return x ^ x >> 32


class Generator:
    """next(s) of the page, with s inside."""

    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & U64
        x = self.state
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & U64
        x = (x ^ x >> 27) * 0x94D049BB133111EB & U64
        return x ^ x >> 31


def salt(text):
    return int.from_bytes(text.encode("ascii"), "big")


def blake2b(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def first_number(digest):
    return int.from_bytes(digest[:8], "little")


def checksum(data):
    return blake2b(data)[:8]


# ---- polynomials over GF(2): bit i is the coefficient of x^i -----------------------------------------


def poly_mod(a, p):
    degree = p.bit_length()
    while a.bit_length() >= degree:
        a ^= p << (a.bit_length() - degree)
    return a


def poly_gcd(a, b):
    while b:
        a, b = b, poly_mod(a, b)
    return a


def poly_square(a, p):
    return poly_mod(int(bin(a)[2:], 4), p)  # squaring puts a zero between the coefficients


def power_of_x(k, p):
    """x^(2^k) mod p."""
    a = 2
    for _ in range(k):
        a = poly_square(a, p)
    return a


def irreducible(p):
    """Rabin's test: p divides x^(2^d) - x, and has no factor whose degree divides d properly."""
    d = p.bit_length() - 1
    if power_of_x(d, p) != 2:
        return False
    primes = [q for q in range(2, d + 1) if d % q == 0 and all(q % r for r in range(2, q))]
    return all(poly_gcd(p, power_of_x(d // q, p) ^ 2) == 1 for q in primes)


@functools.lru_cache(None)
def find_polynomial(start, d):
    generator = Generator(start)
    while True:
        low = generator.next() >> (64 - d) | 1
        ones = bin(low).count("1")
        if ones % 2 == 0 and abs(ones - d // 2) <= d // 8 and irreducible(1 << d | low):
            return 1 << d | low


def rabin(data, p):
    """The string times x^64, modulo p; one byte after the other, as long strings take for ever at once."""
    r = 0
    for byte in data:
        r = poly_mod(r << 8 | byte, p)
    return poly_mod(r << 64, p)


# ---- recipes ----------------------------------------------------------------------------------------

PRESETS = {"raw": (), "code": ("space",), "text": ("nfc", "case", "space", "punct")}
SPEC_DEFAULTS = {
    "mod": {"n": 32},
    "min": {"n": 128},
    "minmod": {"n": 128, "mod": 8},
    "level": {},
    "minhash": {"n": 256, "bits": 64},
    "oph": {"n": 2048, "bits": 1},
    "bsw": {"n": 100},
    "bsw-chunk": {"n": 100},
    "simhash": {"bits": 64},
    "signature": {"n": 8, "c": 64, "alphabet": 65536, "positions": "no"},
    "signature2011": {"n": 4, "c": 50, "k": 0},
}


class Recipe:
    def __init__(self, text="", key=None):
        view, *specs = [part.split() for part in text.split(";")]
        given = dict(field.split("=") for field in view)
        self.fold = PRESETS[given.get("preset", "text")]
        if "fold" in given:
            self.fold = tuple(f for f in PRESETS["text"] if f in given["fold"].split("+"))
        self.unit = given.get("unit", "word")
        self.window = int(given.get("window", 20 if self.unit == "byte" else 5))
        self.labelled = given.get("labelled", "no") == "yes"
        self.hash = given.get("hash", "rabin" if self.unit == "byte" else "mix")
        self.width = int(given.get("width", 64))
        self.seed = int(given.get("seed", 0))
        self.specs = [self.read_spec(spec) for spec in specs] or [("oph", {"n": 2048, "bits": 1}), ("mod", {"n": 32})]
        self.start = self.seed
        self.keyid = None
        if key is not None:
            secret = blake2b(key)
            self.start = first_number(blake2b(secret + b"stemma view"))
            self.keyid = first_number(blake2b(secret + b"stemma key id"))
            self.finish = [first_number(blake2b(secret + b"stemma finish %d" % i)) for i in (1, 2)]

    @staticmethod
    def read_spec(words):
        given = (field.split("=") for field in words[1:])
        numbers = {name: value if name == "positions" else int(value) for name, value in given}
        return words[0], {**SPEC_DEFAULTS[words[0]], **numbers}

    def text(self):
        fields = ["fold=" + "+".join(self.fold)]
        fields = ["preset=" + name for name, fold in PRESETS.items() if fold == self.fold] or fields
        fields += [f"unit={self.unit}", f"window={self.window}"]
        fields += ["labelled=yes"] if self.labelled else []
        fields += [f"hash={self.hash}", f"width={self.width}", f"seed={self.seed}"]
        fields += [f"keyid={self.keyid:016x}"] if self.keyid is not None else []
        specs = [" ".join([scheme] + [f"{k}={v}" for k, v in numbers.items()]) for scheme, numbers in self.specs]
        return "; ".join([" ".join(fields)] + specs)


# ---- fingerprints -----------------------------------------------------------------------------------


def cut(v, recipe):
    if recipe.keyid is not None:
        v = mix64(mix64(v ^ recipe.finish[0]) ^ recipe.finish[1])
    return v >> (64 - recipe.width)


class MixHash:
    def __init__(self, recipe):
        generator = Generator(mix64(recipe.start ^ 0x746F6B656E686173))
        self.k0, self.k1, self.k2 = [generator.next() | 1 for _ in range(3)]
        self.m = generator.next() & ~7 | 5
        self.f = generator.next()

    def token_value(self, token):
        h = self.k1 ^ len(token) * self.k2 & U64
        for i in range(0, max(len(token), 1), 16):
            a, b = struct.unpack("<QQ", token[i : i + 16].ljust(16, b"\0"))
            product = (a ^ self.k0) * (b ^ h)
            h = product & U64 ^ product >> 64
        return h

    def window_value(self, values):
        v = 0
        for t in values:
            v = (v * self.m + t) & U64
        return v

    def fingerprint(self, values, recipe):
        return cut(mix64(self.window_value(values) ^ self.f), recipe)


class RabinHash:
    def __init__(self, recipe):
        self.polynomial = find_polynomial(recipe.start, recipe.width)
        self.unit = recipe.unit
        self.padded = recipe.hash == "padded"
        self.symbol_size = {"byte": 1, "char": 4}.get(recipe.unit, 8)

    def token_value(self, token):
        if self.padded:
            return int.from_bytes(token.ljust(8, b"\0"), "big")
        if self.unit == "byte":
            return token[0]
        if self.unit == "char":
            c = ord(token.decode("utf-8", "surrogateescape"))
            return 0x110000 + c - 0xDC00 if 0xDC80 <= c <= 0xDCFF else c
        return mix64(rabin(token, self.polynomial) ^ mix64(len(token)))

    def window_value(self, values):
        return rabin(b"".join(t.to_bytes(self.symbol_size, "big") for t in values), self.polynomial)

    def fingerprint(self, values, recipe):
        v = self.window_value(values)
        return v if recipe.keyid is None else cut(v, recipe)


def label(fingerprints, width):
    seen = {}
    out = []
    for v in fingerprints:
        seen[v] = seen.get(v, 0) + 1
        out.append(mix64(v ^ mix64(seen[v])) >> (64 - width))
    return out


class Document:
    """Everything a part may ask for: token values, fingerprints in order, sizes, digests."""

    def __init__(self, data, recipe):
        text = canonical_text(data, recipe)
        tokens = tokens_of(text, recipe)
        hasher = MixHash(recipe) if recipe.hash == "mix" else RabinHash(recipe)
        self.bytes = len(data)
        self.tokens = len(tokens)
        self.digest = blake2b(data)
        self.text_digest = blake2b(encode(text))
        self.window = recipe.window
        self.edit_text = self.edit_text_of(data, recipe)
        self.token_values = [hasher.token_value(token) for token in tokens]
        self.fingerprints = self.windows(hasher, recipe)
        if recipe.labelled:
            self.fingerprints = label(self.fingerprints, recipe.width)

    @staticmethod
    def edit_text_of(data, recipe):
        """Canonical as if the unit were char."""
        by_characters = copy.copy(recipe)
        by_characters.unit = "char"
        return encode(canonical_text(data, by_characters))

    def windows(self, hasher, recipe):
        t, w = self.token_values, recipe.window
        if 0 < len(t) < w:
            tag = mix64(MixHash(recipe).f + len(t) & U64)
            return [cut(mix64(hasher.window_value(t) ^ tag), recipe)]
        return [hasher.fingerprint(t[i : i + w], recipe) for i in range(len(t) - w + 1)]


# ---- parts ------------------------------------------------------------------------------------------


def encode_set(values):
    return struct.pack("<I", len(values)) + b"".join(struct.pack("<Q", v) for v in sorted(values))


def encode_fields(fields, bits):
    whole = sum(field << i * bits for i, field in enumerate(fields))
    return whole.to_bytes((len(fields) * bits + 7) // 8, "little")


class Part:
    """What a scheme keeps: its bytes, and what a reader is shown: values or fields."""

    def __init__(self, scheme, data, values=None, fields=None, bits=None, symbols=None, positions=None):
        self.scheme, self.bytes, self.values, self.fields, self.bits = scheme, data, values, fields, bits
        self.symbols, self.positions = symbols, positions

    def shown_bits(self):
        return encode_fields(self.fields, self.bits)


def sampled(scheme, fingerprints, modulus, head=b""):
    distinct = set(fingerprints)
    sample = sorted(v for v in distinct if v % modulus == 0)
    smallest = sorted(distinct)[:8] if len(sample) < 8 else []
    return Part(scheme, head + encode_set(sample) + encode_set(smallest), values=sample)


def mod(doc, recipe, n):
    return sampled("mod", doc.fingerprints, n)


def level(doc, recipe):
    i = max(0, (len(doc.fingerprints) // 100).bit_length() - 1)
    return sampled("level", doc.fingerprints, 2**i, struct.pack("<I", i))


def smallest(scheme, candidates, n):
    distinct = sorted(set(candidates))
    return Part(scheme, bytes([len(distinct) <= n]) + encode_set(distinct[:n]), values=distinct[:n])


def min_(doc, recipe, n):
    return smallest("min", doc.fingerprints, n)


def minmod(doc, recipe, n, mod):
    return smallest("minmod", [v for v in doc.fingerprints if v % mod == 0], n)


def minima_part(scheme, minima, bits, head, shingles):
    if bits == 64:
        return Part(scheme, b"".join(struct.pack("<Q", v) for v in minima), values=minima)
    fields = [
        ((v ^ (i + 1) * 0x9E3779B97F4A7C15 & U64) * 0xD6E8FEB86659FD93 & U64) >> (64 - bits) if shingles else 0
        for i, v in enumerate(minima)
    ]
    return Part(scheme, head + encode_fields(fields, bits), fields=fields, bits=bits)


def minhash(doc, recipe, n, bits):
    generator = Generator(mix64(recipe.start ^ salt("minhash1")))
    g = mix64(recipe.start ^ salt("minhash2"))
    minima = []
    mixed = [mix64(v ^ g) for v in set(doc.fingerprints)]
    for _ in range(n):
        a, b, c = generator.next() >> 32 | 1, generator.next() >> 32 | 1, generator.next()
        ys = [(a * (x % 2**32) + b * (x >> 32) + c) & U64 for x in mixed]
        minima.append(min([y >> 32 | y % 2**32 << 32 for y in ys], default=U64))
    shingles = len(doc.fingerprints)
    distinct = max(min((n - 1) * 2**64 // (1 + sum(minima)), shingles), 1 if shingles else 0)
    return minima_part("minhash", minima, bits, struct.pack("<Q", distinct), shingles)


def densify(minima, start):
    n = len(minima)
    full = list(minima)
    e = mix64(start ^ salt("onePerm2"))
    empty = [i for i in range(n) if full[i] == U64]
    r = 0
    while empty:
        r += 1
        offset = mix64(r ^ e) * n >> 64
        for i in empty:
            full[i] = minima[(i - offset) % n]
        empty = [i for i in empty if full[i] == U64]
    return full


def oph(doc, recipe, n, bits):
    g = mix64(recipe.start ^ salt("onePerm1"))
    minima = [U64] * n
    for v in doc.fingerprints:
        product = mix64(v ^ g) * n
        minima[product >> 64] = min(minima[product >> 64], product & U64)
    shingles = len(doc.fingerprints)
    filled = sum(v != U64 for v in minima)
    weight = 1 + sum(minima)
    distinct = max(min((filled * n * 2**64 + weight // 2) // weight, shingles), filled)
    head = struct.pack("<IQ", filled, distinct)
    if bits < 64 and filled:
        minima = densify(minima, recipe.start)
    return minima_part("oph", minima, bits, head, shingles)


def chunk_ends(doc, n):
    f = doc.fingerprints
    return [i for i, v in enumerate(f) if v % n == 0 or i == len(f) - 1]


def bsw(doc, recipe, n):
    values, begin = set(), 0
    for end in chunk_ends(doc, n):
        values.add(mix64(min(doc.fingerprints[begin : end + 1])))
        begin = end + 1
    return Part("bsw", encode_set(values), values=sorted(values))


def bsw_chunk(doc, recipe, n):
    q = mix64(recipe.start ^ salt("bsw-chnk"))
    values, begin = set(), 0
    for position in chunk_ends(doc, n):
        end = min(position + doc.window, doc.tokens)
        h = q
        for t in doc.token_values[begin:end]:
            h = mix64(h ^ t) + q & U64
        values.add(h)
        begin = end
    return Part("bsw-chunk", encode_set(values), values=sorted(values))


def simhash(doc, recipe, bits):
    generator = Generator(mix64(recipe.start ^ salt("simhash1")))
    g = [generator.next(), generator.next()]
    fields = []
    for k in range(bits):
        ones = sum(mix64(v ^ g[k // 64]) >> k % 64 & 1 for v in doc.fingerprints)
        fields.append(int(2 * ones > len(doc.fingerprints)))
    return Part("simhash", encode_fields(fields, 1), fields=fields, bits=1)


def code_points(text):
    decoded = [ord(c) for c in text.decode("utf-8", "surrogateescape")]
    return [0x110000 + c - 0xDC00 if 0xDC80 <= c <= 0xDCFF else c for c in decoded]


def agreement(x):
    bins = [0] * 4096
    for c in x:
        bins[c if c < 128 else 128 + c % 3968] += 1
    return (65535 * sum(f * f for f in bins) + len(x) ** 2 // 2) // len(x) ** 2 if x else 0


def encode_step(step):
    out = b""
    while step >= 128:
        out += bytes([step % 128 + 128])
        step //= 128
    return out + bytes([step])


def signature_part(scheme, x, symbols, bits, positions=None):
    data = struct.pack("<QHQ", len(x), agreement(x), len(symbols)) + encode_fields(symbols, bits)
    if positions is not None:
        data += b"".join(encode_step(b - a) for a, b in zip([0] + positions, positions))
    return Part(scheme, data, symbols=symbols, positions=positions)


def signature(doc, recipe, n, c, alphabet, positions):
    by_bytes = not recipe.fold and recipe.unit != "char"
    x = list(doc.edit_text) if by_bytes else code_points(doc.edit_text)
    generator = Generator(mix64(recipe.start ^ salt("signatur")))
    m, f = generator.next() & ~7 | 5, generator.next()

    def window_hash(p):
        v = sum(x[p + i] * pow(m, n - 1 - i, 2**64) for i in range(n)) & U64 ^ f
        if recipe.keyid is not None:
            return mix64(mix64(v ^ recipe.finish[0]) ^ recipe.finish[1])
        v = (v ^ v >> 32) * 0xD6E8FEB86659FD93 & U64
        return v ^ v >> 32

    hashes = [window_hash(p) for p in range(len(x) - n + 1)]
    kept = [p for p, h in enumerate(hashes) if h % c == 0 and h not in hashes[max(0, p - n) : p]]
    if positions == "yes" and not by_bytes:
        raise NotImplementedError("the way back through the canonical form")
    symbols = [hashes[p] // c % alphabet for p in kept]
    return signature_part("signature", x, symbols, max(1, (alphabet - 1).bit_length()), kept if positions == "yes" else None)


def signature2011(doc, recipe, n, c, k):
    x = list(doc.edit_text)
    sums = [sum(x[p : p + n]) for p in range(len(x) - n + 1)]
    return signature_part("signature2011", x, [mix64(s ^ recipe.start) & 1 for s in sums if s % c == k], 1)


SCHEMES = {"mod": mod, "min": min_, "minmod": minmod, "level": level, "minhash": minhash, "oph": oph, "bsw": bsw,
           "bsw-chunk": bsw_chunk, "simhash": simhash, "signature": signature, "signature2011": signature2011}


def parts_of(doc, recipe):
    return [SCHEMES[scheme](doc, recipe, **numbers) for scheme, numbers in recipe.specs]


# ---- bundles ----------------------------------------------------------------------------------------

MAGIC = bytes.fromhex("8b53544d0d0a1a0a")


def payload(name, doc, parts):
    head = struct.pack("<I", len(name)) + name + struct.pack("<QQQ", doc.bytes, doc.tokens, len(doc.fingerprints))
    return head + doc.digest + doc.text_digest + b"".join(part.bytes for part in parts)


def bundle(recipe, payloads):
    text = recipe.text().encode()
    header = MAGIC + struct.pack("<II", 1, len(text)) + text
    out = header + checksum(header)
    for data in payloads:
        record = struct.pack("<I", len(data)) + data
        out += record + checksum(record)
    end = struct.pack("<IQ", 0, len(payloads))
    return out + end + checksum(end)


class Reader:
    """Takes a bundle apart again; ValueError where it is damaged."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        piece = self.data[self.at : self.at + size]
        if len(piece) != size:
            raise ValueError("cut short")
        self.at += size
        return piece

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def set(self):
        values = [self.number(8) for _ in range(self.number(4))]
        if any(a >= b for a, b in zip(values, values[1:])):
            raise ValueError("a set that is not ascending")
        return values

    def fields(self, n, bits):
        whole = self.number((n * bits + 7) // 8)
        if whole >> n * bits:
            raise ValueError("bits behind the last field")
        return [whole >> i * bits & 2**bits - 1 for i in range(n)]

    def checked(self, begin):
        if checksum(self.data[begin : self.at]) != self.take(8):
            raise ValueError("checksum")

    def part(self, scheme, numbers):
        """The part as a dictionary of what the page lists for it."""
        bits, n = numbers.get("bits"), numbers.get("n")
        if scheme == "mod":
            return {"values": self.set(), "smallest": self.set()}
        if scheme == "level":
            return {"i": self.number(4), "values": self.set(), "smallest": self.set()}
        if scheme in ("min", "minmod"):
            return {"complete": self.number(1), "values": self.set()}
        if scheme == "simhash":
            return {"fields": self.fields(bits, 1)}
        if scheme in ("bsw", "bsw-chunk"):
            return {"values": self.set()}
        if scheme in ("signature", "signature2011"):
            return self.signature(**numbers)
        if bits == 64:
            return {"values": [self.number(8) for _ in range(n)]}
        filled = {"filled": self.number(4)} if scheme == "oph" else {}
        return {**filled, "distinct": self.number(8), "fields": self.fields(n, bits)}

    def step(self):
        digits = [self.number(1)]
        while digits[-1] >= 128:
            digits.append(self.number(1))
        if len(digits) > 1 and digits[-1] == 0:
            raise ValueError("a step with bytes it does not need")
        return sum(digit % 128 << 7 * i for i, digit in enumerate(digits))

    def signature(self, alphabet=2, positions="no", **_):
        out = {"length": self.number(8), "agree": self.number(2)}
        count = self.number(8)
        out["symbols"] = self.fields(count, max(1, (alphabet - 1).bit_length()))
        if positions == "yes":
            out["positions"] = list(itertools.accumulate(self.step() for _ in range(count)))
        return out

    def record(self, specs):
        size = self.number(4)
        if size == 0:
            return None
        end = self.at + size
        out = {"name": self.take(self.number(4))}
        out.update((field, self.number(8)) for field in ("bytes", "tokens", "shingles"))
        out.update((field, self.take(32)) for field in ("digest", "text_digest"))
        out["parts"] = [self.part(*spec) for spec in specs]
        if self.at != end:
            raise ValueError("payload of another length")
        return out

    def bundle(self):
        """The recipe's text and the records."""
        if self.take(8) != MAGIC or self.number(4) != 1:
            raise ValueError("not a bundle of version 1")
        text = self.take(self.number(4)).decode()
        self.checked(0)
        specs = Recipe(text).specs
        records, begin = [], self.at
        while (record := self.record(specs)) is not None:
            self.checked(begin)
            records.append(record)
            begin = self.at
        if self.number(8) != len(records):
            raise ValueError("another number of records")
        self.checked(begin)
        if self.at != len(self.data):
            raise ValueError("bytes behind the end")
        return text, records


# ---- comparing --------------------------------------------------------------------------------------


def share(part, whole):
    return part / whole if whole else None


def tells_nothing(a, b):
    """Texts that differ, of which one is shorter than a window: it is a shingle that says nothing of its parts."""
    return min(a.tokens, b.tokens) < a.window and a.text_digest != b.text_digest


def exact(a, b):
    """Resemblance, a in b, b in a, from all shingles; None where there are none, or they tell nothing."""
    x, y = set(a.fingerprints), set(b.fingerprints)
    if not x or not y or tells_nothing(a, b):
        return None, None, None
    return share(len(x & y), len(x | y)), share(len(x & y), len(x)), share(len(x & y), len(y))


def agreement_of_smallest(x, y, n):
    united = sorted(set(x) | set(y))[:n]
    return share(sum(v in x and v in y for v in united), len(united))


def agreement_of_samples(a, b, modulus):
    x, y = [{v for v in record["values"] if v % modulus == 0} for record in (a, b)]
    if len(x | y) < 8:
        return agreement_of_smallest(a["smallest"], b["smallest"], 8)
    return share(len(x & y), len(x | y))


def estimate(spec, a, b):
    """Resemblance from two parts, as the reader gives them."""
    scheme, numbers = spec
    if scheme == "mod":
        return agreement_of_samples(a, b, 1)
    if scheme == "level":
        return agreement_of_samples(a, b, 2 ** max(a["i"], b["i"]))
    if scheme in ("min", "minmod"):
        return agreement_of_smallest(a["values"], b["values"], numbers["n"])
    if scheme in ("bsw", "bsw-chunk"):
        return share(len(set(a["values"]) & set(b["values"])), len(set(a["values"]) | set(b["values"])))
    if scheme in ("simhash", "signature", "signature2011"):
        return None
    if numbers["bits"] == 64:
        pairs = [pair for pair in zip(a["values"], b["values"]) if pair != (U64, U64)]
        return share(sum(p == q for p, q in pairs), len(pairs))
    agree = sum(p == q for p, q in zip(a["fields"], b["fields"])) / numbers["n"]
    chance = 2.0 ** -numbers["bits"]
    return max(0.0, (agree - chance) / (1 - chance))


def cosine(a, b):
    """From two simhashes."""
    differ = sum(p != q for p, q in zip(a["fields"], b["fields"]))
    return math.cos(math.pi * differ / len(a["fields"]))
