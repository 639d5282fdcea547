#!/usr/bin/env python3
"""stemma tune: what it promises holds for documents that it did not see, and bad input is refused.

Collections of different kinds are divided into two halves: forms and laws that are made, and two that every machine has on
which this is built: the headers of C, with the licences on top of them, and the definitions of Python's library. What is
stated of the one half is compared with what happens in the other; tools/check-tune does the same with any folder.
"""
import ast
import json
import os
import random
import shlex
import subprocess
import sys
import sysconfig
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
    """A script without spaces; every third is the one before in another version, some of its articles new."""
    vocabulary = ["".join(chr(0x4e00 + source.randrange(3000)) for _ in range(source.randint(1, 3))) for _ in range(8000)]

    def articles(number):
        return [sentence.replace(" ", "").replace(".", "。") for sentence in sentences(source, number, vocabulary)]
    for i in range(count):
        if i % 3 == 2:
            law = [line if source.random() > .2 else articles(1)[0] for line in law]
        else:
            law = articles(source.randint(5, 60))
        yield "\n".join(law) + "\n"


def make_javanese(source, count):
    """A script without spaces of which no letter is a word."""
    letters = [chr(code) for code in range(0xa984, 0xa9b3)]
    vocabulary = ["".join(source.choices(letters, k=source.randint(2, 5))) for _ in range(3000)]
    for _ in range(count):
        yield "\n".join("".join(source.choices(vocabulary, k=source.randint(6, 14))) + "꧈" for _ in range(source.randint(10, 40)))


def headers():
    """Of C and of the kernel, as a compiler needs them: declarations, under licences that many have."""
    folders = "linux asm-generic rdma sound drm scsi misc mtd video".split()
    folders += [machine + part for machine in ("", "x86_64-linux-gnu/", "aarch64-linux-gnu/") for part in ("asm", "bits", "sys", "gnu")]
    found = (path for folder in folders for path in sorted(Path("/usr/include", folder).rglob("*.h")) if path.is_file())
    return sorted({path.read_bytes() for path in found})


def definitions():
    """Classes and functions of Python's own library, with what they say of themselves."""
    library = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(library.rglob("*.py")):
        if {"test", "tests", "site-packages", "dist-packages"} & set(path.relative_to(library).parts):
            continue
        text = path.read_text(errors="replace")
        for node in ast.parse(text).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                found = ast.get_source_segment(text, node)
                if len(found.split()) >= 60:
                    yield found


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


# Of so many cases some are off by more than 95 % allows, and none is by what one in a thousand would be.
IN_A_THOUSAND = 3.29 / 1.96


def surprise(stated, happened):
    """The difference, in errors of both as 95 % allows them: what happened is a sample, too."""
    low, high = sorted((stated, happened), key=lambda share: share["value"])
    errors = (low["high"] - low["value"]) ** 2 + (high["value"] - high["low"]) ** 2
    return (high["value"] - low["value"] - 1e-9) / errors ** .5 if errors else 0


