#!/usr/bin/env python3
"""`stemma scan` as a user meets it.     scan_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]"""
import base64
import json
import os
import pty
import pwd
import random
import re
import signal
import subprocess
import sys
import time
import unittest

from program import PROGRAM, prose, rests
from scanning import DOCUMENT, Scanning

MEMBER = {"relation", "resemblance", "contained", "contains", "redundant", "parent"}
SUMMARY = {"documents", "bytes", "text_bytes", "empty", "binary", "containers", "contained", "problems", "repeated", "classes", "groups",
           "redundant", "redundant_bytes", "candidates", "verified", "resident_bytes", "cached_bytes", "spilled_bytes", "passed_over", "namesakes", "crowded", "damaged", "seconds",
           "seconds_reading", "seconds_matching", "seconds_verifying", "thresholds", "keep", "group", "recipe"}


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
                (["--group=x", "pile"], "'x' is not one of: stars"), (["--encoding=ebcdic", "pile"], "no encoding 'ebcdic'"),
                (["--min-size=x", "pile"], "is not a number"), (["--scheme=mod", "pile"], "unknown option '--scheme'"),
                (["--window=0", "pile"], "--window"), (["--recipe=unit=x", "pile"], "unit"),
                (["--include"], "--include needs a value"), (["--move", "--dry-run", "pile"], "--move needs a value: DIR; '--dry-run' is an option"),
                (["--exclude=x"] * 300 + ["pile"], "is one too many")):
            self.assertIn("Try 'stemma scan --help'.", self.bad("scan", *arguments, says=says))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
