#!/usr/bin/env python3
"""docs/json.md names every field that the commands print, and no line lacks one.     json_test.py PROGRAM SOURCE-DIRECTORY"""
import json
import os
import re
import sys
import unittest
import zipfile

from program import SOURCE, Base, prose


def read_page():
    """Of every section: the kinds of lines, as (required, possible), and the same of objects in a field."""
    sections = {}
    for section in re.split(r"^## ", (SOURCE / "docs/json.md").read_text(), flags=re.MULTILINE)[1:]:
        head, body = section.split("\n", 1)
        lines, inner = [], {}
        for item in re.split(r"^- ", body, flags=re.MULTILINE)[1:]:
            about, fields = item.split(":", 1)
            required = re.split(r";\s+also\b", fields)[0]
            kind = set(re.findall(r"`(\w+)`", required)), set(re.findall(r"`(\w+)`", fields))
            if about.startswith("in "):
                inner.update({name: kind for name in re.findall(r"`(\w+)`", about)})
            else:
                lines.append(kind)
        for name in re.findall(r"`(\w+)`", head) or ["everywhere"]:
            sections[name] = lines, inner
    return sections


PAGE = read_page()
QUANTITIES = {name for name, kind in PAGE["everywhere"][1].items() if "low" in kind[0]}


class Json(Base):
    def setUp(self):
        super().setUp()
        text = prose(3000, 1)
        self.write("pile/a", " ".join(text))
        self.write("pile/b", " ".join(text[:2900] + prose(100, 2)))
        self.write("pile/c", " ".join(text))
        self.write("part", " ".join(text[100:400]))
        self.write("other", " ".join(prose(300, 9)))
        self.write("short", "too short")

    def various(self):
        """Near-copies of other kinds: a page, a mail with an attachment, members of an archive, a name that is not UTF-8."""
        text = (self.folder / "pile/a").read_text()
        self.write("mixed/page.html", f"<html><body><p>{text}</p></body></html>")
        self.write("mixed/mail.eml", "From: a@example.org\nTo: b@example.org\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n"
                   "Content-Type: multipart/mixed; boundary=x\n\n"
                   f"--x\nContent-Type: text/plain\n\n{text}\n--x\nContent-Type: text/plain; name=n\n\n{text}\n--x--\n")
        with zipfile.ZipFile(self.folder / "mixed/all.zip", "w") as archive:
            archive.writestr("one", text)
            archive.writestr("two", text + " more")
        with open(os.fsencode(self.folder) + b"/mixed/\xff", "w") as file:
            file.write(text)
        return "mixed"

    def check_object(self, command, value, kinds):
        keys = {key.removesuffix("_bytes") if isinstance(held, str) else key for key, held in value.items()}
        self.assertTrue(any(required <= keys <= possible for required, possible in kinds), (command, sorted(keys)))
        for key, held in value.items():
            if key in QUANTITIES and "chance" not in value and command not in ("scan", "tree"):
                self.assertIsInstance(held, dict, (command, key))
            self.check_inner(command, key, held)

    def check_inner(self, command, key, held):
        if isinstance(held, list):
            for one in held:
                self.check_inner(command, key, one)
        elif isinstance(held, dict):
            kind = PAGE[command][1].get(key) or PAGE["everywhere"][1].get(key)
            # A containment is a pair of quantities, but for `known`, where one direction is meant.
            kinds = [PAGE["everywhere"][1]["resemblance"] if (command, key) == ("known", "containment") else kind]
            self.assertIsNotNone(kind, (command, key))
            self.check_object(command, held, kinds)

    def check(self, command, *arguments, stdin=b""):
        done = self.run_program(command, "--json", *arguments, stdin=stdin)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertTrue(lines, done.stderr)
        for line in lines:
            self.check_object(command, line, PAGE[command][0] + PAGE["everywhere"][0])
        return lines

    def test_documents(self):
        self.check("scan", "pile", "gone")
        self.check("scan", "--pairs", "pile")
        self.check("scan", "--boilerplate", "pile")
        self.check("tree", "pile")
        self.check("compare", "pile/a", "pile/b")
        self.check("compare", "--sketch", "--signature", "pile/a", "pile/b")
        self.check("compare", "--pairs-from=-", stdin=b"pile/a\tgone\n")
        self.check("diff", "pile/a", "pile/b")
        self.check("find", "part", "pile")
        self.check("sketch", "--signature", "part")
        self.check("text", "part")
        self.check("text", "--tokens", "part")
        self.check("mutate", "--kind=ocr", "part")
        self.check("tune", "pile")
        self.check("tune", "--most-bytes=4K", "pile")

    def test_kinds(self):
        for command in ("scan", "tree"):
            self.check(command, self.various())
        self.check("find", "part", "mixed")
        self.check("compare", "mixed/page.html", "mixed/mail.eml")

    def test_missing_files(self):
        """Of a file that is not there each command has a line, under its name."""
        self.good("add", "c.stemma", "pile")
        for command, *arguments in (("scan", "pile"), ("tree", "pile"), ("tune", "pile"), ("find", "part"), ("sketch", "part"),
                                    ("add", "c.stemma"), ("query", "c.stemma"), ("query", "--hamming", "c.stemma"),
                                    ("known", "c.stemma")):
            problems = [line for line in self.check(command, *arguments, "gone") if "problem" in line]
            self.assertEqual([(line["problem"], line["cause"]) for line in problems],
                             [("gone", "cannot read 'gone': no such file or directory")], command)
        lines = self.check("seen", "c.stemma", stdin=b"gone\n{\n")
        self.assertEqual([(line["problem"], line["line"]) for line in lines], [("gone", 1), ("-", 2)])
        self.assertEqual(self.check("compare", "gone", "part")[0]["a"], "gone")

    def test_plain_text_has_no_form(self):
        self.various()
        self.good("add", "c.stemma", "mixed/page.html", "pile/a")
        forms = [line.get("form") for line in self.check("list", "c.stemma")]
        self.assertEqual(sorted(forms, key=str), [None, "html"])

    def test_acting(self):
        self.check("scan", "--move=aside", "--dry-run", "pile")
        self.check("scan", "--delete", "--dry-run", "pile")
        self.check("scan", "--delete", "--yes", "--log=log", "pile")
        self.check("undo", "log")

    def test_collections(self):
        self.check("add", "--signature", "c.stemma", "pile")
        self.check("query", "c.stemma", "pile/b", "gone")
        self.check("query", "--family", "c.stemma", "part")
        self.check("query", "--hamming", "c.stemma", "pile/a")
        self.check("seen", "c.stemma", stdin=b"pile/a\npart\ngone\n")
        self.check("known", "c.stemma", "pile/a", "part", "other", "short")
        for command in ("list", "info", "verify"):
            self.check(command, "c.stemma")
        self.check("backup", "c.stemma", "b.stemma")
        self.check("merge", "m.stemma", "c.stemma")
        (self.folder / "pile/a").unlink()
        (self.folder / "pile/c").unlink()
        self.check("query", "c.stemma", "pile/b")  # by signatures
        self.check("query", "--family", "c.stemma", "pile/b")
        self.check("remove", "c.stemma", "pile/a")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
