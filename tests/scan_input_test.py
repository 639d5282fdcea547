#!/usr/bin/env python3
"""What `stemma scan` reads, and what it says of the rest.     scan_input_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]"""
import os
import re
import shutil
import subprocess
import sys
import unittest

from program import PROGRAM, prose
from scanning import Scanning


class Input(Scanning):
    def names(self, *arguments, **how):
        """All copies of one text: which were read."""
        groups = self.groups("--keep=first", *arguments, **how)
        return {name for kept, members in groups.items() for name in [kept, *members]}

    def copies(self, *names):
        for name in names:
            self.write(name, " ".join(prose(100, 14)))

    def test_globs(self):
        self.copies("d/a.txt", "d/b.txt", "d/c.md", "d/sub/d.txt", "d/sub/e.md")
        self.assertEqual(self.names("--include=*.txt", "d"), {"d/a.txt", "d/b.txt", "d/sub/d.txt"})
        self.assertEqual(self.names("--include=*.md", "--include", "a.*", "d"), {"d/a.txt", "d/c.md", "d/sub/e.md"})
        self.assertEqual(self.names("--exclude=*.txt", "d"), {"d/c.md", "d/sub/e.md"})
        self.assertEqual(self.names("--exclude=sub", "--exclude=c.md", "d"), {"d/a.txt", "d/b.txt"})
        self.assertEqual(self.names("--include=*.txt", "--exclude=b.txt", "d"), {"d/a.txt", "d/sub/d.txt"})

    def test_hidden(self):
        self.copies("d/a", "d/b", "d/.c", "d/.git/d")
        self.assertEqual(self.names("d"), {"d/a", "d/b"})
        self.assertEqual(self.names("--hidden", "d"), {"d/a", "d/b", "d/.c", "d/.git/d"})
        self.assertEqual(self.names("d", "d/.c"), {"d/a", "d/b", "d/.c"})

    def test_ignore_file(self):
        self.copies("d/a", "d/b", "d/c.log", "d/build/d")
        self.write("d/.stemmaignore", "*.log\nbuild/\n")
        self.assertEqual(self.names("d"), {"d/a", "d/b"})
        self.assertEqual(self.names("--no-ignore", "d"), {"d/a", "d/b", "d/c.log", "d/build/d"})

    def test_links(self):
        self.copies("d/a", "d/b", "elsewhere/c")
        os.symlink("../elsewhere", self.folder / "d/link")
        os.symlink("..", self.folder / "d/loop")
        os.symlink("missing", self.folder / "d/dangling")
        self.assertEqual(self.names("d"), {"d/a", "d/b"})
        followed = self.names("--follow", "d", says="|")
        self.assertEqual(len(followed), 3)
        self.assertLess({"d/a", "d/b"}, followed)

    def test_sizes(self):
        self.copies("d/a", "d/b")
        for name in ("d/large1", "d/large2"):
            self.write(name, " ".join(prose(5000, 15)))
        self.assertEqual(self.names("--min-size=10K", "d"), {"d/large1", "d/large2"})
        self.assertEqual(self.names("--max-size=10K", "d"), {"d/a", "d/b"})
        self.assertEqual(self.names("--min-size", "100", "--max-size=1M", "d"), {"d/a", "d/b", "d/large1", "d/large2"})
        self.scan("--min-size=2K", "--max-size=1K", "d", code=2, says="no such documents")

    def test_sizes_as_they_are_printed(self):
        self.write("d/a.txt", "a" * 11100)
        self.write("d/b.txt", "a" * 11100)
        for size, count in ("11.1KB", 2), ("11.1kb", 2), ("11K", 0), ("10.5k", 2), ("10KiB", 2), ("11101", 0):
            self.assertEqual(self.summary(f"--min-size={size}", "d")["documents"], count, size)

    def test_files_from(self):
        self.copies("d/a", "d/b", "line\nbreak", "e/c")
        self.write("list", "d/a\n\ne\r\n")
        self.assertEqual(self.names("--files-from=list"), {"d/a", "e/c"})
        self.assertEqual(self.names("--files-from=list", "d/b"), {"d/a", "d/b", "e/c"})
        self.assertEqual(self.names("--files-from=-", stdin=b"d/a\nd/b"), {"d/a", "d/b"})
        self.assertEqual(self.names("-0", "--files-from=-", stdin=b"line\nbreak\0d/b\0"), {"line\nbreak", "d/b"})
        self.assertEqual(self.scan("--files-from=-", stdin=b"d/a\nx\0y\n", code=2, says="holds a NUL byte"), "")
        self.scan("--files-from=missing", code=2, says="cannot read 'missing': no such file")

    def test_the_same_file_again(self):
        """The only copy of a document is never redundant."""
        self.copies("d/sub/a")
        for operands in (["d", "d"], ["d", "d/sub"], ["d/sub/a", "./d/sub/a"], ["d/sub", str(self.folder / "d")]):
            self.assertEqual(self.redundant(*operands), set(), operands)
            facts = self.summary(*operands)
            self.assertEqual((facts["documents"], facts["repeated"]), (1, 1))
        os.link(self.folder / "d/sub/a", self.folder / "d/sub/b")
        self.assertEqual(self.redundant("d"), set())
        self.assertIn("\n1 met again (counted once)\n", self.scan("d"))

    def test_encodings(self):
        text = "Größe, Maß und Übermut tun selten gut: so sprach der Müller, wie der König ihn fragte. " * 3
        self.write("d/utf-8", text)
        self.write("d/utf-16le", b"\xff\xfe" + text.encode("utf-16le"))
        self.write("d/utf-16be", b"\xfe\xff" + text.encode("utf-16be"))
        self.write("d/latin-1", text.encode("latin-1"))
        self.assertEqual(self.groups("--keep=first", "d"), {"d/latin-1": dict.fromkeys(
            ["d/utf-16be", "d/utf-16le", "d/utf-8"], "same-text")})
        self.assertEqual(self.groups("--encoding=auto", "d"), self.groups("d"))
        self.assertNotIn("d/latin-1", self.names("--encoding=utf-8", "d"))
        self.write("e/a", text.encode("utf-16be"))
        self.write("e/b", text.encode("utf-16be"))
        self.assertEqual(self.summary("--encoding=utf-16be", "e")["binary"], 0)

    def test_formats(self):
        text = " ".join(prose(100, 16))
        self.write("d/plain.txt", text)
        self.write("d/page.html", f"<!DOCTYPE html><html><head><title></title><style>p {{}}</style></head><body><p>{text}"
                                  "</p><script>var x = 1;</script></body></html>")
        self.write("d/note.md", text.replace(" ", " *", 1).replace(" ", "* ", 2))
        self.assertEqual(set(self.groups("--keep=first", "d").popitem()[1].values()), {"same-text"})


