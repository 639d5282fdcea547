#!/usr/bin/env python3
"""What `stemma scan` finds, against brute force over all pairs of generated collections; and brute force against sets in
Python, and the judge against scans that are wrong.

    scan_truth_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]      STEMMA_TOOLS: the folder of all-pairs, make-documents
"""
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from program import PROGRAM, SOURCE, Base

TOOLS = Path(os.environ["STEMMA_TOOLS"]).resolve()
EFFORT = int(os.environ.get("STEMMA_TEST_EFFORT", "100"))
CHECK = SOURCE / "tools" / "check-scan"
WINDOW = 5


def effort(full):
    return max(full * EFFORT // 100, 200)


def shingles(text):
    words = re.findall("[a-z]+", text.lower())
    return {tuple(words[i:i + WINDOW]) for i in range(max(1, len(words) - WINDOW + 1))}


def canonical(text):
    return " ".join(re.findall("[a-z]+", text.lower()))


class Collections(Base):
    def make(self, *options):
        subprocess.run([TOOLS / "make-documents", *options, "docs.jsonl"], cwd=self.folder, check=True)
        return "docs.jsonl"

    def check(self, *arguments, program=PROGRAM, code=0):
        done = subprocess.run([sys.executable, CHECK, *arguments[:-1], program, TOOLS / "all-pairs", arguments[-1]],
                              cwd=self.folder, capture_output=True, text=True, timeout=600)
        sys.stderr.write(done.stdout)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout


class Scan(Collections):
    def test_mixed(self):
        """Small extracts may be missed, and what they are kept by with them."""
        self.check("--least-stars=.97", "--least-removed=.9",
                   self.make(f"--count={effort(2000)}", "--near=.4", "--contained=.1"))

    def test_bytes(self):
        self.check("--recipe=unit=byte window=20", "--thresholds=.5,.8", "--least-stars=.97", "--least-removed=.9",
                   self.make(f"--count={effort(1000)}", "--near=.4", "--contained=.1", "--template=.1"))

    def test_extracts(self):
        """Of 1 KB and more: every one has to be found, whatever the size of what it comes from."""
        self.check("--thresholds=.5", self.make(f"--count={effort(600)}", "--size=20000", "--spread=.6", "--near=.3",
                                                "--contained=.4"))

    def test_near_copies_of_one_document(self):
        """Far more than may share a key without being cut: every one has to be found all the same."""
        self.check("--groups-only", "--thresholds=.5,.7", self.make(f"--copies={effort(10000)}", "--edits=.005",
                                                                                  "--size=3000"))

    def test_copies_near_and_far(self):
        """Resemblances of all degrees: not every one is found by the document that the definition says, but by one."""
        self.check("--groups-only", "--thresholds=.7", "--least-stars=.7", "--least-removed=.95",
                   self.make(f"--copies={effort(4000)}"))

    def check_template(self, count, *how):
        """A paragraph of two fifths of each document, in front of different ones: J about .25 for every pair."""
        self.check(*how, self.make(f"--count={effort(count)}", "--template=1", "--template-words=70", "--size=700",
                                   "--spread=.05", "--near=.02", "--contained=0"))

    def test_template(self):
        self.check_template(100000, "--thresholds=.7")

    def test_template_nearly_as_similar_as_asked(self):
        self.check_template(10000, "--thresholds=.3,.5")

    def test_contained_behind_a_template(self):
        """Apart from the template, which tells nothing, these are documents of 700 bytes: not all have to be found."""
        self.check_template(10000, "--thresholds=.9", "--least-contained=.95", "--least-removed=.95")

    def test_tree(self):
        subprocess.run([TOOLS / "make-documents", "--form=tree", f"--count={effort(1200)}", "--contained=0", "tree"],
                       cwd=self.folder, check=True)
        self.check("tree")


class BruteForce(Collections):
    """all-pairs against sets of tuples of words."""

    def stream(self, documents):
        return b"".join(b"%s\0%d\n%s" % (name.encode(), len(text), text.encode()) for name, text in documents)

    def truth(self, documents, *options):
        done = subprocess.run([TOOLS / "all-pairs", *options], input=self.stream(documents), capture_output=True,
                              check=True)
        return [line.split("\t") for line in done.stdout.decode().splitlines()]

    def documents(self):
        """With copies of the same text, empty and short ones among them."""
        self.make("--count=150", "--near=.5", "--contained=.2", "--size=400", "--template-words=20")
        with open(self.folder / "docs.jsonl", encoding="ascii") as file:
            documents = [(r["id"], r["text"]) for r in map(json.loads, file)]
        extra = [("empty", "..."), ("short", "two words"), ("short too", "Two, words!"), ("copy", documents[7][1].upper())]
        return documents + extra

    def in_keep_order(self, documents):
        """Classes: names of the same text, and its shingles."""
        classes = {}
        for name, text in sorted(documents, key=lambda d: -len(canonical(d[1]))):
            if canonical(text):
                classes.setdefault(canonical(text), ([], shingles(text)))[0].append(name)
        return list(classes.values())

    def test_pairs(self):
        documents = self.documents()
        classes = self.in_keep_order(documents)
        expected = set()
        for i, (_, a) in enumerate(classes):
            for j, (_, b) in enumerate(classes[i + 1:], i + 1):
                if len(a & b) >= .3 * len(a | b) or len(a & b) >= .9 * min(len(a), len(b)):
                    expected.add((i, j, len(a), len(b), len(a & b)))
        lines = self.truth(documents, "--pairs=.3", "--contained=.9")
        found = [tuple(map(int, line[1:])) for line in lines if line[0] == "pair"]
        self.assertEqual(sorted(found), sorted(expected))
        self.assertGreater(len(expected), 50)
        numbers = {documents[int(line[1])][0]: line[2] for line in lines if line[0] == "document"}
        self.assertEqual(numbers, {"empty": "-"} | {name: str(i) for i, (names, _) in enumerate(classes) for name in names})

    def test_stars(self):
        documents = self.documents()
        sets = [s for _, s in self.in_keep_order(documents)]
        expected, taken = [], set()
        for i, kept in enumerate(sets):
            for j in range(i + 1, len(sets)) if i not in taken else ():
                common = len(kept & sets[j])
                if j not in taken and (common >= .5 * len(kept | sets[j]) or common >= .9 * len(sets[j])):
                    taken.add(j)
                    expected.append([".5", str(i), str(j), str(len(kept)), str(len(sets[j])), str(common)])
        lines = self.truth(documents, "--contained=.9", "--stars=.9", "--stars=.5")
        self.assertEqual([line[1:] for line in lines if line[0] == "member" and line[1] == ".5"], expected)
        self.assertGreater(len(expected), 30)

    def test_counted(self):
        documents = self.documents()
        wanted = [(7, 153), (0, 1), (1, 0), (150, 3), (5, 5)]
        self.write("wanted", "".join(f"{i} {j}\n" for i, j in wanted))
        lines = self.truth(documents, "--count", self.folder / "wanted")
        sets = [shingles(text) if canonical(text) else set() for _, text in documents]
        self.assertEqual([tuple(map(int, line[1:])) for line in lines if line[0] == "counted"],
                         [(i, j, len(sets[i]), len(sets[j]), len(sets[i] & sets[j])) for i, j in wanted])

    def test_broken_stream(self):
        for stream in (b"", b"empty\x000\n", b"name", b"name\0", b"name\0 12\nshort", b"name\0x\n"):
            done = subprocess.run([TOOLS / "all-pairs"], input=stream, capture_output=True)
            self.assertEqual(done.returncode, 2, stream)

    def test_frequent_shingles(self):
        """Enough documents that a template is held as bits: the counts stay what they are."""
        self.make("--count=400", "--template=1", "--template-words=50", "--size=300", "--contained=0")
        with open(self.folder / "docs.jsonl", encoding="ascii") as file:
            documents = [(r["id"], r["text"]) for r in map(json.loads, file)]
        sets = [s for _, s in self.in_keep_order(documents)]
        found = [line for line in self.truth(documents, "--pairs=.2") if line[0] == "pair"]
        self.assertGreater(len(found), 10000)
        for _, i, j, *_, common in found:
            self.assertEqual(len(sets[int(i)] & sets[int(j)]), int(common))


class Judge(Collections):
    """Scans that are wrong in one place each, printed by a program that finds nothing out."""

    def setUp(self):
        super().setUp()
        texts = {name: " ".join(f"{letter}{k}" for k in map(self.spelt, range(400))) for name, letter in
                 (("a", "x"), ("c", "y"), ("d", "z"))}
        texts["b"] = texts["a"].replace("x" + self.spelt(200), "changed")[:-30]
        with open(self.folder / "docs.jsonl", "w", encoding="ascii") as file:
            for name in sorted(texts):
                file.write(json.dumps({"id": name, "text": texts[name]}) + "\n")
        a, b = shingles(texts["a"]), shingles(texts["b"])
        self.numbers = {"resemblance": len(a & b) / len(a | b), "a_in_b": len(a & b) / len(a), "b_in_a": len(a & b) / len(b)}

    @staticmethod
    def spelt(number):
        return "".join(chr(97 + int(digit)) for digit in str(number))

    def lines(self):
        """What a scan would print."""
        member = {"id": "b", "relation": "near-duplicate", "resemblance": self.numbers["resemblance"],
                  "contained": self.numbers["b_in_a"]}
        return [{"group": 1, "kept": {"id": "a"}, "members": [member]},
                {"a": "a", "b": "b", "relation": "near-duplicate", **self.numbers}, {"summary": {"documents": 4}}]

    def judged(self, lines, code):
        self.write("output", "".join(json.dumps(line) + "\n" for line in lines))
        self.write("program", "#!/bin/sh\nexec cat output\n")
        os.chmod(self.folder / "program", 0o755)
        return self.check("--thresholds=.7", "docs.jsonl", program="./program", code=code)

    def test_right(self):
        self.assertIn("1.00000", self.judged(self.lines(), 0))

    def test_pair_missing(self):
        self.assertIn("recall: 0 of 1", self.judged([self.lines()[0], self.lines()[2]], 1))

    def test_pair_not_true(self):
        wrong = {"a": "c", "b": "d", "relation": "near-duplicate", "resemblance": .8, "a_in_b": .9, "b_in_a": .9}
        self.assertIn("not a pair", self.judged([*self.lines()[:2], wrong, self.lines()[2]], 1))

    def test_not_the_same_text(self):
        wrong = {"a": "c", "b": "d", "relation": "same-text", "resemblance": 1, "a_in_b": 1, "b_in_a": 1}
        self.assertIn("not the same text: ('c', 'd')", self.judged([*self.lines()[:2], wrong, self.lines()[2]], 1))

    def test_number_not_exact(self):
        lines = self.lines()
        lines[1]["b_in_a"] -= .01
        self.assertIn("not exact", self.judged(lines, 1))

    def test_member_not_exact(self):
        lines = self.lines()
        lines[0]["members"][0]["contained"] -= .01
        self.assertIn("not exact", self.judged(lines, 1))

    def test_wrongly_removed(self):
        lines = self.lines()
        lines[0]["members"].append(dict(lines[0]["members"][0], id="c"))
        self.assertIn("wrongly removed: c for a", self.judged(lines, 1))

    def test_group_missing(self):
        self.assertIn("not the star of its own pairs: b", self.judged(self.lines()[1:], 1))

    def test_kept_the_wrong_one(self):
        lines = self.lines()
        lines[0]["kept"]["id"], lines[0]["members"][0]["id"] = "b", "a"
        self.assertIn("as stars", self.judged(lines, 1))

    def test_document_not_read(self):
        lines = self.lines()
        lines[2]["summary"]["documents"] = 3
        self.assertIn("3 documents were scanned, 4 are there", self.judged(lines, 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
