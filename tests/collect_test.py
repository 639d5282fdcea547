#!/usr/bin/env python3
"""Documents into a collection and out of it, as a user of the program meets it: add, remove, list, info, seen.

    collect_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import ctypes
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

from program import PROGRAM, Base, prose, rests

SANITIZED = "STEMMA_SKIP_LARGE" in os.environ
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
        return {line["id"]: tuple(line[key] for key in keys) for line in lines}

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

    def test_paths_of_any_kind_are_the_same(self):
        self.put("a.txt", text(1))
        self.add()
        for path in ("./pile", str(self.folder / "pile"), "pile/../pile", "pile/a.txt"):
            self.assertEqual(self.counts(path), (0, 0, 1, 0), path)

    def test_standard_input(self):
        lines = "".join(json.dumps({"id": f"r{i}", "text": text(i)}) + "\n" for i in range(3)).encode()
        self.good("add", "c", "-", stdin=lines)
        self.assertEqual(set(self.documents()), {"r0", "r1", "r2"})
        self.assertIn("3 unchanged", self.good("add", "c", "-", stdin=lines))

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
        self.assertEqual(self.counts("pile/z.zip"), (0, 0, 2, 0))

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
                told = [line for line in done.stdout.decode().splitlines() if '"problem"' in line]
                rest = [line for line in done.stdout.decode().splitlines()
                        if '"summary"' not in line and '"problem"' not in line]
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
            return {line.split("/pile/")[1] for line in self.good("list", "c", glob).splitlines()}
        self.assertEqual(listed("*.txt"), {"a.txt", "old/b.txt", "old/deep/c.txt"})
        self.assertEqual(listed("old/"), {"old/b.txt", "old/deep/c.txt"})
        self.assertEqual(listed("old/*.txt"), {"old/b.txt"})
        self.assertEqual(listed("old*/**"), {"old/b.txt", "old/deep/c.txt", "older/d.md"})
        self.assertEqual(listed(str((self.folder / "pile").resolve()) + "/old"), {"old/b.txt", "old/deep/c.txt"})
        self.assertEqual(listed("/old/"), set())

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
        child.stdin.write(b'{"id": \nnothing\n')
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
