"""Archives that hold themselves, byte for byte: a gzip file that unpacks to itself, and a zip file whose only member it is.

The method is Russ Cox's ("Zip Files All The Way Down", 2010): deflate as a language of two instructions, L(n) "the next n bytes as
they are" and R(n) "the last n bytes again", in which a program can print itself. Both are five bytes here, so that they can stand for
one another. The sum of the file stands inside the file: it is found by solving for it, since a CRC is linear.
"""
import struct
import zlib


def literal(size, last=0):
    """A stored block's head."""
    return struct.pack("<BHH", last, size, size ^ 0xFFFF)


class Bits:
    def __init__(self):
        self.value = self.count = 0

    def add(self, value, count):
        self.value |= value << self.count
        self.count += count

    def add_code(self, code, count):
        """A Huffman code comes from its highest bit."""
        self.add(int(f"{code:0{count}b}"[::-1], 2), count)


LENGTHS = [*range(3, 11), *range(11, 19, 2), *range(19, 35, 4), *range(35, 67, 8), *range(67, 131, 16), *range(131, 258, 32)]
DISTANCES = [1, 2, 3, 4] + [base + half for i in range(2, 15) for base in [(1 << i) + 1] for half in (0, 1 << i - 1)]


def last_at_most(starts, value):
    return max(i for i, start in enumerate(starts) if start <= value)


def add_copy(bits, length, distance):
    code = 285 if length == 258 else 257 + last_at_most(LENGTHS, length)
    bits.add_code(*((code - 256, 7) if code < 280 else (0b11000000 + code - 280, 8)))
    extra = 0 if code < 265 or code == 285 else (code - 261) // 4
    bits.add(length - LENGTHS[code - 257] if extra else 0, extra)
    code = last_at_most(DISTANCES, distance)
    bits.add_code(code, 5)
    bits.add(distance - DISTANCES[code], max(0, code // 2 - 1))


def repeat(size):
    """Blocks of fixed codes, in five bytes; an empty block behind fills them up."""
    for lengths, empty in (([size // 2, size - size // 2], 0), ([size], 1)):
        if max(lengths) > 258 or min(lengths) < 3:
            continue
        bits = Bits()
        for copies in [lengths] + [[]] * empty:
            bits.add(0b010, 3)
            for length in copies:
                add_copy(bits, length, size)
            bits.add(0, 7)
        if bits.count == 40:
            return bits.value.to_bytes(5, "little")
    raise ValueError(f"no five bytes repeat {size}")


def program(before, after):
    """The file: `before`, instructions that print it all, `after`."""
    l1, l4, r4 = literal(5), literal(20), repeat(20)
    lp, rp = literal(len(before) + 5), repeat(len(before) + 5)
    ls, rs = literal(len(after) + 5), repeat(len(after) + 5)
    nothing = literal(0)
    return b"".join([before, lp, before, lp, rp, l1, rp, l1, l1, l4, rp, l1, l1, l4, r4, l4, r4, l4, r4, l4, r4, l4,
                     r4, nothing, nothing, ls, r4, nothing, nothing, ls, rs, after, rs, after])


def solve(make):
    """make(sum) is the file with that sum in it; the one of which it is the sum."""
    base = zlib.crc32(make(0))
    rows = []  # of (A + I) x = base: bit by bit, with the right side above
    columns = [zlib.crc32(make(1 << i)) ^ base ^ 1 << i for i in range(32)]
    for bit in range(32):
        rows.append(sum((columns[i] >> bit & 1) << i for i in range(32)) | (base >> bit & 1) << 32)
    for i in range(32):
        pivot = next((k for k in range(i, 32) if rows[k] >> i & 1), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows = [row ^ rows[i] if k != i and row >> i & 1 else row for k, row in enumerate(rows)]
    return sum((rows[i] >> 32) << i for i in range(32))


def gzip_file(time, total, check):
    return program(struct.pack("<4sLBB", b"\x1f\x8b\x08\x08", time, 0, 255) + b"me\0", literal(0, last=1) + struct.pack("<LL", check, total))


def zip_file(time, total, check):
    name, size = b"quine/inside/the/quine/r/r.zip", 60 + 253
    entry = struct.pack("<HHHHHLLLHH", 20, 0, 8, time, 0x21, check, total - size + 5, total, len(name), 0)
    directory = b"PK\1\2\x14\0" + entry + struct.pack("<HHHLL", 0, 0, 0, 0, 0) + name
    end = struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1, 1, len(directory), total - 248, 150) + b"." * 150
    return program(b"PK\3\4" + entry + name, literal(0, last=1) + directory + end)


def quine(make):
    total = len(make(0, 1000, 0))  # whatever it says it is
    for time in range(1000):  # one in a few has a solution
        check = solve(lambda check: make(time, total, check))
        if check is not None:
            return make(time, total, check)
    raise ValueError("no file holds its own sum")
