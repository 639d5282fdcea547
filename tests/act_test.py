#!/usr/bin/env python3
"""Acting on files as a user meets it: what is said, what is done, what is left alone, and taking it back.

  act_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]

test_act.c cuts it off before every system call; here the program is killed at any moment.
"""
import base64
import fcntl
import json
import os
import pty
import random
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest
import zipfile
from pathlib import Path

from program import PROGRAM, Base, prose

NOBODY = 65534


class Act(Base):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.environment = {"XDG_STATE_HOME": str(self.folder / "state")}

    def text(self, seed, words=300):
        return " ".join(prose(words, seed))

    def near(self, seed, changed=1, words=300):
        """Resembles text(seed), and is shorter: each changed word takes 5 of about `words` shingles."""
        text = prose(words, seed)
        for i in range(changed):
            text[7 + 20 * i] = f"c{i}"
        return " ".join(text)

    def copies(self, *names, seed=1):
        for name in names:
            self.write(f"pile/{name}", self.text(seed))
            os.utime(self.folder / "pile" / name, (10**9, 10**9 + len(name)))

    def scan(self, *arguments, code=0, **how):
        acting = [word for word in arguments if str(word).startswith(("--move", "--hardlink", "--reflink"))]
        if acting and "--dry-run" not in arguments:
            arguments = ("--yes", *arguments)
        done = self.run_program("scan", *arguments, **self.environment, **how)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode("utf-8", "surrogateescape")

    def lines(self, *arguments, **how):
        return [json.loads(line) for line in self.scan("--json", *arguments, **how)[0].splitlines()]

    def steps(self, *arguments, **how):
        return [line for line in self.lines(*arguments, **how) if "action" in line]

    def undo(self, *arguments, code=0, **how):
        done = self.run_program("undo", *arguments, **how)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout.decode(), done.stderr.decode()

    def tree(self, folder="pile"):
        """Every file and link: bytes, mode, time, links."""
        found = {}
        for path in sorted(Path(os.fsencode(self.folder / folder).decode("utf-8", "surrogateescape")).rglob("*")):
            info = path.lstat()
            if path.is_symlink():
                found[str(path)] = os.readlink(path)
            elif path.is_file():
                found[str(path)] = (path.read_bytes(), info.st_mode, info.st_mtime_ns, info.st_nlink)
        return found

    def names(self, folder="pile"):
        return sorted(str(path.relative_to(self.folder / folder))
                      for path in (self.folder / folder).rglob("*") if not path.is_dir())


