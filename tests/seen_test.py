#!/usr/bin/env python3
"""`stemma seen`: each document as it comes, is it new?

    seen_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import bz2
import gzip
import json
import os
import select
import signal
import subprocess
import sys
import time
import unittest

from collecting import Collections, text
from program import PROGRAM, SANITIZED, prose, rests


class Seen(Collections):
    def start(self, *arguments):
        child = subprocess.Popen([PROGRAM, "seen", *arguments], cwd=self.folder, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL="C"))
        self.addCleanup(self.end, child)
        return child

    @staticmethod
    def end(child):
        for stream in (child.stdin, child.stdout, child.stderr):
            stream.close()
        child.wait(timeout=60)

    def tell(self, child, line):
        """The answer comes before the next line does."""
        child.stdin.write(line.encode() + b"\n")
        child.stdin.flush()
        self.assertTrue(select.select([child.stdout], [], [], 60)[0])
        return child.stdout.readline().decode().split()

    def test_verdicts(self):
        words = prose(300, 1)
        child = self.start("c")
        record = lambda name, some: json.dumps({"id": name, "text": " ".join(some)})
        self.assertEqual(self.tell(child, record("a", words)), ["new", "a"])
        answer = self.tell(child, record("b", words[:295]))
        self.assertEqual((answer[0], answer[2:]), ("near-duplicate", ["b", "->", "a"]))
        self.assertEqual(self.tell(child, record("a", words))[0], "identical")
        self.assertEqual(self.tell(child, record("c", words[:100]))[0], "contained")
        self.assertEqual(self.tell(child, record("d", prose(300, 2))), ["new", "d"])
        self.put("f.txt", " ".join(words))
        self.assertEqual(self.tell(child, "pile/f.txt")[0], "identical")
        self.assertEqual(self.tell(child, '{"id": "e", "text": ""}'), ["no", "text", "e"])
        child.stdin.write(b'{"id": \n{"id": "g", "text": "g"}{"id": "h", "text": "h"}\n{"id": "i", "text": "i"} i\nnothing\n')
        child.stdin.close()
        self.assertEqual(child.wait(timeout=60), 0)
        self.assertEqual(set(self.documents()), {"a", "b", "c", "d", "e", self.path("f.txt")})

    def test_names_as_they_came_in(self):
        self.put("a.bin", bytes(range(256)) * 9)
        self.put("b.bin", bytes(range(256)) * 9)
        lines = self.good("seen", "--json", "c", stdin=b"pile/a.bin\npile/b.bin\n").splitlines()
        first, second = map(json.loads, lines)
        self.assertEqual((first["given"], first["new"], first["relation"]), ("pile/a.bin", True, "unknown"))
        self.assertEqual((second["given"], second["id"], second["match"], second["relation"]),
                         ("pile/b.bin", self.path("b.bin"), self.path("a.bin"), "identical"))
        self.put("d.bin", bytes(range(256)) * 9)
        self.assertRegex(self.good("seen", "c", stdin=b"pile/d.bin\n"), r"identical +1  pile/d\.bin  ->  /.*/a\.bin")

    def test_estimates_are_marked(self):
        words = prose(300, 1)
        record = lambda name, some: json.dumps({"id": name, "text": " ".join(some)}).encode()
        self.good("seen", "c", stdin=record("a", words))
        self.assertRegex(self.good("seen", "c", stdin=record("b", words[:290])), r"near-duplicate +~\.\d+  b  ->  a")

    def test_seen_of_what_is_no_list(self):
        """A table, or compressed data, piped in by mistake is said once, and makes nothing; names with commas are names."""
        rows = "".join(f"{number},some words\n" for number in range(1000))
        for table in "id,text\n" + rows, 'id;"text"\n' + rows, "id\ttext\n" + rows:
            self.assertEqual(self.bad("seen", "c", stdin=table.encode(), says="standard input is a table").count("\n"), 2)
            self.assertFalse((self.folder / "c").exists())
        done = self.run_program("seen", "c", stdin=("id,body\n" + rows).encode())
        self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 11))  # ten rows, and that nothing was made
        self.assertEqual(self.bad("seen", "c", stdin=gzip.compress(rows.encode()), says="is compressed").count("\n"), 2)
        self.write("id,text", "some words")
        self.assertIn("new", self.good("seen", "c", stdin=b"id,text\n"))
        done = self.run_program("seen", "c", stdin=b"missing\n" + rows.encode())
        self.assertEqual(done.stderr.count(b"\n"), 1001)
        self.bad("seen", "c", stdin=bz2.compress(rows.encode()), says="is compressed")

    def test_names_that_look_like_something_else(self):
        """As long as no bytes say otherwise, a line is a name; and no table has NUL bytes."""
        self.write("BZhelp.txt", text(1))
        self.assertIn("new", self.good("seen", "c", stdin=b"BZhelp.txt\n"))
        gone = b"".join(b"Smith, John %d.txt\0" % number for number in range(12))
        done = self.run_program("seen", "-0", "c", stdin=b"notes,text\0" + gone + b"BZhelp.txt\0")
        self.assertEqual((done.returncode, done.stdout.split()[0], done.stderr.count(b"\n")), (0, b"identical", 13))

    def test_records_as_data_sets_have_them(self):
        """Ids with a NUL are none, and what is beside a text may be nested deep."""
        lines = [json.dumps({"id": f"a\0{number}", "text": text(number)}) for number in range(2)]
        nested = "[" * 500 + "]" * 500
        lines.append(f'{{"id": "deep", "beside": {nested}, "text": "{text(3)}"}}')
        self.good("seen", "c", stdin="\n".join(lines).encode())
        self.assertEqual(len(self.documents()), 3)
        self.assertIn("deep", self.documents())

    def test_quiet_is_not_silent_when_nothing_could_be_used(self):
        self.bad("seen", "-q", "c", stdin=b"missing\n", says="1 line could not be used")

    def test_commits_while_nothing_comes(self):
        child = self.start("c")
        self.tell(child, json.dumps({"id": "a", "text": text(1)}))
        for _ in range(600):
            if self.run_program("list", "c").stdout == b"a\n":
                break
            time.sleep(.1)
        self.assertEqual(set(self.documents()), {"a"})
        self.bad("add", "c", "pile", says=f"process {child.pid}")
        waiting = subprocess.Popen([PROGRAM, "add", "--wait", "c", "pile"], cwd=self.folder, stdout=subprocess.DEVNULL)
        rests(waiting)
        self.assertIsNone(waiting.poll())
        child.stdin.close()
        self.assertEqual(waiting.wait(timeout=60), 0)

    def test_one_id_twice(self):
        """Before a commit, the later one takes the place of its own match."""
        words = prose(300, 1)
        lines = [json.dumps({"id": "a", "text": " ".join(some)}) for some in (words, words, words[:295], words)]
        out = [json.loads(line) for line in self.good("seen", "--json", "c", stdin="\n".join(lines).encode()).splitlines()]
        self.assertEqual([(answer["relation"], answer.get("match")) for answer in out],
                         [("unrelated", None), ("identical", "a"), ("near-duplicate", "a"), ("near-duplicate", "a")])

    def test_replaced_before_the_commit(self):
        """What a document was is no answer any more once it has changed, and may be seen again."""
        old, new = text(1), text(2)
        self.good("seen", "-q", "c", stdin=json.dumps({"id": "a", "text": old}).encode())
        lines = [json.dumps({"id": name, "text": some}) for name, some in (("a", new), ("b", old), ("a", old))]
        out = [json.loads(line) for line in self.good("seen", "--json", "c", stdin="\n".join(lines).encode()).splitlines()]
        self.assertEqual([answer.get("match") for answer in out], [None, None, "b"])
        self.assertEqual(self.documents()["a"], self.documents()["b"])

    def test_naming_a_document_does_not_hide_it(self):
        """Also where what is known of its file could be written again."""
        self.put("a.txt", text(1))
        self.add()
        self.put("copy.txt", text(1))
        self.put("a.txt", text(1), age=5)
        lines = self.good("seen", "c", stdin=b"pile/a.txt\npile/copy.txt\n" + b"pile/a.txt\n" * 3).splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["identical"] * 5)

    def test_records_without_an_id(self):
        """Those of one run do not take the place of those of another."""
        record = lambda seed: json.dumps({"text": text(seed)}).encode()
        for command in (("seen", "--json", "c"), ("add", "-q", "d", "-")):
            answers = [self.good(*command, stdin=record(seed)) for seed in (1, 2, 1)]
            self.assertEqual(len(self.documents(command[-2] if command[-1] == "-" else command[-1])), 2)
            if command[0] == "seen":
                told = [json.loads(answer) for answer in answers]
                self.assertEqual([(one["given"], one["new"]) for one in told],
                                 [("-:1", True), ("-:1", True), ("-:1", False)])
                self.assertEqual(told[2]["match"], told[0]["id"])
        self.assertEqual(self.documents("c"), self.documents("d"))

    def test_what_was_answered_is_kept(self):
        """Whether it is interrupted, or nobody reads any more."""
        for name in ("interrupted", "unread"):
            child = self.start(name)
            for i in range(20):
                self.tell(child, json.dumps({"id": f"{i}", "text": text(i)}))
            if name == "unread":
                child.stdout.close()
                child.stdin.write(json.dumps({"id": "20", "text": text(20)}).encode() + b"\n")
                child.stdin.flush()
            else:
                child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(timeout=60), 130 if name == "interrupted" else 0)
            self.assertLessEqual({f"{i}" for i in range(20)}, set(self.documents(name)))

    def test_dry_run(self):
        self.put("a.txt", text(1))
        self.add()
        lines = f'{json.dumps({"id": "x", "text": text(1)})}\n{json.dumps({"id": "y", "text": text(2)})}\n' * 2
        out = self.good("seen", "--dry-run", "--json", "c", stdin=lines.encode())
        self.assertEqual([json.loads(line)["new"] for line in out.splitlines()], [False, True, False, True])
        self.assertEqual(len(self.documents()), 1)
        self.bad("seen", "--dry-run", "none", says="no such file")

    def test_many(self):
        """Each is found, whether it was committed or not."""
        texts = [prose(60, i) for i in range(300 if SANITIZED else 1500)]
        lines = [json.dumps({"id": f"{i}{half}", "text": " ".join(some if half == "a" else some[:-1] + ["end"])})
                 for half in "ab" for i, some in enumerate(texts)]
        out = [json.loads(line) for line in self.good("seen", "--json", "--jsonl", "--store-text", "c",
                                                      stdin="\n".join(lines).encode()).splitlines()]
        for answer in out:
            name = answer["id"]
            if name.endswith("a"):
                self.assertTrue(answer["new"], answer)
            else:
                self.assertEqual((answer.get("match"), answer["resemblance"]["exact"]), (name[:-1] + "a", True), answer)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
