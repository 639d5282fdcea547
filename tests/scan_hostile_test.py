#!/usr/bin/env python3
"""`stemma scan` on input that means it no good, and on machines that fail it.

    scan_hostile_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import ctypes
import gzip
import json
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import unittest

from program import PROGRAM, SANITIZED, Base, prose, rests

MEGA = 1 << 20
MEMORY_BESIDES = 48  # MB: the program itself, and a few buffers of each thread

# In a process of its own: the peak of a child begins with the size of its parent.
MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(done.returncode)
"""


def large(test):
    """Under a sanitizer neither memory nor time is what it is, and much of the same finds no more."""
    return unittest.skipIf(SANITIZED, "large")(test)


class Hostile(Base):
    def setUp(self):
        super().setUp()
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()

    def left_behind(self):
        """But for what a sanitizer that is killed leaves."""
        return [name for name in os.listdir(self.scratch) if not name.startswith("tsan.")]

    def start(self, *arguments, **how):
        return subprocess.Popen([PROGRAM, "scan", *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL="C", TMPDIR=str(self.scratch)), **how)

    def finish(self, program, code=0, says="", timeout=120):
        """What it printed. Whatever happened, no temporary file stays."""
        out, message = program.communicate(timeout=timeout)
        message = message.decode(errors="replace")
        self.assertEqual(program.returncode, code, message)
        self.assertRegex(message, says if says else r"\A\Z")
        self.assertEqual(self.left_behind(), [])
        return out

    def scan(self, *arguments, **how):
        timeout = {"timeout": how.pop("timeout", 120)}
        expected = {key: how.pop(key) for key in ("code", "says") if key in how}
        return self.finish(self.start(*arguments, **how), **expected, **timeout)

    def lines(self, *arguments, **how):
        return [json.loads(line) for line in self.scan("--json", *arguments, **how).splitlines()]

    def outcome(self, *arguments, **how):
        """({kept: members}, summary)"""
        lines = self.lines(*arguments, **how)
        return ({line["kept"]["id"]: sorted(member["id"] for member in line["members"]) for line in lines if "group" in line},
                lines[-1]["summary"])

    def measured(self, memory, *arguments, says=""):
        """All lines but the last, and the summary, of a scan that keeps to so many MB."""
        limit = [f"--memory={memory}M", "--json", *arguments]
        done = subprocess.run([sys.executable, "-c", MEASURE, PROGRAM, "scan", *limit], cwd=self.folder, capture_output=True,
                              env=dict(os.environ, LC_ALL="C", TMPDIR=str(self.scratch)), timeout=300)
        *message, peak = done.stderr.decode().splitlines()
        self.assertEqual(done.returncode, 0, message)
        self.assertRegex("\n".join(message), says if says else r"\A\Z")
        if not SANITIZED:
            self.assertLess(int(peak) / 1024, memory + MEMORY_BESIDES)
        lines = done.stdout.splitlines()
        return lines[:-1], json.loads(lines[-1])["summary"]

    def text(self, seed=1, count=300):
        return " ".join(prose(count, seed))

    def records(self, name, documents):
        return self.write(name, "".join(json.dumps(document) + "\n" for document in documents))

    def two_copies(self):
        self.write("pile/a", self.text())
        self.write("pile/b", self.text())
        return {"pile/a": ["pile/b"]}