class Words(Act):
    def test_dry_run_then_delete_then_undo(self):
        self.copies("a", "b", "c")
        before = self.tree()
        shown = self.scan("--delete", "--dry-run", "pile")[0].splitlines()
        self.assertEqual(shown[2:], ["  would delete   identical              2.4 KB  pile/b; kept pile/a",
                                     "  would delete   identical              2.4 KB  pile/c; kept pile/a",
                                     "2 files would be deleted, 4.7 KB freed"])
        self.assertEqual(self.tree(), before)
        self.assertFalse((self.folder / "state").exists())
        done = self.scan("--delete", "--yes", "pile")[0].splitlines()
        self.assertEqual(done[2:5], [line.replace("would delete ", "deleted      ").replace("would be ", "")
                                     for line in shown[2:]])
        log, = (self.folder / "state/stemma").iterdir()
        self.assertEqual(done[5], f"log: {log} (stemma undo takes it back)")
        self.assertRegex(log.name, r"^delete-\d{8}T\d{6}Z-\d+\.jsonl$")
        self.assertEqual((log.stat().st_mode & 0o777, log.parent.stat().st_mode & 0o777), (0o600, 0o700))
        self.assertEqual(self.names(), ["a"])
        self.assertIn("2 files would be restored, 4.7 KB\n", self.undo("--dry-run", str(log))[0])
        self.assertEqual(self.names(), ["a"])
        self.assertIn("2 files restored, 4.7 KB\n", self.undo(str(log))[0])
        self.assertEqual(self.tree(), before)
        self.assertEqual(self.undo(str(log))[0], "0 files restored, 0 B\n")

    def test_quiet(self):
        self.copies("a", "b")
        shown, _ = self.scan("--move=aside", "--dry-run", "--quiet", "pile")
        self.assertIn("  would move     identical", shown)
        done, said = self.scan("--move=aside", "--quiet", "pile")
        self.assertEqual(done, shown.replace("would move", "moved     ").replace("would be ", ""))
        self.assertEqual(self.names("aside"), ["pile/b"])
        log, = (self.folder / "state/stemma").iterdir()
        self.assertEqual(said, f"log: {log} (stemma undo takes it back)\n")
        self.assertEqual(self.undo("--quiet", str(log)), ("", ""))
        self.assertEqual(self.names(), ["a", "b"])

    def test_folders_that_are_gone_are_made_again(self):
        for action, name in (("--delete", "1"), ("--move=aside", "2")):
            self.copies("a", "deep/er/b")
            before = (self.folder / "pile/deep/er/b").read_bytes()
            self.scan(action, "--yes", f"--log={name}", "pile")
            shutil.rmtree(self.folder / "pile/deep")
            self.assertIn("1 file would be restored", self.undo("--dry-run", name)[0])
            self.assertFalse((self.folder / "pile/deep").exists())
            self.assertIn("1 file restored", self.undo(name)[0])
            self.assertEqual((self.folder / "pile/deep/er/b").read_bytes(), before)
            self.assertEqual((self.folder / "pile/deep").stat().st_mode & 0o777, 0o700)

    def test_logs_are_listed_with_what_they_did(self):
        self.assertEqual(self.undo("--json", **self.environment)[0], "")
        self.copies("a", "b", "c")
        self.scan("--move=aside", "--yes", "pile")
        line = json.loads(self.undo("--json", **self.environment)[0])
        self.assertEqual((line["action"], line["done"], line["undone"]), ("move", 2, 0))
        self.assertRegex(line["started"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        self.assertRegex(self.undo(**self.environment)[0], line["started"] + r"  move      2 files  .*/move-.*\.jsonl\n\Z")
        self.undo(line["log"])
        self.assertIn("2 files, 2 taken back", self.undo(**self.environment)[0])

    def test_logs_are_listed(self):
        self.assertIn("one log is needed", self.undo(code=2, **self.environment)[1])
        names = ["delete-20261116T101500Z-9.jsonl", "move-20261115T101500Z-7.jsonl", "delete-20251116T101500Z-8.jsonl"]
        for name in ["other.txt", *sorted(names)]:
            self.write(f"state/stemma/{name}", "")
        self.assertEqual([line.split("  ")[-1] for line in self.undo(**self.environment)[0].splitlines()],
                         [f"{self.folder}/state/stemma/{name}" for name in names])
        self.assertIn("one log is needed", self.undo(code=2, XDG_STATE_HOME="", HOME="")[1])

    def test_json(self):
        self.copies("a", "b")
        self.write("pile/near", self.near(1))
        lines = self.lines("--delete", "--yes", "--near=.9", "--log=log", "pile")
        self.assertEqual([line.get("relation") for line in lines], ["identical", "near-duplicate", None, None])
        self.assertEqual(lines[0], {"action": "delete", "id": "pile/b", "kept": "pile/a", "relation": "identical",
                                    "resemblance": 1, "contained": 1, "bytes": len(self.text(1)), "outcome": "done"})
        self.assertEqual(lines[2]["acted"], {
            "action": "delete", "dry_run": False, "steps": 2, "done": 2,
            "done_bytes": sum(line["bytes"] for line in lines[:2]), "skipped": 0, "failed": 0, "not_files": 0,
            "holding": 0, "log": "log"})
        self.assertIn("summary", lines[3])
        undone = [json.loads(line) for line in self.undo("--json", "log", code=1)[0].splitlines()]
        self.assertEqual([line.get("outcome") for line in undone], ["skipped", "done", None])
        self.assertIn(str(self.folder / "pile/a"), undone[0]["cause"])
        self.assertEqual(undone[2]["undone"]["done"], 1)

    def test_undo_names_what_it_leaves_even_when_quiet(self):
        self.copies("a", "b")
        self.scan("--delete", "--yes", "--quiet", "--log=log", "pile")
        self.write("pile/b", "another")
        said = self.undo("--quiet", "log", code=1)
        self.assertEqual(said[0], "")
        self.assertRegex(said[1], r"pile/b' was left as it is: another file stands")

    def test_nothing_to_do(self):
        self.copies("a")
        for more in ("--dry-run", "--yes"):
            self.assertIn("\n0 files ", self.scan("--delete", more, "pile")[0])
        self.assertFalse((self.folder / "state").exists())

    def test_names_are_safe(self):
        for name in (b"a", b"line\nbreak", b"\xff latin", b"esc\x1b[31m"):
            path = os.fsencode(self.folder) + b"/pile/" + name
            os.makedirs(os.path.dirname(path), exist_ok=True)
            Path(os.fsdecode(path)).write_text(self.text(1))
        before = self.tree()
        out = self.scan("--move=aside", "--log=log", "pile")[0]
        self.assertIn("pile/line\\x0abreak to ", out)
        self.assertNotIn("\x1b", out)
        noted = [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]
        self.assertIn(os.fsencode(self.folder) + b"/pile/\xff latin",
                      [base64.b64decode(line["path_bytes"]) for line in noted if "path_bytes" in line])
        self.undo("log")
        self.assertEqual(self.tree(), before)


class Chosen(Act):
    def test_identical_by_default(self):
        """Also to a member that is not the kept one of its group."""
        self.copies("a", "b")
        self.write("pile/near1", self.near(1, 2))
        self.write("pile/near2", self.near(1, 2))
        self.write("pile/same text", self.text(1).upper())
        steps = {step["id"]: step["kept"] for step in self.steps("--delete", "--dry-run", "pile")}
        self.assertEqual(steps, {"pile/b": "pile/a", "pile/near2": "pile/near1"})

    def test_near(self):
        self.copies("a")
        self.write("pile/same", self.text(1).upper())
        self.write("pile/near1", self.near(1, 1))
        self.write("pile/near2", self.near(1, 5))
        def chosen(*how):
            return [step["id"][5:] for step in self.steps("--delete", "--dry-run", "pile", *how)]
        self.assertEqual(chosen(), [])
        self.assertEqual(chosen("--near=1"), ["same"])
        self.assertEqual(chosen("--near=.95"), ["same", "near1"])
        self.assertEqual(chosen("--near=.8"), ["same", "near1", "near2"])

    def test_contained(self):
        self.copies("a")
        self.write("pile/part", " ".join(self.text(1).split()[:100]))
        self.assertEqual(self.steps("--delete", "--dry-run", "--near=.7", "pile"), [])
        step, = self.steps("--delete", "--dry-run", "--near-contained=.9", "pile")
        self.assertEqual((step["id"], step["relation"]), ("pile/part", "contained"))

    def test_records_are_left_alone(self):
        self.copies("a")
        self.write("set.jsonl", "".join(json.dumps({"id": i, "text": self.text(1)}) + "\n" for i in "xy"))
        before = (self.folder / "set.jsonl").read_bytes()
        for order in (("pile", "set.jsonl"), ("set.jsonl", "pile")):
            lines = self.lines("--delete", "--yes", "--keep=first", "--near=.7", *order)
            self.assertEqual([line for line in lines if "action" in line], [])
            self.assertEqual([line["acted"]["not_files"] for line in lines if "acted" in line], [2])
        self.assertIn("2 left alone, as they or what is kept are inside archives, mail or data sets\n", self.scan("--delete", "--yes", "pile", "set.jsonl")[0])
        self.assertEqual((self.names(), (self.folder / "set.jsonl").read_bytes()), (["a"], before))

    def test_members_of_archives_are_left_alone(self):
        """Archives that are identical are files like others; what is in them can neither go nor be kept for a file."""
        self.copies("a")
        for name in ("1.zip", "2.zip"):
            with zipfile.ZipFile(self.folder / "pile" / name, "w") as archive:
                archive.writestr(zipfile.ZipInfo("inner.txt"), self.text(1))
                archive.writestr(zipfile.ZipInfo("other.txt"), self.near(1))
        for keep in ("longest", "shortest-path"):
            lines = self.lines("--delete", "--dry-run", "--near=.8", f"--keep={keep}", "pile")
            self.assertEqual([(line["id"], line["kept"]) for line in lines if "action" in line], [("pile/2.zip", "pile/1.zip")])
        self.scan("--delete", "--yes", "--log=log", "--near=.8", "pile")
        self.assertEqual(self.names(), ["1.zip", "a"])

    def test_mail_with_other_attachments_is_left_alone(self):
        def mail(attached):
            return ("From: a@example.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
                    f"--b\nContent-Type: text/plain\n\n{self.text(1)}\n--b\nContent-Type: text/plain\n"
                    f"Content-Disposition: attachment; filename=x.txt\n\n{self.text(attached)}\n--b--\n")
        self.write("pile/1.eml", mail(2))
        self.write("pile/2.eml", mail(3))
        self.write("pile/3.eml", mail(3))
        out = self.scan("--delete", "--yes", "--near=.8", "--keep=first", "pile")[0]
        self.assertEqual(self.names(), ["1.eml", "2.eml"])
        self.assertIn("1 left alone, as it holds more than was compared: attachments", out)

    def test_what_cannot_be_taken_back_is_said(self):
        self.copies("a")
        self.write("pile/near", self.near(1))
        self.assertIn("not identical: stemma undo cannot take it back)\n",
                      self.scan("--delete", "--yes", "--near=.9", "pile")[0])
        self.copies("b")
        self.write("pile/near", self.near(1))
        self.assertIn("takes it back, but for 1 not identical)\n",
                      self.scan("--delete", "--yes", "--near=.9", "pile")[0])

    def test_links(self):
        self.copies("a", "b", "c")
        os.link(self.folder / "pile/b", self.folder / "pile/b2")
        os.symlink("c", self.folder / "pile/to c")
        os.symlink(self.folder / "pile/a", self.folder / "outside")
        before = self.tree()
        out = self.scan("--delete", "--yes", "--log=log", "pile")[0]
        self.assertIn("pile/b: it has 2 links: one less frees nothing\n", out)
        self.assertEqual(self.names(), ["a", "b", "b2", "to c"])
        self.scan("--delete", "--yes", "--strict", "pile", code=2)
        self.undo("log")
        self.assertEqual(self.tree(), before)
        self.write("x", self.text(1))
        out = self.scan("--delete", "--yes", "--keep=first", "x", "outside")[0]
        self.assertIn("outside: 'outside' is a symbolic link\n", out)
        self.assertEqual(self.tree(), before)

    def test_what_another_holds_is_left_alone(self):
        self.copies("a", "b")
        for name, how in (("a", fcntl.LOCK_EX), ("b", fcntl.LOCK_SH)):
            with open(self.folder / "pile" / name) as file:
                fcntl.flock(file, how)
                self.assertIn(f"pile/b: 'pile/{name}' is in use by another\n",
                              self.scan("--delete", "--yes", "pile")[0])
            self.assertEqual(self.names(), ["a", "b"])
        with open(self.folder / "pile/a") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            self.scan("--delete", "--yes", "pile")
        self.assertEqual(self.names(), ["a"])

    def test_empty_files_are_left_alone(self):
        for name in "ab":
            self.write(f"pile/{name}", "")
        self.assertEqual(self.steps("--delete", "--dry-run", "pile"), [])

    def test_binaries(self):
        for name in "ab":
            self.write(f"pile/{name}", bytes(range(256)) * 9)
        self.assertEqual([step["id"] for step in self.steps("--delete", "--dry-run", "pile")], ["pile/b"])

    def test_hardlink_needs_like_files(self):
        self.copies("a", "b", "c")
        os.chmod(self.folder / "pile/b", 0o600)
        out = self.scan("--hardlink", "--log=log", "pile")[0]
        self.assertIn("pile/b: 'pile/b' has another owner or other permissions than 'pile/a'\n", out)
        self.assertTrue(os.path.samefile(self.folder / "pile/a", self.folder / "pile/c"))
        self.assertIn("met again", self.scan("--hardlink", "pile")[0])


    def test_capabilities(self):
        """No copy gets them by becoming a link, and none loses them by coming back, with its owner."""
        self.copies("a", "b")
        pile, able = self.folder / "pile", struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0)
        try:
            os.chown(pile / "b", NOBODY, NOBODY)
            os.setxattr(pile / "b", "security.capability", able)
        except OSError:
            self.skipTest("capabilities cannot be given here")
        self.scan("--delete", "--yes", "--log=log", "pile")
        self.undo("log")
        self.assertEqual(os.getxattr(pile / "b", "security.capability"), able)
        os.chown(pile / "a", NOBODY, NOBODY)
        self.assertIn("has other extended attributes than", self.scan("--hardlink", "pile")[0])


class Moved(Act):
    def test_names_that_are_taken(self):
        self.copies("a", "b.txt", "c")
        self.write("aside/pile/b.txt", "another")
        self.write("aside/pile/c/x", "a folder")
        before, aside = self.tree(), self.tree("aside")
        self.scan("--move=aside", "--log=log", "pile")
        self.assertEqual(self.names("aside"), ["pile/b.2.txt", "pile/b.txt", "pile/c.2", "pile/c/x"])
        self.assertEqual((self.folder / "aside/pile/b.txt").read_text(), "another")
        self.undo("log")
        self.assertEqual((self.tree(), self.tree("aside")), (before, aside))

    def test_paths(self):
        self.copies("a", "sub/b", "sub/deep/c")
        self.scan("--move=aside/", "--log=1", "./pile//")
        self.assertEqual(self.names("aside"), ["pile/sub/b", "pile/sub/deep/c"])
        self.undo("1")
        self.assertFalse((self.folder / "aside").exists())
        self.scan("--move=aside", "--log=2", str(self.folder / "pile"))
        self.assertEqual(self.names("aside")[0], f"{str(self.folder)[1:]}/pile/sub/b")
        self.undo("2")
        self.scan("--move=../aside", "--log=../3", ".", cwd="pile")
        self.assertEqual(self.names("aside"), ["sub/b", "sub/deep/c"])
        done = subprocess.run([PROGRAM, "undo", str(self.folder / "3")], cwd="/", capture_output=True)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.names(), ["a", "sub/b", "sub/deep/c"])

    def run_program(self, *arguments, cwd=None, **how):
        if cwd is None:
            return super().run_program(*arguments, **how)
        environment = {key: value for key, value in how.items() if key.isupper()}
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder / cwd, capture_output=True,
                              env=dict(os.environ, **environment))

    def test_the_folder_is_not_scanned(self):
        self.copies("a", "b")
        self.scan("--move=pile/0", "--log=1", "pile")
        self.assertEqual(self.names(), ["0/pile/b", "a"])
        self.assertIn("0 files moved", self.scan("--move=pile/0", "pile")[0])
        self.undo("1")
        self.assertEqual(self.names(), ["a", "b"])

    def test_folders_that_cannot_be_entered(self):
        """Also when it is only shown."""
        self.copies("a", "b")
        self.write("file", "x")
        for more in ("--dry-run", "--yes"):
            said = self.scan("--move=file", more, "pile", code=2)[1]
            self.assertIn(f"cannot move to '{self.folder}/file/pile/b': what it leads through is not a folder\n", said)
            said = self.scan("--move=" + "n" * 300, more, "pile", code=2)[1]
            self.assertIn("too long", said)
        self.assertEqual(self.names(), ["a", "b"])

    def test_links_below_the_folder_are_not_followed(self):
        self.copies("a", "b")
        (self.folder / "elsewhere").mkdir()
        (self.folder / "aside").mkdir()
        os.symlink("../elsewhere", self.folder / "aside/pile")
        self.assertIn("aside/pile' is not a folder", self.scan("--move=aside", "pile", code=2)[1])
        self.assertEqual((self.names(), self.names("elsewhere")), (["a", "b"], []))

    def test_made_folders_are_as_private(self):
        self.copies("a", "sub/b")
        os.chmod(self.folder / "pile", 0o700)
        self.scan("--move=aside", "--log=log", "pile")
        for name in ("aside", "aside/pile", "aside/pile/sub"):
            self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o700)

    def test_another_file_system(self):
        other = Path(self.folder_in_memory())
        if other.stat().st_dev == self.folder.stat().st_dev:
            self.skipTest("there is no other file system")
        self.copies("a", "b", "c")
        os.chmod(self.folder / "pile/b", 0o640)
        os.link(self.folder / "pile/c", self.folder / "c")
        before = self.tree()
        out = self.scan(f"--move={other}/x", "--log=log", "pile")[0]
        self.assertIn("from which another file system would part it", out)
        self.assertEqual(self.names(other / "x"), ["pile/b"])
        self.assertEqual((other / "x/pile/b").stat().st_mode & 0o777, 0o640)
        self.assertEqual((other / "x/pile/b").stat().st_mtime_ns, before[str(self.folder / "pile/b")][2])
        self.undo("log")
        self.assertEqual((self.tree(), list(other.iterdir())), (before, []))


