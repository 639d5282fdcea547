"""Files that hold documents, made for tests, and `stemma scan` run over them."""
import io
import json
import re
import struct
import tarfile
import zipfile
import zlib
from email.message import EmailMessage

from program import Base, prose


def text(seed, count=300):
    return " ".join(prose(count, seed))


def zipped(*members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return out.getvalue()


def members_of(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as old:
        return [(name, old.read(name)) for name in old.namelist()]


def streamed(*members, marked=True):
    """A zip archive, nothing compressed, by who cannot go back to say how long a member is: that stands behind each."""
    out, listed = b"", b""
    for name, content in members:
        at, name, sizes = len(out), name.encode(), struct.pack("<3I", zlib.crc32(content), len(content), len(content))
        out += struct.pack("<4s5H3I2H", b"PK\3\4", 20, 8, 0, 0, 33, 0, 0, 0, len(name), 0) + name
        out += content + (b"PK\7\10" if marked else b"") + sizes
        listed += struct.pack("<4s6H", b"PK\1\2", 20, 20, 8, 0, 0, 33) + sizes + struct.pack("<5H2I", len(name), 0, 0, 0, 0, 0, at) + name
    return out + listed + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, len(members), len(members), len(listed), len(out), 0)


def tarred(*members, format=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for name, content in members:
            content = content if isinstance(content, bytes) else content.encode()
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def mail(body, *attachments, html=None, charset="utf-8", subject="About it", encoding=None):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.org", "b@example.org", subject
    message["Date"], message["Message-ID"] = "Mon, 01 Jan 2024 10:00:00 +0000", "<1@example.org>"
    message.set_content(body, charset=charset, cte=encoding)
    if html:
        message.add_alternative(html, subtype="html")
    for name, content in attachments:
        message.add_attachment(content if isinstance(content, bytes) else content.encode(), maintype="application",
                               subtype="octet-stream", filename=name)
    return bytes(message)


def mailbox(*messages):
    lines = b""
    for message in messages:
        quoted = re.sub(rb"(?m)^(>*From )", rb">\1", message)
        lines += b"From a@example.org Mon Jan  1 10:00:00 2024\n" + quoted.rstrip(b"\n") + b"\n\n"
    return lines


def record(uri, block, kind="response", content="application/http; msgtype=response"):
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nContent-Type: {content}\r\nContent-Length: {len(block)}"
    return head.encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def response(body, *fields, status="200 OK"):
    return "\r\n".join([f"HTTP/1.1 {status}", *fields, "", ""]).encode() + body


def chunked(body, size=1000):
    pieces = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def brotli(content):
    """Blocks that are stored as they are: a window of 64 KB, then of each that it is not the last, its length, its bytes."""
    out, shift = b"", 1
    for at in range(0, len(content), 1 << 16):
        piece = content[at:at + (1 << 16)]
        head = len(piece) - 1 << 3 | 1 << 19
        out, shift = out + (head << shift).to_bytes(3, "little") + piece, 0
    return out + b"\3"


def page(content):
    return f"<!doctype html><html><body><p>{content}</p></body></html>".encode()


class Containers(Base):
    def scan(self, *arguments, says=r"\A\Z", code=0, **how):
        """({kept: {member: relation}}, summary, {problem: cause}); says: what the causes say, one a line"""
        done = self.run_program("scan", "--json", *arguments, **how)
        self.assertEqual(done.returncode, code, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        groups = {line["kept"]["id"]: {m["id"]: m["relation"] for m in line["members"]} for line in lines if "group" in line}
        problems = {line["problem"]: line["cause"] for line in lines if "problem" in line}
        self.assertRegex("".join(cause + "\n" for cause in problems.values()), says)
        return groups, lines[-1]["summary"], problems

    def extracted(self, name):
        return self.good("text", "--extracted", name)
