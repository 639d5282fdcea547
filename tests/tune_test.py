#!/usr/bin/env python3
"""stemma tune: what it promises holds for documents that it did not see, and bad input is refused.

Collections of several kinds are divided into two halves. What is stated of the one is compared with what happens in the
other; tools/check-tune does the same with any folder.
"""
import json
import os
import random
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

from program import PROGRAM, Base, prose

HALF = 300  # documents


def sentences(source, count, vocabulary):
    """Sentences of words that are as unevenly common as in a language."""
    found = []
    for _ in range(count):
        words = [vocabulary[int(len(vocabulary) * source.random() ** 2)] for _ in range(source.randint(6, 20))]
        found.append(" ".join(words).capitalize() + ".")
    return found


def make_letters(source, count):
    """Texts of very different lengths that have nothing to do with each other."""
    vocabulary = ["".join(source.choices("etaoinshrdlucmfwyp", k=source.randint(2, 9))) for _ in range(8000)]
    for _ in range(count):
        text = sentences(source, int(source.lognormvariate(3, .8)) + 4, vocabulary)
        yield "\n\n".join("\n".join(text[i:i + 5]) for i in range(0, len(text), 5)) + "\n"


def make_forms(source, count, every=5):
    """Some are a form that was filled in, up to .8 of which is the same in all of them."""
    vocabulary = ["".join(source.choices("etaoinshrdlucmfwyp", k=source.randint(2, 9))) for _ in range(8000)]
    form = sentences(source, 60, vocabulary)
    for i in range(count):
        own = sentences(source, source.randint(14, 60), vocabulary)
        if i % every == 0:
            own = form[:source.randint(30, 60)] + own
        yield "\n".join(own) + "\n"


def make_laws(source, count):
    """A script without spaces."""
    vocabulary = ["".join(chr(0x4e00 + source.randrange(3000)) for _ in range(source.randint(1, 3))) for _ in range(8000)]
    for _ in range(count):
        lines = [sentence.replace(" ", "").replace(".", "。") for sentence in sentences(source, source.randint(5, 60), vocabulary)]
        yield "\n".join(lines) + "\n"


def packaged():
    """Licences of installed packages: real, and full of boilerplate."""
    return [path.read_bytes() for path in sorted(Path("/usr/share/doc").glob("*/copyright"))]


class Tune(Base):
    def tune(self, *arguments, **how):
        return json.loads(self.good("tune", "--json", *arguments, timeout=600, **how))

    def fill(self, name, texts):
        for i, text in enumerate(texts):
            self.write(f"{name}/{i:05}.txt", text)
        return name


def row_of(told, unit, window, threshold):
    view = next(v for v in told["views"] if (v["unit"], v["window"]) == (unit, window))
    return next(r for r in view["rows"] if abs(r["threshold"] - threshold) < 1e-9)


def half_width(quantity):
    return (quantity["high"] - quantity["low"]) / 2


def misses(stated, happened):
    """By how much a value lies outside, its own error by chance left aside; 0: it holds."""
    slack = half_width(happened)
    return max(0, stated["low"] - slack - happened["value"], happened["value"] - stated["high"] - slack)


