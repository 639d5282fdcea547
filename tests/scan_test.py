#!/usr/bin/env python3
"""`stemma scan` as a user meets it.     scan_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]"""
import base64
import csv
import gzip
import io
import json
import os
import pty
import pwd
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import PROGRAM, Base, limit_descriptors, prose, rests

DOCUMENT = {"id", "bytes", "modified", "owner", "uid"}
MEMBER = {"relation", "resemblance", "contained", "contains", "redundant", "parent"}
SUMMARY = {"documents", "bytes", "text_bytes", "empty", "binary", "containers", "contained", "problems", "repeated", "classes", "groups",
           "redundant", "redundant_bytes", "candidates", "verified", "resident_bytes", "cached_bytes", "spilled_bytes", "passed_over", "namesakes", "crowded", "damaged", "seconds",
           "seconds_reading", "seconds_matching", "seconds_verifying", "thresholds", "keep", "group", "recipe"}


class Scanning(Base):
    def scan(self, *arguments, code=0, says="", **how):
        done = self.run_program("scan", *arguments, **how)
        message = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, message)
        if says:
            self.assertRegex(message, says)
        else:
            self.assertEqual(message, "")
        return done.stdout.decode(errors="surrogateescape")

    def lines(self, *arguments, **how):
        return [json.loads(line) for line in self.scan("--json", *arguments, **how).splitlines()]

    def summary(self, *arguments, **how):
        return self.lines(*arguments, **how)[-1]["summary"]

    def groups(self, *arguments, **how):
        """{kept: {member: relation}}"""
        return {line["kept"]["id"]: {member["id"]: member["relation"] for member in line["members"]}
                for line in self.lines(*arguments, **how) if "group" in line}

    def redundant(self, *arguments, **how):
        return set(self.scan("--list-redundant", *arguments, **how).splitlines())

    @staticmethod
    def shown_on(terminal):
        """All that a terminal of ours showed, when nobody has it open any more."""
        shown = b""
        try:
            while piece := os.read(terminal, 65536):
                shown += piece
        except OSError:  # how a terminal says that there is no more
            pass
        os.close(terminal)
        return shown

    def on_terminal(self, *arguments):
        """What a terminal shows, and the exit code."""
        ours, theirs = pty.openpty()
        program = subprocess.Popen([PROGRAM, "scan", *arguments], cwd=self.folder, stdout=theirs, stderr=theirs,
                                   env=dict(os.environ, LC_ALL="C", NO_COLOR="1"))
        os.close(theirs)
        return self.shown_on(ours).decode().replace("\r\n", "\n"), program.wait(60)

    def pile(self):
        """One text in every relation that there is, and one of its own."""
        text = prose(2000, 1)
        for name in ("pile/a.txt", "pile/sub/b.txt"):
            self.write(name, " ".join(text))
        self.write("pile/c.txt", " ".join(text).upper())
        self.write("pile/near.txt", " ".join(text[:1900]))
        self.write("pile/part.txt", " ".join(text[500:800]))
        self.write("pile/other.txt", " ".join(prose(1000, 2)))
        return "pile"


class Groups(Scanning):
    def test_words(self):
        self.pile()
        text = self.scan("pile")
        size = {name: os.path.getsize(self.folder / "pile" / name) for name in ("a.txt", "near.txt", "part.txt")}
        self.assertRegex(text, r"\A6 documents, \d+\.\d KB in \d+\.\d\d s(, \d+ MB/s)?\n"
                               r"1 group: 4 documents, \d+\.\d KB \(\d\d %\) could be removed\n"
                               r"\ngroup 1: 5 documents, \d+\.\d KB could be removed\n")
        rows = [re.split(r" {2,}", row) for row in text.split("could be removed\n")[-1].splitlines()]
        self.assertEqual([[row[1], row[-1]] for row in rows],
                         [["kept", "pile/a.txt"], ["same text", "pile/c.txt"], ["identical", "pile/sub/b.txt"],
                          ["near-duplicate 94 %", "pile/near.txt"], ["contained 100 %", "pile/part.txt"]])
        self.assertEqual(rows[0][2], f"{size['a.txt'] / 1000:.1f} KB")
        names = [row.rindex("  ") for row in text.split("could be removed\n")[-1].splitlines()]
        self.assertEqual(len(set(names)), 1, "the names are aligned")

    def test_json(self):
        self.pile()
        group, summary = self.lines("pile")
        self.assertEqual(set(group), {"group", "kept", "redundant_bytes", "members"})
        self.assertEqual(set(group["kept"]), DOCUMENT)
        members = {member["id"]: member for member in group["members"]}
        for member in members.values():
            self.assertEqual(set(member), DOCUMENT | MEMBER)
            self.assertEqual(member["parent"], "pile/a.txt")
        self.assertEqual({name: member["relation"] for name, member in members.items()},
                         {"pile/sub/b.txt": "identical", "pile/c.txt": "same-text", "pile/near.txt": "near-duplicate",
                          "pile/part.txt": "contained"})
        near, part = members["pile/near.txt"], members["pile/part.txt"]
        self.assertAlmostEqual(near["resemblance"], 1896 / 1996)
        self.assertEqual((near["contained"], part["contained"]), (1, 1))
        self.assertAlmostEqual(part["contains"], 296 / 1996)
        facts = summary["summary"]
        self.assertEqual(set(facts), SUMMARY)
        self.assertEqual([facts[key] for key in ("documents", "problems", "groups", "redundant", "empty", "binary")],
                         [6, 0, 1, 4, 0, 0])
        self.assertEqual(facts["classes"], 4)
        self.assertEqual(facts["redundant_bytes"], sum(member["bytes"] for member in members.values()))
        self.assertEqual(facts["redundant_bytes"], group["redundant_bytes"])
        self.assertEqual(facts["thresholds"], {"resemblance": .7, "containment": .9})
        self.assertEqual((facts["keep"], facts["group"]), ("longest", "stars"))
        self.assertRegex(facts["recipe"], r"\Apreset=text unit=word window=5 [^;]*\Z")

    def test_facts_of_files(self):
        self.write("pile/a", "one two three four five six")
        self.write("pile/b", "one two three four five six")
        os.utime(self.folder / "pile/a", (0, 1_000_000_000))
        kept = self.lines("pile")[0]["kept"]
        self.assertEqual((kept["id"], kept["bytes"], kept["modified"]), ("pile/a", 27, "2001-09-09T01:46:40Z"))
        self.assertEqual((kept["uid"], kept["owner"]), (os.geteuid(), pwd.getpwuid(os.geteuid()).pw_name))

    def test_largest_saving_first(self):
        for name, count in (("small", 50), ("large", 5000), ("middle", 500)):
            for copy in "12":
                self.write(f"pile/{name}{copy}", " ".join(prose(count, count)))
        self.assertEqual(list(self.groups("pile")), ["pile/large1", "pile/middle1", "pile/small1"])

    def test_no_groups(self):
        self.write("one/a", " ".join(prose(100, 1)))
        self.write("one/b", " ".join(prose(100, 2)))
        text = self.scan("one")
        self.assertIn("2 documents", text)
        self.assertIn("no near-duplicates: no resemblance from .7, no containment from .9\n", text)
        self.assertIn("no resemblance from .8\n", self.scan("-t.8", "--contained=0", "one"))
        self.assertEqual(self.redundant("one"), set())

    def test_empty_tree(self):
        os.mkdir(self.folder / "bare")
        self.assertIn("no documents", self.scan("bare"))
        self.assertEqual(self.summary("bare")["documents"], 0)
        self.assertEqual(self.redundant("bare"), set())
        self.assertEqual(self.scan("--quiet", "bare"), "")

    def test_empty_short_and_binary(self):
        for name in ("pile/empty1", "pile/empty2"):
            self.write(name, b"")
        for name in ("pile/short1", "pile/short2"):
            self.write(name, "two words")
        for name in ("pile/binary1", "pile/binary2"):
            self.write(name, bytes(range(256)) * 20)
        self.assertEqual(self.groups("pile"), {"pile/binary1": {"pile/binary2": "identical"},
                                               "pile/short1": {"pile/short2": "identical"}})
        facts = self.summary("pile")
        self.assertEqual((facts["empty"], facts["binary"], facts["documents"]), (2, 2, 6))
        self.assertIn("\n2 empty, 2 without text (compared by their bytes alone)\n", self.scan("pile"))

    def test_percentages_are_not_rounded_up(self):
        text = prose(20000, 3)
        self.write("pile/a", " ".join(text))
        text[10000] = "other"
        self.write("pile/b", " ".join(text))
        self.assertIn("near-duplicate 99 %", self.scan("pile"))
        self.assertGreater(self.lines("pile")[0]["members"][0]["resemblance"], .999)

    def test_quiet(self):
        self.pile()
        text = self.scan("--quiet", "pile")
        self.assertEqual(text, self.scan("pile").split("\n\n", 1)[1])
        self.assertTrue(text.startswith("group 1: "))


