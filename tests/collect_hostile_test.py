#!/usr/bin/env python3
"""Documents that cannot be read, and programs that are killed or interrupted while they write a collection.

    collect_hostile_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest
import zipfile
from pathlib import Path

from collecting import Collections, text
from program import PROGRAM, SANITIZED, SOURCE, rests
from scan_same_test import some


class Hostile(Collections):
    def test_names(self):
        names = [b"new\nline.txt", b"\xff\xfe.txt", b"-dash.txt", b" space .txt", b"colon:1.txt", b"bang!/x"[:5] + b".txt"]
        for i, name in enumerate(names):
            with open(os.path.join(os.fsencode(self.folder), b"pile", name), "w") as file:
                file.write(text(i))
        self.good("add", "c", "pile")
        listed = self.run_program("list", "--print0", "c").stdout.split(b"\0")[:-1]
        self.assertEqual({os.path.basename(name) for name in listed}, set(names))
        self.good("add", "c", "pile")
        self.assertEqual(len(self.documents()), len(names))

    def test_what_cannot_be_read(self):
        self.put("good.txt", text(1))
        self.put("empty.txt", "")
        self.put("picture.bin", bytes(range(256)) * 8)
        self.put("broken.zip", b"PK\3\4" + b"\0" * 100)
        self.put("broken.jsonl", '{"text": "fine and well"}\n{"text": \nnothing\n')
        os.mkfifo(self.folder / "pile/pipe")
        os.symlink("nowhere", self.folder / "pile/link")
        done = self.run_program("add", "c", "pile")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"could not be read", done.stderr)
        self.assertIn(self.path("good.txt"), self.documents())
        self.assertEqual(self.run_program("add", "--strict", "c", "pile/broken.jsonl", "pile/good.txt").returncode, 0)
        self.assertEqual(self.run_program("add", "c", "nothing").returncode, 2)

    def test_what_cannot_be_read_is_no_document(self):
        """It counts as nothing but a problem, each time; once it can be read it is added."""
        whole = (SOURCE / "tests/formats/letter.epub").read_bytes()
        counts = lambda done: [done["summary"][key] for key in ("added", "replaced", "unchanged", "problems", "bytes")]
        self.put("broken.epub", whole[:len(whole) // 2])
        for _ in range(2):
            done = self.run_program("add", "--json", "c", "pile")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(counts(json.loads(done.stdout.splitlines()[-1])), [0, 0, 0, 1, 0])
        self.assertFalse((self.folder / "c").exists())
        told = self.run_program("seen", "--json", "c", stdin=b"pile/broken.epub\n")
        self.assertEqual(told.returncode, 2)
        self.assertIn("cannot read", json.loads(told.stdout)["cause"])
        self.assertIn("line 1: cannot read", self.bad("seen", "c", stdin=b"pile/broken.epub\n"))
        self.put("broken.epub", whole)
        self.assertEqual(counts(json.loads(self.good("add", "--json", "c", "pile").splitlines()[-1])),
                         [1, 0, 0, 0, len(whole)])
        self.assertEqual(json.loads(self.good("info", "--json", "c"))["documents"], 1)

    def test_the_last_version_that_could_be_read_stays(self):
        """Marked, until there is a better one; that is told each time."""
        whole = (SOURCE / "tests/formats/letter.epub").read_bytes()
        broken = whole[:len(whole) // 2]
        counts = lambda done: [done["summary"][key] for key in ("added", "replaced", "unchanged", "removed", "problems")]
        state = lambda: [(os.path.basename(d["id"]), d["bytes"], d.get("outdated", False))
                         for d in map(json.loads, self.good("list", "--json", "c").splitlines())]
        def add(name, data):
            self.put(name, data)
            done = self.run_program("add", "--json", "c", "pile")
            self.assertIn(done.returncode, (0, 2), done.stderr)
            return list(map(json.loads, done.stdout.splitlines()))
        self.put("other.txt", text(1))
        self.assertEqual(counts(add("a.epub", whole)[-1]), [2, 0, 0, 0, 0])
        good = [("a.epub", len(whole), False), ("other.txt", len(text(1)), False)]
        self.assertEqual(state(), good)
        for cut in 2, 3:
            problem, summary = add("a.epub", whole[:len(whole) // cut])
            self.assertEqual(counts(summary), [0, 0, 1, 0, 1])
            self.assertRegex(problem["cause"], "; the version before it is kept$")
            self.assertEqual(state(), [("a.epub", len(whole), True), good[1]])
        self.assertIn(b"1 document changed since, and could not be read then", self.run_program("list", "c").stderr)
        self.assertEqual(json.loads(self.good("info", "--json", "c"))["documents"], 2)
        self.write("again.epub", whole)
        found = json.loads(self.good("query", "--json", "--no-edits", "c", "again.epub"))
        self.assertEqual((found["id"], found["source"]), (self.path("a.epub"), "changed"))
        self.assertEqual(counts(add("a.epub", whole)[-1]), [0, 0, 2, 0, 0])
        self.assertEqual(state(), good)
        add("a.epub", broken)
        self.assertEqual(counts(add("a.epub", text(2))[-1]), [0, 1, 1, 0, 0])
        self.assertEqual(state(), [("a.epub", len(text(2)), False), good[1]])

    def test_the_last_version_inside_an_archive_stays(self):
        whole = (SOURCE / "tests/formats/letter.epub").read_bytes()
        def pack(data):
            with zipfile.ZipFile(self.folder / "pile/a.zip", "w") as archive:
                archive.writestr("letter.epub", data)
                archive.writestr("b.txt", text(3))
            return self.run_program("add", "--json", "c", "pile")
        self.put("other.txt", text(1))
        pack(whole)
        before = set(self.documents())
        for _ in range(2):
            done = pack(whole[:len(whole) // 2])
            self.assertIn(b"; the version before it is kept", done.stdout)
            self.assertEqual(set(self.documents()), before)

    def test_ids_that_are_too_long(self):
        """Such a record goes by its line."""
        self.put("d.jsonl", json.dumps({"id": "x" * 70000, "text": text(1)}) + "\n" +
                 json.dumps({"id": "y", "text": text(2)}) + "\n")
        self.add()
        self.assertEqual(set(self.documents()), {self.path("d.jsonl") + ":1", self.path("d.jsonl") + ":y"})

    @unittest.skipIf(SANITIZED, "it takes long")
    def test_a_text_that_is_too_long_to_be_stored(self):
        letters = bytes(b"abcdefghijklmnopqrstuvwxyz0123456789 "[i % 37] for i in range(256))
        self.put("long.txt", os.urandom(220 << 20).translate(letters))
        self.put("short.txt", text(1))
        self.good("add", "--store-text", "--parts=minima", "--memory=16G", "--threads=1", "c", "pile")
        self.assertEqual(set(self.documents()), {self.path("long.txt"), self.path("short.txt")})

    def test_killed(self):
        """Wherever it is killed, adding again comes to the same."""
        lines = "".join(json.dumps({"id": i, "text": text(i, 60)}) + "\n" for i in range(1500))
        self.put("d.jsonl", lines)
        for i in range(40):
            self.put(f"{i}.txt", text(5000 + i))
        self.add(collection="whole")
        begin = time.monotonic()
        self.add(collection="timed")
        lasts = time.monotonic() - begin
        chance = random.Random(4)
        for _ in range(3 if SANITIZED else 12):
            child = subprocess.Popen([PROGRAM, "add", "-q", "c", "pile"], cwd=self.folder, stdout=subprocess.DEVNULL)
            time.sleep(chance.random() * lasts)
            child.kill()
            child.wait()
        self.add()
        self.assertEqual(self.documents(), self.documents("whole"))

    def test_killed_at_hundreds_of_moments(self):
        """Whatever it does: it is done or not, and nothing is damaged."""
        self.folder = Path(self.folder_in_memory())
        (self.folder / "pile").mkdir()
        for i in range(30):
            self.put(f"{i}.txt", text(i))
        self.add(collection="whole")
        self.good("backup", "whole", "c")
        all_of_them, chance, lasts = set(self.documents("whole")), random.Random(5), {}

        def merge(there):
            self.good("add", "-q", "--hamming-bits=400", "c")  # as many as the other has
            return ["merge", "-q", "c", "whole"], all_of_them

        deeds = {"add": lambda there: (["add", "-q", "c", "pile"], all_of_them),
                 "remove": lambda there: (["remove", "-q", "c", "*1.txt"], {id for id in there if not id.endswith("1.txt")}),
                 "merge": merge,
                 "resize": lambda there: (["add", "-q", f"--hamming-bits={8 * chance.randrange(8, 100)}", "c"], there),
                 "repair": lambda there: (["verify", "-q", "--repair", "c"], there)}
        there, killed = all_of_them, 0
        rounds = 20 if SANITIZED else some(300)
        for _ in range(rounds):
            name = chance.choice(list(deeds))
            command, becomes = deeds[name](there)
            begin = time.monotonic()
            child = subprocess.Popen([PROGRAM, *command], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                child.wait(timeout=chance.random() * lasts[name] if name in lasts else None)
                lasts[name] = min(lasts.get(name, 60), time.monotonic() - begin)
            except subprocess.TimeoutExpired:
                child.kill()
                killed += 1
            self.assertIn(child.wait(), (0, -signal.SIGKILL, *([1] if name == "remove" else [])), command)  # 1: there is none
            self.good("verify", "-q", "c")
            before, there = there, set(self.documents())
            self.assertIn(there, (before, becomes) if child.returncode < 0 else (becomes,), command)
        self.assertGreater(killed, rounds // 4)
        self.add()
        self.assertEqual(self.documents(), self.documents("whole"))

    def test_interrupted(self):
        """What was read by then is kept, also by the cache of a scan."""
        for i in range(300):
            self.put(f"{i}.txt", text(i, 200))
        # Thread sanitizer holds a signal back as long as its thread waits for a lock: there one thread has to do.
        threads = ["--threads=1"] if SANITIZED else []
        for name, command in ("added", "add -q added pile -"), ("cache", "scan -q --cache=cache pile -"):
            with subprocess.Popen([PROGRAM, *command.split(), *threads], cwd=self.folder, stdin=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL) as child:
                rests(child)
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.wait(timeout=60), 130)
            self.assertGreater(len(self.documents(name)), 0, command)
        self.add(collection="added")
        self.assertEqual(len(self.documents("added")), len(os.listdir(self.folder / "pile")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
