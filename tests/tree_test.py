#!/usr/bin/env python3
"""`stemma tree` and `stemma scan --tree` as a user meets them.     tree_test.py PROGRAM SOURCE-DIRECTORY"""
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

from program import Base, prose

TREE = {"derivation", "parent"}
EDGE = {"added", "removed", "moved", "changes", "confidence", "direction"}


class Trees(Base):
    def history(self):
        """One text that grows and says when, a branch, an excerpt and a copy."""
        base = prose(300, 1)
        second = base[:100] + prose(30, 2) + base[101:]
        third = second[:200] + prose(40, 3) + second[205:]
        branch = base[:250] + prose(50, 4) + base[253:]
        excerpt = third[190:320]
        for name, year, words in [("a", 2001, base), ("b", 2002, second), ("c", 2003, third), ("d", 2004, branch),
                                  ("e", "", excerpt), ("f", 2003, third)]:
            self.write(f"{name}.txt", (f"edition of {year} " if year else "") + " ".join(words))
        for name in "abcdef":
            os.utime(self.folder / f"{name}.txt", (10 ** 9, 10 ** 9))
        return [f"{name}.txt" for name in "abcdef"]

    def nodes(self, *arguments, command="tree", **how):
        """{id: node} of all groups."""
        found = {}
        for line in self.good(command, "--json", *arguments, **how).splitlines():
            group = json.loads(line)
            if "group" in group:
                found.update((node["id"], node) for node in [group["kept"], *group["members"]])
        return found

    def parents(self, *arguments, **how):
        return {name: node["parent"] for name, node in self.nodes(*arguments, **how).items()}


