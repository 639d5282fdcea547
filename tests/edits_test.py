#!/usr/bin/env python3
"""What compare says of edit distances and places.     edits_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]"""
import json
import sys
import unittest

from program import Base, words


def levenshtein(a, b):
    """The obvious one: a row of the matrix at a time."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(above + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


class Edits(Base):
    def edit(self, *arguments):
        return json.loads(self.good("compare", "--json", *arguments))

    def test_distance_is_that_of_the_canonical_text(self):
        self.write("a", "The quick, brown fox\njumps over the lazy dog.")
        self.write("b", "the QUICK brown cat jumps over a lazy dog")
        found = self.edit("a", "b")["edit"]
        expected = levenshtein("the quick brown fox jumps over the lazy dog", "the quick brown cat jumps over a lazy dog")
        self.assertEqual((found["value"], found["exact"], found["unit"]), (expected, True, "characters"))
        self.assertEqual((found["length_a"], found["length_b"]), (43, 41))
        self.write("a", b"\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97")
        self.write("b", b"\xe4\xb8\xad\xe6\x96\x87")
        self.assertEqual(self.edit("a", "b")["edit"]["value"], 1) # a character, and no space that sets it off
        for options, value, unit in ((["--unit=byte"], 3, "bytes"), (["--unit=char"], 1, "characters")):
            found = self.edit("--preset=raw", *options, "a", "b")["edit"]
            self.assertEqual((found["value"], found["unit"]), (value, unit))

    def test_short_texts_that_are_close_are_called_so(self):
        """Every window of five words has the one that was changed; the relation is that of the windows."""
        self.write("a", "the cat sat on the mat")
        self.write("b", "the cat lay on the mat")
        said = self.good("compare", "a", "b")
        self.assertRegex(said, r"\Aunrelated ")
        self.assertRegex(said, r"but close +2 edits, where chance would leave about 1\d:.*--window=2")
        self.write("b", "completely different words stand here now")
        self.assertNotIn("but close", self.good("compare", "a", "b"))

    def test_same_text(self):
        self.write("a", "one two")
        self.write("b", "One,  two!")
        self.write("empty", "")
        for pair in (("a", "a"), ("a", "b"), ("empty", "empty")):
            found = self.edit(*pair)
            self.assertEqual((found["edit"]["value"], found["edit"]["exact"], found["edit"]["kind"]), (0, True, "none"))
            self.assertEqual(found["differences"], [])
            self.assertNotIn("where", self.good("compare", *pair))
        self.assertEqual(self.edit("a", "empty")["edit"]["value"], 7)

    def test_places(self):
        text = words(400)
        changed = text[:100] + text[160:300] + ["new"] * 9 + text[301:]
        self.write("a", "\n".join(text))
        self.write("b", "\n".join(changed))
        found = self.edit("a", "b")
        self.assertEqual([d["kind"] for d in found["differences"]], ["delete", "replace"])
        deleted = found["differences"][0]["a"]
        self.assertEqual((deleted["first_line"], deleted["last_line"]), (101, 160))
        original = "\n".join(text).encode()
        self.assertEqual(original[deleted["begin"]:deleted["end"]].decode().split("\n"), text[100:160])
        self.assertEqual(found["offsets"], {"a": "original", "b": "original"})
        self.assertEqual([p["tokens"] for p in found["shared"]], [140, 100, 99])

    def test_estimates_hold_the_truth(self):
        text = words(6000)
        changed = [word if i % 50 else "other" for i, word in enumerate(text)] + words(300, seed=4)
        self.write("a", " ".join(text))
        self.write("b", " ".join(changed))
        truth = self.edit("--edit=exact", "a", "b")["edit"]["value"]
        self.good("sketch", "-q", "--signature", "-o", "plain", "a", "b")
        self.good("sketch", "-q", "--signature", "--positions", "-o", "placed", "a", "b")
        for found in (self.edit("--edit=estimate", "a", "b"), self.edit("plain#a", "plain#b"),
                      self.edit("placed#a", "placed#b"), self.edit("plain#a", "b")):
            self.assertFalse(found["edit"]["exact"])
            self.assertTrue(found["edit"]["low"] <= truth <= found["edit"]["high"], (truth, found["edit"]))
            self.assertLess(found["edit"]["p_unrelated"], 1e-9)
        last = self.edit("placed#a", "placed#b")["differences"][-1]["b"]
        self.assertLess(last["begin"], len(" ".join(changed[:6000])))
        self.assertEqual(last["end"], len(" ".join(changed)))
        self.assertIn("places may be off", self.good("compare", "plain#a", "plain#b"))
        self.good("sketch", "-q", "-o", "without", "b")
        self.assertIn("edit distance not known: it needs a signature", self.good("compare", "plain#a", "without"))

    def test_limits(self):
        self.write("a", " ".join(words(900)))
        self.write("b", " ".join(words(900, seed=2)))
        found = self.edit("--edit=exact", "--edit-limit=10", "a", "b")["edit"]
        self.assertFalse(found["exact"])
        self.assertGreaterEqual(found["more_than"], 10)
        self.assertGreater(found["low"], found["more_than"])
        self.assertRegex(self.good("compare", "--edit-limit=10", "a", "b"), r"edit distance more than \d+; about")
        self.assertEqual(self.edit("--memory=1", "a", "b")["relation"], self.edit("a", "b")["relation"])

    def test_unasked(self):
        self.write("a", "one two three four five six")
        self.assertIn("edit", self.edit("a", "a"))
        self.assertNotIn("edit", self.edit("--edit=none", "a", "a"))
        self.assertNotIn("edit", json.loads(self.good("compare", "--json", "-", "a", stdin=b"one two three")))
        self.assertNotIn("edit", json.loads(self.good("compare", "--json", "--pairs-from=-", stdin=b"a\ta\n")))
        asked = self.good("compare", "--json", "--edit=exact", "--pairs-from=-", stdin=b"a\ta\n")
        self.assertEqual(json.loads(asked)["edit"]["value"], 0)
        self.bad("compare", "--edit=often", "a", "a", says="often")
        self.bad("compare", "--edit-limit=0", "a", "a", says="at least 1")

    def test_long_names_keep_the_cause(self):
        self.bad("compare", "/".join(["x" * 200] * 10), "/dev/null", says="no such file or directory")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
