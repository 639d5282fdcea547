#!/usr/bin/env python3
"""Documents into a collection, as a user of the program meets it: what is new, known, changed, gone.

    collect_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

from collecting import LONG_AGO, Collections, text
from containing import zipped
from program import PROGRAM, SANITIZED


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
        self.put("z.zip", zipped(("m.txt", text(1))))
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
        self.put("z.zip", zipped(("m.txt", text(1))))
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

    def test_what_is_inside_files(self):
        self.put("z.zip", zipped(("a.txt", text(1)), ("b.txt", text(2))))
        self.put("d.jsonl", "".join(json.dumps({"id": f"r{i}", "text": text(10 + i)}) + "\n" for i in range(5)))
        self.assertEqual(self.counts(), (8, 0, 0, 0))
        zip_path, set_path = self.path("z.zip"), self.path("d.jsonl")
        inside = {zip_path, f"{zip_path}!/a.txt", f"{zip_path}!/b.txt"} | {f"{set_path}:r{i}" for i in range(5)}
        self.assertEqual(set(self.documents()), inside)
        self.put("z.zip", zipped(("b.txt", text(2)), ("c.txt", text(3))), age=1)
        self.put("d.jsonl", "".join(json.dumps({"id": f"r{i}", "text": text(10 + i)}) + "\n" for i in range(2, 7)), age=1)
        added, replaced, unchanged, removed = self.counts()
        self.assertEqual((added, replaced, unchanged, removed), (3, 1, 4, 3))
        info = json.loads(self.good("info", "--json", "c"))
        self.assertEqual((info["documents"], info["datasets"]), (8, 1))

    def test_a_member_that_was_removed_comes_back(self):
        """As files and records do."""
        self.put("z.zip", zipped(("a.txt", text(1)), ("b.txt", text(2)), ("c.txt", text(3))))
        self.add()
        documents = self.documents()
        self.good("remove", "-q", "c", "pile/z.zip!/b.txt")
        self.assertEqual(self.counts("--no-archives", "pile"), (0, 0, 3, 0))
        self.assertEqual(self.counts(), (1, 0, 3, 0))
        self.assertEqual(self.documents(), documents)
        self.assertEqual(self.opened(self.add, "z.zip"), set())

    def test_archives_are_looked_into_when_that_is_asked_for(self):
        self.put("z.zip", zipped(("a.txt", text(1))))
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
        content = {"txt": lambda: text(chance.randrange(50)), "zip": lambda: zipped(*parts.items()),
                   "jsonl": lambda: "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in parts.items()),
                   "bin": lambda: bytes(chance.randrange(256) for _ in range(300))}[kind]()
        self.put(str(path.relative_to(self.folder / "pile")), content, age=age)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
