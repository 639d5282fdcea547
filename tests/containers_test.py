#!/usr/bin/env python3
"""Archives as a user of the program meets them, and files that hold documents of every kind, whole and broken.

    containers_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import bz2
import gzip
import json
import lzma
import os
import random
import re
import subprocess
import sys
import tarfile
import unittest
import warnings
import zipfile

from containing import Containers, mail, mailbox, members_of, page, record, response, streamed, tarred, text, zipped
from formats import corpus
from program import PROGRAM, SANITIZED


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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
