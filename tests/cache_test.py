#!/usr/bin/env python3
"""A scan with a cache prints what one without it does, and reads what has changed: archives, mail, data sets.

    cache_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]

STEMMA_TEST_SEED chooses other piles, STEMMA_TEST_EFFORT is the share of the runs in percent.
"""
import fcntl
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from collecting import Collections, text
from containing import mail, mailbox, record, tarred, zipped
from program import PROGRAM, SANITIZED, prose, rests
from report_file_test import blocks
from scan_same_test import CHANGING, SEED, some


def lines_of(texts, names=None):
    return "".join(json.dumps({"id": name, "text": content}) + "\n" for name, content in zip(names or range(10 ** 9), texts))


class Cached(Collections):
    """A scan with a cache prints what one without it does."""

    def scan(self, *options):
        lines = self.good("scan", "--json", *options, "pile").splitlines()
        return [line for line in lines if '"summary"' not in line]

    def fill(self):
        for i in range(40):
            words = prose(150, i % 25)
            words[i:i + 3] = ["other"] if i >= 25 else words[i:i + 3]
            self.put(f"{i % 4}/{i}.txt", " ".join(words))
        for name in ("copy.txt", "copy2.txt"):
            self.put(name, text(3, 150))
        self.put("empty.txt", "")
        for name in ("one.bin", "two.bin"):
            self.put(name, bytes(range(256)) * 9)
        self.put("z.zip", zipped(("a.txt", text(4, 150))))
        self.put("d.jsonl", json.dumps({"id": 1, "text": text(5, 150)}) + "\n")

    def test_same(self):
        self.fill()
        plain = self.scan()
        self.assertGreater(len(plain), 10)
        for options in ([], [], ["--threads=3"], ["-t.5"], ["-t.5"], ["--pairs"], ["--memory=1M"]):
            self.assertEqual(self.scan("--cache=k", *options), self.scan(*options), options)

    def test_changes(self):
        self.fill()
        self.scan("--cache=k")
        self.put("0/0.txt", text(7, 150), age=1)
        self.put("new.txt", text(8, 150), age=1)
        (self.folder / "pile/1/1.txt").unlink()
        os.rename(self.folder / "pile/copy.txt", self.folder / "pile/moved.txt")
        self.assertEqual(self.scan("--cache=k"), self.scan())

    def test_what_has_not_changed_is_not_read(self):
        """Nor is text that nothing resembles compared."""
        self.put("a.txt", text(1))
        self.put("b.txt", text(2))
        self.scan("--cache=k")
        self.assertEqual(self.opened(lambda: self.scan("--cache=k"), "a.txt", "b.txt"), set())
        self.put("b.txt", text(1)[:len(text(2))].ljust(len(text(2)), "x"))
        self.assertEqual(len(self.scan("--cache=k")), 1)

    def test_deleted_files_are_forgotten(self):
        self.fill()
        self.put("away/a.txt", text(9))
        (self.folder / "other").mkdir()
        self.write("other/b.txt", text(10))
        self.good("scan", "--cache=k", "pile", "other")
        known = set(self.documents("k"))
        for name in ("0/0.txt", "away/a.txt", "one.bin"):
            (self.folder / "pile" / name).unlink()
        (self.folder / "other/b.txt").unlink()
        self.scan("--cache=k", "--exclude=1/")
        self.assertEqual(known - set(self.documents("k")), {self.path(name) for name in ("0/0.txt", "away/a.txt", "one.bin")})

    def test_damage(self):
        self.fill()
        plain = self.scan()
        self.scan("--cache=k")
        times = 0
        for file in sorted(set((self.folder / "k").iterdir()) - {self.folder / "k/lock"}):
            good = file.read_bytes()
            for at in range(0, len(good), len(good) // 6 + 1):
                file.write_bytes(good[:at] + bytes([good[at] ^ 255]) + good[at + 1:])
                done = self.run_program("scan", "--json", "--cache=k", "pile")
                told = done.stderr.decode().splitlines()
                rest = [line for line in done.stdout.decode().splitlines() if '"summary"' not in line]
                self.assertEqual((done.returncode, rest), (0, plain), (file.name, at, told, done.stderr))
                self.assertTrue(all("deleted" in line for line in told), told)
                times += len(told)
            file.write_bytes(good)
        self.assertGreater(times, 3)

    def test_thresholds_in_turn(self):
        self.put("a.txt", text(1))
        for threshold in ("-t.4", "-t.8"):
            self.scan("--cache=k", threshold)
        for threshold in ("-t.4", "-t.8"):
            self.assertEqual(self.opened(lambda: self.scan("--cache=k", threshold), "a.txt"), set())
        self.assertEqual(self.opened(lambda: self.scan("--cache=k", "--encoding=latin-1"), "a.txt"), {"a.txt"})

    def test_views_and_other_collections(self):
        self.fill()
        self.scan("--cache=k")
        self.bad("scan", "--unit=char", "--cache=k", "pile", says="unit")
        self.add()
        self.bad("scan", "--cache=c", "pile", says="no cache")


class Cache(Collections):
    codes = {0}

    def setUp(self):
        super().setUp()
        self.folder = Path(self.folder_in_memory())
        (self.folder / "pile").mkdir()

    def scan(self, *options, path="pile"):
        """(lines, summary, messages)"""
        done = self.run_program("scan", "--json", *options, path)
        self.assertIn(done.returncode, self.codes, done.stderr)
        lines = done.stdout.decode().splitlines()
        summary = json.loads(lines[-1])["summary"]
        return lines[:-1], {key: value for key, value in summary.items() if key not in CHANGING}, (done.returncode, done.stderr)

    def same(self, *options, path="pile"):
        """What it is, with and without."""
        known = self.scan("--cache=k", *options, path=path)
        self.assertEqual(known, self.scan(*options, path=path), options)
        return known

    def pile(self):
        return {str(file.relative_to(self.folder / "pile")) for file in (self.folder / "pile").rglob("*") if file.is_file()}

    def opens(self, *options, path="pile"):
        """Which files a scan with the cache opens."""
        return self.opened(lambda: self.scan("--cache=k", *options, path=path), *self.pile())

    def fill(self):
        """Everything that holds documents, none of which resembles another."""
        texts = [text(i) for i in range(40)]
        self.put("a.zip", zipped(("1.txt", texts[0]), ("2.txt", texts[1]), ("empty.txt", ""), ("3.bin", bytes(range(256)) * 9),
                                 ("in.zip", zipped(("4.txt", texts[2])))))
        self.put("b.tar.gz", gzip.compress(tarred(("5.txt", texts[3]), ("6.txt", texts[4])), mtime=0))
        self.put("c.eml", mail(texts[5], ("7.txt", texts[6]), ("8.zip", zipped(("9.txt", texts[7])))))
        self.put("d.mbox", mailbox(mail(texts[8]), mail(texts[9], ("10.txt", texts[10]))))
        self.put("e.warc", record("http://x/y", texts[11].encode(), "resource", "text/plain"))
        self.put("f.jsonl", lines_of(texts[12:20]) + "broken\n" + lines_of(texts[20:22]))
        self.put("g.jsonl.gz", gzip.compress(lines_of(texts[22:30]).encode(), mtime=0))
        self.put("h.csv", "text,id\n" + "".join(f'"{content}",{i}\n' for i, content in enumerate(texts[30:35])))
        broken = bytearray(zipped(("11.txt", texts[35]), ("12.txt", texts[36])))
        broken[100] ^= 255
        self.put("i.zip", bytes(broken))
        self.put("j.zip", zipped(("13.txt", texts[37])) + b"behind it")
        self.put("l.zip", zipped(("16.rtf", "{\\rtf1 " + text(100)), ("17.rtf", "{\\rtf1 \\par")))
        self.put("k.tar", tarred(("14.txt", texts[38]), ("15.txt", texts[39]))[:1700])


class Again(Cache):
    def test_nothing_is_read(self):
        self.fill()
        for options in ([], ["--text-field=text"], ["--no-archives"], ["--min-size=100"], ["--unpacked=1M"]):
            problems = self.same(*options)[1]["problems"]
            self.assertGreater(problems, 0)
            self.same(*options)
            self.assertEqual(self.opens(*options), set(), options)

    def test_what_is_damaged_is_told_each_time(self):
        cut, other = ("{\\rtf1 " + text(i) for i in (1, 2))
        self.put("a.rtf", cut)
        self.put("b.zip", zipped(("a.rtf", cut), ("b.rtf", other), ("again.rtf", other)))
        for _ in range(3):
            self.assertEqual(self.same()[1]["damaged"], 4)
        self.assertEqual(self.opens(), {"a.rtf"})
        self.put("c.rtf", other)
        (self.folder / "pile/a.rtf").unlink()
        for _ in range(2):
            self.assertEqual(self.same()[1]["damaged"], 4)

    def test_bytes(self):
        """What the system says was read is no part of what there is."""
        self.put("a.tar", tarred(*((f"{i}.txt", text(i, 2000)) for i in range(100))))
        self.put("b.jsonl", lines_of(text(1000 + i, 2000) for i in range(100)))
        size = sum(file.stat().st_size for file in (self.folder / "pile").iterdir())
        first, again = self.bytes_read(), self.bytes_read()
        self.assertGreater(first, size)
        self.assertLess(again, size / 2)

    def bytes_read(self):
        with subprocess.Popen([PROGRAM, "scan", "-q", "--cache=k", "pile"], cwd=self.folder, stdout=subprocess.DEVNULL) as child:
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            try:
                counts = Path(f"/proc/{child.pid}/io").read_text()
            except OSError:
                self.skipTest("this system does not count them")
        return int(counts.split()[1])

    def test_what_is_compared_anew_is_read(self):
        self.put("a.zip", zipped(("1.txt", text(1) + " more"), ("2.txt", text(2))))
        self.put("b.jsonl", lines_of([text(1), text(3)]))
        self.put("c.jsonl.gz", gzip.compress(lines_of([text(3) + " more"]).encode()))
        self.put("d.tar", tarred(("3.txt", text(4))))
        self.put("e.txt", text(5))
        self.put("f.txt", text(5) + " more")
        self.assertEqual(self.same()[1]["groups"], 3)
        self.assertEqual(self.opens(), set())
        self.put("new.txt", text(3) + " even more")
        self.assertEqual(self.opens(), {"b.jsonl", "c.jsonl.gz", "new.txt"})
        self.same()
        self.assertEqual(self.opens(), set())
        for options in (["--pairs"], ["--boilerplate"], ["--tree"], ["--group=popular"], ["--group=components"], ["--group=first"]):
            for _ in range(2):
                self.same(*options)

    def test_texts_of_groups(self):
        """They are in the report whether or not they had to be compared."""
        self.put("a.zip", zipped(("1.txt", text(1) + " more"), ("2.txt", text(2))))
        self.put("b.zip", zipped(("1.txt", text(1)), ("2.txt", text(2)), ("3.txt", text(3))))
        self.put("c.jsonl.gz", gzip.compress(lines_of([text(3)]).encode()))
        pages = []
        for options in ([], ["--cache=k"], ["--cache=k"]):
            self.good("scan", "-q", "--report=page.html", "--force", *options, "pile")
            parts = blocks((self.folder / "page.html").read_bytes())
            pages.append({name: part for name, part in parts.items() if '"summary"' not in part})
        self.assertGreater(len(pages[0]), 0)
        self.assertEqual(pages, pages[:1] * 3)

    def test_changes(self):
        self.fill()
        self.same()
        self.put("a.zip", zipped(("1.txt", text(0)), ("new.txt", text(50))), age=1)
        self.put("f.jsonl", lines_of([text(51), text(52)]), age=1)
        (self.folder / "pile/d.mbox").unlink()
        os.rename(self.folder / "pile/e.warc", self.folder / "pile/moved.warc")
        self.assertEqual(self.opens(), {"a.zip", "f.jsonl", "moved.warc"})
        self.same()
        self.assertEqual(self.opens(), set())

    def test_another_of_the_same_size(self):
        for name, make in ("a.tar", lambda i: tarred(("x.txt", text(i).ljust(1500)))), \
                ("b.jsonl", lambda i: lines_of([text(i).ljust(1500)])):
            self.put(name, make(1))
            self.same()
            self.put("other", make(2))
            for age in 0, 1:
                shutil.copyfile(self.folder / "pile/other", self.folder / "pile/new")
                os.replace(self.folder / "pile/new", self.folder / "pile" / name)
                self.set_time(name, age)
                self.assertIn(name, self.opens())
                self.same()

    def test_copies(self):
        """Of archives with the same bytes one is looked into; it may be another the next time."""
        archive = zipped(("1.txt", text(1)), ("2.txt", text(2)))
        for name in "a.zip", "b.zip", "c.zip":
            self.put(name, archive)
        self.same()
        self.assertEqual(self.opens(), set())
        (self.folder / "pile/a.zip").unlink()
        self.assertEqual(self.opens(), {"b.zip"})
        self.same()
        self.assertEqual(self.opens(), set())

    def test_thresholds_names_and_ways_in_turn(self):
        self.fill()
        ways = [(["-t.4"], "pile"), (["-t.9"], "pile"), (["-t.9"], "./pile"), (["-t.9"], str(self.folder / "pile"))]
        for _ in range(2):
            for options, path in ways:
                self.same(*options, path=path)
        for options, path in ways:
            self.assertEqual(self.opens(*options, path=path), set(), (options, path))
        self.assertGreater(len(self.opens("--encoding=latin-1")), 5)

    def test_only_a_part(self):
        self.fill()
        self.same()
        for options in (["--include=*.zip"], ["--exclude=*.zip"], ["--max-size=300"]):
            self.same(*options)
        self.assertEqual(self.opens("--exclude=*.tar*"), set())
        self.assertEqual(self.opens(), set())

    def test_filter(self):
        self.put("a.jsonl", lines_of([text(1), text(2), text(1) + " more", text(3)]))
        self.put("b.jsonl", "")
        kept = []
        for options in ([], ["--cache=k"], ["--cache=k"]):
            self.good("scan", "-q", "--filter=out.jsonl", "--force", *options, "pile/a.jsonl", "pile/b.jsonl")
            kept.append((self.folder / "out.jsonl").read_bytes())
        self.assertEqual(kept, kept[:1] * 3)
        self.assertEqual(len(kept[0].splitlines()), 3)

    def test_memory(self):
        """What was too large to be held is asked again when there is more memory, or less."""
        long = text(7, 400000)
        self.put("a.tar", tarred(("small.txt", text(1)), ("large.txt", long)))
        self.put("b.jsonl", lines_of([text(2), long + " more"]))
        for memory in "1M", "200M", "200M", "1M", "200M":
            self.same(f"--memory={memory}")
        self.put("c.tar", tarred(("small.txt", text(3))))
        self.same("--memory=200M")
        self.assertNotIn("c.tar", self.opens("--memory=1M"))

    def test_what_may_be_otherwise_the_next_time(self):
        """A program that was missing may be there by then."""
        self.put("a.zip", zipped(("a.pdf", b"%PDF-1.4\n" + b"x" * 2000), ("b.txt", text(1))))
        with_none = dict(PATH="/nowhere")
        told = [self.run_program("scan", "--json", "--cache=k", "pile", **with_none).stdout.splitlines()[:-1] for _ in range(2)]
        self.assertEqual(told[0], told[1])
        self.assertEqual(self.opened(lambda: self.run_program("scan", "--cache=k", "pile", **with_none), "a.zip"), {"a.zip"})
        self.same()

    def test_what_is_gone_is_forgotten(self):
        rows = lambda: json.loads(self.good("info", "--json", "k"))["documents"]
        self.put("a.txt", text(1))
        self.same()
        alone = rows()
        self.fill()
        for options in ([], ["-t.4"], ["--min-size=100"], ["--min-size=200"], ["--min-size=300"]):
            self.same(*options)
        self.assertGreater(rows(), alone + 11)
        for name in self.pile() - {"a.txt"}:
            (self.folder / "pile" / name).unlink()
        self.same()
        self.assertEqual(rows(), alone)
        self.put("z.tar", tarred(*((f"{i}.txt", text(100 + i, 20)) for i in range(3000))))
        self.same()
        self.assertGreater(rows(), alone + 3)
        self.put("z.tar", "no archive any more", age=1)
        self.same()
        self.assertEqual(rows(), alone + 1)


    def test_what_is_gone_beside_a_data_set_is_forgotten(self):
        names = lambda: {Path(line).name for line in self.good("list", "k").splitlines()}
        self.put("d.jsonl", lines_of(text(i, 20) for i in range(3000)))
        for i in range(3):
            self.put(f"{i}.txt", text(5000 + i))
        self.same()
        for i in range(3):
            (self.folder / "pile" / f"{i}.txt").unlink()
            self.same()
            self.assertFalse([name for name in names() if f"{i}.txt" in name])

    def test_lines_without_texts_by_name_and_in_a_folder(self):
        """By name they are records that cannot be read, in a folder a document."""
        self.codes = {0, 2}  # 2: nothing else was there
        for name in "a.jsonl", "b.jsonl":
            self.put(name, '{"level": "info"}\n' * 20)
        for path in ("pile/a.jsonl", "pile/b.jsonl", "pile", "pile/a.jsonl", "pile"):
            problems = self.same(path=path)[1]["problems"]
            self.assertEqual(problems, 0 if path == "pile" else 20)


class Interrupted(Cache):
    def test_what_was_read_by_then(self):
        """An archive and a data set that came to their end are known."""
        for i in range(10):
            self.put(f"{i}.jsonl", lines_of(text(100 * i + k) for k in range(20)))
            self.put(f"{i}.txt", text(-i))
        threads = ["--threads=1"] if SANITIZED else []  # as thread sanitizer holds signals back
        with subprocess.Popen([PROGRAM, "scan", "-q", "--cache=k", *threads, "pile", "-"], cwd=self.folder, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL) as child:
            rests(child)
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(timeout=60), 130)
        self.assertEqual(self.opens(), set())
        self.same()

    def test_killed_after_reading(self):
        """While pairs are compared, here for one who does not read them, all that was read is known."""
        for i in range(300):
            self.put(f"{i}.txt", text(1) + f" {i}")
        with subprocess.Popen([PROGRAM, "scan", "-q", "--pairs", "--cache=k", "pile"], cwd=self.folder, stdout=subprocess.PIPE) as child:
            rests(child)
            self.assertIsNone(child.poll())
            child.kill()
        self.assertEqual(len(self.documents("k")), 300)

    @unittest.skipIf(SANITIZED, "it is about the moment")
    def test_killed_at_any_moment(self):
        source = random.Random(SEED)
        for i in range(6):
            self.put(f"{i}.jsonl", lines_of(text(1000 * i + k) for k in range(300)))
            self.put(f"{i}.zip", zipped(*((f"{k}.txt", text(-1000 * i - k)) for k in range(100))))
        self.put("large.jsonl", lines_of(text(10000 + k) for k in range(4000)))
        plain = self.scan()
        for _ in range(some(15)):
            with subprocess.Popen([PROGRAM, "scan", "-q", "--cache=k", "pile"], cwd=self.folder, stdout=subprocess.DEVNULL) as child:
                try:
                    child.wait(timeout=source.random() * .15)
                except subprocess.TimeoutExpired:
                    child.send_signal(source.choice((signal.SIGKILL, signal.SIGINT)))
            if source.random() < .3:
                self.put(f"{source.randrange(6)}.jsonl", lines_of(text(source.random()) for k in range(300)), age=source.randrange(99))
                plain = self.scan()
            if source.random() < .3:
                self.assertEqual(self.scan("--cache=k"), plain)
        self.assertEqual(self.scan("--cache=k"), plain)
        self.assertEqual(self.opens(), set())


