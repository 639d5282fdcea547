#!/usr/bin/env python3
"""The files that `stemma scan` writes besides what it prints: the page of --report, by its bytes, and the table of --csv.

  report_file_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]

What the page looks like, and that it is inert, is tested in report_test.py.
"""
import base64
import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
import unittest
import zipfile
import zlib

from program import PROGRAM, Base, limit_file_size, prose, words

HOSTILE = [b"</script><script>alert(1)<script>.txt", b"<img src=x onerror=alert(1)>.txt", "\u202egpj.exe.txt".encode(),
           b"line\nbreak\tand \x1b[31mred.txt", b"not \xff\xfe utf8.txt", b'"quoted", \'twice\' & <!--.txt', b"=1+1.txt",
           b"-rf.txt", b"@sum.txt", b"-->.txt"]
TREE = ["parent", "parent_place", "derivation", "added", "removed", "moved", "changes", "confidence", "direction",
        "second_parent", "second_place", "second_share"]
COLUMNS = ["document", "group", "pivot", "similarity", "relation", "resemblance", "contained", "contains", "bytes",
           "modified", "owner", "source", "redundant"]


def blocks(page):
    """The data of a page, by the name of the block."""
    found = re.findall(rb'<script type="application/octet-stream" id="([a-z]+-\d+)">([A-Za-z0-9+/=]*)</script>', page)
    return {name.decode(): zlib.decompress(base64.b64decode(data)).decode() for name, data in found}


def without_tree(line):
    """The page has family trees in any case, JSON lines where they were asked for."""
    entry = json.loads(line)
    for document in [entry.get("kept", {}), *entry.get("members", [])]:
        for key in TREE:
            document.pop(key, None)
    return entry


def texts_of(block):
    value = json.loads(block)
    texts = []
    for runs in value["documents"]:  # a number: the text of that document
        texts.append(texts[runs] if isinstance(runs, int) else
                     runs and "\n".join(line for first, count in zip(runs[::2], runs[1::2])
                                        for line in value["lines"][first:first + count]))
    return texts


class Files(Base):
    def pile(self):
        text = prose(300, 1)
        lines = [" ".join(text[i:i + 10]) for i in range(0, 300, 10)]
        self.write("pile/a.txt", "\n".join(lines))
        self.write("pile/b.txt", "\n".join(lines[:15] + ["Here is </script> & <!-- more --> \u202e text"] + lines[15:]))
        self.write("pile/copy.txt", "\n".join(lines))
        self.write("pile/part.txt", "\n".join(lines[:20]))
        self.write("pile/other.txt", " ".join(prose(200, 2)))
        return "pile"


