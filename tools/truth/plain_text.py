"""Plain text in the encodings that a scan tells by the bytes."""
import re

# Latin-1 with letters for most of its control characters.
WINDOWS_1252 = [bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256)]


CYRILLIC = "koi8-r", "cp1251", "cp866", "iso8859-5"
RUN = re.compile(rb"[\x80-\xff]+")


def small_letters(text):
    """The share of small Cyrillic letters of what is beyond ASCII."""
    beyond = [letter for letter in text if letter > "\x7f"]
    return sum("а" <= letter <= "я" for letter in beyond) / len(beyond)


def cyrillic(content):
    """The encoding of a text nearly all of whose bytes beyond ASCII stand in words of them; None: another text."""
    runs = [len(run) for run in RUN.findall(content)]
    if sum(runs) < 32 or sum(length for length in runs if length > 1) < .8 * sum(runs):
        return None
    share, encoding = max((small_letters(content.decode(name, "replace")), name) for name in CYRILLIC)
    return encoding if share > .8 else None


def text_of(content):
    """As UTF-8."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace").encode()
    try:
        content.decode()
    except UnicodeDecodeError:
        if encoding := cyrillic(content):
            return content.decode(encoding, "replace").encode()
        return "".join(WINDOWS_1252[byte] for byte in content).encode()
    return content