class Found(Trees):
    EXPECTED = {"a.txt": None, "b.txt": "a.txt", "c.txt": "b.txt", "d.txt": "a.txt", "e.txt": "c.txt", "f.txt": "c.txt"}

    def test_history(self):
        names = self.history()
        self.assertEqual(self.parents(*names), self.EXPECTED)
        nodes = self.nodes(*names)
        kinds = {name: node["derivation"] for name, node in nodes.items()}
        self.assertEqual(kinds, {"a.txt": "root", "b.txt": "added", "c.txt": "revised", "d.txt": "added",
                                 "e.txt": "excerpt", "f.txt": "same"})
        self.assertEqual((nodes["b.txt"]["added"], nodes["b.txt"]["removed"]), (31, 2))
        self.assertTrue(TREE | EDGE <= nodes["b.txt"].keys())
        for name in names[1:]:
            self.assertTrue(0 <= nodes[name]["confidence"] <= 1 and 0 <= nodes[name]["direction"] <= 1)

    def test_nothing_depends_on_order_or_threads(self):
        names = self.history()
        expected = self.good("tree", "--format=newick", *names)
        for seed in range(5):
            random.Random(seed).shuffle(names)
            for threads in "1", "4":
                self.assertEqual(self.good("tree", "--format=newick", "--threads", threads, *names), expected)
        self.assertEqual(self.good("tree", "--format=newick", "--memory=64M", *names), expected)

    def test_under_a_key(self):
        names = self.history()
        self.write("key", "a secret of more than 16 bytes")
        self.assertEqual(self.parents("--key=key", *names), self.EXPECTED)

    def test_dates(self):
        """When they are asked for they decide; otherwise they do not count."""
        names = self.history()
        for age, name in enumerate(["c.txt", "b.txt", "a.txt", "d.txt", "e.txt", "f.txt"]):
            os.utime(self.folder / name, (10 ** 9, 10 ** 9 + age))
        self.assertEqual(self.parents(*names), self.EXPECTED)
        dated = self.parents("--dates", *names)
        self.assertEqual((dated["c.txt"], dated["b.txt"], dated["a.txt"]), (None, "c.txt", "b.txt"))

    def test_second_parent(self):
        base = prose(300, 1)
        left = base[:50] + prose(80, 2) + base[60:]
        right = base[:200] + prose(60, 3) + base[230:]
        both = left[:270] + right[200:260] + left[300:]
        for name, words in {"base": base, "left": left, "right": right, "both": both}.items():
            self.write(f"{name}.txt", " ".join(words))
        node = self.nodes("--threshold=.4", ".")["./both.txt"]
        self.assertEqual({node["parent"], node["second_parent"]}, {"./left.txt", "./right.txt"})
        self.assertEqual(node["derivation"], "combined")
        self.assertTrue(.1 < node["second_share"] < .5)
        self.assertIn("from ./", self.good("tree", "--threshold=.4", "."))
        self.assertIn("style=dashed", self.good("tree", "--threshold=.4", "--format=dot", "."))

    def test_a_text_replaced_whole_is_no_revision(self):
        """Two texts hang together by a licence that both quote, and that is the youngest of the three."""
        licence = prose(120, 1)
        for age, (name, own) in enumerate({"one": prose(500, 2), "two": prose(500, 3), "licence": []}.items()):
            self.write(f"pile/{name}", " ".join(own + licence))
            os.utime(self.folder / "pile" / name, (10 ** 9, 10 ** 9 + age))
        two = self.nodes("--dates", "pile")["pile/two"]
        self.assertEqual((two["parent"], two["derivation"]), ("pile/one", "replaced"))
        self.assertLess(two["confidence"], .25)

    def test_an_outvoted_edge_is_not_sure(self):
        """A leaf whose year is earlier than its parent's, below a line that grows in many steps."""
        text, names = prose(400, 1), []
        for i in range(9):
            text = text[:50 * i] + prose(150, 20 + i) + text[50 * i:]
            names.append(self.write(f"line/{i}", " ".join(["printed in the year 2005"] + text)))
        self.write("line/leaf", " ".join(["printed in the year 2001"] + text + prose(60, 40)))
        leaf = self.nodes("line")["line/leaf"]
        self.assertEqual(leaf["parent"], "line/8")
        self.assertLess(leaf["direction"], .7)

    def test_a_quote_is_no_root(self):
        """A mail that quotes a part of several drafts is made from one of them; a short first draft that was worked on is not."""
        first = prose(600, 1)
        second = first[:200] + prose(30, 2) + first[200:]
        third = second[:400] + prose(30, 3) + second[410:]
        drafts = {"1": first, "2": second, "3": third}
        for name, words in {**drafts, "mail": prose(8, 4) + first[230:400]}.items():
            self.write(f"quoted/{name}", " ".join(words))
        self.assertEqual(self.parents("quoted"), {"quoted/1": None, "quoted/2": "quoted/1", "quoted/3": "quoted/2",
                                                  "quoted/mail": "quoted/1"})
        stub = prose(200, 5)
        grown = stub[:40] + prose(10, 6) + stub[60:120] + prose(300, 7) + stub[120:]
        for name, words in {"0": stub, "1": grown, "2": grown + prose(50, 8)}.items():
            self.write(f"grown/{name}", " ".join(words))
        self.assertEqual(self.parents("--contained=.7", "grown"), {"grown/0": None, "grown/1": "grown/0", "grown/2": "grown/1"})

    def dated(self):
        """A text that names its latest dates behind the first third, and a later version of it."""
        whole = prose(300, 11) + "in may 2001".split() + prose(300, 12) + "in june 2011".split() + prose(300, 13)
        edited = whole[:150] + prose(6, 14) + whole[155:500] + prose(6, 15) + whole[505:]
        return whole, edited

    def write_all(self, folder, texts):
        for name, words in texts.items():
            self.write(f"{folder}/{name}", " ".join(words))

    def test_an_excerpt_of_two_versions_derives_from_one(self):
        """It lacks the latest dates, which does not make it the older."""
        whole, edited = self.dated()
        pieces = {"head": whole[:290], "middle": whole[320:560], "tail": whole[-290:]}
        for name, words in pieces.items():
            self.write_all(name, {"edited": edited, "whole": whole, "piece": words})
            node = self.nodes(name)[f"{name}/piece"]
            self.assertIn((node["parent"], node["derivation"]), [(f"{name}/whole", "excerpt"), (f"{name}/edited", "excerpt")])
            self.assertLess(node["direction"], .7)
        self.write_all("all", {"edited": edited, "whole": whole, **pieces})
        parents = self.parents("all")
        for name in pieces:
            self.assertIn(parents[f"all/{name}"], ("all/whole", "all/edited"))

    def test_a_piece_of_one_document_may_be_a_draft(self):
        """At an end of it nothing tells which; text on both sides of it was cut away. In either order of names."""
        whole, _ = self.dated()
        for name, piece in {"head": whole[:290], "tail": whole[-290:], "cut": whole[:289] + [whole[289][:2]]}.items():
            for names in ("a", "b"), ("b", "a"):
                self.write_all(name, dict(zip(names, (whole, piece))))
                nodes = self.nodes(name)
                self.assertLess(max(node["direction"] for node in nodes.values() if node["parent"]), .6, nodes)
                self.assertEqual(nodes[f"{name}/{names[0]}"]["parent"], f"{name}/{names[1]}")
        self.write_all("middle", {"a": whole[320:560], "b": whole})
        self.assertEqual(self.parents("middle"), {"middle/a": "middle/b", "middle/b": None})

    def test_a_number_that_was_cut_is_no_older_one(self):
        whole, edited = self.dated()
        self.write_all("number", {"edited": edited, "whole": whole, "piece": whole[:302] + ["20"]})
        self.assertIn(self.parents("number")["number/piece"], ("number/edited", "number/whole"))

    def test_what_strangers_quote_is_no_piece_of_one(self):
        """The licence is all that they have in common, so it stands between them."""
        licence = prose(120, 1)
        for name, seed in ("one", 2), ("two", 3):
            self.write(f"quoting/{name}", " ".join(prose(250, seed) + licence + prose(250, 10 * seed)))
        self.write("quoting/licence", " ".join(licence))
        parents = self.parents("quoting")
        joined = [{name, parent} for name, parent in parents.items() if parent]
        self.assertTrue(all("quoting/licence" in edge for edge in joined), parents)

    def test_small_growth_is_no_evidence(self):
        """Corrections shorten as often as they lengthen a text; a chapter more is evidence."""
        text = prose(900, 1)
        self.write_all("small", {"1": text, "2": text[:400] + prose(9, 2) + text[404:]})
        self.write_all("chapter", {"1": text, "2": text[:100] + prose(9, 2) + text[104:400] + prose(9, 4)
                                   + text[404:600] + prose(600, 3) + text[605:]})
        self.assertLess(self.nodes("small")["small/2"]["direction"], .6)
        self.assertGreater(self.nodes("chapter", "-t.4")["chapter/2"]["direction"], .75)

    def test_what_grows_in_one_place_is_no_quote(self):
        text = prose(400, 1)
        for i in range(9):
            text = text[:50 * i] + prose(150, 20 + i) + text[50 * i:]
            self.write(f"inside/{i}", " ".join(text))
        self.assertEqual(self.parents("inside"), {f"inside/{i}": f"inside/{i - 1}" if i else None for i in range(9)})

    def test_what_grows_at_its_end_is_no_quote(self):
        words = prose(1900, 9)
        for name, size in enumerate((200, 420, 900, 1900)):
            self.write(f"end/{name}", " ".join(words[:size]))
            self.write(f"front/{name}", " ".join(words[-size:]))
        for folder in "end", "front":
            self.assertEqual(self.parents(folder), {f"{folder}/{i}": f"{folder}/{i - 1}" if i else None for i in range(4)})

    def test_scan_tells_the_same(self):
        names = self.history()
        self.assertEqual(self.parents("--tree", "--group=components", *names, command="scan"), self.EXPECTED)
        told = self.good("scan", "--tree", "--group=components", *names)
        self.assertIn("1 group: ", told)
        self.assertTrue(told.endswith(self.good("tree", *names)))
        without = self.nodes(*names, command="scan")
        self.assertFalse(any("derivation" in node for node in without.values()))

    def test_identical_and_empty(self):
        for name in "abc":
            self.write(f"{name}.txt", "the same few words in all of them")
        self.write("empty.txt", "")
        self.write("binary.bin", bytes(range(256)))
        self.write("copy.bin", bytes(range(256)))
        found = self.parents(".")
        self.assertEqual(sum(parent is None for parent in found.values()), 2)
        self.assertEqual(len(found), 5)

    def test_nothing_to_tell(self):
        self.write("a.txt", "a single document")
        self.assertEqual(self.good("tree", "."), "no groups\n")
        self.assertEqual(self.good("tree", "--quiet", "."), "")
        self.write("saved.json", self.good("tree", "--json", "."))
        self.assertEqual(self.good("tree", "--from=saved.json"), "no groups\n")
        self.assertEqual(self.good("tree", "--format=newick", "."), "")

    def test_many_members(self):
        """Records of 40 words, thousands of versions."""
        source, words, lines = random.Random(1), prose(40, 1), []
        for i in range(5000):
            words[source.randrange(40)] = f"n{i}"
            lines.append(json.dumps({"id": i, "text": " ".join(words)}))
        self.write("d.jsonl", "\n".join(lines))
        self.write("saved.json", self.good("tree", "--json", "--threshold=.5", "d.jsonl"))
        self.assertEqual(self.good("tree", "--from=saved.json", "--format=newick").count("'"), 10000)
        drawn = self.good("tree", "--from=saved.json").splitlines()
        self.assertTrue(len(drawn) == 5001 and max(map(len, drawn)) < 200)