class Page(Files):
    def setUp(self):
        super().setUp()
        if b"without the page" in self.run_program("scan", "--report=x.html", "nowhere").stderr:
            self.skipTest("the program was built without the page")

    def report(self, *arguments):
        self.good("scan", "--quiet", "--report=r.html", "--force", *arguments)
        return (self.folder / "r.html").read_bytes()

    def test_data_is_what_json_says(self):
        pile = self.pile()
        printed = self.good("scan", "--json", "--report=r.html", pile).splitlines()
        lines = blocks((self.folder / "r.html").read_bytes())["data-0"].splitlines()
        self.assertEqual([without_tree(line) for line in lines[1:]], [without_tree(line) for line in printed])
        head = json.loads(lines[0])
        self.assertEqual((head["paths"], head["listed"], head["text_budget"]), ([pile], 1, 32 << 20))

    def test_texts(self):
        page = self.report(self.pile())
        group = json.loads(blocks(page)["data-0"].splitlines()[1])
        texts = texts_of(blocks(page)["texts-0"])
        names = [group["kept"]["id"]] + [member["id"] for member in group["members"]]
        self.assertEqual(len(names), 4)
        for name, text in zip(names, texts):
            self.assertEqual(text, (self.folder / name).read_text())

    def test_texts_of_records_and_extracted_ones(self):
        body = " ".join(prose(100, 5))
        self.write("set.jsonl", "".join(json.dumps({"id": name, "text": body + more}) + "\n"
                                        for name, more in [("x", ""), ("y", " and more")]))
        self.write("page.html", f"<title>t</title><p>{body}</p><p>{body[:300]}</p>")
        page = self.report("set.jsonl", "page.html")
        texts = [text for name, block in blocks(page).items() if name != "data-0" for text in texts_of(block)]
        self.assertIn(body, texts)
        self.assertIn(body + " and more", texts)
        self.assertFalse(any("<p>" in text for text in texts))

    def test_compressed_set_gives_canonical_text(self):
        body = " ".join(prose(100, 5))
        lines = "".join(json.dumps({"id": name, "text": body.upper() + more}) + "\n" for name, more in [("x", "!"), ("y", " Z")])
        self.write("set.jsonl.gz", gzip.compress(lines.encode()))
        texts = texts_of(blocks(self.report("set.jsonl.gz"))["texts-0"])
        self.assertEqual(texts[0], body + " z")
        self.assertEqual(json.loads(blocks((self.folder / "r.html").read_bytes())["texts-0"])["folded"], [0, 1])

    def test_budget(self):
        pile = self.pile()
        self.assertEqual(list(blocks(self.report("--report-text=0", pile))), ["data-0"])
        texts = texts_of(blocks(self.report("--report-text=1", pile))["texts-0"])
        self.assertIsNotNone(texts[0])  # what is begun is taken as a whole
        self.assertTrue(all(text in (None, texts[0]) for text in texts[1:]))
        self.bad("scan", "--report=r.html", "--report-text=x", pile, says="report-text")

    def test_copies_take_no_room(self):
        lines = [" ".join(prose(4, number)) for number in range(50)]
        text = "".join(f"{lines[number * 7919 % 50]}\n" for number in range(5000))
        for number in range(30): self.write(f"copies/{number}", text)
        page = blocks(self.report("copies"))
        self.assertEqual(json.loads(page["texts-0"])["documents"][1:], [0] * 29)
        self.assertEqual(texts_of(page["texts-0"]), [text.rstrip("\n")] * 30)

    def test_large_text_is_left_out(self):
        line = " ".join(prose(5000, 3)) + "\n"
        self.write("a", line * 40)
        self.write("b", line * 40 + "end")
        self.assertEqual(texts_of(blocks(self.report("a", "b"))["texts-0"]), [None, None])

    def test_same_for_any_threads_and_memory(self):
        pile = self.pile()
        def told(*how):
            found = blocks(self.report(*how, pile))
            return found["data-0"].splitlines()[1:-1], found["texts-0"]
        expected = told("--threads=1")
        self.assertEqual(told("--threads=4"), expected)
        self.assertEqual(told("--memory=1M"), expected)

    def test_hostile_names_stay_data(self):
        os.mkdir(self.folder / "pile")
        for i, name in enumerate(HOSTILE):
            with open(os.path.join(os.fsencode(self.folder / "pile"), name.replace(b"/", b"_")), "w") as out:
                out.write(" ".join(words(200)) + " </script><!-- \x1b " + " ".join(prose(5, i)))
        page = self.report("pile")
        behind = page[page.index(b'<script type="application/octet-stream"'):]
        self.assertRegex(behind, rb'\A(?:<script type="application/octet-stream" id="(?:data|texts)-\d+">'
                                 rb'[A-Za-z0-9+/]+=*</script>\n)+\n?</body>\n</html>\s*\Z')
        self.assertIn("id_bytes", blocks(page)["data-0"])

    def test_file_appears_whole_or_not_at_all(self):
        pile = self.pile()
        before = self.listing()
        done = subprocess.run([PROGRAM, "scan", "--report=r.html", "--csv=r.csv", pile], cwd=self.folder,
                              capture_output=True, preexec_fn=limit_file_size)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write 'r.html': file too large", done.stderr)
        self.assertIn(b"cannot write 'r.csv': file too large", done.stderr)
        self.assertIn(b"group 1", done.stdout)  # the rest is done
        self.assertEqual(self.listing(), before)

    def test_wrong_use(self):
        pile = self.pile()
        self.write("r.html", "mine")
        self.bad("scan", "--report=r.html", pile, says="'r.html' exists; use --force")
        self.bad("scan", "--report=pile/a.txt", "--force", "pile/a.txt", says="one of the documents")
        self.bad("scan", "--report=-", pile, says="'-' is not a file")
        for name, cause in (("nowhere/r.html", "no such file"), ("", "no such file"), ("pile", "is a directory")):
            self.bad("scan", f"--report={name}", "--force", "no-pile", says=f"cannot write '{name}': {cause}")
        self.bad("scan", "--delete", "--yes", "--log=nowhere/log", "no-pile", says="cannot write 'nowhere/log'")
        self.bad("scan", "--delete", "--yes", "--log=r.html", "no-pile", says="the log 'r.html' exists")
        os.symlink(".", self.folder / "here")
        for other in ("x", "./x", "here//x", str(self.folder / "x")):
            self.bad("scan", "--report=x", f"--csv={other}", "no-pile", says="' would be written twice")
            self.bad("scan", "--delete", "--yes", "--csv=x", f"--log={other}", "no-pile", says="' would be written twice")
        os.unlink(self.folder / "here")
        self.assertEqual((self.folder / "r.html").read_text(), "mine")

    def test_what_is_inside_archives_is_counted_apart(self):
        pile = self.pile()
        with zipfile.ZipFile(self.folder / "pile/z.zip", "w") as archive:
            archive.write(self.folder / "pile/a.txt", "a.txt")
            archive.write(self.folder / "pile/a.txt", "b.txt")
        listed = self.good("scan", "--list-redundant", pile).splitlines()
        self.assertRegex(self.good("scan", pile), rf"1 group: {len(listed)} documents, .* could be removed, 2 more inside other files\n")
        self.assertEqual(json.loads(blocks(self.report(pile))["data-0"].splitlines()[0])["inside"], 2)

    def test_no_groups(self):
        self.write("a", "nothing like anything else in here at all")
        self.assertEqual(len(blocks(self.report("a"))["data-0"].splitlines()), 2)


