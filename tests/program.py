"""What the tests of the command line share: the program, documents, and how a good and a bad run look.

A test is started as  NAME_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments].
"""
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM, SOURCE = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
SANITIZED = "STEMMA_SKIP_LARGE" in os.environ  # less of what only takes longer, and no figures of memory
QUANTITY = {"value", "low", "high", "exact"}


def words(count, seed=1):
    """Words that look like a text: many kinds, some often."""
    source = random.Random(seed)
    return [f"w{int(source.paretovariate(.6)) % 5000}" for _ in range(count)]


def prose(count, seed):
    """Words of which hardly one comes twice: every shingle is one of its own."""
    source = random.Random(seed)
    return [f"w{source.randrange(10 ** 6)}" for _ in range(count)]


def limit_file_size():
    """Of a child: a file longer than this is a failure to write, not the end."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which Python ignores
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def limit_descriptors():
    """Of a child: as few as a program of many threads can do with."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))


def listens(process, number=signal.SIGINT):
    """Waits until a program handles a signal: before that it would simply die of it."""
    while process.poll() is None:
        caught = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text())
        if caught and int(caught[1], 16) >> (number - 1) & 1:
            return
        time.sleep(.002)


def rests(process):
    """Waits until a program has taken what there is: none of its threads runs or is about to."""
    looks = 0
    while looks < 3 and process.poll() is None:
        time.sleep(.02)
        try:
            states = {task.joinpath("stat").read_text().rsplit(")", 1)[1].split()[0]
                      for task in Path(f"/proc/{process.pid}/task").iterdir()}
        except OSError:  # a thread that has ended meanwhile
            states = set()
        looks = looks + 1 if states == {"S"} else 0


class Base(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def folder_in_memory(self):
        """For so much that a disk would take longer over it than all else."""
        memory = "/dev/shm"
        folder = tempfile.mkdtemp(dir=memory if os.access(memory, os.W_OK) else None)
        self.addCleanup(subprocess.run, ["rm", "-rf", folder])
        return folder

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def settle(self):
        """Whatever was written, long ago: of what is new a collection notes that it may change once more."""
        for path in self.folder.rglob("*"):
            if path.is_file():
                os.utime(path, (10**9, 10**9))

    def run_program(self, *arguments, stdin=b"", locale="C", timeout=600, **environment):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, input=stdin, capture_output=True,
                              timeout=timeout, env=dict(os.environ, LC_ALL=locale, **environment))

    def good(self, *arguments, **how):
        done = self.run_program(*arguments, **how)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stderr)
        return done.stdout.decode()

    def printed(self, *arguments, code=0, says=b"", **how):
        """By a run with that code, which says something on standard error, or nothing there."""
        done = self.run_program(*arguments, **how)
        self.assertEqual(done.returncode, code, done.stderr)
        if says:
            self.assertIn(says, done.stderr)
        else:
            self.assertEqual(done.stderr, b"")
        return done.stdout

    def bad(self, *arguments, code=2, says="", **how):
        """Wrong use or bad input: nothing on standard output, a message of ours, the code."""
        done = self.run_program(*arguments, **how)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, code, message)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(message, r"\Astemma: .+\n")
        if says:
            self.assertRegex(message, says)
        return message

    def two_documents(self):
        text = words(4000)
        self.write("a", " ".join(text))
        self.write("b", " ".join(text[:3900] + words(100, seed=2)))
        return "a", "b"

    def listing(self):
        return sorted(os.listdir(self.folder))
