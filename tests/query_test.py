#!/usr/bin/env python3
"""`stemma query` as a user meets it.     query_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]"""
import gzip
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import unittest

from program import PROGRAM, QUANTITY, SOURCE, Base, prose, rests


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

    def query(self, *arguments, **how):
        return self.printed("query", *arguments, **how)

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

    def test_hardly_alike(self):
        """Whatever has a shingle in common is found, and nothing else."""
        self.write("a/far.txt", " ".join(prose(3000, 61) + self.text[:10] + prose(3000, 62)))
        self.good("add", "-q", "a.stemma", "a", "pile/other.txt")
        for how in ["--contained=0"], ["--contained=.001", "--via=scan"]:
            found = [json.loads(line) for line in
                     self.query("--json", "--no-edits", "-t.0001", *how, "a.stemma", "draft.txt").splitlines()]
            self.assertEqual(self.names(found), ["far.txt"])
            self.assertTrue(0 < found[0]["resemblance"]["value"] < .002 and found[0]["resemblance"]["exact"])

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
            self.assertEqual(found[name]["edit"]["p_unrelated"] == 1, source != "original")
            why = {"changed": "the document has changed since it was added", "gone": "the document can no longer be read"}.get(source)
            self.assertEqual(found[name]["edit"].get("why"), why and f"{why}, and signatures are not kept (stemma add --signature)")
        self.assertRegex(self.query("c", "draft.txt").decode(), r"~\.\d+ .*v2\.txt  \(gone\)")

    def test_places_in_a_stored_text(self):
        """Of a document that is gone there is its canonical text, in which the same differences are."""
        self.good("add", "-q", "--store-text", "s", "pile")
        ask = lambda: [json.loads(line) for line in self.query("--json", "s", "draft.txt").splitlines()]
        before = next(match for match in ask() if match["id"].endswith("v1.txt"))
        (self.folder / "pile/v0.txt").unlink()
        (self.folder / "pile/v1.txt").unlink()
        same, match = ask()[:2]
        self.assertEqual((same["source"], same["relation"], same["edit"]["value"]), ("stored", "same-text", 0))
        self.assertEqual((match["id"], match["source"], match["edit"]), (before["id"], "stored", before["edit"]))
        self.assertEqual((before["offsets"]["b"], match["offsets"]), ("original", {"a": "original", "b": "canonical"}))
        self.assertEqual([one["a"] for one in match["differences"]], [one["a"] for one in before["differences"]])
        version = " ".join(changed(self.text, 47)).split()
        canonical = " ".join(version)
        for one, word in zip(match["differences"], (word for word in version if word[0] == "x")):
            self.assertEqual(canonical[one["b"]["begin"]:one["b"]["end"]], word)
        self.assertTrue(match["shared"])
        self.assertRegex(self.query("s", "draft.txt").decode(),
                         r"v1\.txt  \(stored\)  differs in bytes \d+-\d+, .* of its canonical text\n")

    def test_a_stored_text_is_not_read_as_a_document(self):
        """It is neither decoded again, nor is its HTML taken out of it."""
        latin = " ".join(f"{word}é à" if i % 9 else word for i, word in enumerate(self.text))
        page = "# How a page is written\n\n    <!DOCTYPE html>\n\n" + " ".join(f"`<b>{word}</b>`" for word in self.text)
        for name, text, how in (("latin.txt", latin.encode("latin-1"), ["--encoding=latin-1"]),
                                ("page.md", page.encode(), ["--fold=nfc+space"])):
            self.write(f"kept/{name}", text)
            self.write(name, text.replace(self.text[200].encode(), b"another").replace(self.text[400].encode(), b"word"))
            self.good("add", "-q", "--store-text", *how, f"of-{name}", "kept")
            ask = ["query", "--json", *how[:name == "latin.txt"], f"of-{name}", name]
            before = json.loads(self.good(*ask))
            shutil.rmtree(self.folder / "kept")
            match = json.loads(self.good(*ask))
            self.assertEqual((before["source"], match["source"], match["offsets"]["b"]), ("original", "stored", "canonical"))
            self.assertEqual((match["edit"], len(match["differences"])), (before["edit"], 2))
            self.assertEqual([one["a"] for one in match["differences"]], [one["a"] for one in before["differences"]])

    def test_a_match_too_long_to_be_measured(self):
        """It is a match all the same, and so are the others."""
        text = prose(16000, 90)
        self.write("kept/long.txt", " ".join(text))
        self.write("kept/short.txt", " ".join(text[2000:4800]))
        self.write("part.txt", " ".join(text[2000:5000]))
        self.good("add", "-q", "--store-text", "s", "kept")
        shutil.rmtree(self.folder / "kept")
        found = [json.loads(line) for line in self.good("query", "--json", "--memory=256K", "s", "part.txt").splitlines()]
        self.assertEqual(self.names(found), ["short.txt", "long.txt"])
        self.assertTrue(found[0]["edit"]["exact"])
        self.assertEqual(found[1]["edit"]["why"], "the texts are too long for the memory allowed")

    def test_numbers_of_what_is_gone_agree(self):
        """Of sketches, too: no containment below the resemblance, and the truth is mostly within the intervals."""
        def shingles(words):
            return {tuple(words[i:i + 5]) for i in range(len(words) - 4)}

        texts = [prose(150 + 40 * i, 20 + i) for i in range(20)]
        for i, words in enumerate(texts):
            self.write(f"gone/{i}.txt", " ".join(words))
        self.add("gone")
        shutil.rmtree(self.folder / "gone")
        within, count = 0, 0
        for i, words in enumerate(texts):
            asked = changed(words[:len(words) - 7 * i], 40 + i) + prose(5 * i, 80)
            self.write("asked.txt", " ".join(asked))
            found, = [match for match in self.matches("-t.3", "asked.txt") if match["source"] == "gone"]
            a, b = shingles(asked), shingles(words)
            numbers = [found["resemblance"], found["containment"]["a_in_b"], found["containment"]["b_in_a"]]
            for number, truth in zip(numbers, (len(a & b) / len(a | b), len(a & b) / len(a), len(a & b) / len(b))):
                self.assertGreaterEqual(number["value"], numbers[0]["value"])
                within += number["low"] <= truth <= number["high"]
                count += 1
        self.assertEqual(count, 60)
        self.assertGreaterEqual(within, 51)

    def test_same_text_of_what_is_gone(self):
        (self.folder / "pile/v0.txt").unlink()
        found = self.matches("draft.txt")[0]
        self.assertEqual((found["relation"], found["source"]), ("same-text", "gone"))
        self.assertEqual((found["edit"]["value"], found["edit"]["exact"]), (0, True))

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

    def test_how_large_a_family_may_be(self):
        for top, count in (3, 3), (8, 8), (0, 8):
            done = self.run_program("query", "--family", f"--top={top}", "--no-edits", "c", "draft.txt")
            self.assertEqual(done.stdout.count(b" from "), count)
            self.assertEqual(b"may be larger than 3 documents, and end there: 1" in done.stderr, count == 3, done)

    def test_family_goes_by_the_nearest(self):
        """Each is linked to the one most like it, of those that were found a step before."""
        found = self.matches("--family", "--no-edits", "pile/v0.txt")
        steps = {match["id"]: match["step"] for match in found}
        alike = {match["id"]: {other["id"]: other["resemblance"]["value"]
                               for other in self.matches("--contained=0", "--no-edits", "--top=0", match["id"])}
                 for match in found}
        choices = 0
        for match in found:
            before = {alike[name].get(match["id"], 0): name for name in steps if steps[name] == match["step"] - 1}
            choices += sum(value > 0 for value in before) > 1
            if before:
                self.assertEqual((match["query"], match["resemblance"]["value"]), (before[max(before)], max(before)))
        self.assertGreater(choices, 0)

    def test_families_of_many(self):
        """The same, whoever asks: threads or one, from files or from memory."""
        subjects = ["pile/v0.txt", "pile/other.txt", "pile/v7.txt", "draft.txt"]
        alone = self.query("--family", "--threads=1", "c", *subjects)
        self.assertEqual(self.query("--family", "--threads=3", "c", *subjects), alone)
        found = self.matches("--family", "--no-edits", "draft.txt")
        given = self.matches("--family", "--no-edits", "-", stdin=" ".join(self.text).encode())
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

    def test_family_of_records(self):
        """They are not looked for by their names, which would read the data set for each: places are in what is at hand."""
        versions = [(self.folder / f"pile/v{i}.txt").read_text() for i in range(8)]
        self.write("chain.jsonl", "".join(json.dumps({"text": version}) + "\n" for version in versions))
        self.good("add", "-q", "chain", "chain.jsonl")
        found = [json.loads(line) for line in self.query("--json", "--family", "chain", "draft.txt").splitlines()]
        offsets = {match["offsets"]["a"] for match in found if match["step"] > 1}
        self.assertEqual((len(found), offsets), (8, {"canonical"}))

    def test_explain(self):
        text = self.query("--explain", "c", "draft.txt").decode()
        for word in ("asked about 1 document", "candidates", "verified", "reading", "finding"):
            self.assertIn(word, text)
        last = self.matches("--explain", "draft.txt")[-1]["explain"]
        self.assertEqual((last["via"], last["documents"], last["problems"]), ("auto", 1, 0))

    def test_explain_says_what_was_chosen(self):
        """Not what might have been: so small a collection is read."""
        self.good("add", "-q", "--parts=minima+samples+bits+groups", "--group-bits=4", "g", "pile")
        explain = lambda *how: json.loads(self.query("--json", "--explain", "--no-edits", *how, "draft.txt", "pile/v1.txt")
                                          .splitlines()[-1])["explain"]
        for collection, via, ways in (("c", "auto", {"all_minima": 2, "all_samples": 2}), ("c", "bands", {"bands": 2}),
                                      ("c", "samples", {"samples": 2}), ("c", "h", {"all_bits": 2}),
                                      ("c", "mih", {"all_bits": 2}), ("g", "h", {"h": 2}), ("g", "mih", {"mih": 2})):
            told = explain(f"--via={via}", "-t.9", collection)
            self.assertEqual((told["via"], told["ways"]), (via, ways), collection)
            self.assertEqual(told["bands"] > 0, "bands" in ways)
            self.assertEqual(told["scan_agree"] > 0, "all_minima" in ways)
            self.assertEqual(told["lookups"] > 0, not all(way.startswith("all") for way in ways), via)
        words = self.query("--explain", "c", "draft.txt").decode()
        self.assertRegex(words, r"ways +all minima read for 1 document: \d+ of 128 in common at least\n"
                                r" +all minima and samples read for 1 document\n")
        self.assertNotIn("bands", words)
        for how in [], ["--hamming"]:
            self.assertGreater(explain(*how, "c")["seconds_reading"], 0)
        self.assertRegex(self.query("--hamming", "--explain", "c", "draft.txt").decode(), r"reading +\d.*\n +finding +\d")

    def test_candidates_are_counted_once(self):
        """Also those that are too many to be compared, and found both ways."""
        words = prose(300, 33)
        lines = [json.dumps({"id": f"{i}", "text": " ".join([*words, f"e{i}"])}) for i in range(1500)]
        self.write("many.jsonl", "\n".join(lines))
        self.good("add", "-q", "many", "many.jsonl")
        self.write("asked", " ".join(words))
        for how in ["--via=scan"], ["--via=scan", "--top=0"]:
            told = self.query("--json", "--explain", "--no-edits", *how, "many", "asked").splitlines()[-1]
            told = json.loads(told)["explain"]
            self.assertEqual((told["candidates"], told["verified"] + told["unverified"]), (1500, 1500), how)

    def test_collections_that_keep_less(self):
        """What they keep is asked, and what cannot be asked is said."""
        for parts, ways, note in (("minima", {"all_minima": 1}, True), ("bits", {"all_bits": 1}, True),
                                  ("bits+groups", {"all_bits": 1}, True),
                                  ("minima+samples", {"all_minima": 1, "all_samples": 1}, False)):
            self.good("add", "-q", f"--parts={parts}", parts, "pile")
            found = [json.loads(line) for line in
                     self.query("--json", "--no-edits", "--explain", "-t.5", "--top=3", parts, "draft.txt").splitlines()]
            self.assertEqual(self.names(found[:-1]), ["v0.txt", "v1.txt", "v2.txt"], parts)
            self.assertEqual(found[-1]["explain"]["ways"], ways)
            self.query(parts, "draft.txt", says=b"keeps no samples: only what resembles" if note else b"")
            self.query("-q", parts, "draft.txt")
            if note:
                self.query("--contained=.8", parts, "draft.txt", code=2, says=b"contains")
                self.query("-t0", parts, "draft.txt", code=2, says=b"contains")
        seen = self.run_program("seen", "--dry-run", "minima", stdin=b"draft.txt\n")
        self.assertRegex(seen.stdout.decode(), r"same-text +1  draft\.txt  ->  .*v0\.txt\n")

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
        for value in ("-.01", "5"):
            self.query("-t", value, "c", "draft.txt", code=2,
                       says=f"--threshold: '{value}' is not a number from 0 to 1".encode())
        self.query("-t", "0", "--via=h", "c", "draft.txt", code=2, says=b"h finds what resembles")
        self.query("--via=magic", "c", "draft.txt", code=2, says=b"magic")
        self.query("-0", "c", "draft.txt", code=2, says=b"--files-from")

    def test_one_of_several_cannot_be_read(self):
        done = self.query("c", "missing.txt", "draft.txt", code=2, says=b"missing.txt")
        self.assertIn(b"v0.txt", done)
        self.write("names", "missing.txt\ndraft.txt\n")
        self.query("c", "--files-from=names", says=b"missing.txt")
        self.query("--strict", "c", "--files-from=names", code=2, says=b"missing.txt")

    def test_what_was_named_is_known_by_any_name(self):
        """Its path as given, its whole path, another link to it, or twice the same."""
        os.mkdir(self.folder / "broken")
        self.write("broken/one.gz", b"\x1f\x8b\x08")
        os.link(self.folder / "broken/one.gz", self.folder / "two.gz")
        for names in (["./broken/one.gz"], [str(self.folder / "broken/one.gz")], ["broken/one.gz", "two.gz"], ["two.gz", "two.gz"]):
            for command in ["query", "c"], ["scan"]:
                done = self.run_program(*command, *names)
                self.assertEqual(done.returncode, 2, (command, names, done.stderr))
        self.assertEqual(self.run_program("scan", "draft.txt", "broken").returncode, 0)

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

    def write_pages(self):
        """The manual, and of each page versions that lack some lines."""
        for page in sorted((SOURCE / "docs/man").glob("stemma-[a-m]*")):
            lines = page.read_text().splitlines()
            for every in 1000, 80, 30, 12:
                kept = [line for i, line in enumerate(lines) if i % every != every - 1]
                self.write(f"pages/{page.name}-{every}", "\n".join(kept))

    def test_ways_agree_on_real_pages(self):
        """Scan, G, H and multi-index hashing: the same documents, at the same distances."""
        self.write_pages()
        refused = pairs = 0
        for bits in 64, 400, 1000:
            self.good("add", f"c{bits}", "pages", "--parts=bits+groups", f"--hamming-bits={bits}", "--group-bits=4")
            for threshold in ".55", ".7", ".8", ".9", ".95":
                ask = ["query", "--hamming", "--json", "-t", threshold, f"c{bits}", "pages"]
                scanned = self.run_program(*ask, "--via=scan").stdout
                pairs += scanned.count(b"distance") - len(os.listdir(self.folder / "pages"))
                for via in "g", "h", "mih", "auto":
                    done = self.run_program(*ask, f"--via={via}")
                    if via == "g" and b"choices" in done.stderr:
                        refused += 1
                    else:
                        self.assertEqual((done.stdout, done.stderr), (scanned, b""), (bits, threshold, via))
        self.assertGreater(pairs, 100)
        self.assertLess(refused, 11)  # of 15: with 64 bits G answers

    def test_standard_input_of_records(self):
        lines = [json.dumps({"id": "r", "text": " ".join(self.text)}), json.dumps({"text": "something else"}), "{"]
        found = self.query("--no-edits", "c", "-", stdin="\n".join(lines).encode(), says=b"line 3 of '-' is broken JSON")
        self.assertRegex(found.decode(), r"(?s)\Ar\n .*v0\.txt.*\n\n-:2\n  nothing like it\n\n1 of 2 documents is new\n\Z")
        marked = self.query("--no-edits", "c", "-", stdin=("\ufeff" + "\n".join(lines[:2])).encode())
        self.assertEqual(marked, found)
        self.assertEqual(self.query("c", "-", stdin=b'{"a": 1}', code=1), b"-\n  nothing like it\n")

    def test_standard_input_of_a_table(self):
        """A text may begin with anything: which column is the text has to be said."""
        rows = "key,body\nr,{}\ns,something else\n".format(" ".join(self.text))
        marked = "\ufeffbody,key\n{},r\nsomething else,s\n".format(" ".join(self.text))
        for table in rows, marked, rows.replace(",", "\t"), '"key","body"' + rows[8:].replace("\n", "\r\n"):
            found = self.query("--no-edits", "--text-field=body", "--id-field=key", "c", "-", stdin=table.encode())
            self.assertRegex(found.decode(), r"(?s)\Ar\n .*v0\.txt.*\n\ns\n  nothing like it\n\n1 of 2 documents is new\n\Z")
        self.assertRegex(self.query("--no-edits", "--text-field=2", "c", "-", stdin=rows.encode()).decode(), r"(?s)\A-:2\n .*v0\.txt.*\n\n-:3\n")
        for how in [], ["--text-field=other"], ["--text-field=3"]:
            found = self.query("--no-edits", "--contained=.5", *how, "c", "-", stdin=rows.encode())
            self.assertRegex(found.decode(), r"(?s)\A-\n .*v0\.txt")

    def test_records_are_the_same_wherever_they_come_from(self):
        """From a pipe, from a file as standard input, in the middle of one, and named."""
        path = self.folder / "pile/set.jsonl"
        content = path.read_bytes()
        for how in [], ["--hamming"]:
            named = self.matches(*how, "--no-edits", "pile/set.jsonl")
            self.assertEqual(len({match["query"] for match in named}), 6)
            self.assertEqual(self.matches(*how, "--no-edits", "-", stdin=content), named)
            for begin, left_out in (0, None), (content.index(b"\n") + 1, "r0"):
                with path.open("rb", buffering=0) as file:
                    file.seek(begin)
                    done = subprocess.run([PROGRAM, "query", "--json", *how, "--no-edits", "c", "-"],
                                          cwd=self.folder, stdin=file, capture_output=True)
                self.assertEqual([json.loads(line) for line in done.stdout.splitlines()],
                                 [match for match in named if match["query"] != left_out])

    def test_standard_input_is_read_as_files_are(self):
        """Data sets and archives, compressed and not, piped and not: as under a name, which is '-' then."""
        text = " ".join(self.text)
        table = f"id,text\nr0,{text}\nr1,something else\n"
        lines = "".join(json.dumps({"id": f"r{i}", "text": body}) + "\n" for i, body in enumerate((text, "something else")))
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            member = tarfile.TarInfo("inside.txt")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
        box = f"From a@b.c Mon Jan  1 00:00:00 2024\nFrom: a@b.c\nSubject: x\n\n{text}\n\n"
        for name, content in (("asked.csv", table.encode()), ("asked.csv.gz", gzip.compress(table.encode())),
                              ("semi.csv", table.replace(",", ";").encode()), ("asked.jsonl.gz", gzip.compress(lines.encode())),
                              ("asked.tgz", packed.getvalue()), ("asked.mbox", box.encode()), ("asked.txt.gz", gzip.compress(text.encode()))):
            (self.folder / name).write_bytes(content)
            for arguments in ["query", "--no-edits", "--json", "c"], ["query", "--hamming", "--json", "c"], ["known", "--json", "c"], ["text", "--json"]:
                named = self.run_program(*arguments, name).stdout.replace(name.encode(), b"-")
                expected = {"query": b"v0.txt", "known": b'"verdict":"known"', "text": b'"-'}[arguments[0]]
                self.assertIn(expected, named, (name, arguments))
                self.assertEqual(self.run_program(*arguments, "-", stdin=content).stdout, named, (name, arguments))
                with (self.folder / name).open("rb") as file:
                    done = subprocess.run([PROGRAM, *arguments, "-"], cwd=self.folder, stdin=file, capture_output=True)
                self.assertEqual(done.stdout, named, (name, arguments))

    def test_standard_input_has_its_place_among_documents(self):
        self.write("new.txt", "something else")
        text = " ".join(self.text).encode()
        for names in ["-", "new.txt"], ["new.txt", "-"], ["-", "new.txt", "-"]:
            found = self.query("--no-edits", "c", *names, stdin=text).decode()
            self.assertEqual(found.find("new.txt\n") > found.find("-\n "), names[0] == "-", found)
        self.write("names", "new.txt\n-\n")
        self.assertIn(b"v0.txt", self.query("--no-edits", "c", "--files-from=names", stdin=text))
        self.bad("query", "c", "--files-from=-", stdin=b"new.txt\n-\n", says="standard input can be read only once")

    def test_more_than_are_shown(self):
        for number in range(12):
            self.write(f"many/{number}.txt", f"{' '.join(self.text)} {number}")
        self.good("add", "--quiet", "m", "many")
        self.write("asked.txt", " ".join(self.text))
        says = "  the best 10; there may be more (--top=0 has all)\n"
        self.assertTrue(self.good("query", "--no-edits", "m", "asked.txt").endswith(says))
        for top in "0", "10", "12":
            self.assertNotIn(says, self.good("query", "--no-edits", f"--top={top}", "m", "asked.txt"))

    def test_a_word_is_no_table(self):
        content = "text\n" + " ".join(self.text)
        self.assertEqual(json.loads(self.run_program("text", "--json", "-", stdin=content.encode()).stdout)["id"], "-")
        self.assertRegex(self.query("--no-edits", "--contained=.5", "c", "-", stdin=content.encode()).decode(), r"\A-\n")
        self.query("--id-field=key", "c", "-", stdin=b"id,text\n1,one\n", code=2, says=b"has no column 'key'")

    def test_a_document_on_standard_input_that_memory_cannot_hold(self):
        text = " ".join(prose(400000, 77)).encode()
        (self.folder / "large").write_bytes(text)
        for arguments in ["known", "--json", "--memory=16M", "c"], ["query", "--hamming", "--json", "--memory=16M", "c"]:
            named = self.run_program(*arguments, "large")
            self.assertEqual(self.run_program(*arguments, "-", stdin=text).stdout, named.stdout.replace(b'"large"', b'"-"'))

    def test_two_records_in_a_line(self):
        """None is taken for the line: the other would be lost without a word."""
        one, two = json.dumps({"id": "a", "text": " ".join(self.text)}), json.dumps({"id": "b", "text": "two"})
        found = self.query("--no-edits", "c", "-", stdin=f"{two}\n{one}{two}\n".encode(), code=1,
                           says=b"line 2 of '-' is broken JSON")
        self.assertEqual(found, b"b\n  nothing like it\n")

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