class Trees(Hostile):
    def test_loops_of_links(self):
        expected = self.two_copies()
        os.symlink("..", self.folder / "pile/up")
        os.symlink("self", self.folder / "pile/self")
        os.symlink("pong", self.folder / "pile/ping")
        os.symlink("ping", self.folder / "pile/pong")
        os.symlink("nowhere", self.folder / "pile/dangling")
        os.mkdir(self.folder / "pile/deep")
        os.symlink("../deep", self.folder / "pile/deep/again")
        self.assertEqual(self.outcome("pile")[0], expected)
        groups, summary = self.outcome("--follow", "pile", says="warning: 4 documents could not be read")
        self.assertEqual((groups, summary["documents"]), (expected, 2))
        self.scan("--follow", "pile", says="cannot read 'pile/self': too many levels of symbolic links\n")
        self.scan("--follow", "pile", says="cannot read 'pile/dangling': no such file or directory\n")

    def test_what_is_no_file(self):
        expected = self.two_copies()
        os.mkfifo(self.folder / "pile/fifo")
        bound = socket.socket(socket.AF_UNIX)
        self.addCleanup(bound.close)
        bound.bind(str(self.folder / "pile/socket"))
        os.symlink("/dev/zero", self.folder / "pile/zero")
        self.assertEqual(self.outcome("pile")[0], expected)
        self.assertEqual(self.outcome("--follow", "pile")[0], expected)
        for name, says in (("fifo", "is a FIFO"), ("socket", "is a socket|[Nn]o such device"), ("zero", "is a device")):
            groups, _ = self.outcome("pile/a", "pile/b", f"pile/{name}", code=2, says="warning: 1 document")
            self.assertEqual(groups, expected)
            self.scan("pile/a", f"pile/{name}", code=2, says=f"cannot read 'pile/{name}': ({says})")

    def test_strange_names(self):
        text = self.text()
        os.mkdir(self.folder / "pile")
        names = [b"new\nline", b"latin-\xe9", b"\xff\xfe", b"tab\t", b" ", b"-t", b"'\"\\", b"\x1b[2J", b"x" * 255]
        for name in names:
            with open(os.fsencode(self.folder / "pile") + b"/" + name, "w", encoding="ascii") as file:
                file.write(text)
        listed = self.scan("--list-redundant", "--print0", "pile").split(b"\0")[:-1]
        kept = set(b"pile/" + name for name in names) - set(listed)
        self.assertEqual((len(listed), len(kept)), (len(names) - 1, 1))
        self.write("names", b"\0".join(b"pile/" + name for name in names))
        self.assertEqual(sorted(self.scan("--list-redundant", "--print0", "-0", "--files-from=names").split(b"\0")[:-1]),
                         sorted(listed))

    def test_deep_tree(self):
        place = os.open(self.folder, os.O_RDONLY)
        for _ in range(50):  # deeper than a path may be long
            os.mkdir("deep" * 60, dir_fd=place)
            below = os.open("deep" * 60, os.O_RDONLY, dir_fd=place)
            os.close(place)
            place = below
        for name in ("a", "b"):
            with os.fdopen(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=place), "w") as file:
                file.write(self.text())
        os.close(place)
        (_, members), = self.outcome("deep" * 60)[0].items()
        self.assertEqual(len(members[0]), 50 * 241 + 1)

    def test_many_tiny_files(self):
        count = 5_000 if SANITIZED else 100_000
        folder = self.folder_in_memory()
        for part in range(count // 1000):
            os.mkdir(f"{folder}/{part}")
            for number in range(1000):
                place = os.open(f"{folder}/{part}/{number}", os.O_CREAT | os.O_WRONLY, 0o600)
                os.write(place, b"tiny %d" % (number % 500 + 1000 * part))
                os.close(place)
        groups, summary = self.outcome(folder, timeout=300)
        self.assertEqual((summary["documents"], summary["redundant"], len(groups)), (count, count // 2, count // 2))

    def test_names_that_are_missing(self):
        expected = self.two_copies()
        self.write("names", "pile/a\nmissing\n\npile/b\npile/a/not-a-folder\n" + "x" * 5000 + "\n")
        groups, summary = self.outcome("--files-from=names", says="warning: 3 documents could not be read")
        self.assertEqual((groups, summary["problems"]), (expected, 3))

    def test_tree_of_nothing(self):
        os.makedirs(self.folder / "pile/a/b/c")
        self.assertEqual(self.outcome("pile")[1]["documents"], 0)


class Changes(Hostile):
    """Files that do not keep still. A data set that is still being written holds the scan open between reading the files
    of a folder and comparing them."""

    def held(self, *arguments):
        """A scan of pile and of a pipe, when it has read the pile."""
        program = self.start("--threads=1", "--json", *arguments, "pile", "-", stdin=subprocess.PIPE)
        program.stdin.write(json.dumps({"id": "record", "text": self.text(9)}).encode() + b"\n")
        program.stdin.flush()
        return program

    def resume(self, program):
        lines = [json.loads(line) for line in self.finish(program, says="warning: 1 document could not").splitlines()]
        groups = {line["kept"]["id"]: sorted(member["id"] for member in line["members"]) for line in lines if "group" in line}
        return groups, [(line["problem"], line["cause"]) for line in lines if "problem" in line]

    def near(self, count=6, size=40_000):
        """Near-copies, too large to be kept in memory when that is little."""
        text = prose(size, 1)
        for number in range(count):
            self.write(f"pile/{number}", " ".join(text[:size - 20 * number]))

    def change(self, how, says):
        self.near()
        program = self.held("--memory=1M")
        rests(program)
        how(self.folder / "pile/2")
        groups, problems = self.resume(program)
        self.assertEqual(groups, {"pile/0": ["pile/1", "pile/3", "pile/4", "pile/5"]})
        self.assertEqual(problems, [("pile/2", says)])

    def test_vanishes(self):
        self.change(os.unlink, "cannot read 'pile/2': no such file or directory")

    def test_grows(self):
        def grow(path):
            with open(path, "a", encoding="ascii") as file:
                file.write(" and more")
        self.change(grow, "'pile/2' has changed since it was read")

    def test_shrinks(self):
        self.change(lambda path: os.truncate(path, 1000), "'pile/2' has changed since it was read")

    def test_becomes_empty(self):
        self.change(lambda path: os.truncate(path, 0), "'pile/2' has changed since it was read")

    def test_becomes_a_fifo(self):
        def replace(path):
            os.unlink(path)
            os.mkfifo(path)
        self.change(replace, "cannot read 'pile/2': is a FIFO, not a regular file")


class DataSets(Hostile):
    def test_bomb(self):
        """A record of more than may be held, in a file of next to nothing: it goes by, and the rest is read."""
        record = json.dumps({"id": "a", "text": self.text()}).encode() + b"\n"
        with gzip.open(self.folder / "bomb.jsonl.gz", "wb", compresslevel=1) as file:
            file.write(record + b'{"text": "')
            for _ in range(40 if SANITIZED else 1000):
                file.write(b"A" * MEGA)
            file.write(b'"}\n' + record.replace(b'"a"', b'"b"'))
        lines, _ = self.measured(64, "bomb.jsonl.gz", says="warning: 1 document could not be read")
        lines = [json.loads(line) for line in lines]
        self.assertEqual([member["id"] for member in lines[0]["members"]], ["b"])
        self.assertRegex(lines[1]["cause"], r"\Aline 2 of 'bomb.jsonl.gz': a record of \d+ bytes is too long")

    @unittest.skipIf(os.geteuid(), "needs another user")
    def test_named_and_met_in_a_folder(self):
        """It may not be read, under whatever name it was met first."""
        self.folder.chmod(0o755)
        self.write("pile/a", self.text())
        self.write("pile/locked", self.text())
        (self.folder / "pile/locked").chmod(0)
        for paths, code in (["pile"], 0), (["pile", "pile/locked"], 2), (["pile/locked", "pile"], 2), (["pile", "pile/../pile/locked"], 2):
            done = subprocess.run([PROGRAM, "scan", *paths], cwd=self.folder, capture_output=True, user=65534, group=65534)
            self.assertEqual(done.returncode, code, (paths, done.stderr))

    def test_truncated(self):
        documents = [{"id": str(number), "text": self.text(number % 50)} for number in range(100)]
        whole = gzip.compress((self.folder / self.records("all.jsonl", documents)).read_bytes())
        self.write("cut.jsonl.gz", whole[:len(whole) * 3 // 4])
        self.write("bad.jsonl.gz", whole[:len(whole) * 3 // 4] + b"garbage" + whole[-5000:])
        self.write("empty.jsonl.gz", b"")
        self.write("no.jsonl.gz", whole[:12])
        groups, summary = self.outcome("cut.jsonl.gz", says="warning: 1 document")
        self.assertTrue(50 < summary["documents"] < 100)
        self.assertEqual(len(groups), summary["documents"] - 50)
        self.scan("cut.jsonl.gz", says="cannot unpack 'cut.jsonl.gz': ")
        self.scan("bad.jsonl.gz", says="cannot unpack 'bad.jsonl.gz': ")
        self.assertEqual(self.outcome("empty.jsonl.gz")[1]["documents"], 0)
        self.scan("no.jsonl.gz", code=2, says="cannot unpack 'no.jsonl.gz': ")

    def test_broken_lines(self):
        good = json.dumps({"id": "a", "text": self.text()}).encode()
        bad = [b"{", b'{"text": 7}', b'{"text"}', b"null", b"[1]", b'{"text": "\\ud800"', b'{"id": "x"}', b"\xff\xfe\x00",
               b'{"text": "' + b"\\" * 1001 + b'"}', b"[" * 100_000, b'{"a":' * 100_000, b"\0" * 1000]
        self.write("set.jsonl", b"\n".join([good, *bad, good.replace(b'"a"', b'"b"')]))
        lines = self.lines("set.jsonl", says=f"warning: {len(bad)} documents could not be read")
        self.assertEqual([line["line"] for line in lines if "problem" in line], list(range(2, 2 + len(bad))))
        self.assertEqual([member["id"] for member in lines[0]["members"]], ["b"])

    def test_tables(self):
        self.write("no-column.csv", "a,b\n1,2\n")
        self.write("ragged.csv", 'id,text\n1,"one two three four five six"\n2\n3,"one two three four five six",,\n'
                   '4,"one two three four five six",x,y\n"')
        self.scan("no-column.csv", code=2, says="'text'")
        groups, _ = self.outcome("ragged.csv", "no-column.csv", says="warning: 4 documents could not be read")
        self.assertEqual(groups, {"1": ["3"]})

    def test_ids(self):
        """Of a megabyte, the same for all, none, with control characters."""
        ids = ["x" * MEGA, "y" * MEGA, "same", "same", "same", "", "a\0b", "\x1b[2J\n"]
        self.records("ids.jsonl", [{"id": name, "text": self.text()} for name in ids])
        (_, members), = self.outcome("ids.jsonl", says="3 records have the id of another")[0].items()
        self.assertEqual(len(members), len(ids) - 1)
        self.assertEqual(members.count("same"), 3)

    def test_equal_lines(self):
        count = 50_000 if SANITIZED else 1_000_000
        self.write("equal.jsonl", b'{"text": "one and the same line of text"}\n' * count)
        self.write("equal.txt", b"one and the same line of text\n" * count)
        self.assertEqual(self.scan("--list-redundant", "equal.jsonl", "equal.txt").count(b"\n"), count - 1)

    def test_more_sets_than_descriptors(self):
        count = 300
        for number in range(count):
            name = f"sets/{number}.jsonl" + (".gz" if number % 2 else "")
            record = json.dumps({"id": str(number), "text": self.text(number % 100, 400 + number)}).encode()
            self.write(name, gzip.compress(record) if number % 2 else record)

        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        expected, _ = self.outcome("sets")
        self.assertEqual(len(expected), 100)
        for memory in ("1M", "1G"):
            self.assertEqual(self.outcome(f"--memory={memory}", "sets", preexec_fn=few)[0], expected)
        self.scan("--filter=out.jsonl", "sets", preexec_fn=few)
        self.assertEqual(len((self.folder / "out.jsonl").read_bytes().splitlines()), 100)

    def test_no_descriptor_left(self):
        """That is not the fault of a document: the scan fails, rather than leave it out."""
        for name in ("a.jsonl", "b.jsonl"):
            self.records(name, [{"text": self.text()}])

        def one():
            resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))
        self.scan("a.jsonl", preexec_fn=one)
        self.scan("a.jsonl", "b.jsonl", code=3, says="cannot read 'b.jsonl': too many open files", preexec_fn=one)


class Machine(Hostile):
    def mount(self, size):
        """Scratch becomes a small disk; needs rights."""
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"size={size}".encode()
        if libc.mount(b"tmpfs", os.fsencode(self.scratch), b"tmpfs", 0, options) != 0:
            self.skipTest("a disk cannot be mounted")
        self.addCleanup(libc.umount2, os.fsencode(self.scratch), 2)

    def many(self, count, size=300):
        source = random.Random(5)
        vocabulary = [f"w{number}" for number in range(5000)]
        with open(self.folder / "many.jsonl", "w", encoding="ascii") as file:
            for number in range(count):
                text = " ".join(source.choices(vocabulary, k=size))
                for copy in "ab":
                    file.write(f'{{"id": "{number}{copy}", "text": "{text} {copy}"}}\n')
        return "many.jsonl"

    def test_disk_full(self):
        self.mount(64 << 10)
        name = self.many(4000)
        for options, subject in (([], name), (["-t.3"], name)):
            self.scan("--memory=1M", *options, subject, code=3,
                      says=rf"\Astemma: cannot write (a temporary file in|in) '{re.escape(str(self.scratch))}': no space left")

    def test_disk_full_of_what_comes_by_pipe(self):
        self.mount(64 << 10)
        with subprocess.Popen(["cat", self.many(1000)], cwd=self.folder, stdout=subprocess.PIPE) as pipe:
            self.scan("-", code=3, stdin=pipe.stdout,
                      says=rf"\Astemma: cannot write a temporary file in '{re.escape(str(self.scratch))}': no space left")
            pipe.stdout.close()

    def test_disk_full_of_a_huge_document(self):
        self.mount(64 << 10)
        for number in range(2):
            self.write(f"pile/{number}", " ".join(prose(400_000, 1)[number:]))
        self.scan("--memory=1M", "pile", code=3, says="no space left on device")

    def test_no_scratch(self):
        self.many(4000)
        environment = dict(os.environ, LC_ALL="C", TMPDIR=str(self.folder / "nowhere"))
        done = subprocess.run([PROGRAM, "scan", "--memory=1M", "many.jsonl"], cwd=self.folder, capture_output=True,
                              env=environment, timeout=120)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, rb"cannot make a temporary file in '.*/nowhere': no such file or directory")

    def test_ends_at_any_time(self):
        """Killed, or by Ctrl-C: at once, and nothing is left behind."""
        name, out = self.many(2000 if SANITIZED else 8000), self.folder / "out.jsonl"
        self.scan("--memory=1M", "--filter=out.jsonl", name)
        whole = out.read_bytes()
        for number, code in (signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130):
            for delay in (0, .02, .05, .1, .2, .4, .8):
                out.unlink(missing_ok=True)
                program = self.start("--memory=1M", "--filter=out.jsonl", name)
                time.sleep(delay)
                program.send_signal(number)
                program.communicate(timeout=60)
                if program.returncode not in (0, -signal.SIGINT):  # done before, or before it could listen
                    self.assertEqual(program.returncode, code)
                if out.exists():  # it had just been named
                    self.assertEqual(out.read_bytes(), whole)
                self.assertEqual(self.left_behind(), [])
                self.assertLessEqual(set(self.listing()), {"scratch", name, "out.jsonl"})


class Memory(Hostile):
    """--memory is honoured."""

    def collection(self, count):
        source = random.Random(7)
        vocabulary = [f"word{number}" for number in range(20000)]
        with open(self.folder / "many.jsonl", "w", encoding="ascii") as file:
            for number in range(count):
                if number % 5 == 0 and number > 0:
                    text[source.randrange(200)] = "changed"
                else:
                    text = source.choices(vocabulary, k=200)
                file.write(f'{{"id": "{number:06}", "text": "{" ".join(text)}"}}\n')

    @large
    def test_is_kept(self):
        self.collection(60_000)
        expected, plenty = self.measured(4096, "many.jsonl")
        self.assertLess(plenty["resident_bytes"], 400 * plenty["documents"])
        self.assertEqual(plenty["spilled_bytes"], 0)
        for memory in (48, 64, 128):
            groups, summary = self.measured(memory, "--threads=2", "many.jsonl")
            self.assertEqual(groups, expected)
            self.assertLess(summary["resident_bytes"] + summary["cached_bytes"], memory * MEGA)
            self.assertLess(summary["spilled_bytes"], .05 * summary["text_bytes"])

    @large
    def test_is_too_little(self):
        self.collection(60_000)
        self.scan("--memory=16M", "many.jsonl", code=3,
                  says=r"\Astemma: \d+ documents were read when what must be known of each filled the memory allowed "
                       r"\(16M\): all need about \d\dM \(--memory\)\n\Z")

    @large
    def test_one_long_line(self):
        """Ten gigabytes without a line end, most of them a hole."""
        line = self.folder_in_memory() + "/line.txt"
        with open(line, "wb") as file:
            file.write(self.text().encode() + b" ")
            file.truncate(10 << 30)
        self.write("other.txt", self.text())
        _, summary = self.measured(64, line, "other.txt")
        self.assertEqual((summary["documents"], summary["problems"]), (2, 0))

    @large
    def test_one_long_word(self):
        """Letters, which are text."""
        with open(self.folder / "word.txt", "wb") as file:
            for _ in range(200):
                file.write(b"a" * MEGA)
        self.write("other.txt", self.text())
        _, summary = self.measured(64, "word.txt", "other.txt")
        self.assertEqual((summary["documents"], summary["binary"], summary["problems"]), (2, 0, 0))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
