"""A run as bytes: docs/format.md, section 8, as slowly and obviously as it can be said; written from the page alone.

  runs.py    prints the golden run, which the C tests have to write byte for byte
"""

import struct

from stemma_reference import Generator, U64, mix64

MULTIPLIER = 0xD6E8FEB86659FD93
FULL, GROUP = 4096, 64


def checksum(data, seed):
    lanes = [seed, ~seed & U64, len(data), ~len(data) & U64]
    words = struct.unpack(f"<{len(data) // 8}Q", data)
    in_fours = len(words) // 4 * 4
    for i, word in enumerate(words):
        lane = i % 4 if i < in_fours else 0
        mixed = (lanes[lane] ^ word) * MULTIPLIER & U64
        lanes[lane] = mixed ^ mixed >> 32
    total = mix64(lanes[0])
    for lane in lanes[1:]:
        total = mix64(total ^ lane)
    return total


def packed(numbers, width):
    bits = sum(number << (i * width) for i, number in enumerate(numbers))
    return bits.to_bytes((len(numbers) * width + 63) // 64 * 8, "little")


def differences(records):
    """(gap, rest) of each record of a block."""
    least = min(value for _, value in records)
    before = (records[0][0], least)
    for key, value in records:
        gap = key - before[0]
        yield gap, value - (least if gap else before[1])
        before = key, value


def block(records, offset):
    numbers = list(differences(records))
    widths, body = b"", b""
    for start in range(0, len(numbers), GROUP):
        for part in zip(*numbers[start:start + GROUP]):
            width = max(part).bit_length()
            widths += bytes([width])
            body += packed(part, width)
    widths += bytes(-len(widths) % 8)
    size = 32 + len(widths) + len(body)
    rest = struct.pack("<IIQQ", len(records), size, records[0][0], min(v for _, v in records)) + widths + body
    return struct.pack("<Q", checksum(rest, offset)) + rest


def run(records):
    """The bytes of a run of sorted records."""
    data, index = b"\x8bSTR\r\n\x1a\n" + struct.pack("<II", 1, 0), b""
    blocks = [records[i:i + FULL] for i in range(0, len(records), FULL)]
    for part in blocks:
        index += struct.pack("<QQ", part[0][0], len(data))
        data += block(part, len(data))
    ends = (records[0][0], records[-1][0]) if records else (0, 0)
    index += struct.pack("<QQQQ", len(records), len(blocks), *ends)
    return data + index + struct.pack("<Q", checksum(index, len(data))) + b"\x8bSTE\r\n\x1a\n"


def golden_records():
    """Lists of one key, keys far apart, large values, equal records, and more than one block."""
    generator = Generator(8)
    records = [(U64, U64), (U64, U64), (0, 0)]
    for i in range(4200):
        number = generator.next()
        records.append((number % 50, number >> 50) if i % 8 else (number >> (i % 64), number % 1000))
    return sorted(records)


if __name__ == "__main__":
    text = run(golden_records()).hex()
    print("\n".join(text[i:i + 64] for i in range(0, len(text), 64)))
