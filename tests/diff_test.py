#!/usr/bin/env python3
"""stemma diff as a user meets it: marks, columns, the page, passages, JSON, exit codes, hostile documents.

  diff_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import base64
import fcntl
import hashlib
import html.parser
import json
import os
import pty
import random
import re
import signal
import stat
import struct
import subprocess
import sys
import termios
import time
import unittest
from pathlib import Path

from program import PROGRAM, Base, limit_file_size, words

OLD = "The ship left at dawn.\nIt was cold.\nNobody came.\n"
NEW = "The ship left at dusk.\nIt was cold.\nNobody ever came.\n"
MOVED = "a passage of ten words that moved from here to there"


class Diff(Base):
    def diff(self, *arguments, code=1, **how):
        done = self.run_program("diff", *arguments, **how)
        self.assertEqual((done.returncode, done.stderr), (code, b""), done.stderr)
        return done.stdout.decode()

    def two(self, old=OLD, new=NEW):
        return self.write("old", old), self.write("new", new)

    def lines(self, *arguments, **how):
        return self.diff(*arguments, **how).splitlines()


class Unified(Diff):
    def test_words_are_marked_in_their_lines(self):
        self.assertEqual(self.lines(*self.two()), [
            "--- old", "+++ new", "1 1 ~ The ship left at [-dawn-]{+dusk+}.", "2 2   It was cold.",
            "3 3 ~ Nobody {+ever+} came.", "2 differences: 1 of 10 words deleted, 2 of 11 inserted"])

    def test_the_same(self):
        self.two(OLD, OLD)
        self.assertEqual(self.diff("old", "new", code=0), "The documents are identical.\n")
        self.two(OLD, OLD.upper().replace("\n", "\r\n").replace(".", "!"))
        self.assertIn("same canonical text; their bytes differ", self.diff("old", "new", code=0))
        self.assertIn("{+THE SHIP LEFT AT DAWN!", self.diff("--preset=code", "old", "new"))

    def test_context(self):
        text = [f"line number {n} of the text\n" for n in range(100)]
        self.two("".join(text), "".join(text[:50] + ["a new one\n"] + text[50:]))
        for context in (0, 1, 3):
            found = self.lines("--context", str(context), "old", "new")
            self.assertEqual(len(found), 2 + 1 + context * 2 + 1 + 1 + 1, found)
            self.assertIn(f"@@ {50 - context} lines in common @@", found)
        self.assertIn("     51 + {+a new one+}", found)

    def test_deleted_lines(self):
        self.two("one two\nthree four\nfive six\n", "one two\nfive six\n")
        self.assertIn("2   - [-three four-]", self.lines("old", "new"))

    def test_no_space_comes_from_nowhere(self):
        self.two("第一条 为了规范合同本法适用\nIt was very cold.\n", "第一条 为了合同本法适用\nIt was cold.\n")
        found = self.lines("old", "new")
        self.assertIn("1 1 ~ 第一条 为了[-规范-]合同本法适用", found)
        self.assertIn("2 2 ~ It was [-very-] cold.", found)

    def test_marks_end_with_their_line(self):
        self.two("one two.\n<three> four\n", "one\n<three> four\n")
        self.assertIn("1 1 ~ one [-two.-]", self.lines("old", "new"))
        self.assertIn("2 2   <three> four", self.lines("old", "new"))

    def test_empty_documents(self):
        self.two("", "one two\n")
        self.assertIn("  1 + {+one two+}", self.lines("old", "new"))
        self.assertIn("1   - [-one two-]", self.lines("new", "old"))
        self.assertIn("identical", self.diff("old", "old", code=0))

    def test_moved_passages_say_where(self):
        rest = [f"this is line {n} of the rest of it\n" for n in range(20)]
        self.two(MOVED + "\n" + "".join(rest), "".join(rest) + MOVED + "\n")
        found = self.lines("old", "new")
        self.assertIn(f" 1    - [-moved to line 21: {MOVED}-]", found)
        self.assertIn(f"   21 + {{+moved from line 1: {MOVED}+}}", found)
        self.assertIn("1 passage moved or copied", found[-1])

    def test_words_in_common_by_chance_do_not_break_up_what_was_copied(self):
        copied = " ".join(f"giving{n} License legal{n}" for n in range(20))
        rest = "\n".join(words(100))
        self.two(f"{copied}\n{rest}\none License two License three License four License five\n", f"{rest}\n{copied}\n")
        self.assertIn(f"{{+moved from line 1: {copied}+}}", self.diff("old", "new"))

    def test_units(self):
        self.two("abc\ndef\n", "abc\ndxf\n")
        self.assertIn("2 2 ~ d[-e-]{+x+}f", self.lines("--preset=raw", "--unit=byte", "old", "new"))
        self.assertIn("2 2 ~ [-def-]{+dxf+}", self.lines("--preset=code", "--unit=line", "old", "new"))

    def test_nothing_reaches_the_terminal_unescaped(self):
        self.two("safe \x1b[31m one\x07 two\n", b"safe \x1b]0;x\x07 \xff\xfe \xc2\x9b three\n")
        found = self.run_program("diff", "old", "new", "--preset=code").stdout
        self.assertNotRegex(found, rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2\x9b|\xff")
        self.assertIn(rb"\x1b", found)

    def test_standard_input(self):
        self.two()
        self.assertEqual(self.diff("-", "new", stdin=OLD.encode()).replace("--- -", "--- old"), self.diff("old", "new"))
        self.bad("diff", "-", "-", says="standard input")


class Marks(Diff):
    """Marks hold what changed and nothing else."""

    def shown(self, old, new, *arguments):
        self.two(old, new)
        return [line.rstrip() for line in self.lines("--context=99", *arguments, "old", "new")[2:] if line[:1] in " 0123456789"
                and not re.match(r"\d+ difference", line)]

    def test_punctuation_that_did_not_change(self):
        self.assertEqual(self.shown("Fees are due monthly\n- rent\n", "Fees are due monthly in advance\n- rent\n"),
                         ["1 1 ~ Fees are due monthly {+in advance+}", "2 2   - rent"])
        self.assertEqual(self.shown("payable weekly\n\n* * *\n", "payable\n\n* * *\n"),
                         ["1 1 ~ payable [-weekly-]", "2 2", "3 3   * * *"])
        self.assertEqual(self.shown("Interest is 4.5% a year.\n", "Interest is 5.4% a year.\n"),
                         ["1 1 ~ Interest is [-4.5-]{+5.4+}% a year."])
        self.assertEqual(self.shown("- one\n- two\n", "- one\n- new\n- two\n"),
                         ["1 1   - one", "  2 + {+- new+}", "2 3   - two"])
        self.assertEqual(self.shown("By law. It is.\n", "By law. So be it. It is.\n"),
                         ["1 1 ~ By law. {+So be it.+} It is."])
        self.assertEqual(self.shown("a (foo) b\n", "a bar b\n"), ["1 1 ~ a [-(foo)-]{+bar+} b"])

    def test_bytes_that_are_no_text_are_shown(self):
        self.assertEqual(self.shown(b"a caf\xe9 here\n", "a café here\n", "--encoding=utf-8"),
                         ["1 1 ~ a [-caf\\xe9-]{+café+} here"])

    def test_lines_wrapped_anew(self):
        self.assertEqual(self.shown("The tenant shall not\nsublet it.\n", "The tenant shall\nsublet it.\n"),
                         ["1 1 ~ The tenant shall [-not-]", "2 2   sublet it."])
        self.assertEqual(self.shown("one two three\nfour five six\nseven\n", "one two X three four\nfive six seven\n"),
                         ["1 1 ~ one two {+X+} three four", "2 2   five six seven"])
        self.assertEqual(self.shown("one two old\nwords five six\nseven\n", "one two a new\nset of five\nsix seven\n"), [
            "1   - one two [-old-]", "2   - [-words-] five six", "3   - seven",
            "  1 + one two {+a new+}", "  2 + {+set of+} five", "  3 + six seven"])

    def test_what_does_not_count_is_mentioned(self):
        self.two("It costs $50,000 now\n", "It costs €50,000 today\n")
        self.assertEqual(self.lines("old", "new")[-1], "Case, spacing or punctuation differ, too (see --preset).")
        self.two("It costs $50,000 now\n", "It costs $50,000 today\n")
        self.assertIn("1 difference", self.lines("old", "new")[-1])

    def test_white_space_counts_under_raw(self):
        for old, new, shown in [("one two\n", "one  two\n", ["1 1 ~ one {+ +}two"]),
                                ("one two\n", "one two\r\n", ["1 1 ~ one two{+\\x0d+}"]),
                                ("one two\n", "one two", ["1   - one two[-\\x0a-]", "  1 + one two"]),
                                ("  one\n", "one\n", ["1 1 ~ [-  -]one"]),
                                (" \n", "\n", ["1 1 ~ [- -]"]),
                                ("a b\nc\n", "a\tb\nc\n\n", ["1 1 ~ a[- -]{+    +}b", "2 2   c", "  3 + {+\\x0a+}"])]:
            with self.subTest(old=old, new=new):
                found = self.shown(old, new, "--preset=raw")
                self.assertEqual(found, shown)
                self.assertFalse(json.loads(self.diff("--json", "--preset=raw", "old", "new"))["same_text"])
                self.diff("--fold=case", "--quiet", "old", "new")
                self.diff("--preset=code", "--quiet", "old", "new", code=0)

    def restore(self, lines, gutter, sign, kept, left_out):
        """The words of one side of a unified view."""
        text = [re.sub(kept, r"\1", re.sub(left_out, "", line[gutter + 2:])) for line in lines if line[gutter:gutter + 1] in " ~" + sign]
        return re.findall(r"\w+", "\n".join(text).lower())

    def test_both_sides_can_be_restored(self):
        """However texts were changed and wrapped, the words of both are there, in order."""
        draw = random.Random(5)
        for turn in range(150):
            old = [draw.choice("one two three four five six seven eight nine ten".split()) + draw.choice(["", "", ",", ".", "!"])
                   for _ in range(draw.randrange(60))]
            new = list(old)
            for _ in range(draw.randrange(1, 6)):
                at = draw.randrange(len(new) + 1)
                new[at:at + draw.choice([0, 1, 2, 9])] = [draw.choice(["ten", "new", "(Zwölf)", "x-y", "*"])] * draw.choice([0, 1, 3])
            texts = ["".join(word + draw.choice([" "] * 6 + ["\n", "\n\n", "\n- "]) for word in side) for side in (old, new)]
            self.two(*texts)
            found = self.run_program("diff", "--context=999", "--least=999", "old", "new", locale="C.UTF-8")
            lines = [line for line in found.stdout.decode().splitlines()[2:]
                     if not line.startswith("Case") and " difference" not in line]
            gutter = 2 * len(str(max(len(text.splitlines()) for text in texts))) + 2
            if found.returncode:
                self.assertEqual(self.restore(lines, gutter, "-", r"\[-(.*?)-\]", r"\{\+.*?\+\}"), re.findall(r"\w+", texts[0].lower()), texts)
                self.assertEqual(self.restore(lines, gutter, "+", r"\{\+(.*?)\+\}", r"\[-.*?-\]"), re.findall(r"\w+", texts[1].lower()), texts)


class Terminal(Diff):
    def on_terminal(self, columns, *arguments, **environment):
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        subprocess.run([PROGRAM, "diff", *arguments], cwd=self.folder, stdout=follower, timeout=60,
                       env=dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm", **environment))
        os.close(follower)
        text = b""
        try:
            while piece := os.read(leader, 65536):
                text += piece
        except OSError:  # the end, on Linux
            pass
        os.close(leader)
        return text.decode()

    def test_colour_and_columns_follow_the_terminal(self):
        self.two()
        narrow, wide = self.on_terminal(80, "old", "new"), self.on_terminal(130, "old", "new")
        self.assertIn("\033[31mdawn\033[0m\033[1;32mdusk\033[0m", narrow)
        self.assertRegex(wide, r"\033\[31mdawn\033\[0m\. +.*\|.*\033\[1;32mdusk")
        self.assertNotIn("\033", self.on_terminal(80, "old", "new", NO_COLOR="1"))

    def test_columns_are_aligned(self):
        self.two("漢字 wide and é\n" + " ".join(words(60)) + "\n", "漢字 wide or é\n" + " ".join(words(60, seed=2)) + "\n")
        found = self.lines("--side-by-side", "--columns=100", "old", "new", locale="C.UTF-8")[2:-1]
        bars = {sum(2 if character in "漢字" else 1 for character in line.split(" | ")[0]) for line in found}
        self.assertEqual(len(bars), 1, found)
        self.assertGreater(len(found), 3)
        for line in found:
            self.assertLessEqual(len(line), 100)

    def test_nothing_follows_what_is_seen(self):
        self.two("one\n\ntwo three four\nfive\nlast one of old\n\n\n", "one\n\ntwo new words\nfour\n\n")
        for manner in ([], ["--side-by-side"], ["--side-by-side", "--columns=40"]):
            for line in self.lines(*manner, "old", "new"):
                self.assertEqual(line, line.rstrip())

    def test_columns_ask_for_two(self):
        self.two()
        self.assertEqual(self.diff("--columns=120", "old", "new"), self.diff("--side-by-side", "--columns=120", "old", "new"))
        self.assertEqual(self.diff("--columns=119", "old", "new"), self.diff("old", "new"))

    def test_long_lines_are_shown_around_their_changes(self):
        text = "é word " * 100000
        self.two(text + "old " + text, text + "new " + text)
        for manner in ([], ["--side-by-side"]):
            found = self.diff(*manner, "old", "new", locale="C.UTF-8")
            self.assertLess(len(found), 3000)
            self.assertNotIn("\\x", found)
        found = self.diff("old", "new", locale="C.UTF-8")
        self.assertIn("é word [-old-]{+new+} é word", found)
        self.assertEqual(len(re.findall(r" \[\.\.\. 799,\d{3} bytes \.\.\.\] ", found)), 2)

    def test_no_width_is_too_small(self):
        self.two("漢" * 50 + "\n", "x" * 300 + "\n")
        self.assertIn("漢", self.diff("--side-by-side", "--columns=1", "old", "new", locale="C.UTF-8"))


class Passages(Diff):
    def test_listing(self):
        self.two("Start. " + MOVED + ". End.\n", "Other\nwords.\n" + MOVED.upper() + "\n")
        found = self.diff("--passages", "old", "new")
        self.assertIn("1. 11 words", found)
        self.assertIn(f"  a  old, line 1, bytes 7-{7 + len(MOVED)}\n", found)
        self.assertIn(f"  b  new, line 3, bytes 13-{13 + len(MOVED)}\n     {MOVED.upper()}\n", found)
        self.assertIn("1 passage: .846 of a, .846 of b", found)
        self.assertIn("0 passages: 0 of a, 0 of b", self.diff("--passages", "--least=12", "old", "new"))

    def test_a_copy_is_found_wherever_it_stands(self):
        source, essay = words(3000), words(3000, seed=7)
        essay[500:500], essay[2500:2500] = source[2000:2060], source[100:130]
        self.two(" ".join(source), " ".join(essay))
        lengths = [int(n) for n in re.findall(r"(?m)^\d+\. (\d+) words", self.diff("--passages", "--least=25", "old", "new"))]
        self.assertEqual(lengths, sorted(lengths, reverse=True))
        self.assertEqual(len(lengths), 2)
        self.assertGreaterEqual(lengths[0], 60)
        self.assertGreaterEqual(lengths[1], 30)


class Json(Diff):
    def test_places(self):
        old, new = "The ship left.\r\nIt was é cold.\r\n", "The ship left.\r\nIt was é very cold.\r\n"
        self.two(old, new)
        found = json.loads(self.diff("--json", "--least=3", "old", "new"))
        self.assertEqual((found["a"], found["b"], found["same_text"], found["same_bytes"]), ("old", "new", False, False))
        difference, = found["differences"]
        place = difference["b"]
        self.assertEqual(difference["kind"], "insert")
        self.assertEqual(new.encode()[place["begin"]:place["end"]], b"very")
        self.assertEqual((place["first_line"], place["last_line"]), (2, 2))
        self.assertEqual(difference["a"]["begin"], difference["a"]["end"])
        self.assertEqual([(p["tokens"], p["moved"]) for p in found["shared"]], [(6, False)])
        self.assertTrue(found["recipe"].startswith("preset=text unit=word"))

    def test_the_same(self):
        self.two("One two", "one, two")
        found = json.loads(self.diff("--json", "old", "new", code=0))
        self.assertEqual((found["same_text"], found["same_bytes"], found["differences"]), (True, False, []))


class Reader(html.parser.HTMLParser):
    """Collects tags, attributes and text; every tag that is opened is closed."""

    EMPTY = {"meta", "col"}

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], [], [], {}
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attributes]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, text):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(text)


class Page(Diff):
    def page(self, *arguments):
        return self.diff("--html", *arguments, "old", "new")

    def test_marks(self):
        self.two()
        reader = Reader(self.page())
        self.assertEqual(reader.texts["del"], ["dawn"])
        self.assertEqual(reader.texts["ins"], ["dusk", "ever"])
        self.assertIn("old → new", "".join(reader.texts["h1"]))

    def test_policy_allows_this_style_and_script_and_nothing_else(self):
        self.two()
        text = self.page()
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
        self.assertIn("default-src 'none'", policy)
        for tag in ("style", "script"):
            content = re.search(f"<{tag}>(.*?)</{tag}>", text, re.S)[1]
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{digest}'", policy)
        self.assertNotRegex(text, r"https?://|@import|url\(")

    def test_documents_and_names_are_escaped(self):
        attack = "<script>alert(1)</script> \"'&amp; <img src=x onerror=y> \x1b[0m\x00 end\n"
        self.write("old", attack)
        self.write("<b>new", attack.replace("end", "&lt; END of it"))
        reader = Reader(self.diff("--html", "--preset=code", "old", "<b>new"))
        self.assertEqual(reader.tags.count("script"), 1)
        self.assertNotIn("img", reader.tags)
        self.assertNotIn("b", reader.tags)
        self.assertFalse([a for a in reader.attributes if a[1].startswith("on")])

    def test_moved_passages_are_linked(self):
        rest = "".join(f"this is line {n} of the rest of it\n" for n in range(20))
        self.two(MOVED + "\n" + rest, rest + MOVED + "\n")
        reader = Reader(self.page())
        targets = {value for tag, name, value in reader.attributes if name == "id"}
        links = [value for tag, name, value in reader.attributes if name == "href"]
        self.assertIn("#b21", links)
        self.assertIn("#a1", links)
        self.assertTrue(all(link[1:] in targets for link in links))

    def test_a_moved_passage_says_once_where_it_went(self):
        rest = "".join(f"this is line {n} of the rest of it\n" for n in range(20))
        moved = MOVED.replace(" ", "\n") + "\n"
        self.two(moved + rest, rest + moved)
        reader = Reader(self.page())
        self.assertEqual(sorted(value for tag, name, value in reader.attributes if name == "data-where"),
                         ["moved from line 1", "moved to line 21"])

    def test_long_common_stretches_are_folded(self):
        rest = "".join(f"this is line {n} of the rest of it\n" for n in range(1000))
        self.two(rest, rest + "more\n")
        text = self.page()
        self.assertIn("997 lines in common", text)
        self.assertEqual(text.count('<tbody id="fold'), 1)
        self.assertIn('id="a500"', text)

    def test_output(self):
        self.two()
        self.assertEqual(self.diff("--html", "-o", "page.html", "old", "new"), "")
        self.assertEqual((self.folder / "page.html").read_text(), self.page())
        self.bad("diff", "--html", "-o", "page.html", "old", "new", says="exists; use --force")
        self.diff("--html", "-o", "page.html", "--force", "old", "new")
        self.bad("diff", "--html", "-o", "no/page.html", "old", "new", code=3, says="cannot write 'no/page.html'")
        done = subprocess.run([PROGRAM, "diff", "--html", "-o", "cut.html", "old", "new"], cwd=self.folder,
                              capture_output=True, preexec_fn=limit_file_size)
        self.assertEqual(done.returncode, 3)
        self.assertFalse((self.folder / "cut.html").exists())

    def draft_grows(self, process):
        """Whether a file without a name in the folder is being written."""
        for link in Path(f"/proc/{process}/fd").iterdir():
            try:
                if os.readlink(link).startswith(f"{self.folder.resolve()}/#") and link.stat().st_size:
                    return True
            except FileNotFoundError:
                pass
        return False

    def test_interrupted_page_leaves_nothing(self):
        self.two("one two three\n" * 300000, "four five six\n" * 300000)
        for _ in range(20):  # on a busy machine it may be done before it was seen
            running = subprocess.Popen([PROGRAM, "diff", "--html", "--force", "-o", "page.html", "old", "new"], cwd=self.folder)
            while running.poll() is None and not self.draft_grows(running.pid):
                time.sleep(.001)
            running.send_signal(signal.SIGINT)
            if running.wait(timeout=60) == 130:
                break
            (self.folder / "page.html").unlink()
        self.assertEqual(running.returncode, 130)
        self.assertEqual(self.listing(), ["new", "old"])

    def test_a_file_that_exists_is_replaced_whole_or_not_at_all(self):
        self.two()
        self.write("kept", "what stood here")
        done = subprocess.run([PROGRAM, "diff", "--html", "--force", "-o", "kept", "old", "new"], cwd=self.folder,
                              capture_output=True, preexec_fn=limit_file_size)
        self.assertEqual((done.returncode, done.stdout), (3, b""))
        self.assertRegex(done.stderr.decode(), r"\Astemma: cannot write 'kept': .+\n\Z")
        self.assertEqual((self.folder / "kept").read_text(), "what stood here")
        os.symlink("kept", self.folder / "link")
        self.diff("--html", "--force", "-o", "link", "old", "new")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertEqual((self.folder / "kept").read_text(), self.page())
        self.assertEqual(self.listing(), ["kept", "link", "new", "old"])

    def test_what_is_no_file_is_written_to_and_stays(self):
        self.two()
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", "pipe"], cwd=self.folder, stdout=subprocess.PIPE) as reader:
            self.diff("--html", "--force", "-o", "pipe", "old", "new")
            self.assertEqual(reader.communicate(timeout=60)[0].decode(), self.page())
        self.assertTrue(pipe.is_fifo())
        try:
            os.mknod(self.folder / "full", 0o666 | stat.S_IFCHR, os.makedev(1, 7))
            open(self.folder / "full", "wb").close()
        except PermissionError:
            self.skipTest("no device can be made here")
        self.bad("diff", "--html", "--force", "-o", "full", "old", "new", code=3, says="cannot write 'full': no space")
        self.assertTrue((self.folder / "full").is_char_device())

    def test_a_document_is_never_the_output(self):
        self.two()
        os.link(self.folder / "old", self.folder / "same")
        for output in ("old", "new", "same"):
            self.bad("diff", "--html", "--force", "-o", output, "old", "new", says="it is one of the documents")
        self.bad("sketch", "--force", "-o", "same", "new", "old", says="it is one of the documents")
        self.bad("sketch", "--force", "-o", "same", "--files-from=-", stdin=b"new\nold\n", says="one of the documents")
        self.assertEqual((self.folder / "old").read_text(), OLD)


class Use(Diff):
    def test_exit_codes(self):
        self.two()
        self.assertEqual(self.diff("--quiet", "old", "new"), "")
        self.assertEqual(self.diff("--quiet", "old", "old", code=0), "")
        self.bad("diff", "old", "missing", says="cannot")
        self.bad("diff", "old", ".", says="directory")
        self.bad("diff", "--memory=256K", "--preset=raw", "--unit=byte", self.write("large", b"x" * 5000), "large",
                 says="allow more")

    def test_closed_pipe_is_quiet(self):
        """The answer is the same, whoever reads it."""
        self.two()
        for manner in ([], ["--side-by-side"], ["--html"], ["--json"], ["--passages"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([PROGRAM, "diff", *manner, "old", "new"], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (1, b""), manner)

    def test_wrong_use(self):
        self.two()
        self.bad("diff", "old", says="two documents are needed, 1 given")
        self.bad("diff", "--json", "--html", "old", "new", says="only one of")
        self.bad("diff", "-o", "x", "old", "new", says="for --html")
        for option in ("--json", "--passages", "--quiet"):
            self.bad("diff", "--context=1", option, "old", "new", says="--context does not go with")
            self.bad("diff", "--columns=90", option, "old", "new", says="--columns is for the terminal")
        self.bad("diff", "--least=0", "old", "new", says="at least 1")
        self.bad("diff", "--context=x", "old", "new", says="whole number")
        self.good("sketch", "-o", "sketch", "old")
        self.bad("diff", "sketch", "new", says="sketch")

    def test_hostile_documents_end_soon(self):
        same, periodic = b"line\n" * 200000, b"a b " * 100000
        for old, new in [(same, same[:400000] + same), (periodic, periodic[:99998] + b"c " + periodic),
                         (bytes(range(256)) * 500, bytes(reversed(range(256))) * 500)]:
            self.two(old, new)
            self.diff("--quiet", "old", "new", timeout=60)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