class Asked(Act):
    def on_terminal(self, *arguments, answer, between=lambda: None):
        """What is printed until the question, the rest, and the exit code."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.environ.update(self.environment)
            os.execv(PROGRAM, [PROGRAM, "scan", *arguments])
        heard = b""
        while b"[y/N] " not in heard:
            heard += os.read(terminal, 4096)
        between()
        os.write(terminal, answer)
        rest = b""
        try:
            while piece := os.read(terminal, 4096):
                rest += piece
        except OSError:
            pass  # the terminal is gone with the program
        os.close(terminal)
        return heard.decode(), rest.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_answers(self):
        self.copies("a", "b")
        heard, rest, code = self.on_terminal("--delete", "pile", answer=b"n\n")
        self.assertIn("delete 1 file, 2.4 KB? (--dry-run shows them) [y/N] ", heard)
        self.assertIn("stemma: nothing was done", rest)
        self.assertEqual((code, self.names()), (1, ["a", "b"]))
        self.assertRegex(self.scan("--help")[0], r" 1 +done, and the answer is no: when asked whether to act")
        self.assertEqual(self.on_terminal("--delete", "pile", answer=b"\x03")[2], 130)
        self.assertEqual(self.names(), ["a", "b"])
        self.assertEqual(self.on_terminal("--delete", "pile", answer=b"y\n")[2], 0)
        self.assertEqual(self.names(), ["a"])

    def test_changes_meanwhile(self):
        self.copies("a", "b", "c", "d", "e")
        pile = self.folder / "pile"
        def change():
            stat = (pile / "b").stat()
            (pile / "b").write_text("X" + self.text(1)[1:])  # as long, and as old
            os.utime(pile / "b", ns=(stat.st_atime_ns, stat.st_mtime_ns))
            (pile / "c").unlink()
            (pile / "d").unlink()
            os.symlink("a", pile / "d")
        heard, rest, code = self.on_terminal("--delete", "pile", answer=b"y\n", between=change)
        self.assertIn("pile/b: 'pile/b' differs from 'pile/a'", rest)
        self.assertIn("pile/c: cannot read 'pile/c': no such file or directory", rest)
        self.assertIn("pile/d: 'pile/d' is a symbolic link", rest)
        self.assertIn("1 file deleted, 2.4 KB freed, 3 skipped", rest)
        self.assertEqual((code, self.names()), (0, ["a", "b", "d"]))

    def test_the_kept_one_changes(self):
        self.copies("a", "b")
        self.write("pile/near", self.near(1))
        _, rest, code = self.on_terminal("--delete", "--near=.9", "pile", answer=b"y\n",
                                         between=lambda: self.write("pile/a", self.text(2)))
        self.assertIn("0 files deleted, 0 B freed, 2 skipped", rest)
        self.assertEqual((code, self.names()), (0, ["a", "b", "near"]))

    def test_wrong_use(self):
        self.copies("a", "b")
        for arguments, says in (
                (["--delete"], "--delete needs --yes where nobody can be asked"),
                (["--hardlink"], "--hardlink needs --yes"), (["--reflink"], "--reflink needs --yes"),
                (["--move=aside"], "--move needs --yes"),
                (["--delete", "--hardlink", "--yes"], "only one of --delete"),
                (["--delete", "--yes", "--pairs"], "do not go with --pairs"),
                (["--move=", "--yes"], "--move needs a folder"),
                (["--hardlink", "--yes", "--near=.9"], "only identical files can be linked"),
                (["--move=pile"], "--move leads to 'pile'"), (["--move=./pile/"], "--move leads to"),
                (["--delete", "--yes", "--near=.5"], "--near is below --threshold"),
                (["--delete", "--yes", "--near-contained=.8"], "--near-contained is below --contained"),
                (["--delete", "--yes", "--contained=0", "--near-contained=.8"], "looks for no contained"),
                (["--delete", "--dry-run", "--log=x"], "--dry-run does nothing"),
                (["--yes"], "--yes is for"), (["--near=.9"], "--near is for --delete and --move"), (["--log=x"], "--log is for"),
                (["--dry-run"], "--dry-run is for"), (["--delete", "--yes", "--near=2"], "is not a number")):
            self.bad("scan", *arguments, "pile", says=says)
        self.bad("undo", says="one log is needed", **self.environment)
        self.assertEqual(self.names(), ["a", "b"])


class Refused(Act):
    @unittest.skipIf(os.getuid(), "another user is needed")
    def test_folders_that_cannot_be_written(self):
        self.copies("a", "locked/b", "open/c")
        os.chmod(self.folder / "pile/open", 0o777)
        shutil.copy(PROGRAM, self.folder / "stemma")
        done = subprocess.run([str(self.folder / "stemma"), "scan", "--delete", "--yes", "--log=/dev/shm/act-nobody", "pile"],
                              cwd=self.folder, capture_output=True, user=NOBODY, group=NOBODY)
        os.unlink("/dev/shm/act-nobody")
        self.assertEqual(done.stderr, b"stemma: cannot delete 'pile/locked/b': permission denied\n")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"1 file deleted, 2.4 KB freed, 1 failed\n", done.stdout)
        self.assertEqual(self.names(), ["a", "locked/b"])

    def test_a_report_that_cannot_be_written(self):
        self.copies("a", *(f"b{i}" for i in range(200)))
        done = subprocess.run([PROGRAM, "scan", "--delete", "--yes", "--csv=table", "--log=log", "pile"],
                              cwd=self.folder, capture_output=True, restore_signals=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)))
        self.assertIn(b"cannot write 'table'", done.stderr)
        self.assertIn(b"stemma: nothing was done\n", done.stderr)
        self.assertEqual(len(self.names()), 201)

    def test_logs(self):
        self.copies("a", "b")
        self.write("there", "x")
        self.assertIn("the log 'there' exists", self.scan("--delete", "--yes", "--log=there", "pile", code=2)[1])
        self.assertIn("cannot write 'no/log'", self.scan("--delete", "--yes", "--log=no/log", "pile", code=2)[1])
        self.environment = {"XDG_STATE_HOME": "", "HOME": ""}
        self.assertIn("say --log=FILE", self.scan("--delete", "--yes", "pile", code=2)[1])
        self.environment = {"XDG_STATE_HOME": str(self.folder / "there")}
        self.assertIn("cannot make the folder", self.scan("--delete", "--yes", "pile", code=2)[1])
        self.assertEqual(self.names(), ["a", "b"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_nobody_reads(self):
        """What is begun is ended, and in the log."""
        self.copies("a", *(f"b{i}" for i in range(200)))
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "scan", "--delete", "--yes", "--log=log", "pile"], cwd=self.folder, stdout=full)
        self.assertEqual((done.returncode, self.names()), (3, ["a"]))
        self.undo("log")
        self.assertEqual(len(self.names()), 201)


class Logs(Act):
    def setUp(self):
        super().setUp()
        self.copies("a", "b", "c")
        self.before = self.tree()
        self.scan("--move=aside", "--log=log", "pile")
        self.log = (self.folder / "log").read_text()

    def test_damaged(self):
        head, step = self.log.splitlines()[:2]
        for text, says in (("", "not a log"), ("x\n", "not a log"), ("{}\n", "not a log"),
                           ('{"stemma_log":2}\n', "later version"), ('{"stemma_log":1,"id":"../../etc/passwd"}\n', "no id"),
                           (f"{head}\nx\n", "damaged: line 2"), (f"{head}\n" + '{"done":0}\n', "damaged: line 2"),
                           (f"{head}\n{step}\n{step}\n", "damaged: line 3"),
                           (f"{head}\n" + step.replace('"path":"/', '"path":"') + "\n", "damaged: line 2"),
                           (f"{head}\n" + step.replace('"move"', '"burn"') + "\n", "damaged: line 2"),
                           (f"{head}\n" + step.replace('"inode":', '"inode":-') + "\n", "damaged: line 2")):
            for end in ("", "the only copy of this"):  # what is no log is not touched: neither is its last line
                self.write("damaged", text + end)
                self.bad("undo", "damaged", says=says)
                self.assertEqual((self.folder / "damaged").read_text(), text + end)
        self.bad("undo", "none", says="cannot open 'none': no such file")
        self.bad("undo", "pile", says="pile")
        (self.folder / "link").symlink_to("damaged")
        self.bad("undo", "link", says="damaged: line 2")
        self.assertEqual((self.folder / "damaged").read_text(), text + end)
        self.assertEqual(self.names(), ["a"])

    def test_cut_off(self):
        """A log that ends anywhere: what it says is taken back, and a second undoing finds it whole."""
        for size in range(len(self.log.splitlines()[0]) + 1, len(self.log), 37):
            self.write("cut", self.log[:size])
            self.undo("cut")
            self.undo("cut")
            self.undo("log")
            self.write("log", self.log)
            self.assertEqual(self.tree(), self.before)
            self.scan("--move=aside", "--log=again", "pile")
            self.log = (self.folder / "again").read_text()
            os.rename(self.folder / "again", self.folder / "log")

    def test_what_changed_since(self):
        """Nothing is overwritten, and nothing restored that is not what it was."""
        self.write("pile/b", "new")
        self.write("aside/pile/c", "changed")
        out = self.undo("log", code=1)[0]
        self.assertIn("another file stands at", out)
        self.assertIn("has changed since it was moved there", out)
        self.assertEqual((self.folder / "pile/b").read_text(), "new")
        os.unlink(self.folder / "pile/b")
        self.assertIn("1 file restored", self.undo("log", code=1)[0])
        shutil.rmtree(self.folder / "aside")
        self.assertIn("is gone", self.undo("log", code=1)[0])

    def test_the_folder_became_a_link_to_the_other(self):
        """What was moved is home by another way: it is not taken for a copy."""
        os.rename(self.folder / "pile/a", self.folder / "a")
        (self.folder / "pile").rmdir()
        os.symlink("aside/pile", self.folder / "pile")
        for more in ("--dry-run", "--quiet"):
            self.undo(more, "log")
            self.assertEqual(self.names("aside"), ["pile/b", "pile/c"])

    def test_the_kept_one_changed(self):
        self.undo("log")
        self.scan("--delete", "--yes", "--log=deleted", "pile")
        self.write("pile/a", "new")
        self.assertIn("it was deleted, and the kept", self.undo("deleted", code=1)[0])
        self.assertEqual(self.names(), ["a"])


class Model(Act):
    """Random trees, random actions, killed at random; the tree comes back."""
    ROUNDS = 12 * int(os.environ.get("STEMMA_TEST_EFFORT", 100)) // 100 + 1
    ACTIONS = [["--delete"], ["--hardlink"], ["--move=aside"], ["--move=aside", "--near=.8"]]

    def make(self, source):
        pile = self.folder / "pile"
        for i in range(150):
            path = pile / source.choice(["", "x", "x/y", "z"]) / f"{source.choice(['f', 'ü ', '-'])}{i}"
            path.parent.mkdir(parents=True, exist_ok=True)
            kind = source.randrange(25)
            path.write_text(self.text(kind) if source.random() < .8 else self.near(kind))
            path.chmod(source.choice([0o644, 0o644, 0o600]))
            os.utime(path, ns=(10**18, 10**18 + source.randrange(10**12)))
            if source.random() < .05:
                os.link(path, path.with_name(f"{path.name}.link"))
            if source.random() < .05:
                os.symlink(path.name, path.with_name(f"{path.name}.symlink"))

    def check(self, before, targets):
        now = {**self.tree(), **(self.tree("aside") if (self.folder / "aside").exists() else {})}
        contents = {value[0] for value in now.values() if isinstance(value, tuple)}
        for path, value in before.items():
            if isinstance(value, tuple):
                self.assertIn(value[0], contents)
            if path not in targets:
                self.assertEqual(now[path][:3], value[:3])

    def test_killed(self):
        source = random.Random(7)
        for number in range(self.ROUNDS):
            shutil.rmtree(self.folder / "pile", ignore_errors=True)
            self.make(source)
            action, before = source.choice(self.ACTIONS), self.tree()
            targets = {str(self.folder / step["id"]) for step in self.steps("--dry-run", *action, "pile")}
            self.assertGreater(len(targets), 30)
            process = subprocess.Popen([PROGRAM, "scan", *action, "--yes", f"--log={number}", "pile"], cwd=self.folder,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            log = self.folder / str(number)
            while process.poll() is None and not (log.exists() and log.stat().st_size > 200):
                time.sleep(.0005)
            time.sleep(source.random() * .01)
            process.send_signal(source.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))
            said = process.communicate()[1].decode()
            self.assertIn(process.returncode, (0, -signal.SIGKILL, 130))
            self.assertRegex(said, rf"\A(stemma: interrupted after \d+ files; the log is '{number}'\n)?\Z")
            self.check(before, targets)
            self.undo(str(number))
            self.assertEqual(self.tree(), before)


class Mounts(Act):
    def in_mounts(self, *commands):
        """Runs the program where pile/a, and its file x, are mounted once more; `commands` are its arguments."""
        mounts = "mount --bind pile/a pile/b && mount --bind pile/a/x file"
        runs = "; ".join(f"{shlex.quote(PROGRAM)} {command}" for command in commands)
        done = subprocess.run(["unshare", "-rm", "sh", "-c", f"{mounts} || exit 77; {runs}"], cwd=self.folder, capture_output=True,
                              env=dict(os.environ, LC_ALL="C", **self.environment))
        if done.returncode == 77 or b"unshare" in done.stderr:
            self.skipTest("nothing can be mounted")
        return done.stdout.decode()

    @unittest.skipUnless(shutil.which("unshare"), "no unshare")
    def test_one_file_at_two_places(self):
        """A folder that is mounted twice holds no copies, however its files are named."""
        self.copies("a/x", "a/y")
        (self.folder / "pile/b").mkdir()
        (self.folder / "file").touch()
        before = self.tree()
        for action in "--delete", "--hardlink", "--move=aside", "--delete --near=.7", "--delete --keep=newest":
            out = self.in_mounts(*(f"scan {action} --yes {paths}" for paths in ("pile/a/x pile/b/x file", "file pile/b/x", "--hidden pile/b/x pile/a/x")))
            self.assertEqual(re.findall(r"(\d) files? (?:deleted|linked|moved)", out), ["0", "0", "0"], out)
            self.assertEqual(self.tree(), before, action)
        out = self.in_mounts("scan --delete --yes --log=log pile file", "undo log")
        self.assertIn("1 file deleted", out)
        self.assertEqual(self.tree(), before)


class Reflinks(Act):
    def test_where_it_cannot_be(self):
        folder = Path(self.folder_in_memory())
        for name in "ab":
            (folder / name).write_text(self.text(1))
        out = self.scan("--reflink", "--log=log", str(folder))[0]
        if "cannot share blocks" not in out:
            self.skipTest("it can be here")
        self.assertIn("0 files made to share blocks, 0 B freed, 1 skipped\n", out)
        self.assertFalse((self.folder / "log").exists())

    def test_shared(self):
        make = shutil.which("mkfs.btrfs", path=f"{os.environ['PATH']}:/sbin:/usr/sbin")
        if not make or os.getuid():
            self.skipTest("no mkfs.btrfs, or nobody who may mount")
        image, mount = self.folder / "image", self.folder / "pile"
        mount.mkdir()
        with open(image, "wb") as file:
            file.truncate(120 << 20)
        subprocess.run([make, "-q", str(image)], check=True, capture_output=True)
        if subprocess.run(["mount", "-o", "loop", str(image), str(mount)], capture_output=True).returncode:
            self.skipTest("nothing can be mounted")
        self.addCleanup(subprocess.run, ["umount", str(mount)])
        for name in "abc":
            self.write(f"pile/{name}", self.text(1, 200000))
        os.link(mount / "c", mount / "c2")
        os.sync()
        before, used = self.tree(), self.used(mount)
        self.scan("--reflink", "--dry-run", "pile")
        self.assertIn("2 files made to share blocks", self.scan("--reflink", "--log=log", "pile")[0])
        os.sync()
        self.assertEqual(self.tree(), before)
        self.assertLess(self.used(mount), used - 2000000)
        self.assertIn("it shares its blocks with 'pile/a' already", self.scan("--reflink", "--dry-run", "pile")[0])
        self.assertIn("1 file restored, 1.6 MB, 1 skipped", self.undo("log", code=1)[0])
        self.assertEqual(self.tree(), before)

    def used(self, mount):
        subprocess.run(["sync", "-f", str(mount)], check=True)
        stat = os.statvfs(mount)
        return (stat.f_blocks - stat.f_bfree) * stat.f_frsize


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
