#!/usr/bin/env python3
"""Files that hold documents, as a user of the program meets them: archives, mail, mailboxes, crawls; broken and hostile ones.

    containers_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import base64
import bz2
import gzip
import io
import json
import lzma
import os
import random
import re
import struct
import subprocess
import sys
import tarfile
import unittest
import warnings
import zipfile
import zlib
from email.message import EmailMessage

import quines
from program import PROGRAM, SOURCE, Base, prose

sys.path.insert(0, str(SOURCE / "tests/formats"))
import corpus  # noqa: E402

SANITIZED = "STEMMA_SKIP_LARGE" in os.environ


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


class Archives(Containers):
    def test_every_kind_and_compression(self):
        self.write("pile/plain.txt", text(1))
        members = (("a.txt", text(1)), ("folder/b.html", page(text(1))), ("c.md", "**" + text(1) + "**"))
        expected = {}
        for name, archive in {"z.zip": zipped(*members), "stored.zip": zipped(*members, method=zipfile.ZIP_STORED),
                              "bz2.zip": zipped(*members, method=zipfile.ZIP_BZIP2),
                              "lzma.zip": zipped(*members, method=zipfile.ZIP_LZMA), "pax.tar": tarred(*members),
                              "gnu.tar": tarred(*members, format=tarfile.GNU_FORMAT),
                              "ustar": tarred(*members[::-1], format=tarfile.USTAR_FORMAT), "t.tgz": gzip.compress(tarred(*members)),
                              "no-name": bz2.compress(tarred(*members)), "x.txt": lzma.compress(tarred(*members)),
                              "twice": gzip.compress(lzma.compress(tarred(*members))), "s.7z": corpus.seven(*members),
                              "t.tar.zst": corpus.zstd(tarred(*members)), "s.7z.zst": corpus.zstd(corpus.seven(*members))}.items():
            self.write("pile/" + name, archive)
            for member, relation in (("a.txt", "identical"), ("folder/b.html", "same-text"), ("c.md", "same-text")):
                expected[f"pile/{name}!/{member}"] = relation
        groups, summary, _ = self.scan("pile")
        self.assertEqual(groups, {"pile/plain.txt": expected})
        self.assertEqual((summary["documents"], summary["containers"], summary["contained"], summary["redundant_bytes"]),
                         (57, 14, 42, 0))
        for threads in ("1", "4"):
            self.assertEqual(self.scan("--threads", threads, "pile")[0], groups)

    def test_nested(self):
        inner = zipped(("c.txt", text(1)), ("d.gz", gzip.compress(text(2).encode())))
        self.write("pile/a.zip", zipped(("b.tar.gz", gzip.compress(tarred(("in.zip", inner), ("x.txt", text(2)))))))
        groups, summary, _ = self.scan("pile")
        self.assertEqual(groups, {"pile/a.zip!/b.tar.gz!/x.txt": {"pile/a.zip!/b.tar.gz!/in.zip!/d.gz": "same-text"}})
        self.assertEqual(summary["containers"], 3)

    def test_names_that_come_twice(self):
        """Each has an id of its own, by which it is found again; a name may look like such an id."""
        members = [("x.txt", text(1)), ("x.txt!2", text(2)), ("x.txt", text(3)), ("x.txt!2", text(4)), ("x.txt", text(1))]
        crawl = b"".join(record("http://x/", content.encode(), "resource", "text/plain") for content in (text(1), text(2)))
        self.write("pile/a.tar", tarred(*members))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for a name that is there already
            self.write("twice.zip", zipped(*members))
        self.write("twice.7z", corpus.seven(*members))
        self.write("pile/b.warc", crawl)
        self.write("pile/c.eml", mail("see below", ("x.txt", text(1)), ("x.txt", text(2))))
        ids = [f"pile/a.tar!/x.txt{more}" for more in ("", "!2", "!3", "!2!2", "!4")]
        for number, name in zip((1, 2, 3, 4, 1), ids):
            for archive in "pile/a.tar", "twice.zip", "twice.7z":
                self.assertEqual(self.good("text", name.replace("pile/a.tar", archive)), text(number))
        groups, summary, _ = self.scan("pile")
        self.assertEqual(summary["contained"], 9)
        self.assertEqual(groups, {ids[0]: dict.fromkeys([ids[4], "pile/b.warc!/http://x/", "pile/c.eml!/x.txt"], "identical"),
                                  ids[1]: dict.fromkeys(["pile/b.warc!/http://x/!2", "pile/c.eml!/x.txt!2"], "identical")})

    def test_an_archive_is_no_text(self):
        self.write("z.zip", zipped(("a.txt", text(1)), ("b.tgz", gzip.compress(tarred(("c.txt", text(2)))))))
        self.write("c.warc.gz", gzip.compress(record("http://x/", text(1).encode(), "resource", "text/plain")))
        self.bad("diff", "z.zip", "z.zip", says=r"'z.zip' holds 3 documents: name one, such as 'z.zip!/a.txt'\n")
        self.bad("diff", "a.txt", "c.warc.gz", says=r"cannot read 'a.txt'")
        self.bad("diff", "c.warc.gz", "c.warc.gz", says=r"holds 1 document: name one, such as 'c.warc.gz!/http://x/'\n")
        self.bad("diff", "z.zip!/b.tgz", "z.zip", says=r"holds 1 document: name one, such as 'z.zip!/b.tgz!/c.txt'\n")
        self.write("none.zip", zipped())
        self.bad("text", "none.zip", says="'none.zip' is an archive, and holds no documents")
        self.write("broken.zip", zipped(("a.txt", text(1)))[:40])
        self.bad("text", "broken.zip", says="cannot unpack 'broken.zip!/a.txt'")
        self.write("box", mailbox(mail(text(1))))
        self.assertIn(text(1)[:50], self.good("compare", "box", "box") and self.good("text", "box"))
        self.assertEqual(self.run_program("text", "--preset=raw", "z.zip").stdout, (self.folder / "z.zip").read_bytes())
        bytes_alone = "--preset=raw", "--unit=byte"
        self.assertEqual(json.loads(self.good("compare", "--json", *bytes_alone, "z.zip", "z.zip"))["relation"], "identical")

    def test_texts_of_all_that_is_in_it(self):
        """Each under its name; and that name is what is asked for next."""
        self.write("z.zip", zipped(("a.txt", "First, a text\n"), ("b.tgz", gzip.compress(tarred(("c.html", "<p>Second <b>te</b>xt")))),
                                   ("p.png", b"\x89PNG\r\n\x1a\n" + bytes(99)), ("d.eml", mail("The body", ("e.txt", "Third")))))
        self.write("box", mailbox(mail("One"), mail("Two", ("f.txt", "Four"))))
        self.write("c.warc.gz", gzip.compress(record("http://x/", b"crawled", "resource", "text/plain")))
        everything = {"z.zip": {"a.txt": "First, a text\n", "b.tgz!/c.html": "Second text\n", "d.eml": "The body\n", "d.eml!/e.txt": "Third\n"},
                      "box": {"1": "One\n", "2": "Two\n", "2!/f.txt": "Four\n"}, "c.warc.gz": {"http://x/": "crawled"},
                      "z.zip!/b.tgz": {"c.html": "Second text\n"}}
        for file, members in everything.items():
            shown = "\n".join(f"==> {file}!/{name} <==\n{content.strip()}\n" for name, content in members.items())
            message = b"stemma: no text to print in 1 document of 'z.zip'\n" if file == "z.zip" else b""
            done = self.run_program("text", "--extracted", file)
            self.assertEqual((done.returncode, done.stdout.decode().replace("\n\n\n", "\n\n"), done.stderr), (0, shown, message))
            for name, content in members.items():
                self.assertEqual(self.good("text", "--extracted", f"{file}!/{name}").strip(), content.strip())
                lines = self.run_program("text", "--json", file).stdout.splitlines()
                self.assertIn(f"{file}!/{name}", [json.loads(line)["id"] for line in lines])
        piped = self.run_program("text", "-", stdin=(self.folder / "z.zip").read_bytes()).stdout.decode()
        self.assertEqual(re.findall("==> (.*) <==", piped), [f"-!/{name}" for name in everything["z.zip"]])
        tokens = [json.loads(line) for line in self.good("text", "--json", "--tokens", "box").splitlines()]
        self.assertEqual([(token["id"], token["token"]) for token in tokens], [("box!/1", "one"), ("box!/2", "two"), ("box!/2!/f.txt", "four")])

    def test_nobody_reads_all_of_it(self):
        """What nobody reads is not unpacked."""
        self.write("z.zip", zipped(*((f"{i}.txt", text(i, 3000)) for i in range(40)), ("bad.docx", corpus.docx("<w:p>"))))
        with subprocess.Popen([PROGRAM, "text", "z.zip"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            self.assertEqual(child.stdout.readline(), b"==> z.zip!/0.txt <==\n")
            child.stdout.close()
            self.assertEqual((child.stderr.read(), child.wait()), (b"", 0))

    def test_what_cannot_be_read_of_it(self):
        """It is said, and the rest is printed."""
        self.write("z.zip", zipped(("a.txt", "first"), ("b.docx", corpus.docx("<w:p>")), ("c.rtf", "{\\rtf1 cut"), ("d.txt", "last")))
        done = self.run_program("text", "z.zip")
        self.assertEqual((done.returncode, re.findall("==> z.zip!/(.*) <==", done.stdout.decode())), (2, ["a.txt", "c.rtf", "d.txt"]))
        self.assertEqual(done.stderr.decode(), "stemma: cannot read 'z.zip!/b.docx': broken XML in line 1: mismatched tag\n"
                                               "stemma: warning: 'z.zip!/c.rtf' may lack text: it ends in the middle\n")

    def test_nobody_reads_on(self):
        """Nor is what follows: it is not even known that some of it is broken."""
        self.write("z.zip", zipped(*((f"{i}.txt", "word " * 20000) for i in range(9)), ("z.docx", corpus.docx("<w:p>"))))
        self.assertEqual(self.run_program("text", "z.zip").returncode, 2)
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([PROGRAM, "text", "z.zip"], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_records_by_their_names(self):
        self.write("a.jsonl", '{"id": "x", "text": "One, two and three"}\n{"text": "Four"}\nbroken\n{"id": 9, "text": "Nine", "body": "Ten"}\n')
        self.write("b.csv", 'text,key\n"One, two and three",k\n')
        self.write("c.csv", "price,key\n17,k\n")
        self.write("d.jsonl", '{"message": "started"}\n' * 20)
        self.write("e.jsonl:1", "a file")
        done = self.run_program("text", "--extracted", "a.jsonl")
        self.assertEqual((done.returncode, done.stdout), (2, b"==> a.jsonl:x <==\nOne, two and three\n\n==> a.jsonl:2 <==\nFour\n\n==> a.jsonl:9 <==\nNine\n"))
        self.assertEqual(done.stderr, b"stemma: line 3 of 'a.jsonl' is not a JSON object\n")
        for file in "c.csv", "d.jsonl":  # no texts: documents like others
            self.assertEqual(self.good("text", "--extracted", file), (self.folder / file).read_text())
        self.assertEqual(self.good("text", "--extracted", "--text-field=key", "c.csv"), "==> c.csv:2 <==\nk\n")
        for options, name, content in (([], "a.jsonl:x", "One, two and three"), ([], "a.jsonl:2", "Four"), ([], "a.jsonl:9", "Nine"), ([], "e.jsonl:1", "a file"),
                                       ([], "b.csv:2", "One, two and three"), (["--id-field=key"], "b.csv:k", "One, two and three"),
                                       (["--text-field=body"], "a.jsonl:9", "Ten")):
            self.assertEqual(self.good("text", "--extracted", *options, name), content)
        for name, cause in (("a.jsonl:1", "there is no record '1' in 'a.jsonl'"), ("x.jsonl:1", "cannot read 'x.jsonl'"), ("c.csv:2", "column")):
            self.bad("text", name, says=cause)
        for how in ["--edit=none"], ["--edit=exact"], ["--sketch"]:
            self.assertEqual(self.good("compare", "-q", *how, "a.jsonl:x", "b.csv:2"), "identical        a.jsonl:x  ->  b.csv:2\n")
        self.assertIn("identical", self.good("diff", "a.jsonl:x", "b.csv:2"))
        self.assertEqual(json.loads(self.good("sketch", "--json", "a.jsonl:x"))["tokens"], 4)

    def test_an_archive_is_no_document(self):
        """To compare and to sketch, as to show: one of the documents in it has to be named."""
        self.write("z.zip", zipped(("a.txt", text(1)), ("b.tgz", gzip.compress(tarred(("c.txt", text(2)))))))
        self.write("a.txt", text(1))
        for command in ["compare", "a.txt"], ["compare", "--sketch", "a.txt"], ["compare", "--edit=none", "a.txt"], ["sketch", "-o", "s"]:
            self.bad(*command, "z.zip", says=r"'z.zip' holds 3 documents: name one, such as 'z.zip!/a.txt'\n")
            self.bad(*command, "z.zip!/b.tgz", says=r"holds 1 document: name one, such as 'z.zip!/b.tgz!/c.txt'\n")
        piped = self.run_program("compare", "-", "a.txt", stdin=(self.folder / "z.zip").read_bytes())
        self.assertEqual((piped.returncode, b"holds 3 documents" in piped.stderr), (2, True))
        self.assertEqual(json.loads(self.good("compare", "--json", "z.zip!/a.txt", "a.txt"))["relation"], "identical")

    def test_truncated(self):
        noise = random.Random(1).randbytes(30000).hex()
        whole = zipped(("a.txt", text(1)), ("b.txt", noise))
        self.write("cut.zip", whole[:len(whole) * 2 // 3])
        self.bad("text", "cut.zip!/b.txt", says="cannot unpack 'cut.zip!/b.txt': truncated archive")
        damaged = bytearray(whole)
        damaged[len(whole) // 2:len(whole) // 2 + 100] = bytes(100)
        self.write("bad.zip", bytes(damaged))
        self.assertNotIn("truncated", self.run_program("text", "bad.zip!/b.txt").stderr.decode())

    def test_members_are_named(self):
        self.write("a.txt", text(1))
        self.write("z.zip", zipped(("folder/a.txt", text(1) + " more"), ("mail.eml", mail(text(2), ("b.txt", text(1))))))
        self.assertEqual(self.good("text", "z.zip!/folder/a.txt"), text(1) + " more")
        self.assertEqual(json.loads(self.good("compare", "--json", "a.txt", "z.zip!/mail.eml!/b.txt"))["relation"], "identical")
        self.assertIn("1 difference", self.run_program("diff", "a.txt", "z.zip!/folder/a.txt").stdout.decode())
        self.bad("text", "z.zip!/none", says="there is no 'none' in 'z.zip'")
        self.bad("text", "none.zip!/a", says="cannot read 'none.zip!?/?a?': no such file")
        self.bad("text", "a.txt!/x", says="there is no 'x' in 'a.txt'")
        self.write("z.zip!/own", "a file whose name looks like that")
        self.assertEqual(self.good("text", "z.zip!/own"), "a file whose name looks like that")

    def test_json_says_what_is_inside(self):
        self.write("pile/a.txt", text(1))
        self.write("pile/z.zip", zipped(("a.txt", text(1))))
        done = json.loads(self.good("scan", "--json", "pile").splitlines()[0])
        self.assertEqual(done["members"][0]["container"], "pile/z.zip")
        self.assertNotIn("container", done["kept"])
        self.assertEqual(self.good("scan", "--list-redundant", "pile"), "")

    def test_files_are_kept_before_members(self):
        self.write("pile/z.txt", text(1))
        self.write("pile/a.zip", zipped(("a.txt", text(1))))
        self.assertEqual(self.scan("pile")[0], {"pile/z.txt": {"pile/a.zip!/a.txt": "identical"}})

    def test_equal_archives_are_looked_into_once(self):
        archive = zipped(("a.txt", text(1)), ("b.txt", text(1)))
        for name in ("1.zip", "2.zip", "3.zip"):
            self.write("pile/" + name, archive)
        for threads in ("1", "4"):
            groups, summary, _ = self.scan("pile", "--threads", threads)
            self.assertEqual(groups, {"pile/1.zip": {"pile/2.zip": "identical", "pile/3.zip": "identical"},
                                      "pile/1.zip!/a.txt": {"pile/1.zip!/b.txt": "identical"}})
        self.assertEqual((summary["contained"], summary["redundant_bytes"]), (2, 2 * len(archive)))

    def test_it_can_be_left(self):
        self.write("pile/a.zip", zipped(("a.txt", text(1))))
        self.write("pile/b.eml", mail(text(1), ("a.txt", text(1))))
        groups, summary, _ = self.scan("--no-archives", "pile")
        self.assertEqual((groups, summary["documents"], summary["binary"], summary["containers"]), ({}, 2, 1, 0))
        self.assertEqual(self.scan("--min-size=1K", "--max-size=1K", "pile")[1]["documents"], 0)

    def test_one_compressed_document(self):
        self.write("pile/a.txt", text(1))
        for name, content in {"a.txt.gz": gzip.compress(text(1).encode()),
                              "behind.gz": gzip.compress(text(1).encode()) + b"what is not packed", "a.xz": lzma.compress(text(1).encode()),
                              "a.md.bz2": bz2.compress(("# " + text(1)).encode()),
                              "page": gzip.compress(bz2.compress(page(text(1))))}.items():
            self.write("pile/" + name, content)
            self.assertEqual(self.extracted("pile/" + name).strip(), text(1), name)
            self.assertEqual(json.loads(self.good("compare", "--json", "pile/a.txt", "pile/" + name))["relation"], "same-text")
        groups, summary, _ = self.scan("pile")
        self.assertEqual(groups, {"pile/a.txt": {f"pile/{name}": "same-text" for name in ("a.md.bz2", "a.txt.gz", "a.xz", "behind.gz", "page")}})
        self.assertEqual((summary["containers"], summary["contained"]), (0, 0))

    def test_texts_are_fetched_again(self):
        """With little memory few texts are kept: those of members come from a second pass, and the result is the same."""
        members = [(f"{i:03}.txt", text(i // 2, 3000) + f" {i}") for i in range(120 if SANITIZED else 600)]
        self.write("pile/a.tar.gz", gzip.compress(tarred(*members), 1))
        self.write("pile/b.zip", zipped(*((name, content + " b") for name, content in members)))
        wide, narrow = (self.scan("--threads", "2", f"--memory={memory}", "pile") for memory in ("1G", "8M"))
        self.assertEqual(wide[0], narrow[0])
        self.assertEqual(wide[1]["groups"], len(members) // 2)
        self.assertGreater(narrow[1]["spilled_bytes"], wide[1]["spilled_bytes"])
        passages = [self.good("scan", "--boilerplate", "--json", f"--memory={memory}", "pile").splitlines()[:-1]
                    for memory in ("1G", "8M")]
        self.assertEqual(*([re.sub(r'"offset":\d+', "", line) for line in lines] for lines in passages))


    def test_documents_of_office_programs(self):
        """They are zip files and no archives; an archive of such documents is one, even where it only strings them together."""
        kind = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ' \
               'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
        relation = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" ' \
                   'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" ' \
                   'Target="word/document.xml"/></Relationships>'
        body = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>' \
               f"{text(1)}</w:t></w:r></w:p></w:body></w:document>"
        document = zipped(("[Content_Types].xml", kind), ("_rels/.rels", relation), ("word/document.xml", body))
        self.write("pile/a.txt", text(1))
        self.write("pile/b.docx", document)
        self.write("pile/c.gz", gzip.compress(document))
        self.write("pile/d.zip", zipped(("e.docx", document), ("f.docx", document), method=zipfile.ZIP_STORED))
        self.write("pile/g.eml", mail("see there", ("h.docx", document)))
        groups, summary, _ = self.scan("pile")
        self.assertEqual(groups, {"pile/a.txt": {name: "same-text" for name in (
            "pile/b.docx", "pile/c.gz", "pile/d.zip!/e.docx", "pile/d.zip!/f.docx", "pile/g.eml!/h.docx")}})
        self.assertEqual((summary["containers"], summary["contained"]), (1, 3))


LETTER = corpus.docx(corpus.paragraphs("A letter"))
NOTE = corpus.odf("text", "<text:p>A letter</text:p>")
PAIR = (("a.txt", "First"), ("d/b.html", "<p>Second <b>te</b>xt"))
BOTH = "==> {0}!/a.txt <== / First /  / ==> {0}!/d/b.html <== / Second text"
NESTED = gzip.compress(tarred(("in.7z", corpus.seven(("deep.zip", zipped(("letter.docx", LETTER)))))))
REPLY = mail("The answer\n\n> the question", ("plan.docx", LETTER))
CUT = tarred(*PAIR)
ELSEWHERE = b"".join(record(f"http://x/{i}", block, *how) for i, (block, *how) in enumerate((
    (b"a resource", "resource", "text/plain"), (response(page("a page")), ), (response(page("none"), status="404 Not Found"), ),
    (response(gzip.compress(page("packed")), "Content-Encoding: gzip"), ), (b"no", "request", "application/http; msgtype=request"))))


class Cases(Containers):
    """Files that hold documents, good and broken, as corpus.CASES has documents: what `text --extracted` prints, and what it says."""

    CASES = [
        *((f"streamed.{form}.zip", streamed((f"in.{form}", document), ("a.txt", b"One"), marked=marked),
           f"==> streamed.{form}.zip!/in.{form} <== / A letter /  / ==> streamed.{form}.zip!/a.txt <== / One", "")
          for form, document, marked in [("docx", LETTER, True), ("docx", LETTER, False), ("odt", NOTE, True), ("odt", NOTE, False)]),
        *((f"streamed-{marked}.docx", streamed(*members_of(LETTER), marked=marked), "A letter", "") for marked in (True, False)),
        *((name, archive, BOTH.format(name), "") for name, archive in {
            "a.zip": zipped(*PAIR), "stored.zip": zipped(*PAIR, method=zipfile.ZIP_STORED), "a.tar": tarred(*PAIR), "a.7z": corpus.seven(*PAIR),
            "a.tar.gz": gzip.compress(tarred(*PAIR)), "a.tar.bz2": bz2.compress(tarred(*PAIR)), "a.tar.xz": lzma.compress(tarred(*PAIR)),
            "a.tar.zst": corpus.zstd(tarred(*PAIR)), "called.txt": zipped(*PAIR), "before.exe.zip": zipped(*PAIR) + b"\0" * 20}.items()),
        ("a.txt.gz", gzip.compress(b"One"), "One", ""), ("a.txt.bz2", bz2.compress(b"One"), "One", ""), ("a.txt.xz", lzma.compress(b"One"), "One", ""),
        ("a.txt.zst", corpus.zstd(b"One"), "One", ""), ("a.docx.gz", gzip.compress(LETTER), "A letter", ""),
        ("twice.gz", gzip.compress(gzip.compress(b"One")), "One", ""),
        ("nested.tgz", NESTED, "==> nested.tgz!/in.7z!/deep.zip!/letter.docx <== / A letter", ""),
        ("reply.eml", REPLY, "The answer /  / > the question", ""),
        ("box.mbox", mailbox(mail("Hello"), REPLY), "==> box.mbox!/1 <== / Hello /  /  / ==> box.mbox!/2 <== / The answer /  / > the question / "
         " / ==> box.mbox!/2!/plan.docx <== / A letter", ""),
        ("crawl.warc", ELSEWHERE, "==> crawl.warc!/http://x/0 <== / a resource /  / ==> crawl.warc!/http://x/1 <== / a page / "
         " / ==> crawl.warc!/http://x/3 <== / packed", ""),
        ("crawl.warc.gz", gzip.compress(ELSEWHERE[:300]) + gzip.compress(ELSEWHERE[300:]), "==> crawl.warc.gz!/http://x/0 <== / a resource / "
         " / ==> crawl.warc.gz!/http://x/1 <== / a page /  / ==> crawl.warc.gz!/http://x/3 <== / packed", ""),
        ("names.zip", zipped(("../up.txt", "one"), ("/etc/passwd", "two")), "==> names.zip!/../up.txt <== / one /  / ==> names.zip!//etc/passwd <== / two", ""),
        ("pictures.zip", zipped(("a.png", corpus.png()), ("a.txt", "One")), "==> pictures.zip!/a.txt <== / One", "no text to print in 1 document"),
        ("empty.zip", zipped(), None, "is an archive, and holds no documents"),
        ("empty.tar.gz", gzip.compress(tarred()), "", "holds no text to print"),
        ("locked.zip", corpus.locked(zipped(*PAIR)), None, "encrypted"),
        ("cut.zip", zipped(*PAIR)[:38], None, "cannot unpack 'cut.zip"),
        ("cut.tar", CUT[:CUT.index(b"Second") + 3], "==> cut.tar!/a.txt <== / First", "cut.tar"),
        ("cut.tar.gz", gzip.compress(tarred(*PAIR))[:-12], BOTH.format("cut.tar.gz"), "cannot unpack 'cut.tar.gz'"),
        ("cut.txt.gz", gzip.compress(b"One and two and three")[:-8], "One and two and three", "'cut.txt.gz' may lack text: it cannot be unpacked: it ends too early"),
        ("cut.png.gz", gzip.compress(corpus.png())[:-8], None, "cannot read 'cut.png.gz': it cannot be unpacked: it ends too early"),
        ("sum.zip", corpus.with_wrong_checksum(zipped(*PAIR, method=zipfile.ZIP_STORED), b"First"), "==> sum.zip!/d/b.html <== / Second text",
         "sum.zip!/a.txt"),
        ("cut.warc", ELSEWHERE[:280], "==> cut.warc!/http://x/0 <== / a resource", "cut.warc"),
        ("cut.7z", corpus.seven(*PAIR)[:-20], None, "cut.7z"),
        ("sound.zip", zipped(("broken.docx", corpus.docx("<w:p>")), ("a.txt", "One")), "==> sound.zip!/a.txt <== / One",
         "cannot read 'sound.zip!/broken.docx': broken XML in line 1"),
    ]

    def test_each_case(self):
        for name, content, expected, says in self.CASES:
            with self.subTest(name):
                self.write(name, content)
                done = self.run_program("text", "--extracted", name)
                self.assertRegex(done.stderr.decode(), says or r"\A\Z")
                self.assertEqual(" / ".join(done.stdout.decode().splitlines()), expected or "")
                self.assertEqual(done.returncode, 0 if not says or "no text" in says or "may lack" in says else 2)

    def test_all_at_once(self):
        """A scan reads the same documents, says the same of the same files, whatever threads it has, and goes on."""
        for name, content, _, _ in self.CASES:
            self.write("pile/" + name, content)
        found = [self.scan("pile", "--threads", threads, says=".") for threads in ("1", "4")]
        self.assertEqual(found[0][::2], found[1][::2])
        told = {re.sub("!/.*", "", name) for name in found[0][2]}
        self.assertEqual(told, {"pile/" + name for name, _, _, says in self.CASES if says and "no text" not in says and "no documents" not in says})

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(self.CASES) + len(corpus.CASES), 100)


class Mail(Containers):
    def test_body_and_attachments(self):
        self.write("pile/first.eml", mail(text(1)))
        reply = "I agree. " + text(9, 20) + "\n" + "\n".join("> " + line for line in text(1).split(" "))
        self.write("pile/reply.eml", mail(reply, ("größe & co.txt", text(2)), html=page(text(3)).decode()))
        self.write("pile/paper.txt", text(2))
        groups, summary, _ = self.scan("pile")
        self.assertEqual(groups, {"pile/reply.eml": {"pile/first.eml": "near-duplicate"},
                                  "pile/paper.txt": {"pile/reply.eml!/größe & co.txt": "identical"}})
        self.assertEqual((summary["containers"], summary["contained"]), (0, 1))

    def test_quoted_text_is_contained(self):
        self.write("pile/first.eml", mail(text(1)))
        self.write("pile/reply.eml", mail(text(2, 600) + "\n" + "\n".join("> " + line for line in text(1).split(" "))))
        self.assertEqual(self.scan("pile")[0], {"pile/reply.eml": {"pile/first.eml": "contained"}})

    def test_charsets_and_encodings(self):
        original = "Größe, Maß und Überfluß " + text(1)
        greek = "Ελληνικά κείμενα " + text(2)
        for charset, encoding in (("utf-8", "8bit"), ("utf-8", "base64"), ("utf-8", "quoted-printable"),
                                  ("iso-8859-1", "quoted-printable"), ("windows-1252", "8bit"), ("iso-8859-15", "base64")):
            self.write("a.eml", mail(original, charset=charset, encoding=encoding))
            self.assertEqual(self.extracted("a.eml").strip(), original, (charset, encoding))
        for charset in ("iso-8859-7", "windows-1253"):
            self.write("a.eml", mail(greek, charset=charset, encoding="base64"))
            self.assertEqual(self.extracted("a.eml").strip(), greek, charset)

    def test_html_where_there_is_no_plain_text(self):
        head = b"From: a@b\nTo: c@d\nSubject: x\nMIME-Version: 1.0\nContent-Type: text/html; charset=koi8-r\n\n"
        self.write("a.eml", head + page("Привет, мир").replace(b"<p>", b"<p class=x>").decode().encode("koi8-r"))
        self.assertEqual(self.extracted("a.eml").strip(), "Привет, мир")

    def test_names_of_attachments(self):
        part = "--b\nContent-Type: application/octet-stream{}\nContent-Disposition: attachment{}\n\n{}\n"
        names = [('; name="=?utf-8?q?caf=C3=A9?= =?utf-8?b?IOKCrA==?="', "", "café €"),
                 ("", "; filename*=utf-8''caf%C3%A9%20%E2%82%AC.txt", "café €.txt"),
                 ("", "; filename*0*=iso-8859-1''na%EFve; filename*1=\"-and-\"; filename*2*=long%2Etxt", "naïve-and-long.txt"),
                 ("", '; filename="a \\"b\\"; c.txt"', 'a "b"; c.txt'), ("", "; filename=plain.txt ; size=3", "plain.txt"),
                 ("", "; filename=\"../../etc/passwd\"", "../../etc/passwd"), ("", "", "part-7"), ("", "; filename=\"\"", "part-8")]
        body = "".join(part.format(kind, disposition, text(i)) for i, (kind, disposition, _) in enumerate(names))
        self.write("pile/a.eml", "From: a@b\nTo: c@d\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n" + body + "--b--\n")
        for i, (_, _, name) in enumerate(names):
            self.write(f"pile/{i}.txt", text(i))
            self.assertEqual(self.good("text", "pile/a.eml!/" + name), text(i))
        self.assertEqual(self.scan("pile")[0], {f"pile/{i}.txt": {"pile/a.eml!/" + name: "identical"} for i, (_, _, name) in enumerate(names)})

    def test_mail_in_mail_in_archive_in_mail(self):
        inner = mail(text(1), ("deep.txt", text(2)))
        outer = mail("see there", ("mails.zip", zipped(("old.eml", inner))))
        self.write("pile/a.eml", outer)
        self.write("pile/b.txt", text(2))
        self.assertEqual(self.scan("pile")[0], {"pile/b.txt": {"pile/a.eml!/mails.zip!/old.eml!/deep.txt": "identical"}})

    def test_what_is_no_mail(self):
        for content in ("Title: x\nAuthor: y\n\nbody " + text(1), "From: me\n\n" + text(1), "To: do\nnot a header\n" + text(1),
                        "Subject: a\nFrom b to c, and on\n" + text(1)):
            self.write("a.txt", content)
            self.assertEqual(self.extracted("a.txt"), content)

    def test_broken_mail_is_still_read(self):
        head = "From: a@b\nTo: c@d\nSubject: x\nContent-Type: multipart/mixed"
        for cut, body, expected in ((1, f"; boundary=b\n\n--b\n\n{text(1)}", text(1)), (0, f"\n\n{text(1)}", text(1)),
                                    (1, f"; boundary=b\n\n{text(1)}", text(1)), (1, f"; boundary=\"b\n\n{text(1)}", text(1)),
                                    (0, "; boundary=b\n\n--b\n--b\n--b--", ""), (1, f"; boundary=b\n\n--b\n\n{text(1)}\n--b\n", text(1)), (1, "; boundary=b\n\n--b", "--b"),
                                    (0, f"; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\n{text(1)}\n--c\n--b--", text(1)), (0, f"; boundary=b\n\n--b\n\n{text(1)}\n--b--", text(1)),
                                    (0, f"; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\n{text(1)}\n--b--\n\n", text(1))):
            self.write("a.eml", head + body)
            done = self.run_program("text", "--extracted", "a.eml")
            self.assertEqual(done.stdout.decode().strip(), expected, body[:30])
            self.assertEqual(done.stderr.count(b"warning: 'a.eml' may lack text: it ends before its last part does\n"), cut, body)

    def test_parts_of_any_number_and_depth(self):
        """What is more or deeper than can be meant stays text, and costs no more than its size."""
        head = "From: a@b\nTo: c@d\nSubject: x\n"
        deep = "".join(f"Content-Type: multipart/alternative; boundary=b{i}\n\n--b{i}\n" for i in range(3000))
        self.write("pile/deep.eml", head + deep + "\n" + text(1))
        self.write("pile/many.eml", head + "Content-Type: multipart/mixed; boundary=b\n\n" + "--b\n\n\n" * 100000)
        self.write("pile/long.eml", "From: a@b\nTo: c@d\nX-Long: " + " a\n" * 100000 + "\n" + text(2))
        self.scan("pile", says=r"\A'pile/deep.eml' may lack text: it ends before its last part does\n\Z")

    def test_mailboxes(self):
        first, second = mail(text(1)), mail("From here on\n\nFrom there too " + text(2), ("a.txt", text(3)))
        self.write("pile/a.txt", text(3))
        self.write("pile/first.eml", first)
        self.write("pile/box.mbox", mailbox(first, second, mail(text(4))))
        self.write("pile/box.gz", gzip.compress(mailbox(second)))
        groups, summary, _ = self.scan("pile")
        self.assertEqual(groups, {"pile/a.txt": {"pile/box.gz!/1!/a.txt": "identical", "pile/box.mbox!/2!/a.txt": "identical"},
                                  "pile/box.gz!/1": {"pile/box.mbox!/2": "identical"},
                                  "pile/first.eml": {"pile/box.mbox!/1": "same-text"}})
        self.assertEqual((summary["containers"], summary["contained"]), (2, 6))
        self.assertEqual(self.extracted("pile/box.mbox!/2").strip(), "From here on\n\nFrom there too " + text(2))


class Redundant(Containers):
    """What may be removed: the list, the counts and the tables say the same, and nothing is lost that is nowhere else."""

    def listed(self, *arguments):
        return self.good("scan", "--list-redundant", *arguments).splitlines()

    def test_a_mail_stays_for_its_own_attachment(self):
        body = text(1)
        self.write("pile/1.eml", mail(body, ("contract.txt", body + " " + text(2, 20))))
        self.assertEqual(self.listed("pile"), [])
        self.write("pile/2.eml", (self.folder / "pile/1.eml").read_bytes())
        self.assertEqual(self.listed("pile"), ["pile/2.eml"])
        out = self.good("scan", "pile")
        self.assertIn("pile/1.eml  (holds more than was compared)\n", out)
        self.assertRegex(out, r"1 group: 1 document, .* could be removed, 1 left, as it holds more than was compared\n")
        self.assertRegex(out, r"group 1: 3 documents, ")

    def test_attachments_are_not_lost_for_a_body(self):
        self.write("pile/all.txt", text(1) + " " + text(2))
        self.write("pile/with.eml", mail(text(1), ("only.txt", text(3))))
        self.write("pile/picture.eml", mail(text(1), ("only.png", b"\x89PNG\0\1\2")))
        self.write("pile/small.eml", mail(text(1), ("only.txt", "too small to be read")))
        self.write("pile/without.eml", mail(text(1)))
        self.write("pile/without.txt", text(1))
        self.assertEqual(self.listed("--min-size=100", "pile"), ["pile/without.txt"])
        for more in [], ["--cache=cache"], ["--cache=cache"]:
            self.assertEqual(self.listed("--no-archives", *more, "pile"), ["pile/without.txt"])

    def test_a_mail_is_not_lost_for_another_subject(self):
        """The same words to approve one thing and to refuse another: a group, of which each stays."""
        for name, subject in ("1", "Approve"), ("2", "Reject"):
            self.write(f"pile/{name}.eml", mail(text(1), subject=subject))
        for more in [], ["--no-archives"], ["--memory=1M"], ["--cache=cache"], ["--cache=cache"]:
            self.assertEqual(self.listed(*more, "pile"), [], more)
        self.assertRegex(self.good("scan", "pile"), r"group 1: 2 documents")
        self.good("scan", "--delete", "--near=.9", "--yes", "pile")
        self.assertTrue((self.folder / "pile/1.eml").exists() and (self.folder / "pile/2.eml").exists())
        self.write("pile/3.eml", (self.folder / "pile/2.eml").read_bytes())
        self.assertEqual(self.listed("pile"), ["pile/3.eml"])

    def test_a_page_is_not_lost_for_its_plain_stub(self):
        stub = text(1)
        for name, words in ("a", text(2)), ("b", text(3)), ("c", stub), ("d", stub.upper()):
            self.write(f"pile/{name}.eml", mail(stub, html=page(words).decode()))
        self.assertEqual(self.listed("pile"), [])
        self.write("pile/e.eml", (self.folder / "pile/b.eml").read_bytes())
        self.assertEqual(self.listed("pile"), ["pile/e.eml"])
        out = self.good("scan", "--delete", "--near=.9", "--dry-run", "pile")
        self.assertNotRegex(out, "pile/[ab].eml$")

    def random_file(self, source, texts):
        def some():
            base = source.choice(texts)
            kind = source.randrange(5)
            if kind == 0:
                return base[:source.randrange(60, len(base))]
            if kind == 1:
                return base + source.choice(texts)
            return base[:3] + ["changed"] + base[4:] if kind == 2 else base

        held = [some() for _ in range(source.randrange(1, 4))]
        named = [(f"{i}.txt", " ".join(words)) for i, words in enumerate(held)]
        kind = source.randrange(8)
        if kind < 2:
            return held[:1], named[0][1]
        if kind > 5:
            return [texts[0], held[0]], mail(" ".join(texts[0]), html=page(named[0][1]).decode())
        if kind == 2:
            return held, zipped(*named)
        if kind == 3:
            return held, zipped(("in.eml", mail(named[0][1], *named[1:])))
        return held, mail(named[0][1], *named[1:])

    @staticmethod
    def is_covered(words, others):
        def shingles(of):
            return {tuple(of[i:i + 5]) for i in range(len(of) - 4)}

        own = shingles(words)
        return any(len(own & other) >= min(.7 * len(own | other), .9 * len(own)) for other in map(shingles, others))

    def test_nothing_is_lost(self):
        removed = 0
        for seed in range(4 if SANITIZED else 16):
            source, holdings = random.Random(seed), {}
            texts = [prose(120, 1000 * seed + i) for i in range(4)]
            for i in range(14):
                held, content = self.random_file(source, texts)
                for copy in range(1 if source.random() < .7 else 2):
                    name = f"pile{seed}/{source.choice('ab')}/{i}-{copy}"
                    self.write(name, content)
                    holdings[name] = held
            options = ["--keep=" + source.choice(["longest", "newest", "oldest", "first", "shortest-path"]), f"pile{seed}"]
            gone = self.listed(*options)
            lines = [json.loads(line) for line in self.good("scan", "--json", "--csv=t.csv", "--force", *options).splitlines()]
            summary = lines[-1]["summary"]
            sizes = [(self.folder / name).stat().st_size for name in gone]
            self.assertEqual((summary["redundant"], summary["redundant_bytes"]), (len(gone), sum(sizes)))
            self.assertEqual([m["id"] for line in lines for m in line.get("members", []) if m["redundant"]], gone)
            rows = [row.split(",") for row in (self.folder / "t.csv").read_text().splitlines()]
            self.assertEqual([row[0] for row in rows if row[-1] == "yes"], gone)
            left = [words for name, held in holdings.items() if name not in gone for words in held]
            for held in holdings.values():
                for words in held:
                    self.assertTrue(self.is_covered(words, left), (seed, options, gone))
            removed += len(gone)
        self.assertGreater(removed, 10)


class Crawls(Containers):
    def test_records(self):
        content = page(text(1))
        records = [record("", b"software: x\r\n", "warcinfo", "application/warc-fields"),
                   record("http://a.example/plain", response(content, "Content-Type: text/html")),
                   record("<http://a.example/chunked>", response(chunked(content), "Transfer-Encoding: chunked")),
                   record("http://a.example/packed", response(gzip.compress(content), "content-encoding: GZIP")),
                   record("http://a.example/both", response(chunked(gzip.compress(content)), "Content-Encoding: gzip",
                                                           "Transfer-Encoding: chunked")),
                   record("http://a.example/unpacked", response(content, "Content-Encoding: gzip")),
                   record("http://a.example/gone", response(content, status="404 Not Found")),
                   record("http://a.example/plain", b"GET / HTTP/1.1\r\n\r\n", "request", "application/http; msgtype=request"),
                   record("dns:a.example", b"1.2.3.4", "response", "text/dns"),
                   record("file:///notes.md", ("# " + text(1)).encode(), "resource", "text/markdown"),
                   record("http://a.example/text", text(1).encode(), "conversion", "text/plain")]
        self.write("pile/a.txt", text(1))
        self.write("pile/crawl.warc", b"".join(records))
        self.write("pile/crawl.warc.gz", b"".join(map(gzip.compress, records)))
        expected = {"http://a.example/plain": "same-text", "http://a.example/chunked": "same-text",
                    "http://a.example/packed": "same-text", "http://a.example/both": "same-text",
                    "http://a.example/unpacked": "same-text", "file:///notes.md": "same-text",
                    "http://a.example/text": "identical"}
        groups, summary, _ = self.scan("pile")
        self.assertEqual(groups, {"pile/a.txt": {f"pile/crawl.warc{gz}!/{uri}": relation for gz in ("", ".gz")
                                                 for uri, relation in expected.items()}})
        self.assertEqual((summary["containers"], summary["contained"]), (2, 14))

    def test_deflated(self):
        """Inside zlib's frame, as the standard has it, or bare, as some servers do; or not at all."""
        content = page(text(1))
        bare = zlib.compressobj(wbits=-15)
        for number, body in enumerate((zlib.compress(content), zlib.compress(content, 0), bare.compress(content) + bare.flush(),
                                       gzip.compress(content), content, b"")):
            self.write("c.warc", record("u", response(body, "Content-Encoding: deflate")))
            self.assertEqual(self.extracted("c.warc!/u").split(), text(1).split() if body else [], number)
        self.write("c.warc", record("u", response(zlib.compress(content)[:-500], "Content-Encoding: deflate")))
        self.bad("text", "c.warc!/u", says="cannot unpack 'c.warc!/u'")
        self.write("c.warc", record("u", response(bytes((7, 0, 1, 2, 130)) * 100, "Content-Encoding: deflate")))
        self.bad("text", "c.warc!/u", says="cannot unpack 'c.warc!/u'")

    def test_brotli(self):
        content = page(text(1))
        whole = brotli(content)
        for body in (whole, content, b""):
            self.write("c.warc", record("u", response(body, "Content-Encoding: br")))
            self.assertEqual(self.extracted("c.warc!/u").split(), text(1).split() if body else [])
        noise = bytes(range(256)) * 20
        for body, cause in ((brotli(noise)[:-50], "it ends too early"), (b"\xff\xff" + noise, "damaged data")):
            self.write("c.warc", record("u", response(body, "Content-Encoding: br")))
            self.bad("text", "c.warc!/u", says=f"cannot unpack 'c.warc!/u': {cause}")

    def test_codings_one_upon_the_other(self):
        content = page(text(1))
        zipped_first, brotli_first = brotli(gzip.compress(content)), gzip.compress(brotli(content))
        for body, *fields in ((zipped_first, "Content-Encoding: gzip, br"), (zipped_first, "Content-Encoding: x-gzip", "Content-Encoding: BR"),
                              (brotli_first, "Content-Encoding: br,gzip"), (brotli_first, "Content-Encoding: identity, br ,  gzip,"),
                              (corpus.zstd(content), "Content-Encoding: zstd"), (content, "Content-Encoding: gzip, br"), (zlib.compress(zlib.compress(content)), "Content-Encoding: deflate, deflate")):
            self.write("c.warc", record("u", response(body, *fields)))
            self.assertEqual(self.extracted("c.warc!/u").split(), text(1).split(), fields)
        for codings, cause in (("gzip, compress", "is coded as 'compress', which is not known"), ("compress, gzip", "is coded as 'compress'"),
                               ("gzip," * 5, "has more than 4 codings")):
            for field in "Content-Encoding", "Transfer-Encoding":
                self.write("c.warc", record("u", response(gzip.compress(content), f"{field}: {codings}")))
                self.bad("text", "c.warc!/u", says=cause)

    def test_codings_of_the_transfer(self):
        """They lie upon those of the content, whichever field comes first; writers may have taken them off."""
        content = page(text(1))
        packed, zipped_first = gzip.compress(content), gzip.compress(zlib.compress(content))
        for body, *fields in ((chunked(packed), "Transfer-Encoding: gzip, chunked"), (packed, "Transfer-Encoding: gzip,chunked"),
                              (content, "Transfer-Encoding: gzip, chunked"), (packed, "Transfer-Encoding: x-gzip"), (content, "Transfer-Encoding: identity"),
                              (chunked(zipped_first), "Transfer-Encoding: gzip", "Content-Encoding: deflate", "Transfer-Encoding: Chunked")):
            self.write("c.warc", record("u", response(body, *fields)))
            self.assertEqual(self.extracted("c.warc!/u").split(), text(1).split(), fields)

    def test_charsets_that_only_the_header_names(self):
        said = "Съешь ещё этих мягких французских булок"
        for type, body, expected in (("text/html; charset=KOI8-R", page(said).replace(said.encode(), said.encode("koi8-r")), said),
                                     ('text/plain;charset="cp1251"', said.encode("cp1251"), said),
                                     ("text/plain; charset=koi8-r", said.encode(), said),  # the bytes show what they are
                                     ("text/plain; charset=iso-2022-jp", "いろは".encode("iso-2022-jp"), "いろは"),
                                     ("text/plain; charset=none", b"caf\xe9", "café"),
                                     ("image/png; charset=koi8-r", b"caf\xe9", "café")):
            self.write("c.warc", record("u", response(gzip.compress(body), f"Content-Type: {type}", "Content-Encoding: gzip"))
                       + record("v", body, "resource", type))
            attached = (f"From: a\nDate: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: {type}\n"
                        f"Content-Disposition: attachment; filename=x\nContent-Transfer-Encoding: base64\n\n").encode()
            self.write("m.eml", attached + base64.encodebytes(body) + b"--b--\n")
            for name in ("c.warc!/u", "c.warc!/v", "m.eml!/x"):
                self.assertEqual(self.extracted(name).strip(), expected, (name, type))

    def test_what_is_broken(self):
        good = record("http://a.example/1", response(page(text(1))))
        self.write("pile/a.txt", text(1))
        for name, tail, cause in (("cut", good[:-300], "ends within a record"), ("not", b"WARC/1.0\r\nWARC-Type: response\r\n\r\n", "does not begin as one"),
                                  ("junk", b"x" * 100000, "does not begin as one"),
                                  ("odd", record("u", response(b"xyz", "Content-Encoding: odd")), "is coded as 'odd', which is not known"),
                                  ("http", record("u", b"not http"), "is no HTTP response")):
            self.write("pile/c.warc", good + tail)
            groups, _, problems = self.scan("pile", says=cause)
            self.assertEqual(groups, {"pile/a.txt": {"pile/c.warc!/http://a.example/1": "same-text"}}, name)
            self.assertEqual(len(problems), 1)


