#!/usr/bin/env python3
"""Runs the examples of the documentation and compares what they print.

  docs_test.py PROGRAM SOURCE-DIRECTORY

README.md and docs/*.md: ```console blocks. Manual pages: `.Bd -literal` blocks. Lines that begin with `$ ` are
commands, those below what they print, standard error included; `...` stands for anything, a line of `...` for
any lines. Each document is one session in an empty directory that holds copies of /usr/share/common-licenses.
```c blocks are compiled with every warning. Files that the documentation names exist.
"""
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
LICENCES = Path("/usr/share/common-licenses")


def markdown_blocks(text):
    return re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)


def manual_blocks(text):
    blocks = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text, re.M | re.S)
    return [block.replace("\\e", "\\").replace("\\&", "") for block in blocks]


def steps(block):
    """Pairs of a command and the lines it should print."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
    return found


def pattern(lines):
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.rstrip().split("...")) + r"[ \t]*\n")
    return re.compile(r"\A" + "".join(parts) + r"\Z")


class Examples(unittest.TestCase):
    def run_document(self, path, blocks):
        with tempfile.TemporaryDirectory() as folder:
            for licence in LICENCES.iterdir():
                shutil.copy(licence, folder)  # follows links: GPL is a copy of GPL-3
            for block in blocks:
                for command, expected in steps(block):
                    self.run_step(path, folder, command, expected)

    def run_step(self, path, folder, command, expected):
        environment = dict(os.environ, PATH=f"{PROGRAM.parent}:{os.environ['PATH']}", STEMMA_SOURCE=str(SOURCE))
        environment["LC_ALL"] = "C.UTF-8" if path.suffix == ".md" else "C"
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        with self.subTest(document=path.name, command=command):
            self.assertRegex(done.stdout, pattern(expected))


class FirstScreen(unittest.TestCase):
    def test_as_typed_after_quickstart(self):
        """The lines above the first example, and it, in one shell where the program was built."""
        text = (SOURCE / "README.md").read_text()
        before = text[text.index("Debian 12"):text.index("```console")]
        lines = re.findall(r"^    (.*)", before, re.M) + [command for command, _ in steps(markdown_blocks(text)[0])]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "build").mkdir()
            (Path(folder) / "build/release").symlink_to(PROGRAM.parent)
            done = subprocess.run(["bash", "-e"], input="\n".join(lines), cwd=folder, text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("contained 99 %", done.stdout)


class Programs(unittest.TestCase):
    def test_c_blocks_compile(self):
        for path in [SOURCE / "README.md", *SOURCE.glob("docs/*.md")]:
            for block in re.findall(r"^```c\n(.*?)^```", path.read_text(), re.M | re.S):
                command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{SOURCE}/include",
                           "-xc", "-"]
                done = subprocess.run(command, input=block, text=True, capture_output=True)
                self.assertEqual(done.stderr, "", path.name)


class References(unittest.TestCase):
    """What the pages name is there: paths and file names in backticks, links, other manual pages."""
    PAGES = [SOURCE / "README.md", SOURCE / "ARCHITECTURE.md", SOURCE / "bench/README.md", *SOURCE.glob("docs/**/*.md")]
    FOLDERS = ("src", "cli", "include", "tests", "tools", "bench", "examples", "fuzz", "docs", "lab")
    EXAMPLES = {"__init__.py"}  # a name that is spoken of

    @classmethod
    def setUpClass(cls):
        cls.names = {path.name for folder in cls.FOLDERS for path in (SOURCE / folder).rglob("*")}

    def quoted(self, page):
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
        for quote in re.findall(r"`([^`\n]+)`", text):
            yield from (word.rstrip(",;:") for word in quote.split())

    def is_there(self, word):
        if re.fullmatch(rf"({'|'.join(self.FOLDERS)})/[\w./*-]*", word):
            return any(SOURCE.glob(word.rstrip("/").replace("NAME", "*")))
        if re.fullmatch(r"[\w*-]+\.(c|h|py|md)", word):
            return bool(fnmatch.filter(self.names | self.EXAMPLES | {"README.md", "ARCHITECTURE.md"}, word))
        return True

    def test_files_exist(self):
        for page in self.PAGES:
            gone = [word for word in self.quoted(page) if not self.is_there(word)]
            self.assertEqual(gone, [], page.name)
        self.assertFalse(self.is_there("src/scan/nothing.c") or self.is_there("nothing.c"))

    def test_links_lead_somewhere(self):
        for page in self.PAGES:
            for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
                self.assertTrue("://" in link or (page.parent / link).exists(), f"{link} in {page.name}")

    def test_every_design_page_is_listed(self):
        listed = set(re.findall(r"\]\(docs/design/([^)]+)\)", (SOURCE / "ARCHITECTURE.md").read_text()))
        self.assertEqual(listed, {page.name for page in SOURCE.glob("docs/design/*.md")})

    def test_manual_pages_refer_to_each_other(self):
        """Each page is named by another one; what is named is there, or not ours."""
        named = set()
        for page in SOURCE.glob("docs/man/*.[1-9]"):
            others = {f"{name}.{section}" for name, section in re.findall(r"^\.Xr (stemma\S*) (\d)", page.read_text(), re.M)}
            named |= others - {page.name}
        self.assertEqual(named, {page.name for page in SOURCE.glob("docs/man/*.[1-9]")})

    def test_the_first_page_leads_to_all_others(self):
        see_also = (SOURCE / "docs/man/stemma.1").read_text().split(".Sh SEE ALSO")[1]
        listed = {f"{name}.{section}" for name, section in re.findall(r"^\.Xr (\S+) (\d)", see_also, re.M)}
        self.assertEqual(listed, {page.name for page in SOURCE.glob("docs/man/*.[1-9]")} - {"stemma.1"})


def add_documents():
    documents = [SOURCE / "README.md", *sorted(SOURCE.glob("docs/*.md")), *sorted(SOURCE.glob("docs/man/*.[1-9]"))]
    for path in documents:
        text = path.read_text()
        blocks = markdown_blocks(text) if path.suffix == ".md" else manual_blocks(text)
        if blocks:
            def test(self, path=path, blocks=blocks):
                self.run_document(path, blocks)
            setattr(Examples, "test_" + re.sub(r"\W", "_", path.name), test)


class Comparison(unittest.TestCase):
    """The comparison itself can fail."""

    def test_patterns(self):
        self.assertRegex("a 12 b\n", pattern(["a ... b"]))
        self.assertRegex("a\nx\ny\nb\n", pattern(["a", "...", "b"]))
        self.assertNotRegex("a\nb\n", pattern(["a"]))
        self.assertNotRegex("a.b\n", pattern(["axb"]))

    def test_documents_have_examples(self):
        tests = [name for name in dir(Examples) if name.startswith("test_")]
        self.assertIn("test_README_md", tests)
        self.assertIn("test_stemma_compare_1", tests)


if __name__ == "__main__":
    if not LICENCES.is_dir():
        print("skipped: no", LICENCES)
        sys.exit(77)
    add_documents()
    unittest.main(argv=sys.argv[:1], verbosity=2)