class Promises(Tune):
    AIMS = ("dedup", "versions", "containment", "plagiarism")

    def halves(self, name, texts):
        texts = list(texts)
        random.Random(1).shuffle(texts)
        return self.fill(f"{name}/seen", texts[::2]), self.fill(f"{name}/unseen", texts[1::2])

    def check(self, name, texts, width=.02, aims=AIMS):
        seen, unseen = self.halves(name, texts)
        for aim in aims:
            told = self.tune(f"--for={aim}", seen)
            stated = told["recommended"]
            happened = row_of(self.tune(f"--for={aim}", "--seed=7", unseen), stated["unit"], stated["window"], stated["threshold"])
            for what in ("recall_of_copies", "precision", "false_removal"):
                with self.subTest(collection=name, aim=aim, what=what):
                    self.assertLessEqual(half_width(stated[what]), width)
                    self.assertEqual(misses(stated[what], happened[what]), 0, (stated[what], happened[what]))
            if max(half_width(stated["recall_of_copies"]), half_width(stated["precision"])) > .02:
                self.assertRegex(" ".join(told["warnings"]), "too few for intervals of .02")

    def test_letters(self):
        self.check("letters", make_letters(random.Random(1), 2 * HALF))

    def test_forms(self):
        """One family of forms is one case: what is looked for below its resemblance cannot be told precisely, and a note says so."""
        texts = list(make_forms(random.Random(2), 2 * HALF))
        self.check("forms", texts, aims=self.AIMS[:3])
        self.check("forms", texts, width=.25, aims=["plagiarism"])

    def test_laws(self):
        self.check("laws", make_laws(random.Random(3), 2 * HALF))

    def test_packages(self):
        texts = packaged()
        if len(texts) < 300:
            self.skipTest("too few packages are installed")
        self.check("packages", texts[:400], width=.05, aims=["dedup"])  # fewer different texts than files, in families

    def test_copies_are_made_until_recall_is_precise(self):
        letters = self.fill("more", make_letters(random.Random(1), 120))
        told = self.tune("--for=plagiarism", letters)
        self.assertGreater(told["copies"], 6 * 120)
        self.assertLessEqual(half_width(told["recommended"]["recall_of_copies"]), .02)

    def test_the_command_does_what_was_said(self):
        """Copies made by `stemma mutate` from documents not seen, and the scan that was recommended."""
        seen, unseen = self.halves("letters", make_letters(random.Random(4), 2 * HALF))
        told = self.tune(seen)
        files = sorted((self.folder / unseen).iterdir())[:120]
        source = random.Random(5)
        for i, path in enumerate(files):
            self.copy(path, told["changes"][i % len(told["changes"])]["steps"], source, i)
        command = shlex.split(told["recommended"]["command"])
        self.assertEqual(command[:2] + command[-1:], ["stemma", "scan", seen])
        pairs = [json.loads(line) for line in self.good(*command[1:-1], "--pairs", "--json", unseen).splitlines()]
        names = {frozenset(Path(pair[side]).name for side in "ab") for pair in pairs if "a" in pair}
        same = [json.loads(line) for line in self.good(*command[1:-1], "--json", unseen).splitlines()]
        for group in same:
            for member in group.get("members", []):
                if member["relation"] in ("identical", "same-text"):
                    names.add(frozenset((Path(group["kept"]["id"]).name, Path(member["id"]).name)))
        found = sum(frozenset((path.name, f"copy-{path.name}")) in names for path in files)
        recall = told["recommended"]["recall_of_copies"]
        error = 2 * (recall["value"] * (1 - recall["value"]) / len(files)) ** .5 + 1 / len(files)
        self.assertGreaterEqual(found / len(files), recall["low"] - error)

    def copy(self, path, steps, source, seed):
        text = path.read_bytes()
        for step in steps:
            other = ["--with=" + str(path.parent / "00299.txt")] if step["kind"] in ("embed", "insert-foreign") else []
            share = [] if step["kind"] == "rewrap" else [f"--share={source.uniform(step['least'], step['most']):.6f}"]
            text = self.good("mutate", f"--kind={step['kind']}", *share, f"--blocks={step['blocks']}", f"--seed={seed}", *other, "-",
                             stdin=text).encode()
        (path.parent / f"copy-{path.name}").write_bytes(text)