class Hostile(Containers):
    def test_names_do_no_harm(self):
        """A name in an archive is a name: nothing is written, nothing else is read."""
        names = ["../../up.txt", "/etc/passwd", "a/../../b.txt", "x\ny.txt", "-rf", " "]
        self.write("pile/a.zip", zipped(*((name, text(1)) for name in names)))
        before = sorted(os.walk(self.folder))
        groups, summary, _ = self.scan("pile")
        self.assertEqual(sorted(os.walk(self.folder)), before)
        (kept, members), = groups.items()
        self.assertEqual(sorted([kept, *members]), sorted({"pile/a.zip!/" + name for name in names}))
        self.assertEqual(summary["contained"], len(names))
        self.assertNotIn("root:", self.good("text", "pile/a.zip!//etc/passwd"))

    def test_what_is_no_file_inside(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
                info = tarfile.TarInfo(f"odd{kind.decode()}")
                info.type, info.linkname = kind, "/etc/passwd"
                archive.addfile(info)
        self.write("pile/a.tar", out.getvalue())
        self.assertEqual(self.scan("pile")[1]["contained"], 0)

    def test_names_in_any_encoding(self):
        archive = zipped(("Ärger/日本.txt", text(1)))
        self.write("pile/a.zip", archive)
        self.write("pile/b.tar", tarred(("Ärger/日本.txt", text(1))))
        raw = zipped(("xxxx.txt", text(1))).replace(b"xxxx.txt", b"\xe4\xff\xfe\x81.txt")
        self.write("pile/c.zip", raw)
        for locale in ("C", "C.UTF-8"):
            groups, _, problems = self.scan("pile", locale=locale)
            self.assertEqual(problems, {})
            (kept, members), = groups.items()
            self.assertLessEqual({"pile/a.zip!/Ärger/日本.txt", "pile/b.tar!/Ärger/日本.txt"}, {kept, *members})

    def test_damage_is_told_and_the_rest_is_read(self):
        self.write("pile/a.txt", text(1))
        whole = zipped(("a.txt", text(1)), ("b.txt", text(2)), method=zipfile.ZIP_STORED)
        broken = bytearray(whole)
        broken[whole.index(text(2).encode()) + 10] ^= 1
        self.write("pile/crc.zip", bytes(broken))
        self.write("pile/cut.tar", tarred(("a.txt", text(1)), ("b.txt", text(2)))[:5000])
        self.write("pile/cut.tgz", gzip.compress(tarred(("a.txt", text(1)), ("b.txt", text(2, 100000))))[:-5000])
        self.write("pile/cut.gz", gzip.compress(text(1).encode())[:-200])
        self.write("pile/bad.7z", b"7z\xbc\xaf\x27\x1c" + b"\xff" * 100)
        groups, _, problems = self.scan("pile", says="cannot unpack")
        self.assertEqual(groups, {"pile/a.txt": {**{f"pile/{name}!/a.txt": "identical" for name in ("crc.zip", "cut.tar", "cut.tgz")},
                                                 "pile/cut.gz": "near-duplicate"}})
        self.assertEqual(set(problems), {"pile/crc.zip!/b.txt", "pile/cut.tar!/b.txt", "pile/cut.tgz!/b.txt", "pile/cut.gz",
                                         "pile/bad.7z"})
        for name, cause in problems.items():
            self.assertIn(name.split("!/")[0], cause)
            self.assertNotIn("\n", cause)

    def test_sums_of_gzip(self):
        """What is unpacked is all there, and not what was packed: no text of a document, a problem of an archive."""
        self.write("pile/a.txt", text(1))
        for name, content in {"a.gz": text(1).encode(), "a.tgz": tarred(("a.txt", text(1)), ("b.txt", text(2)))}.items():
            packed = bytearray(gzip.compress(content))
            packed[-6] ^= 1
            self.write(f"pile/{name}", bytes(packed))
        groups, _, problems = self.scan("pile", says="incorrect data check")
        self.assertEqual(groups, {"pile/a.txt": {"pile/a.tgz!/a.txt": "identical"}})
        self.assertEqual(set(problems), {"pile/a.gz", "pile/a.tgz"})
        self.bad("text", "pile/a.gz", says="cannot read 'pile/a.gz': it cannot be unpacked: incorrect data check")

    def test_encrypted_members(self):
        archive = bytearray(zipped(("a.txt", text(1)), ("b.txt", text(2))))
        for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):  # the first member's flags, in both places
            archive[archive.index(signature) + flags] |= 1
        self.write("pile/a.zip", bytes(archive))
        self.write("pile/b.txt", text(2))
        groups, _, problems = self.scan("pile", says="'pile/a.zip!/a.txt' is encrypted")
        self.assertEqual(groups, {"pile/b.txt": {"pile/a.zip!/b.txt": "identical"}})

    def test_depth(self):
        deep = zipped(("a.txt", text(1)))
        for i in range(1000):
            deep = zipped(("a.zip", deep), method=zipfile.ZIP_STORED)
        self.write("pile/deep.zip", deep)
        packed = text(1).encode()
        for i in range(1000):
            packed = gzip.compress(packed, 0)
        self.write("pile/deep.gz", packed)
        self.write("pile/b.txt", text(2))
        _, summary, problems = self.scan("pile", says="is nested deeper than 16")
        self.assertEqual(len(problems), 2)
        self.assertIn("it is compressed more than 16 times", problems["pile/deep.gz"])

    def test_what_holds_itself(self):
        name = "quine/inside/the/quine/r/r.zip"
        in_zip, in_gzip = quines.quine(quines.zip_file), quines.quine(quines.gzip_file)
        self.assertEqual((zipfile.ZipFile(io.BytesIO(in_zip)).read(name), gzip.decompress(in_gzip)), (in_zip, in_gzip))
        self.write("pile/q.zip", in_zip)
        self.write("pile/q.gz", in_gzip)
        self.write("pile/q.zip.gz", gzip.compress(in_zip))
        self.write("pile/a.txt", text(1))
        self.write("pile/b.txt", text(1))
        groups, summary, problems = self.scan("pile", says="is nested deeper than 16|compressed more than 16 times")
        self.assertEqual(groups["pile/a.txt"], {"pile/b.txt": "identical"})
        self.assertEqual(summary["contained"], 16 + 15)
        self.assertEqual({re.sub("!/.*", "", name) for name in problems}, {"pile/q.zip", "pile/q.gz", "pile/q.zip.gz"})
        self.bad("text", "pile/q.gz", says="cannot read 'pile/q.gz'")
        self.bad("text", "pile/q.zip", says="is nested deeper than 16")
        self.bad("diff", "pile/q.zip", "pile/q.zip", says=f"such as 'pile/q.zip!/{name}'")

    def test_bombs(self):
        """They end at the limit: one line, little memory, and the rest is read."""
        layer = zipped(*((f"{i}.zip", zipped(("zeros", bytes(8 << 20)))) for i in range(8)))
        self.write("pile/bomb.zip", zipped(*((f"{i}.zip", layer) for i in range(16))))
        self.write("pile/members.tar.xz", lzma.compress(tarred(("a", ""))[:512] * 20000))
        self.write("pile/plain.gz", gzip.compress(b"a b " * (16 << 20)))
        self.write("pile/a.txt", text(1))
        self.write("pile/b.zip", zipped(("a.txt", text(1))))
        groups, _, problems = self.scan("--memory=512M", "--threads=2", "pile", says="unpacks to more than")
        self.assertEqual([re.sub("!/.*", "", name) for name in problems], ["pile/bomb.zip", "pile/members.tar.xz", "pile/plain.gz"])
        self.assertEqual(groups["pile/a.txt"], {"pile/b.zip!/a.txt": "identical"})

    def test_the_limit_is_an_option(self):
        self.write("pile/a.zip", zipped(("a.txt", text(1, 3000)), ("b.txt", text(2, 3000))))
        self.assertEqual(self.scan("--unpacked=1M", "pile")[1]["contained"], 2)
        groups, summary, problems = self.scan("--unpacked=32K", "pile", says="'pile/a.zip' unpacks to more than 32768 bytes")
        self.assertEqual((summary["contained"], list(problems)), (1, ["pile/a.zip!/b.txt"]))

    def test_the_limit_holds_for_one_document(self):
        """Layers count together: the middle one of a small file may be the large one."""
        self.write("pile/a.gz", gzip.compress(text(1, 3000).encode()))
        self.write("pile/b.gz.gz", gzip.compress(gzip.compress(bytes(80 << 20))))
        self.write("pile/c.bz2.bz2", bz2.compress(bz2.compress(bytes(80 << 20))))
        _, _, problems = self.scan("pile", says="unpacks to more than 67108864 bytes")
        self.assertEqual(list(problems), ["pile/b.gz.gz", "pile/c.bz2.bz2"])
        _, _, problems = self.scan("--unpacked=8K", "pile/a.gz", code=2, says="it unpacks to more than 8192 bytes")
        self.assertEqual(list(problems), ["pile/a.gz"])

    def test_a_member_may_be_too_large_to_be_held(self):
        big = text(1, 400000)
        self.write("pile/a.tar", tarred(("big.txt", big), ("a.txt", text(2))))
        self.write("pile/c.tar.gz", gzip.compress(tarred(("in.tar", tarred(("a.txt", text(2)), ("pad.txt", big))))))
        self.write("pile/b.txt", text(2))
        groups, _, problems = self.scan("--memory=8M", "pile", says=r"has to be held in memory, and is too large for that: \d+ bytes may be")
        self.assertEqual(groups, {"pile/b.txt": {"pile/a.tar!/a.txt": "identical", "pile/c.tar.gz!/in.tar!/a.txt": "identical"}})
        self.assertEqual(set(problems), {"pile/a.tar!/big.txt", "pile/c.tar.gz!/in.tar!/pad.txt"})

    def test_any_bytes(self):
        """Archives with a few bytes changed or missing: whatever they are then, the scan ends well."""
        source = random.Random(5)
        whole = [zipped(("a.txt", text(1)), ("b/c.gz", gzip.compress(text(2).encode()))), tarred(("a.txt", text(1)), ("b.txt", text(2))),
                 gzip.compress(tarred(("a.txt", text(1)))), mailbox(mail(text(1), ("a.zip", zipped(("x", text(2)))))),
                 record("http://a.example", response(chunked(gzip.compress(page(text(1)))), "Transfer-Encoding: chunked"))]
        for i in range(20 if SANITIZED else 200):
            content = bytearray(source.choice(whole))
            for _ in range(source.randrange(1, 6)):
                content[source.randrange(len(content))] = source.randrange(256)
            if source.randrange(3) == 0:
                del content[source.randrange(len(content)):]
            self.write(f"pile/{i}", bytes(content))
        self.scan("pile", says=".*")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
