"""Plain text in the encodings that a scan tells by the bytes."""
# Latin-1 with letters for most of its control characters.
WINDOWS_1252 = [bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256)]


def text_of(content):
    """As UTF-8."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace").encode()
    try:
        content.decode()
    except UnicodeDecodeError:
        return "".join(WINDOWS_1252[byte] for byte in content).encode()
    return content