class Problems(Scanning):
    def test_the_rest_is_scanned(self):
        self.pile()
        warning = r"\Astemma: cannot read 'gone': no such file or directory\n" \
                  r"stemma: warning: 1 document could not be read; the others were scanned\n\Z"
        text = self.scan("pile", "gone", code=2, says=warning)
        self.assertIn("1 group: 4 documents", text)
        self.assertIn("\n1 could not be read\n", text)
        self.assertEqual(self.scan("--list-redundant", "pile", "gone", code=2, says=warning),
                         self.scan("--list-redundant", "pile"))
        self.write("list", "pile\ngone\n")
        self.scan("--files-from=list", says=warning)
        self.scan("--strict", "--files-from=list", code=2, says=warning)
        self.scan("--strict", "pile")
        self.scan("--quiet", "pile", "gone", code=2, says=r"\Astemma: warning: 1 document could not be read[^\n]+\n\Z")

    def test_there_need_be_no_others(self):
        self.write("bad.gz", b"\x1f\x8b\x08 damaged")
        self.write("worse.gz", b"\x1f\x8b\x08 and more so")
        alone = r"stemma: warning: {} could not be read\n\Z"
        self.scan("bad.gz", code=2, says=alone.format("1 document"))
        self.scan("bad.gz", "worse.gz", "gone", code=2, says=alone.format("3 documents"))
        self.write("good", "one two three four five six")
        self.scan("bad.gz", "worse.gz", "gone", "good", code=2, says="3 documents could not be read; the others were scanned\n")

    def test_json(self):
        self.pile()
        warning = r"\Astemma: warning: 1 document could not be read; the others were scanned\n\Z"
        *_, problem, summary = self.lines("pile", "gone", code=2, says=warning)
        self.assertEqual(set(problem), {"problem", "cause"})
        self.assertEqual(problem["problem"], "gone")
        self.assertIn("no such file or directory", problem["cause"])
        self.assertEqual(summary["summary"]["problems"], 1)

    def test_many(self):
        self.write("a", "one two three four five six")
        gone = [f"gone{number:02}" for number in range(33)]
        done = self.run_program("scan", "a", *gone)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(lines), 22)
        self.assertEqual(lines[20:], ["stemma: and 13 more; --json has all",
                                      "stemma: warning: 33 documents could not be read; the others were scanned"])
        problems = [line["problem"] for line in self.lines("a", *gone, code=2, says="warning") if "problem" in line]
        self.assertEqual(problems, gone)

    def test_the_same_cause_is_told_of_each(self):
        for number in range(3):
            self.write(f"pile/{number}.pdf", b"%PDF-1.4\n" + bytes([48 + number]))
        message = self.run_program("scan", "pile", PATH="/nowhere").stderr.decode()
        self.assertEqual(re.findall(r"'(pile/\d.pdf)': PDF needs", message), [f"pile/{number}.pdf" for number in range(3)], message)

    def test_nothing_could_be_read(self):
        message = r"\Astemma: cannot read 'gone': no such file or directory\nstemma: warning: 1 document could not be read\n\Z"
        self.assertEqual(self.scan("gone", code=2, says=message), "")
        problem, summary = self.lines("gone", code=2, says="warning")
        self.assertEqual((problem["problem"], summary["summary"]["documents"]), ("gone", 0))
        self.assertEqual(self.scan("--filter=out.jsonl", "gone.jsonl", code=2, says="cannot read"), "")
        self.assertEqual(self.listing(), [])

    def test_what_is_no_file(self):
        self.pile()
        os.mkfifo(self.folder / "fifo")
        for name in ("fifo", "/dev/zero", "/dev/null"):
            self.scan("pile", name, code=2, says=f"cannot read '{name}': ")
        os.mkfifo(self.folder / "pile/fifo")
        os.symlink("a.txt", self.folder / "pile/link")
        self.assertIn("\n2 passed over (links, pipes, devices)\n", self.scan("pile"))
        self.assertEqual(self.summary("pile")["passed_over"], 2)
        self.assertEqual(self.summary("--follow", "pile")["passed_over"], 1)
        self.assertEqual(self.summary("--exclude=fifo", "pile")["passed_over"], 1)

    def test_permissions(self):
        self.pile()
        os.chmod(self.folder / "pile/other.txt", 0)
        os.chmod(self.folder / "pile/sub", 0)
        self.addCleanup(os.chmod, self.folder / "pile/sub", 0o700)
        how = {}
        if os.geteuid() == 0:  # who reads everything: somebody else has to try, with a program within reach
            shutil.copy(PROGRAM, self.folder / "stemma")
            os.chmod(self.folder, 0o755)
            how = {"user": 65534, "group": 65534, "extra_groups": []}
        program = self.folder / "stemma" if how else PROGRAM
        done = subprocess.run([program, "scan", "pile"], cwd=self.folder, capture_output=True, timeout=60,
                              env=dict(os.environ, LC_ALL="C"), **how)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, 0, message)
        for name in ("other.txt", "sub"):
            self.assertIn(f"cannot read 'pile/{name}': permission denied", message)
        self.assertIn(b"group 1: 4 documents", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
