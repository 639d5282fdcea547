#!/usr/bin/env python3
"""The command line as a user meets it: answers, exit codes, JSON, and every bad input we could think of.

  cli_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import base64
import json
import os
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import PROGRAM, QUANTITY, SOURCE, Base, listens, rests, words

COMMANDS = ["scan", "compare", "diff", "find", "sketch", "show", "text", "undo", "mutate", "tune"]


class Use(Base):
    def test_no_command(self):
        said = self.bad(says="a command is needed")
        listed = re.findall(r"^  (\w+) ", self.good("--help").split("Commands:")[1].split("\n\n")[0], re.MULTILINE)
        self.assertGreater(len(listed), 20)
        self.assertLessEqual(set(listed), set(re.findall(r"\w+", said)))

    def test_unknown_command_is_suggested(self):
        self.bad("compair", says="did you mean 'compare'")
        self.assertNotIn("did you mean", self.bad("xyzzy", says="unknown command 'xyzzy'"))

    def test_unknown_option_is_suggested(self):
        message = self.bad("compare", "--thresold=.5", "a", "b", says="did you mean '--threshold'")
        self.assertIn("Try 'stemma compare --help'.", message)
        self.bad("scan", "--undo", says="did you mean 'stemma undo'")
        self.bad("compare", "-x", says="unknown option '-x'")
        self.bad("text", "--scheme=mod", "a", says="unknown option '--scheme'")

    def test_numbers_are_strict(self):
        for option, value, reason in [("--window", "5x", "whole number"), ("--window", "", "whole number"),
                                      ("--window", "-1", "whole number"), ("--seed", "99999999999999999999", "too large"),
                                      ("--threads", "0", "at least 1"),
                                      ("--memory", "1Q", "one with K, M, G, T, KB, MB, GB or TB"),
                                      ("--memory", "1.5.2K", "is not a number"), ("--memory", "99999999999T", "too large"),
                                      ("--memory", "G", "is not a number"), ("-n", "ten", "whole number")]:
            with self.subTest(option=option, value=value):
                self.bad("compare", option, value, "a", "b", says=reason)

    def test_thresholds_are_from_0_to_1(self):
        for option in ("-t", "--threshold", "--contained"):
            for value in ("1.5", "1.0001", "-1", "-.5", "nan", "-nan", "inf", "abc", "0x1", ".", "", "1e", ".5.5", " .5"):
                with self.subTest(option=option, value=value):
                    self.bad("compare", option, value, "a", "b", says=f"{option}: '.*' is not a number from 0 to 1"
                             .replace("-t:", "--threshold:"))

    def test_values_are_needed_or_refused(self):
        self.bad("compare", "--window", says="needs a value")
        self.bad("compare", "-t", says="needs a value")
        self.bad("compare", "--json=yes", "a", "b", says="takes none")
        self.bad("compare", "--unit=foot", "a", "b", says="is not one of: byte char word line")

    def test_a_value_cannot_smuggle_a_field(self):
        self.bad("compare", "--fold=case window=2", "a", "b", says="is not any of nfc, case, space and punct")
        self.bad("compare", "--unit=word;mod", "a", "b", says="is not one of")

    def test_folds(self):
        self.assertEqual(self.good("text", "--fold=case+space", "-", stdin=b"A,  B"), "a, b")
        for value in ("", "foo", "case+foo", "case+", "+"):
            self.bad("text", f"--fold={value}", "-", says="is not any of nfc, case, space and punct")

    def test_forms_of_options(self):
        a, b = self.two_documents()
        expected = self.good("compare", a, b, "--threshold=.99", "--quiet")
        for form in (["--threshold", ".99", "-q", a, b], ["-t.99", a, "-q", b], ["-qt", ".99", a, b],
                     [a, b, "-t", "0.99", "--quiet"], ["-t.99", "-q", "--", a, b]):
            self.assertEqual(self.good("compare", *form), expected)

    def test_a_name_like_an_option(self):
        self.write("-x", "some text here that is a document")
        self.assertIn("identical", self.good("compare", "--", "-x", "-x"))

    def test_number_of_documents(self):
        self.bad("compare", "a", says="two documents are needed, 1 given")
        self.bad("compare", "a", "b", "c", says="3 given")
        self.bad("compare", "-", "-", says="standard input")
        self.bad("sketch", says="no documents were given")
        self.bad("text", says="one document")
        self.bad("compare", "--pairs-from=x", "a", "b", says="no documents are named")
        self.bad("compare", "-0", "a", "b", says="--pairs-from")

    def test_recipe_options_that_exclude_each_other(self):
        self.bad("compare", "--recipe=window=3", "--window=4", "a", "b", says="--recipe is a whole recipe")
        self.bad("compare", "--preset=raw", "--fold=case", "a", "b", says="exclude")
        self.bad("compare", "-n", "5", "a", "b", says="need a --scheme")
        self.bad("sketch", "-o", "x", "-d", "y", "a", says="only one of")
        self.bad("compare", "--recipe=windov=3", "a", "b", says="windov")
        for option in ("--window=0", "--window=1025", "--width=31", "--width=65"):
            self.bad("compare", option, "a", "b", says=r"--w\w+: '\d+' is not from \d+ to \d+\nTry 'stemma compare --help'")


class Places(Base):
    """Lines and bytes that are not the file's are said to be those of its text; what has no lines has bytes."""

    def setUp(self):
        super().setUp()
        text = words(60)
        for name, last in (("a.md", "end"), ("b.md", "final")):
            self.write(name, "# Heading\n\n" + " ".join(text) + "\n\n* item " + last + "\n")
        self.good("add", "--quiet", "c.stemma", "a.md")

    def test_of_the_text(self):
        self.assertIn("places of a and b are in the text", self.good("compare", "a.md", "b.md"))
        self.assertIn(b"lines of a and b are of the text", self.run_program("diff", "a.md", "b.md").stdout)
        self.assertIn(b"lines of a and b are of the text", self.run_program("diff", "--passages", "a.md", "b.md").stdout)
        self.assertRegex(self.good("query", "c.stemma", "b.md"), r"differs in line \d+ of its text")
        self.write("plain", "words alone")
        self.assertNotIn(b"of the text", self.run_program("diff", "plain", "plain").stdout)

    def test_bytes(self):
        raw = ["--preset=raw", "--unit=byte"]
        self.write("x", bytes(range(256)) * 4)
        self.write("y", bytes(range(256)) * 4 + b"more")
        self.good("add", "--quiet", *raw, "--window=20", "r.stemma", "x")
        self.assertRegex(self.good("query", "r.stemma", "y"), r"differs in bytes 1024")
        for found in (self.good("find", *raw, "x", "y"), self.good("compare", *raw, "x", "y")):
            self.assertNotIn("line", found)


