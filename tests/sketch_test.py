#!/usr/bin/env python3
"""`stemma sketch` and `stemma show` as a user meets them.     sketch_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]"""
import base64
import json
import os
import random
import re
import signal
import subprocess
import sys
import unittest

from program import PROGRAM, Base, limit_file_size, rests, words


class Sketch(Base):
    def setUp(self):
        super().setUp()
        self.two_documents()

    def test_beside(self):
        self.assertEqual(self.good("sketch", "a", "b"), "a.sketch\nb.sketch\n")
        self.assertEqual(self.listing(), ["a", "a.sketch", "b", "b.sketch"])

    def test_never_overwrites_without_force(self):
        before = self.write("a.sketch", "precious")
        done = self.run_program("sketch", "a", "b")
        self.assertEqual((done.returncode, done.stdout), (2, b"b.sketch\n"))
        self.assertIn(b"exists; use --force", done.stderr)
        self.assertEqual((self.folder / before).read_text(), "precious")
        self.good("sketch", "--force", "a")
        self.bad("sketch", "-o", "a", "b", says="exists; use --force")

    def test_directory_and_names(self):
        (self.folder / "out").mkdir()
        (self.folder / "in").mkdir()
        self.write("in/c", "one two three four five six")
        shown = self.run_program("sketch", "--print0", "-d", "out", "a", "in/c").stdout
        self.assertEqual(shown, b"out/a.sketch\0out/c.sketch\0")
        self.assertEqual(self.good("sketch", "--quiet", "-d", "out", "b"), "")
        message = self.bad("sketch", "-d", "nowhere", "a", "b", says="the directory 'nowhere': no such file or directory")
        self.assertEqual(message.count("\n"), 1)
        self.bad("sketch", "-d", "a", "b", says="'a': it is not a directory")

    def recipe_with(self, *options):
        return json.loads(self.good("sketch", "--json", *options, "a"))["recipe"].split("; ", 1)[1]

    def test_signatures(self):
        usual = "oph n=2048 bits=1; mod n=32"
        self.assertEqual(self.recipe_with("--signature"), usual + "; signature n=8 c=64 alphabet=65536 positions=no")
        self.assertEqual(self.recipe_with("--positions", "--rate=32", "--signature", "--alphabet", "256", "--scheme=mod"),
                         "mod n=32; signature n=8 c=32 alphabet=256 positions=yes")
        self.assertEqual(self.recipe_with("--scheme=signature", "-n6", "--rate=10", "--positions", "--scheme=mod"),
                         "signature n=6 c=10 alphabet=65536 positions=yes; mod n=32")
        self.assertEqual(self.recipe_with("--scheme=signature2011", "-n3", "--rate=7"), "signature2011 n=3 c=7 k=0")
        self.assertEqual(self.recipe_with("--signature", "--recipe=window=3"),
                         usual + "; signature n=8 c=64 alphabet=65536 positions=no")
        self.bad("sketch", "--rate=3", "a", says="need --signature, or a --scheme=signature before them")
        self.bad("sketch", "--scheme=mod", "--positions", "a", says="need --signature")
        self.bad("sketch", "--signature", "--rate=0", "a", says="signature c=0 is not a number from 1 to 1048576")
        self.bad("sketch", "--signature", "--alphabet=1", "a", says="signature alphabet=1")
        self.bad("sketch", "--scheme=signature2011", "--positions", "a", says="signature2011 takes no positions")
        self.bad("sketch", "--signature", "--recipe=; signature", "a", says="the same signature is asked for twice")

    def test_json_of_signatures(self):
        part = json.loads(self.good("sketch", "--json", "--signature", "--rate=16", "--positions", "a"))["parts"][2]
        self.assertEqual((part["scheme"], part["n"], part["c"], part["alphabet"]), ("signature", 8, 16, 65536))
        self.assertEqual((len(part["symbols"]), len(part["positions"])), (part["symbol_count"],) * 2)
        self.assertGreater(part["symbol_count"], 100)
        self.assertEqual(part["positions"], sorted(part["positions"]))
        self.assertTrue(0 < part["agree"] < 1 and max(part["positions"]) < (self.folder / "a").stat().st_size)

    def test_signatures_compare(self):
        self.good("sketch", "-q", "--scheme=signature", "-o", "fine", "a")
        self.good("sketch", "-q", "--scheme=signature", "--rate=256", "-o", "coarse", "b")
        self.good("sketch", "-q", "--scheme=signature", "--rate=100", "-o", "other", "b")
        self.assertRegex(self.good("compare", "fine", "coarse"), "\\Aunknown ")
        self.bad("compare", "fine", "other", says="signature c is 64 in one and 100 in the other")

    def test_bundle(self):
        self.assertEqual(self.good("sketch", "-o", "all", "a", "b"), "all\n")
        self.bad("compare", "all", "a", says=r"holds 2 sketches; name one as 'all#DOCUMENT'")
        self.assertIn("identical", self.good("compare", "all#a", "a"))
        self.assertIn("near-duplicate", self.good("compare", "all#a", "all#b"))
        self.bad("compare", "all#c", "a", says="no sketch of 'c'; it has 'a', 'b'$")
        for name in "defg":
            self.write(name, "some words")
        self.good("sketch", "-o", "six", "a", "b", "d", "e", "f", "g")
        self.bad("compare", "six#c", "a", says="it has 'a', 'b', 'd', 'e' and 2 more$")

    def test_named_twice_is_sketched_once(self):
        self.assertEqual(self.good("sketch", "--files-from=-", "a", "b", "a", stdin=b"b\na\n"), "a.sketch\nb.sketch\n")
        self.good("sketch", "-o", "all", "a", "b", "a")
        self.assertIn("identical", self.good("compare", "all#a", "a"))

    def test_the_same_on_every_thread_count(self):
        for name in ("one", "four"):
            threads = {"one": "1", "four": "4"}[name]
            self.good("sketch", "--threads", threads, "-o", name, *["a", "b"] * 20)
        self.assertEqual((self.folder / "one").read_bytes(), (self.folder / "four").read_bytes())

    def test_one_failure_does_not_stop_the_rest(self):
        done = self.run_program("sketch", "-o", "all", "a", "missing", "/", "b")
        self.assertEqual((done.returncode, done.stdout), (2, b"all\n"))
        self.assertEqual(len(done.stderr.splitlines()), 2)
        self.bad("sketch", "-o", "none", "missing", says="'missing'(.|\n)+nothing was written to 'none': there is no sketch")
        self.assertEqual(self.listing(), ["a", "all", "b"])

    def test_files_from(self):
        self.assertEqual(self.good("sketch", "--files-from=-", stdin=b"a\n\nb"), "a.sketch\nb.sketch\n")
        self.assertEqual(self.good("sketch", "--force", "-0", "--files-from=-", "a", stdin=b"b\0"),
                         "a.sketch\nb.sketch\n")

    def test_no_documents(self):
        for output in (["-o", "x"], ["--json"], []):
            self.bad("sketch", "--files-from=-", *output, says="no documents were given")
        self.assertEqual(self.listing(), ["a", "b"])

    def test_two_documents_of_one_name(self):
        for place in ("one", "two", "out"):
            (self.folder / place).mkdir()
        for number, name in enumerate(["one/x", "two/x", "two/y"]):
            self.write(name, " ".join(words(100, seed=number)))
        for options in (["--force"], [], ["--force", "--threads=1"]):
            done = self.run_program("sketch", *options, "-d", "out", "one/x", "two/x", "two/y")
            self.assertEqual((done.returncode, done.stdout), (2, b"out/x.sketch\nout/y.sketch\n"))
            self.assertRegex(done.stderr, b"of 'two/x': 'out/x.sketch' is that of 'one/x'")
            self.assertIn("identical", self.good("compare", "out/x.sketch", "one/x"))
            for name in ("x", "y"):
                (self.folder / f"out/{name}.sketch").unlink()

    def test_a_document_lost_to_the_machine_is_left_out(self):
        """Reading /proc/self/mem at its beginning is an input/output error."""
        done = self.run_program("sketch", "-o", "all", "a", "/proc/self/mem", "b")
        self.assertEqual((done.returncode, done.stdout), (3, b"all\n"))
        self.assertIn(b"/proc/self/mem", done.stderr)
        self.good("compare", "all#a", "all#b")

    def test_a_bundle_that_cannot_be_written(self):
        """Ends at once: what comes later in the list is not even looked at."""
        done = subprocess.run([PROGRAM, "sketch", "--threads=1", "-o", "all", "a", "b", "missing"], cwd=self.folder,
                              capture_output=True, preexec_fn=limit_file_size)
        self.assertEqual((done.returncode, done.stdout), (3, b""))
        self.assertRegex(done.stderr.decode(), r"\Astemma: cannot write 'all': .+\nstemma: nothing was written to 'all'\n\Z")
        self.assertEqual(self.listing(), ["a", "b"])

    def test_sketch_of_a_sketch(self):
        self.good("sketch", "a")
        self.bad("sketch", "a.sketch", says="is a sketch, not a document")
        self.bad("text", "a.sketch", says="cannot show the text of 'a.sketch': it is a sketch, not a document")

    def test_standard_input(self):
        self.bad("sketch", "-", says="needs -o FILE or --json")
        content = (self.folder / "a").read_bytes()
        self.good("sketch", "-o", "s", "-", stdin=content)
        self.assertIn("identical", self.good("compare", "s", "a"))

    def test_json(self):
        found = json.loads(self.good("sketch", "--json", "--scheme=mod", "-n", "8", "--scheme=oph", "-n", "64", "--bits=2",
                                     "--scheme=simhash", "--bits=128", "a"))
        self.assertEqual(set(found), {"id", "bytes", "tokens", "shingles", "digest", "text_digest", "recipe", "parts"})
        self.assertEqual((found["id"], found["tokens"], found["shingles"]), ("a", 4000, 3996))
        self.assertEqual(found["bytes"], (self.folder / "a").stat().st_size)
        self.assertRegex(found["digest"], r"\A[0-9a-f]{64}\Z")
        mod, oph, simhash = found["parts"]
        self.assertTrue(all(int(value) % 8 == 0 for value in mod["values"]) and mod["values"])
        self.assertEqual((oph["scheme"], oph["bit_count"], len(base64.b64decode(oph["bits"]))), ("oph", 128, 16))
        self.assertEqual(len(base64.b64decode(simhash["bits"])), 16)
        self.assertEqual(self.listing(), ["a", "b"])

    def parts(self, name, *schemes):
        recipe = "; ".join(["window=5", *schemes])
        return json.loads(self.good("sketch", "--json", f"--recipe={recipe}", name))["parts"]

    def test_json_parts_can_be_used_elsewhere(self):
        self.write("tiny", "one two three four five six seven")
        keys = {"mod n=8": {"n", "values"}, "min n=9": {"n", "complete", "values"},
                "minmod n=9 mod=2": {"n", "mod", "complete", "values"}, "level": {"level", "values"},
                "minhash n=16 bits=64": {"n", "bits_per_value", "distinct", "values"},
                "oph n=16 bits=2": {"n", "bits_per_value", "filled", "distinct", "bit_count", "bits"},
                "bsw n=20": {"n", "values"}, "simhash bits=64": {"bit_count", "bits"}}
        for part, (spec, expected) in zip(self.parts("a", *keys), keys.items()):
            self.assertEqual(set(part) - {"scheme", "smallest"}, expected, spec)
            self.assertEqual(part["scheme"], spec.split()[0])
        low, minima, oph = self.parts("tiny", "mod n=1000", "min n=9", "oph n=16 bits=2")
        self.assertEqual((minima["complete"], len(minima["values"])), (True, 3))
        self.assertEqual((low["n"], low["smallest"]), (1000, minima["values"]))
        self.assertTrue(oph["filled"] <= 3 and oph["bits_per_value"] == 2)
        self.write("empty", "")
        oph, = self.parts("empty", "oph n=16 bits=2")
        self.assertEqual((oph["filled"], oph["bit_count"], oph["distinct"]), (0, 32, 0))

    def test_sketch_against_document(self):
        self.good("sketch", "--window=3", "--scheme=mod", "-n", "2", "a")
        found = json.loads(self.good("compare", "--json", "a.sketch", "b"))
        self.assertIn("window=3", found["recipe"])
        self.assertEqual(found["relation"], "near-duplicate")
        self.assertEqual(json.loads(self.good("compare", "--json", "b", "a.sketch"))["relation"], "near-duplicate")
        self.good("compare", "--window=3", "a.sketch", "b")
        self.good("compare", "--window=3", "--scheme=mod", "-n", "2", "a.sketch", "b")
        self.bad("compare", "--window=4", "a.sketch", "b", says="made with window=3, but window=4 was asked for")
        self.bad("compare", "--scheme=min", "-n", "9", "a.sketch", "b", says="keeps 'mod n=2', but 'min n=9'")
        self.bad("compare", "--recipe=unit=char", "a.sketch", "b", says="unit=word, but unit=char")

    def test_known_by_content(self):
        self.good("sketch", "a")
        (self.folder / "a.sketch").rename(self.folder / "plain.txt")
        self.assertIn("identical", self.good("compare", "plain.txt", "a"))
        self.write("text.sketch", (self.folder / "a").read_bytes())
        warning = b"stemma: 'text.sketch' does not look like a sketch; it is read as text\n"
        done = self.run_program("compare", "text.sketch", "a")
        self.assertEqual((done.returncode, done.stdout[:9], done.stderr), (0, b"identical", warning))
        done = self.run_program("compare", "--threads=3", "--pairs-from=-", stdin=b"a\ttext.sketch\n" * 100)
        self.assertEqual((done.returncode, done.stderr), (0, warning))

    def test_sketches_of_other_recipes(self):
        self.good("sketch", "--window=3", "a")
        self.good("sketch", "--window=7", "b")
        self.bad("compare", "a.sketch", "b.sketch", says="cannot compare 'a.sketch' with 'b.sketch': .*window")

    def test_keys(self):
        self.write("key", os.urandom(32))
        self.write("other", os.urandom(32))
        self.write("short", b"123")
        self.good("sketch", "--key=key", "a", "b")
        self.assertIn("keyid=", self.good("compare", "a.sketch", "b.sketch"))
        self.bad("compare", "a.sketch", "b", says="it is keyed, and --key was not given")
        self.assertIn("near-duplicate", self.good("compare", "--key=key", "a.sketch", "b"))
        self.bad("compare", "--key=other", "a.sketch", "b", says="'a.sketch': it was made with another key")
        self.good("sketch", "-q", "-o", "open", "a")
        self.bad("compare", "--key=other", "open", "b", says="'open': it is not keyed, but --key was given")
        self.bad("sketch", "--key=short", "a", says="16")
        self.bad("sketch", "--key=nowhere", "a", says="cannot read key 'nowhere': no such file")

    def test_damaged(self):
        self.good("sketch", "-o", "s", "a")
        whole = (self.folder / "s").read_bytes()
        source = random.Random(5)
        for cut in sorted(source.sample(range(16, len(whole)), 20)) + [len(whole) - 1]:
            self.write("cut", whole[:cut])
            self.bad("compare", "cut", "a", says="cut")
        for place in [*range(8, 40), *source.sample(range(len(whole)), 40)]:
            flipped = bytearray(whole)
            flipped[place] ^= 1 << source.randrange(8)
            self.write("flipped", bytes(flipped))
            done = self.run_program("compare", "flipped", "s")
            if done.returncode == 0:  # its mark is gone: then it is a document, and not like a
                self.assertNotIn(b"identical", done.stdout, place)
            else:
                self.assertEqual(done.returncode, 2)
                self.assertIn(b"flipped", done.stderr)

    def test_nothing_left_behind(self):
        with subprocess.Popen([PROGRAM, "sketch", "-o", "all", "a", "-"], cwd=self.folder, stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE) as program:
            program.stdin.write(b"some words " * 1000)
            program.stdin.flush()
            rests(program)
            program.send_signal(signal.SIGINT)
            self.assertEqual(program.wait(timeout=60), 130)
            self.assertEqual(program.stderr.read(), b"")
        self.assertEqual(self.listing(), ["a", "b"])