class Judging(Scanning):
    def test_thresholds(self):
        self.pile()
        near, part = "pile/near.txt", "pile/part.txt"
        self.assertEqual({near, part} & self.redundant("pile"), {near, part})
        self.assertEqual({near, part} & self.redundant("--contained=0", "pile"), {near})
        self.assertEqual({near, part} & self.redundant("--contained=0", "-t", ".97", "pile"), set())
        self.assertEqual({near, part} & self.redundant("--threshold=.97", "pile"), {near, part})
        self.assertEqual(self.summary("-t.8", "--contained=.95", "pile")["thresholds"],
                         {"resemblance": .8, "containment": .95})

    def test_low_threshold(self):
        text = prose(1000, 5)
        self.write("pile/a", " ".join(text))
        self.write("pile/b", " ".join(text[:500] + prose(490, 6)))
        self.assertEqual(self.groups("--contained=0", "pile"), {})
        self.assertEqual(self.groups("--contained=0", "-t", ".3", "pile"), {"pile/a": {"pile/b": "near-duplicate"}})

    def test_nothing_is_removed_because_it_contains(self):
        text = prose(1000, 7)
        self.write("pile/memo", " ".join(text[:100]))
        self.write("pile/annex.txt", " ".join(text))
        self.assertEqual(self.groups("pile"), {"pile/annex.txt": {"pile/memo": "contained"}})
        self.assertEqual(self.groups("--keep=shortest-path", "pile"), {})

    def test_keep(self):
        text = prose(1000, 8)
        ages = {"pile/longer/path/long": 3, "pile/b": 1, "pile/sub/c": 5}
        for place, (name, age) in enumerate(ages.items()):
            self.write(name, " ".join(text[:1000 - 20 * place]))
            os.utime(self.folder / name, (0, age * 10 ** 9))
        for keep, kept in (("longest", "pile/longer/path/long"), ("newest", "pile/sub/c"), ("oldest", "pile/b"),
                           ("first", "pile/b"), ("shortest-path", "pile/b")):
            groups = self.groups("--contained=0", f"--keep={keep}", "pile")
            self.assertEqual({kept: set(ages) - {kept}}, {name: set(members) for name, members in groups.items()}, keep)
            self.assertEqual(self.summary(f"--keep={keep}", "pile")["keep"], keep)
        self.assertEqual(list(self.groups("--contained=0", "--keep=first", "pile/sub", "pile/b", "pile/longer")),
                         ["pile/sub/c"])

    def chain(self):
        text = prose(1300, 9)
        for name, begin in (("a", 0), ("b", 150), ("c", 300)):
            self.write(f"pile/{name}", " ".join(text[begin:begin + 1000]))
        return ["--contained=0", "--keep=first", "pile"]

    def test_group(self):
        chain = self.chain()
        stars = self.groups("--group=stars", *chain)
        self.assertEqual(stars, {"pile/a": {"pile/b": "near-duplicate"}})
        self.assertEqual(stars, self.groups(*chain))
        group, summary = self.lines("--group=components", *chain)
        self.assertEqual({member["id"]: member["relation"] for member in group["members"]},
                         {"pile/b": "near-duplicate", "pile/c": "related"})
        self.assertEqual(summary["summary"]["group"], "components")
        self.assertRegex(self.scan("--group=components", *chain), r"\n  related 53 % +\d+\.\d KB  pile/c\n")
        for how in ("first", "popular"):
            self.assertIn("pile/b", self.groups(f"--group={how}", *chain)["pile/a"])

    def test_cap(self):
        text = prose(500, 10)
        for number in range(30):
            self.write(f"pile/{number}", " ".join(text[:480] + prose(20, 100 + number)))
        self.assertEqual(len(self.redundant("pile")), 29)
        self.assertEqual(len(self.redundant("--cap=4", "pile")), 29)
        self.scan("--cap=0", "pile", code=2, says="not at least 1")

    def test_pairs_beyond_the_cap_are_said_to_be_missing(self):
        text = prose(500, 10)
        for number in range(30):
            self.write(f"pile/{number}", " ".join(text[:480] + prose(20, 100 + number)))
        self.write("pile/alone", " ".join(prose(500, 11)))
        whole, cut = self.lines("--pairs", "pile"), self.lines("--pairs", "--cap=4", "pile", says="warning: 30 texts .* may be missing")
        self.assertEqual((len(whole), whole[-1]["summary"]["crowded"]), (30 * 29 // 2 + 1, 0))
        self.assertLess(len(cut), len(whole))
        self.assertEqual(cut[-1]["summary"]["crowded"], 30)
        self.scan("--pairs", "--quiet", "--cap=4", "pile", says="warning: 30 texts")
        self.assertEqual(self.scan("--list-redundant", "--cap=4", "pile").count("\n"), 29)

    def test_views(self):
        self.pile()
        self.assertEqual(self.groups("--preset=raw", "--unit=byte", "pile")["pile/a.txt"].get("pile/c.txt"), None)
        self.assertNotIn("pile/c.txt", self.groups("--recipe=preset=code unit=word window=3", "pile")["pile/a.txt"])
        for options in (["--unit=line", "--window=1"], ["--unit=char", "--window=9"], ["--labelled"], ["--seed=5"],
                        ["--hash=rabin"], ["--width=40"], ["--fold=nfc+case"]):
            self.assertIn("pile/sub/b.txt", self.redundant(*options, "pile"), options)
        self.write("key", b"0123456789abcdef")
        self.assertEqual(self.groups("--key=key", "pile"), self.groups("pile"))
        self.assertIn("keyid=", self.summary("--key=key", "pile")["recipe"])

    def test_names_of_several_formats(self):
        self.write("pile/a.txt", " ".join(prose(300, 1)))
        self.write("pile/b.md", " ".join(prose(300, 1)))
        self.write("pile/c.bin", bytes(range(256)) * 40)
        self.write("pile/d.md", bytes(range(256)) * 40)
        self.assertEqual(self.groups("pile"), {"pile/a.txt": {"pile/b.md": "identical"},
                                               "pile/c.bin": {"pile/d.md": "identical"}})

    def test_large_documents(self):
        text = prose(200000, 1)
        self.write("pile/page.html", "<html><body><p>" + " ".join(text))
        for i in range(3):
            self.write(f"pile/{i}.txt", " ".join([str(i), *text]))
        expected = self.groups("--memory=1G", "--threads=1", "pile")
        self.assertEqual(len(expected), 1)
        for group in ("stars", "popular"):
            self.assertEqual(self.groups("--memory=32M", "--threads=9", f"--group={group}", "pile"), expected)

    def test_threads_and_memory_change_nothing(self):
        self.pile()
        expected = self.scan("--json", "pile").splitlines()[:-1]
        for options in (["--threads=1"], ["--threads=7"], ["--memory=1M"], ["--memory=1M", "--threads=3"]):
            self.assertEqual(self.scan("--json", *options, "pile").splitlines()[:-1], expected, options)


class Pairs(Scanning):
    def test_words(self):
        self.pile()
        head, *rows = self.scan("--pairs", "pile").splitlines()
        self.assertEqual(head.split(), "relation resemblance a in b b in a a, b".split())
        cells = [row.split() for row in rows]
        self.assertIn(["near-duplicate", ".949", ".949", "1", "pile/a.txt", "(+2)", "pile/near.txt"], cells)
        self.assertIn(["contains", ".148", ".148", "1", "pile/a.txt", "(+2)", "pile/part.txt"], cells)
        self.assertEqual({row[-1] for row in cells if row[1:4] == ["1", "1", "1"]}, {"pile/sub/b.txt", "pile/c.txt"})
        self.assertEqual(self.scan("--pairs", "--quiet", "pile").splitlines(), rows)

    def test_json(self):
        self.pile()
        *pairs, summary = self.lines("--pairs", "pile")
        self.assertEqual(set(summary["summary"]), SUMMARY)
        by_names = {(pair["a"], pair["b"]): pair for pair in pairs}
        near = by_names["pile/a.txt", "pile/near.txt"]
        self.assertEqual(set(near), {"a", "b", "relation", "resemblance", "a_in_b", "b_in_a", "a_copies"})
        self.assertEqual((near["relation"], near["b_in_a"], near["a_copies"]), ("near-duplicate", 1, 3))
        self.assertAlmostEqual(near["resemblance"], 1896 / 1996)
        self.assertEqual(by_names["pile/a.txt", "pile/part.txt"]["relation"], "contains")
        self.assertEqual(by_names["pile/near.txt", "pile/part.txt"]["relation"], "contains")
        self.assertEqual((by_names["pile/a.txt", "pile/sub/b.txt"]["relation"],
                          by_names["pile/a.txt", "pile/c.txt"]["relation"]), ("identical", "same-text"))
        self.assertEqual(len(pairs), 5)

    def test_nobody_reads(self):
        text = prose(300, 11)
        for number in range(60):
            self.write(f"pile/{number}", " ".join(text + prose(3, number)))
        for options in (["--pairs"], ["--json", "--pairs"], ["--json"], ["--list-redundant"], []):
            program = subprocess.Popen([PROGRAM, "scan", *options, "pile"], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            program.stdout.close()
            self.assertEqual(program.stderr.read(), b"")
            self.assertEqual(program.wait(60), 0)
            program.stderr.close()

    def test_nobody_reads_what_is_filtered(self):
        self.write("set.jsonl", "".join(json.dumps({"id": number, "text": " ".join(prose(300, number))}) + "\n" for number in range(200)))
        program = subprocess.Popen([PROGRAM, "scan", "--filter=-", "set.jsonl"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        program.stdout.close()
        self.assertEqual((program.stderr.read(), program.wait(60)), (b"", 0))
        program.stderr.close()
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "scan", "--filter=-", "set.jsonl"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3)

    def test_disk_full(self):
        self.pile()
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "scan", "--pairs", "pile"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"cannot write to standard output: no space left", done.stderr)


class Lists(Scanning):
    def test_list_redundant(self):
        self.pile()
        self.assertEqual(self.scan("--list-redundant", "pile"),
                         "pile/c.txt\npile/sub/b.txt\npile/near.txt\npile/part.txt\n")
        self.assertEqual(self.scan("--list-redundant", "--print0", "pile").split("\0"),
                         ["pile/c.txt", "pile/sub/b.txt", "pile/near.txt", "pile/part.txt", ""])

    def test_names_are_made_safe(self):
        text = " ".join(prose(100, 12)).encode()
        names = [b"pile/evil\x1b[2J", b"pile/line\nbreak", b"pile/latin-\xe9", b"pile/a"]
        os.mkdir(self.folder / "pile")
        for name in names:
            with open(os.fsencode(self.folder) + b"/" + name, "wb") as file:
                file.write(text)
        for options in ([], ["--pairs"], ["--list-redundant"]):
            shown = self.scan(*options, "pile")
            self.assertNotIn("\x1b", shown)
            self.assertIn("pile/line\\x0abreak", shown)
            self.assertIn("pile/latin-\\xe9", shown)
        listed = self.scan("--list-redundant", "--print0", "pile").encode(errors="surrogateescape")
        self.assertEqual(set(listed.split(b"\0")), set(names) - {b"pile/a"} | {b""})
        members = self.lines("pile")[0]["members"]
        found = {base64.b64decode(m["id_bytes"]) if "id_bytes" in m else m["id"].encode() for m in members}
        self.assertEqual(found, set(names) - {b"pile/a"})
        odd, = [member for member in members if "id_bytes" in member]
        self.assertEqual(odd["id"], "pile/latin-\ufffd")

    def test_the_original_is_kept(self):
        """Copies are in folders, or have longer names."""
        names = ["lease final.txt", "lease final (copy).txt", "backup/lease.txt", "old/lease.txt", "a/b/c.txt"]
        for name in names:
            self.write(f"pile/{name}", " ".join(prose(100, 1)))
        self.write("pile/a.jsonl", "".join(json.dumps({"id": name, "text": " ".join(prose(100, 2))}) + "\n" for name in ("b/cc", "c", "b/d")))
        for options in [], ["--threads=1"]:
            groups = {line["kept"]["id"]: [member["id"] for member in line["members"]] for line in self.lines(*options, "pile") if "group" in line}
            self.assertEqual(groups, {f"pile/{names[0]}": [f"pile/{name}" for name in names[1:]], "b/cc": ["b/d", "c"]})

    def test_boilerplate(self):
        licence = prose(400, 13)
        for number in range(20):
            self.write(f"pile/{number:02}", " ".join(prose(200, 200 + number) + licence + prose(200, 300 + number)))
        passage, summary = self.lines("--boilerplate", "pile")
        self.assertEqual(set(passage), {"passage", "documents", "tokens", "text", "example", "offset"})
        self.assertEqual((passage["passage"], passage["documents"]), (1, 20))
        self.assertEqual(passage["text"].split(), licence)
        self.assertEqual(passage["tokens"], 400)
        content = (self.folder / passage["example"]).read_text()
        self.assertTrue(content[passage["offset"]:].startswith(passage["text"]))
        self.assertEqual(summary["summary"]["documents"], 20)
        text = self.scan("--boilerplate", "pile")
        self.assertLess(max(map(len, text.splitlines())), 320)
        self.assertNotIn("no near-duplicates", text)
        self.assertIn(f"20 documents, 400 words, such as {passage['example']} at byte", text)
        self.assertIn("  " + " ".join(licence[:20]), text)
        self.write("lonely/a", " ".join(prose(300, 1)))
        self.assertTrue(self.scan("--boilerplate", "lonely").endswith("\n\nno passage that many documents share\n"))

    def test_boilerplate_is_said_once(self):
        """Documents made of some of thirty clauses: no passage is part of another that as many have."""
        clauses = [prose(40, 1000 + number) for number in range(30)]
        chance = random.Random(1)
        for number in range(40):
            words = prose(50, 200 + number)
            for clause in clauses:
                words += clause if chance.random() < .6 else prose(5, chance.randrange(10**9))
            self.write(f"pile/{number:02}", " ".join(words))
        *passages, _ = self.lines("--boilerplate", "pile")
        self.assertGreater(len(passages), 5)
        for number, passage in enumerate(passages):
            for heavier in passages[:number]:
                if passage["documents"] <= heavier["documents"]:
                    self.assertNotIn(passage["text"], heavier["text"])
        self.check_holders(passages)

    def check_holders(self, passages):
        """Each is counted by the documents that hold all of it."""
        contents = [f" {file.read_text()} " for file in (self.folder / "pile").iterdir()]
        for passage in passages:
            self.assertEqual(passage["documents"], sum(f" {passage['text'].strip()} " in c for c in contents))

    def test_part_of_boilerplate_that_more_documents_have(self):
        """Six have all of three clauses, 34 others one of them; those six are the longest."""
        before, clause, after = prose(300, 1), prose(150, 2), prose(300, 3)
        for number in range(60):
            shared = before + clause + after if number < 6 else clause if number < 40 else []
            self.write(f"pile/{number:02}", " ".join(prose(100, 200 + number) + shared + prose(100, 300 + number)))
        *passages, _ = self.lines("--boilerplate", "pile")
        self.assertEqual([(passage["documents"], passage["text"].split()) for passage in passages],
                         [(40, clause), (6, before + clause + after)])
        self.check_holders(passages)


class Owners(Scanning):
    def test_one_owner_has_no_column(self):
        self.pile()
        self.assertRegex(self.scan("pile"), r"kept +\d+\.\d KB  pile/a.txt\n")

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_several(self):
        self.pile()
        other = pwd.getpwnam("daemon")
        os.chown(self.folder / "pile/c.txt", other.pw_uid, -1)
        os.chown(self.folder / "pile/near.txt", 54321, -1)
        text = self.scan("pile")
        self.assertRegex(text, r"kept +\d+\.\d KB  root    pile/a.txt\n")
        self.assertRegex(text, r"same text +\d+\.\d KB  daemon  pile/c.txt\n")
        self.assertRegex(text, r"near-duplicate 94 % +\d+\.\d KB  54321   pile/near.txt\n")
        members = {member["id"]: member for member in self.lines("pile")[0]["members"]}
        self.assertEqual((members["pile/c.txt"]["owner"], members["pile/c.txt"]["uid"]), ("daemon", other.pw_uid))
        self.assertEqual(members["pile/near.txt"]["uid"], 54321)
        self.assertNotIn("owner", members["pile/near.txt"])


class Input(Scanning):
    def names(self, *arguments, **how):
        """All copies of one text: which were read."""
        groups = self.groups("--keep=first", *arguments, **how)
        return {name for kept, members in groups.items() for name in [kept, *members]}

    def copies(self, *names):
        for name in names:
            self.write(name, " ".join(prose(100, 14)))

    def test_globs(self):
        self.copies("d/a.txt", "d/b.txt", "d/c.md", "d/sub/d.txt", "d/sub/e.md")
        self.assertEqual(self.names("--include=*.txt", "d"), {"d/a.txt", "d/b.txt", "d/sub/d.txt"})
        self.assertEqual(self.names("--include=*.md", "--include", "a.*", "d"), {"d/a.txt", "d/c.md", "d/sub/e.md"})
        self.assertEqual(self.names("--exclude=*.txt", "d"), {"d/c.md", "d/sub/e.md"})
        self.assertEqual(self.names("--exclude=sub", "--exclude=c.md", "d"), {"d/a.txt", "d/b.txt"})
        self.assertEqual(self.names("--include=*.txt", "--exclude=b.txt", "d"), {"d/a.txt", "d/sub/d.txt"})

    def test_hidden(self):
        self.copies("d/a", "d/b", "d/.c", "d/.git/d")
        self.assertEqual(self.names("d"), {"d/a", "d/b"})
        self.assertEqual(self.names("--hidden", "d"), {"d/a", "d/b", "d/.c", "d/.git/d"})
        self.assertEqual(self.names("d", "d/.c"), {"d/a", "d/b", "d/.c"})

    def test_ignore_file(self):
        self.copies("d/a", "d/b", "d/c.log", "d/build/d")
        self.write("d/.stemmaignore", "*.log\nbuild/\n")
        self.assertEqual(self.names("d"), {"d/a", "d/b"})
        self.assertEqual(self.names("--no-ignore", "d"), {"d/a", "d/b", "d/c.log", "d/build/d"})

    def test_links(self):
        self.copies("d/a", "d/b", "elsewhere/c")
        os.symlink("../elsewhere", self.folder / "d/link")
        os.symlink("..", self.folder / "d/loop")
        os.symlink("missing", self.folder / "d/dangling")
        self.assertEqual(self.names("d"), {"d/a", "d/b"})
        followed = self.names("--follow", "d", says="|")
        self.assertEqual(len(followed), 3)
        self.assertLess({"d/a", "d/b"}, followed)

    def test_sizes(self):
        self.copies("d/a", "d/b")
        for name in ("d/large1", "d/large2"):
            self.write(name, " ".join(prose(5000, 15)))
        self.assertEqual(self.names("--min-size=10K", "d"), {"d/large1", "d/large2"})
        self.assertEqual(self.names("--max-size=10K", "d"), {"d/a", "d/b"})
        self.assertEqual(self.names("--min-size", "100", "--max-size=1M", "d"), {"d/a", "d/b", "d/large1", "d/large2"})
        self.scan("--min-size=2K", "--max-size=1K", "d", code=2, says="no such documents")

    def test_files_from(self):
        self.copies("d/a", "d/b", "line\nbreak", "e/c")
        self.write("list", "d/a\n\ne\r\n")
        self.assertEqual(self.names("--files-from=list"), {"d/a", "e/c"})
        self.assertEqual(self.names("--files-from=list", "d/b"), {"d/a", "d/b", "e/c"})
        self.assertEqual(self.names("--files-from=-", stdin=b"d/a\nd/b"), {"d/a", "d/b"})
        self.assertEqual(self.names("-0", "--files-from=-", stdin=b"line\nbreak\0d/b\0"), {"line\nbreak", "d/b"})
        self.assertEqual(self.scan("--files-from=-", stdin=b"d/a\nx\0y\n", code=2, says="holds a NUL byte"), "")
        self.scan("--files-from=missing", code=2, says="cannot read 'missing': no such file")

    def test_the_same_file_again(self):
        """The only copy of a document is never redundant."""
        self.copies("d/sub/a")
        for operands in (["d", "d"], ["d", "d/sub"], ["d/sub/a", "./d/sub/a"], ["d/sub", str(self.folder / "d")]):
            self.assertEqual(self.redundant(*operands), set(), operands)
            facts = self.summary(*operands)
            self.assertEqual((facts["documents"], facts["repeated"]), (1, 1))
        os.link(self.folder / "d/sub/a", self.folder / "d/sub/b")
        self.assertEqual(self.redundant("d"), set())
        self.assertIn("\n1 met again (counted once)\n", self.scan("d"))

    def test_encodings(self):
        text = "Größe, Maß und Übermut tun selten gut: so sprach der Müller, wie der König ihn fragte. " * 3
        self.write("d/utf-8", text)
        self.write("d/utf-16le", b"\xff\xfe" + text.encode("utf-16le"))
        self.write("d/utf-16be", b"\xfe\xff" + text.encode("utf-16be"))
        self.write("d/latin-1", text.encode("latin-1"))
        self.assertEqual(self.groups("--keep=first", "d"), {"d/latin-1": dict.fromkeys(
            ["d/utf-16be", "d/utf-16le", "d/utf-8"], "same-text")})
        self.assertEqual(self.groups("--encoding=auto", "d"), self.groups("d"))
        self.assertNotIn("d/latin-1", self.names("--encoding=utf-8", "d"))
        self.write("e/a", text.encode("utf-16be"))
        self.write("e/b", text.encode("utf-16be"))
        self.assertEqual(self.summary("--encoding=utf-16be", "e")["binary"], 0)

    def test_formats(self):
        text = " ".join(prose(100, 16))
        self.write("d/plain.txt", text)
        self.write("d/page.html", f"<!DOCTYPE html><html><head><title></title><style>p {{}}</style></head><body><p>{text}"
                                  "</p><script>var x = 1;</script></body></html>")
        self.write("d/note.md", text.replace(" ", " *", 1).replace(" ", "* ", 2))
        self.assertEqual(set(self.groups("--keep=first", "d").popitem()[1].values()), {"same-text"})


class Problems(Scanning):
    def test_the_rest_is_scanned(self):
        self.pile()
        warning = r"\Astemma: cannot read 'gone': no such file or directory\n" \
                  r"stemma: warning: 1 document could not be read; the others were scanned\n\Z"
        text = self.scan("pile", "gone", code=2, says=warning)
        self.assertIn("1 group: 4 documents", text)
        self.assertIn("\n1 could not be read\n", text)
        self.assertEqual(self.scan("--list-redundant", "pile", "gone", code=2, says=warning),
                         self.scan("--list-redundant", "pile"))
        self.write("list", "pile\ngone\n")
        self.scan("--files-from=list", says=warning)
        self.scan("--strict", "--files-from=list", code=2, says=warning)
        self.scan("--strict", "pile")
        self.scan("--quiet", "pile", "gone", code=2, says=r"\Astemma: warning: 1 document could not be read[^\n]+\n\Z")

    def test_there_need_be_no_others(self):
        self.write("bad.gz", b"\x1f\x8b\x08 damaged")
        self.write("worse.gz", b"\x1f\x8b\x08 and more so")
        alone = r"stemma: warning: {} could not be read\n\Z"
        self.scan("bad.gz", code=2, says=alone.format("1 document"))
        self.scan("bad.gz", "worse.gz", "gone", code=2, says=alone.format("3 documents"))
        self.write("good", "one two three four five six")
        self.scan("bad.gz", "worse.gz", "gone", "good", code=2, says="3 documents could not be read; the others were scanned\n")

    def test_json(self):
        self.pile()
        warning = r"\Astemma: warning: 1 document could not be read; the others were scanned\n\Z"
        *_, problem, summary = self.lines("pile", "gone", code=2, says=warning)
        self.assertEqual(set(problem), {"problem", "cause"})
        self.assertEqual(problem["problem"], "gone")
        self.assertIn("no such file or directory", problem["cause"])
        self.assertEqual(summary["summary"]["problems"], 1)

    def test_many(self):
        self.write("a", "one two three four five six")
        gone = [f"gone{number:02}" for number in range(33)]
        done = self.run_program("scan", "a", *gone)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(lines), 22)
        self.assertEqual(lines[20:], ["stemma: and 13 more; --json has all",
                                      "stemma: warning: 33 documents could not be read; the others were scanned"])
        problems = [line["problem"] for line in self.lines("a", *gone, code=2, says="warning") if "problem" in line]
        self.assertEqual(problems, gone)

    def test_the_same_cause_is_told_of_each(self):
        for number in range(3):
            self.write(f"pile/{number}.pdf", b"%PDF-1.4\n" + bytes([48 + number]))
        message = self.run_program("scan", "pile", PATH="/nowhere").stderr.decode()
        self.assertEqual(re.findall(r"'(pile/\d.pdf)': PDF needs", message), [f"pile/{number}.pdf" for number in range(3)], message)

    def test_nothing_could_be_read(self):
        message = r"\Astemma: cannot read 'gone': no such file or directory\nstemma: warning: 1 document could not be read\n\Z"
        self.assertEqual(self.scan("gone", code=2, says=message), "")
        problem, summary = self.lines("gone", code=2, says="warning")
        self.assertEqual((problem["problem"], summary["summary"]["documents"]), ("gone", 0))
        self.assertEqual(self.scan("--filter=out.jsonl", "gone.jsonl", code=2, says="cannot read"), "")
        self.assertEqual(self.listing(), [])

    def test_what_is_no_file(self):
        self.pile()
        os.mkfifo(self.folder / "fifo")
        for name in ("fifo", "/dev/zero", "/dev/null"):
            self.scan("pile", name, code=2, says=f"cannot read '{name}': ")
        os.mkfifo(self.folder / "pile/fifo")
        os.symlink("a.txt", self.folder / "pile/link")
        self.assertIn("\n2 passed over (links, pipes, devices)\n", self.scan("pile"))
        self.assertEqual(self.summary("pile")["passed_over"], 2)
        self.assertEqual(self.summary("--follow", "pile")["passed_over"], 1)
        self.assertEqual(self.summary("--exclude=fifo", "pile")["passed_over"], 1)

    def test_permissions(self):
        self.pile()
        os.chmod(self.folder / "pile/other.txt", 0)
        os.chmod(self.folder / "pile/sub", 0)
        self.addCleanup(os.chmod, self.folder / "pile/sub", 0o700)
        how = {}
        if os.geteuid() == 0:  # who reads everything: somebody else has to try, with a program within reach
            shutil.copy(PROGRAM, self.folder / "stemma")
            os.chmod(self.folder, 0o755)
            how = {"user": 65534, "group": 65534, "extra_groups": []}
        program = self.folder / "stemma" if how else PROGRAM
        done = subprocess.run([program, "scan", "pile"], cwd=self.folder, capture_output=True, timeout=60,
                              env=dict(os.environ, LC_ALL="C"), **how)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, 0, message)
        for name in ("other.txt", "sub"):
            self.assertIn(f"cannot read 'pile/{name}': permission denied", message)
        self.assertIn(b"group 1: 4 documents", done.stdout)


class DataSets(Scanning):
    def records(self, *more):
        """Of ten records, the odd ones are copies of those before them."""
        return [{"id": f"r{number}", "text": " ".join(prose(60, 400 + number // 2)), **dict(more)} for number in range(10)]

    @staticmethod
    def json_lines(records):
        return "".join(json.dumps(record) + "\n" for record in records)

    ODD = {"r1", "r3", "r5", "r7", "r9"}

    def test_json_lines(self):
        self.write("set.jsonl", self.json_lines(self.records()))
        self.assertEqual(self.redundant("--keep=first", "set.jsonl"), self.ODD)
        group = self.lines("--keep=first", "set.jsonl")[0]
        self.assertEqual(set(group["kept"]), DOCUMENT | {"source", "offset"})
        self.assertEqual(group["kept"]["source"], "set.jsonl")
        self.assertRegex(self.scan("--keep=first", "set.jsonl"), r"identical +\d+ B  r1\n|same text +\d+ B  r1\n")
        self.assertEqual(self.redundant("--keep=first", "-", stdin=self.json_lines(self.records()).encode()), self.ODD)

    def test_many_sets(self):
        for i in range(100):
            self.write(f"sets/{i}.jsonl", self.json_lines([{"id": str(i), "text": " ".join(prose(50, i))}]))
        limited = ("import os, resource, sys; hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; "
                   "resource.setrlimit(resource.RLIMIT_NOFILE, (40, hard)); os.execv(sys.argv[1], sys.argv[1:])")
        done = subprocess.run([sys.executable, "-c", limited, PROGRAM, "scan", "--json", "sets"], cwd=self.folder,
                              capture_output=True)
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["summary"]["documents"], 100, done.stderr)

    def test_several_sets(self):
        self.write("one.jsonl", self.json_lines(self.records()[:1]))
        self.write("two.jsonl", self.json_lines(self.records()[1:2]))
        self.assertRegex(self.scan("--keep=first", "one.jsonl", "two.jsonl"), r"(identical|same text) +\d+ B  r1  in two.jsonl\n")

    def test_ids_that_several_sets_have(self):
        one, two = prose(60, 410), prose(60, 411)
        self.write("s/one.jsonl", self.json_lines([{"id": 1, "text": " ".join(one)}, {"text": " ".join(two)}]))
        self.write("s/two.jsonl", self.json_lines([{"id": 1, "text": " ".join(one)}, {"id": 2, "text": " ".join(two)}]))
        self.assertEqual(self.redundant("--keep=first", "s"), {"s/two.jsonl:1", "s/two.jsonl:2"})
        self.assertRegex(self.scan("--pairs", "--keep=first", "s"), "s/one.jsonl:1  s/two.jsonl:1\n.* s/one.jsonl:2  s/two.jsonl:2\n")
        pairs = [pair for pair in self.lines("--pairs", "--keep=first", "s") if "a" in pair]
        self.assertEqual([(pair["a"], pair["a_source"], pair["a_offset"], pair["b"], pair["b_source"]) for pair in pairs],
                         [("1", "s/one.jsonl", 0, "1", "s/two.jsonl"),
                          ("s/one.jsonl:2", "s/one.jsonl", len(self.json_lines([{"id": 1, "text": " ".join(one)}])), "2", "s/two.jsonl")])
        self.assertEqual(self.lines("s")[-1]["summary"]["namesakes"], 0)

    def test_ids_that_one_set_has_twice(self):
        records = [{"id": "same", "text": " ".join(prose(60, 412))}] * 2 + [{"id": "other", "text": " ".join(prose(60, 413))}]
        warning = "2 records have the id of another in their data set; --json tells them apart"
        self.write("set.jsonl", self.json_lines(records))
        group, summary = self.lines("set.jsonl", says=warning)
        self.assertEqual({group["kept"]["offset"], group["members"][0]["offset"]}, {0, len(self.json_lines(records[:1]))})
        self.assertEqual(summary["summary"]["namesakes"], 2)
        self.scan("--list-redundant", "set.jsonl", says=warning)
        self.scan("--filter=-", "set.jsonl")

    def test_a_line_that_is_the_id_of_another(self):
        """Among other files both are FILE:2; of one data set they are FILE:2 and 2."""
        self.write("set.jsonl", self.json_lines([{"id": 2, "text": " ".join(prose(60, 414))}, {"text": " ".join(prose(60, 415))}]))
        self.write("other.txt", "a file")
        self.assertEqual(self.summary("set.jsonl")["namesakes"], 0)
        self.assertEqual(self.summary("set.jsonl", "other.txt", says="2 records have the id")["namesakes"], 2)

    def test_fields(self):
        records = [{"name": record["id"], "body": record["text"]} for record in self.records()]
        self.write("set.ndjson", self.json_lines(records))
        fields = ["--keep=first", "--text-field=body", "set.ndjson"]
        self.assertEqual(self.redundant("--id-field=name", *fields), self.ODD)
        self.assertEqual(self.redundant(*fields), {f"set.ndjson:{line}" for line in range(2, 11, 2)})
        self.scan("set.ndjson", code=2, says="text")

    def test_tables(self):
        for name, separator in (("set.csv", ","), ("set.tsv", "\t"), ("semi.csv", ";")):
            rows = ["id,text,more".replace(",", separator)]
            rows += [separator.join([record["id"], record["text"], "x"]) for record in self.records()]
            self.write(name, "\n".join(rows) + "\n")
            self.assertEqual(self.redundant("--keep=first", name), self.ODD, name)
            self.scan("--keep=first", f"--filter=out.{name}", name)
            kept = (self.folder / f"out.{name}").read_text().splitlines()
            self.assertEqual(kept, [rows[0], *rows[1::2]])

    def test_semicolons_beside_commas_are_text(self):
        self.write("set.csv", "id,text;more\n1,one two three\n")
        self.scan("set.csv", code=2, says="has no column 'text', but id, text;more")

    def test_byte_order_mark_stays(self):
        mark = "\ufeff".encode()
        table = "id,text\n" + "".join(f"{record['id']},{record['text']}\n" for record in self.records())
        for name, content in ("set.csv", table), ("set.jsonl", self.json_lines(self.records())):
            (self.folder / name).write_bytes(mark + content.encode())
            self.write("plain." + name, content)
            self.scan("--keep=first", f"--filter=out.{name}", name)
            self.scan("--keep=first", f"--filter=expected.{name}", "plain." + name)
            expected = (self.folder / f"expected.{name}").read_bytes()
            self.assertEqual((self.folder / f"out.{name}").read_bytes(), mark + expected)
            self.scan("--keep=first", f"--filter=both.{name}", "plain." + name, name) # of the first alone
            self.assertNotIn(mark, (self.folder / f"both.{name}").read_bytes())

    def test_tables_in_folders(self):
        self.write("d/budget.csv", "day,amount\n1,2\n")
        self.write("d/set.jsonl", self.json_lines(self.records()))
        self.assertEqual(self.summary("d")["documents"], 11)
        facts = self.summary("--text-field=text", "d", says="1 document could not be read")
        self.assertEqual((facts["documents"], facts["redundant"]), (10, 5))
        self.scan("d/budget.csv", code=2, says="'d/budget.csv' has no column 'text', but day, amount")

    def test_lines_without_texts_in_folders(self):
        log = "".join(json.dumps({"level": "info", "message": " ".join(prose(9, number))}) + "\n" for number in range(50))
        self.write("d/a.jsonl", log)
        self.write("d/b.jsonl", log)
        self.write("d/broken.ndjson", "no JSON at all\n")
        self.write("d/empty.jsonl", "")
        self.write("d/set.jsonl", '{"id": "broken\n' + self.json_lines(self.records()))
        with gzip.open(self.folder / "d/c.jsonl.gz", "wt") as file:
            file.write(log)
        problem, summary = self.lines("d", says="warning: 1 document could not be read")[-2:]
        self.assertEqual((problem["problem"], problem["line"]), ("d/set.jsonl", 1))
        self.assertEqual(summary["summary"]["documents"], 4 + 10)
        self.assertLessEqual({"d/b.jsonl", "d/c.jsonl.gz"}, self.redundant("d", says="warning"))
        self.assertIn("would delete", self.scan("--delete", "--dry-run", "d", says="warning"))
        for _ in range(2):
            self.assertEqual(self.summary("--cache=cache", "d", says="warning")["documents"], 4 + 10)
        self.scan("d/a.jsonl", code=2, says="50 documents could not be read")
        self.assertEqual(self.summary("--text-field=message", "d", says="warning")["documents"], 150)

    def test_standard_input(self):
        lines = self.json_lines(self.records())
        self.assertEqual(self.summary("-", stdin=lines.encode())["redundant"], 5)
        self.assertEqual(self.scan("--filter=-", "-", stdin=b""), "")
        self.scan("-", stdin=b"some words\n", code=2,
                  says="cannot read '-': it is neither JSON lines, which begin with '{', nor a table with the column 'text'")

    def test_tables_on_standard_input(self):
        records = self.records()
        lines = self.json_lines(records)
        found = self.groups("-", stdin=("\n \n" + lines).encode())
        for delimiter in ",", "\t", ";":
            table = io.StringIO()
            writer = csv.DictWriter(table, ["id", "text"], delimiter=delimiter, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(records)
            content = table.getvalue().encode()
            self.assertEqual(self.groups("-", stdin=content), found)
            self.assertEqual(self.groups("-", stdin=gzip.compress(content)), found)
            self.assertEqual(self.groups("-", stdin=("\ufeff" + table.getvalue()).encode("utf-16-le")), found)
            kept = self.scan("--filter=-", "-", stdin=content).splitlines()
            self.assertEqual((kept[0].replace(delimiter, ","), len(kept)), ("id,text", 6))
            name = {"\t": "tsv"}.get(delimiter, "csv")
            self.scan("--force", f"--filter=out.{name}", "-", stdin=content)
            self.assertEqual((self.folder / f"out.{name}").read_text().splitlines(), kept)
            self.scan("--filter=other.jsonl", "-", stdin=content, code=2, says="are data sets of different kinds")
            self.assertFalse((self.folder / "other.jsonl").exists())
            self.scan("--text-field=body", "-", stdin=content, code=2, says="nor a table with the column 'body'")
            self.assertEqual(self.summary("--text-field=2", "-", stdin=content)["documents"], len(records))
            self.scan("--id-field=key", "-", stdin=content, code=2, says="'-' has no column 'key', but id, text")

    def test_broken_records(self):
        lines = self.json_lines(self.records()).splitlines()
        lines[3:3] = ['{"id": "broken', '{"id": "without"}']
        self.write("set.jsonl", "\n".join(lines) + "\n")
        *_, first, second, summary = self.lines("--keep=first", "set.jsonl", says="2 documents could not be read")
        self.assertEqual([(p["problem"], p["line"]) for p in (first, second)], [("set.jsonl", 4), ("set.jsonl", 5)])
        self.assertEqual((summary["summary"]["documents"], summary["summary"]["redundant"]), (10, 5))
        self.assertRegex(self.run_program("scan", "set.jsonl").stderr.decode(), r"(?m)^stemma: line 4 of 'set.jsonl' is broken JSON$")

    def compressed(self):
        """Forty pairs of near-copies, of which little fits into the least memory; and the same compressed."""
        texts = [prose(700, seed=seed) for seed in range(40)]
        texts += [text[:-1] + ["other"] for text in texts]
        lines = self.json_lines({"id": f"r{i}", "text": " ".join(text)} for i, text in enumerate(texts))
        self.write("s.jsonl", lines)
        return self.write("s.jsonl.gz", gzip.compress(lines.encode(), mtime=0))

    def test_compressed_in_little_memory(self):
        name = self.compressed()
        groups = self.groups("s.jsonl")
        self.assertEqual(len(groups), 40)
        for memory in "256K", "1G":
            self.assertEqual(self.groups("--memory", memory, name), groups)

    def test_cut_off(self):
        """What was whole before the damage is compared, also where it has to be read a second time."""
        name, whole = self.compressed(), (self.folder / "s.jsonl.gz").read_bytes()
        self.write(name, whole[:-1000])
        found = [self.groups("--memory", memory, name, says="1 document could not") for memory in ("256K", "1G")]
        self.assertEqual(found[0], found[1])
        self.assertGreater(len(found[0]), 20)

    def test_boilerplate_of_compressed(self):
        start = " ".join(prose(100, seed=5))
        lines = self.json_lines({"id": i, "text": start + " " + " ".join(prose(700, seed=i))} for i in range(60))
        self.write("s.jsonl", lines)
        self.write("s.jsonl.gz", gzip.compress(lines.encode()))
        for memory in "256K", "1G":
            plain, packed = ([line["text"] for line in self.lines("--boilerplate", "--memory", memory, name)
                              if "passage" in line] for name in ("s.jsonl", "s.jsonl.gz"))
            self.assertEqual((len(plain), len(packed)), (1, 1))
            self.assertEqual(plain[0].strip(), packed[0].strip())

    def test_more_sets_than_descriptors(self):
        for number, record in enumerate(self.records() * 30):
            self.write(f"sets/{number:03}.jsonl", self.json_lines([record]))
        done = subprocess.run([PROGRAM, "scan", "--json", "--memory=256K", "sets"], cwd=self.folder, capture_output=True,
                              preexec_fn=limit_descriptors)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        summary = json.loads(done.stdout.splitlines()[-1])["summary"]
        self.assertEqual((summary["documents"], summary["groups"], summary["redundant"]), (300, 5, 295))

    def test_filter(self):
        lines = self.json_lines(self.records())
        self.write("set.jsonl", lines)
        text = self.scan("--keep=first", "--filter=out.jsonl", "set.jsonl")
        self.assertIn("5 groups: 5 documents", text)
        self.assertTrue(text.endswith("\n5 records written to out.jsonl\n"), text)
        expected = "".join(lines.splitlines(keepends=True)[::2])
        self.assertEqual((self.folder / "out.jsonl").read_text(), expected)
        self.assertEqual(self.scan("--keep=first", "--filter=-", "set.jsonl"), expected)
        self.assertEqual(self.scan("--quiet", "--force", "--keep=first", "--filter", "out.jsonl", "set.jsonl"), "")
        facts = self.summary("--force", "--keep=first", "--filter=out.jsonl", "set.jsonl")
        self.assertEqual(facts["filtered"], 5)
        self.assertEqual(self.listing(), ["out.jsonl", "set.jsonl"])

    def test_filter_compressed(self):
        lines = self.json_lines(self.records())
        self.write("set.jsonl.gz", gzip.compress(lines.encode()))
        expected = "".join(lines.splitlines(keepends=True)[::2])
        self.scan("--keep=first", "--filter=out.jsonl.gz", "set.jsonl.gz")
        self.assertEqual(gzip.decompress((self.folder / "out.jsonl.gz").read_bytes()).decode(), expected)
        self.scan("--filter=again.jsonl.zst", "out.jsonl.gz")
        self.assertEqual((self.folder / "again.jsonl.zst").read_bytes()[:4], b"\x28\xb5\x2f\xfd")
        self.scan("--filter=plain.jsonl", "again.jsonl.zst")
        self.assertEqual((self.folder / "plain.jsonl").read_text(), expected)

    def test_filter_of_tables_that_are_cut_off(self):
        """A quote that does not end takes nothing in from the next file."""
        self.write("a.csv", 'id,text\n1,"one two three\nfour"\n2,"five six')
        self.write("b.csv", 'id,text\n3,seven eight')
        self.write("c.csv", 'id,text\n4,"nine, ten\n')
        said = "begins a quote that does not end"
        both = self.scan("--filter=-", "a.csv", "b.csv", says=said)
        self.assertEqual(both, 'id,text\n1,"one two three\nfour"\n2,"five six"\n3,seven eight\n')
        self.assertEqual(self.scan("--filter=-", "c.csv", "a.csv", says=said), 'id,text\n4,"nine, ten\n"\n1,"one two three\nfour"\n2,"five six\n')
        self.write("both.csv", both)
        self.assertEqual(self.summary("both.csv")["documents"], 3)

    def test_filter_is_refused(self):
        self.write("set.jsonl", self.json_lines(self.records()))
        self.write("out.jsonl", "precious")
        self.bad("scan", "--filter=out.jsonl", "set.jsonl", says="'out.jsonl' exists; use --force")
        self.bad("scan", "--filter=set.jsonl", "--force", "set.jsonl", says="is one of the documents")
        self.write("file", " ".join(prose(50, 1)))
        self.bad("scan", "--filter=new.jsonl", "file", says="data set")
        self.bad("scan", "--filter=new.csv", "set.jsonl", says="'set.jsonl' and 'new.csv' are data sets of different kinds")
        self.assertEqual((self.folder / "out.jsonl").read_text(), "precious")
        self.assertEqual(self.listing(), ["file", "out.jsonl", "set.jsonl"])


class Terminal(Scanning):
    def test_long_groups_are_cut(self):
        text = " ".join(prose(50, 17))
        for number in range(20):
            self.write(f"a/rather/long/folder/{number:02}", text)
        shown, code = self.on_terminal("--keep=first", "a")
        self.assertEqual(code, 0)
        self.assertIn("\nall names below a/rather/long/folder/\n", shown)
        self.assertEqual(re.findall(r"(?m)B  (\d\d)$", shown), [f"{number:02}" for number in range(11)])
        self.assertIn("\n  ... and 9 more; --json has all\n", shown)
        self.assertEqual(len(re.findall(r"(?m)  a/rather/long/folder/\d\d$", self.scan("a"))), 20)

    def test_colours_end_where_they_begin(self):
        for name in ("p/a", "p/b"):
            self.write(name, " ".join(prose(50, 17)))
        ours, theirs = pty.openpty()
        program = subprocess.Popen([PROGRAM, "scan", "p"], cwd=self.folder, stdout=theirs,
                                   env={"TERM": "xterm", "PATH": os.environ["PATH"]})
        os.close(theirs)
        shown = self.shown_on(ours).decode()
        self.assertEqual(program.wait(60), 0)
        self.assertEqual(re.findall(r"\x1b\[([0-9;]+)m", shown), ["1", "0", "1", "0", "1;32", "0"])

    def test_many_groups_are_cut(self):
        for number in range(40):
            for copy in "ab":
                self.write(f"p/{number}{copy}", " ".join(prose(50, number)))
        shown, code = self.on_terminal("p")
        self.assertEqual((code, len(re.findall(r"(?m)^group ", shown))), (0, 30))
        self.assertIn("\n... and 10 more groups; --json has all\n", shown)
        self.assertNotIn("all names", shown)
        self.assertEqual(len(re.findall(r"(?m)^group ", self.scan("p"))), 40)

    def test_progress(self):
        """On a terminal, when it takes long; and gone before the result."""
        for quiet in (False, True):
            ours, theirs = pty.openpty()
            program = subprocess.Popen([PROGRAM, "scan", *["--quiet"][:quiet], "-"], cwd=self.folder,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs)
            os.close(theirs)
            for number in range(25):
                record = {"id": str(number), "text": " ".join(prose(1000, number))}
                program.stdin.write(json.dumps(record).encode() + b"\n")
                program.stdin.flush()
                time.sleep(.08)
            out, _ = program.communicate(timeout=60)
            shown = self.shown_on(ours)
            self.assertEqual(program.returncode, 0)
            if quiet:
                self.assertEqual(shown, b"")
                continue
            self.assertRegex(shown, rb"\A\r(listing|reading)[^\r]*\x1b\[K")
            self.assertTrue(shown.endswith(b"\r\x1b[K"))
            self.assertIn(b"25 documents", out)

    def test_interruption(self):
        scratch = self.folder / "scratch"
        scratch.mkdir()
        # Thread sanitizer holds a signal back as long as its thread waits for a lock: there one thread has to do.
        with open(PROGRAM, "rb") as program:
            threads = ["--threads=1"] if b"__tsan_init" in program.read() else []
        for options in ([], ["--json"], ["--pairs"], ["--filter=out.jsonl"]):
            program = subprocess.Popen([PROGRAM, "scan", *threads, *options, "-"], cwd=self.folder, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=dict(os.environ, TMPDIR=str(scratch)))
            program.stdin.write(b'{"text": "one two three four five six"}\n' * 1000)
            program.stdin.flush()
            rests(program)
            program.send_signal(signal.SIGINT)
            self.assertEqual(program.wait(60), 130)
            self.assertEqual((program.stdout.read(), program.stderr.read()), (b"", b""))
            for stream in (program.stdin, program.stdout, program.stderr):
                stream.close()
        self.assertEqual((self.listing(), os.listdir(scratch)), (["scratch"], []))


class Use(Scanning):
    def test_wrong_use(self):
        self.pile()
        for arguments, says in (
                ([], "at least one file or folder"), ([""], "an empty path names no file"), (["-0", "pile"], "-0 is for --files-from"),
                (["--files-from=-", "-"], "only once"), (["-", "-"], "only once"),
                (["--pairs", "--list-redundant", "pile"], "only one of --pairs"),
                (["--boilerplate", "--filter=x.jsonl", "pile"], "only one of --pairs"),
                (["--json", "--list-redundant", "pile"], "only one of --json"),
                (["--json", "--filter=-", "pile"], "both write to standard output"),
                (["--text-field=", "pile"], "--text-field needs a name"), (["--id-field=", "pile"], "--id-field needs a name"),
                (["--report-text=3", "pile"], "--report-text is for --report"), (["--thresh=.8", "pile"], "--threshold"),
                (["--print0", "pile"], "--print0 is for --list-redundant"), (["--force", "pile"], "--force is for --filter"),
                (["--pairs", "--group=first", "pile"], "--group makes no groups of --pairs"),
                (["--boilerplate", "--labelled", "pile"], "boilerplate is not looked for with labels"),
                (["-t", ".2", "pile"], "--threshold: '.2' is not a number from .3 to 1"), (["-t", "1.5", "pile"], "not a number from .3 to 1"),
                (["--contained=.3", "pile"], "--contained: '.3' is neither 0 nor a number from .5 to 1"),
                (["--keep=best", "pile"], "'best' is not one of: longest newest oldest first shortest-path"),
                (["--group=x", "pile"], "'x' is not one of: stars"), (["--encoding=ebcdic", "pile"], "not one of: auto"),
                (["--min-size=x", "pile"], "whole number"), (["--scheme=mod", "pile"], "unknown option '--scheme'"),
                (["--window=0", "pile"], "--window"), (["--recipe=unit=x", "pile"], "unit"),
                (["--include"], "--include needs a value"), (["--exclude=x"] * 300 + ["pile"], "is one too many")):
            self.assertIn("Try 'stemma scan --help'.", self.bad("scan", *arguments, says=says))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
