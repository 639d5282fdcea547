#!/usr/bin/env python3
"""stemma verify, backup, export and merge as a user meets them."""
import ctypes
import fcntl
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from program import PROGRAM, SOURCE, Base, prose


class Upkeep(Base):
    def setUp(self):
        super().setUp()
        self.folder = Path(self.folder_in_memory())  # a repair is many syncs
        for i in range(6):
            self.write(f"docs/{i}.txt", " ".join(prose(80, i)))
        self.settle()
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

    def damage(self, collection, kind, share=0):
        """A bit of a part, in its first block or further on (docs/format.md, section 9)."""
        path = max((self.folder / collection).glob("*.segment"), key=lambda path: path.stat().st_size)
        data = path.read_bytes()
        count, = struct.unpack_from("<I", data, len(data) - 24)
        for entry in range(count):
            found, _, _, _, offset, size = struct.unpack_from("<IIIIQQ", data, len(data) - 72 - 32 * (count - entry))
            if found == kind:
                return self.flip(path.relative_to(self.folder), offset + 20 + int(size * share))
        self.fail(f"no part {kind}")

    def repaired(self, collection, *options):
        done = self.run_program("verify", "--repair", "--json", *options, collection)
        self.assertEqual(done.returncode, 1, done)
        lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
        self.assertTrue(lines[-1]["repaired"])
        self.good("verify", collection)
        return lines[-1], [line["finding"] for line in lines[:-1]]

    def exported(self, collection):
        return self.run_program("export", collection).stdout

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

    def test_members_that_are_lost_come_back(self):
        """Though the archive has not changed; those that are there are not counted as added."""
        (self.folder / "pile").mkdir()
        with zipfile.ZipFile(self.folder / "pile/z.zip", "w") as archive:
            for i in range(6):
                archive.writestr(f"{i}.txt", " ".join(prose(80, i)))
        os.utime(self.folder / "pile/z.zip", ns=(10 ** 18, 10 ** 18))
        self.good("add", "--quiet", "z", "pile")
        names, size = self.listed("z"), (self.folder / "z/00000001.segment").stat().st_size
        for part in range(1, 8):
            shutil.copytree(self.folder / "z", self.folder / "d")
            self.flip("d/00000001.segment", size * part // 8 + 3)
            self.assertEqual(self.run_program("verify", "--repair", "d").returncode, 1)
            left = self.listed("d")
            told = json.loads(self.good("add", "--json", "d", "pile").splitlines()[-1])["summary"]
            self.assertEqual((told["added"], told["replaced"], told["unchanged"]), (7 - len(left), 0, len(left)))
            self.assertEqual(self.listed("d"), names)
            shutil.rmtree(self.folder / "d")

    def damaged_and_repaired(self, collection, kinds, *options):
        """All rows are as they were, whichever part is damaged."""
        before = self.exported(collection)
        for kind in kinds:
            self.damage(collection, kind)
            summary, told = self.repaired(collection, *options)
            self.assertEqual(summary["lost"], 0, told)
            self.assertRegex(told[-1], r"^made again, from the text: what is kept of \d+ documents?$")
            self.assertEqual(self.exported(collection), before)

    RECORDS, MINIMA, WHOLE_SAMPLES, BITS, TEXT, SCAN_KEYS, SIGNATURE, SAMPLES = 2, 4, 5, 6, 11, 14, 17, 18

    def test_sketches_are_made_again(self):
        """From stored texts where the documents are gone, and from documents where no text is stored."""
        self.write("docs/none", "")
        self.write("docs/binary", bytes(range(256)) * 8)
        self.write("docs/records.jsonl", "".join(json.dumps({"text": " ".join(prose(90, 50 + i))}) + "\n" for i in range(5)))
        with zipfile.ZipFile(self.folder / "docs/z.zip", "w") as archive:
            archive.writestr("inside.txt", " ".join(prose(80, 40)))
        self.good("add", "--quiet", "--signature", "s", "docs")
        self.good("add", "--quiet", "--store-text", "--signature", "t", "docs")
        self.damaged_and_repaired("s", (self.MINIMA, self.SAMPLES, self.BITS, self.SIGNATURE))
        self.damaged_and_repaired("t", (self.TEXT,))
        shutil.rmtree(self.folder / "docs")
        self.damaged_and_repaired("t", (self.MINIMA, self.SAMPLES, self.BITS, self.SIGNATURE))

    def test_sketches_of_what_is_gone_are_lost(self):
        self.write("docs/3.txt", "something else")
        (self.folder / "docs/4.txt").unlink()
        self.damage("c", self.BITS)
        summary, told = self.repaired("c")
        lost = [line for line in told if line.startswith("lost: ")]
        self.assertEqual((summary["lost"], summary["documents"], len(lost)), (2, 4, 2))
        for line, name in zip(lost, ("3.txt", "4.txt")):
            self.assertRegex(line, rf"^lost: document \d+, '.*/docs/{name}'$")

    def lost(self, collection, share):
        """What is told of a block of records that is damaged: sixteen ids are in it."""
        self.damage(collection, self.RECORDS, share)
        summary, lines = self.repaired(collection)
        lost = [line.removeprefix("lost: ") for line in lines if line.startswith("lost: ")]
        self.assertEqual(len([line for line in lost if line.startswith("document ")]), summary["lost"])
        return lost

    def test_what_has_lost_its_name_is_found_by_its_neighbours(self):
        """By their numbers, or in their folder."""
        records = "".join(json.dumps({"id": f"n{i}", "text": " ".join(prose(40, i))}) + "\n" for i in range(40))
        for share, first, limit in (0, 0, 16), (.45, 16, 32), (.8, 32, 40):
            self.good("seen", "-q", "--jsonl", "n", stdin=records.encode())
            self.assertEqual(self.lost("n", share), [f"document {i}, 'n{i}'" for i in range(first, limit)])
            shutil.rmtree(self.folder / "n")
        for i in range(40):
            self.write(f"many/{'abcdefgh'[i % 8]}{'xyzuv'[i // 8]}.txt", " ".join(prose(40, i)))
        self.settle()
        self.good("add", "-q", "m", "many")
        lost = self.lost("m", .45)
        for line in lost:
            name, = re.findall(r"^document \d+, '(.*)'$", line)
            self.assertTrue(Path(name).is_file() and name not in self.listed("m"), line)
        self.good("add", "-q", "m", "many")
        self.assertEqual(len(self.listed("m")), 40)

    def test_what_has_lost_its_name_is_told_by_its_neighbour(self):
        ids = ["".join(random.Random(i).choices("abcdefgh", k=12)) for i in range(40)]
        records = "".join(json.dumps({"id": name, "text": " ".join(prose(40, i))}) + "\n" for i, name in enumerate(ids))
        self.good("seen", "-q", "--jsonl", "n", stdin=records.encode())
        lost = self.lost("n", .45)
        self.assertEqual(lost[-1], f"{len(lost) - 1} without an id, added next to '{ids[15]}'")

    def test_without_its_stored_text_a_document_is_kept(self):
        self.good("add", "--quiet", "--store-text", "t", "docs")
        shutil.move(self.folder / "docs", self.folder / "elsewhere")
        self.damage("t", self.TEXT)
        summary, told = self.repaired("t")
        self.assertEqual((summary["lost"], summary["documents"]), (0, 6))
        name, = (line.split("'")[1] for line in told if line.startswith("lost: the stored text of document "))
        self.assertEqual(len(list((self.folder / "t").glob("*.damaged"))), 1)
        sources = {}
        for path in sorted((self.folder / "elsewhere").iterdir()):
            match = json.loads(self.good("query", "--json", "t", path).splitlines()[0])
            sources[match["id"]] = match["source"]
        self.assertEqual(sources, {id: "gone" if id == name else "stored" for id in self.listed("t")})

    def test_without_its_signature_a_document_is_kept(self):
        self.good("add", "--quiet", "--signature", "s", "docs")
        names = self.listed("s")
        shutil.move(self.folder / "docs", self.folder / "elsewhere")
        (self.folder / "docs").mkdir()
        shutil.copy2(self.folder / "elsewhere/2.txt", self.folder / "docs/2.txt")  # one is still there
        self.damage("s", self.SIGNATURE)
        self.write("q.txt", " ".join(prose(80, 1)[:75]))
        self.assertIn("is damaged", self.bad("query", "s", "q.txt"))
        summary, told = self.repaired("s")
        self.assertEqual((summary["lost"], self.listed("s")), (0, names))
        self.assertEqual({line.split("'")[1] for line in told if line.startswith("lost: the signature of document ")},
                         {name for name in names if not name.endswith("2.txt")})
        match = json.loads(self.good("query", "--json", "s", "q.txt"))
        self.assertEqual((match["source"], match["edit"]["value"]), ("gone", None))
        self.assertIn("has no signature", match["edit"]["why"])

    def test_a_keyed_collection_takes_its_key(self):
        self.write("key", "sixteen bytes it needs, at the least")
        self.good("add", "--quiet", "--key=key", "k", "docs")
        self.damage("k", self.BITS)
        before = {path.name: path.read_bytes() for path in self.files("k")}
        done = self.run_program("verify", "--repair", "k")
        self.assertEqual((done.returncode, b"takes its key" in done.stderr), (2, True))
        self.assertEqual({path.name: path.read_bytes() for path in self.files("k")}, before)
        self.damage("k", self.BITS)  # and back
        self.damaged_and_repaired("k", (self.BITS, self.MINIMA), "--key=key")

    def test_a_cache_forgets_what_is_damaged(self):
        self.run_program("scan", "--quiet", "--cache=cache", "docs")
        self.damage("cache", self.SCAN_KEYS)
        summary, told = self.repaired("cache")
        self.assertGreater(summary["lost"], 0)
        self.assertEqual(sum(line.startswith("lost: document ") for line in told), summary["lost"])

    def test_lock_damaged(self):
        """What it says is for those who are refused: it is made again."""
        self.flip("c/lock", 0)
        self.assertIn("0 documents added", self.good("add", "c", "docs"))
        self.assertTrue((self.folder / "c/lock").read_text().startswith("process "))

    def test_nothing_is_written_into_a_collection(self):
        os.symlink("c/manifest", self.folder / "link")
        for arguments in (["export", "--force", "-oc/manifest", "c"], ["export", "--force", "-olink", "c"],
                          ["export", "-oc/new", "c"], ["backup", "c", "c/new"], ["scan", "--csv=c/new", "docs"],
                          ["sketch", "--force", "-oc/manifest", "docs/1.txt"], ["scan", "--report=c/new", "docs"]):
            self.assertIn("inside", self.bad(*arguments))
        self.good("verify", "c")

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

    def test_info_shows_damage_at_a_glance(self):
        """Of what is kept twice, and of the ends of parts; the rest is for verify."""
        self.assertRegex(self.good("info", "c"), r"\nhealth     nothing wrong at a glance; ")
        self.assertNotIn("damage", json.loads(self.good("info", "--json", "c")))
        size = (self.folder / "c/00000001.segment").stat().st_size
        for name, at in ("manifest", 40), ("manifest", -40), ("00000001.segment", size - 100):
            shutil.copytree(self.folder / "c", self.folder / "d")
            self.flip(f"d/{name}", at if at > 0 else (self.folder / "c/manifest").stat().st_size + at)
            self.assertRegex(self.good("info", "d"), rf"\nhealth     'd/{name}' is damaged: .*; 'stemma verify --repair'\n")
            self.assertIn("is damaged", json.loads(self.good("info", "--json", "d"))["damage"])
            self.assertEqual(self.run_program("verify", "--repair", "d").returncode, 1)
            self.assertIn("nothing wrong", self.good("info", "d"))
            shutil.rmtree(self.folder / "d")

    def test_one_copy_is_enough(self):
        """A manifest, and the table of a segment, stand twice: the first will do, wherever the file ends."""
        names = self.listed("c")
        size = (self.folder / "c/00000001.segment").stat().st_size
        for name, least in ("manifest", 0), ("00000001.segment", size - 72):
            whole = (self.folder / "c" / name).read_bytes()
            for cut in whole[:-1], whole[:-9], whole[:max(len(whole) // 2 + 1, least)], whole + b"x", whole + bytes(16):
                shutil.copytree(self.folder / "c", self.folder / "d")
                (self.folder / "d" / name).write_bytes(cut)
                self.assertEqual(self.listed("d"), names, (name, len(cut)))
                told = self.run_program("verify", "d")
                self.assertEqual(told.returncode, 1, told)
                self.assertIn(f"'d/{name}' is damaged: one of ", told.stdout.decode())
                self.assertEqual(self.repaired("d")[0]["lost"], 0)
                self.assertEqual(self.listed("d"), names)
                shutil.rmtree(self.folder / "d")

    def test_the_end_of_a_segment(self):
        """A bad sector there, or an end that is missing, takes what stood in it, and no document with a file."""
        names = self.listed("c")
        whole = (self.folder / "c/00000001.segment").read_bytes()
        for left in len(whole) - 2500, len(whole) * 2 // 3:
            for end in b"", bytes(len(whole) - left):
                shutil.copytree(self.folder / "c", self.folder / "d")
                (self.folder / "d/00000001.segment").write_bytes(whole[:left] + end)
                self.assertEqual(self.repaired("d")[0]["lost"], 0)
                self.assertEqual(self.listed("d"), names)
                shutil.rmtree(self.folder / "d")

    def test_what_was_removed_stays_so(self):
        """Nothing but one file knows of it, so it is there twice."""
        removed = self.listed("c")[0]
        self.good("remove", "--quiet", "c", removed)
        names = self.listed("c")
        gone, = (self.folder / "c").glob("*.gone")
        whole = gone.read_bytes()
        half = len(whole) // 2
        for broken in whole[:-1], whole[:half], bytes(half) + whole[half:], whole[:half] + bytes(half), whole + b"x":
            shutil.copytree(self.folder / "c", self.folder / "d")
            (self.folder / "d" / gone.name).write_bytes(broken)
            self.assertEqual(self.listed("d"), names)
            summary, told = self.repaired("d")
            self.assertIn(f"'d/{gone.name}' is damaged: one of its two copies", told)
            self.assertEqual((summary["lost"], self.listed("d")), (0, names))
            shutil.rmtree(self.folder / "d")

    def test_what_another_copy_removed(self):
        """Its file has the same name and size, and is refused all the same."""
        names = self.listed("c")
        shutil.copytree(self.folder / "c", self.folder / "d")
        for collection, name in ("c", names[0]), ("d", names[1]):
            self.good("remove", "--quiet", collection, name)
        mine, = (self.folder / "c").glob("*.gone")
        other = self.folder / "d" / mine.name
        self.assertEqual(mine.stat().st_size, other.stat().st_size)
        shutil.copy(other, mine)
        for command in ("list", "c"), ("add", "c", "pile"), ("verify", "c"):
            done = self.run_program(*command)
            self.assertNotEqual(done.returncode, 0, done)
            self.assertIn(b"not the file that the manifest names", done.stdout + done.stderr)

    def test_a_backup_of_what_is_damaged(self):
        """It is made, with the damage in it, and that is said."""
        for name, segment in ("blocks", None), ("table", -1), ("end", -9):
            shutil.copytree(self.folder / "c", self.folder / "d")
            if segment:
                path = self.folder / "d/00000001.segment"
                path.write_bytes(path.read_bytes()[:segment])
            else:
                self.damage("d", 2)
            done = self.run_program("backup", "d", f"b-{name}")
            self.assertEqual(done.returncode, 1, done)
            self.assertRegex(done.stderr.decode(), r"'d/00000001\.segment' is damaged.*\n.*the backup is made.*--repair")
            self.assertIn(f"b-{name}: 6 documents", done.stdout.decode())
            self.assertEqual(self.run_program("verify", f"b-{name}").returncode, 1)
            self.assertEqual(self.repaired(f"b-{name}")[1][0].replace(f"b-{name}/", "d/"),
                             done.stderr.decode().splitlines()[0].removeprefix("stemma: "))
            linked = json.loads(self.good("backup", "--json", "--link", "d", f"l-{name}"))
            self.assertNotIn("damaged", linked)
            told = self.run_program("backup", "--json", "d", f"j-{name}")
            self.assertEqual((told.returncode, json.loads(told.stdout)["damaged"]), (1, True))
            shutil.rmtree(self.folder / "d")
        self.assertNotIn("damaged", json.loads(self.good("backup", "--json", "c", "sound")))

    def test_damage_tells_the_way_out(self):
        """Wherever a repair may help, it is named; never for damage to what is none of the collection."""
        whole = self.exported("c")
        hint = "'stemma verify --repair d' mends what can be mended"
        for name in "manifest", "00000001.segment":
            for cut in 100, None:
                shutil.copytree(self.folder / "c", self.folder / "d")
                path = self.folder / "d" / name
                path.unlink() if cut is None else path.write_bytes(path.read_bytes()[:cut])
                if cut is not None or name != "manifest":
                    for command in ("list", "d"), ("info", "d"), ("query", "d", "docs"), ("add", "d", "docs"):
                        self.assertIn(hint, self.bad(*command), (name, cut))
                done = self.run_program("verify", "d")
                self.assertIn("; 'stemma verify --repair' mends", done.stdout.decode())
                shutil.rmtree(self.folder / "d")
        self.write("broken", whole[:-30])
        self.assertNotIn("--repair", self.bad("merge", "c", "broken"))
        self.assertNotIn("--repair", self.bad("query", "nothing", "docs"))

    def test_what_is_lost_is_of_the_collection(self):
        for i in range(6, 9):
            self.write(f"docs/{i}.txt", " ".join(prose(80, i)))
        self.good("add", "--quiet", "c", "docs")
        shutil.copytree(self.folder / "c", self.folder / "d")
        least = min((self.folder / "c").glob("*.segment"), key=lambda path: path.stat().st_size)
        least.write_bytes(b"")
        self.assertIn("lost: 3 documents, ids included, in damaged files of the collection itself",
                      self.repaired("c")[1])
        (self.folder / "d/manifest").unlink()
        (self.folder / "d" / least.name).unlink()
        self.assertIn("assumed: every document in the 1 file found belongs to the collection: its last commit is not known",
                      self.repaired("d")[1])

    def test_when_it_was_committed(self):
        """A copy has the time of the commit, not its own."""
        told = json.loads(self.good("info", "--json", "c"))["committed"]
        shutil.copytree(self.folder / "c", self.folder / "d")
        os.utime(self.folder / "d/manifest", (1, 1))
        self.assertEqual(json.loads(self.good("info", "--json", "d"))["committed"], told)
        self.good("backup", "--quiet", "c", "b")
        self.assertEqual(json.loads(self.good("info", "--json", "b"))["committed"], told)

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

    # ---- collections of an older format ----

    OLDER = (1, 2)

    def older(self, which):
        """What the program wrote once, for ever: records, and of some of them "plain" and "stored"."""
        for name in ("plain", "stored"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for line in (SOURCE / f"tests/golden/program-{which}.hex").read_text().splitlines():
            name, data = line.split()
            self.write(name, bytes.fromhex(data))
        return [json.loads(line) for line in (self.folder / "records.jsonl").read_text().splitlines()]

    def seen(self, collection, records, *options):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        self.good("seen", "-q", "--jsonl", *options, collection, stdin=lines.encode())

    def test_older_collections_are_asked(self):
        for which in self.OLDER:
            self.check_asked(self.older(which))

    def check_asked(self, records):
        for record in records:
            self.write("question", record["text"])
            there = {"plain": record["id"] != "record 1", "stored": record["id"] in ("record 0", "record 1")}
            for collection, via in [("plain", via) for via in ("auto", "bands", "samples", "scan", "g", "h", "mih")] + [("stored", "auto")]:
                done = self.run_program("query", "--json", "--contained=0", "-t.95", f"--via={via}", collection, "question")
                self.assertEqual(done.returncode, 0 if there[collection] else 1, (collection, via, done))
                if there[collection]:
                    match = json.loads(done.stdout)
                    self.assertEqual((match["id"], match["source"]), (record["id"], "gone" if collection == "plain" else "stored"))
            near = self.run_program("query", "--json", "--hamming", "-t.99", "plain", "question").stdout.splitlines()
            self.assertEqual([json.loads(line).get("distance") for line in near], [0 if there["plain"] else None])

    def test_older_rows_are_those_of_today(self):
        """To the last bit: collections of any age can be merged."""
        for which in self.OLDER:
            records, now = self.older(which), f"now-{which}"
            self.seen(now, records, "--parts=minima+samples+bits+groups", "--hamming-bits=128")
            self.assertEqual(self.good("merge", now, "plain"), "plain: 0 added, 0 replaced, 5 unchanged\n")
            self.assertEqual(self.good("merge", "plain", now), f"{now}: 1 added, 0 replaced, 5 unchanged\n")
            self.good("verify", "plain")

    def test_older_collections_grow(self):
        """As they were made: with whole samples, by which what is new is found, too."""
        for which in self.OLDER:
            self.older(which)
            more = [{"id": f"more {i}", "text": " ".join(prose(300, i))} for i in range(20)]
            for record in more:  # so that segments are merged
                self.seen("plain", [record])
            self.good("verify", "plain")
            self.write("question", " ".join(more[7]["text"].split()[20:250]))
            for via in ("auto", "samples", "scan"):
                found = self.good("query", "--json", "--contained=.9", f"--via={via}", "plain", "question")
                self.assertEqual(json.loads(found)["id"], "more 7")
            self.damage("plain", self.WHOLE_SAMPLES)
            self.assertEqual(self.run_program("verify", "plain").returncode, 1)

    def test_older_samples_become_short(self):
        """In a collection that is made like an older one, and in one that gets rows with short samples."""
        records = self.older(2)
        before = self.exported("plain")
        self.assertIn("plain: 5 added", self.good("merge", "like", "plain"))
        self.seen("now", records[:2], "--parts=minima+samples+bits+groups", "--hamming-bits=128")
        self.good("backup", "--quiet", "plain", "aside")
        self.good("merge", "--quiet", "plain", "now")
        for name in ("like", "plain"):
            self.good("verify", name)
            self.write("question", records[5]["text"])
            for via in ("auto", "samples", "scan"):
                found = self.good("query", "--json", "--contained=.9", f"--via={via}", name, "question").splitlines()
                self.assertEqual(sorted(json.loads(line)["id"] for line in found), ["record 4", "record 5"])
        self.assertEqual(self.good("merge", "aside", "like"), "like: 0 added, 0 replaced, 5 unchanged\n")
        self.assertNotEqual(self.exported("aside"), before)

    def test_older_collections_are_repaired(self):
        """From what was stored then."""
        for which in self.OLDER:
            self.older(which)
            self.damaged_and_repaired("stored", (self.MINIMA, self.WHOLE_SAMPLES, self.BITS))

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
        self.assertRegex(self.good("merge", "n", "x"), r"\An was made, .*\nx: 6 added, 0 replaced, 0 unchanged\n\Z")
        self.assertEqual(self.listed("n"), self.listed("c"))
        told = json.loads(self.good("merge", "--json", "n", "c"))
        self.assertEqual(told, {"from": "c", "documents": 6, "added": 0, "replaced": 0, "unchanged": 6})
        self.write("docs/2.txt", " ".join(prose(80, 99)))
        self.good("add", "--quiet", "c", "docs")
        self.assertEqual(self.good("merge", "n", "c"), "c: 0 added, 1 replaced, 5 unchanged\n")
        self.assertEqual(self.good("merge", "--prefix=m:", "n", "c"), "c: 6 added, 0 replaced, 0 unchanged\n")
        self.assertEqual(sum(name.startswith("m:/") for name in self.listed("n")), 6)
        self.good("verify", "n")

    def test_merge_from_a_pipe_makes_a_collection(self):
        exported = self.run_program("export", "c").stdout
        made = self.good("merge", "new", "-", stdin=exported)
        self.assertRegex(made, r"\Anew was made, preset=text .*\n-: 6 added, 0 replaced, 0 unchanged\n\Z")
        self.assertEqual(self.listed("new"), self.listed("c"))
        self.assertEqual(self.good("merge", "new", "-", stdin=exported), "-: 0 added, 0 replaced, 6 unchanged\n")
        for broken in (b"", b"junk", exported[:-100]):
            self.bad("merge", "other", "-", stdin=broken)
            self.assertFalse((self.folder / "other").exists())

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
        self.assertIn("the recipes differ: 'c' has 'window=5', the other one 'window=7'", self.bad("merge", "c", "w"))
        self.good("scan", "--quiet", "--cache=s", "docs")
        self.assertIn("the other one is the cache of a scan", self.bad("merge", "c", "s"))

    def merged(self, into, *others):
        """What is told of each, and what there is then: how each document is found, from what, and how far away it is."""
        told = [json.loads(self.good("merge", "--json", into, other)) for other in others]
        self.assertTrue(json.loads(self.good("verify", "--json", into).splitlines()[-1])["sound"])
        found = map(json.loads, self.good("query", "--json", "--no-edits", "-t", ".99", into, "docs").splitlines())
        return told, {(match["query"], match["relation"]) for match in found
                      if match.get("id", "").endswith("/" + match["query"])}

    def test_other_parts(self):
        """What both have is taken; what is lacking is made again, where it can be read."""
        self.write("more/one.txt", " ".join(prose(300, 1)))
        self.write("docs/none.txt", "")
        new = ["--store-text", "--signature", "--hamming-bits=1000"]
        names = {f"docs/{file.name}" for file in (self.folder / "docs").iterdir() if file.stat().st_size}
        kinds = {"plain": [], "stored": ["--store-text"], "signed": ["--signature-symbols=16"],
                 "bitless": ["--parts=minima+samples"], "bits": ["--parts=bits"], "later": new}
        for kind, parts in kinds.items():
            self.good("add", "--quiet", *parts, kind, "docs")
        for kind in kinds:
            self.good("add", "--quiet", *new, f"into-{kind}", "more")
            (told,), found = self.merged(f"into-{kind}", kind)
            self.assertEqual(found, {(name, "identical") for name in names}, kind)
            self.assertEqual(told.get("made_again", 0), len(names) if kind != "later" else 0, kind)
            self.assertEqual(told.get("bits_before"), 1000 if kind not in ("later", "bitless") else None)
            (again,), _ = self.merged(f"into-{kind}", kind)
            self.assertEqual((again["unchanged"], again.get("made_again")), (len(names) + 1, None), kind)
        self.good("add", "--quiet", "older", "more")
        (told,), _ = self.merged("older", "later")
        self.assertEqual((told["left_out"], told["added"]), (["texts", "signatures"], len(names) + 1))

    def test_other_parts_of_what_is_gone(self):
        self.write("more/one.txt", " ".join(prose(300, 1)))
        for kind, parts in {"plain": [], "stored": ["--store-text"], "bitless": ["--parts=minima+samples"],
                            "bits": ["--parts=bits"]}.items():
            self.good("add", "--quiet", *parts, kind, "docs")
            self.good("add", "--quiet", "--store-text", "--signature", f"into-{kind}", "more")
        (self.folder / "docs").rename(self.folder / "elsewhere")
        count = len(list((self.folder / "elsewhere").iterdir()))
        for kind, lacks in {"plain": ["text", "signature"], "stored": [], "bitless": ["text", "signature", "bits"]}.items():
            told = json.loads(self.good("merge", "--json", f"into-{kind}", kind))
            self.assertEqual({key for key in told if key.startswith("without")}, {f"without_{part}" for part in lacks})
            self.assertTrue(all(told[f"without_{part}"] == count for part in lacks))
            self.assertTrue(json.loads(self.good("verify", "--json", f"into-{kind}").splitlines()[-1])["sound"])
            self.assertEqual(json.loads(self.good("info", "--json", f"into-{kind}")).get("without_bits", 0),
                             count * ("bits" in lacks))
        self.assertIn("nor can", self.bad("merge", "into-bits", "bits"))
        self.assertEqual(json.loads(self.good("info", "--json", "into-bits"))["documents"], 1)
        (self.folder / "elsewhere").rename(self.folder / "docs")
        self.assertIn(f" {count} replaced", self.good("add", "into-bitless", "docs"))
        self.assertNotIn("without_bits", json.loads(self.good("info", "--json", "into-bitless")))

    def test_more_bits_than_can_be_made(self):
        """Where few documents are gone, the others get them; where most are, nothing changes."""
        paths = sorted((self.folder / "docs").iterdir())
        bits = lambda: json.loads(self.good("info", "--json", "c"))
        paths[0].rename(self.folder / "aside")
        done = self.run_program("add", "--hamming-bits=480", "c")
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"'{paths[0]}' cannot be read as it was added", done.stderr.decode())
        self.assertIn("1 document left without a fingerprint", done.stderr.decode())
        self.assertEqual(self.run_program("add", "--strict", "--hamming-bits=512", "c").returncode, 2)
        self.assertEqual((bits()["hamming_bits"], bits()["without_bits"]), (512, 1))
        asked = self.run_program("query", "--hamming", "--explain", "--json", "c", "aside")
        self.assertEqual(json.loads(asked.stdout.splitlines()[-1])["explain"]["without_bits"], 1)
        self.assertIn(b"1 document without a fingerprint cannot be found by it", asked.stderr)
        self.good("query", "--no-edits", "c", "aside")
        (self.folder / "aside").rename(paths[0])
        self.good("add", "--quiet", "c", "docs")
        self.assertNotIn("without_bits", bits())
        for path in paths[:len(paths) // 2 + 1]:
            path.unlink()
        self.assertIn("its fingerprints stay as they are", self.bad("add", "--hamming-bits=1024", "c"))
        self.assertEqual(bits()["hamming_bits"], 512)

    def test_a_manifest_that_is_missing(self):
        """Whoever asks is told, as whoever adds."""
        (self.folder / "c/manifest").unlink()
        for command in ("info", "c"), ("list", "c"), ("query", "c", "docs"), ("add", "c", "docs"), ("remove", "c", "x"):
            told = self.run_program(*command).stderr.decode()
            self.assertIn("'c' is damaged: its manifest is missing (stemma verify --repair)", told, command)

    def test_the_cache_of_a_scan(self):
        self.good("scan", "--quiet", "--cache=s", "docs")
        for command, what in ((("add", "s", "docs"), "documents"), (("query", "s", "docs"), "minima"),
                              (("known", "s", "docs"), "samples"), (("query", "--hamming", "s", "docs"), "Hamming")):
            told = self.run_program(*command).stderr.decode()
            self.assertIn(f"'s' is the cache of a scan, and keeps no {what}", told, command)

    def test_what_is_no_collection(self):
        self.write("text", "nothing of the sort")
        self.write("short", "no")
        self.write("empty", "")
        for name in "text", "short", "empty":
            self.assertIn("neither a collection nor an export", self.bad("merge", "c", name))
            self.assertIn("neither a collection nor an export", self.bad("merge", "new", name))
        self.assertIn("'docs' is not a collection", self.bad("merge", "c", "docs"))
        self.assertIn("other things in it", self.bad("merge", "docs", "c"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
