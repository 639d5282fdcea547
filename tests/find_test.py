#!/usr/bin/env python3
"""`stemma find` and `compare --blocks` as a user meets them.     find_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]"""
import base64
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import unittest
import zipfile

from program import PROGRAM, SOURCE, Base, prose, rests


class Searching(Base):
    def find(self, *arguments, **how):
        return self.printed("find", *arguments, **how)

    def lines(self, *arguments, **how):
        return [json.loads(line) for line in self.find("--json", *arguments, **how).splitlines()]


class Find(Searching):
    def setUp(self):
        super().setUp()
        self.text = prose(400, 1)
        self.write("target", " ".join(self.text))

    def test_where(self):
        inside = "\r\n".join(self.text[100:150]).upper()
        big = "\n".join(prose(30000, 2)) + "\n" + inside + "\n" + "\n".join(prose(30000, 3))
        self.write("big", big)
        found, summary = self.lines("target", "big")
        place, = found["fragments"]
        self.assertEqual(big.encode()[place["begin"]:place["end"]].decode(), inside)
        self.assertEqual((place["first_line"], place["last_line"]), (30001, 30050))
        target = (self.folder / "target").read_bytes()
        self.assertEqual(target[place["target_begin"]:place["target_end"]].decode().split(), self.text[100:150])
        self.assertEqual((found["id"], found["share"], place["tokens"]), ("big", .125, 50))
        self.assertEqual(summary["summary"], {"files": 1, "found": 1, "unreadable": 0, "bytes": len(big), "fragments": 1})
        text = self.find("target", "big").decode()
        self.assertIn("big: 12 % of the target, 1 fragment\n", text)
        self.assertIn("lines 30001-30050", text)
        self.assertIn("50 words", text)

    def test_pipe_is_like_file(self):
        big = (" ".join(prose(60000, 4)) + " " + " ".join(self.text[5:60]) + " " + " ".join(prose(9000, 5))).encode()
        self.write("big", big)
        from_file, from_pipe = self.lines("target", "big")[0], self.lines("target", "-", stdin=big)[0]
        self.assertEqual(from_pipe.pop("id"), "-")
        from_file.pop("id")
        self.assertEqual(from_file, from_pipe)

    def test_nothing_found(self):
        self.write("other", " ".join(prose(1000, 9)))
        self.assertEqual(self.find("target", "other", code=1), b"")
        self.assertEqual(self.find("--quiet", "target", "other", code=1), b"")
        self.assertEqual(self.find("--quiet", "target", "other", "target"), b"")
        self.write("empty", "")
        self.assertEqual(self.find("target", "empty", code=1), b"")
        self.assertEqual(self.lines("target", "empty", code=1)[0]["summary"]["found"], 0)

    def test_least(self):
        self.write("seven", "x " + " ".join(self.text[10:17]) + " y")
        self.find("target", "seven", code=1)
        self.find("--least=7", "target", "seven")
        self.find("--least=0", "target", "seven", code=2, says=b"not at least 1")

    def test_bytes(self):
        source = random.Random(3)
        target, image = source.randbytes(5000), bytearray(source.randbytes(2000000))
        image[1200000:1203000] = target[1000:4000]
        image[0:100000] = bytes(100000)
        self.write("binary", target + bytes(1000))
        self.write("image", bytes(image))
        found, _ = self.lines("--preset=raw", "--unit=byte", "binary", "image")
        place, = found["fragments"]
        self.assertEqual([place[key] for key in ("begin", "end", "target_begin", "target_end")], [1200000, 1203000, 1000, 4000])

    def test_folders(self):
        piece = " ".join(self.text[50:80])
        for name in ("tree/b/one", "tree/a/two", "tree/c"):
            self.write(name, piece)
        self.write("tree/none", "nothing here")
        os.symlink("..", self.folder / "tree/loop")
        os.symlink("c", self.folder / "tree/link")
        expected = [b"tree/a/two", b"tree/b/one", b"tree/c"]
        for threads in ("1", "4"):
            self.assertEqual(self.find("--list", "--threads", threads, "target", "tree").splitlines(), expected)
        self.assertEqual(self.find("--print0", "target", "tree"), b"".join(name + b"\0" for name in expected))
        self.assertEqual(self.find("-l", "--target=target", "--files-from=-", stdin=b"tree/b\ntree/c\n").split(),
                         [b"tree/b/one", b"tree/c"])
        self.assertEqual(self.find("-l0", "--files-from=-", "target", stdin=b"tree/c\0").split(), [b"tree/c"])
        os.mkfifo(self.folder / "tree/pipe")
        self.assertEqual(self.find("-l", "target", "tree").splitlines(), expected)

    def test_formats(self):
        """Documents of other formats are searched in their text, those inside others one by one."""
        formats = SOURCE / "tests/formats"
        part = self.folder / "part"
        self.write("part", "\n".join((formats / "report.txt").read_text().splitlines()[3:8]))
        names = [f"report.{ending}" for ending in ("docx", "epub", "html", "md", "odt", "rtf")]
        for name in names:
            shutil.copy(formats / name, self.folder)
        with zipfile.ZipFile(self.folder / "all.zip", "w") as archive:
            archive.write(formats / "report.docx", "in/report.docx")
            archive.write(part, "part")
        with gzip.open(self.folder / "part.gz", "wb") as packed:
            packed.write(part.read_bytes())
        self.write("wide", part.read_text().encode("utf-16"))
        *lines, summary = self.lines("part", *names, "all.zip", "part.gz", "wide")
        found = {line["id"]: line for line in lines}
        inside = ["all.zip!/in/report.docx", "all.zip!/part"]
        self.assertEqual(list(found), [*names, *inside, "part.gz", "wide"])
        self.assertEqual({line["share"] for line in lines}, {1})
        self.assertEqual(summary["summary"]["found"], len(lines))
        self.assertEqual(found["all.zip!/part"]["offsets"], "original")
        self.assertEqual(found["report.docx"]["offsets"], "extracted")
        text = self.run_program("text", "--extracted", "report.docx").stdout
        place = found["report.docx"]["fragments"][0]
        self.assertEqual(text[place["begin"]:place["end"]].split()[:3], part.read_bytes().split()[:3])
        self.assertIn(b"fragment (places in its text)\n", self.find("part", "wide"))
        self.assertEqual(self.find("-l", "all.zip!/part", "report.odt"), b"report.odt\n")
        self.assertEqual(self.find("-l", "report.odt", "part"), b"part\n")
        self.find("all.zip", "part", code=2, says=b"name one, such as 'all.zip!/in/report.docx'")
        self.assertEqual(self.find("-l", "--preset=raw", "part", "report.odt", "part.gz", code=1), b"")
        self.assertEqual(self.find("-l", "--no-archives", "part", "all.zip"), b"all.zip\n")

    def test_mail(self):
        """A body is searched in its text; of a mail that is not gone through nothing is left out."""
        piece = " ".join(self.text[50:80])
        head = "From: a@example.org\nTo: b@example.org\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n"
        parts = ("--x\nContent-Type: text/plain\n\nsee there\n"
                 f"--x\nContent-Type: text/plain; name=note.txt\n\n{piece}\n--x--\n")
        whole = f"{head}Content-Type: multipart/mixed; boundary=x\n\n{parts}"
        self.write("att.eml", whole)
        self.assertEqual(self.find("-l", "target", "att.eml"), b"att.eml!/note.txt\n")
        self.assertEqual(self.find("-l", "--no-archives", "target", "att.eml"), b"att.eml\n")
        self.assertEqual(self.find("-l", "target", "-", stdin=whole.encode()), b"-\n")
        coded = base64.b64encode(piece.encode()).decode()
        plain = f"{head}Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{coded}\n"
        self.assertEqual(self.find("-l", "target", "-", stdin=plain.encode()), b"-\n")

    def test_large_wide_text_is_refused(self):
        """UTF-16 that is too large to be converted holds no text that could be found as it is."""
        wide = " ".join(prose(40000, 2) + self.text).encode("utf-16")
        self.write("wide", wide)
        self.find("target", "wide")
        self.find("--memory=1M", "target", "wide", code=2, says=b"wide")

    def test_unpacked(self):
        with zipfile.ZipFile(self.folder / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("long", "long " * 200000)
            archive.writestr("part", " ".join(self.text[50:80]))
        self.assertEqual(self.find("-l", "target", "all.zip"), b"all.zip!/part\n")
        self.assertEqual(self.find("-l", "--unpacked=100K", "target", "all.zip", code=2, says=b"left at"), b"")

    def test_members_are_paths(self):
        with zipfile.ZipFile(self.folder / "all.zip", "w") as archive:
            for name in ("one", "two"):
                archive.writestr(name, " ".join(self.text[50:80]))
        self.assertEqual(self.find("-l", "target", "all.zip!/two"), b"all.zip!/two\n")
        self.find("target", "all.zip!/three", code=2, says=b"there is no 'three'")

    @unittest.skipUnless(shutil.which("pdftotext"), "pdftotext is not installed")
    def test_pdf(self):
        self.write("part", "\n".join((SOURCE / "tests/formats/letter.txt").read_text().splitlines()[3:8]))
        shutil.copy(SOURCE / "tests/formats/letter.pdf", self.folder)
        self.assertEqual(self.find("-l", "part", "letter.pdf"), b"letter.pdf\n")

    def locked(self, name, count, first="zzz " * 20):
        """An archive of so many members that claim to be encrypted, behind one that can be read."""
        (self.folder / name).parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(self.folder / name, "w") as archive:
            archive.writestr("good", first)
            for number in range(count):
                archive.writestr(f"bad{number}", " ".join(self.text))
        image = bytearray((self.folder / name).read_bytes())
        for sign, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            at = image.index(sign) + 1
            while (at := image.find(sign, at) + 1) > 0:
                image[at - 1 + flag] |= 1
        self.write(name, bytes(image))

    def test_unreadable_inside(self):
        """It does not take away what was found; that there is nothing cannot be said."""
        self.locked("tree/all.zip", 1, " ".join(self.text[50:80]))
        self.locked("none.zip", 1)
        good = b"tree/all.zip!/good\n"
        self.assertEqual(self.find("-l", "target", "tree", says=b"tree/all.zip!/bad0"), good)
        self.find("-q", "target", "tree")
        self.find("-l", "target", "none.zip", code=2, says=b"none.zip!/bad0")
        self.assertEqual(self.find("-l", "target", "tree", "gone", code=2, says=b"'gone'"), good)
        self.find("-q", "target", "gone", "tree", says=b"'gone'")

    def test_what_is_found_is_printed_at_once(self):
        """Before what comes behind it in the same file; of many problems in one some are said."""
        self.locked("all.zip", 30, " ".join(self.text[50:80]))
        for threads in ("1", "3"):
            command = [PROGRAM, "find", "-l", "--threads", threads, "target", "all.zip"]
            done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
            lines = done.stdout.splitlines()
            self.assertEqual((len(lines), done.returncode), (22, 0))
            self.assertIn(b"and 10 more in 'all.zip'", lines[-1])
            if threads == "1":
                self.assertEqual(lines[0], b"all.zip!/good")

    def test_much_output_is_in_order(self):
        """More than files may hold back until it is their turn."""
        piece = " ".join(self.text[50:60])
        text = "\n".join(f"{piece} x{number}" for number in range(5000))
        for name in range(6):
            self.write(f"tree/{name}", text if name % 3 else piece)
        with zipfile.ZipFile(self.folder / "tree/4.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name in range(4):
                archive.writestr(str(name), text)
        one = self.find("--json", "--threads=1", "target", "tree")
        self.assertGreater(len(one), 1 << 20)
        self.assertEqual(self.find("--json", "--threads=4", "target", "tree"), one)

    def test_unreadable(self):
        self.write("good", " ".join(self.text[50:80]))
        self.assertEqual(self.find("-l", "target", "gone", "good", code=2, says=b"cannot read 'gone'"), b"good\n")
        self.find("gone", "good", code=2, says=b"cannot read 'gone'")

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_forbidden_folder(self):
        self.write("tree/closed/file", "x")
        os.chmod(self.folder / "tree/closed", 0)
        self.addCleanup(os.chmod, self.folder / "tree/closed", 0o700)
        self.find("target", "tree", code=2, says=b"permission denied")

    def test_wrong_use(self):
        for arguments, says in ((["target"], b"at least one file"), ([], b"at least one file"),
                                (["-0", "target", "x"], b"-0 is for"), (["-", "-"], b"only once"),
                                (["--json", "--list", "target", "x"], b"only one of")):
            self.assertEqual(self.find(*arguments, code=2, says=says), b"")
        self.write("short", "two words")
        self.find("short", "target", code=2, says=b"fewer than the window of 5")
        self.write("empty", "")
        self.find("empty", "target", code=2, says=b"has no text")

    def test_several_targets(self):
        other = prose(300, 77)
        self.write("second", " ".join(other))
        self.write("both", " ".join(self.text[:20] + other[5:25]))
        found, _ = self.lines("--target=target", "--target=second", "both")
        self.assertEqual([(f["target"], f["tokens"]) for f in found["fragments"]], [("target", 20), ("second", 20)])

    def test_names_and_text_are_made_safe(self):
        self.write("evil\x1b[2Jname", "a\x1b]0;x\x07 " + " ".join(self.text[:20]).replace(" ", "\x1b "))
        self.write("hostile", " ".join(self.text[:20]).replace(" ", " \x1b "))
        for name in ("evil\x1b[2Jname", "hostile"):
            self.assertNotIn(b"\x1b", self.find("target", name))

    def test_interruption(self):
        process = subprocess.Popen([PROGRAM, "find", "target", "-"], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        rests(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        process.stdin.close()
        process.stdout.close()

    def test_interruption_while_nobody_reads(self):
        piece = " ".join(self.text[50:60])
        self.write("many", "\n".join(f"{piece} x{number}" for number in range(5000)))
        for threads in ("1", "3"):
            process = subprocess.Popen([PROGRAM, "find", "--json", "--threads", threads, "target", "many", "many"],
                                       cwd=self.folder, stdout=subprocess.PIPE)
            process.stdout.read(1)
            rests(process)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)
            process.stdout.close()


class Excerpts(Searching):
    def test_characters_are_whole(self):
        for before in range(4):
            self.write("chinese", "x" * before + "第一条为了规范合同本法适用于中华人民共和国境内的全部合同")
            shown = self.find("chinese", "chinese").decode().splitlines()[1]
            self.assertRegex(shown, r"  x*第一条为了规范合同本法适用于中华?\.\.\.$")

    def test_the_unit_is_that_of_the_recipe(self):
        self.write("a", " ".join(prose(100, 1)))
        for recipe, unit in (("preset=raw unit=byte window=16", "bytes"), ("unit=char", "characters"),
                             ("unit=line window=1", "lines"), ("unit=word", "words")):
            self.assertRegex(self.find(f"--recipe={recipe}", "a", "a").decode(), rf"\d {unit}  w\d")

    def test_json_says_what_offsets_are(self):
        self.write("a", " ".join(prose(100, 1)))
        self.assertEqual(self.lines("a", "a")[0]["offsets"], "original")
        both = {"a": "original", "b": "original"}
        for command, offsets in ((["diff"], both), (["compare"], both), (["compare", "--blocks=4K"], "original")):
            answer = json.loads(self.run_program(*command, "--json", "a", "a").stdout)
            self.assertEqual(answer["offsets"], offsets)


class Blocks(Searching):
    def test_one_per_cent(self):
        text = prose(700, 1)
        big = " ".join(prose(40000, 2) + text + prose(30000, 3)).encode()
        at = big.index(text[0].encode() + b" " + text[1].encode())
        length = len(" ".join(text))
        self.write("a", " ".join(text))
        self.write("big", big)
        done = self.run_program("compare", "--blocks=4K", "--json", "a", "big")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        answer = json.loads(done.stdout)
        self.assertEqual((answer["share"], answer["covered"], answer["bytes"]), (1, length, len(big)))
        self.assertEqual([block["begin"] for block in answer["blocks"]],
                         list(range(at // 4096 * 4096, at + length, 4096)))
        self.assertEqual(sum(block["covered"] for block in answer["blocks"]), length)
        self.assertAlmostEqual(sum(block["target_share"] for block in answer["blocks"]), 1)
        for block in answer["blocks"]:
            self.assertAlmostEqual(block["block_share"], block["covered"] / (block["end"] - block["begin"]), places=5)
        text = self.run_program("compare", "--blocks=4K", "a", "big").stdout.decode()
        self.assertIn(f"1 of a is in big, in {len(answer['blocks'])} block", text)

    def test_converted(self):
        """A file is divided as its text is, where its bytes hold none."""
        text = " ".join(prose(2000, 1))
        self.write("a", text)
        self.write("wide", text.encode("utf-16"))
        self.write("packed.gz", gzip.compress(text.encode()))
        for name in ("wide", "packed.gz"):
            answer = json.loads(self.run_program("compare", "--blocks=4K", "--json", "a", name).stdout)
            self.assertEqual((answer["share"], answer["bytes"], answer["offsets"]), (1, len(text), "extracted"))
            self.assertIn(b"(of its text)", self.run_program("compare", "--blocks=4K", "a", name).stdout)

    def test_wrong_use(self):
        for arguments in (["--blocks=0", "a", "b"], ["--blocks=4K", "--sketch", "a", "b"], ["--blocks=4X", "a", "b"],
                          ["--blocks=4K", "--edit=exact", "a", "a"], ["--blocks=4K", "-t.5", "a", "a"],
                          ["--blocks=4K", "--contained=.5", "a", "a"], ["--blocks=4K", "--signature", "a", "a"],
                          ["--blocks=4K", "--scheme=mod", "a", "a"]):
            self.write("a", " ".join(prose(100, 1)))
            self.assertEqual(self.run_program("compare", *arguments).returncode, 2)


class OldOffice(Base):
    def test_what_is_not_searched_is_named(self):
        self.write("target.txt", " ".join(prose(80, 1)))
        self.write("pile/old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000))
        done = self.run_program("find", "target.txt", "pile")
        self.assertEqual(done.returncode, 2, done.stderr.decode())
        self.assertIn("cannot read 'pile/old.doc': it is in an old Office format", done.stderr.decode())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
