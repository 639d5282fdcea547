#!/usr/bin/env python3
"""The result of `stemma scan` follows from the documents alone: not from threads, memory, the order in which files are
listed, nor the order in which a folder has them.     scan_same_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]

STEMMA_TEST_SEED chooses another pile, STEMMA_TEST_EFFORT is the share of the runs in percent.
"""
import gzip
import json
import os
import random
import shutil
import unittest

from program import Base, prose

SEED = int(os.environ.get("STEMMA_TEST_SEED", 1))
EFFORT = int(os.environ.get("STEMMA_TEST_EFFORT", 100))
KEEP = ("longest", "newest", "oldest", "shortest-path", "first")
GROUP = ("stars", "components", "first", "popular")
MEMORY = ("256K", "2M", "64M", "1G")
CHANGING = {"resident_bytes", "cached_bytes", "spilled_bytes", "seconds", "seconds_reading", "seconds_matching",
            "seconds_verifying", "verified"}


def some(most):
    return max(1, most * EFFORT // 100)


def changed(source, text, share):
    return [f"x{source.randrange(10 ** 6)}" if source.random() < share else word for word in text]


def make_documents(source):
    """{name: bytes}: everything that may be decided in different ways when things happen in a different order."""
    files, texts = {}, []
    template = prose(120, source.random())

    def add(text, suffix=".txt", encode=str.encode):
        name = f"pile/{source.randrange(4)}/{'d' * source.randrange(3)}{len(files)}{suffix}"
        files[name] = encode(" ".join(text))
        texts.append(text)

    for _ in range(12):  # families, some of them chains
        text = prose(source.randrange(30, 500), source.random())
        for _ in range(source.randrange(1, 9)):
            add(text)
            text = changed(source, text, source.choice((0, .01, .05)))
    for i in range(60):  # fuller than any bucket: a template, copies, and what is contained
        own = prose(source.randrange(5, 200), source.random())
        add(template + own if i % 3 else own[:40] + template)
    for text in source.sample(texts, 15):
        begin = source.randrange(len(text))
        add(text[begin:begin + 100])
    for text in source.sample(texts, 12):  # one text in several dresses
        add([word.upper() for word in text])
        add(text, ".md")
        add(["<p>", *text, "</p>"], ".html")
        add(text, ".txt", lambda text: text.encode("utf-16"))
    large = prose(150000, source.random())
    for i in range(3):  # more than may be held in memory, when that is small
        add(changed(source, large, .001 * i))
    add([word.upper() for word in large])
    for name in ("a.bin", "b.md", "c.html"):
        files[f"pile/{name}"] = bytes(range(256)) * 40
    files["pile/empty1"] = files["pile/empty2"] = b""
    records = [json.dumps({"id": f"r{i % 50}", "text": " ".join(text)})
               for i, text in enumerate(texts) if len(text) < 1000 and source.random() < .7]
    source.shuffle(records)
    half = len(records) // 2
    files["pile/plain.jsonl"] = ("\n".join([*records[:half], '{"text": 1}', "broken"]) + "\n").encode()
    packed = gzip.compress(("\n".join(records[half:]) + "\n").encode())
    files["pile/packed.jsonl.gz"] = packed
    files["pile/torn.jsonl.gz"] = packed[:len(packed) * 2 // 3]
    return files


class Same(Base):
    def setUp(self):
        super().setUp()
        self.source = random.Random(SEED)
        self.files = make_documents(self.source)
        self.ages = {name: self.source.randrange(10 ** 9, 10 ** 9 + 20) for name in self.files}

    def make_folder(self):
        """Again, so that the folders have their files in another order."""
        shutil.rmtree(self.folder / "pile", ignore_errors=True)
        for name in self.source.sample(sorted(self.files), len(self.files)):
            self.write(name, self.files[name])
            os.utime(self.folder / name, (self.ages[name],) * 2)

    def scan(self, *arguments, **how):
        done = self.run_program("scan", "--json", *arguments, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        lines[-1]["summary"] = {key: value for key, value in lines[-1]["summary"].items() if key not in CHANGING}
        return lines

    @staticmethod
    def unordered(lines):
        """Groups of one saving stand in the order of input, as do their numbers."""
        return sorted(json.dumps({**line, "group": 0} if "group" in line else line) for line in lines)

    def check(self, *options, keep="longest", runs=3):
        how = [f"--cap={self.source.choice((4, 16, 256))}", f"--threshold={self.source.choice((.4, .7, .9))}", *options,
               f"--keep={keep}"]
        self.make_folder()
        expected = self.scan(*how, "--threads=1", "--memory=1G", "pile")
        self.assertGreater(len(expected), 5, how)
        for _ in range(some(runs)):
            self.make_folder()
            work = [f"--threads={self.source.randrange(1, 6)}", f"--memory={self.source.choice(MEMORY)}"]
            self.assertEqual(self.scan(*how, *work, "pile"), expected, (how, work))
            if keep == "first":  # then the order given decides
                continue
            names = self.source.sample(sorted(self.files), len(self.files))
            listed = self.scan(*how, *work, "--files-from=-", stdin="\n".join(names).encode())
            self.assertEqual(self.unordered(listed), self.unordered(expected), (how, work))

    def test_groups(self):
        for group in GROUP:
            for keep in self.source.sample(KEEP, some(len(KEEP))):
                self.check(f"--group={group}", keep=keep, runs=2)

    def test_pairs(self):
        for keep in self.source.sample(KEEP, some(len(KEEP))):
            self.check("--pairs", keep=keep)

    def test_boilerplate(self):
        self.check("--boilerplate")

    def test_other_views(self):
        views = (["--unit=byte"], ["--labelled"], ["--unit=line"], ["--preset=raw"])
        for view in self.source.sample(views, some(len(views))):
            self.check(*view, runs=1)


if __name__ == "__main__":
    import sys
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
