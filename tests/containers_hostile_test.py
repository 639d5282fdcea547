#!/usr/bin/env python3
"""Archives that are damaged, lie or mean harm: names, depth, size, any bytes.

    containers_hostile_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import bz2
import gzip
import io
import lzma
import os
import random
import re
import sys
import tarfile
import unittest
import zipfile

import quines
from containing import Containers, chunked, mail, mailbox, page, record, response, tarred, text, zipped
from program import SANITIZED


class Hostile(Containers):
    def test_names_do_no_harm(self):
        """A name in an archive is a name: nothing is written, nothing else is read."""
        names = ["../../up.txt", "/etc/passwd", "a/../../b.txt", "x\ny.txt", "-rf", " "]
        self.write("pile/a.zip", zipped(*((name, text(1)) for name in names)))
        before = sorted(os.walk(self.folder))
        groups, summary, _ = self.scan("pile")
        self.assertEqual(sorted(os.walk(self.folder)), before)
        (kept, members), = groups.items()
        self.assertEqual(sorted([kept, *members]), sorted({"pile/a.zip!/" + name for name in names}))
        self.assertEqual(summary["contained"], len(names))
        self.assertNotIn("root:", self.good("text", "pile/a.zip!//etc/passwd"))

    def test_what_is_no_file_inside(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
                info = tarfile.TarInfo(f"odd{kind.decode()}")
                info.type, info.linkname = kind, "/etc/passwd"
                archive.addfile(info)
        self.write("pile/a.tar", out.getvalue())
        self.assertEqual(self.scan("pile")[1]["contained"], 0)

    def test_names_in_any_encoding(self):
        archive = zipped(("Ärger/日本.txt", text(1)))
        self.write("pile/a.zip", archive)
        self.write("pile/b.tar", tarred(("Ärger/日本.txt", text(1))))
        raw = zipped(("xxxx.txt", text(1))).replace(b"xxxx.txt", b"\xe4\xff\xfe\x81.txt")
        self.write("pile/c.zip", raw)
        for locale in ("C", "C.UTF-8"):
            groups, _, problems = self.scan("pile", locale=locale)
            self.assertEqual(problems, {})
            (kept, members), = groups.items()
            self.assertLessEqual({"pile/a.zip!/Ärger/日本.txt", "pile/b.tar!/Ärger/日本.txt"}, {kept, *members})

    def test_damage_is_told_and_the_rest_is_read(self):
        self.write("pile/a.txt", text(1))
        whole = zipped(("a.txt", text(1)), ("b.txt", text(2)), method=zipfile.ZIP_STORED)
        broken = bytearray(whole)
        broken[whole.index(text(2).encode()) + 10] ^= 1
        self.write("pile/crc.zip", bytes(broken))
        self.write("pile/cut.tar", tarred(("a.txt", text(1)), ("b.txt", text(2)))[:5000])
        self.write("pile/cut.tgz", gzip.compress(tarred(("a.txt", text(1)), ("b.txt", text(2, 100000))))[:-5000])
        self.write("pile/cut.gz", gzip.compress(text(1).encode())[:-200])
        self.write("pile/bad.7z", b"7z\xbc\xaf\x27\x1c" + b"\xff" * 100)
        groups, _, problems = self.scan("pile", says="cannot unpack")
        self.assertEqual(groups, {"pile/a.txt": {**{f"pile/{name}!/a.txt": "identical" for name in ("crc.zip", "cut.tar", "cut.tgz")},
                                                 "pile/cut.gz": "near-duplicate"}})
        self.assertEqual(set(problems), {"pile/crc.zip!/b.txt", "pile/cut.tar!/b.txt", "pile/cut.tgz!/b.txt", "pile/cut.gz",
                                         "pile/bad.7z"})
        for name, cause in problems.items():
            self.assertIn(name.split("!/")[0], cause)
            self.assertNotIn("\n", cause)

    def test_sums_of_gzip(self):
        """What is unpacked is all there, and not what was packed: no text of a document, a problem of an archive."""
        self.write("pile/a.txt", text(1))
        for name, content in {"a.gz": text(1).encode(), "a.tgz": tarred(("a.txt", text(1)), ("b.txt", text(2)))}.items():
            packed = bytearray(gzip.compress(content))
            packed[-6] ^= 1
            self.write(f"pile/{name}", bytes(packed))
        groups, _, problems = self.scan("pile", says="incorrect data check")
        self.assertEqual(groups, {"pile/a.txt": {"pile/a.tgz!/a.txt": "identical"}})
        self.assertEqual(set(problems), {"pile/a.gz", "pile/a.tgz"})
        self.bad("text", "pile/a.gz", says="cannot read 'pile/a.gz': it cannot be unpacked: incorrect data check")

    def test_encrypted_members(self):
        archive = bytearray(zipped(("a.txt", text(1)), ("b.txt", text(2))))
        for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):  # the first member's flags, in both places
            archive[archive.index(signature) + flags] |= 1
        self.write("pile/a.zip", bytes(archive))
        self.write("pile/b.txt", text(2))
        groups, _, problems = self.scan("pile", says="'pile/a.zip!/a.txt' is encrypted")
        self.assertEqual(groups, {"pile/b.txt": {"pile/a.zip!/b.txt": "identical"}})

    def test_depth(self):
        deep = zipped(("a.txt", text(1)))
        for i in range(1000):
            deep = zipped(("a.zip", deep), method=zipfile.ZIP_STORED)
        self.write("pile/deep.zip", deep)
        packed = text(1).encode()
        for i in range(1000):
            packed = gzip.compress(packed, 0)
        self.write("pile/deep.gz", packed)
        self.write("pile/b.txt", text(2))
        _, summary, problems = self.scan("pile", says="is nested deeper than 16")
        self.assertEqual(len(problems), 2)
        self.assertIn("it is compressed more than 16 times", problems["pile/deep.gz"])

    def test_what_holds_itself(self):
        name = "quine/inside/the/quine/r/r.zip"
        in_zip, in_gzip = quines.quine(quines.zip_file), quines.quine(quines.gzip_file)
        self.assertEqual((zipfile.ZipFile(io.BytesIO(in_zip)).read(name), gzip.decompress(in_gzip)), (in_zip, in_gzip))
        self.write("pile/q.zip", in_zip)
        self.write("pile/q.gz", in_gzip)
        self.write("pile/q.zip.gz", gzip.compress(in_zip))
        self.write("pile/a.txt", text(1))
        self.write("pile/b.txt", text(1))
        groups, summary, problems = self.scan("pile", says="is nested deeper than 16|compressed more than 16 times")
        self.assertEqual(groups["pile/a.txt"], {"pile/b.txt": "identical"})
        self.assertEqual(summary["contained"], 16 + 15)
        self.assertEqual({re.sub("!/.*", "", name) for name in problems}, {"pile/q.zip", "pile/q.gz", "pile/q.zip.gz"})
        self.bad("text", "pile/q.gz", says="cannot read 'pile/q.gz'")
        self.bad("text", "pile/q.zip", says="is nested deeper than 16")
        self.bad("diff", "pile/q.zip", "pile/q.zip", says=f"such as 'pile/q.zip!/{name}'")

    def test_bombs(self):
        """They end at the limit: one line, little memory, and the rest is read."""
        layer = zipped(*((f"{i}.zip", zipped(("zeros", bytes(8 << 20)))) for i in range(8)))
        self.write("pile/bomb.zip", zipped(*((f"{i}.zip", layer) for i in range(16))))
        self.write("pile/members.tar.xz", lzma.compress(tarred(("a", ""))[:512] * 20000))
        self.write("pile/plain.gz", gzip.compress(b"a b " * (16 << 20)))
        self.write("pile/a.txt", text(1))
        self.write("pile/b.zip", zipped(("a.txt", text(1))))
        groups, _, problems = self.scan("--memory=512M", "--threads=2", "pile", says="unpacks to more than")
        self.assertEqual([re.sub("!/.*", "", name) for name in problems], ["pile/bomb.zip", "pile/members.tar.xz", "pile/plain.gz"])
        self.assertEqual(groups["pile/a.txt"], {"pile/b.zip!/a.txt": "identical"})

    def test_the_limit_is_an_option(self):
        self.write("pile/a.zip", zipped(("a.txt", text(1, 3000)), ("b.txt", text(2, 3000))))
        self.assertEqual(self.scan("--unpacked=1M", "pile")[1]["contained"], 2)
        groups, summary, problems = self.scan("--unpacked=32K", "pile", says="'pile/a.zip' unpacks to more than 32768 bytes")
        self.assertEqual((summary["contained"], list(problems)), (1, ["pile/a.zip!/b.txt"]))

    def test_the_limit_holds_for_one_document(self):
        """Layers count together: the middle one of a small file may be the large one."""
        self.write("pile/a.gz", gzip.compress(text(1, 3000).encode()))
        self.write("pile/b.gz.gz", gzip.compress(gzip.compress(bytes(80 << 20))))
        self.write("pile/c.bz2.bz2", bz2.compress(bz2.compress(bytes(80 << 20))))
        _, _, problems = self.scan("pile", says="unpacks to more than 67108864 bytes")
        self.assertEqual(list(problems), ["pile/b.gz.gz", "pile/c.bz2.bz2"])
        _, _, problems = self.scan("--unpacked=8K", "pile/a.gz", code=2, says="it unpacks to more than 8192 bytes")
        self.assertEqual(list(problems), ["pile/a.gz"])

    def test_a_member_may_be_too_large_to_be_held(self):
        big = text(1, 400000)
        self.write("pile/a.tar", tarred(("big.txt", big), ("a.txt", text(2))))
        self.write("pile/c.tar.gz", gzip.compress(tarred(("in.tar", tarred(("a.txt", text(2)), ("pad.txt", big))))))
        self.write("pile/b.txt", text(2))
        groups, _, problems = self.scan("--memory=8M", "pile", says=r"has to be held in memory, and is too large for that: \d+ bytes may be")
        self.assertEqual(groups, {"pile/b.txt": {"pile/a.tar!/a.txt": "identical", "pile/c.tar.gz!/in.tar!/a.txt": "identical"}})
        self.assertEqual(set(problems), {"pile/a.tar!/big.txt", "pile/c.tar.gz!/in.tar!/pad.txt"})

    def test_any_bytes(self):
        """Archives with a few bytes changed or missing: whatever they are then, the scan ends well."""
        source = random.Random(5)
        whole = [zipped(("a.txt", text(1)), ("b/c.gz", gzip.compress(text(2).encode()))), tarred(("a.txt", text(1)), ("b.txt", text(2))),
                 gzip.compress(tarred(("a.txt", text(1)))), mailbox(mail(text(1), ("a.zip", zipped(("x", text(2)))))),
                 record("http://a.example", response(chunked(gzip.compress(page(text(1)))), "Transfer-Encoding: chunked"))]
        for i in range(20 if SANITIZED else 200):
            content = bytearray(source.choice(whole))
            for _ in range(source.randrange(1, 6)):
                content[source.randrange(len(content))] = source.randrange(256)
            if source.randrange(3) == 0:
                del content[source.randrange(len(content)):]
            self.write(f"pile/{i}", bytes(content))
        self.scan("pile", says=".*")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