class Numbers(Base):
    def test_cut_not_rounded(self):
        """1801 of 1999 shingles are .90095: the same by everything that says it."""
        text = [f"w{i}" for i in range(1904)]
        self.write("pile/a", " ".join(text))
        self.write("pile/b", " ".join(text[:1805] + [f"v{i}" for i in range(99)]))
        exact = json.loads(self.good("compare", "--json", "pile/a", "pile/b"))["resemblance"]["value"]
        said = f"{int(exact * 1000) / 1000:.3f}"[1:]
        self.assertGreater(exact * 1000 % 1, .5)  # it would be rounded up
        self.assertIn(f"resemblance   {said}", self.good("compare", "pile/a", "pile/b"))
        self.assertIn(f" {said} ", self.good("scan", "--pairs", "pile"))
        self.assertIn(f"near-duplicate {int(exact * 100)} %", self.good("scan", "pile"))
        self.assertIn("100 % of the target", self.good("find", "pile/a", "pile/a"))


class Dash(Base):
    """'-' is standard output where that can be, and nothing is made under that name."""

    def test_page_on_standard_output(self):
        page = self.run_program("diff", "--html", "--output=-", *self.two_documents()).stdout
        self.assertIn(b"</html>", page)

    def test_refused(self):
        self.two_documents()
        self.good("add", "--quiet", "c.stemma", "a")
        before = sorted(self.folder.iterdir())
        for arguments in (["scan", "--report=-", "a"], ["scan", "--delete", "--log=-", "a"],
                          ["scan", "--move=-", "a"], ["scan", "--cache=-", "a"], ["tune", "--report=-", "a"],
                          ["sketch", "--directory=-", "a"], ["sketch", "--output=-", "a"], ["add", "-", "a"], ["seen", "-"],
                          ["backup", "c.stemma", "-"], ["merge", "-", "c.stemma"]):
            self.bad(*arguments, says="'-'")
        self.assertEqual(sorted(self.folder.iterdir()), before)


class Help(Base):
    def options_of(self, command):
        return set(re.findall(r"^ +(?:-\w, )?(--[a-z0-9-]+|-n)", self.good(command, "--help"), re.M))

    def test_help_is_complete(self):
        for command in COMMANDS:
            text = self.good(command, "--help")
            for part in ("Usage: stemma " + command, "Examples:", "Exit codes:", "See also:", "--json", "--version"):
                self.assertIn(part, text)
            self.assertEqual(text, self.good("help", command))
            self.assertLess(max(map(len, text.splitlines())), 81)

    def commands(self):
        """But lab, which is a program of its own."""
        listed = re.findall(r"^  (\w+) ", self.good("--help").split("Commands:")[1].split("\n\n")[0], re.M)
        return [command for command in listed if command != "lab"]

    def test_every_option_is_taken(self):
        tried = set()
        for command in self.commands():
            for name, argument, line in re.findall(r"^ +(?:-\w, )?(--[a-z0-9-]+|-n)([ =][A-Z]+)?(.*)",
                                                   self.good(command, "--help"), re.M):
                if (name, line) not in tried:
                    tried.add((name, line))
                    done = self.run_program(command, name, *["1"] * bool(argument), "--help")
                    self.assertIn(done.returncode, (0, 2), (command, name))
        self.assertGreater(len(tried), 100)

    def test_program(self):
        text = self.good("--help")
        self.assertEqual(text, self.good("help"))
        for command in COMMANDS + ["help", "completion"]:
            self.assertRegex(text, rf"(?m)^  {command} ")
        self.assertRegex(self.good("--version"), r"\Astemma \d+\.\d+\.\d+\n\Z")
        for form in (["compare", "--version"], ["-V"], ["sketch", "-V"], ["version"]):
            self.assertEqual(self.good(*form), self.good("--version"))

    def test_recipe(self):
        text = self.good("help", "recipe")
        schemes = re.search(r"--scheme=NAME(?:.|\n)+?one of: ((?:.|\n)+?)\n *-n", self.good("sketch", "--help"))[1]
        self.assertEqual(re.findall(r"(?m)^  ([a-z0-9-]+) +(?:[nb]|those)", text.split("--scheme")[1]),
                         [scheme.strip() for scheme in schemes.split(",")])
        self.assertLess(max(map(len, text.splitlines())), 81)

    def test_what_is_used_every_day_comes_first(self):
        text = self.good("compare", "--help")
        order = [option for option in re.findall(r"(?m)^ +(?:-\w, )?--([a-z-]+)", text)
                 if option in ("threshold", "pairs-from", "json", "preset", "scheme")]
        self.assertEqual(order, ["threshold", "pairs-from", "json", "preset", "scheme"])
        self.assertIn("one of: raw, text, code\n", text)

    def test_manual_pages_mention_every_option(self):
        for command in self.commands():
            path = SOURCE / f"docs/man/stemma-{command}.1"
            if command in ("help", "completion"):
                continue
            mentioned = {"-" + name for name in re.findall(r"\bFl (-[a-z0-9-]+|n)", path.read_text())}
            self.assertGreater(len(mentioned), 1)
            self.assertEqual(self.options_of(command) - mentioned, set(), command)
            if command in COMMANDS:  # the others speak of each other's options
                self.assertEqual(mentioned - self.options_of(command), set(), command)

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc")
    def test_manual_pages_are_clean(self):
        for page in (SOURCE / "docs/man").iterdir():
            done = subprocess.run(["mandoc", "-Tlint", str(page)], capture_output=True, text=True)
            complaints = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
            self.assertEqual(complaints, [])

    def test_completion(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.good("completion", shell)
            for option in self.options_of("compare") | self.options_of("sketch") | self.options_of("text"):
                self.assertIn(option.lstrip("-"), script)
            if shutil.which(shell):
                checked = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True)
                self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        self.bad("completion", "tcsh", says="bash, zsh or fish")

    def test_bash_completes(self):
        self.write("script", self.good("completion", "bash"))

        def complete(*line):
            quoted = " ".join(f"'{word}'" for word in line)
            shell = (f"source ./script; compopt() {{ :; }}; COMP_WORDS=({quoted}); COMP_CWORD={len(line) - 1}; "
                     "_stemma; echo \"${COMPREPLY[@]}\"")
            return subprocess.run(["bash", "-c", shell], cwd=self.folder, capture_output=True, text=True).stdout.split()
        self.assertEqual(complete("stemma", "comp"), ["compare", "completion"])
        self.assertEqual(complete("stemma", "compare", "--thres"), ["--threshold"])
        self.assertEqual(complete("stemma", "help", "s"), ["scan", "seen", "sketch", "show"])
        self.assertEqual(complete("stemma", "sketch", "--unit", "w"), ["word"])
        self.assertEqual(complete("stemma", "sketch", "--unit", "=", "w"), ["word"])
        self.assertEqual(complete("stemma", "sketch", "--unit", "="), ["byte", "char", "word", "line"])