class Answers(Tune):
    def setUp(self):
        super().setUp()
        self.letters = self.fill("letters", make_letters(random.Random(1), 40))

    def test_words(self):
        text = self.good("tune", self.letters)
        self.assertRegex(text, r"40 of 40 documents that differ, with 240 changed copies: the same document once more")
        self.assertRegex(text, r"(?m)^\* \.\d+ +[.1]")
        self.assertRegex(text, r"Run:\n\n  stemma scan --unit=\w+ --window=\d+ --threshold=[.\d]+ --contained=0 letters\n\Z")
        self.assertEqual(self.good("tune", "-q", self.letters).count("\n"), 1)

    def test_the_command_runs(self):
        for aim in ("dedup", "versions", "containment", "plagiarism"):
            command = self.good("tune", "-q", f"--for={aim}", "--exclude=it's *", "--min-size=1", self.letters)
            self.assertIn("'--exclude=it'\\''s *'", command)
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True,
                                  env=dict(os.environ, PATH=f"{Path(PROGRAM).parent}:{os.environ['PATH']}"))
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)

    def test_names_like_options(self):
        self.write("-a/x", "one two three four five six seven")
        self.write("-b/y", "eight nine ten eleven twelve thirteen")
        self.assertRegex(self.good("tune", "-q", "--", "-a", "-b"), r" -- -a -b\n\Z")

    def test_help_speaks_of_tune(self):
        self.assertIn("what was measured, and what is proposed", " ".join(self.good("tune", "--help").split()))

    def test_the_same_again(self):
        def told(*more):
            found = self.tune(*more, self.letters)
            for view in found["views"]:
                del view["bytes_per_second"]
            return found
        self.assertEqual(told("--threads=1"), told("--threads=3"))
        self.assertNotEqual(told(), told("--seed=2"))

    def test_rows_are_in_order(self):
        for view in self.tune(self.letters)["views"]:
            recalls = [row["recall_of_copies"]["value"] for row in view["rows"]]
            self.assertEqual(recalls, sorted(recalls, reverse=True))
            for row in view["rows"]:
                for what in ("recall_of_copies", "precision", "false_removal"):
                    self.assertTrue(0 <= row[what]["low"] <= row[what]["value"] <= row[what]["high"] <= 1)

    def test_sketches(self):
        for aim in ("dedup", "containment"):
            sketches = self.tune(f"--for={aim}", self.letters)["sketches"]
            sizes = [sketch["bytes"] for sketch in sketches]
            self.assertEqual(sizes, sorted(sizes))
            self.assertGreater(sketches[-1]["recall_of_copies"]["value"], .8)
            self.assertLess(sketches[-1]["any_two"]["value"], .05)
            self.good("sketch", "--recipe=" + sketches[0]["recipe"], "--output=" + aim, "letters/00000.txt")

    def test_precision_depends_on_how_many_are_copies(self):
        forms = self.fill("forms", make_forms(random.Random(2), 60, every=2))
        many, few = (self.tune(f"--copies={share}", forms)["views"][0]["rows"][0] for share in (.5, .1))
        self.assertLess(few["precision"]["value"], many["precision"]["value"])
        self.assertEqual(few["false_removal"], many["false_removal"])

    def test_forms_with_little_of_their_own(self):
        """A name and a number are all that such a document has to lose, and a removal loses them."""
        source = random.Random(8)
        form = prose(300, 1)
        for i in range(60):
            own = "".join(source.choices("abcdefgh", k=7)), str(source.randrange(10 ** 6))
            self.write(f"invoices/{i}", " ".join(form[:100] + [own[0]] + form[100:200] + [own[1]] + form[200:]))
        told = self.tune("invoices")
        self.assertEqual(told["views"][0]["rows"][0]["false_removal"]["value"], 1)
        stated = told["recommended"]
        self.assertLess(stated["false_removal"]["value"], .01)
        summary = json.loads(self.good(*shlex.split(stated["command"])[1:], "--json").splitlines()[-1])["summary"]
        self.assertEqual(summary["redundant"], 0)

    def test_nothing_of_their_own(self):
        """Passages of one text, all of which many have: nothing can be removed falsely, and no precision is stated."""
        words = prose(600, 1)
        for i in range(60):
            self.write(f"passages/{i}", " ".join((words + words)[i * 10:i * 10 + 200]))
        told = self.tune("passages")
        precision = told["recommended"]["precision"]
        self.assertEqual((told["nothing_own"], precision["value"]), (60, None))
        self.assertIn("too few", precision["why"])
        self.assertRegex(" ".join(told["warnings"]), "100 % of the documents have nothing but .* too few to state precision")
        self.assertIn("not known", self.good("tune", "passages"))

    def test_natural_pairs(self):
        """Revised by hand, so to speak: which of them are found is shown, and decides between thresholds that are as good."""
        source = random.Random(9)
        letters = list(make_letters(source, 40))
        revised = ["\n".join(line if source.random() < .5 else " ".join(prose(12, source.random())) for line in text.split("\n"))
                   for text in letters[:12]]
        told = self.tune("--for=versions", self.fill("revised", letters + revised))
        self.assertEqual((told["natural_pairs"], told["related"]), (12, 24))
        stated = told["recommended"]
        view = next(v for v in told["views"] if (v["unit"], v["window"]) == (stated["unit"], stated["window"]))
        self.assertGreater(stated["natural_pairs"], 0)
        for row in view["rows"]:
            if row["recall_of_copies"]["value"] >= stated["recall_of_copies"]["value"] and row["false_removal"] == stated["false_removal"]:
                self.assertLessEqual(row["natural_pairs"], stated["natural_pairs"])
        self.assertIn(f" {stated['natural_pairs']}/12 ", self.good("tune", "--for=versions", "revised"))

    def test_the_sample_ends_where_it_is_full(self):
        """Small ones that would still fit are not taken: the sample has as many of each size as all have."""
        texts = [" ".join(prose(words, i))[:words * 5] for i, words in enumerate([560] * 30 + [20] * 30)]
        told = self.tune("--sample=48K", self.fill("sizes", texts))
        self.assertLess(told["sampled"], 45)
        self.assertRegex(" ".join(told["warnings"]), "full of text after")

    def test_how_many_documents_it_takes(self):
        told = self.tune(self.letters)
        self.assertGreater(told["documents_needed"], 90)  # nothing wrong in n cases: at most 3.84 / (n + 3.84) with 95 %
        self.assertIn(f"about {told['documents_needed']} documents would be needed", " ".join(told["warnings"]))

    def test_bytes_per_document(self):
        for aim in ("dedup", "containment"):
            told = self.tune(f"--for={aim}", "--most-bytes=100", self.letters)
            self.assertEqual(told["recommended_sketch"], [s for s in told["sketches"] if s["bytes"] <= 100][-1])
        self.assertRegex(self.good("tune", "--most-bytes=1", self.letters), "no sketch that is of use")

    def test_speed(self):
        best, fast = self.tune(self.letters), self.tune("--prefer=speed", self.letters)
        merits = [told["recommended"]["recall_of_copies"]["value"] - 10 * told["recommended"]["false_removal"]["value"]
                  for told in (best, fast)]
        self.assertGreaterEqual(merits[1], merits[0] - .03)

    def test_warnings(self):
        self.assertRegex(" ".join(self.tune(self.letters)["warnings"]), "40 documents are too few")
        source = random.Random(6)
        forms = self.fill("forms", make_forms(source, 60, every=2))
        self.assertRegex(" ".join(self.tune(forms)["warnings"]), "boilerplate: ")
        short = self.fill("short", (" ".join(prose(source.randint(5, 12), i)) for i in range(60)))
        self.assertRegex(" ".join(self.tune(short)["warnings"]), "very short documents: 100 %")

    def test_report(self):
        self.good("tune", "-q", "--report=page.html", "--for=containment", self.letters)
        page = (self.folder / "page.html").read_text()
        self.assertIn("<svg", page)
        self.assertNotIn("<script", page)
        self.assertNotRegex(page, r"(src|href)=")
        self.bad("tune", "--report=page.html", self.letters, says="exists")
        self.good("tune", "-q", "--report=page.html", "--force", self.letters)
        self.assertIn("the same document once more", (self.folder / "page.html").read_text())

    def test_names_are_escaped(self):
        folder = self.fill("<b>&", make_letters(random.Random(1), 5))
        self.good("tune", "-q", "--report=page.html", folder)
        self.assertIn("'&lt;b&gt;&amp;'", (self.folder / "page.html").read_text())


