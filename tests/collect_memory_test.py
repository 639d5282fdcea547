#!/usr/bin/env python3
"""The memory that the commands of a collection take.

    collect_memory_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import json
import subprocess
import sys
import unittest

from collecting import Collections, text
from program import PROGRAM, prose


class Memory(Collections):
    """What is held at once does not grow with what there is."""

    def peak(self, *arguments, stdin=b"", code=0):
        """Megabytes of memory that the program had at most. Started by an interpreter of its own: it inherits the peak."""
        measure = ("import os, sys; child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]); "
                   "_, status, used = os.wait4(child, 0); print(used.ru_maxrss, file=sys.stderr); "
                   "sys.exit(os.waitstatus_to_exitcode(status) & 255)")
        command, *rest = arguments
        if command in ("add", "query", "known"):
            rest.insert(0, "--threads=2")  # each has memory of its own, and machines have many
        if command == "add":  # so that a batch is full long before it is old, which it is sooner on a slow machine
            rest.insert(0, "--memory=16M")
        with open(self.folder / "out", "wb") as out:
            done = subprocess.run([sys.executable, "-S", "-c", measure, PROGRAM, command, *rest], cwd=self.folder,
                                  input=stdin, stdout=out, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return int(done.stderr.splitlines()[-1]) / 1024

    def assert_flat(self, name, *peaks):
        """With 450,000 documents more: 16 bytes of each would be 7 MB. What the allocator makes of the same work differs by 2."""
        self.assertLess(peaks[1] - peaks[0], 5, (name, peaks))

    SIZES = 150000, 600000

    def records(self, size, text="", shift=0):
        lines = "".join(f'{{"id":"{i}","text":"{text}"}}\n' for i in range(size))
        self.put(f"{size}/d.jsonl", " \n" * shift + lines, shift)
        return f"pile/{size}"

    def of_each(self, *command, code=0):
        """Peaks of a command with each collection, which stands for 'c' in it."""
        return [self.peak(*(f"c{size}" if word == "c" else f"pile/{size}" if word == "pile" else word for word in command),
                          code=code) for size in self.SIZES]

    def test_records(self):
        """New ones; the same in other places; asked about; and all but a few gone again."""
        for size in self.SIZES:
            self.records(size)
        self.assert_flat("new", *self.of_each("add", "--quiet", "--parts=minima", "c", "pile"))
        for size in self.SIZES:
            self.records(size, shift=1)
        self.assert_flat("moved", *self.of_each("add", "--quiet", "c", "pile"))
        self.write("question", text(1))
        for command in ("query", "-t", ".3", "--contained=0"), ("list",), ("info",), ("verify",), ("export",):
            subject = ("question",) if command[0] == "query" else ()
            self.assert_flat(command, *self.of_each(*command, "c", *subject, code=command[0] == "query"))
        line = json.dumps({"id": "new", "text": text(2)}).encode()
        self.assert_flat("seen", *(self.peak("seen", "--quiet", f"c{size}", stdin=line) for size in self.SIZES))
        self.assert_flat("remove", *self.of_each("remove", "--quiet", "c", "*7"))
        for size in self.SIZES:
            (self.folder / f"pile/{size}/d.jsonl").rename(self.folder / f"pile/{size}/e.jsonl")
            self.put(f"{size}/e.jsonl", '{"id":"1","text":""}\n')
        self.assert_flat("prune", *self.of_each("add", "--quiet", "--prune-all", "c", "pile"))
        for size in self.SIZES:
            self.assertEqual(len(self.documents(f"c{size}")), 2)

    def test_changed_records(self):
        """Each of them is replaced: what is gone is known by a bit."""
        for size in self.SIZES:
            self.records(size)
        self.of_each("add", "--quiet", "--parts=minima", "c", "pile")
        for size in self.SIZES:
            self.records(size, text="a few words more than there were", shift=1)
        self.assert_flat("changed", *self.of_each("add", "--quiet", "c", "pile"))

    def test_problems(self):
        """However many there are, they are told in order, and none is lost."""
        self.put("a.txt", text(1))
        self.add()
        for size in self.SIZES:
            self.put(f"{size}/d.jsonl", json.dumps({"id": "1", "text": text(1)}) + "\n" + "{\n" * (size // 10), 1)
        for command in ("add", "--json", "c"), ("query", "--json", "--no-edits", "c"), ("known", "--json", "c"):
            peaks = []
            for size in self.SIZES:
                peaks.append(self.peak(*command, f"pile/{size}"))
                lines = map(json.loads, (self.folder / "out").read_text().splitlines())
                told = [line["line"] for line in lines if "problem" in line]
                self.assertEqual(told, list(range(2, size // 10 + 2)))
            self.assert_flat(command, *peaks)

    def test_measuring(self):
        """Beside what a question takes, what is allowed is there to measure its matches; so it is for more threads."""
        words = prose(120000, 1)
        self.put("long.txt", " ".join(words))
        self.good("add", "--quiet", "--store-text", "c", "pile")
        (self.folder / "pile/long.txt").unlink()
        for i in range(4):
            self.write(f"asked/{i}.txt", " ".join(words[1000 * i:]))
        ask = "query", "--json", "--memory=16M", "c", "asked"
        without = self.peak(*ask, "--threads=1", "--no-edits")
        self.assertLess(self.peak(*ask, "--threads=1"), without + 16)
        matches = [json.loads(line) for line in (self.folder / "out").read_text().splitlines()]
        self.assertEqual([match["edit"]["value"] is not None for match in matches], [True] * 4)
        self.assertEqual(matches, [json.loads(line) for line in self.good(*ask, "--threads=4").splitlines()])

    def test_records_on_standard_input(self):
        """Of a pipe, too, no more is held than of a file."""
        self.put("a.txt", text(1))
        self.add()
        record = json.dumps({"text": text(1)}).encode() + b"\n"
        for command in ("query", "--no-edits"), ("query", "--hamming"), ("known",):
            peaks = [self.peak(*command, "--quiet", "--memory=16M", "--threads=1", "c", "-", stdin=record * count)
                     for count in (1, (32 << 20) // len(record))]
            self.assertLess(peaks[1] - peaks[0], 16, (command, peaks))

    def test_list(self):
        """Ids that are more than memory sorts at once come in their order all the same."""
        name = "n" * 200
        self.put("d.jsonl", "".join(f'{{"id":"{i * 7919 % 160000}{name}","text":""}}\n' for i in range(160000)))
        self.good("add", "--quiet", "--parts=minima", "c", "pile")
        self.assertLess(self.peak("list", "c"), 20)
        ids = (self.folder / "out").read_text().splitlines()
        self.assertEqual(len(ids), 160000)
        self.assertTrue(all(a < b for a, b in zip(ids, ids[1:])))

    def test_all_matches(self):
        """Of very many, they come in the order of few, and each once."""
        words, count = prose(60, 1), 60000
        lines = [json.dumps({"id": f"{i * 7919 % count}", "text": " ".join(words[:50 + i % 10])}) for i in range(count)]
        self.put("d.jsonl", "\n".join(lines))
        self.write("question", " ".join(words))
        self.good("add", "--quiet", "c", "pile")
        self.assertLess(self.peak("query", "--json", "--no-edits", "--top=0", "c", "question"), 30)
        every = (self.folder / "out").read_text().splitlines()
        self.assertEqual(len({json.loads(line)["id"] for line in every}), count)
        self.assertEqual(every[:1000], self.good("query", "--json", "--no-edits", "--top=1000", "c", "question").splitlines())
        self.assertEqual(every[:2000], self.good("query", "--json", "--no-edits", "--top=2000", "c", "question").splitlines())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