class Compare(Base):
    def relation(self, *arguments):
        return json.loads(self.good("compare", "--json", *arguments))["relation"]

    def test_relations(self):
        text = words(4000)
        documents = {"a": text, "near": text[:3900], "part": text[:1000], "half": text[:1500] + words(2500, seed=3),
                     "other": ["x" + word for word in words(4000, seed=4)]}
        for name, content in documents.items():
            self.write(name, " ".join(content))
        self.write("loud", " ".join(text).upper() + "!")
        self.write("copy", " ".join(text))
        self.write("empty", "")
        for name, relation in [("copy", "identical"), ("loud", "same-text"), ("near", "near-duplicate"),
                               ("part", "contains"), ("half", "related"), ("other", "unrelated"), ("empty", "unknown")]:
            self.assertEqual(self.relation("a", name), relation, name)
        self.assertEqual(self.relation("part", "a"), "contained")
        self.assertEqual(self.relation("-t", "1", "--contained", "1", "a", "half"), "related")

    def test_terminal_form(self):
        a, b = self.two_documents()
        lines = self.good("compare", a, b).splitlines()
        self.assertRegex(lines[0], r"\Anear-duplicate +a  ->  b\Z")
        self.assertEqual([line[2:15].strip() for line in lines[1:] if line[2] != " "],
                         ["resemblance", "a in b", "b in a", "edit distance", "unrelated", "differences", "where",
                          "shingles", "decided by", "recipe"])
        self.assertRegex(lines[1], r"  \.\d{3,}  exact\Z")
        self.assertEqual(lines[-2], "  decided by    resemblance >= .7")
        self.assertNotIn(";", lines[-1])
        lines = self.good("compare", "--edit=none", a, b).splitlines()
        self.assertEqual([line[2:15].strip() for line in lines[1:]],
                         ["resemblance", "a in b", "b in a", "shingles", "decided by", "recipe"])
        self.assertRegex(self.good("compare", "--sketch", a, b), "recipe .*; oph .*; mod ")
        self.assertIn("  resemblance   1     exact\n", self.good("compare", a, a))
        self.assertIn("a  →  b", self.good("compare", a, b, locale="C.UTF-8"))
        self.assertEqual(len(self.good("compare", "--quiet", a, b).splitlines()), 1)

    def test_related_says_by_which_number(self):
        text = words(4000)
        self.write("long", " ".join(text))
        self.write("short", " ".join(text[:200] + ["x" + word for word in words(800, seed=3)]))
        self.assertRegex(self.good("compare", "short", "long"),
                         r"decided by    a in b \.\d+ > \.05 \(chance\); below resemblance \.7 and containment \.9\n")
        self.assertRegex(self.good("compare", "long", "short"), r"decided by    b in a \.\d+ > \.05")
        self.assertRegex(self.good("compare", "--sketch", "--scheme=oph", "-n", "1024", "--bits=8", "long", "short"),
                         r"decided by    (resemblance|nothing)")

    def test_shorter_than_the_window(self):
        self.write("note.txt", "just four words here")
        self.write("b", "one two three four five six")
        hint = r"too short     note\.txt has 4 words, fewer than the window of 5"
        for form in ([], ["--sketch"]):
            shown = self.good("compare", *form, "b", "note.txt")
            self.assertRegex(shown, hint + r"; try --window=2\n")
            self.assertEqual(shown.count("not known: "), 3)
            self.assertNotRegex(shown, "(resemblance|a in b|b in a) .*exact")
            said = json.loads(self.good("compare", "--json", *form, "b", "note.txt"))
            self.assertEqual(said["resemblance"], {"value": None, "low": None, "high": None, "exact": False,
                                                   "why": "there is too little to judge by"})
        self.assertRegex(self.good("compare", "--unit=char", "--window=30", "note.txt", "b"), "has 20 characters, fewer")
        self.good("sketch", "-q", "note.txt")
        shown = self.good("compare", "note.txt.sketch", "b")
        self.assertRegex(shown, "has 4 words, fewer than the window of 5\n")
        row = self.good("compare", "-q", "--pairs-from=-", stdin=b"note.txt\tb\n")
        self.assertEqual(row.split(), ["unknown", "-", "-", "-", "note.txt", "b"])
        self.assertNotIn("too short", self.good("compare", "-", "b", stdin=b"four words are here"))

    def test_json_keys(self):
        a, b = self.two_documents()
        found = json.loads(self.good("compare", "--json", a, b))
        self.assertEqual(set(found), {"a", "b", "relation", "certain", "resemblance", "containment", "edit",
                                      "offsets", "differences", "shared", "shingles", "thresholds", "from_sketches",
                                      "recipe"})
        self.assertEqual((found["a"], found["b"], found["from_sketches"]), ("a", "b", False))
        resemblance = found["resemblance"]
        self.assertEqual(set(resemblance), QUANTITY)
        self.assertTrue(resemblance["exact"])
        counts = found["shingles"]
        union = counts["a"] + counts["b"] - counts["common"]
        self.assertAlmostEqual(resemblance["value"], counts["common"] / union, places=12)
        self.assertAlmostEqual(found["containment"]["a_in_b"]["value"], counts["common"] / counts["a"], places=12)
        self.assertEqual(found["thresholds"]["resemblance"], .7)

    def test_sketches_estimate(self):
        a, b = self.two_documents()
        exact = json.loads(self.good("compare", "--json", a, b))["resemblance"]["value"]
        found = json.loads(self.good("compare", "--json", "--sketch", "--scheme=mod", "-n", "4", a, b))
        self.assertTrue(found["from_sketches"])
        self.assertFalse(found["resemblance"]["exact"])
        self.assertLess(found["resemblance"]["low"], found["resemblance"]["high"])
        self.assertAlmostEqual(found["resemblance"]["value"], exact, delta=.1)
        self.assertIn("; mod n=4", found["recipe"])
        self.assertRegex(self.good("compare", "--sketch", a, b), r"resemblance   about \.\d+, 95 % between")

    def test_what_a_sketch_cannot_answer(self):
        a, b = self.two_documents()
        found = json.loads(self.good("compare", "--json", "--sketch", "--scheme=simhash", "--bits=64", a, b))
        self.assertIsNone(found["resemblance"]["value"])
        self.assertTrue(found["resemblance"]["why"])
        self.assertIn("value", found["cosine"])
        shown = self.good("compare", "--sketch", "--scheme=simhash", "--bits=64", a, b)
        self.assertEqual(shown.count("not known: "), 3)
        self.assertRegex(shown, r"cosine        about -?(\.\d+|1), 95 % between -?(\.\d+|1)")

    def test_what_is_not_certain_carries_a_question_mark(self):
        text = words(4000)
        self.write("a", " ".join(text))
        self.write("b", " ".join(text[:3000] + ["x" + word for word in words(1000, seed=3)]))
        exact = json.loads(self.good("compare", "--json", "a", "b"))["resemblance"]["value"]
        crossed = ["--sketch", "--scheme=mod", "-n", "16", "-t", f"{exact:.3f}", "a", "b"]
        fixed = ["--sketch", "--scheme=oph", "-n", "512", "--bits=8", "a", "b"]
        unknown = "containment is not known under this recipe; use --scheme=mod"
        for options, hint in ((crossed, "an interval crosses a threshold"), (fixed, unknown)):
            headline, *rest = self.good("compare", *options).splitlines()
            self.assertRegex(headline, r"\A[a-z-]+\? ")
            self.assertRegex("\n".join(rest), rf"(?m)^  not certain   {hint}")
            row = self.good("compare", *options[:-2], "-q", "--pairs-from=-", stdin=b"a\tb\n")
            self.assertRegex(row, r"\A[a-z-]+\? ")
            self.assertFalse(json.loads(self.good("compare", "--json", *options))["certain"])
        shown = self.good("compare", "--sketch", "--scheme=mod", "-n", "4", "-t", "0.1", "a", "b")
        self.assertNotIn("not certain", shown)
        self.assertNotIn("?", self.good("compare", "a", "b"))

    def test_standard_input(self):
        self.write("a", "one two three four five six seven")
        self.assertIn("identical", self.good("compare", "-", "a", stdin=b"one two three four five six seven"))

    def test_names_are_safe(self):
        name = "evil\x1b[31m\nname\u202e.txt"
        self.write(name, "one two three four five six seven")
        shown = self.good("compare", name, name, locale="C.UTF-8")
        self.assertIn(r"evil\x1b[31m\x0aname\xe2\x80\xae.txt", shown)
        self.assertNotIn("\x1b", shown)
        message = self.bad("compare", name + "?", "b")
        self.assertNotIn("\x1b", message)
        self.assertEqual(json.loads(self.good("compare", "--json", name, name))["a"], name)

    def test_names_that_are_not_utf8(self):
        name = b"na\xefve"
        with open(os.path.join(os.fsencode(self.folder), name), "w") as file:
            file.write("one two three four five six seven")
        found = json.loads(self.good("compare", "--json", name, name))
        self.assertEqual(found["a"], "na\ufffdve")
        self.assertEqual(base64.b64decode(found["a_bytes"]), name)
        self.assertIn(r"na\xefve", self.good("compare", name, name))

    def test_colour_only_on_a_terminal(self):
        a, b = self.two_documents()
        self.assertNotIn("\x1b", self.good("compare", a, b, TERM="xterm"))
        self.assertIn(b"\x1b[", self.on_terminal(a, b, TERM="xterm"))
        self.assertNotIn(b"\x1b[", self.on_terminal(a, b, TERM="xterm", NO_COLOR="1"))

    def on_terminal(self, a, b, **environment):
        leader, follower = pty.openpty()
        environment = dict({key: value for key, value in os.environ.items() if key != "NO_COLOR"}, **environment)
        subprocess.run([PROGRAM, "compare", a, b], cwd=self.folder, stdout=follower, env=environment, check=True)
        os.close(follower)
        shown = os.read(leader, 65536)
        os.close(leader)
        return shown


