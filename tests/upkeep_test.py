#!/usr/bin/env python3
"""stemma verify, backup, export and merge as a user meets them."""
import ctypes
import fcntl
import json
import os
import shutil
import struct
import subprocess
import sys
import unittest
from pathlib import Path

from program import PROGRAM, Base, prose


class Upkeep(Base):
    def setUp(self):
        super().setUp()
        self.folder = Path(self.folder_in_memory())  # a repair is many syncs
        for i in range(6):
            self.write(f"docs/{i}.txt", " ".join(prose(80, i)))
        self.good("add", "--quiet", "c", "docs")

    def listed(self, collection):
        return self.good("list", collection).split()

    def flip(self, path, at):
        with open(self.folder / path, "r+b") as file:
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 4]))

    def files(self, collection):
        return sorted(p for p in (self.folder / collection).iterdir() if p.name != "lock")

    # ---- verify ----

    def test_sound(self):
        self.assertRegex(self.good("verify", "c"), r"^c: sound; 6 documents, .* read\n$")
        told = json.loads(self.good("verify", "--json", "c"))
        self.assertEqual((told["sound"], told["damages"], told["documents"]), (True, 0, 6))
        self.assertEqual(self.good("verify", "--quiet", "c"), "")

    def test_damage_is_told_and_repaired(self):
        names = self.listed("c")
        for path in self.files("c"):
            for part in range(8):
                shutil.copytree(self.folder / "c", self.folder / "d")
                self.flip(f"d/{path.name}", path.stat().st_size * part // 8 + 3)
                found = self.run_program("verify", "d")
                self.assertEqual(found.returncode, 1, found)
                self.assertIn("is damaged", found.stdout.decode())
                mended = self.run_program("verify", "--repair", "--json", "d")
                self.assertEqual(mended.returncode, 1)
                lines = [json.loads(line) for line in mended.stdout.decode().splitlines()]
                self.assertTrue(all("finding" in line for line in lines[:-1]))
                self.assertTrue(lines[-1]["repaired"])
                self.good("verify", "d")
                left = self.listed("d")
                self.assertEqual(len(left), 6 - lines[-1]["lost"])
                self.good("add", "--quiet", "d", "docs")  # reads again what is lost
                self.assertEqual(sorted(self.listed("d")), sorted(names))
                shutil.rmtree(self.folder / "d")

    def test_damage_is_no_missing_document(self):
        segment, codes = "d/00000001.segment", set()
        size = (self.folder / "c/00000001.segment").stat().st_size
        for part in range(24):
            shutil.copytree(self.folder / "c", self.folder / "d")
            self.flip(segment, size * part // 24 + 3)
            done = self.run_program("remove", "d", "docs/3.txt")
            self.assertNotIn(b"is not in the collection", done.stderr)
            codes.add(done.returncode)
            shutil.rmtree(self.folder / "d")
        self.assertEqual(codes, {0, 2})

    def test_manifest_lost(self):
        (self.folder / "c/manifest").unlink()
        self.assertIn("verify --repair", self.bad("add", "c", "docs"))
        self.assertEqual(self.run_program("verify", "--repair", "c").returncode, 1)
        self.assertEqual(len(self.listed("c")), 6)

    def test_not_a_collection(self):
        self.assertIn("not a collection", self.bad("verify", "docs"))
        self.assertIn("cannot open 'nothing'", self.bad("verify", "nothing"))

    def test_second_writer(self):
        with open(self.folder / "c/lock", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.truncate(0)
            lock.write("process 7 on host since today: stemma seen\n")
            lock.flush()
            told = self.bad("verify", "--repair", "c")
            self.assertIn("'c' is being written by process 7 on host since today: stemma seen", told)
            self.good("verify", "c")

    # ---- backup ----

    def test_backup(self):
        names = self.listed("c")
        for link in ([], ["--link"]):
            self.assertRegex(self.good("backup", *link, "c", "b"), r"^b: 6 documents, ")
            same = os.path.samefile(*(self.folder / folder / "00000001.segment" for folder in "cb"))
            self.assertEqual(same, bool(link))
            self.assertIn("exists", self.bad("backup", "c", "b"))
            self.good("remove", "--quiet", "b", names[0])
            self.assertEqual(self.listed("b"), names[1:])
            self.assertEqual(self.listed("c"), names)
            self.good("verify", "b")
            shutil.rmtree(self.folder / "b")

    def test_backup_that_fails_leaves_nothing(self):
        told = self.bad("backup", "c", "nowhere/b")
        self.assertIn("cannot create 'nowhere/b'", told)
        self.assertFalse((self.folder / "nowhere").exists())

    # ---- export and merge ----

    def test_there_and_back(self):
        self.good("export", "--output=x", "c")
        self.assertIn("exists", self.bad("export", "--output=x", "c"))
        self.good("export", "--force", "--output=x", "c")
        self.assertEqual(self.good("merge", "n", "x"), "x: 6 added, 0 replaced, 0 unchanged\n")
        self.assertEqual(self.listed("n"), self.listed("c"))
        told = json.loads(self.good("merge", "--json", "n", "c"))
        self.assertEqual(told, {"from": "c", "documents": 6, "added": 0, "replaced": 0, "unchanged": 6})
        self.write("docs/2.txt", " ".join(prose(80, 99)))
        self.good("add", "--quiet", "c", "docs")
        self.assertEqual(self.good("merge", "n", "c"), "c: 0 added, 1 replaced, 5 unchanged\n")
        self.assertEqual(self.good("merge", "--prefix=m:", "n", "c"), "c: 6 added, 0 replaced, 0 unchanged\n")
        self.assertEqual(sum(name.startswith("m:/") for name in self.listed("n")), 6)
        self.good("verify", "n")

    def test_damaged_export(self):
        self.good("export", "--output=x", "c")
        size = (self.folder / "x").stat().st_size
        whole = (self.folder / "x").read_bytes()
        for at in range(8, size, size // 40):
            self.flip("x", at)
            told = self.bad("merge", "n", "x")
            self.assertIn("'x' is", told)
            self.write("x", whole[:at])
            self.assertIn("'x' is damaged", self.bad("merge", "n", "x"))
            self.write("x", whole)
            self.assertFalse((self.folder / "n").exists())

    def test_a_folder_for_a_merge_that_fails(self):
        """It stays, and nobody else has the lock before all is gone."""
        self.good("export", "--output=x", "c")
        self.flip("x", (self.folder / "x").stat().st_size - 100)
        (self.folder / "e").mkdir()
        libc, at, seen = ctypes.CDLL(None), 0, []
        queue = libc.inotify_init1(os.O_NONBLOCK)
        self.addCleanup(os.close, queue)
        libc.inotify_add_watch(queue, os.fsencode(self.folder / "e"), 0x208)  # IN_DELETE, IN_CLOSE_WRITE
        self.assertIn("'x' is", self.bad("merge", "e", "x"))
        self.assertEqual(list((self.folder / "e").iterdir()), [])
        events = os.read(queue, 1 << 16)
        while at < len(events):
            mask, _, size = struct.unpack_from("III", events, at + 4)
            seen.append((mask, events[at + 16:at + 16 + size].rstrip(b"\0")))
            at += 16 + size
        self.assertLess(seen.index((0x200, b"manifest")), len(seen) - 1 - seen[::-1].index((8, b"lock")))

    def test_who_takes_the_beginning_of_an_export(self):
        for i in range(40):  # more than a pipe holds
            self.write(f"docs/more{i}.txt", " ".join(prose(4000, 100 + i)))
        self.good("add", "--quiet", "--store-text", "t", "docs")
        done = subprocess.run(f"set -o pipefail; {PROGRAM} export t | head -c 10 | wc -c", shell=True,
                              executable="/bin/bash", cwd=self.folder, capture_output=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"10\n", b""))

    def test_other_views(self):
        self.good("add", "--quiet", "--window=7", "w", "docs")
        self.assertIn("the recipes differ", self.bad("merge", "c", "w"))
        self.good("add", "--quiet", "--parts=minima", "p", "docs")
        self.assertIn("different parts", self.bad("merge", "c", "p"))

    def test_what_is_no_collection(self):
        self.write("text", "nothing of the sort")
        self.assertIn("neither a collection nor an export", self.bad("merge", "c", "text"))
        self.assertIn("'docs' is not a collection", self.bad("merge", "c", "docs"))
        self.assertIn("other things in it", self.bad("merge", "docs", "c"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
