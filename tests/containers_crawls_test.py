#!/usr/bin/env python3
"""Crawls: the pages in them, however they were coded on their way.

    containers_crawls_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import base64
import gzip
import sys
import unittest
import zlib

from containing import Containers, brotli, chunked, page, record, response, text
from formats import corpus


class Crawls(Containers):
    def test_records(self):
        content = page(text(1))
        records = [record("", b"software: x\r\n", "warcinfo", "application/warc-fields"),
                   record("http://a.example/plain", response(content, "Content-Type: text/html")),
                   record("<http://a.example/chunked>", response(chunked(content), "Transfer-Encoding: chunked")),
                   record("http://a.example/packed", response(gzip.compress(content), "content-encoding: GZIP")),
                   record("http://a.example/both", response(chunked(gzip.compress(content)), "Content-Encoding: gzip",
                                                           "Transfer-Encoding: chunked")),
                   record("http://a.example/unpacked", response(content, "Content-Encoding: gzip")),
                   record("http://a.example/gone", response(content, status="404 Not Found")),
                   record("http://a.example/plain", b"GET / HTTP/1.1\r\n\r\n", "request", "application/http; msgtype=request"),
                   record("dns:a.example", b"1.2.3.4", "response", "text/dns"),
                   record("file:///notes.md", ("# " + text(1)).encode(), "resource", "text/markdown"),
                   record("http://a.example/text", text(1).encode(), "conversion", "text/plain")]
        self.write("pile/a.txt", text(1))
        self.write("pile/crawl.warc", b"".join(records))
        self.write("pile/crawl.warc.gz", b"".join(map(gzip.compress, records)))
        expected = {"http://a.example/plain": "same-text", "http://a.example/chunked": "same-text",
                    "http://a.example/packed": "same-text", "http://a.example/both": "same-text",
                    "http://a.example/unpacked": "same-text", "file:///notes.md": "same-text",
                    "http://a.example/text": "identical"}
        groups, summary, _ = self.scan("pile")
        self.assertEqual(groups, {"pile/a.txt": {f"pile/crawl.warc{gz}!/{uri}": relation for gz in ("", ".gz")
                                                 for uri, relation in expected.items()}})
        self.assertEqual((summary["containers"], summary["contained"]), (2, 14))

    def test_deflated(self):
        """Inside zlib's frame, as the standard has it, or bare, as some servers do; or not at all."""
        content = page(text(1))
        bare = zlib.compressobj(wbits=-15)
        for number, body in enumerate((zlib.compress(content), zlib.compress(content, 0), bare.compress(content) + bare.flush(),
                                       gzip.compress(content), content, b"")):
            self.write("c.warc", record("u", response(body, "Content-Encoding: deflate")))
            self.assertEqual(self.extracted("c.warc!/u").split(), text(1).split() if body else [], number)
        self.write("c.warc", record("u", response(zlib.compress(content)[:-500], "Content-Encoding: deflate")))
        self.bad("text", "c.warc!/u", says="cannot unpack 'c.warc!/u'")
        self.write("c.warc", record("u", response(bytes((7, 0, 1, 2, 130)) * 100, "Content-Encoding: deflate")))
        self.bad("text", "c.warc!/u", says="cannot unpack 'c.warc!/u'")

    def test_brotli(self):
        content = page(text(1))
        whole = brotli(content)
        for body in (whole, content, b""):
            self.write("c.warc", record("u", response(body, "Content-Encoding: br")))
            self.assertEqual(self.extracted("c.warc!/u").split(), text(1).split() if body else [])
        noise = bytes(range(256)) * 20
        for body, cause in ((brotli(noise)[:-50], "it ends too early"), (b"\xff\xff" + noise, "damaged data")):
            self.write("c.warc", record("u", response(body, "Content-Encoding: br")))
            self.bad("text", "c.warc!/u", says=f"cannot unpack 'c.warc!/u': {cause}")

    def test_codings_one_upon_the_other(self):
        content = page(text(1))
        zipped_first, brotli_first = brotli(gzip.compress(content)), gzip.compress(brotli(content))
        for body, *fields in ((zipped_first, "Content-Encoding: gzip, br"), (zipped_first, "Content-Encoding: x-gzip", "Content-Encoding: BR"),
                              (brotli_first, "Content-Encoding: br,gzip"), (brotli_first, "Content-Encoding: identity, br ,  gzip,"),
                              (corpus.zstd(content), "Content-Encoding: zstd"), (content, "Content-Encoding: gzip, br"), (zlib.compress(zlib.compress(content)), "Content-Encoding: deflate, deflate")):
            self.write("c.warc", record("u", response(body, *fields)))
            self.assertEqual(self.extracted("c.warc!/u").split(), text(1).split(), fields)
        for codings, cause in (("gzip, compress", "is coded as 'compress', which is not known"), ("compress, gzip", "is coded as 'compress'"),
                               ("gzip," * 5, "has more than 4 codings")):
            for field in "Content-Encoding", "Transfer-Encoding":
                self.write("c.warc", record("u", response(gzip.compress(content), f"{field}: {codings}")))
                self.bad("text", "c.warc!/u", says=cause)

    def test_codings_of_the_transfer(self):
        """They lie upon those of the content, whichever field comes first; writers may have taken them off."""
        content = page(text(1))
        packed, zipped_first = gzip.compress(content), gzip.compress(zlib.compress(content))
        for body, *fields in ((chunked(packed), "Transfer-Encoding: gzip, chunked"), (packed, "Transfer-Encoding: gzip,chunked"),
                              (content, "Transfer-Encoding: gzip, chunked"), (packed, "Transfer-Encoding: x-gzip"), (content, "Transfer-Encoding: identity"),
                              (chunked(zipped_first), "Transfer-Encoding: gzip", "Content-Encoding: deflate", "Transfer-Encoding: Chunked")):
            self.write("c.warc", record("u", response(body, *fields)))
            self.assertEqual(self.extracted("c.warc!/u").split(), text(1).split(), fields)

    def test_charsets_that_only_the_header_names(self):
        said = "Съешь ещё этих мягких французских булок"
        for type, body, expected in (("text/html; charset=KOI8-R", page(said).replace(said.encode(), said.encode("koi8-r")), said),
                                     ('text/plain;charset="cp1251"', said.encode("cp1251"), said),
                                     ("text/plain; charset=koi8-r", said.encode(), said),  # the bytes show what they are
                                     ("text/plain; charset=iso-2022-jp", "いろは".encode("iso-2022-jp"), "いろは"),
                                     ("text/plain; charset=none", b"caf\xe9", "café"),
                                     ("image/png; charset=koi8-r", b"caf\xe9", "café")):
            self.write("c.warc", record("u", response(gzip.compress(body), f"Content-Type: {type}", "Content-Encoding: gzip"))
                       + record("v", body, "resource", type))
            attached = (f"From: a\nDate: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: {type}\n"
                        f"Content-Disposition: attachment; filename=x\nContent-Transfer-Encoding: base64\n\n").encode()
            self.write("m.eml", attached + base64.encodebytes(body) + b"--b--\n")
            for name in ("c.warc!/u", "c.warc!/v", "m.eml!/x"):
                self.assertEqual(self.extracted(name).strip(), expected, (name, type))

    def test_what_is_broken(self):
        good = record("http://a.example/1", response(page(text(1))))
        self.write("pile/a.txt", text(1))
        for name, tail, cause in (("cut", good[:-300], "ends within a record"), ("not", b"WARC/1.0\r\nWARC-Type: response\r\n\r\n", "does not begin as one"),
                                  ("junk", b"x" * 100000, "does not begin as one"),
                                  ("odd", record("u", response(b"xyz", "Content-Encoding: odd")), "is coded as 'odd', which is not known"),
                                  ("http", record("u", b"not http"), "is no HTTP response")):
            self.write("pile/c.warc", good + tail)
            groups, _, problems = self.scan("pile", says=cause)
            self.assertEqual(groups, {"pile/a.txt": {"pile/c.warc!/http://a.example/1": "same-text"}}, name)
            self.assertEqual(len(problems), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