class Pairs(Base):
    def setUp(self):
        super().setUp()
        self.two_documents()

    def test_rows(self):
        text = self.good("compare", "--pairs-from=-", stdin=b"a\tb\na\ta\n\nb\ta\n")
        head, *rows = text.splitlines()
        self.assertEqual(head.split()[0], "relation")
        self.assertEqual([row.split()[0] for row in rows], ["near-duplicate", "identical", "near-duplicate"])
        self.assertEqual(rows[0].split()[-2:], ["a", "b"])
        self.write("list", "a\tb\n")
        self.assertEqual(self.good("compare", "--quiet", "--pairs-from=list").splitlines(), rows[:1])

    def test_nul_separated(self):
        self.write("new\nline", "some words that make a document of their own")
        found = self.good("compare", "--json", "-0", "--pairs-from=-", stdin=b"new\nline\0a\0b\0a\0")
        self.assertEqual([json.loads(line)["a"] for line in found.splitlines()], ["new\nline", "b"])

    def failing(self, stdin, *options):
        done = self.run_program("compare", "--json", "--pairs-from=-", *options, stdin=stdin)
        self.assertEqual(done.returncode, 2)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        return [line["b"] for line in found if "cause" not in line], done.stderr.decode()

    def test_one_failure_does_not_stop_the_rest(self):
        done, message = self.failing(b"a\tb\nmissing\ta\na\t/\nb\ta\n")
        self.assertEqual(done, ["b", "a"])
        self.assertRegex(message, r"\Astemma: line 2 of '-': cannot read 'missing': .+\n"
                                  r"stemma: line 3 of '-': cannot read '/': .+\n\Z")

    def test_json_has_a_line_for_every_pair(self):
        done = self.run_program("compare", "--json", "--pairs-from=-", stdin=b"a\tb\nmissing\ta\nb\ta\n")
        first, failed, last = map(json.loads, done.stdout.splitlines())
        self.assertEqual((first["b"], last["b"]), ("b", "a"))
        self.assertEqual(failed, {"a": "missing", "b": "a",
                                  "cause": "cannot read 'missing': no such file or directory"})

    def test_lines_of_other_systems(self):
        self.assertEqual(self.good("compare", "--pairs-from=-", stdin=b"a\tb\r\n\r\nb\ta\r\n"),
                         self.good("compare", "--pairs-from=-", stdin=b"a\tb\nb\ta\n"))

    def test_no_head_without_rows(self):
        self.bad("compare", "--pairs-from=-", stdin=b"a\n", says="line 1")
        self.bad("compare", "--pairs-from=-", stdin=b"a\tmissing\n", says="line 1")
        self.assertEqual(self.good("compare", "--pairs-from=-"), "")

    def test_a_file_that_is_no_list(self):
        for count in (10, 11, 5000):
            message = self.bad("compare", "--pairs-from=-", stdin=b"word\n" * count).splitlines()
            self.assertEqual(len(message), 10 if count == 10 else 11)
            if count > 10:
                self.assertEqual(message[-1], f"stemma: {count} pairs of '-' could not be used; the first 10 were named")

    def test_lines_that_are_no_pairs(self):
        done, message = self.failing(b"a\na\tb\tc\n\tb\na\t\n-\ta\na\tb\n")
        self.assertEqual(done, ["b"])
        self.assertEqual(re.findall(r"line (\d)", message), ["1", "2", "3", "4", "5"])
        done, message = self.failing(b"a\0b\0a\0", "-0")
        self.assertEqual(done, ["b"])
        self.assertIn("second name", message)
        done, message = self.failing(b"a\tb\nx\0y\n")
        self.assertIn("NUL", message)
        done, message = self.failing(b"a\0b\0\0a\0", "-0")
        self.assertEqual(done, ["b"])
        self.assertIn("name 3 of '-': it is empty", message)

    def test_threads_do_not_change_the_output(self):
        for i in range(20):
            self.write(f"d{i}", " ".join(words(1000 + 50 * i, seed=i % 3)))
        pairs = "".join(f"d{i}\td{k}\n" for i in range(20) for k in range(20) if (i + k) % 3).encode()
        for options in ([], ["--sketch"], ["--json"]):
            one = self.good("compare", "--threads=1", *options, "--pairs-from=-", stdin=pairs)
            self.assertEqual(self.good("compare", "--threads=4", *options, "--pairs-from=-", stdin=pairs), one)

    def test_one_thread_answers_at_once(self):
        with subprocess.Popen([PROGRAM, "compare", "--threads=1", "--json", "--pairs-from=-"], cwd=self.folder,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            for _ in range(3):
                program.stdin.write(b"a\tb\n")
                program.stdin.flush()
                self.assertEqual(json.loads(program.stdout.readline())["b"], "b")
            program.stdin.close()
            self.assertEqual(program.wait(), 0)

    def test_a_bundle_of_thousands_is_read_once(self):
        """A list that reads the bundle for each pair takes minutes."""
        source = " ".join(words(200))
        self.write("names", "".join(f"d{i}\n" for i in range(2000)))
        for i in range(2000):
            self.write(f"d{i}", f"{source} {i} x{i} y{i}")
        self.good("sketch", "-q", "-o", "all", "--files-from=names")
        pairs = "".join(f"all#d{i}\tall#d{(7 * i + 1) % 2000}\n" for i in range(2000))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        rows = self.good("compare", "-q", "--pairs-from=-", stdin=pairs.encode()).splitlines()
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 30)
        self.assertEqual([row.split()[-2:] for row in rows], [pair.split("\t") for pair in pairs.splitlines()])

    def answers(self, pairs, *gone):
        """The relations of pairs that are judged one by one; the files `gone` are removed after the first."""
        relations = []
        with subprocess.Popen([PROGRAM, "compare", "--threads=1", "--json", "--pairs-from=-"], cwd=self.folder,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            for pair in pairs:
                program.stdin.write(f"{pair}\n".encode())
                program.stdin.flush()
                relations.append(json.loads(program.stdout.readline())["relation"])
                for name in gone:
                    (self.folder / name).unlink(missing_ok=True)
            program.stdin.close()
            self.assertEqual(program.wait(), 0)
        return relations

    def test_files_are_not_read_again(self):
        for name in "cd":
            self.write(name, "x " + " ".join("x" + word for word in words(500, seed=ord(name))))
        self.good("sketch", "-q", "-o", "all", "a", "b", "c")
        self.assertEqual(self.answers(["all#a\tall#b", "all#c\tall#c", "c\tall#c", "all#a\tc"], "all"),
                         ["near-duplicate", "identical", "identical", "unrelated"])
        self.assertEqual(self.answers(["a\tb", "a\tc", "d\tb", "b\ta"], "a", "b"),
                         ["near-duplicate", "unrelated", "unrelated", "near-duplicate"])

    def test_little_memory_keeps_no_documents(self):
        pairs = b"a\tb\na\ta\nb\ta\n" * 3
        self.assertEqual(self.good("compare", "--memory=1K", "--pairs-from=-", stdin=pairs),
                         self.good("compare", "--pairs-from=-", stdin=pairs))

    def test_many_bundles(self):
        for i in range(150):
            self.write(f"d{i}", " ".join(words(30, seed=i)))
        self.good("sketch", "-q", *(f"d{i}" for i in range(150)))
        pairs = "".join(f"d{i}.sketch\td{i}.sketch\n" for i in range(150)) * 2
        for threads in ("1", "3"):
            rows = self.good("compare", "-q", "--threads", threads, "--pairs-from=-", stdin=pairs.encode())
            self.assertEqual([row.split()[0] for row in rows.splitlines()], ["identical"] * 300)

    def test_a_damaged_bundle_is_said_for_each_pair(self):
        self.good("sketch", "-q", "-o", "all", "a", "b")
        self.write("cut", (self.folder / "all").read_bytes()[:-5])
        done, message = self.failing(b"cut#a\ta\ncut#b\ta\na\tb\n")
        self.assertEqual(done, ["b"])
        self.assertEqual(message.count("cannot read 'cut'"), 2)

    def test_missing_list(self):
        self.bad("compare", "--pairs-from=nowhere", says="cannot read 'nowhere': no such file or directory")


class Text(Base):
    def test_text(self):
        self.assertEqual(self.good("text", "-", stdin="Ça va?  Oui — ça VA.".encode()), "ça va oui ça va")
        self.assertEqual(self.run_program("text", "--preset=raw", "-", stdin=b"a\0b\xff\n").stdout, b"a\0b\xff\n")

    def test_tokens_point_back(self):
        original = "Ça va?  Oui — ça VA. 漢字 ok".encode()
        for line in self.good("text", "--tokens", "-", stdin=original).splitlines():
            place, token = line.split("\t")
            begin, end = map(int, place.split("-"))
            self.assertEqual(original[begin:end].decode().lower(), token)

    def test_json(self):
        found = json.loads(self.good("text", "--json", "-", stdin=b"One, two"))
        self.assertEqual(found, {"id": "-", "tokens": 2, "offsets": "original", "text": "one two"})
        tokens = [json.loads(line) for line in self.good("text", "--json", "--tokens", "-", stdin=b"One, two").splitlines()]
        self.assertEqual(tokens[1], {"token": "two", "begin": 4, "end": 7, "source_begin": 5, "source_end": 8})

    def test_memory(self):
        self.write("a", "word " * 20000)
        self.bad("text", "--memory=100K", "a", says="memory")
        self.bad("text", "--memory=100K", "-", stdin=b"word " * 20000, says="memory")
        self.assertEqual(len(self.good("text", "--memory=1M", "a")), 99999)
        self.bad("text", "--memory=512K", "--unit=char", "a", says="needs more than 524288 bytes of memory: allow more")

    def test_interrupted_while_nobody_reads(self):
        self.write("a", "word " * 200000)
        for options in ([], ["--tokens"], ["--json"]):
            with subprocess.Popen([PROGRAM, "text", *options, "a"], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as program:
                rests(program)
                program.send_signal(signal.SIGINT)
                self.assertEqual((program.wait(timeout=60), program.stderr.read()), (130, b""))

    def test_tokens_are_safe(self):
        shown = self.good("text", "--preset=raw", "--unit=line", "--tokens", "-", stdin=b"a\x1bb\nc")
        self.assertNotIn("\x1b", shown)


class BadInput(Base):
    def setUp(self):
        super().setUp()
        self.write("a", "one two three four five six seven eight")

    def every_command(self, name, says, **how):
        for arguments in (["compare", name, "a"], ["compare", "a", name], ["compare", "--sketch", "a", name],
                          ["sketch", "-o", "out", name], ["text", name]):
            with self.subTest(arguments=arguments):
                self.bad(*arguments, says=says, **how)
        self.assertNotIn("out", self.listing())

    def test_missing(self):
        self.every_command("missing", "cannot read 'missing': no such file or directory")

    def test_directory(self):
        (self.folder / "d").mkdir()
        self.every_command("d", "cannot read 'd': .*directory")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_unreadable(self):
        self.write("locked", "x")
        (self.folder / "locked").chmod(0)
        self.every_command("locked", "cannot read 'locked': permission denied")

    def test_devices(self):
        self.every_command("/dev/zero", "cannot read '/dev/zero': ")
        self.every_command("/dev/null", "cannot read '/dev/null': ")

    def test_fifo_without_a_writer(self):
        os.mkfifo(self.folder / "fifo")
        self.every_command("fifo", "cannot read 'fifo': ")

    def test_fifo_that_never_ends(self):
        os.mkfifo(self.folder / "fifo")
        writer = subprocess.Popen(["sh", "-c", "yes > fifo"], cwd=self.folder, stderr=subprocess.DEVNULL)
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        self.every_command("fifo", "cannot read 'fifo': ")

    def test_endless_pipe_is_interrupted(self):
        for command in (["compare", "-", "a"], ["compare", "--sketch", "-", "a"], ["sketch", "--json", "-"],
                        ["text", "--memory=100G", "-"]):
            source = subprocess.Popen(["yes", "no"], stdout=subprocess.PIPE)
            program = subprocess.Popen([PROGRAM, *command], cwd=self.folder, stdin=source.stdout,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            source.stdout.close()
            listens(program)
            time.sleep(.05)
            program.send_signal(signal.SIGINT)
            shown = program.communicate(timeout=60)
            self.assertEqual((program.returncode, shown), (130, (b"", b"")))
            source.kill()
            source.wait()

    def test_more_tokens_than_can_be_aligned(self):
        """The distance is told all the same, without the places."""
        self.write("b", " ".join(words(20000)) + "x")
        self.write("c", " ".join(words(20000)))
        for how in [], ["--edit=exact"], ["--edit=estimate"]:
            answer = json.loads(self.good("compare", "--json", "--preset=raw", "--unit=byte", "--memory=4M", *how, "b", "c"))
            self.assertNotIn("differences", answer)
            self.assertLessEqual(answer["edit"]["low"], 1)
            self.assertGreaterEqual(answer["edit"]["high"], 1)

    def test_limit_without_an_exact_distance(self):
        for other in "--edit=none", "--edit=estimate", "--sketch":
            self.bad("compare", "--edit-limit=5", other, "a", "a", says="--edit-limit is for the exact edit distance")

    def test_a_pipe_is_read_once(self):
        """Also where its text is more than the memory allowed, or that of the other document."""
        text = " ".join(words(100000))
        self.write("whole", text)
        for more in [], ["--edit=none"], ["--memory=1M"], ["--memory=1M", "--edit=none"]:
            with subprocess.Popen(["cat", "whole"], cwd=self.folder, stdout=subprocess.PIPE) as source:
                number = source.stdout.fileno()
                done = subprocess.run([PROGRAM, "compare", "--json", *more, f"/dev/fd/{number}", "whole"],
                                      cwd=self.folder, pass_fds=[number], capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(json.loads(done.stdout)["relation"], "identical", more)
        self.bad("compare", "--memory=1M", "--edit=estimate", "-", "whole", stdin=text.encode(), says="allow more memory")
        answer = json.loads(self.good("compare", "--json", "--memory=1M", "--edit=estimate", "-", "whole",
                                      stdin=text[:200000].strip().encode()))
        self.assertEqual(answer["edit"]["length_a"], len(text[:200000].strip()))

    LISTS = (["compare", "--pairs-from"], ["sketch", "-o", "out", "--files-from"], ["scan", "--files-from"])

    def test_lists_that_are_no_lists(self):
        for *command, option in self.LISTS:
            self.bad(*command, f"{option}=/", says="cannot read '/': is a directory")
            for extra in ([], ["-0"]):
                self.bad(*command, *extra, f"{option}=/dev/zero", says="'/dev/zero': is a device")
        self.assertEqual(self.listing(), ["a"])

    def test_a_list_of_nothing(self):
        self.assertIn("no documents", self.good("scan", "--files-from=/dev/null"))

    def test_endless_names(self):
        """Bounded in time and memory: a name has a longest length, and with -0 none is empty."""
        for *command, option in self.LISTS:
            for extra, reason in ([], "line 1 of '-': it is too long"), (["-0"], "name 1 of '-': it is empty"):
                with open("/dev/zero", "rb") as zero:
                    done = subprocess.run([PROGRAM, *command, *extra, f"{option}=-"], cwd=self.folder, stdin=zero,
                                          capture_output=True, timeout=60, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn(reason, done.stderr)
            self.assertEqual(self.listing(), ["a"])

    def test_a_list_of_empty_lines_is_interrupted(self):
        for *command, option in self.LISTS:
            with subprocess.Popen(["yes", ""], stdout=subprocess.PIPE) as source:
                program = subprocess.Popen([PROGRAM, *command, f"{option}=-"], cwd=self.folder, stdin=source.stdout,
                                           stdout=subprocess.DEVNULL)
                listens(program, signal.SIGTERM)
                time.sleep(.05)
                program.send_signal(signal.SIGTERM)
                self.assertEqual(program.wait(timeout=60), 130)
                source.kill()

    def test_tiny_documents(self):
        self.write("empty", b"")
        self.write("one", b"x")
        for name in ("empty", "one"):
            self.assertEqual(json.loads(self.good("compare", "--json", name, "a"))["relation"], "unknown")
            self.assertIn("identical", self.good("compare", name, name))
            self.good("compare", "--sketch", name, "a")
            self.good("sketch", "--force", name)
            self.good("text", name)

    def test_bytes_that_are_not_text(self):
        """Compared by their bytes alone, as a scan does, unless bytes are asked for; a note says so."""
        picture = random.Random(1).randbytes(20000)
        self.write("nul", b"one\0two\0three " * 50)
        self.write("picture", picture)
        self.write("changed", picture[:19000] + bytes(1000))
        for name in ("nul", "picture"):
            self.assertIn("identical", self.good("compare", name, name))
            for command, *others in (("compare", "a"), ("compare", "changed"), ("text",), ("sketch",)):
                done = self.run_program(command, "--json", name, *others)
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (0, 1))
                self.assertIn(f"'{name}' holds no text to".encode(), done.stderr)
                self.assertIn(b"--preset=raw --unit=byte", done.stderr)
                found = json.loads(done.stdout)
                self.assertEqual(found.get("relation", "unknown"), "unknown")
                self.assertEqual(found.get("tokens", 0), 0)
        self.assertIn("near-duplicate", self.good("compare", "-q", "--preset=raw", "--unit=byte", "picture", "changed"))
        self.assertIn("identical", self.good("compare", "--encoding=latin-1", "nul", "nul"))

    def test_binaries_differ(self):
        self.write("x", bytes(range(256)) * 9)
        self.write("y", bytes(range(255, -1, -1)) * 9)
        done = self.run_program("diff", "x", "y")
        self.assertEqual((done.returncode, done.stdout), (1, b"Binary files x and y differ\n"))
        self.assertIn(b"'x' holds no text to show", done.stderr)
        self.assertEqual(self.good("diff", "x", "x"), "The documents are identical.\n")
        found = json.loads(self.run_program("diff", "--json", "x", "y").stdout)
        self.assertEqual([found[key] for key in ("binary", "same_text", "same_bytes")], [True, False, False])
        found = json.loads(self.run_program("diff", "--json", "x", "a").stdout)
        self.assertEqual([found[key] for key in ("binary", "differences", "shared")], [True, [], []])
        self.bad("diff", "--html", "x", "y", says="holds no text")
        self.assertIn(b"\\x", self.run_program("diff", "--preset=raw", "x", "y").stdout)

    def test_a_million_equal_lines(self):
        self.write("same", b"the same line\n" * 1_000_000)
        self.write("more", b"the same line\n" * 1_000_001)
        found = json.loads(self.good("compare", "--json", "same", "more"))
        self.assertEqual(found["resemblance"]["value"], 1)
        labelled = json.loads(self.good("compare", "--json", "--labelled", "--unit=line", "same", "more"))
        self.assertEqual(labelled["relation"], "near-duplicate")
        self.assertLess(labelled["resemblance"]["value"], 1)
        self.good("sketch", "same")

    def test_later_version(self):
        self.good("sketch", "a")
        made = (self.folder / "a.sketch").read_bytes()
        later = self.raise_version(made)
        self.write("later", later)
        self.bad("compare", "later", "a", says="version 2")

    @staticmethod
    def raise_version(bundle):
        """The version is the 16-bit number after the 8 bytes of the mark (docs/format.md)."""
        version = int.from_bytes(bundle[8:10], "little")
        return bundle[:8] + (version + 1).to_bytes(2, "little") + bundle[10:]

    def test_memory_spills(self):
        text = words(60000)
        self.write("big", " ".join(text))
        self.write("bigger", " ".join(text + words(500, seed=9)))
        small = self.good("compare", "--edit=none", "--json", "--memory=64K", "big", "bigger")
        self.assertEqual(small, self.good("compare", "--edit=none", "--json", "big", "bigger"))


class Outputs(Base):
    def setUp(self):
        super().setUp()
        self.write("a", "one two three four five six seven eight")
        self.write("long", " ".join(words(50000)))

    def test_full_disk(self):
        for arguments in (["compare", "a", "a"], ["compare", "--json", "a", "a"], ["sketch", "--json", "a"],
                          ["text", "a"], ["text", "long"], ["text", "--tokens", "long"], ["text", "--json", "long"],
                          ["--help"], ["completion", "bash"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 3, arguments)
            self.assertIn(b"cannot write to standard output: no space left on device", done.stderr)

    def test_what_is_lost_keeps_its_cause(self):
        """Also where the last piece that is written is the one that fails."""
        for size in (4096, 8192, 65536):
            self.write("pieces", "x" * size)
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([PROGRAM, "text", "pieces"], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (0, b""), size)
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, "text", "pieces"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 3, size)
            self.assertIn(b"cannot write to standard output: no space left on device", done.stderr)

    def test_closed_pipe_is_quiet(self):
        for arguments in (["text", "a"], ["text", "long"], ["text", "--tokens", "long"], ["text", "--json", "long"],
                          ["compare", "a", "long"], ["sketch", "--json", "long"], ["completion", "fish"], ["help"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)

    def test_closed_standard_output(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" text a >&-', PROGRAM], cwd=self.folder, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3)

    def test_unwritable_place(self):
        self.bad("sketch", "-o", "no/such/place", "a", says="no/such/place")


class Large(Base):
    @unittest.skipIf(os.environ.get("STEMMA_SKIP_LARGE"), "large inputs are skipped")
    def test_sparse_file(self):
        """10 GB of holes: read as a stream, in bounded memory."""
        sparse = self.folder_in_memory() + "/sparse"
        with open(sparse, "wb") as file:
            file.truncate(10 << 30)
        start = time.monotonic()
        found = json.loads(self.run_program("sketch", "--json", sparse, timeout=550).stdout)
        self.assertEqual(found["bytes"], 10 << 30)
        print(f"sparse file of 10 GB: {time.monotonic() - start:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
