#!/usr/bin/env python3
"""Edit-distance signatures in a collection, as a user meets them: documents that can no longer be read."""
import json
import random
import shutil
import sys
import unittest

from program import Base, prose


def change(lines, seed):
    """Two blocks of lines are others, one is gone, and here and there a line is another; and the blocks, as first
    and last line of the result."""
    chance, quarter, out, blocks = random.Random(seed), len(lines) // 4, [], []
    other = lambda number: " ".join(prose(9, seed * 1000 + number))
    for number, line in enumerate(lines):
        within = number % quarter
        if number // quarter in (1, 2) and within < 7:
            out.append(other(number))
            if within == 6:
                blocks.append((len(out) - 6, len(out)))
        elif number // quarter == 3 and within < 9:
            if within == 8:
                blocks.append((len(out), len(out) + 1))  # between which there is nothing any more
        else:
            out.append(other(number) if chance.random() < .005 else line)
    return out, blocks


class Signatures(Base):
    def setUp(self):
        super().setUp()
        self.documents, self.blocks = {}, {}
        for i in range(6):
            words = prose(1200 + 300 * i, 70 + i)
            lines = [" ".join(words[k:k + 9]) for k in range(0, len(words), 9)]
            version, self.blocks[f"{i}.txt"] = change(lines, i)
            self.documents[f"{i}.txt"] = lines
            self.write(f"pile/{i}.txt", "\n".join(lines))
            self.write(f"ask/{i}.txt", "\n".join(version))
        self.settle()

    def lose(self):
        """One has changed, the others are gone."""
        shutil.move(self.folder / "pile", self.folder / "was")
        self.write("pile/1.txt", "something else, since")

    def matches(self, *arguments, collection="c"):
        return [json.loads(line) for line in self.good("query", "--json", collection, *arguments).splitlines()]

    def asked(self, collection="c"):
        """The best match of each document."""
        found = {}
        for match in self.matches("--contained=0", "ask", collection=collection):
            found.setdefault(match["query"][len("ask/"):], match)
        self.assertEqual(set(found), set(self.documents))
        return found

    def exact(self, name):
        return json.loads(self.good("compare", "--json", "--edit=exact", f"ask/{name}", f"was/{name}"))["edit"]

    # ---- what is said ----

    def test_gone_and_changed(self):
        self.good("add", "-q", "--signature", "c", "pile")
        self.lose()
        held = 0
        for name, match in self.asked().items():
            edit, truth = match["edit"], self.exact(name)
            self.assertEqual(match["source"], "changed" if name == "1.txt" else "gone")
            self.assertFalse(edit["exact"])
            self.assertTrue(edit["low"] <= edit["value"] <= edit["high"])
            held += edit["low"] <= truth["value"] <= edit["high"]
            for key in "unit", "length_a", "length_b":
                self.assertEqual(edit[key], truth[key])
            self.assertIn(edit["kind"], ("blocks", "mixed", "scattered"))
            self.assertLess(edit["p_unrelated"], 1e-9)
            self.assertTrue(edit["unrelated"]["low"] > edit["high"])
        self.assertGreaterEqual(held, 5)

    def test_where(self):
        """In the document asked about places are exact, and blocks that are longer than the rate are seen."""
        self.good("add", "-q", "--signature", "c", "pile")
        self.lose()
        seen = all_of_them = 0
        for name, match in self.asked().items():
            self.assertEqual(match["offsets"], {"a": "original", "b": "characters of the canonical text, about"})
            text, at = (self.folder / "ask" / name).read_text(), 0
            for one in match["differences"]:
                self.assertIn(one["kind"], ("insert", "delete", "replace"))
                a, b = one["a"], one["b"]
                self.assertTrue(at <= a["begin"] <= a["end"] <= len(text), match)
                self.assertEqual(text[:a["begin"]].count("\n") + 1, a["first_line"])
                at = a["end"]
                self.assertEqual(set(b), {"begin", "end", "margin"})
                self.assertTrue(b["begin"] <= b["end"] <= match["edit"]["length_b"])
            for first, last in self.blocks[name]:
                seen += any(one["a"]["first_line"] <= last and first <= one["a"]["last_line"] for one in match["differences"])
                all_of_them += 1
        self.assertGreater(seen, .8 * all_of_them)

    def test_words(self):
        self.good("add", "-q", "--signature", "c", "pile")
        self.lose()
        told = self.good("query", "--contained=0", "c", "ask/0.txt", "ask/1.txt")
        self.assertRegex(told, r"near-duplicate +~\.\d+ .* +~[\d,]+  .*/0\.txt  \(gone\)  differs within lines? \d.* of the query\n")
        self.assertRegex(told, r"/1\.txt  \(changed\)  differs within lines? \d.* of the query\n")
        self.assertNotIn("differs", self.good("query", "--no-edits", "c", "ask/0.txt"))

    def test_of_a_record_places_are_in_its_canonical_text(self):
        self.good("add", "-q", "--signature", "c", "pile")
        self.lose()
        text = (self.folder / "ask/2.txt").read_text()
        self.write("q.jsonl", json.dumps({"id": "r", "text": text.upper()}) + "\n")
        match, = self.matches("--top=1", "q.jsonl")
        self.assertEqual(match["offsets"]["a"], "canonical")
        self.assertTrue(all(one["a"]["first_line"] == one["a"]["last_line"] == 1 for one in match["differences"]))
        self.assertRegex(self.good("query", "c", "q.jsonl"), r"within bytes \d+-\d+.* of the query's canonical text\n")

    def test_the_same_text_is_no_edit_away(self):
        self.good("add", "-q", "--signature", "c", "pile")
        text = (self.folder / "pile/3.txt").read_text()
        self.lose()
        self.write("q.txt", text.replace(" ", "  "))
        match, = self.matches("--top=1", "q.txt")
        self.assertEqual((match["relation"], match["edit"]["value"], match["edit"]["exact"]), ("same-text", 0, True))
        self.assertNotIn("differences", match)

    def test_where_texts_can_be_read_nothing_changes(self):
        self.good("add", "-q", "--signature", "c", "pile")
        self.good("add", "-q", "without", "pile")
        self.assertEqual(self.asked(), self.asked("without"))
        self.good("add", "-q", "--store-text", "--signature", "stored", "pile")
        self.lose()
        found = self.asked("stored")
        self.assertTrue(all(match["source"] == "stored" and match["edit"]["exact"] for match in found.values()))

    def test_families_of_what_is_gone(self):
        """Members are asked about by their signatures, which have no places."""
        version = list(self.documents["0.txt"])
        for i in range(9):
            self.write(f"versions/{i}.txt", "\n".join(version))
            version[9 * i:9 * i + 9] = [" ".join(prose(9, 900 + 10 * i + k)) for k in range(9)]
        (self.folder / "versions/8.txt").rename(self.folder / "q.txt")
        self.good("add", "-q", "--signature", "c", "versions")
        shutil.rmtree(self.folder / "versions")
        found = self.matches("--family", "q.txt")
        self.assertTrue(any(match["step"] > 1 for match in found))
        for match in found:
            self.assertIsNotNone(match["edit"]["value"], match)
            placed = match["step"] == 1
            self.assertEqual(match["offsets"]["a"] == "original", placed)
            self.assertTrue(all(("margin" in one["a"]) != placed for one in match["differences"]))

    def test_scripts_without_spaces(self):
        """Characters count there, not the spaces that set words off."""
        chance = random.Random(8)
        text = "".join(chr(0x4e00 + chance.randrange(3000)) + ("\u3002" if i % 17 == 16 else "") for i in range(3000))
        changed = "".join(chr(0x4e00 + chance.randrange(3000)) if chance.random() < .01 else c for c in text)
        self.write("pile/zh.txt", text)
        self.write("ask/zh.txt", changed[:2000] + changed[2200:])
        self.good("add", "-q", "--signature", "c", "pile/zh.txt")
        self.good("add", "-q", "--store-text", "stored", "pile/zh.txt")
        exact = json.loads(self.good("compare", "--json", "--edit=exact", "ask/zh.txt", "pile/zh.txt"))["edit"]
        shutil.rmtree(self.folder / "pile")
        match, = self.matches("-t.4", "ask/zh.txt")
        self.assertEqual(match["source"], "gone")
        self.assertTrue(match["edit"]["low"] * .9 <= exact["value"] <= match["edit"]["high"], (match["edit"], exact))
        self.assertTrue(.9 * exact["length_b"] <= match["edit"]["length_b"] <= exact["length_b"])
        stored, = self.matches("-t.4", "ask/zh.txt", collection="stored")
        self.assertTrue(stored["edit"]["exact"])
        self.assertTrue(.9 * exact["value"] <= stored["edit"]["value"] <= exact["value"], (stored["edit"], exact))

    def test_known(self):
        """How far a file is from the version that has most of it."""
        chance = random.Random(9)
        blob = chance.randbytes(30000)
        self.write("old/tool.bin", blob)
        self.write("new/tool.bin", blob[:9000] + chance.randbytes(700) + blob[9700:20000] + blob[20400:])
        self.write("new/copy.bin", blob)
        self.good("add", "-q", "--preset=raw", "--unit=byte", "--parts=samples+signature", "k", "old")
        self.good("add", "-q", "--preset=raw", "--unit=byte", "--parts=samples", "without", "old")
        exact = json.loads(self.good("compare", "--json", "--edit=exact", "--preset=raw", "--unit=byte", "new/tool.bin", "old/tool.bin"))
        shutil.rmtree(self.folder / "old")
        told = {line["file"]: line for line in map(json.loads, self.good("known", "--json", "k", "new").splitlines())}
        edit = told["new/tool.bin"]["edit"]
        self.assertTrue(edit["low"] <= exact["edit"]["value"] <= edit["high"])
        self.assertEqual((edit["unit"], edit["exact"], edit["length_a"]), ("bytes", False, 29600))
        self.assertEqual(told["new/copy.bin"]["edit"]["value"], 0)
        self.assertRegex(self.good("known", "k", "new"), r"most like .*/old/tool\.bin \(~\.\d+, about [\d,]+ edits\)\n")
        large = json.loads(self.good("known", "--json", "--memory=1M", "k", "new/tool.bin"))  # read in pieces
        self.assertEqual(large["edit"], edit)
        told = [json.loads(line) for line in self.good("known", "--json", "without", "new").splitlines()]
        self.assertEqual([line["file"] for line in told if "edit" in line], ["new/copy.bin"])

    # ---- how it is kept ----

    def test_a_collection_without(self):
        self.good("add", "-q", "c", "pile")
        self.lose()
        for match in self.asked().values():
            self.assertIsNone(match["edit"]["value"])
            self.assertRegex(match["edit"]["why"], r"signatures are not kept \(stemma add --signature\)$")
            self.assertNotIn("differences", match)
        told = self.good("query", "--explain", "--contained=0", "c", "ask")
        self.assertNotIn("differs", told)
        self.assertRegex(told, r"\n  not known +6 edit distances to what cannot be read: see --signature of 'stemma add'\n")
        self.assertEqual(self.matches("--explain", "--contained=0", "ask")[-1]["explain"]["unmeasured"], 6)
        self.assertRegex(self.good("info", "c"), r"\nnot kept   groups, signatures, texts: ")
        told = json.loads(self.good("info", "--json", "c"))
        self.assertNotIn("signature_symbols", told)
        self.assertNotIn("signatures", [part["part"] for part in told["parts"]])

    def test_symbols(self):
        """More of them tell more, and take more room."""
        widths, sizes = {}, {}
        for symbols in 16, 64, 1024:
            self.good("add", "-q", f"--signature-symbols={symbols}", f"c{symbols}", "pile")
            told = json.loads(self.good("info", "--json", f"c{symbols}"))
            self.assertEqual(told["signature_symbols"], symbols)
            sizes[symbols] = {part["part"]: part["bytes"] for part in told["parts"]}["signatures"]
        self.lose()
        for symbols in 16, 64, 1024:
            edits = [match["edit"] for match in self.asked(f"c{symbols}").values()]
            widths[symbols] = sum((edit["high"] - edit["low"]) for edit in edits)
        self.assertTrue(widths[16] > widths[64] > widths[1024], widths)
        self.assertTrue(sizes[16] < sizes[64] < sizes[1024], sizes)
        for symbols in "63", "100", "8", "131072":
            self.bad("add", f"--signature-symbols={symbols}", "new", "was")
            self.assertFalse((self.folder / "new").exists())
        for option in "--signature-symbols=16", "--signature":
            self.assertIn("chosen when it was made", self.bad("add", option, "c16", "was"))

    def test_carried_along(self):
        """Whatever becomes of a collection, signatures say the same."""
        self.good("add", "-q", "--signature", "c", "pile")
        self.good("add", "-q", "--signature", "pieces", "pile/0.txt")
        for i in range(1, 6):
            self.good("add", "-q", "pieces", f"pile/{i}.txt")  # segments are merged
        for i in range(20):
            self.write(f"more/{i}.txt", " ".join(prose(200, 500 + i)))
        self.good("add", "-q", "--signature", "removed", "pile", "more")
        self.good("remove", "-q", "removed", f"{self.folder}/more/*")  # and written again without them
        self.good("add", "-q", "--signature", "resized", "pile")
        self.good("add", "-q", "--hamming-bits=640", "resized")
        self.good("add", "-q", "--hamming-bits=136", "resized")
        self.good("export", "-oexported", "c")
        self.good("merge", "-q", "merged", "exported")
        self.good("add", "-q", "--hamming-bits=640", "merged")
        self.good("add", "-q", "--hamming-bits=400", "merged")
        self.good("merge", "-q", "merged", "c")  # whose parts are in another order
        self.good("backup", "-q", "c", "backed")
        self.good("seen", "-q", "--signature", "stream", stdin="".join(f"{self.folder}/pile/{i}.txt\n" for i in range(6)).encode())
        self.lose()
        wanted = self.asked()
        for collection in "pieces", "removed", "resized", "merged", "backed", "stream":
            self.good("verify", "-q", collection)
            found = self.asked(collection)
            for name, match in wanted.items():
                for key in "edit", "differences", "source":
                    self.assertEqual(found[name][key], match[key], (collection, name))

    def test_merged_with_others(self):
        """Signatures stay, are made again, or left out; those of fewer symbols are good enough."""
        (self.folder / "nothing").mkdir()
        merged = lambda into, other: json.loads(self.good("merge", "--json", into, other))
        for name, parts in ("c", ["--signature"]), ("without", []), ("few", ["--signature-symbols=16"]):
            self.good("add", "-q", *parts, name, "pile")
            self.good("add", "-q", *parts, f"{name}-empty", "nothing")
        self.assertEqual(merged("c", "without")["unchanged"], 6)
        self.assertEqual(merged("c-empty", "without")["made_again"], 6)
        self.assertEqual(merged("without-empty", "few")["left_out"], ["signatures"])
        self.assertNotIn("made_again", merged("few-empty", "few"))
        self.good("add", "-q", "--signature", "from-few", "nothing")
        self.assertNotIn("made_again", merged("from-few", "few"))
        self.lose()
        wanted, few = self.asked(), self.asked("few")
        for collection, like in ("c-empty", wanted), ("from-few", few):
            self.good("verify", "-q", collection)
            found = self.asked(collection)
            self.assertEqual({name: found[name]["edit"] for name in like}, {name: like[name]["edit"] for name in like})

    def test_texts_that_are_read_in_pieces(self):
        """The same rows, however little memory there is."""
        self.write("large/a.txt", " ".join(prose(300000, 1)))
        self.write("large/b.txt", " \u4e2d\u6587 ".join(prose(150000, 2)))
        self.write("large/c.txt", "\n".join(prose(900, 3)))
        self.settle()
        for view in [], ["--unit=line", "--window=1"]:
            for name, memory in ("much", "1G"), ("little", "1M"):
                self.good("add", "-q", "--signature", "--threads=1", f"--memory={memory}", *view, name, "large")
            exported = {name: self.run_program("export", name).stdout for name in ("much", "little")}
            self.assertEqual(exported["much"], exported["little"])
            for name in exported:
                shutil.rmtree(self.folder / name)

    def test_threads_make_the_same(self):
        for threads in 1, 3:
            self.good("add", "-q", "--signature", f"--threads={threads}", f"c{threads}", "pile", "ask")
        self.assertEqual(self.good("merge", "c1", "c3"), "c3: 0 added, 0 replaced, 12 unchanged\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
