#!/usr/bin/env python3
"""stemma-lab: every experiment at its quick size, what must hold of it, the same bytes again, and the page.

  lab_test.py STEMMA-LAB [unittest arguments]

With STEMMA_LAB_FEW=1 only experiments that take a moment are run: a sanitizer sees the same code in them; likewise where
STEMMA_CPU asks for other kernels, whose results are the same. With STEMMA_SCREENSHOTS=DIR the page is drawn there, to be looked
at. With STEMMA_LAB_CORPUS=FOLDER, made by lab/corpora, committed tables of real documents are made again, too.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from browser import PROGRAM as CHROMIUM, Browser

PROGRAM = str(Path(sys.argv[1]).resolve())
FEW = ["broder-example", "broder-width", "coates2011-blocks", "yuan-cost"]
# Too long to run twice, or what they show are times.
SLOW = ["beyond-peers", "broder-crawl", "broder-levels", "broder-sketches", "hp-algorithms", "hp-sampling", "hp-time", "hp-window",
        "yuan-precision", "yuan-queries"]
# Full size, and done in a moment: what is committed can be made again; the second of real documents, where they are.
COMMITTED = ["broder-example", "yuan-cost"]
REAL = ["broder-width", "coates2015-unrelated", "hp-distinct", "hp-time", "yuan-groups"]
# What has no text, or whose proportions are a crawl's that is gone.
GENERATED = ["broder-crawl", "broder-example", "broder-sketches", "yuan-cost"]
CORPUS = os.environ.get("STEMMA_LAB_CORPUS")
DATA = Path(__file__).resolve().parent.parent / "docs" / "lab" / "data"
SOME = FEW if os.environ.get("STEMMA_LAB_FEW") or os.environ.get("STEMMA_CPU") else []


def lab(*arguments, **environment):
    return subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env=dict(os.environ, **environment))


def names():
    return [line.split()[0] for line in lab("list").stdout.splitlines() if line.startswith("  ")]


class Lab(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.results = cls.folder / "results"
        cls.run_ = lab("run", "--out", cls.results, *SOME)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_what_must_hold_holds(self):
        self.assertNotIn("FAILS", self.run_.stdout)
        self.assertEqual((self.run_.returncode, self.run_.stderr), (0, ""))

    def test_every_experiment_claims_something(self):
        judged = re.split(r"(?m)^(?=\S)", self.run_.stdout)[1:]
        for words in judged:
            self.assertRegex(words, r"(?m)^  ok ")
        self.assertEqual(len(judged), len(SOME or names()))

    @unittest.skipIf(SOME, "once is enough")
    def test_others_may_be_missing(self):
        """With nothing but Python beside it, the comparison with other programs is ours alone, and says so."""
        alone, out, temporary = self.folder / "bin", self.folder / "alone", self.folder / "it's temporary"
        alone.mkdir()
        temporary.mkdir()
        for program in ("python3", "env", "sh"):
            (alone / program).symlink_to(shutil.which(program))
        done = lab("run", "--out", out, "beyond-peers", PATH=str(alone), TMPDIR=str(temporary))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("  note    ssdeep is not installed here, and left out.", done.stdout)
        table = (out / "beyond-peers.tsv").read_text()
        self.assertEqual([line for line in table.splitlines() if "\tssdeep\t" in line], ["insert\tssdeep\t1\tmissing\tmissing\t\t\t\t\tssdeep"])
        self.assertIn("ssdeep missing", table)
        self.assertEqual(lab("report", out, "--markdown", out).returncode, 0)
        self.assertIn(">ssdeep (not installed)<", (out / "beyond-peers-1.svg").read_text())
        self.assertEqual(list(temporary.iterdir()), [])

    def test_every_experiment_has_a_table(self):
        self.assertGreater(len(names()), 20)
        for name in SOME or names():
            table = (self.results / f"{name}.tsv").read_text()
            self.assertIn(f"# experiment {name}\n", table)
            self.assertIn("# seed 1\n", table)

    def test_the_same_bytes_again(self):
        quick = SOME or [name for name in names() if name not in SLOW]
        for again, environment in [(quick, {}), (FEW, {"STEMMA_CPU": "portable"})]:
            with tempfile.TemporaryDirectory() as other:
                self.assertEqual(lab("run", "--threads=1", "--out", other, *again, **environment).returncode, 0)
                for name in again:
                    self.assertEqual((Path(other) / f"{name}.tsv").read_bytes(), (self.results / f"{name}.tsv").read_bytes(), name)

    @unittest.skipIf(SOME, "once is enough")
    def test_committed_tables_are_of_this_code(self):
        out = self.folder / "full"
        self.assertEqual(lab("run", "--full", "--out", out, *COMMITTED).returncode, 0)
        if CORPUS:
            self.assertEqual(lab("run", "--full", "--corpus", CORPUS, "--out", out, *REAL).returncode, 0)
        for name in COMMITTED + (REAL if CORPUS else []):
            made, kept = (re.sub("(?m)^# stemma .*\n", "", (folder / f"{name}.tsv").read_text()) for folder in (out, DATA))
            self.assertEqual(made, kept, f"stemma-lab run --full --out docs/lab/data {name}")

    def test_real_documents_of_committed_tables_are_the_same(self):
        """Tables over as many documents of a kind are over the same ones."""
        digests = {}
        for path in DATA.glob("*.tsv"):
            for documents, digest in re.findall(r"(?m)^# documents (\d+ real .*), ([0-9a-f]{16})$", path.read_text()):
                digests.setdefault(documents, set()).add(digest)
        self.assertTrue(digests)
        self.assertEqual([documents for documents in digests if len(digests[documents]) > 1], [])

    def test_committed_tables_are_of_real_documents(self):
        for name in names():
            text = (DATA / f"{name}.tsv").read_text()
            self.assertIn("# size full\n", text)
            self.assertEqual(re.search(r"(?m)^# documents \d+ real ", text) is None, name in GENERATED, name)
            self.assertNotIn("generated", text)

    def test_committed_tables_have_an_origin(self):
        """Day, program and machine of every table are said at the top of the report."""
        rows = [line.split("\t") for line in (DATA / "origin.tsv").read_text().splitlines()[1:]]
        self.assertEqual([row[0] for row in rows], names())
        self.assertEqual(len({tuple(row[1:]) for row in rows}), 1, "one run of all")
        report = (DATA.parent / "README.md").read_text().split("| name |")[0]
        for name, date, version, machine in rows:
            self.assertIn(f"Made on {date} by stemma-lab {version} on {machine}", report, name)

    def test_origin_of_what_is_run_again(self):
        """Tables that are not made again keep the day and the machine that they have."""
        out = self.folder / "origin"
        self.assertEqual(lab("run", "--out", out, "broder-example", "yuan-cost").returncode, 0)
        origin = out / "origin.tsv"
        origin.write_text(re.sub(r"\t\d{4}-\d\d-\d\d\t", "\t1997-06-11\t", origin.read_text()))
        self.assertEqual(lab("run", "--out", out, "yuan-cost").returncode, 0)
        rows = [line.split("\t") for line in origin.read_text().splitlines()[1:]]
        self.assertEqual([(row[0], row[1] == "1997-06-11") for row in rows], [("broder-example", True), ("yuan-cost", False)])
        self.assertEqual(lab("report", out, "--markdown", out).returncode, 0)
        text = (out / "README.md").read_text()
        self.assertRegex(text, r"Made on 1997-06-11 by stemma-lab \S+ on .*: broder-example\.")
        self.assertRegex(text, r"Made on \d{4}-\d\d-\d\d by stemma-lab \S+ on .*: yuan-cost\.")

    def test_a_name_has_one_colour(self):
        """In all pictures of a table, also where others are not drawn."""
        out = self.folder / "colours"
        out.mkdir()
        (out / "hp-sampling.tsv").write_text(
            "of\tfamily\talgorithm\tedits\tdocument\tsimilarity\n" + "".join(
                f"{of}\t{family}\t{name}\t{edits}\t{edits}\t.9\n" for of in ("mean", "one") for family, name in
                [("Sketch", "Sketch_10"), ("Sketch", "Sketch_100"), ("BSW", "BSW_1000"), ("BSW", "BSW_100")] for edits in (1, 50)))
        self.assertEqual(lab("report", out, "--markdown", out).returncode, 0)
        colours = {}
        for number in range(1, 5):
            picture = (out / f"hp-sampling-{number}.svg").read_text()
            for colour, name in re.findall(r'stroke="var\(--c(\d)\)"[^>]*h26"/><text[^>]*>([^<]*)<', picture):
                colours.setdefault(name, set()).add(colour)
        self.assertEqual(sorted(colours), ["BSW 100", "BSW 1000", "Sketch 10", "Sketch 100"])
        self.assertEqual(len({frozenset(found) for found in colours.values()}), 4)
        self.assertTrue(all(len(found) == 1 for found in colours.values()), colours)

    def test_differences_follow_from_the_data(self):
        """What the paper prints is said to differ only where it does."""
        for variance, said in [("0.0081", "- ≠ Variance of 64 bits"), ("0.0091", "- ✓ Variance of 64 bits")]:
            out = self.folder / f"variance-{variance}"
            out.mkdir()
            table = (DATA / "yuan-variance.tsv").read_text()
            (out / "yuan-variance.tsv").write_text(re.sub(r"(?m)^(one_bit\t64\t0\.7)\t[0-9.]+", rf"\1\t{variance}", table))
            self.assertEqual(lab("report", out, "--markdown", out).returncode, 0)
            self.assertIn(said, (out / "README.md").read_text())

    def test_numbers_are_held_against_the_papers(self):
        """Close to the paper's they agree, far from them they differ, whatever the trend."""
        theirs = {"0.7": ".16", "0.8": ".19", "0.9": ".42"}
        for precision, said in [({r: ".99" for r in theirs}, "- ≠ Precision: 0 of the 3 values"),
                                (theirs, "- ✓ Precision: all 3 values")]:
            out = self.folder / f"beside-{precision['0.7']}"
            out.mkdir()
            lines = (DATA / "yuan-precision.tsv").read_text().splitlines()
            cells = [line.split("\t") for line in lines]
            for row in cells:
                if row[0] in precision and row[1] == "64":
                    row[5] = precision[row[0]]
            (out / "yuan-precision.tsv").write_text("".join("\t".join(row) + "\n" for row in cells))
            self.assertEqual(lab("report", out, "--markdown", out).returncode, 0)
            self.assertIn(said, (out / "README.md").read_text())

    def test_nothing_is_left_behind(self):
        """A crawl that is written goes with the program, whatever ends it."""
        temporary = self.folder / "crawl"
        temporary.mkdir()
        for end in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with subprocess.Popen([PROGRAM, "run", "--full", "--out", str(self.folder / "ended"), "broder-crawl"],
                                  env=dict(os.environ, TMPDIR=str(temporary)), stdout=subprocess.DEVNULL,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
                self.wait_until(lambda: any(temporary.iterdir()))
                process.send_signal(end)
                self.assertEqual(process.wait(600), -end)
            self.wait_until(lambda: not any(temporary.iterdir()))
        self.assertEqual(lab("run", "--out", self.folder / "ended", "broder-crawl", TMPDIR=str(temporary)).returncode, 0)
        self.assertEqual(list(temporary.iterdir()), [])

    def wait_until(self, condition):
        until = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(.005)

    def test_another_seed_is_another_draw(self):
        other = self.folder / "other"
        self.assertEqual(lab("run", "--seed=2", "--out", other, "coates2011-blocks").returncode, 0)
        name = "coates2011-blocks.tsv"
        self.assertNotEqual((other / name).read_bytes(), (self.results / name).read_bytes())

    @unittest.skipIf(SOME, "once is enough")
    def test_claims_hold_for_another_seed(self):
        """One by which few documents made means and shares differ the other way."""
        done = lab("run", "--seed=4", "--out", self.folder / "chance", "hp-sampling", "hp-collections")
        self.assertNotIn("FAILS", done.stdout)

    def test_documents_of_a_folder(self):
        texts, out = self.folder / "texts", self.folder / "own"
        texts.mkdir()
        for i in range(6):
            (texts / f"{i}.txt").write_text("\n".join(f"line {n * n + i * 7919} of text {i * n % 977}" for n in range(2000)))
        (texts / "short.txt").write_text("too short to count")
        (texts / "folder").mkdir()
        done = lab("run", "--corpus", texts, "--out", out, "broder-width")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("# documents 6 real long documents", (out / "broder-width.tsv").read_text())

    def test_refusals(self):
        empty = self.folder / "empty"
        empty.mkdir()
        (empty / "bad").mkdir()
        (empty / "bad" / "broder-example.tsv").write_text("a\tb\n1\n")
        for arguments, said in [(["run", "nothing"], "no experiment has a name that begins with 'nothing'\nTry 'stemma lab list'"),
                                (["run", "broder-example", "crawl"], "begins with 'crawl'; perhaps broder-crawl\n"),
                                (["run", "samp"], "'samp'; perhaps broder-sample or hp-sampling\n"), (["run", ""], "begins with ''\n"),
                                (["broder"], "'broder' names experiments: try 'stemma lab run broder'"),
                                (["run", "--corpus", empty, "--out", empty / "x", "hp-window"], "has no long documents"),
                                (["run", "--corpus", empty / "gone", "--out", empty / "x"], "/gone': no such file or directory"),
                                (["run", "--out", empty / "no" / "where", "broder-example"], "cannot make"),
                                (["run", "--seed", "x"], "--seed takes a number"),
                                (["run", "--frobnicate"], "unknown option '--frobnicate'"),
                                (["run", "--seed"], "--seed needs a value"),
                                (["report", empty], "has no results"),
                                (["report", empty / "bad"], "is no table"),
                                (["report", empty, empty], "one folder"),
                                ([], "a command is needed"), (["frobnicate"], "unknown command 'frobnicate'"),
                                (["broder-example"], "try 'stemma lab run broder-example'")]:
            done = lab(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)
            self.assertLessEqual(done.stderr.count("\n"), 2)
            self.assertEqual(done.stdout, "")

    def test_help_wherever_it_is_asked_for(self):
        for arguments in (["--help"], ["help"], ["run", "--help"], ["run", "broder", "-h"], ["list", "--help"], ["report", "--help"]):
            done = lab(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith("Usage: stemma-lab list\n"))

    def test_corpus_of_folders(self):
        source = random.Random(5)
        for i in range(4):
            path = self.folder / f"pile/below/{i}/text"
            path.parent.mkdir(parents=True)
            path.write_text(" ".join(f"w{source.randrange(10 ** 5)}" for _ in range(2000)))
        done = lab("run", "--corpus", self.folder / "pile", "--out", self.folder / "walked", "hp-window")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn("documents 4 real long documents", (self.folder / "walked/hp-window.tsv").read_text())

    def test_pieces_of_a_folder(self):
        """Between empty lines, 200 to 3000 bytes; what is missing of many documents is edited copies."""
        source = random.Random(6)
        pieces = [" ".join(f"w{source.randrange(10 ** 5)}" for _ in range(words)) for words in [60] * 50 + [3, 1000]]
        folder, out = self.folder / "pieces", self.folder / "cut"
        folder.mkdir()
        (folder / "one").write_text("\n\n\n".join(pieces[:30]) + "\n")
        (folder / "two").write_text("\n\n".join(pieces[30:]))
        lab("run", "--corpus", folder, "--out", out, "broder-clusters")
        table = (out / "broder-clusters.tsv").read_text()
        self.assertIn("# documents 50 real pieces, ", table)
        self.assertIn("# of these 50, and 7950 edited copies of them\n", table)
        self.assertLess(int(re.search(r"(?m)^nothing\t8000\t(\d+)\t", table)[1]), 1000)

    def test_list_is_in_columns(self):
        rows = [line for line in lab("list").stdout.splitlines() if line.startswith("  ")]
        titles = {re.match(r"  \S+(?: {20,}| +\S.*?  +)(?=\S)", row).end() for row in rows}
        self.assertEqual(len(titles), 1, titles)

    def test_markdown(self):
        target = self.folder / "markdown"
        self.assertEqual(lab("report", self.results, "--markdown", target).returncode, 0)
        text = (target / "README.md").read_text()
        self.assertIn("| option | w | resemblance | *paper* |", text)
        for name in ["broder-width-1.svg", "coates2011-blocks-2.svg"]:
            self.assertIn(f"]({name})", text)
            self.assertTrue((target / name).read_text().startswith("<svg "))

    def test_the_committed_report_is_of_its_tables(self):
        committed, target = DATA.parent, self.folder / "committed"
        self.assertEqual(lab("report", DATA, "--markdown", target).returncode, 0)
        for path in sorted(target.iterdir()):
            self.assertEqual(path.read_bytes(), (committed / path.name).read_bytes(),
                             f"{path.name}: stemma-lab report docs/lab/data --markdown docs/lab")

    @unittest.skipUnless(CHROMIUM and not SOME, "there is no Chromium, or a sanitizer is looking")
    def test_page(self):
        page = self.folder / "report.html"
        self.assertEqual(lab("report", self.results, "--html", page).returncode, 0)
        browser = Browser()
        try:
            browser.open(page)
            self.assertEqual((browser.requests, browser.complaints), ([], []))
            self.assertEqual(browser.run("document.querySelectorAll('.fails').length"), 0)
            self.assertGreater(browser.run("document.querySelectorAll('svg path.line').length"), 5)
            for width in (390, 1280):
                browser.call("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=width < 600)
                self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), width)
            browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
            self.assertEqual(browser.run("[...document.querySelectorAll('figure.list figcaption')].filter(caption => "
                                         "caption.getBoundingClientRect().right > innerWidth).length"), 0)
            self.draw(browser)
        finally:
            browser.close()

    def draw(self, browser):
        folder = os.environ.get("STEMMA_SCREENSHOTS")
        for name, view in [("phone", {"width": 390, "height": 844}), ("wide-dark", {"dark": True})] if folder else []:
            browser.look(**view)
            browser.screenshot(Path(folder) / f"lab-{name}.png", full=True)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
