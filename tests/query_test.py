#!/usr/bin/env python3
"""`stemma query` as a user meets it.     query_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]"""
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import unittest

from program import PROGRAM, QUANTITY, Base, prose, rests


def changed(text, every):
    return [f"x{i}" if i % every == every - 1 else word for i, word in enumerate(text)]


class Query(Base):
    """A collection of versions, of parts of others, of members and records."""

    def setUp(self):
        super().setUp()
        self.text = prose(600, 1)
        version = self.text
        for i in range(8):
            self.write(f"pile/v{i}.txt", "\n".join(version))
            version = changed(version, 47 + i)
        self.write("pile/book.txt", " ".join(prose(4000, 2) + self.text + prose(4000, 3)))
        self.write("pile/part.txt", " ".join(self.text[100:400]))
        self.write("pile/other.txt", " ".join(prose(600, 4)))
        records = [{"id": f"r{i}", "text": " ".join(changed(prose(300, 5 + i % 2), 90 + i))} for i in range(6)]
        self.write("pile/set.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        with tarfile.open(self.folder / "pile/archive.tar.gz", "w:gz") as archive:
            content = " ".join(changed(prose(500, 9), 60)).encode()
            member = tarfile.TarInfo("in/side.txt")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        self.write("draft.txt", " ".join(self.text))
        self.add("pile")

    def add(self, *arguments):
        done = self.run_program("add", "--quiet", "c", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def query(self, *arguments, code=0, stdin=b"", says=b""):
        done = self.run_program("query", *arguments, stdin=stdin)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(says, done.stderr)
        if not says:
            self.assertEqual(done.stderr, b"")
        return done.stdout

    def matches(self, *arguments, **how):
        return [json.loads(line) for line in self.query("--json", "c", *arguments, **how).splitlines()]

    def names(self, found):
        return [os.path.basename(match["id"]) for match in found]

    def test_how_it_was_added_need_not_be_said_again(self):
        """Fields and encodings: the originals are read as they were."""
        body = " ".join(prose(300, 20))
        letters = "".join(chr(0x410 + i % 32) + (" " if i % 5 == 4 else "") for i in range(4000))
        quoted = body.replace(" ", ' ""x"", ', 3) + "\nend"
        self.write("fields/a.jsonl", json.dumps({"text": "no", "m": {"body": body + ' "\u20ac\n'}, "n": "1"}) + "\n")
        self.write("fields/b.csv", f'n,m.body\n2,"{quoted}"\n')
        with gzip.open(self.folder / "fields/c.jsonl.gz", "wt") as out:
            out.write(json.dumps({"m.body": body + " and so on", "n": "3"}) + "\n")
        self.write("encoded.txt", letters.encode("utf-16be"))
        self.write("question.txt", body)
        self.write("letters.txt", letters)
        self.add("--text-field=m.body", "--id-field=n", "fields")
        self.add("--encoding=utf-16be", "encoded.txt")
        found = {os.path.basename(match["id"]): match for match in self.matches("--top=0", "question.txt", "letters.txt")}
        self.assertEqual(set(found), {"a.jsonl:1", "b.csv:2", "c.jsonl.gz:3", "encoded.txt"})
        for name, match in found.items():
            self.assertEqual((match["source"], match["resemblance"]["exact"]), ("original", True), name)

    def test_json(self):
        found = self.matches("draft.txt")
        self.assertEqual(found[0]["query"], "draft.txt")
        self.assertEqual(self.names(found)[:2], ["v0.txt", "v1.txt"])
        self.assertEqual(found[0]["relation"], "same-text")
        self.assertEqual({match["relation"] for match in found}, {"same-text", "near-duplicate", "contained", "contains"})
        self.assertIn("book.txt", self.names(found))
        self.assertIn("part.txt", self.names(found))
        for match in found:
            self.assertEqual(match["source"], "original")
            self.assertEqual(set(match["resemblance"]), QUANTITY)
            self.assertEqual(set(match["containment"]), {"a_in_b", "b_in_a"})
            self.assertTrue(QUANTITY <= set(match["edit"]))
            self.assertIn("differences", match)
        compared = json.loads(self.run_program("compare", "--json", "draft.txt", found[1]["id"]).stdout)
        for key in ("relation", "resemblance", "containment", "differences"):
            self.assertEqual(compared[key], found[1][key], key)

    def test_any_threshold(self):
        counts = [len(self.matches("--no-edits", "-t", str(t), "--contained=0", "--top=0", "draft.txt"))
                  for t in (.95, .7, .4, .1)]
        self.assertEqual(counts, sorted(counts))
        self.assertTrue(counts[0] < counts[1] < counts[2])
        self.assertEqual(len(self.matches("--top=3", "draft.txt")), 3)

    def test_ways_agree(self):
        ways = {way: self.names(self.matches("--no-edits", f"--via={way}", "--contained=0", "draft.txt"))
                for way in ("auto", "bands", "scan", "samples", "mih")}
        self.assertTrue(all(found == ways["auto"] for found in ways.values()), ways)

    def test_words(self):
        text = self.query("c", "draft.txt").decode().splitlines()
        self.assertEqual(text[0], "draft.txt")
        self.assertRegex(text[1], r"^  relation +resembl\. +in it +of it +edits$")
        self.assertRegex(text[2], r"^  same-text +1 +1 +1 +0  .*/pile/v0\.txt$")
        self.assertRegex(text[3], r"^  near-duplicate +\.\d+ +\.\d+ +\.\d+ +\d+  .*/pile/v1\.txt  differs in lines \d+, ")
        self.assertEqual(self.query("-q", "--no-edits", "c", "draft.txt").decode().splitlines()[1:],
                         [line for line in self.query("--no-edits", "c", "draft.txt").decode().splitlines()[2:]])

    def test_records_and_members(self):
        found = self.matches("-", stdin=" ".join(prose(300, 5)).encode())
        self.assertEqual(sorted(self.names(found)), ["set.jsonl:r0", "set.jsonl:r2", "set.jsonl:r4"])
        self.assertTrue(all(match["source"] == "original" for match in found))
        found, = self.matches("-", stdin=" ".join(prose(500, 9)).encode())
        self.assertTrue(found["id"].endswith("/pile/archive.tar.gz!/in/side.txt"))
        self.assertEqual(found["source"], "original")
        of_archive, = self.matches("pile/archive.tar.gz")
        self.assertEqual((of_archive["query"], of_archive["relation"]), ("pile/archive.tar.gz!/in/side.txt", "identical"))
        of_set = self.matches("--no-edits", "pile/set.jsonl")
        self.assertEqual([match["query"] for match in of_set], sorted(match["query"] for match in of_set))

    def test_source(self):
        self.write("pile/v1.txt", "something else altogether, since")
        (self.folder / "pile/v2.txt").unlink()
        all_found = self.matches("draft.txt")
        found = dict(zip(self.names(all_found), all_found))
        for name, source in (("v0.txt", "original"), ("v1.txt", "changed"), ("v2.txt", "gone")):
            self.assertEqual(found[name]["source"], source)
            self.assertEqual(found[name]["resemblance"]["exact"], source == "original")
            self.assertEqual(found[name]["edit"]["value"] is None, source != "original")
        self.assertRegex(self.query("c", "draft.txt").decode(), r"~\.\d+ .*v2\.txt  \(gone\)")

    def test_records_that_are_gone(self):
        """Those before them in a data set that is read in order are still there."""
        versions, version = [], prose(300, 81)
        for _ in range(6):
            version = changed(version, 97 - len(versions))
            versions.append(" ".join(version))
        for count in (6, 3):
            lines = "".join(json.dumps({"id": f"g{i}", "text": versions[i]}) + "\n" for i in range(count))
            self.write("pile/packed.jsonl.gz", gzip.compress(lines.encode()))
            if count == 6:
                self.add("pile/packed.jsonl.gz")
        found = self.matches("-t.5", "-", stdin=versions[5].encode())
        self.assertEqual(sorted(self.names(found)), [f"packed.jsonl.gz:g{i}" for i in range(6)])
        for match in found:
            there = match["id"][-1] in "012"
            self.assertEqual(match["source"], "original" if there else "gone")
            certain = there or match["relation"] == "identical"  # which the digest tells
            self.assertEqual(match["edit"]["value"] is not None, certain, match)
            self.assertEqual(match["resemblance"]["exact"], certain, match)

    def test_family(self):
        found = self.matches("--family", "--contained=0", "--no-edits", "draft.txt")
        self.assertEqual(sorted(self.names(found)), [f"v{i}.txt" for i in range(8)])
        known = {"draft.txt"}
        for match in found:
            self.assertIn(match["query"], known)
            known.add(match["id"])
        self.assertIn("step 1, from draft.txt", self.query("--family", "--no-edits", "c", "draft.txt").decode())

    def test_families_of_many(self):
        """The same, whoever asks: threads or one, from files or from memory."""
        alone = self.query("--family", "--threads=1", "c", "pile", "draft.txt")
        self.assertEqual(self.query("--family", "--threads=3", "c", "pile", "draft.txt"), alone)
        found, given = self.matches("--family", "draft.txt"), self.matches("--family", "-", stdin=" ".join(self.text).encode())
        self.assertEqual([match["id"] for match in found], [match["id"] for match in given])
        self.assertGreater(max(match["step"] for match in found), 2)

    def test_family_is_of_resemblance(self):
        """What contains a version brings in nothing else that it contains, unless that is asked for."""
        texts = [" ".join(prose(300, seed)) for seed in (71, 72)]
        for name, text in (("one", texts[0]), ("other", texts[1]), ("both", " ".join(texts))):
            self.write(f"pile/{name}.txt", text)
        self.good("add", "-q", "c", "pile")
        self.assertEqual(self.names(self.matches("--family", "--no-edits", "pile/one.txt")), ["one.txt"])
        found = self.matches("--family", "--contained=.9", "--no-edits", "pile/one.txt")
        self.assertEqual(set(self.names(found)), {"one.txt", "both.txt", "other.txt"})

    def test_explain(self):
        text = self.query("--explain", "c", "draft.txt").decode()
        for word in ("asked about 1 document", "candidates", "verified", "reading", "finding"):
            self.assertIn(word, text)
        last = self.matches("--explain", "draft.txt")[-1]["explain"]
        self.assertEqual((last["via"], last["documents"], last["problems"]), ("auto", 1, 0))

    def test_nothing_found(self):
        self.assertEqual(self.query("c", "-", stdin=b"one two three four five six seven", code=1),
                         b"-\n  nothing like it\n")
        self.assertEqual(self.query("-q", "c", "-", stdin=b"one two three four five six seven", code=1), b"")
        self.assertEqual(self.query("-q", "c", "-", stdin=b"", code=1), b"")

    def test_wrong_use(self):
        self.query(code=2, says=b"a collection is needed")
        self.query("c", code=2, says=b"at least one document")
        self.query("missing", "draft.txt", code=2, says=b"missing")
        self.query("c", "missing.txt", code=2, says=b"missing.txt")
        self.query("-t", "0", "--contained=0", "c", "draft.txt", code=2, says=b"thresholds must be")
        self.query("-t", ".01", "c", "draft.txt", code=2, says=b"thresholds must be")
        self.query("-t", "0", "--via=h", "c", "draft.txt", code=2, says=b"h finds what resembles")
        self.query("--via=magic", "c", "draft.txt", code=2, says=b"magic")
        self.query("-0", "c", "draft.txt", code=2, says=b"--files-from")

    def test_one_of_several_cannot_be_read(self):
        done = self.query("c", "missing.txt", "draft.txt", code=2, says=b"missing.txt")
        self.assertIn(b"v0.txt", done)
        self.write("names", "missing.txt\ndraft.txt\n")
        self.query("c", "--files-from=names", says=b"missing.txt")
        self.query("--strict", "c", "--files-from=names", code=2, says=b"missing.txt")

    def test_same_bytes(self):
        """Of what is no text, or hardly any, nothing else can be found; it is certain, and of any name."""
        self.write("pile/a.bin", bytes(range(256)) * 12)
        self.write("pile/short.txt", "two words")
        self.write("pile/empty", "")
        self.add("pile")
        for name, content in ("a.bin", bytes(range(256)) * 12), ("short.txt", b"two words"):
            self.write("asked", content)
            for found in self.matches("asked"), self.matches("-", stdin=content):
                self.assertEqual(self.names(found), [name])
                self.assertEqual(found[0]["relation"], "identical")
                self.assertEqual(found[0]["resemblance"], {"value": 1, "low": 1, "high": 1, "exact": True})
            self.assertIn(b"known          1  asked  is identical to", self.run_program("known", "c", "asked").stdout)
        self.assertEqual(self.matches("-", stdin=bytes(range(256)) * 11, code=1), [{"query": "-", "matches": 0}])
        self.assertEqual(self.matches("pile/empty", code=1), [{"query": "pile/empty", "matches": 0}])
        (self.folder / "pile/a.bin").rename(self.folder / "moved.bin")
        self.assertRegex(self.query("c", "moved.bin").decode(), r"identical +1 +1 +1 +0 .*a\.bin  \(gone\)")

    def test_known_versions(self):
        """The one that is the same comes before the first that has all samples."""
        self.write("copy", "\n".join(self.text) + " and one word more")
        self.write("pile/w0.txt", "\n".join(self.text) + " and another word more")
        self.write("pile/w1.txt", (self.folder / "copy").read_bytes())
        self.add("pile")
        for how in "name", "each", "folder":
            done = self.good("known", f"--versions={how}", "c", "copy")
            self.assertRegex(done, r"known +1  copy  is identical to .*w1\.txt\n")
            found = json.loads(self.good("known", "--json", f"--versions={how}", "c", "copy"))
            self.assertTrue(found["identical"] and found["containment"]["exact"])
        self.write("near", " ".join(changed(self.text, 200)))
        self.assertRegex(self.good("known", "c", "near"), r"known +~\.\d+  near  is a version of .* \(~\.\d+\)\n")

    def test_many_of_which_some_are_new(self):
        for i in range(3):
            self.write(f"new/{i}.txt", " ".join(prose(300, 70 + i)))
        self.write("new/v.txt", " ".join(self.text))
        shown = self.query("--no-edits", "c", "new").decode()
        self.assertEqual(shown.count("nothing like it"), 3)
        self.assertIn("new/v.txt\n  relation", shown)
        self.assertTrue(shown.endswith("\n\n3 of 4 documents are new\n"))
        none = [match["query"] for match in self.matches("new") if match.get("matches") == 0]
        self.assertEqual(none, [f"new/{i}.txt" for i in range(3)])
        shown = self.query("--hamming", "c", "new").decode()
        self.assertEqual(shown.count("nothing like it"), 3)
        self.assertIn("new/v.txt\n  distance", shown)
        self.assertEqual([match["query"] for match in self.matches("--hamming", "new") if match.get("matches") == 0], none)
        self.assertTrue(self.query("--family", "c", "draft.txt").startswith(b"draft.txt\n  relation"))

    def test_standard_input_of_records(self):
        lines = [json.dumps({"id": "r", "text": " ".join(self.text)}), json.dumps({"text": "something else"}), "{"]
        found = self.query("--no-edits", "c", "-", stdin="\n".join(lines).encode(), says=b"'-:3': it is no JSON")
        self.assertRegex(found.decode(), r"(?s)\Ar\n .*v0\.txt.*\n\n-:2\n  nothing like it\n\n1 of 2 documents is new\n\Z")
        self.assertEqual(self.query("c", "-", stdin=b'{"a": 1}', code=1), b"-\n  nothing like it\n")

    def test_who_stops_reading(self):
        done = subprocess.run(f"{PROGRAM} query --no-edits c pile | head -1", shell=True, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_standard_input_that_fails(self):
        """Nothing is said about half a document; the others are answered."""
        for how in [], ["--hamming", "-t.9"]:
            folder = os.open(self.folder, os.O_RDONLY)
            done = subprocess.run([PROGRAM, "query", *how, "c", "-", "draft.txt"], cwd=self.folder, stdin=folder,
                                  capture_output=True)
            os.close(folder)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(b"cannot read '-': is a directory", done.stderr)
            self.assertTrue(done.stdout.startswith(b"draft.txt\n") and b"\n-\n" not in done.stdout, done.stdout)

    def test_interrupted_in_the_middle_of_standard_input(self):
        for how in [], ["--hamming"]:
            with subprocess.Popen([PROGRAM, "query", *how, "c", "-"], cwd=self.folder, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
                child.stdin.write("\n".join(self.text).encode())
                child.stdin.flush()
                rests(child)
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.wait(timeout=60), 130)
                self.assertEqual((child.stdout.read(), child.stderr.read()), (b"", b""))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