class Promises(Tune):
    AIMS = ("dedup", "versions", "containment", "plagiarism")

    def halves(self, name, texts):
        texts = list(texts)
        random.Random(1).shuffle(texts)
        return self.fill(f"{name}/seen", texts[::2]), self.fill(f"{name}/unseen", texts[1::2])

    def check(self, name, texts, unknown=()):
        """What is stated as expected is as narrow as is promised, and holds for the half that was not seen; what is not narrow is
        said to be not known, may be so for these aims alone, and holds all the same."""
        seen, unseen = self.halves(name, texts)
        surprises = {}
        for aim in self.AIMS:
            told = self.tune(f"--for={aim}", seen)
            stated = told["recommended"]
            happened = row_of(self.tune(f"--for={aim}", "--seed=7", unseen), stated["unit"], stated["window"], stated["threshold"])
            for what in ("recall_of_copies", "precision", "false_removal"):
                surprises[aim, what] = surprise(stated[what], happened[what])
                with self.subTest(collection=name, aim=aim, what=what):
                    self.assertEqual(stated[what]["known"], half_width(stated[what]) <= .02)
                    if what == "recall_of_copies" or aim not in unknown:
                        self.assertTrue(stated[what]["known"], stated[what])
                    elif what == "precision" and not stated[what]["known"]:
                        self.assertGreater(stated[what]["documents_needed"], told["sampled"])
                    self.assertLessEqual(surprises[aim, what], IN_A_THOUSAND, (stated[what], happened[what]))
        for what in ("recall_of_copies", "precision"):
            self.assertLessEqual(sum(surprises[aim, what] > 1 for aim in self.AIMS), 1, surprises)

    def test_forms(self):
        """Passages are looked for below the resemblance of the forms: the share that goes wrong takes many documents to tell."""
        self.check("forms", make_forms(random.Random(2), 2 * 1300, every=8))

    def test_laws(self):
        self.check("laws", make_laws(random.Random(3), 2 * HALF))

    def test_headers(self):
        """Families of about ten are on a licence of their own: for versions and passages more headers may be needed."""
        self.check("headers", self.at_least(1000, headers()), unknown=["versions", "plagiarism"])

    def test_definitions(self):
        self.check("definitions", self.at_least(1000, definitions()))

    def at_least(self, least, texts):
        texts = list(texts)
        self.assertGreater(len(texts), least, "what compilers and Python bring with them is not here")
        return texts

    def test_what_is_wide_says_so(self):
        """Forms that a fifth of the documents are on: too few documents to tell how many passages are taken for others."""
        forms = self.fill("forms", make_forms(random.Random(2), HALF))
        told = self.tune("--for=plagiarism", forms)
        precision, recall = told["recommended"]["precision"], told["recommended"]["recall_of_copies"]
        self.assertGreater(half_width(precision), .02)
        self.assertEqual((precision["known"], recall["known"]), (False, True))
        self.assertGreater(precision["documents_needed"], HALF)
        self.assertEqual(told["documents_needed"], precision["documents_needed"])
        self.assertNotIn("documents_needed", recall)
        self.assertRegex(" ".join(told["warnings"]), r"precision is not known to \.02 to either side: 300 documents are too few to say more "
                         rf"than \S+ to \S+, and about {told['documents_needed']:,} documents would be needed")
        text = self.good("tune", "--for=plagiarism", "--report=page.html", forms)
        self.assertRegex(text, r"\n(To be expected of further documents like these: recall of copies \.\d+ \(\.\d+-\.\d+\), precision not known "
                         r"to \.02 \(\.\d+-\.\d+\); of these themselves precision \.\d+ \(\.\d+-\.\d+\)\.)\n")
        self.assertRegex(text, r"(?m)^\* \.\d+ +\.\d+ \([^)]*\) +~\.\d+ \(")
        self.assertIn("; ~: not known to .02 to either side.", text)
        page = (self.folder / "page.html").read_text()
        self.assertIn("precision not known to .02", page)
        self.assertRegex(page, r'<td class="unknown" title="not known to .02 to either side">~\.\d+ <span>')

    def test_only_what_is_wide_is_marked(self):
        """Every figure says whether it is known, as text and as JSON, and is when its interval is narrow enough."""
        told = self.tune("--for=versions", self.fill("forms", make_forms(random.Random(2), HALF)))
        self.assertEqual({known for known, _ in self.figures(told)}, {True, False})
        for known, share in self.figures(told):
            self.assertEqual(known, half_width(share) <= .02, share)
            self.assertFalse(known and "documents_needed" in share)
        stated = told["recommended"]
        self.assertTrue(stated["recall_of_copies"]["known"] and stated["precision"]["known"])
        text = self.good("tune", "--for=versions", "forms")
        self.assertRegex(text, r"like these: recall of copies [.\d]+ \([.\d]+-[.\d]+\), precision [.\d]+ \([.\d]+-[.\d]+\)\.\n")

    def figures(self, told):
        if isinstance(told, dict) and "known" in told:
            yield told["known"], told
        elif isinstance(told, (dict, list)):
            for part in told.values() if isinstance(told, dict) else told:
                yield from self.figures(part)

    def test_what_is_known_is_preferred(self):
        """Families of eight may be versions or forms: where something is removed, a threshold above them is taken, and said why."""
        texts = list(make_letters(random.Random(12), HALF))
        for family in range(4):
            form = prose(300, 1000 + family)
            texts += [" ".join(form + prose(30, 2000 + 100 * family + i)) for i in range(8)]
        told = self.tune(self.fill("families", texts))
        stated = told["recommended"]
        self.assertGreater(stated["threshold"], .7)
        self.assertLessEqual(half_width(stated["precision"]), .02)
        self.assertGreater(half_width(row_of(told, "word", 5, .65)["precision"]), .02)
        self.assertEqual(told["documents_needed"], 0)
        self.assertRegex(" ".join(told["warnings"]), "windows of 5 words from .65 on find .99. of the copies, but these documents are too few")
        self.assertIn("* the highest of recall less 10 times false removal, at the worse ends of the intervals", self.good("tune", "families"))

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
            text = self.run_program("mutate", f"--kind={step['kind']}", *share, f"--blocks={step['blocks']}", f"--seed={seed}",
                                    *other, "-", stdin=text).stdout
        (path.parent / f"copy-{path.name}").write_bytes(text)


