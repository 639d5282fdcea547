#!/usr/bin/env python3
"""`stemma scan` of data sets.     scan_datasets_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]"""
import csv
import gzip
import io
import json
import subprocess
import sys
import unittest

from program import PROGRAM, limit_descriptors, prose
from scanning import DOCUMENT, Scanning


class DataSets(Scanning):
    def records(self, *more):
        """Of ten records, the odd ones are copies of those before them."""
        return [{"id": f"r{number}", "text": " ".join(prose(60, 400 + number // 2)), **dict(more)} for number in range(10)]

    @staticmethod
    def json_lines(records):
        return "".join(json.dumps(record) + "\n" for record in records)

    ODD = {"r1", "r3", "r5", "r7", "r9"}

    def test_json_lines(self):
        self.write("set.jsonl", self.json_lines(self.records()))
        self.assertEqual(self.redundant("--keep=first", "set.jsonl"), self.ODD)
        group = self.lines("--keep=first", "set.jsonl")[0]
        self.assertEqual(set(group["kept"]), DOCUMENT | {"source", "offset"})
        self.assertEqual(group["kept"]["source"], "set.jsonl")
        self.assertRegex(self.scan("--keep=first", "set.jsonl"), r"identical +\d+ B  r1\n|same text +\d+ B  r1\n")
        self.assertEqual(self.redundant("--keep=first", "-", stdin=self.json_lines(self.records()).encode()), self.ODD)

    def test_many_sets(self):
        for i in range(100):
            self.write(f"sets/{i}.jsonl", self.json_lines([{"id": str(i), "text": " ".join(prose(50, i))}]))
        limited = ("import os, resource, sys; hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; "
                   "resource.setrlimit(resource.RLIMIT_NOFILE, (40, hard)); os.execv(sys.argv[1], sys.argv[1:])")
        done = subprocess.run([sys.executable, "-c", limited, PROGRAM, "scan", "--json", "sets"], cwd=self.folder,
                              capture_output=True)
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["summary"]["documents"], 100, done.stderr)

    def test_a_file_is_kept_rather_than_a_record(self):
        text = " ".join(prose(60, 1))
        self.write("d/z.txt", text)
        self.write("d/a.jsonl", self.json_lines([{"id": "a", "text": text}]))
        self.assertEqual(self.groups("d"), {"d/z.txt": {"a": "identical"}})

    def test_several_sets(self):
        self.write("one.jsonl", self.json_lines(self.records()[:1]))
        self.write("two.jsonl", self.json_lines(self.records()[1:2]))
        self.assertRegex(self.scan("--keep=first", "one.jsonl", "two.jsonl"), r"(identical|same text) +\d+ B  r1  in two.jsonl\n")

    def test_ids_that_several_sets_have(self):
        one, two = prose(60, 410), prose(60, 411)
        self.write("s/one.jsonl", self.json_lines([{"id": 1, "text": " ".join(one)}, {"text": " ".join(two)}]))
        self.write("s/two.jsonl", self.json_lines([{"id": 1, "text": " ".join(one)}, {"id": 2, "text": " ".join(two)}]))
        self.assertEqual(self.redundant("--keep=first", "s"), {"s/two.jsonl:1", "s/two.jsonl:2"})
        self.assertRegex(self.scan("--pairs", "--keep=first", "s"), "s/one.jsonl:1  s/two.jsonl:1\n.* s/one.jsonl:2  s/two.jsonl:2\n")
        pairs = [pair for pair in self.lines("--pairs", "--keep=first", "s") if "a" in pair]
        self.assertEqual([(pair["a"], pair["a_source"], pair["a_offset"], pair["b"], pair["b_source"]) for pair in pairs],
                         [("1", "s/one.jsonl", 0, "1", "s/two.jsonl"),
                          ("s/one.jsonl:2", "s/one.jsonl", len(self.json_lines([{"id": 1, "text": " ".join(one)}])), "2", "s/two.jsonl")])
        self.assertEqual(self.lines("s")[-1]["summary"]["namesakes"], 0)

    def test_ids_that_one_set_has_twice(self):
        records = [{"id": "same", "text": " ".join(prose(60, 412))}] * 2 + [{"id": "other", "text": " ".join(prose(60, 413))}]
        warning = "2 records have the id of another in their data set; --json tells them apart"
        self.write("set.jsonl", self.json_lines(records))
        group, summary = self.lines("set.jsonl", says=warning)
        self.assertEqual({group["kept"]["offset"], group["members"][0]["offset"]}, {0, len(self.json_lines(records[:1]))})
        self.assertEqual(summary["summary"]["namesakes"], 2)
        self.scan("--list-redundant", "set.jsonl", says=warning)
        self.scan("--filter=-", "set.jsonl")

    def test_a_line_that_is_the_id_of_another(self):
        """Among other files both are FILE:2; of one data set they are FILE:2 and 2."""
        self.write("set.jsonl", self.json_lines([{"id": 2, "text": " ".join(prose(60, 414))}, {"text": " ".join(prose(60, 415))}]))
        self.write("other.txt", "a file")
        self.assertEqual(self.summary("set.jsonl")["namesakes"], 0)
        self.assertEqual(self.summary("set.jsonl", "other.txt", says="2 records have the id")["namesakes"], 2)

    def test_fields(self):
        records = [{"name": record["id"], "body": record["text"]} for record in self.records()]
        self.write("set.ndjson", self.json_lines(records))
        fields = ["--keep=first", "--text-field=body", "set.ndjson"]
        self.assertEqual(self.redundant("--id-field=name", *fields), self.ODD)
        self.assertEqual(self.redundant(*fields), {f"set.ndjson:{line}" for line in range(2, 11, 2)})
        self.scan("set.ndjson", code=2, says="text")

    def test_tables(self):
        for name, separator in (("set.csv", ","), ("set.tsv", "\t"), ("semi.csv", ";")):
            rows = ["id,text,more".replace(",", separator)]
            rows += [separator.join([record["id"], record["text"], "x"]) for record in self.records()]
            self.write(name, "\n".join(rows) + "\n")
            self.assertEqual(self.redundant("--keep=first", name), self.ODD, name)
            self.scan("--keep=first", f"--filter=out.{name}", name)
            kept = (self.folder / f"out.{name}").read_text().splitlines()
            self.assertEqual(kept, [rows[0], *rows[1::2]])

    def test_texts_that_lack_their_quotes_are_not_cut(self):
        """What is behind the delimiter would be lost, and the records be taken for each other; empty fields lose nothing."""
        rows = "id,text\n1,Dear Sir, we accept\n2,Dear Sir, we decline\n3,Dear Sir,,\n4,\"Dear Sir\",\n"
        for delimiter in ",", "\t":
            name = "set.csv" if delimiter == "," else "set.tsv"
            self.write(name, rows.replace(",", delimiter))
            says = r"line 2 of 'set.[ct]sv' has more fields than there are columns \(2\)"
            self.assertEqual(self.redundant("--keep=first", name, says=says), {"4"})
            self.scan("--keep=first", "--filter=kept", "--force", name, says=says)
            self.assertEqual((self.folder / "kept").read_text().count("Dear Sir"), 3)

    def test_names_follow_from_what_was_asked(self):
        """Not from what turned out to be in the other sets."""
        self.write("d/set.jsonl", self.json_lines(self.records()))
        self.write("empty.jsonl", "")
        odd = {f"d/set.jsonl:{name}" for name in self.ODD}
        self.assertEqual(self.redundant("--keep=first", "d/set.jsonl"), self.ODD)
        self.assertEqual(self.redundant("--keep=first", "d/set.jsonl", "empty.jsonl"), odd)
        self.assertEqual(self.redundant("--keep=first", "d"), odd)

    def test_what_no_text_has_stands_between_words(self):
        records = self.records()
        for record in records[::2]:
            record["text"] = record["text"].replace(" ", "\0", 1)
        records[4]["text"] = records[4]["text"].replace(" ", "\x01\x02\x03")
        self.write("set.jsonl", self.json_lines(records))
        self.assertEqual(self.redundant("--keep=first", "set.jsonl"), self.ODD)
        self.assertEqual(self.good("text", "set.jsonl:r4"), self.good("text", "set.jsonl:r5"))
        self.write("set.csv", "id,text\n" + "".join(f"{record['id']},{record['text']}\n" for record in records))
        self.assertEqual(self.redundant("--keep=first", "set.csv"), self.ODD)

    def test_semicolons_beside_commas_are_text(self):
        self.write("set.csv", "id,text;more\n1,one two three\n")
        self.scan("set.csv", code=2, says="has no column 'text', but id, text;more")

    def test_byte_order_mark_stays(self):
        mark = "\ufeff".encode()
        table = "id,text\n" + "".join(f"{record['id']},{record['text']}\n" for record in self.records())
        for name, content in ("set.csv", table), ("set.jsonl", self.json_lines(self.records())):
            (self.folder / name).write_bytes(mark + content.encode())
            self.write("plain." + name, content)
            self.scan("--keep=first", f"--filter=out.{name}", name)
            self.scan("--keep=first", f"--filter=expected.{name}", "plain." + name)
            expected = (self.folder / f"expected.{name}").read_bytes()
            self.assertEqual((self.folder / f"out.{name}").read_bytes(), mark + expected)
            self.scan("--keep=first", f"--filter=both.{name}", "plain." + name, name) # of the first alone
            self.assertNotIn(mark, (self.folder / f"both.{name}").read_bytes())

    def test_tables_in_folders(self):
        self.write("d/budget.csv", "day,amount\n1,2\n")
        self.write("d/set.jsonl", self.json_lines(self.records()))
        self.assertEqual(self.summary("d")["documents"], 11)
        facts = self.summary("--text-field=text", "d", says="1 document could not be read")
        self.assertEqual((facts["documents"], facts["redundant"]), (10, 5))
        self.scan("d/budget.csv", code=2, says="'d/budget.csv' has no column 'text', but day, amount")

    def test_lines_without_texts_in_folders(self):
        log = "".join(json.dumps({"level": "info", "message": " ".join(prose(9, number))}) + "\n" for number in range(50))
        self.write("d/a.jsonl", log)
        self.write("d/b.jsonl", log)
        self.write("d/broken.ndjson", "no JSON at all\n")
        self.write("d/empty.jsonl", "")
        self.write("d/set.jsonl", '{"id": "broken\n' + self.json_lines(self.records()))
        with gzip.open(self.folder / "d/c.jsonl.gz", "wt") as file:
            file.write(log)
        problem, summary = self.lines("d", says="warning: 1 document could not be read")[-2:]
        self.assertEqual((problem["problem"], problem["line"]), ("d/set.jsonl", 1))
        self.assertEqual(summary["summary"]["documents"], 4 + 10)
        self.assertLessEqual({"d/b.jsonl", "d/c.jsonl.gz"}, self.redundant("d", says="warning"))
        self.assertIn("would delete", self.scan("--delete", "--dry-run", "d", says="warning"))
        for _ in range(2):
            self.assertEqual(self.summary("--cache=cache", "d", says="warning")["documents"], 4 + 10)
        self.scan("d/a.jsonl", code=2, says="50 documents could not be read")
        self.assertEqual(self.summary("--text-field=message", "d", says="warning")["documents"], 150)

    def test_standard_input(self):
        lines = self.json_lines(self.records())
        self.assertEqual(self.summary("-", stdin=lines.encode())["redundant"], 5)
        self.assertEqual(self.scan("--filter=-", "-", stdin=b""), "")
        self.scan("-", stdin=b"some words\n", code=2,
                  says="cannot read '-': it is neither JSON lines, which begin with '{', nor a table with the column 'text'")

    def test_tables_on_standard_input(self):
        records = self.records()
        lines = self.json_lines(records)
        found = self.groups("-", stdin=("\n \n" + lines).encode())
        for delimiter in ",", "\t", ";":
            table = io.StringIO()
            writer = csv.DictWriter(table, ["id", "text"], delimiter=delimiter, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(records)
            content = table.getvalue().encode()
            self.assertEqual(self.groups("-", stdin=content), found)
            self.assertEqual(self.groups("-", stdin=gzip.compress(content)), found)
            self.assertEqual(self.groups("-", stdin=("\ufeff" + table.getvalue()).encode("utf-16-le")), found)
            kept = self.scan("--filter=-", "-", stdin=content).splitlines()
            self.assertEqual((kept[0].replace(delimiter, ","), len(kept)), ("id,text", 6))
            name = {"\t": "tsv"}.get(delimiter, "csv")
            self.scan("--force", f"--filter=out.{name}", "-", stdin=content)
            self.assertEqual((self.folder / f"out.{name}").read_text().splitlines(), kept)
            self.scan("--filter=other.jsonl", "-", stdin=content, code=2, says="are data sets of different kinds")
            self.assertFalse((self.folder / "other.jsonl").exists())
            self.scan("--text-field=body", "-", stdin=content, code=2, says="nor a table with the column 'body'")
            self.assertEqual(self.summary("--text-field=2", "-", stdin=content)["documents"], len(records))
            self.scan("--id-field=key", "-", stdin=content, code=2, says="'-' has no column 'key', but id, text")

    def test_broken_records(self):
        lines = self.json_lines(self.records()).splitlines()
        lines[3:3] = ['{"id": "broken', '{"id": "without"}']
        self.write("set.jsonl", "\n".join(lines) + "\n")
        *_, first, second, summary = self.lines("--keep=first", "set.jsonl", says="2 documents could not be read")
        self.assertEqual([(p["problem"], p["line"]) for p in (first, second)], [("set.jsonl", 4), ("set.jsonl", 5)])
        self.assertEqual((summary["summary"]["documents"], summary["summary"]["redundant"]), (10, 5))
        self.assertRegex(self.run_program("scan", "set.jsonl").stderr.decode(), r"(?m)^stemma: line 4 of 'set.jsonl' is broken JSON$")

    def compressed(self):
        """Forty pairs of near-copies, of which little fits into the least memory; and the same compressed."""
        texts = [prose(700, seed=seed) for seed in range(40)]
        texts += [text[:-1] + ["other"] for text in texts]
        lines = self.json_lines({"id": f"r{i}", "text": " ".join(text)} for i, text in enumerate(texts))
        self.write("s.jsonl", lines)
        return self.write("s.jsonl.gz", gzip.compress(lines.encode(), mtime=0))

    def test_compressed_in_little_memory(self):
        name = self.compressed()
        groups = self.groups("s.jsonl")
        self.assertEqual(len(groups), 40)
        for memory in "256K", "1G":
            self.assertEqual(self.groups("--memory", memory, name), groups)

    def test_cut_off(self):
        """What was whole before the damage is compared, also where it has to be read a second time."""
        name, whole = self.compressed(), (self.folder / "s.jsonl.gz").read_bytes()
        self.write(name, whole[:-1000])
        found = [self.groups("--memory", memory, name, says="1 document could not") for memory in ("256K", "1G")]
        self.assertEqual(found[0], found[1])
        self.assertGreater(len(found[0]), 20)

    def test_boilerplate_of_compressed(self):
        start = " ".join(prose(100, seed=5))
        lines = self.json_lines({"id": i, "text": start + " " + " ".join(prose(700, seed=i))} for i in range(60))
        self.write("s.jsonl", lines)
        self.write("s.jsonl.gz", gzip.compress(lines.encode()))
        for memory in "256K", "1G":
            plain, packed = ([line["text"] for line in self.lines("--boilerplate", "--memory", memory, name)
                              if "passage" in line] for name in ("s.jsonl", "s.jsonl.gz"))
            self.assertEqual((len(plain), len(packed)), (1, 1))
            self.assertEqual(plain[0].strip(), packed[0].strip())

    def test_more_sets_than_descriptors(self):
        for number, record in enumerate(self.records() * 30):
            self.write(f"sets/{number:03}.jsonl", self.json_lines([record]))
        done = subprocess.run([PROGRAM, "scan", "--json", "--memory=256K", "sets"], cwd=self.folder, capture_output=True,
                              preexec_fn=limit_descriptors)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        summary = json.loads(done.stdout.splitlines()[-1])["summary"]
        self.assertEqual((summary["documents"], summary["groups"], summary["redundant"]), (300, 5, 295))

    def test_filter(self):
        lines = self.json_lines(self.records())
        self.write("set.jsonl", lines)
        text = self.scan("--keep=first", "--filter=out.jsonl", "set.jsonl")
        self.assertIn("5 groups: 5 documents", text)
        self.assertTrue(text.endswith("\n5 records written to out.jsonl\n"), text)
        expected = "".join(lines.splitlines(keepends=True)[::2])
        self.assertEqual((self.folder / "out.jsonl").read_text(), expected)
        self.assertEqual(self.scan("--keep=first", "--filter=-", "set.jsonl"), expected)
        self.assertEqual(self.scan("--quiet", "--force", "--keep=first", "--filter", "out.jsonl", "set.jsonl"), "")
        facts = self.summary("--force", "--keep=first", "--filter=out.jsonl", "set.jsonl")
        self.assertEqual(facts["filtered"], 5)
        self.assertEqual(self.listing(), ["out.jsonl", "set.jsonl"])

    def test_filter_compressed(self):
        lines = self.json_lines(self.records())
        self.write("set.jsonl.gz", gzip.compress(lines.encode()))
        expected = "".join(lines.splitlines(keepends=True)[::2])
        self.scan("--keep=first", "--filter=out.jsonl.gz", "set.jsonl.gz")
        self.assertEqual(gzip.decompress((self.folder / "out.jsonl.gz").read_bytes()).decode(), expected)
        self.scan("--filter=again.jsonl.zst", "out.jsonl.gz")
        self.assertEqual((self.folder / "again.jsonl.zst").read_bytes()[:4], b"\x28\xb5\x2f\xfd")
        self.scan("--filter=plain.jsonl", "again.jsonl.zst")
        self.assertEqual((self.folder / "plain.jsonl").read_text(), expected)

    def test_filter_of_tables_that_are_cut_off(self):
        """A quote that does not end takes nothing in from the next file."""
        self.write("a.csv", 'id,text\n1,"one two three\nfour"\n2,"five six')
        self.write("b.csv", 'id,text\n3,seven eight')
        self.write("c.csv", 'id,text\n4,"nine, ten\n')
        said = "begins a quote that does not end"
        both = self.scan("--filter=-", "a.csv", "b.csv", says=said)
        self.assertEqual(both, 'id,text\n1,"one two three\nfour"\n2,"five six"\n3,seven eight\n')
        self.assertEqual(self.scan("--filter=-", "c.csv", "a.csv", says=said), 'id,text\n4,"nine, ten\n"\n1,"one two three\nfour"\n2,"five six\n')
        self.write("both.csv", both)
        self.assertEqual(self.summary("both.csv")["documents"], 3)

    def test_filter_is_refused(self):
        self.write("set.jsonl", self.json_lines(self.records()))
        self.write("out.jsonl", "precious")
        self.bad("scan", "--filter=out.jsonl", "set.jsonl", says="'out.jsonl' exists; use --force")
        self.bad("scan", "--filter=set.jsonl", "--force", "set.jsonl", says="is one of the documents")
        self.write("file", " ".join(prose(50, 1)))
        self.bad("scan", "--filter=new.jsonl", "file", says="data set")
        self.bad("scan", "--filter=new.csv", "set.jsonl", says="'set.jsonl' and 'new.csv' are data sets of different kinds")
        self.assertEqual((self.folder / "out.jsonl").read_text(), "precious")
        self.assertEqual(self.listing(), ["file", "out.jsonl", "set.jsonl"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