class Show(Base):
    def setUp(self):
        super().setUp()
        self.two_documents()
        self.good("sketch", "-q", "--window=3", "-o", "all", "b", "a")

    def test_rows(self):
        path, recipe, head, *rows = self.good("show", "all").splitlines()
        self.assertEqual(path, "all")
        self.assertRegex(recipe, "recipe .*window=3")
        self.assertEqual(head.split(), ["bytes", "tokens", "shingles", "digest", "name"])
        sketch = json.loads(self.good("sketch", "--json", "b"))
        self.assertEqual(rows[0].split(), [f"{sketch['bytes']:,}", "4,000", "3,998", sketch["digest"][:12], "b"])
        self.assertEqual([row.split()[-1] for row in rows], ["b", "a"])

    def test_signature_has_a_row(self):
        self.good("sketch", "-q", "--signature", "--scheme=signature2011", "-o", "signed", "a")
        *_, bits, symbols = self.good("show", "signed").splitlines()
        self.assertRegex(bits, r" signature2011 n=4 c=50: [\d,]+ symbols of [\d,]+ characters in [\d,]+ bytes$")
        count, size = re.search(r"signature n=8 c=64: ([\d,]+) symbols of [\d,]+ characters in ([\d,]+) bytes$", symbols).groups()
        self.assertEqual(int(size.replace(",", "")), 2 * int(count.replace(",", "")))

    def test_json_is_that_of_sketch(self):
        self.assertEqual(self.good("show", "--json", "all"), self.good("sketch", "--json", "--window=3", "b", "a"))

    def test_what_is_no_bundle(self):
        self.bad("show", says="no files of sketches")
        self.bad("show", "a", says="'a'")
        self.bad("show", "missing", says="cannot read 'missing': no such file")
        done = self.run_program("show", "missing", "all")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (2, 5))
        self.write("cut", (self.folder / "all").read_bytes()[:-5])
        self.assertEqual(self.run_program("show", "cut").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