class Table(Files):
    def rows(self, name, *arguments, **how):
        self.good("scan", "--quiet", f"--csv={name}", *arguments)
        text = (self.folder / name).read_bytes().decode()
        return text, list(csv.DictReader(io.StringIO(text, newline=""), **how))

    def test_columns(self):
        text, rows = self.rows("t.csv", self.pile())
        self.assertEqual(text.splitlines()[0].split(","), COLUMNS)
        self.assertTrue(text.endswith("\r\n"))
        self.assertEqual([row["document"] for row in rows],
                         ["pile/b.txt", "pile/a.txt", "pile/copy.txt", "pile/part.txt"])
        self.assertEqual({row["pivot"] for row in rows}, {"pile/b.txt"})
        self.assertEqual({row["group"] for row in rows}, {"1"})
        self.assertEqual([row["relation"] for row in rows], ["kept", "near-duplicate", "near-duplicate", "contained"])
        self.assertEqual((rows[0]["similarity"], rows[3]["similarity"]), ("100", "97"))
        self.assertRegex(rows[1]["modified"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")

    def hostile_pile(self):
        os.mkdir(self.folder / "pile")
        for i, name in enumerate(HOSTILE):
            with open(os.path.join(os.fsencode(self.folder), name.replace(b"/", b"_")), "w") as out:
                out.write(" ".join(words(200)) + " " + " ".join(prose(5, i)))
        return "."

    def test_names_are_quoted_and_no_formulas(self):
        _, rows = self.rows("t.csv", "--include=*.txt", self.hostile_pile())
        names = {row["document"] for row in rows}
        self.assertEqual(len(rows), len(HOSTILE))
        self.assertIn('./"quoted", \'twice\' & <!--.txt', names)
        self.assertIn("./line\nbreak\tand \x1b[31mred.txt", names)
        self.assertIn("./not \ufffd\ufffd utf8.txt", names)

    def test_formulas_become_text(self):
        text = " ".join(words(100))
        ids = ["=1+1", "+x", "-rf", "@sum", "\tx", "-12.5", "plain"]
        self.write("set.jsonl", "".join(json.dumps({"id": name, "text": text}) + "\n" for name in ids))
        _, rows = self.rows("t.csv", "set.jsonl")
        self.assertEqual({row["document"] for row in rows},
                         {"'=1+1", "'+x", "'-rf", "'@sum", "'\tx", "-12.5", "plain"})
        self.assertEqual({row["source"] for row in rows}, {"set.jsonl"})

    def test_no_document_is_overwritten(self):
        pile = self.pile()
        self.write("pile/set.jsonl", '{"text": "one"}\n')
        self.good("scan", "--quiet", "--csv=new.csv", "--force", pile)
        for name in ("a.txt", "other.txt", "set.jsonl"):
            before = (self.folder / pile / name).read_bytes()
            os.link(self.folder / pile / name, self.folder / "link")
            for target in (f"pile/{name}", "link"):
                self.bad("scan", f"--csv={target}", "--force", pile, says=f"cannot write '{target}': it is one of the documents")
            self.assertEqual((self.folder / pile / name).read_bytes(), before)
            (self.folder / "link").unlink()
        self.write("sets/a.jsonl", '{"text": "one"}\n')
        self.bad("scan", "--filter=sets/a.jsonl", "--force", "sets", says="it is one of the documents")
        self.assertEqual((self.folder / "sets/a.jsonl").read_text(), '{"text": "one"}\n')

    def test_tabs(self):
        text, rows = self.rows("t.tsv", "--include=*.txt", self.hostile_pile(), delimiter="\t", quoting=csv.QUOTE_NONE)
        self.assertEqual(len(text.splitlines()), len(HOSTILE) + 1)
        self.assertIn("./line\\nbreak\\tand \x1b[31mred.txt", {row["document"] for row in rows})

    def test_pipe(self):
        out = self.good("scan", "--quiet", "--list-redundant", "--force", "--csv=/dev/stdout", self.pile())
        self.assertTrue(out.startswith("document,group"))

    def test_standard_output(self):
        pile = self.pile()
        self.good("scan", "--quiet", "--csv=t.csv", pile)
        printed = self.run_program("scan", "--csv=-", pile).stdout
        self.assertEqual(printed, (self.folder / "t.csv").read_bytes())
        for other in ("--json", "--pairs", "--boilerplate", "--list-redundant", "--tree", "--filter=-", "--delete"):
            self.bad("scan", "--csv=-", other, "no-pile", says="would both write to standard output")
        self.assertFalse((self.folder / "-").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
