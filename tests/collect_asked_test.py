#!/usr/bin/env python3
"""What a collection is asked and told by names and patterns: remove, list, info, known.

    collect_asked_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import json
import os
import random
import shutil
import sys
import unittest

from collecting import Collections, text
from containing import zipped


class Removing(Collections):
    def removed(self, *what):
        return json.loads(self.good("remove", "--json", "c", *what))["removed"]

    def test_what_is_inside_goes_with_the_file(self):
        self.put("d.jsonl", "".join(json.dumps({"id": i, "text": text(i)}) + "\n" for i in range(3)))
        self.put("z.zip", zipped(("a.txt", text(4)), ("b.txt", text(5))))
        self.put("d.jsonl.txt", text(6))
        self.add()
        self.assertEqual(self.removed("pile/d.jsonl"), 3)
        self.assertEqual(self.removed(self.path("z.zip"), "pile/d.jsonl.txt"), 4)
        self.assertEqual(self.documents(), {})
        self.assertEqual(self.run_program("remove", "c", "pile/d.jsonl").returncode, 2)
        self.assertEqual(self.counts(), (7, 0, 0, 0))

    def test_what_was_removed_is_not_counted(self):
        self.put("z.zip", zipped(("a.txt", text(4)), ("b.txt", text(5))))
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
        self.put("[1].zip", zipped(("a.txt", text(7)), ("b.txt", text(8))))
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
        self.put("x/z.zip", zipped(("p.txt", text(4)), ("q.txt", text(5))))
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