class Drawn(Trees):
    def saved(self, lines):
        return self.write("saved.json", "".join(json.dumps(line) + "\n" for line in lines))

    def example(self):
        def node(name, parent, **more):
            kind = {"derivation": "revised", "added": 12, "removed": 3, "confidence": .9, "direction": 1}
            return {"id": name, "parent": parent, **(kind if parent else {"derivation": "root"}), **more}
        return [{"group": 1, "kept": node("c", "b"),
                 "members": [node("a", None), node("b", "a", second_parent="x", second_share=.25),
                             node("x", "a", derivation="excerpt"), node("y", "x"), node("z \"'\n", "c", derivation="same")]},
                {"problem": "gone.txt", "cause": "no such file"}, {"summary": {}}]

    def test_text(self):
        self.saved(self.example())
        self.assertEqual(self.good("tree", "--from=saved.json", locale="C.UTF-8"),
                         "group 1: 6 documents\n"
                         "● a\n"
                         "├─● x  excerpt +12 -3, 90 % sure\n"
                         "│ ● y  revised +12 -3, 90 % sure\n"
                         "● b  revised +12 -3, 25 % from x, 90 % sure\n"
                         "● c  revised +12 -3, 90 % sure\n"
                         "└─● z \"'\\x0a  same\n")
        self.assertEqual(self.good("tree", "--from=-", stdin=(self.folder / "saved.json").read_bytes()).splitlines()[:4],
                         ["group 1: 6 documents", "* a", "|-* x  excerpt +12 -3, 90 % sure",
                          "| * y  revised +12 -3, 90 % sure"])

    def test_options_of_a_scan_do_not_change_what_is_saved(self):
        self.saved(self.example())
        for option in "--threshold=.9", "--keep=newest", "--include=*.txt", "--dates":
            self.bad("tree", option, "--from=saved.json", says=f"{option.split('=')[0]} is of a scan, and 'saved.json'")

    def test_copies_are_no_steps(self):
        kind = {"derivation": "same", "confidence": 1, "direction": 1}
        copies = [{"id": name, "parent": parent, **kind} for name, parent in (("a2", "a"), ("b2", "b"), ("b3", "b"))]
        self.saved([{"group": 1, "kept": {"id": "a", "derivation": "root"},
                     "members": [{"id": "b", "parent": "a", "derivation": "revised"}, *copies]}])
        self.assertEqual([line.split("  ")[0] for line in self.good("tree", "--from=saved.json").splitlines()[1:]],
                         ["* a", "|-* a2", "* b", "|-* b2", "`-* b3"])

    def test_newick(self):
        self.saved(self.example())
        self.assertEqual(self.good("tree", "--from=saved.json", "--format=newick"),
                         "(('y':15)'x':15,(('z \"''\\x0a':15)'c':15)'b':15)'a';\n")

    def test_dot(self):
        self.saved(self.example())
        dot = self.good("tree", "--from=saved.json", "--format=dot")
        self.assertEqual(dot.splitlines()[:5], ["digraph stemma {", "  node [shape=box];", "  subgraph cluster_1 {",
                                                '    g1n0 [label="c"];', '    g1n1 [label="a"];'])
        self.assertIn('    g1n2 -> g1n0 [label="revised +12 -3", tooltip="90 % sure"];\n', dot)
        self.assertIn('    g1n3 -> g1n2 [label="25 %", style=dashed];\n', dot)
        self.assertIn('[label="z \\"\'\\\\x0a"];\n', dot)
        if shutil.which("dot"):
            subprocess.run(["dot", "-Tsvg"], input=dot.encode(), check=True, stdout=subprocess.DEVNULL)

    def test_saved_is_what_was_drawn(self):
        names = self.history()
        for format in "text", "dot", "newick":
            self.write("saved.json", self.good("tree", "--json", *names))
            drawn = self.good("tree", f"--format={format}", *names)
            self.assertEqual(self.good("tree", "--from=saved.json", f"--format={format}"), drawn)
            self.assertEqual(self.good("tree", "saved.json", f"--format={format}"), drawn)
        self.write("saved.json", self.good("scan", "--json", *names))
        self.bad("tree", "saved.json", says="saved without --tree")
        self.bad("tree", "--json", "saved.json", says="JSON already")
        self.write("saved.json", self.good("tree", "--json", names[0]))
        self.assertEqual(self.good("tree", "saved.json"), "no groups\n")

    def test_saved_names_that_are_alike(self):
        """Names that differ in bytes that are no UTF-8, and records of one id."""
        texts = [(self.folder / name).read_text() for name in self.history()]
        records = [json.dumps({"id": 1, "text": text}) for text in texts]
        os.mkdir(self.folder / "bad")
        for place, text in enumerate(texts):
            with open(os.fsencode(self.folder) + b"/bad/" + bytes([0xf0 + place]), "w") as file:
                file.write(text)
            self.write(f"sets/{place}.jsonl", records[place])
        self.write("one.jsonl", "\n".join(records))
        for pile in "bad", "sets", "one.jsonl":
            drawn = self.run_program("tree", pile).stdout.decode()
            self.write("saved.json", self.run_program("tree", "--json", pile).stdout)
            self.assertEqual(self.good("tree", "--from=saved.json"), drawn)
            self.assertEqual(len({line.split("  ")[0].split("* ")[-1] for line in drawn.splitlines()[1:]}),
                             1 if pile == "one.jsonl" else len(texts), drawn)

    def test_what_is_no_tree(self):
        example = self.example()
        for change, says in [({"members": 3}, "without --tree"), ({"members": [{"id": "b"}]}, "without --tree"),
                             ({"kept": None}, "without --tree"), ({"kept": {"id": "c", "parent": "b"}}, "without --tree"),
                             ({"members": []}, "make no tree"),
                             ({"kept": {**example[0]["kept"], "parent": "c"}}, "make no tree"),
                             ({"kept": {**example[0]["kept"], "parent": "z \"'\n"}}, "make no tree")]:
            self.saved([{**example[0], **change}])
            self.bad("tree", "--from=saved.json", says=f"saved.json.*line 1 .*{says}")
        for bad in "[1]", "{", "words", "{\"group\": 1}", "[" * 5000:
            self.write("saved.json", bad)
            self.bad("tree", "--from=saved.json", says="saved.json")
        for other in "", "{\"id\": 1, \"text\": \"a record\"}\n":
            self.write("saved.json", other)
            self.bad("tree", "--from=saved.json", says="'saved.json': it is no result of 'stemma scan --tree --json'")
        self.bad("tree", "--from=none.json", says="cannot open 'none.json'")

    def test_wrong_use(self):
        self.bad("tree", says="at least one file or folder.*\nTry 'stemma tree --help'")
        self.bad("tree", "--from=x", "y", says="no documents are read")
        self.bad("tree", "--format=svg", "y", says="text dot newick json|text, dot, newick")
        self.bad("scan", "--dates", "y", says="--dates is for --tree and --report")
        for other in "--pairs", "--boilerplate", "--list-redundant", "--filter=z":
            self.bad("scan", "--tree", other, "y", says="--tree is of groups")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
