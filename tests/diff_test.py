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
import re
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

from cli_test import PROGRAM, Base, limit_file_size, words

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
        self.assertIn("1   - one [-two.-]", self.lines("old", "new"))
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

    def test_a_device_is_not_removed(self):
        self.two()
        (self.folder / "link").symlink_to("/dev/full")
        self.bad("diff", "--html", "--force", "-o", "link", "old", "new", code=3, says="cannot write 'link': no space")
        self.assertTrue((self.folder / "link").is_symlink())

    def test_interrupted_page_is_removed(self):
        self.two("one two three\n" * 300000, "four five six\n" * 300000)
        page = self.folder / "page.html"
        running = subprocess.Popen([PROGRAM, "diff", "--html", "-o", "page.html", "old", "new"], cwd=self.folder)
        while running.poll() is None and not (page.exists() and page.stat().st_size):
            time.sleep(.001)
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(timeout=60), 130)
        self.assertFalse(page.exists())


class Use(Diff):
    def test_exit_codes(self):
        self.two()
        self.assertEqual(self.diff("--quiet", "old", "new"), "")
        self.assertEqual(self.diff("--quiet", "old", "old", code=0), "")
        self.bad("diff", "old", "missing", says="cannot")
        self.bad("diff", "old", ".", says="directory")
        self.bad("diff", "--memory=256K", "--preset=raw", "--unit=byte", self.write("large", b"x" * 5000), "large",
                 says="allow more")

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
