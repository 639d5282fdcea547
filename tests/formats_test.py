"""Formats and encodings as a user of the program meets them."""
import json
import os
import subprocess
import sys
import unittest

from program import PROGRAM, Base, words

TEXT = "The café by the river: " + " ".join(words(900))
PAGE = ("<!doctype html><html><head><title>The caf&eacute;</title><script>no no no</script></head><body><p>by the <b>riv</b>er: "
        + " ".join(words(900)) + "</p></body></html>")
MARKDOWN = "# The caf&eacute;\n\nby the **riv**er: " + " ".join(words(900)) + "\n"


class Formats(Base):
    def setUp(self):
        super().setUp()
        self.write("a.txt", TEXT)
        self.write("a.html", PAGE)
        self.write("page", PAGE)
        self.write("a.md", MARKDOWN)
        self.write("wide.txt", TEXT.encode("utf-16"))
        self.write("big-endian.txt", TEXT.encode("utf-16-be"))
        self.write("latin1.txt", TEXT.encode("latin-1"))
        self.write("marked.txt", b"\xef\xbb\xbf" + TEXT.encode())
        self.all = sorted(os.listdir(self.folder))

    def compare(self, *arguments):
        return json.loads(self.good("compare", "--json", *arguments))

    def test_one_text_in_every_format(self):
        text = self.good("text", "a.txt")
        for name in self.all:
            self.assertEqual(self.good("text", name), text, name)
            expected = "identical" if name == "a.txt" else "same-text"
            for how in (["--edit=exact"], ["--edit=none"], ["--edit=estimate"], ["--sketch"]):
                self.assertEqual(self.compare(*how, "a.txt", name)["relation"], expected, (name, how))

    def test_sketches_are_of_the_text(self):
        self.good("sketch", "-q", "-o", "all", *self.all)
        for name in self.all:
            self.assertEqual(self.compare("all#a.txt", "all#" + name)["resemblance"]["value"], 1)
            self.assertEqual(self.compare("all#a.html", name)["resemblance"]["value"], 1)

    def test_bytes_count_where_they_are_asked_for(self):
        self.assertLess(self.compare("--preset=code", "a.txt", "a.html")["resemblance"]["value"], 1)
        self.assertEqual(self.good("text", "--preset=raw", "a.html"), PAGE)
        self.assertEqual(self.good("text", "--preset=code", "a.html"), PAGE)

    def test_the_same_bytes_under_two_names(self):
        self.write("b.txt", "some *marked* text, [here](there) and now")
        self.write("b.md", "some *marked* text, [here](there) and now")
        found = self.compare("b.txt", "b.md")
        self.assertEqual(found["relation"], "identical")
        self.assertEqual(found["offsets"], {"a": "original", "b": "extracted"})

    def test_offsets_say_what_they_are_of(self):
        self.write("b.html", PAGE.replace("<p>by", "<p>beside"))
        extracted = self.good("text", "--extracted", "b.html").encode()
        for found in (self.compare("a.txt", "b.html"), json.loads(self.run_program("diff", "--json", "a.txt", "b.html").stdout)):
            self.assertEqual(found["offsets"], {"a": "original", "b": "extracted"})
            difference = found["differences"][0]
            self.assertEqual(TEXT.encode()[difference["a"]["begin"]:difference["a"]["end"]], b"by")
            self.assertEqual(extracted[difference["b"]["begin"]:difference["b"]["end"]], b"beside")
        self.assertEqual(json.loads(self.good("text", "--json", "a.html"))["offsets"], "extracted")
        self.assertEqual(json.loads(self.good("text", "--json", "a.txt"))["offsets"], "original")

    def test_diff_of_formats(self):
        self.assertIn("the same canonical text", self.good("diff", "a.txt", "a.html"))
        self.assertIn("identical", self.good("diff", "a.html", "page"))
        self.assertIn("marked", self.run_program("diff", "a.txt", self.write("c.html", "<html>marked")).stdout.decode())

    def test_encodings_that_are_asked_for(self):
        plain = self.good("text", "a.txt")
        for encoding, name in (("latin-1", "latin1.txt"), ("utf-16", "wide.txt"), ("utf-16le", "wide.txt"),
                               ("utf-16be", "big-endian.txt"), ("utf-8", "marked.txt"), ("auto", "wide.txt")):
            self.assertEqual(self.good("text", f"--encoding={encoding}", name), plain)
        self.assertNotEqual(self.good("text", "--encoding=latin-1", "a.txt"), plain)
        self.bad("text", "--encoding=ebcdic", "a.txt", says="is not one of")
        self.bad("find", "--encoding=utf-8", "a.txt", "a.txt", says="encoding")
        self.bad("text", "--tokens", "--extracted", "a.txt", says="do not go together")

    def test_pipes(self):
        for name in ("page", "wide.txt", "latin1.txt", "a.txt"):
            content = (self.folder / name).read_bytes()
            self.assertEqual(self.good("text", "-", stdin=content), self.good("text", "a.txt"))
            self.assertEqual(self.compare("-", "a.txt")["relation"] if not content else
                             json.loads(self.good("compare", "--json", "-", "a.txt", stdin=content))["resemblance"]["value"], 1)

    def test_what_is_converted_is_bounded(self):
        self.write("large.html", "<html>" + "word " * 400_000)
        self.write("large.txt", "word and " * 400_000)
        self.bad("sketch", "--json", "--memory=1M", "large.html", says="large.html.*allow more memory")
        self.good("sketch", "--json", "--memory=1M", "--scheme=oph", "-n", "64", "large.txt")

    def test_slow_pipe_gives_the_same(self):
        """The decision does not depend on how the bytes arrive."""
        content = ("x" * 70_000 + " ").encode() + TEXT.encode("latin-1")
        self.write("x", content)
        writer = subprocess.Popen([sys.executable, "-c", "import sys, time\nb = open('x', 'rb').read()\n"
                                   "for i in range(0, len(b), 9000): sys.stdout.buffer.write(b[i:i + 9000]); sys.stdout.flush(); time.sleep(.005)"],
                                  stdout=subprocess.PIPE, cwd=self.folder)
        done = subprocess.run([PROGRAM, "sketch", "--json", "-"], stdin=writer.stdout, capture_output=True, cwd=self.folder, timeout=60)
        writer.stdout.close()
        writer.wait()
        piped, whole = json.loads(done.stdout), json.loads(self.good("sketch", "--json", "x"))
        self.assertEqual(piped["text_digest"], whole["text_digest"])
        self.assertEqual(piped["digest"], whole["digest"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