class Hostile(Tune):
    def test_too_few(self):
        (self.folder / "empty").mkdir()
        self.bad("tune", "empty", says="at least two documents with different texts are needed, 0 found")
        self.write("one/a", "only one document here")
        self.bad("tune", "one", says="needed, 1 found")
        self.fill("same", ["the very same text"] * 20)
        self.bad("tune", "same", says="needed, 1 found")
        self.fill("binary", [bytes(range(256)) * 8 + bytes([i]) for i in range(20)])
        self.bad("tune", "binary", says="needed, 0 found")
        self.fill("blank", [" " * i for i in range(1, 9)])
        self.bad("tune", "blank", says="needed, 0 found")

    def test_what_cannot_be_read(self):
        self.bad("tune", "nothing", says="cannot read 'nothing': no such file or directory")
        self.fill("letters", make_letters(random.Random(1), 9))
        done = self.run_program("tune", "-q", "letters", "nothing")
        self.assertEqual((done.returncode, done.stderr),
                         (0, b"stemma: warning: 1 document could not be read\n"))
        self.assertEqual(self.run_program("tune", "-q", "--strict", "letters", "nothing").returncode, 2)

    def test_strange_texts(self):
        self.fill("strange", ["a", "b", "", b"\xff\xfe", b"caf\xe9 " * 30, "。" * 50, "x" * 50000, "\n" * 400 + "word",
                              "one two three four five six seven"])
        for aim in ("dedup", "versions", "containment", "plagiarism"):
            self.tune(f"--for={aim}", "strange")

    def test_data_sets(self):
        lines = [json.dumps({"id": i, "text": text}) for i, text in enumerate(make_letters(random.Random(1), 30))]
        self.write("set.jsonl", "\n".join(lines) + "\n")
        self.assertEqual(self.tune("set.jsonl")["sampled"], 30)

    def test_wrong_use(self):
        self.bad("tune", says="at least one file or folder is needed")
        self.bad("tune", "--for=gold", "x", says="'gold' is not one of: dedup versions containment plagiarism")
        self.bad("tune", "--copies=1", "x", says="between 0 and 1")
        self.bad("tune", "--force", "x", says="--force is for --report")
        self.bad("tune", "--report=-", "x", says="writes to a file")
        self.bad("tune", "-", "-", says="only once")
        self.bad("tune", "-0", "x", says="-0 is for --files-from")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
