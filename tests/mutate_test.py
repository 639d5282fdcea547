#!/usr/bin/env python3
"""stemma mutate as a user meets it: what it says of a change is true, and bad input is refused."""
import json
import os
import subprocess
import sys
import unittest

from program import PROGRAM, Base, prose

TEXT = "\n\n".join(" ".join(prose(60, seed)) + "." for seed in range(8)) + "\n"
KINDS = ("insert insert-evenly remove-words substitute delete-lines delete-blocks cut insert-random insert-foreign excerpt "
         "embed shuffle rewrap case punctuation ocr").split()
AS_IT_IS = b"stemma: warning: the document stays as it is: it has too little for such a change\n"

SANITIZED = "STEMMA_SKIP_LARGE" in os.environ


class Mutations(Base):
    def setUp(self):
        super().setUp()
        self.write("doc", TEXT)
        self.write("other", " ".join(prose(300, 99)))

    def mutate(self, kind, *more):
        other = ["--with=other"] if kind in ("embed", "insert-foreign") else []
        return self.good("mutate", f"--kind={kind}", *other, *more)

    def replay(self, text, told, result):
        """The text after the operations that were told, from their places alone."""
        out, at = b"", 0
        for step in told["operations"]:
            out += text[at:step["a_begin"]] + result[step["b_begin"]:step["b_end"]]
            at = step["a_end"]
        return out + text[at:]

    def test_every_kind(self):
        for kind in KINDS:
            told = json.loads(self.mutate(kind, "--json", "doc"))
            self.assertEqual(told["kind"], kind)
            self.assertEqual(told["text"], self.mutate(kind, "doc"), kind)
            if kind != "shuffle":
                self.assertEqual(self.replay(TEXT.encode(), told, told["text"].encode()), told["text"].encode(), kind)

    def test_what_moves(self):
        told = json.loads(self.mutate("shuffle", "--share=.5", "--json", "doc"))
        self.assertTrue(told["operations"])
        for step in told["operations"]:
            self.assertEqual((step["kind"], TEXT[step["a_begin"]:step["a_end"]]), ("move", told["text"][step["b_begin"]:step["b_end"]]))

    def test_damaged_text(self):
        """Letters that are cut off: places are those of the bytes that are printed."""
        damaged = "本法 applies。\n\n其他, 法律".encode()[:-1] * 20
        self.write("damaged", damaged)
        for kind in KINDS:
            other = ["--with=other"] if kind in ("embed", "insert-foreign") else []
            printed = self.run_program("mutate", f"--kind={kind}", *other, "damaged").stdout
            told = json.loads(self.mutate(kind, "--json", "damaged"))
            self.assertEqual(told["text"].replace("\ufffd", ""), printed.decode(errors="ignore"), kind)
            if kind != "shuffle":
                self.assertEqual(self.replay(damaged, told, printed), printed, kind)

    def test_the_seed_decides(self):
        for kind in ("insert", "substitute", "cut", "ocr", "shuffle"):
            self.assertEqual(self.mutate(kind, "doc"), self.mutate(kind, "--seed=0", "doc"))
            self.assertNotEqual(self.mutate(kind, "doc"), self.mutate(kind, "--seed=1", "doc"))

    def test_counts_are_the_exact_edit_distance(self):
        for kind in ("insert", "remove-words", "cut", "insert-random", "delete-lines"):
            told = json.loads(self.mutate(kind, "--share=.06", "--json", "doc"))
            self.write("changed", told["text"])
            found = json.loads(self.good("compare", "--preset=raw", "--unit=char", "--edit=exact", "--json", "doc", "changed"))
            self.assertEqual(found["edit"]["value"], told["edits"], kind)

    def test_html_is_changed_as_it_is_read(self):
        self.write("page.html", "<html><p>one two three</p></html>")
        told = json.loads(self.mutate("remove-words", "--count=1", "--json", "page.html"))
        self.assertEqual((told["offsets"], told["available"]), ("extracted", 3))

    def test_hostile_documents(self):
        self.write("empty", "")
        self.write("binary", bytes(range(256)) * 40)
        self.write("line", "x" * 100000)
        for kind in KINDS:
            for name in ("empty", "binary", "line"):
                self.run_and_expect(kind, name)

    def run_and_expect(self, kind, name):
        other = ["--with=other"] if kind in ("embed", "insert-foreign") else []
        done = self.run_program("mutate", f"--kind={kind}", "--json", *other, name)
        warned = kind != "rewrap" and json.loads(done.stdout)["changed"] == 0
        self.assertEqual((done.returncode, done.stderr), (0, AS_IT_IS if warned else b""), (kind, name))

    def test_few_things(self):
        """A tenth of three paragraphs is none: two change places all the same, unless the share was asked for."""
        for count in (2, 3, 4):
            text = "\n\n".join(" ".join(prose(9, i)) for i in range(count)) + "\n"
            self.write("short", text)
            told = json.loads(self.mutate("shuffle", "--json", "short"))
            self.assertEqual((told["available"], told["changed"]), (count, 2))
            self.assertNotEqual(told["text"], text)
            self.assertEqual(sorted(told["text"].split("\n")), sorted(text.split("\n")))
            done = self.run_program("mutate", "--kind=shuffle", "--share=.1", "short")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, text.encode(), AS_IT_IS))
        self.write("lines", "one\ntwo\nthree\n")
        self.assertEqual(self.mutate("delete-lines", "lines").count("\n"), 2)

    @unittest.skipIf(SANITIZED, "memory is that of sanitizers")
    def test_operations_take_no_memory(self):
        """One for every character, of 40 bytes if they were kept: 160 MB."""
        self.write("large", "none of these lines is long\n" * 150000)
        measure = ("import os, sys; child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]); "
                   "_, status, used = os.wait4(child, 0); print(used.ru_maxrss, file=sys.stderr); sys.exit(status)")
        for json_too in ([], ["--json"]):
            with open(self.folder / "out", "wb") as out:
                done = subprocess.run([sys.executable, "-S", "-c", measure, PROGRAM, "mutate", "--kind=substitute", "--share=1", *json_too, "large"],
                                      cwd=self.folder, stdout=out, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLess(int(done.stderr) / 1024, 100, json_too)
        head = (self.folder / "out").open("rb").read(200)
        self.assertRegex(head, rb'"available":4050000,"changed":4050000,"edits":4050000')

    def test_nobody_reads_on(self):
        self.write("large", "none of these lines is long\n" * 20000)
        reading, writing = os.pipe()
        with subprocess.Popen([PROGRAM, "mutate", "--kind=substitute", "--share=1", "--json", "large"], cwd=self.folder,
                              stdout=writing, stderr=subprocess.PIPE) as process:
            os.close(writing)
            os.read(reading, 100)
            os.close(reading)
            self.assertEqual(process.stderr.read(), b"")

    def test_wrong_use(self):
        self.bad("mutate", says="one document is needed, 0 given")
        self.bad("mutate", "doc", "other", says="one document is needed, 2 given")
        self.bad("mutate", "--kind=melt", "doc", says="'melt' is not one of")
        self.bad("mutate", "--kind=embed", "doc", says="needs another document")
        self.bad("mutate", "--with=other", "doc", says="--with belongs to")
        self.bad("mutate", "--count=3", "--share=.1", "doc", says="do not go together")
        self.bad("mutate", "--count=999999999999", "doc", says="more than 100000000")
        self.bad("mutate", "--kind=rewrap", "--share=.5", "doc", says="changes all lines")
        self.bad("mutate", "--kind=rewrap", "--count=5", "doc", says="changes all lines")
        self.bad("mutate", "--share=2", "doc", says="from 0 to 1")
        self.bad("mutate", "nothing", says="nothing")
        self.bad("mutate", "--kind=embed", "--with=nothing", "doc", says="nothing")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