class Damaged(Cache):
    def test_bits(self):
        """Of a cache that is damaged there is a word, and all is read."""
        self.fill()
        plain = self.scan()
        self.scan("--cache=k")
        source, times = random.Random(SEED), 0
        for file in sorted(set((self.folder / "k").iterdir()) - {self.folder / "k/lock"}):
            good = file.read_bytes()
            for _ in range(some(8)):
                at = source.randrange(len(good))
                file.write_bytes(good[:at] + bytes([good[at] ^ 1 << source.randrange(8)]) + good[at + 1:])
                lines, summary, (_, said) = self.scan("--cache=k")
                self.assertEqual((lines, summary), plain[:2], (file.name, at))
                times += said != plain[2][1]
                if said != plain[2][1]:
                    self.assertRegex(said, rb"\Astemma: warning: .* damaged.*; the cache is not used until it is deleted\n")
                    self.assertEqual(said.count(b"\n"), plain[2][1].count(b"\n") + 1)
                file.write_bytes(good)
        self.assertGreater(times, 0)

    def test_busy(self):
        """Another process has it: a word, and the scan."""
        self.fill()
        plain = self.scan()
        self.scan("--cache=k")
        with open(self.folder / "k/lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            busy = self.scan("--cache=k")
        self.assertEqual(busy[:2], plain[:2])
        self.assertRegex(busy[2][1], rb"\Astemma: warning: 'k' is being written by .*; this scan did without the cache\n")
        self.assertEqual(self.scan("--cache=k"), plain)

    def test_full(self):
        """There is no room for it: likewise, and what was there is as it was."""
        self.fill()
        plain = self.scan()
        self.scan("--cache=k")
        self.put("new.txt", text(99, 3000))
        more = self.scan()
        for cache in "k", "new":
            done = subprocess.run(["prlimit", "--fsize=300", PROGRAM, "scan", "--json", f"--cache={cache}", "pile"], cwd=self.folder,
                                  capture_output=True, preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.decode().splitlines()[:-1], more[0])
            self.assertRegex(done.stderr, rb"\Astemma: warning: cannot .*; this scan did without the cache\n")
        os.unlink(self.folder / "pile/new.txt")
        self.assertEqual(self.scan("--cache=k"), plain)


class Random(Cache):
    """Any pile, changed in any way, scanned in any way."""
    codes = {0, 2}  # 2: nothing could be read

    def some_text(self):
        base = prose(self.source.randrange(20, 200), self.source.randrange(30))
        for _ in range(self.source.choice((0, 0, 1, 3))):
            base[self.source.randrange(len(base))] = "other"
        return " ".join(base)

    def members(self, depth):
        kinds = [".txt", ".txt", ".txt", ".html", ".bin", ".none", ".zip", ".tar", ".eml", ".pdf"]
        out = []
        for i in range(self.source.randrange(5)):
            kind = self.source.choice(kinds)
            out.append((f"{self.source.choice('xy')}{i}{kind}", self.content(kind, depth + 1)))
        return out

    def content(self, kind, depth=0):
        source = self.source
        if depth > 2 or kind == ".txt":
            return self.some_text().encode()
        makers = {".html": lambda: f"<html><p>{self.some_text()}</p></html>".encode(),
                  ".bin": lambda: bytes(range(256)) * source.randrange(1, 3),
                  ".none": lambda: b"",
                  ".pdf": lambda: b"%PDF-1.4\n" + b"broken " * source.randrange(1, 20),
                  ".zip": lambda: zipped(*self.members(depth)),
                  ".tar": lambda: tarred(*self.members(depth)),
                  ".tar.gz": lambda: gzip.compress(tarred(*self.members(depth)), mtime=0),
                  ".eml": lambda: mail(self.some_text(), *self.members(depth)),
                  ".mbox": lambda: mailbox(*(mail(self.some_text(), *self.members(depth)) for _ in range(source.randrange(1, 4)))),
                  ".warc": lambda: b"".join(record(f"http://x/{i}", self.some_text().encode(), "resource", "text/plain")
                                            for i in range(source.randrange(1, 4))),
                  ".jsonl": self.records,
                  ".jsonl.gz": lambda: gzip.compress(self.records(), mtime=0),
                  ".csv": lambda: b"text,id\n" + b"".join(f"{self.some_text()},{i}\n".encode() for i in range(source.randrange(5)))}
        return makers[kind]()

    def records(self):
        out = lines_of([self.some_text() for _ in range(self.source.randrange(8))]).splitlines(keepends=True)
        if out and self.source.random() < .3:
            out[self.source.randrange(len(out))] = "broken\n"
        return "".join(out).encode()

    def damaged(self, content):
        if not content or self.source.random() > .15:
            return content
        at = self.source.randrange(len(content))
        return content[:at] if self.source.random() < .5 else content[:at] + bytes([content[at] ^ 255]) + content[at + 1:]

    def put_some(self):
        kind = self.source.choice([".txt", ".zip", ".zip", ".tar", ".tar.gz", ".eml", ".mbox", ".warc", ".jsonl", ".jsonl.gz", ".csv"])
        name = f"{self.source.choice('ab')}/{self.source.randrange(8)}{kind}"
        self.put(name, self.damaged(self.content(kind)), age=self.source.randrange(3))

    def change(self):
        files = sorted(self.pile())
        what = self.source.randrange(5)
        if what < 2 or not files:
            return self.put_some()
        one, path = self.source.choice(files), self.folder / "pile"
        if what == 2:
            os.unlink(path / one)
        elif what == 3:  # under another name, also over another
            os.replace(path / one, path / self.source.choice(files))
        else:
            other = self.source.choice(files)
            if other != one:
                shutil.copyfile(path / one, path / other)
                self.set_time(other, self.source.randrange(3))

    def options(self):
        some = lambda *these: [option for option in these if self.source.random() < .15]
        return some("--no-archives", "--text-field=text", "--unpacked=" + self.source.choice(("4K", "20K", "1M")), "--min-size=200",
                    "--max-size=2K", "--include=*.zip", "--exclude=*.eml", "-t.5", self.source.choice(("--pairs", "--tree")), "--memory=1M", "--encoding=latin-1",
                    "--id-field=none", "--keep=newest") + [f"--threads={self.source.choice((1, 2, 4))}"]

    def test_any(self):
        for seed in range(some(6)):
            shutil.rmtree(self.folder / "pile")
            shutil.rmtree(self.folder / "k", ignore_errors=True)
            (self.folder / "pile").mkdir()
            self.source = random.Random(f"{SEED} {seed}")
            for _ in range(12):
                self.put_some()
            chosen = [self.options() for _ in range(3)]
            for step in range(10):
                with self.subTest(seed=seed, step=step):
                    self.same(*self.source.choice(chosen), path=self.source.choice(("pile", "pile", "./pile", "pile/a")))
                for _ in range(self.source.randrange(3)):
                    self.change()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
