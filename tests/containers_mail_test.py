#!/usr/bin/env python3
"""Mail and mailboxes: what their texts are, what is attached, and what of them may be removed.

    containers_mail_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import gzip
import json
import random
import sys
import unittest

from containing import Containers, mail, mailbox, page, text, zipped
from program import SANITIZED, prose


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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
