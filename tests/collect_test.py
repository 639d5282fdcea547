#!/usr/bin/env python3
"""Documents into a collection and out of it, as a user of the program meets it: add, remove, list, info, seen.

    collect_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import bz2
import ctypes
import gzip
import io
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest
import zipfile
from pathlib import Path

from program import PROGRAM, SANITIZED, SOURCE, Base, prose, rests
from scan_same_test import some

LONG_AGO = 10 ** 18


def text(seed, count=120):
    return " ".join(prose(count, seed))


class Collections(Base):
    def setUp(self):
        super().setUp()
        (self.folder / "pile").mkdir()

    def put(self, name, content, age=0):
        self.write(f"pile/{name}", content)
        self.set_time(name, age)

    def set_time(self, name, age=0):
        """Old enough that nobody doubts it."""
        moment = LONG_AGO + age * 10 ** 9
        os.utime(self.folder / "pile" / name, ns=(moment, moment))

    def add(self, *arguments, collection="c"):
        lines = self.good("add", "--json", collection, *(arguments or ("pile",))).splitlines()
        return json.loads(lines[-1])["summary"]

    def counts(self, *arguments, **how):
        summary = self.add(*arguments, **how)
        return tuple(summary[key] for key in ("added", "replaced", "unchanged", "removed"))

    def documents(self, collection="c", keys=("bytes", "text_bytes", "shingles", "form")):
        lines = map(json.loads, self.good("list", "--json", collection).splitlines())
        return {line["id"]: tuple(line.get(key) for key in keys) for line in lines}

    def opened(self, act, *names):
        """Which of the files are opened by that."""
        libc, watches = ctypes.CDLL(None), {}
        queue = libc.inotify_init1(os.O_NONBLOCK)
        try:
            for name in names:
                watches[libc.inotify_add_watch(queue, os.fsencode(self.path(name)), 0x20)] = name  # IN_OPEN
            act()
            events = os.read(queue, 4096)
        except BlockingIOError:
            return set()
        finally:
            os.close(queue)
        return {watches[int.from_bytes(events[at:at + 4], sys.byteorder)] for at in range(0, len(events), 16)}

    def path(self, name):
        return str((self.folder / "pile" / name).resolve())


@unittest.skipIf(SANITIZED, "memory is that of sanitizers")
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


class Adding(Collections):
    def test_again(self):
        self.put("a.txt", text(1))
        self.put("b/c.txt", text(2))
        self.assertEqual(self.counts(), (2, 0, 0, 0))
        self.assertEqual(self.counts(), (0, 0, 2, 0))
        self.put("a.txt", text(3), age=1)
        self.assertEqual(self.counts(), (0, 1, 1, 0))
        (self.folder / "pile/b/c.txt").unlink()
        self.assertEqual(self.counts(), (0, 0, 1, 0))
        self.assertEqual(self.counts("--prune", "pile"), (0, 0, 1, 1))
        self.assertEqual(set(self.documents()), {self.path("a.txt")})

    def test_a_log_is_a_document_as_it_is_to_a_scan(self):
        self.put("app.jsonl", '{"level": "info", "code": 7}\n' * 30)
        self.put("a.txt", text(1))
        self.assertEqual((self.add()["added"], len(self.documents())), (2, 2))
        self.assertEqual(self.opened(self.add, "app.jsonl", "a.txt"), set())
        self.assertEqual(self.good("query", "--no-edits", "c", "pile").count("identical"), 2)

    def test_size_and_time_spare_the_reading(self):
        names = ("a.txt", "z.zip", "d.jsonl")
        self.put("a.txt", "a" * 1000)
        self.put("z.zip", self.zipped({"m.txt": text(1)}))
        self.put("d.jsonl", json.dumps({"id": 1, "text": text(2)}) + "\n")
        self.assertEqual(self.opened(self.add, *names), set(names))
        self.assertEqual(self.opened(self.add, *names), set())
        self.assertEqual(self.counts(), (0, 0, 4, 0))

    def test_another_file_of_the_same_size_and_time(self):
        self.put("a.txt", "a" * 1000)
        self.add()
        self.put("b.txt", "b" * 1000)
        os.replace(self.folder / "pile/b.txt", self.folder / "pile/a.txt")
        self.assertEqual(self.counts(), (0, 1, 0, 0))
        self.put("a.txt", "c" * 1000)
        self.assertEqual(self.counts(), (0, 1, 0, 0))

    def test_problems_of_others(self):
        """One whose name begins like it does not keep a file from being known."""
        self.put("z.zip", self.zipped({"m.txt": text(1)}))
        self.put("z.zip2", b"PK\3\4" + b"\0" * 100)
        add = lambda: self.run_program("add", "c", "pile")
        add()
        self.assertEqual(self.opened(add, "z.zip", "z.zip2"), {"z.zip2"})

    def test_encodings(self):
        self.put("a.txt", "Grüße und Küsse " * 20)
        self.put("d.jsonl", json.dumps({"id": 1, "text": text(2)}) + "\n")
        self.add()
        self.assertEqual(self.counts("--encoding=latin-1", "pile"), (0, 2, 0, 0))
        self.assertEqual(self.counts("--encoding=latin-1", "pile"), (0, 0, 2, 0))

    def test_same_bytes_at_another_time(self):
        self.put("a.txt", text(1))
        self.add()
        self.set_time("a.txt", age=5)
        self.assertEqual(self.counts(), (0, 0, 1, 0))
        self.assertEqual(self.opened(self.add, "a.txt"), set())  # now that time counts

    def test_just_written_files_are_looked_at_again(self):
        self.write("pile/a.txt", "a" * 1000)
        self.add()
        stat = (self.folder / "pile/a.txt").stat()
        self.write("pile/a.txt", "b" * 1000)
        os.utime(self.folder / "pile/a.txt", ns=(stat.st_mtime_ns, stat.st_mtime_ns))
        self.assertEqual(self.counts(), (0, 1, 0, 0))

    def test_collections_are_no_documents(self):
        """Those in folders are passed over, one that is named is told once; so with questions and scans."""
        self.put("a.txt", text(1))
        self.add("pile", collection="pile/other")
        self.put("folder/manifest", text(2))
        left_out = {name: f"left out '{{}}{name}': it is a collection" for name in ("own", "other")}
        for name, arguments, told in (("add", ("pile/own", "pile"), ""), ("add", ("pile/own", "pile"), ""),
                                      ("add", ("pile/own", "pile/other"), "other"),
                                      ("query", ("pile/own", "pile"), ""), ("known", ("pile/own", "pile"), ""),
                                      ("scan", ("--strict", "pile"), ""), ("scan", ("pile/own",), "own")):
            with self.subTest(name, arguments=arguments):
                run = self.run_program(name, *arguments)
                at = str((self.folder / "pile").resolve()) + "/" if name == "add" else "pile/"
                for other in left_out:
                    said = run.stderr.decode().count(left_out[other].format(at))
                    self.assertEqual(said, other in told.split(), run.stderr)
        self.assertEqual(set(self.documents("pile/own")), {self.path("a.txt"), self.path("folder/manifest")})

    def test_a_cache_is_no_document(self):
        self.put("a.txt", text(1))
        for _ in range(2):
            summary = json.loads(self.good("scan", "--json", "--cache=pile/cache", "pile").splitlines()[-1])["summary"]
            self.assertEqual((summary["documents"], summary["problems"]), (1, 0))

    def zipped(self, members):
        """What an archive of them is."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, content in members.items():
                archive.writestr(zipfile.ZipInfo(name), content)
        return out.getvalue()

    def test_what_is_inside_files(self):
        self.put("z.zip", self.zipped({"a.txt": text(1), "b.txt": text(2)}))
        self.put("d.jsonl", "".join(json.dumps({"id": f"r{i}", "text": text(10 + i)}) + "\n" for i in range(5)))
        self.assertEqual(self.counts(), (8, 0, 0, 0))
        zip_path, set_path = self.path("z.zip"), self.path("d.jsonl")
        inside = {zip_path, f"{zip_path}!/a.txt", f"{zip_path}!/b.txt"} | {f"{set_path}:r{i}" for i in range(5)}
        self.assertEqual(set(self.documents()), inside)
        self.put("z.zip", self.zipped({"b.txt": text(2), "c.txt": text(3)}), age=1)
        self.put("d.jsonl", "".join(json.dumps({"id": f"r{i}", "text": text(10 + i)}) + "\n" for i in range(2, 7)), age=1)
        added, replaced, unchanged, removed = self.counts()
        self.assertEqual((added, replaced, unchanged, removed), (3, 1, 4, 3))
        info = json.loads(self.good("info", "--json", "c"))
        self.assertEqual((info["documents"], info["datasets"]), (8, 1))

    def test_a_member_that_was_removed_comes_back(self):
        """As files and records do."""
        self.put("z.zip", self.zipped({"a.txt": text(1), "b.txt": text(2), "c.txt": text(3)}))
        self.add()
        documents = self.documents()
        self.good("remove", "-q", "c", "pile/z.zip!/b.txt")
        self.assertEqual(self.counts("--no-archives", "pile"), (0, 0, 3, 0))
        self.assertEqual(self.counts(), (1, 0, 3, 0))
        self.assertEqual(self.documents(), documents)
        self.assertEqual(self.opened(self.add, "z.zip"), set())

    def test_archives_are_looked_into_when_that_is_asked_for(self):
        self.put("z.zip", self.zipped({"a.txt": text(1)}))
        self.assertEqual(self.counts("--no-archives", "pile")[0], 1)
        self.assertEqual(self.counts()[0], 1)
        self.assertEqual(self.counts("--no-archives", "pile"), (0, 0, 2, 0))

    def test_fields_of_data_sets(self):
        self.put("d.jsonl", json.dumps({"id": 1, "text": text(1), "body": text(2)}) + "\n")
        self.assertEqual(self.counts(), (1, 0, 0, 0))
        self.assertEqual(self.counts("--text-field=body", "pile"), (0, 1, 0, 0))
        self.assertEqual(self.counts("--text-field=body", "pile"), (0, 0, 1, 0))

    def test_a_record_has_not_the_name_of_a_file(self):
        other = self.path("d.jsonl.txt")
        self.put("d.jsonl.txt", text(1))
        self.put("d.jsonl", json.dumps({"id": other, "text": text(2)}) + "\n")
        self.assertEqual(self.counts(), (2, 0, 0, 0))
        self.assertEqual(set(self.documents()), {other, self.path("d.jsonl") + ":" + other})

    def test_the_last_record_of_an_id_counts(self):
        """Whichever thread comes first, and when the data set is read again."""
        records = [{"id": i % 100, "text": text(i % 7, 300 + i // 100)} for i in range(2000)]
        for fresh in range(4):
            with self.subTest(fresh=fresh):
                self.put("d.jsonl", "".join(json.dumps(record) + "\n" for record in records), age=fresh)
                last = {self.path(f"d.jsonl:{record['id']}"): (len(record["text"]),) for record in records}
                summary = self.add("--threads=8", "pile")
                self.assertEqual((summary["added"], summary["replaced"], summary["unchanged"], summary["repeated"]),
                                 (100, 0, 0, 1900) if fresh == 0 else (0, 50, 50, 1900))
                self.assertEqual(self.documents(keys=("bytes",)), last)
                records[-50:] = [dict(record, text=record["text"] + f" {fresh}") for record in records[-50:]]

    @unittest.skipIf(SANITIZED, "many records")
    def test_the_last_record_of_an_id_counts_after_commits(self):
        """Where it stands so far behind another one that that was committed, and what was there before is gone."""
        between = "".join(f'{{"id":"{i}","text":""}}\n' for i in range(140000))
        last = "".join(json.dumps({"id": name, "text": text(name)}) + "\n" for name in "ab")
        first = last.replace(text("a"), text("c"))
        kept = {self.path(f"d.jsonl:{name}"): (len(text(name)),) for name in "ab"}
        for age, (content, counts) in enumerate([(last, (2, 0, 0, 0)), (first + between + last, (140000, 0, 2, 0)),
                                                 (last + between + first, (0, 1, 140001, 0))]):
            self.put("d.jsonl", content, age)
            self.assertEqual(self.counts("--parts=minima", "pile") if age == 0 else self.counts(), counts, age)
            kept[self.path("d.jsonl:a")] = (len(text("c" if age == 2 else "a")),)
            found = self.documents(keys=("bytes",))
            self.assertEqual({name: found[name] for name in kept}, kept)

    def test_paths_of_any_kind_are_the_same(self):
        self.put("a.txt", text(1))
        self.add()
        for path in ("./pile", str(self.folder / "pile"), "pile/../pile", "pile/a.txt"):
            self.assertEqual(self.counts(path), (0, 0, 1, 0), path)

    def test_paths_longer_than_the_system_names(self):
        """A file that two of them lead to is one document, also where they cannot be compared."""
        def enter():
            for _ in range(20):
                os.makedirs("d" * 250, exist_ok=True)
                os.chdir("d" * 250)
            os.makedirs("sub", exist_ok=True)
            with open("sub/x.txt", "w") as file:
                file.write(text(1))
        done = subprocess.run([PROGRAM, "add", "--json", self.path("c"), ".", "sub"], cwd=self.folder, preexec_fn=enter, capture_output=True)
        summary = json.loads(done.stdout)["summary"]
        self.assertEqual((summary["added"], summary["repeated"]), (1, 1))

    def test_standard_input(self):
        lines = "".join(json.dumps({"id": f"r{i}", "text": text(i)}) + "\n" for i in range(3)).encode()
        self.good("add", "c", "-", stdin=lines)
        self.assertEqual(set(self.documents()), {"r0", "r1", "r2"})
        self.assertIn("3 unchanged", self.good("add", "c", "-", stdin=lines))
        table = "text\tid\n" + "".join(f"{text(i)}\tr{i}\n" for i in range(1, 5))
        self.assertIn("2 documents added", self.good("add", "c", "-", stdin=table.encode()))
        self.assertIn("4 unchanged", self.good("add", "c", "-", stdin=table.replace("\t", ",").encode()))

    def test_listed(self):
        for name in ("a.txt", "b.txt", "c.txt"):
            self.put(name, text(name))
        self.good("add", "c", "--files-from=-", "-0", stdin=b"pile/a.txt\0pile/c.txt\0")
        self.assertEqual(set(self.documents()), {self.path("a.txt"), self.path("c.txt")})

    def test_threads_do_not_matter(self):
        for i in range(60):
            self.put(f"{i % 7}/{i}.txt", text(i, 20 + i))
        self.put("d.jsonl", "".join(json.dumps({"id": i, "text": text(100 + i)}) + "\n" for i in range(500)))
        self.add("--threads=1", "pile", collection="one")
        self.add("--threads=5", "--memory=1M", "pile", collection="five")
        self.assertEqual(self.documents("one"), self.documents("five"))
        listed = self.good("list", "one").splitlines()
        self.assertEqual(listed, sorted(listed))
        self.assertEqual(listed, self.good("list", "five").splitlines())

    def test_prune_stays_below_the_paths(self):
        for name in ("a/1.txt", "a/stays.txt", "ab/2.txt", "b/3.txt"):
            self.put(name, text(name))
        self.add()
        for name in ("a/1.txt", "ab/2.txt", "b/3.txt"):
            (self.folder / "pile" / name).unlink()
        self.assertEqual(self.counts("--prune", "pile/a")[3], 1)
        self.assertEqual(set(self.documents()), {self.path(name) for name in ("a/stays.txt", "ab/2.txt", "b/3.txt")})

    def test_what_is_no_file_any_more_is_pruned(self):
        for name in "abcd":
            self.put(name, text(ord(name)))
        self.add()
        for name in "abc":
            (self.folder / "pile" / name).unlink()
        (self.folder / "pile/a").mkdir()
        os.mkfifo(self.folder / "pile/b")
        os.symlink("d", self.folder / "pile/c")  # may be what is meant
        self.assertEqual(self.counts("--prune", "pile")[3], 2)
        self.assertEqual({os.path.basename(id) for id in self.documents()}, {"c", "d"})

    def test_an_empty_folder_is_no_reason_to_prune(self):
        """As the place of a disk is, while it is not mounted."""
        self.put("disk/1.txt", text(1))
        self.put("2.txt", text(2))
        self.add()
        (self.folder / "pile/disk/1.txt").unlink()
        done = self.run_program("add", "--prune", "c", "pile/disk", "pile/2.txt")
        self.assertIn(b"nothing below it was removed", done.stderr)
        self.assertIn(b"warning: nothing was removed below 1 path\n", done.stderr)
        self.assertNotIn(b"could not be read", done.stderr)
        self.assertEqual(len(self.documents()), 2)
        self.assertEqual(self.counts("--prune", "pile")[3], 1)

    def test_most_of_it_is_not_pruned_unasked(self):
        """A disk that is not mounted below a path with other files."""
        for i in range(120):
            self.put(f"disk/{i}.txt", text(i))
        for i in range(100):
            self.put(f"other/{i}.txt", text(200 + i))
        self.add()
        shutil.rmtree(self.folder / "pile/disk")
        done = self.run_program("add", "--prune", "c", "pile")
        self.assertIn(b"120 of the 220 documents", done.stderr)
        self.assertIn(b"--prune-all", done.stderr)
        self.assertEqual(len(self.documents()), 220)
        self.assertEqual(self.counts("--prune-all", "pile")[3], 120)
        for i in range(50):
            os.remove(self.folder / f"pile/other/{i}.txt")
        self.assertEqual(self.counts("--prune", "pile")[3], 50)

    def test_the_order_of_pruned_paths_does_not_matter(self):
        """A file belongs to the longest path above it."""
        for i in range(120):
            self.put(f"a/b/{i}.txt", text(i))
            self.put(f"a/{i}.txt", text(200 + i))
        self.put("a/b/stays.txt", text(400))
        self.add()
        for i in range(110):
            os.remove(self.folder / f"pile/a/b/{i}.txt")
        for paths in (("pile/a/b", "pile/a"), ("pile/a", "pile/a/b")):
            done = self.run_program("add", "--prune", "c", *paths)
            self.assertIn(b"110 of the 121 documents", done.stderr)
            self.assertEqual(len(self.documents()), 241)

    def test_a_path_that_is_not_there_is_no_reason_to_prune(self):
        self.put("a/1.txt", text(1))
        self.add()
        os.rename(self.folder / "pile", self.folder / "elsewhere")
        self.run_program("add", "--prune", "c", "pile")
        self.assertEqual(len(self.documents()), 1)

    def test_against_a_fresh_one(self):
        """Whatever happens to a folder, adding again comes to what a new collection would have."""
        chance = random.Random(6)
        for step in range(4 if SANITIZED else 12):
            for _ in range(6):
                self.change(chance, step)
            self.add("--prune", "pile")
            self.add(collection=f"fresh{step}")
            self.assertEqual(self.documents(), self.documents(f"fresh{step}"), f"step {step}")

    def change(self, chance, age):
        name = f"{chance.randrange(3)}/{chance.choice('abcdef')}"
        kind = chance.choice(("txt", "txt", "zip", "jsonl", "bin", "touch", "delete"))
        path = self.folder / "pile" / f"{name}.{kind}"
        if kind in ("touch", "delete"):
            there = sorted(p for p in (self.folder / "pile").rglob("*") if p.is_file())
            if there and kind == "delete":
                chance.choice(there).unlink()
            elif there:
                os.utime(chance.choice(there), ns=(LONG_AGO, LONG_AGO + age))
            return
        parts = {f"{i}.txt": text(chance.randrange(50), 40) for i in chance.sample(range(6), 3)}
        content = {"txt": lambda: text(chance.randrange(50)), "zip": lambda: self.zipped(parts),
                   "jsonl": lambda: "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in parts.items()),
                   "bin": lambda: bytes(chance.randrange(256) for _ in range(300))}[kind]()
        self.put(str(path.relative_to(self.folder / "pile")), content, age=age)


class Removing(Collections):
    def removed(self, *what):
        return json.loads(self.good("remove", "--json", "c", *what))["removed"]

    def test_what_is_inside_goes_with_the_file(self):
        self.put("d.jsonl", "".join(json.dumps({"id": i, "text": text(i)}) + "\n" for i in range(3)))
        self.put("z.zip", Adding.zipped(self, {"a.txt": text(4), "b.txt": text(5)}))
        self.put("d.jsonl.txt", text(6))
        self.add()
        self.assertEqual(self.removed("pile/d.jsonl"), 3)
        self.assertEqual(self.removed(self.path("z.zip"), "pile/d.jsonl.txt"), 4)
        self.assertEqual(self.documents(), {})
        self.assertEqual(self.run_program("remove", "c", "pile/d.jsonl").returncode, 2)
        self.assertEqual(self.counts(), (7, 0, 0, 0))

    def test_what_was_removed_is_not_counted(self):
        self.put("z.zip", Adding.zipped(self, {"a.txt": text(4), "b.txt": text(5)}))
        for i in range(20):
            self.put(f"{i}.txt", text(10 + i))
        self.add()
        self.assertEqual(self.removed(self.path("z.zip") + "!/a.txt"), 1)
        self.assertEqual(self.counts("--no-archives", "pile/z.zip"), (0, 0, 2, 0))

    def test_a_record_that_was_removed_is_added_again(self):
        self.put("d.jsonl", "".join(json.dumps({"id": i, "text": text(i)}) + "\n" for i in range(3)))
        self.add()
        self.assertEqual(self.removed(self.path("d.jsonl") + ":1"), 1)
        self.assertEqual(self.counts(), (1, 0, 2, 0))
        self.assertEqual(self.removed("*:2"), 1)
        self.assertEqual(self.counts(), (1, 0, 2, 0))


class Cached(Collections):
    """A scan with a cache prints what one without it does."""

    def scan(self, *options):
        lines = self.good("scan", "--json", *options, "pile").splitlines()
        return [line for line in lines if '"summary"' not in line]

    def fill(self):
        for i in range(40):
            words = prose(150, i % 25)
            words[i:i + 3] = ["other"] if i >= 25 else words[i:i + 3]
            self.put(f"{i % 4}/{i}.txt", " ".join(words))
        for name in ("copy.txt", "copy2.txt"):
            self.put(name, text(3, 150))
        self.put("empty.txt", "")
        for name in ("one.bin", "two.bin"):
            self.put(name, bytes(range(256)) * 9)
        self.put("z.zip", Adding.zipped(self, {"a.txt": text(4, 150)}))
        self.put("d.jsonl", json.dumps({"id": 1, "text": text(5, 150)}) + "\n")

    def test_same(self):
        self.fill()
        plain = self.scan()
        self.assertGreater(len(plain), 10)
        for options in ([], [], ["--threads=3"], ["-t.5"], ["-t.5"], ["--pairs"], ["--memory=1M"]):
            self.assertEqual(self.scan("--cache=k", *options), self.scan(*options), options)

    def test_changes(self):
        self.fill()
        self.scan("--cache=k")
        self.put("0/0.txt", text(7, 150), age=1)
        self.put("new.txt", text(8, 150), age=1)
        (self.folder / "pile/1/1.txt").unlink()
        os.rename(self.folder / "pile/copy.txt", self.folder / "pile/moved.txt")
        self.assertEqual(self.scan("--cache=k"), self.scan())

    def test_what_has_not_changed_is_not_read(self):
        """Nor is text that nothing resembles compared."""
        self.put("a.txt", text(1))
        self.put("b.txt", text(2))
        self.scan("--cache=k")
        self.assertEqual(self.opened(lambda: self.scan("--cache=k"), "a.txt", "b.txt"), set())
        self.put("b.txt", text(1)[:len(text(2))].ljust(len(text(2)), "x"))
        self.assertEqual(len(self.scan("--cache=k")), 1)

    def test_deleted_files_are_forgotten(self):
        self.fill()
        self.put("away/a.txt", text(9))
        (self.folder / "other").mkdir()
        self.write("other/b.txt", text(10))
        self.good("scan", "--cache=k", "pile", "other")
        known = set(self.documents("k"))
        for name in ("0/0.txt", "away/a.txt", "one.bin"):
            (self.folder / "pile" / name).unlink()
        (self.folder / "other/b.txt").unlink()
        self.scan("--cache=k", "--exclude=1/")
        self.assertEqual(known - set(self.documents("k")), {self.path(name) for name in ("0/0.txt", "away/a.txt", "one.bin")})

    def test_damage(self):
        self.fill()
        plain = self.scan()
        self.scan("--cache=k")
        times = 0
        for file in sorted(set((self.folder / "k").iterdir()) - {self.folder / "k/lock"}):
            good = file.read_bytes()
            for at in range(0, len(good), len(good) // 6 + 1):
                file.write_bytes(good[:at] + bytes([good[at] ^ 255]) + good[at + 1:])
                done = self.run_program("scan", "--json", "--cache=k", "pile")
                told = done.stderr.decode().splitlines()
                rest = [line for line in done.stdout.decode().splitlines() if '"summary"' not in line]
                self.assertEqual((done.returncode, rest), (0, plain), (file.name, at, told, done.stderr))
                self.assertTrue(all("deleted" in line for line in told), told)
                times += len(told)
            file.write_bytes(good)
        self.assertGreater(times, 3)

    def test_thresholds_in_turn(self):
        self.put("a.txt", text(1))
        for threshold in ("-t.4", "-t.8"):
            self.scan("--cache=k", threshold)
        for threshold in ("-t.4", "-t.8"):
            self.assertEqual(self.opened(lambda: self.scan("--cache=k", threshold), "a.txt"), set())
        self.assertEqual(self.opened(lambda: self.scan("--cache=k", "--encoding=latin-1"), "a.txt"), {"a.txt"})

    def test_views_and_other_collections(self):
        self.fill()
        self.scan("--cache=k")
        self.bad("scan", "--unit=char", "--cache=k", "pile", says="unit")
        self.add()
        self.bad("scan", "--cache=c", "pile", says="no cache")


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
        listed = self.run_program("list", "c")
        self.assertEqual((listed.returncode, listed.stdout, listed.stderr), (0, b"", b""))
        self.assertEqual(json.loads(self.good("info", "--json", "c"))["documents"], 0)
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


class Asked(Collections):
    def test_remove(self):
        for name in ("a.txt", "b.txt", "old/c.txt", "old/d.txt", "e.md"):
            self.put(name, text(name))
        self.add()
        self.assertEqual(self.good("remove", "c", "pile/a.txt"), "1 document removed\n")
        self.assertEqual(self.good("remove", "c", self.path("b.txt"), "old/"), "3 documents removed\n")
        done = self.run_program("remove", "c", "*.nothing")
        self.assertEqual((done.returncode, done.stdout), (1, b"0 documents removed\n"))
        self.assertIn(b"nothing in the collection matches '*.nothing'", done.stderr)
        self.assertEqual(set(self.documents()), {self.path("e.md")})
        self.assertIn("is not in the collection", self.run_program("remove", "c", "pile/x").stderr.decode())
        self.assertEqual(self.run_program("remove", "c", "pile/x", "pile/e.md").returncode, 2)
        self.assertEqual(self.documents(), {})
        self.assertEqual(self.counts()[0], 5)

    def test_no_match_is_the_answer_no(self):
        self.put("a.txt", text(1))
        self.add()
        self.assertEqual(self.run_program("list", "c", "*.none").returncode, 1)
        self.bad("list", "c", "*.none", code=1, says="nothing in the collection matches '\\*.none'")
        (self.folder / "pile/a.txt").unlink()
        told = self.run_program("add", "--prune", "c", "pile").stderr.decode()
        self.assertIn(f"no files were found in '{self.path('')}'", told)
        self.assertIn("stemma remove", told)

    def test_known_on_standard_input(self):
        """A file, or records, as of query."""
        binary = random.Random(1).randbytes(20000)
        self.put("a.bin", binary)
        self.put("empty", "")
        self.add("--preset=raw", "--unit=byte", "--window=20", "pile")
        self.assertRegex(self.good("known", "c", "-", stdin=binary), r"known +1  -  is identical to /.*/a\.bin")
        done = self.run_program("known", "c", "pile/empty")
        self.assertEqual(done.stderr, b"stemma: 1 empty\n")
        self.put("a.txt", text(1))
        self.add("pile/a.txt", collection="d")
        records = "\n".join(json.dumps(record) for record in ({"id": "x", "text": text(1)}, {"text": text(1)}))
        told = [json.loads(line) for line in self.good("known", "--json", "d", "-", stdin=records.encode()).splitlines()]
        self.assertEqual([(one["file"], one["verdict"]) for one in told], [("x", "known"), ("-:2", "known")])
        self.bad("known", "d", "-", "--files-from=-", says="only once")

    def test_ids_as_they_are_printed(self):
        """Each line of the list is taken, and so is the way from here to a member or a record."""
        names = ("line\nfeed.txt", "esc\x1b[1m.txt", "back\\x41.txt", b"lat\xe9in.txt".decode(errors="surrogateescape"))
        for i, name in enumerate(names):
            self.put(name, text(i))
        self.put("[1].zip", Adding.zipped(self, {"a.txt": text(7), "b.txt": text(8)}))
        self.put("d.jsonl", json.dumps({"id": "http://x.org/../y", "text": text(9)}) + "\n")
        self.add()
        for name in ("pile/[1].zip!/a.txt", "pile/d.jsonl:http://x.org/../y", "pile/line\\x0afeed.txt"):
            self.assertEqual(self.good("remove", "c", name), "1 document removed\n", name)
        left = self.good("list", "c").splitlines()
        self.assertEqual(len(left), 5)
        for line in sorted(left, reverse=True):  # members before their file
            self.assertEqual(self.good("remove", "c", line), "1 document removed\n", line)

    def test_folders_are_removed_by_name(self):
        for name in ("old/a.txt", "older/b.txt", "deep/old/c.txt", "o[l]d/d.txt", "gone/e.txt", "odd\nname"):
            self.put(name, text(name))
        self.add()
        shutil.rmtree(self.folder / "pile/gone")
        for folder in "old", "o[l]d", "gone":
            self.assertEqual(self.good("remove", "c", f"pile/{folder}"), "1 document removed\n")
        self.assertEqual(len(self.documents()), 3)
        names = self.good("list", "--print0", "c").encode()
        self.assertEqual(self.good("remove", "c", "--files-from=-", "-0", stdin=names), "3 documents removed\n")

    def test_everything_is_below_the_root(self):
        self.put("a.txt", text(1))
        self.add()
        self.assertEqual(self.good("remove", "c", "/"), "1 document removed\n")

    def test_what_is_gone_is_removed_by_any_way_to_it(self):
        ways = ("pile/{}", "./pile/{}", "pile/./{}", "pile/../pile//{}", "pile/{}/gone/..", "link/{}", "gone/../pile/{}/.",
                "pile/{}/", f"{self.folder}/./pile/{{}}", "../../../../../../../../../.." + str(self.folder) + "/pile/{}")
        for number in range(len(ways)):
            self.put(f"file{number}.txt", text(number))
            self.put(f"folder{number}/a.txt", text(-number - 1))
        self.add()
        os.symlink("pile", self.folder / "link")
        for number, way in enumerate(ways):
            os.unlink(self.folder / f"pile/file{number}.txt")
            shutil.rmtree(self.folder / f"pile/folder{number}")
            self.assertEqual(self.good("remove", "c", way.format(f"folder{number}")), "1 document removed\n", way)
            if not way.endswith("/"):  # a pattern, for folders
                self.assertEqual(self.good("remove", "c", way.format(f"file{number}.txt")), "1 document removed\n", way)
        self.good("remove", "--quiet", "c", "/..")
        self.bad("remove", "--quiet", "c", "/", "/..", ".", "../" * 5000, says="'/' is not in the collection")

    def test_a_name_takes_no_more_than_it_says(self):
        for name in ("sub/a.txt", "deep/sub/b.txt", "deep/subs/c.txt"):
            self.put(name, text(name))
        self.add()
        self.assertIn("'' names no document", self.bad("remove", "-q", "c", ""))
        self.assertEqual(len(self.documents()), 3)
        os.symlink("pile/sub", self.folder / "sub")
        self.assertEqual(self.good("remove", "c", "sub/"), "1 document removed\n")
        self.assertIn("'sub/' is not in the collection", self.bad("remove", "-q", "c", "sub/"))
        self.assertEqual(set(self.documents()), {self.path("deep/sub/b.txt"), self.path("deep/subs/c.txt")})
        os.unlink(self.folder / "sub")
        self.assertEqual(self.good("remove", "c", "sub/"), "1 document removed\n")

    def test_many_names(self):
        """Documents, folders in folders, and thousands of names of nothing."""
        for name in ("a.txt", "x/b.txt", "x/y/c.txt", "x/y/d.txt", "xy/e.txt"):
            self.put(name, text(name))
        self.put("x/z.zip", Adding.zipped(self, {"p.txt": text(4), "q.txt": text(5)}))
        self.add()
        unknown = [f"pile/x{i}" for i in range(3000)]
        names = "\n".join(["pile/x/b.txt", "pile/x/y", *unknown, "pile/x", "pile/x/y"])
        done = self.run_program("remove", "c", "--files-from=-", stdin=names.encode())
        self.assertEqual((done.returncode, done.stdout), (2, b"6 documents removed\n"))
        told = done.stderr.decode().splitlines()
        self.assertEqual(sorted(told), sorted(f"stemma: '{name}' is not in the collection" for name in unknown))
        self.assertEqual(set(self.documents()), {self.path("a.txt"), self.path("xy/e.txt")})

    def test_what_is_named_is_to_be_read(self):
        self.put("a.txt", text(1))
        os.symlink("nowhere", self.folder / "pile/dangling")
        for command in "scan", "add c", "known c":
            done = self.run_program(*command.split(), "pile", "missing")
            self.assertEqual(done.returncode, 2, command)
            self.assertIn(b"a.txt" if command == "known c" else b"1 document", done.stdout)
        self.good("add", "c", "pile")

    def test_bytes_of_what_is_replaced(self):
        self.put("a.txt", "x " * 500)
        self.add()
        self.put("a.txt", "y " * 700)
        self.assertEqual(self.good("add", "c", "pile"), "0 documents added, 1 replaced (1.4 KB), 0 unchanged, 0 removed\n")
        self.put("a.txt", "z " * 700)
        self.put("b.txt", "z " * 300)
        self.assertIn("1 document added, 1 replaced (2.0 KB together)", self.good("add", "c", "pile"))

    def test_patterns(self):
        for name in ("a.txt", "old/b.txt", "old/deep/c.txt", "older/d.md"):
            self.put(name, text(name))
        self.add()

        def listed(glob):
            return {line.split("/pile/")[1] for line in self.run_program("list", "c", glob).stdout.decode().splitlines()}
        self.assertEqual(listed("*.txt"), {"a.txt", "old/b.txt", "old/deep/c.txt"})
        self.assertEqual(listed("old/"), {"old/b.txt", "old/deep/c.txt"})
        self.assertEqual(listed("old/*.txt"), {"old/b.txt"})
        self.assertEqual(listed("old*/**"), {"old/b.txt", "old/deep/c.txt", "older/d.md"})
        self.assertEqual(listed(str((self.folder / "pile").resolve()) + "/old"), {"old/b.txt", "old/deep/c.txt"})
        self.assertEqual(listed("/old/"), set())

    def test_patterns_together(self):
        """A document that two of them match goes once, and both have matched."""
        for name in ("a.txt", "old/b.txt", "old/c.md", "d.md", "e.rst"):
            self.put(name, text(name))
        self.add()
        done = self.run_program("remove", "--json", "c", "*.txt", "old/", "*.none", "*.b?")
        self.assertEqual((done.returncode, json.loads(done.stdout)["removed"]), (1, 3), done.stderr)
        self.assertEqual(done.stderr.count(b"nothing in the collection matches"), 2)
        self.assertEqual(set(self.documents()), {self.path("d.md"), self.path("e.rst")})

    def test_what_is_kept(self):
        self.put("a.txt", text(1))
        self.good("add", "--parts=minima", "--store-text", "--unit=char", "--window=9", "c", "pile")
        info = json.loads(self.good("info", "--json", "c"))
        parts = {part["part"] for part in info["parts"]}
        self.assertTrue({"records", "minima", "bands", "texts"} <= parts and "samples" not in parts, parts)
        self.assertRegex(info["recipe"], "unit=char window=9")
        self.bad("add", "--unit=word", "c", "pile", says="unit=char")
        self.bad("add", "--store-text", "c", "pile", says="chosen when it was made")
        self.bad("add", "--hamming-bits=7", "d", "pile")
        self.assertFalse((self.folder / "d").exists())

    def test_bits_are_kept_where_their_number_is_said(self):
        self.put("a.txt", text(1))
        self.good("add", "--parts=minima", "--hamming-bits=64", "c", "pile")
        self.assertIn('"bits"', self.good("info", "--json", "c"))
        self.assertRegex(self.good("query", "--hamming", "c", "pile/a.txt"), "a.txt")

    def test_keys(self):
        self.put("a.txt", text(1))
        self.write("key", b"0123456789abcdef")
        self.write("other", b"another key of some length")
        self.good("add", "--key=key", "c", "pile")
        self.good("add", "--key=key", "c", "pile")
        self.bad("add", "--key=other", "c", "pile")
        self.bad("add", "c", "pile")
        self.good("list", "c")

    def test_wrong_use(self):
        self.bad("add", says="collection")
        self.bad("add", "c", says="file or folder")
        self.bad("list", "c", says="no such file")
        self.bad("info", says="one collection")
        self.bad("remove", "c", "x", says="no such file")
        self.write("file", "x")
        self.bad("add", "file", "file")
        (self.folder / "full").mkdir()
        self.write("full/x", "x")
        self.bad("list", "full")
        self.bad("list", "file", says="'file' is not a collection")
        self.bad("list", "", says="'' is not the name of a collection")
        self.assertFalse((self.folder / "c").exists())


class Seen(Collections):
    def start(self, *arguments):
        child = subprocess.Popen([PROGRAM, "seen", *arguments], cwd=self.folder, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL="C"))
        self.addCleanup(self.end, child)
        return child

    @staticmethod
    def end(child):
        for stream in (child.stdin, child.stdout, child.stderr):
            stream.close()
        child.wait(timeout=60)

    def tell(self, child, line):
        """The answer comes before the next line does."""
        child.stdin.write(line.encode() + b"\n")
        child.stdin.flush()
        self.assertTrue(select.select([child.stdout], [], [], 60)[0])
        return child.stdout.readline().decode().split()

    def test_verdicts(self):
        words = prose(300, 1)
        child = self.start("c")
        record = lambda name, some: json.dumps({"id": name, "text": " ".join(some)})
        self.assertEqual(self.tell(child, record("a", words)), ["new", "a"])
        answer = self.tell(child, record("b", words[:295]))
        self.assertEqual((answer[0], answer[2:]), ("near-duplicate", ["b", "->", "a"]))
        self.assertEqual(self.tell(child, record("a", words))[0], "identical")
        self.assertEqual(self.tell(child, record("c", words[:100]))[0], "contained")
        self.assertEqual(self.tell(child, record("d", prose(300, 2))), ["new", "d"])
        self.put("f.txt", " ".join(words))
        self.assertEqual(self.tell(child, "pile/f.txt")[0], "identical")
        self.assertEqual(self.tell(child, '{"id": "e", "text": ""}'), ["no", "text", "e"])
        child.stdin.write(b'{"id": \n{"id": "g", "text": "g"}{"id": "h", "text": "h"}\n{"id": "i", "text": "i"} i\nnothing\n')
        child.stdin.close()
        self.assertEqual(child.wait(timeout=60), 0)
        self.assertEqual(set(self.documents()), {"a", "b", "c", "d", "e", self.path("f.txt")})

    def test_names_as_they_came_in(self):
        self.put("a.bin", bytes(range(256)) * 9)
        self.put("b.bin", bytes(range(256)) * 9)
        lines = self.good("seen", "--json", "c", stdin=b"pile/a.bin\npile/b.bin\n").splitlines()
        first, second = map(json.loads, lines)
        self.assertEqual((first["given"], first["new"], first["relation"]), ("pile/a.bin", True, "unknown"))
        self.assertEqual((second["given"], second["id"], second["match"], second["relation"]),
                         ("pile/b.bin", self.path("b.bin"), self.path("a.bin"), "identical"))
        self.put("d.bin", bytes(range(256)) * 9)
        self.assertRegex(self.good("seen", "c", stdin=b"pile/d.bin\n"), r"identical +1  pile/d\.bin  ->  /.*/a\.bin")

    def test_estimates_are_marked(self):
        words = prose(300, 1)
        record = lambda name, some: json.dumps({"id": name, "text": " ".join(some)}).encode()
        self.good("seen", "c", stdin=record("a", words))
        self.assertRegex(self.good("seen", "c", stdin=record("b", words[:290])), r"near-duplicate +~\.\d+  b  ->  a")

    def test_seen_of_what_is_no_list(self):
        """A table, or compressed data, piped in by mistake is said once; names with commas are names."""
        rows = "".join(f"{number},some words\n" for number in range(1000))
        for table in "id,text\n" + rows, 'id;"text"\n' + rows, "id\ttext\n" + rows:
            self.assertEqual(self.bad("seen", "c", stdin=table.encode(), says="standard input is a table").count("\n"), 1)
        done = self.run_program("seen", "c", stdin=("id,body\n" + rows).encode())
        self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 10))
        self.assertEqual(self.bad("seen", "c", stdin=gzip.compress(rows.encode()), says="is compressed").count("\n"), 1)
        self.write("id,text", "some words")
        self.assertIn("new", self.good("seen", "c", stdin=b"id,text\n"))
        done = self.run_program("seen", "c", stdin=b"missing\n" + rows.encode())
        self.assertEqual(done.stderr.count(b"\n"), 1001)
        self.bad("seen", "c", stdin=bz2.compress(rows.encode()), says="is compressed")

    def test_names_that_look_like_something_else(self):
        """As long as no bytes say otherwise, a line is a name; and no table has NUL bytes."""
        self.write("BZhelp.txt", text(1))
        self.assertIn("new", self.good("seen", "c", stdin=b"BZhelp.txt\n"))
        gone = b"".join(b"Smith, John %d.txt\0" % number for number in range(12))
        done = self.run_program("seen", "-0", "c", stdin=b"notes,text\0" + gone + b"BZhelp.txt\0")
        self.assertEqual((done.returncode, done.stdout.split()[0], done.stderr.count(b"\n")), (0, b"identical", 13))

    def test_records_as_data_sets_have_them(self):
        """Ids with a NUL are none, and what is beside a text may be nested deep."""
        lines = [json.dumps({"id": f"a\0{number}", "text": text(number)}) for number in range(2)]
        nested = "[" * 500 + "]" * 500
        lines.append(f'{{"id": "deep", "beside": {nested}, "text": "{text(3)}"}}')
        self.good("seen", "c", stdin="\n".join(lines).encode())
        self.assertEqual(len(self.documents()), 3)
        self.assertIn("deep", self.documents())

    def test_quiet_is_not_silent_when_nothing_could_be_used(self):
        self.bad("seen", "-q", "c", stdin=b"missing\n", says="1 line could not be used")

    def test_commits_while_nothing_comes(self):
        child = self.start("c")
        self.tell(child, json.dumps({"id": "a", "text": text(1)}))
        for _ in range(600):
            if self.run_program("list", "c").stdout == b"a\n":
                break
            time.sleep(.1)
        self.assertEqual(set(self.documents()), {"a"})
        self.bad("add", "c", "pile", says=f"process {child.pid}")
        waiting = subprocess.Popen([PROGRAM, "add", "--wait", "c", "pile"], cwd=self.folder, stdout=subprocess.DEVNULL)
        rests(waiting)
        self.assertIsNone(waiting.poll())
        child.stdin.close()
        self.assertEqual(waiting.wait(timeout=60), 0)

    def test_one_id_twice(self):
        """Before a commit, the later one takes the place of its own match."""
        words = prose(300, 1)
        lines = [json.dumps({"id": "a", "text": " ".join(some)}) for some in (words, words, words[:295], words)]
        out = [json.loads(line) for line in self.good("seen", "--json", "c", stdin="\n".join(lines).encode()).splitlines()]
        self.assertEqual([(answer["relation"], answer.get("match")) for answer in out],
                         [("unrelated", None), ("identical", "a"), ("near-duplicate", "a"), ("near-duplicate", "a")])

    def test_replaced_before_the_commit(self):
        """What a document was is no answer any more once it has changed, and may be seen again."""
        old, new = text(1), text(2)
        self.good("seen", "-q", "c", stdin=json.dumps({"id": "a", "text": old}).encode())
        lines = [json.dumps({"id": name, "text": some}) for name, some in (("a", new), ("b", old), ("a", old))]
        out = [json.loads(line) for line in self.good("seen", "--json", "c", stdin="\n".join(lines).encode()).splitlines()]
        self.assertEqual([answer.get("match") for answer in out], [None, None, "b"])
        self.assertEqual(self.documents()["a"], self.documents()["b"])

    def test_naming_a_document_does_not_hide_it(self):
        """Also where what is known of its file could be written again."""
        self.put("a.txt", text(1))
        self.add()
        self.put("copy.txt", text(1))
        self.put("a.txt", text(1), age=5)
        lines = self.good("seen", "c", stdin=b"pile/a.txt\npile/copy.txt\n" + b"pile/a.txt\n" * 3).splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["identical"] * 5)

    def test_records_without_an_id(self):
        """Those of one run do not take the place of those of another."""
        record = lambda seed: json.dumps({"text": text(seed)}).encode()
        for command in (("seen", "--json", "c"), ("add", "-q", "d", "-")):
            answers = [self.good(*command, stdin=record(seed)) for seed in (1, 2, 1)]
            self.assertEqual(len(self.documents(command[-2] if command[-1] == "-" else command[-1])), 2)
            if command[0] == "seen":
                told = [json.loads(answer) for answer in answers]
                self.assertEqual([(one["given"], one["new"]) for one in told],
                                 [("-:1", True), ("-:1", True), ("-:1", False)])
                self.assertEqual(told[2]["match"], told[0]["id"])
        self.assertEqual(self.documents("c"), self.documents("d"))

    def test_what_was_answered_is_kept(self):
        """Whether it is interrupted, or nobody reads any more."""
        for name in ("interrupted", "unread"):
            child = self.start(name)
            for i in range(20):
                self.tell(child, json.dumps({"id": f"{i}", "text": text(i)}))
            if name == "unread":
                child.stdout.close()
                child.stdin.write(json.dumps({"id": "20", "text": text(20)}).encode() + b"\n")
                child.stdin.flush()
            else:
                child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(timeout=60), 130 if name == "interrupted" else 0)
            self.assertLessEqual({f"{i}" for i in range(20)}, set(self.documents(name)))

    def test_dry_run(self):
        self.put("a.txt", text(1))
        self.add()
        lines = f'{json.dumps({"id": "x", "text": text(1)})}\n{json.dumps({"id": "y", "text": text(2)})}\n' * 2
        out = self.good("seen", "--dry-run", "--json", "c", stdin=lines.encode())
        self.assertEqual([json.loads(line)["new"] for line in out.splitlines()], [False, True, False, True])
        self.assertEqual(len(self.documents()), 1)
        self.bad("seen", "--dry-run", "none", says="no such file")

    def test_many(self):
        """Each is found, whether it was committed or not."""
        texts = [prose(60, i) for i in range(300 if SANITIZED else 1500)]
        lines = [json.dumps({"id": f"{i}{half}", "text": " ".join(some if half == "a" else some[:-1] + ["end"])})
                 for half in "ab" for i, some in enumerate(texts)]
        out = [json.loads(line) for line in self.good("seen", "--json", "--jsonl", "--store-text", "c",
                                                      stdin="\n".join(lines).encode()).splitlines()]
        for answer in out:
            name = answer["id"]
            if name.endswith("a"):
                self.assertTrue(answer["new"], answer)
            else:
                self.assertEqual((answer.get("match"), answer["resemblance"]["exact"]), (name[:-1] + "a", True), answer)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
