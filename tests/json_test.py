#!/usr/bin/env python3
"""docs/json.md names every field that the commands print, and no line lacks one.     json_test.py PROGRAM SOURCE-DIRECTORY"""
import json
import re
import sys
import unittest

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


class Json(Base):
    def setUp(self):
        super().setUp()
        text = prose(3000, 1)
        self.write("pile/a", " ".join(text))
        self.write("pile/b", " ".join(text[:2900] + prose(100, 2)))
        self.write("pile/c", " ".join(text))
        self.write("part", " ".join(text[100:400]))

    def check_object(self, command, value, kinds):
        keys = set(value)
        self.assertTrue(any(required <= keys <= possible for required, possible in kinds), (command, sorted(keys)))
        for key, held in value.items():
            self.check_inner(command, key, held)

    def check_inner(self, command, key, held):
        if isinstance(held, list):
            for one in held:
                self.check_inner(command, key, one)
        elif isinstance(held, dict):
            kind = PAGE[command][1].get(key) or PAGE["everywhere"][1].get(key)
            # A containment is a pair of quantities, or where one direction is meant a quantity.
            kinds = [kind] if key != "containment" else [kind, PAGE["everywhere"][1]["resemblance"]]
            self.assertIsNotNone(kind, (command, key))
            self.check_object(command, held, kinds)

    def check(self, command, *arguments, stdin=b""):
        done = self.run_program(command, "--json", *arguments, stdin=stdin)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertTrue(lines, done.stderr)
        for line in lines:
            self.check_object(command, line, PAGE[command][0] + PAGE["everywhere"][0])

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

    def test_acting(self):
        self.check("scan", "--delete", "--dry-run", "pile")
        self.check("scan", "--delete", "--yes", "--log=log", "pile")
        self.check("undo", "log")

    def test_collections(self):
        self.check("add", "c.stemma", "pile")
        self.check("query", "c.stemma", "pile/b", "gone")
        self.check("query", "--family", "c.stemma", "part")
        self.check("query", "--hamming", "c.stemma", "pile/a")
        self.check("seen", "c.stemma", stdin=b"pile/a\npart\ngone\n")
        self.check("known", "c.stemma", "pile/a", "part")
        for command in ("list", "info", "verify"):
            self.check(command, "c.stemma")
        self.check("backup", "c.stemma", "b.stemma")
        self.check("merge", "m.stemma", "c.stemma")
        self.check("remove", "c.stemma", "pile/a")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