class Answers(Tune):
    def setUp(self):
        super().setUp()
        self.letters = self.fill("letters", make_letters(random.Random(1), 40))

    def test_words(self):
        text = self.good("tune", self.letters)
        self.assertRegex(text, r"\AOf changed copies the scan below finds (nearly )?all, and it takes none of these documents for")
        self.assertRegex(text, r"40 of 40 documents that differ, with 240 changed copies: the same document once more")
        self.assertRegex(text, r"(?m)^\* \.\d+ +~?[.1]")
        self.assertIn("\n* the highest of recall less 10 times false removal", text)
        self.assertRegex(text, r"Run:\n\n  stemma scan --unit=\w+ --window=\d+ --threshold=[.\d]+ --contained=0 letters\n\Z")
        self.assertEqual(self.good("tune", "-q", self.letters).count("\n"), 1)

    def test_few_documents_are_called_few(self):
        few = self.fill("few", make_letters(random.Random(2), 4))
        self.assertRegex(self.good("tune", few), r"\AOf changed copies .*\. Of so few documents that is little more than a guess")
        self.assertNotIn("a guess", self.good("tune", self.letters))

    def test_the_command_runs(self):
        for aim in ("dedup", "versions", "containment", "plagiarism"):
            command = self.good("tune", "-q", f"--for={aim}", "--exclude=it's *", "--min-size=1", self.letters)
            self.assertIn("'--exclude=it'\\''s *'", command)
            self.shell(command)

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
            for sketch in sketches:
                self.good("sketch", "--quiet", "--recipe=" + sketch["recipe"], "--output=all", "--force",
                          *(f"letters/{i:05}.txt" for i in range(40)))
                self.assertAlmostEqual((self.folder / "all").stat().st_size / 40, sketch["bytes"])

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

    def test_a_few_versions_are_no_form(self):
        """Nine documents that differ by a sentence count as versions, and whoever removes is told to look at them."""
        source = random.Random(11)
        letters = list(make_letters(source, 60))
        versions = [" ".join(prose(300, 2) + prose(15, 100 + i)) for i in range(9)]
        told = self.tune(self.fill("versions", letters + versions))
        self.assertEqual([row["matched_wrongly"] for row in told["views"][0]["rows"]], [0] * 15)
        self.assertEqual(told["natural_pairs"], 36)
        self.assertRegex(" ".join(told["warnings"]), "look at them before anything is removed, since what fewer than 10 ")

    def test_what_is_inside_goes_and_not_what_is_around(self):
        """A form with a name in it is inside of long documents on that form; these are inside of none."""
        form = prose(200, 1)
        longer = [" ".join(form + prose(400, 50 + i)) for i in range(30)]
        told = self.tune("--for=containment", self.fill("inside", [" ".join(form + prose(6, 3))] + longer))
        self.assertEqual(row_of(told, "word", 5, .9)["matched_wrongly"], 1)

    def test_what_is_so_of_the_documents_themselves(self):
        forms = self.fill("forms", make_forms(random.Random(2), 60, every=2))
        told = self.tune(forms)
        here, stated = told["recommended"]["here"], told["recommended"]
        self.assertTrue(here["false_removal"]["exact"])
        self.assertLessEqual(half_width(here["precision"]), half_width(stated["precision"]))
        self.assertEqual(stated["matched_wrongly"], 0)
        self.assertRegex(" ".join(told["warnings"]), "all 60 .* as far as their texts tell, none of them are matched wrongly")
        self.assertNotRegex(" ".join(told["warnings"]), r"between (\S+) and \1;")
        self.assertNotIn("here", self.tune("--sample=100K", forms)["recommended"])

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

    def test_work_is_bounded_where_all_resembles_all(self):
        """All pairs of these would be 9 GB of comparing: fewer documents are looked at, and a note says so."""
        source = random.Random(11)
        form = " ".join(f"w{source.randrange(5000)}" for _ in range(10000))
        path = self.fill("alike", [f"{form} {' '.join(f'own{source.randrange(10 ** 6)}' for _ in range(2000))}" for _ in range(400)])
        told = self.tune("--for=versions", path)
        self.assertLess(told["sampled"], 400)
        self.assertIn("the documents resemble each other so much that", " ".join(told["warnings"]))

    def test_how_many_documents_it_takes(self):
        told = self.tune(self.letters)
        self.assertGreater(told["documents_needed"], 90)  # nothing wrong in n cases: at most 3.84 / (n + 3.84) with 95 %
        self.assertIn(f"about {told['documents_needed']} documents would be needed", " ".join(told["warnings"]))
        self.assertTrue(told["recommended"]["precision"]["documents_needed"] <= told["documents_needed"])

    def test_bytes_per_document(self):
        """All that is stored counts: the command that is printed makes a file that keeps to it."""
        for aim in ("dedup", "containment"):
            for most in (220, 400):
                told = self.tune(f"--for={aim}", f"--most-bytes={most}", self.letters)
                stated = told["recommended_sketch"]
                self.assertEqual(dict(stated, command=None), dict([s for s in told["sketches"] if s["bytes"] <= most][-1], command=None))
                self.shell(stated["command"])
                self.assertLessEqual((self.folder / "documents.sketches").stat().st_size, 40 * most)
                (self.folder / "documents.sketches").unlink()
        self.assertRegex(self.good("tune", "--most-bytes=100", self.letters), "no sketch that is of use has as few as 100 bytes")

    def shell(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True,
                              env=dict(os.environ, PATH=f"{Path(PROGRAM).parent}:{os.environ['PATH']}"))
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)

    def test_the_command_for_sketches(self):
        names = [f"letters/{i:05}.txt" for i in range(9)]
        self.write("list", "\n".join(names))
        self.write("set.jsonl", "".join(json.dumps({"text": " ".join(prose(90, i))}) + "\n" for i in range(9)))
        recipe = r"stemma sketch '--recipe=unit=\w+ window=\d+; oph n=\d+ bits=2' --output=documents\.sketches "
        for arguments, line in (([self.letters], r"find letters -type f -not -path '\*/\.\*' -print0 \| " + recipe + "-0 --files-from=-"),
                                (names, recipe + " ".join(names)), (["--files-from=list"], recipe + "--files-from=list"),
                                (["--include=*.txt", self.letters], recipe + "DOCUMENT..."), (["set.jsonl"], recipe + "DOCUMENT..."),
                                (["--files-from=list", self.letters], recipe + "DOCUMENT...")):
            text = self.good("tune", "--most-bytes=4K", *arguments)
            self.assertRegex(text, r"\nor, where documents are not kept:\n\n  " + line.replace("DOCUMENT...", r"DOCUMENT\.\.\.") + r"\n\Z")

    def test_speed(self):
        """The fastest view of those that are good, or one that is about as fast, by what was measured."""
        told = self.tune("--prefer=speed", self.letters)
        merits, speeds = {}, {}
        for view in told["views"]:
            row = row_of(told, view["unit"], view["window"], view["best"])
            merits[view["unit"], view["window"]] = row["recall_of_copies"]["value"] - 10 * row["false_removal"]["value"]
            speeds[view["unit"], view["window"]] = view["bytes_per_second"]
        chosen = told["recommended"]["unit"], told["recommended"]["window"]
        good = [view for view in merits if merits[view] >= max(merits.values()) - .03]
        self.assertEqual(chosen, next(view for view in good if speeds[view] >= .8 * max(speeds[view] for view in good)))

    def test_warnings(self):
        self.assertRegex(" ".join(self.tune(self.letters)["warnings"]), "is not known to .02 to either side: 40 documents are too few to say more than")
        source = random.Random(6)
        forms = self.fill("forms", make_forms(source, 60, every=2))
        self.assertRegex(" ".join(self.tune(forms)["warnings"]), "boilerplate: ")
        short = self.fill("short", (" ".join(prose(source.randint(5, 12), i)) for i in range(60)))
        self.assertRegex(" ".join(self.tune(short)["warnings"]), "very short documents: 100 %")

    def test_scripts_without_spaces(self):
        """Where a sentence counts as a word the script is named, and what to use; the length is not to blame."""
        told = self.tune(self.fill("javanese", make_javanese(random.Random(3), 60)))
        notes = " ".join(told["warnings"])
        self.assertRegex(notes, "Javanese script does not set words apart by spaces, .* use --unit=char and a window")
        self.assertRegex(notes, "the default is poor for these documents in Javanese script")
        self.assertNotIn("very short", notes)
        self.assertEqual(told["recommended"]["unit"], "char")
        laws = self.tune(self.fill("laws", make_laws(random.Random(3), 40)))
        self.assertNotIn("script", " ".join(laws["warnings"]))
        self.assertEqual({view["unit"] for view in laws["views"]}, {"word", "byte"})

    def test_versions_that_are_not_found(self):
        """On a form that most are on, versions are found by lower thresholds than copies: a note says by which, at what price."""
        form = prose(600, 1)
        texts = [prose(300, 100 + i) for i in range(60)]
        texts += [text[:150] + prose(700, 300 + i) for i, text in enumerate(texts[:20])]
        told = self.tune("--for=versions", self.fill("forms", (" ".join(form + text) for text in texts)))
        stated = told["recommended"]
        self.assertLess(stated["natural_pairs"], told["natural_pairs"] / 2)
        note = next(note for note in told["warnings"] if "pairs that share text of their own" in note)
        self.assertRegex(note, r"; from [.\d]+ on \d+ of them are, and [.\d]+ of the documents are taken for another one")

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
        self.bad("tune", "--report=-", "x", says="'-' is not a file")
        self.bad("tune", "-", "-", says="only once")
        self.bad("tune", "-0", "x", says="-0 is for --files-from")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
