#!/usr/bin/env python3
"""The page of `stemma scan --report` as people use it, in a headless Chromium: what is shown, by keyboard, on a phone, by
a screen reader, and that nothing in it can do harm.

  report_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]

STEMMA_PAGE_DIR is where npm works. With STEMMA_SCREENSHOTS=DIR the views are also drawn there, to be looked at.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from browser import PROGRAM as CHROMIUM, Browser
from program import PROGRAM, Base, prose, words

NPM = Path(os.environ.get("STEMMA_PAGE_DIR", "build/page"))
PHONE = dict(width=390, height=844)
HOSTILE = ["</script><script>document.title='pwned'</script>.txt", "<img src=x onerror=document.title='pwned'>.txt",
           "\u202egpj.exe.txt", "line\nbreak \x1b[31m.txt", "'; rm -rf x #.txt"]


def missing():
    """Why there is nothing to test, or None. In a build that must have the page that is a failure."""
    if not CHROMIUM:
        return "there is no Chromium"
    done = subprocess.run([PROGRAM, "scan", "--report=/nonexistent/x", "/nonexistent"], capture_output=True)
    return "the program has no page" if b"without the page" in done.stderr else None


class Report(Base):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        super().setUp()
        self.browser.look()

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [], "the console")
        self.assertEqual(self.browser.requests, [], "requests")

    def report(self, *arguments):
        self.run_program("scan", "--quiet", "--report=report.html", "--force", *arguments)
        return self.folder / "report.html"

    def text(self, selector):
        return self.browser.run(f"document.querySelector({json.dumps(selector)})?.innerText")

    def texts(self, selector):
        return self.browser.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")

    def focus(self):
        return self.browser.run("document.activeElement.textContent")

    def press(self, key, times=1, **how):
        for _ in range(times):
            self.browser.press(key, **how)

    def draw(self, name):
        folder = os.environ.get("STEMMA_SCREENSHOTS")
        if folder:
            self.browser.screenshot(f"{folder}/{name}.png")

    def pile(self):
        """A group with a known difference, a moved paragraph and a copy; another group; something unreadable."""
        parts = [" ".join(prose(40, seed)) for seed in range(10)]
        self.write("pile/draft/a.txt", "\n\n".join(parts))
        changed = parts[:2] + [parts[2] + " entirely new words"] + [parts[4], parts[5], parts[3]] + parts[6:]
        self.write("pile/draft/b.txt", "\n\n".join(changed))
        self.write("pile/copies/a.txt", "\n\n".join(parts))
        self.write("pile/copies/part.txt", "\n\n".join(parts[:7]))
        self.write("pile/c.txt", " ".join(words(300)))
        self.write("pile/d.txt", " ".join(words(300) + ["more"]))
        return "pile", "pile/gone.txt"

    def many(self, groups):
        lines = []
        for i in range(groups):
            text = " ".join(prose(30, i))
            lines += [json.dumps({"id": f"folder{i % 50}/document {i} {kind}", "text": text + more})
                      for kind, more in [("kept", " and its longer end"), ("copy", "")]]
        self.write("many.jsonl", "\n".join(lines))
        return self.report("many.jsonl")


class Views(Report):
    def open(self, route="/"):
        self.browser.open(self.report(*self.pile()), route)

    def test_overview(self):
        self.open()
        self.assertEqual(self.text("h1"), "4 documents of 6 could be removed")
        self.assertEqual(self.texts(".figure dt"), ["Documents", "Groups", "Redundant", "Problems"])
        self.assertEqual(self.texts("h2"), ["Sizes of groups", "Resemblance", "Redundancy by folder", "Largest savings",
                                            "How this was found"])
        self.assertIn("pile/copies/", self.texts(".folders .name"))
        self.assertIn("4 documents of 6", self.browser.run("document.title"))
        self.draw("overview")

    def test_what_is_inside_archives_is_not_counted(self):
        pile = self.pile()
        with zipfile.ZipFile(self.folder / "pile/z.zip", "w") as archive:
            archive.write(self.folder / "pile/draft/a.txt", "a.txt")
        self.browser.open(self.report(*pile), "/")
        self.assertEqual(self.text("h1"), "4 documents of 8 could be removed")
        self.assertEqual(self.text(".lead"), "1 more inside other files, such as archives.")
        self.assertNotIn("z.zip", " ".join(self.texts(".folders .name")))
        self.assertEqual(self.texts(".largest .faint")[0], "in 3 documents")

    def test_folder_leads_to_its_groups(self):
        self.open()
        self.browser.run("[...document.querySelectorAll('.folders a')].find(a => a.textContent.includes('copies')).click()")
        self.browser.wait("document.querySelector('.found')")
        self.assertEqual(self.text(".found").split(",")[0], "1 group of 2")

    def test_search_of_an_address_ends_with_it(self):
        self.open("/groups?q=copies")
        self.assertEqual(self.text(".found").split(",")[0], "1 group of 2")
        self.browser.go("/groups")
        self.assertEqual((self.text(".found").split(",")[0], self.browser.run("document.querySelector('input').value")), ("2 groups", ""))

    def test_list_is_as_high_as_its_rows(self):
        self.browser.look(**PHONE)
        self.open("/groups?q=copies")
        self.assertLess(self.browser.run("document.querySelector('.virtual').offsetHeight"), 100)
        self.assertLess(self.browser.run("document.querySelector('.groups-view').offsetHeight"), 500)

    def test_group(self):
        self.open("/group/1")
        rows = self.texts(".members tbody tr")
        self.assertEqual(len(rows), 4)
        self.assertIn("kept", rows[0])
        self.assertEqual(len(self.texts(".tree li")), 4)
        self.assertEqual(self.browser.run("document.querySelectorAll('.tree .edge:not(.second)').length"), 3)
        self.assertEqual(len(self.texts(".tree a")), 3)  # all but the oldest
        self.draw("group")

    def test_the_tree_is_as_sure_as_the_program(self):
        self.open("/group/1")
        told = self.good("tree", "--group=stars", "pile").split("group 2")[0]
        self.assertEqual(sorted(re.findall(r"\d+ % sure", " ".join(self.texts(".way")))), sorted(re.findall(r"\d+ % sure", told)))

    def test_another_form(self):
        text = prose(400, 1)
        self.write("forms/a.txt", " ".join(text))
        self.write("forms/b.html", f"<p>{' '.join(text)}</p>")
        self.write("forms/c.html", f"<p>{' '.join(text)} end</p>")
        self.browser.open(self.report("--keep=first", "forms"), "/group/1")
        self.assertEqual(self.texts(".members .relation"), ["kept", "same text in another form", "another form"])
        self.browser.go("/group/1/compare/0/2")
        self.assertEqual(self.text(".relation"), "another form 99 %")
        self.browser.go("/groups")
        self.assertEqual(self.texts(".row .relation"), ["another form 99–100 %"])

    def test_a_text_of_two_ancestors(self):
        """The second edge is dashed, and told to those who do not see it."""
        part = lambda words, seed: " ".join(prose(words, seed))
        parts = [part(60, seed) for seed in range(14)]
        one = [*parts[:5], part(60, 100), *parts[5:8], part(70, 150), *parts[8:]]
        other = [*parts[:2], part(50, 250), *parts[2:11], part(60, 300), *parts[12:], part(90, 200)]
        for name, text in (("a", parts), ("b", one), ("c", other), ("d", [*one[:-1], part(60, 310), other[-1]])):
            self.write(f"family/{name}.txt", "\n\n".join(text))
        self.browser.open(self.report("--group=components", "family"), "/group/1")
        dashes = "[...document.querySelectorAll('.tree .edge')].map(edge => getComputedStyle(edge).strokeDasharray)"
        self.assertEqual(sorted(self.browser.run(dashes)), ["4px, 4px", "none", "none", "none"])
        self.assertEqual(len([way for way in self.texts(".tree .way") if ", with text of " in way]), 1)
        self.assertIn("a dashed line", self.text(".legend-line"))
        self.draw("tree")

    def test_what_may_lack_text(self):
        text = prose(300, 1)
        self.write("pile/a.txt", " ".join(text) + " and more")
        self.write("pile/b.rtf", "{\\rtf1 " + " ".join(text))
        self.write("pile/c.docx", b"PK\3\4" + bytes(22) + b"\x10\0\0\0[Content_Types].x")
        self.browser.open(self.report("pile"), "/problems")
        self.assertIn("took part, but may lack text", self.text(".lead"))
        self.assertEqual([self.texts(f".problems {part}")[0] for part in (".name", ".state", ".cause")],
                         ["pile/b.rtf", "may lack text", "it ends in the middle"])
        self.assertEqual(self.texts(".problems .state")[1:], ["not read"])
        self.browser.go("/group/1")
        self.assertEqual([" ".join(row.split()) for row in self.texts(".members tbody th")], ["pile/a.txt", "pile/b.rtf may lack text"])
        self.browser.go("/")
        self.assertIn("1 left, as it holds more than was compared.", self.texts(".lead"))

    def test_names_below_the_folder_one_is_in(self):
        self.pile()
        subprocess.run([PROGRAM, "scan", "--quiet", "--report=../report.html", "--force", "."], cwd=self.folder / "pile", capture_output=True)
        self.browser.open(self.folder / "report.html", "/group/1")
        self.assertEqual(sorted(self.texts(".members tbody th")), ["copies/a.txt", "copies/part.txt", "draft/a.txt", "draft/b.txt"])
        self.assertRegex(self.text(".subject"), r"\A\s*[\d-]+\Z")
        self.browser.go("/group/1/compare/0/1")
        self.browser.wait("document.querySelector('.compared')")
        self.assertRegex(self.text(".command code"), r"stemma diff \./\S+ \./\S+")
        self.browser.go("/")
        self.browser.run("document.querySelector('.folders a').click()")
        self.browser.wait("document.querySelector('.found')")
        self.assertTrue(self.text(".found").startswith("1 group of"))

    def test_the_tree_on_a_phone(self):
        """What was done stands below each name, in reach of a finger, and its line meets it."""
        self.browser.look(**PHONE)
        self.open("/group/1")
        rows = self.browser.run("[...document.querySelectorAll('.tree li')].map(row => row.offsetHeight)")
        self.assertEqual(set(rows), {50})
        middles = self.browser.run("[...document.querySelectorAll('.tree circle, .tree li')].map(e => { const b = e.getBoundingClientRect(); return (b.top + b.bottom) / 2 })")
        for dot, row in zip(sorted(middles[:len(rows)]), middles[len(rows):]):
            self.assertAlmostEqual(dot, row, delta=1)
        self.assertLessEqual(self.browser.run("document.querySelector('.tree').scrollWidth"), PHONE["width"])

    def test_comparison_marks_what_differs_and_what_moved(self):
        self.open("/group/1")
        names = self.texts(".members tbody th")
        place = next(i for i, name in enumerate(names) if name == "pile/draft/a.txt")
        kept = names[0]
        self.browser.go(f"/group/1/compare/{place}/0")
        self.browser.wait("document.querySelector('.compared')")
        self.assertEqual((kept, self.texts("ins")), ("pile/draft/b.txt", ["entirely new words"]))
        self.assertEqual(self.texts("del"), [])
        moved = " ".join(prose(40, 3))
        self.assertEqual(self.texts("a.moved"), [f"moved: {moved}"] * 2)
        self.browser.run("document.querySelector('.a a.moved').click()")
        self.assertTrue(self.browser.run("document.activeElement.matches('.b a.moved')"))
        self.assertEqual(self.text(".command code"), "stemma diff pile/draft/a.txt pile/draft/b.txt")
        self.draw("compare")

    def test_what_does_not_count_as_text_is_said(self):
        text = " ".join(prose(50, 1))
        self.write("same/a.txt", text + " six!")
        self.write("same/b.txt", text + " six.")
        self.browser.open(self.report("same"), "/group/1/compare/0/1")
        self.browser.wait("document.querySelector('.compared')")
        self.assertIn("does not count as text", self.text("main"))
        self.assertIn("1 word only on the left", self.texts(".legend li"))

    def test_any_two_can_be_chosen(self):
        self.open("/group/1/compare/0/1")
        self.browser.run("""(() => { const right = document.querySelectorAll('.choices select')[1];
                             right.value = '3'; right.dispatchEvent(new Event('change', {bubbles: true})) })()""")
        self.browser.settle()
        self.assertEqual(self.browser.run("location.hash"), "#/group/1/compare/0/3")

    def test_data_sets_can_be_searched(self):
        self.browser.open(self.many(20))
        self.browser.run("document.querySelector('.folders a').click()")
        self.browser.wait("document.querySelector('.found')")
        self.assertEqual(self.text(".found").split(",")[0], "20 groups")

    def test_problems(self):
        self.open("/problems")
        self.assertEqual(len(self.texts(".problems li")), 1)
        self.assertIn("pile/gone.txt", self.text(".problems li"))

    def test_folded_text_is_compared_with_folded_text(self):
        body = " ".join(prose(60, 1))
        self.write("set.jsonl.gz", gzip.compress(json.dumps({"id": "x", "text": body.upper() + ", more"}).encode()))
        self.write("a.txt", "\n".join(body.replace("w", "W").split(" ")))
        self.browser.open(self.report("set.jsonl.gz", "a.txt"), "/group/1/compare/1/0")
        self.browser.wait("document.querySelector('.compared')")
        self.assertIn("without case and punctuation", self.text(".notice"))
        self.assertEqual((self.texts("del"), self.texts("ins")), ([], ["more"]))

    def test_text_that_is_not_there(self):
        page = self.report("--report-text=0", *self.pile())
        self.browser.open(page, "/group/1/compare/0/1")
        self.browser.wait("document.querySelector('.notice')")
        self.assertIn("--report-text=0", self.text(".notice"))
        self.assertIn("stemma diff", self.text(".command"))

    def test_colours(self):
        self.open()
        ground = "getComputedStyle(document.documentElement).backgroundColor"
        light = self.browser.run(ground)
        self.browser.look(dark=True)
        self.browser.settle()
        dark = self.browser.run(ground)
        self.assertNotEqual(light, dark)
        self.browser.run("""(() => { const s = document.querySelector('.theme select'); s.value = 'light';
                             s.dispatchEvent(new Event('change', {bubbles: true})) })()""")
        self.browser.settle()
        self.assertEqual(self.browser.run(ground), light)
        self.browser.run("localStorage.clear()")

    def test_narrow_screens_need_no_sideways_scrolling(self):
        self.browser.look(**PHONE)
        self.open()
        for route in ["/", "/groups", "/group/1", "/group/1/compare/0/1", "/problems"]:
            self.browser.go(route)
            wide = self.browser.run("document.documentElement.scrollWidth - innerWidth")
            self.assertLessEqual(wide, 0, route)

    def test_relations_are_whole_on_a_phone(self):
        text = prose(20000, 1)
        for i in range(12):
            self.write(f"{i}.txt", " ".join(text[:20000 - 500 * i]))
        self.browser.look(**PHONE)
        self.browser.open(self.report("."), "/groups")
        self.browser.wait("document.querySelector('.row .relation')")
        cut = """[...document.querySelectorAll('.row .relation')].filter(e => e.getBoundingClientRect().right
                 > e.parentElement.getBoundingClientRect().right || e.scrollWidth > e.clientWidth).map(e => e.textContent)"""
        self.assertEqual(self.browser.run(cut), [])
        self.draw("groups-phone")

    def test_print(self):
        self.browser.open(self.many(300), "/groups")
        self.browser.print_pages(self.folder / "report.pdf")
        pages = (self.folder / "report.pdf").read_bytes().count(b"/Type /Page\n")
        self.assertGreater(pages, 5)  # all groups, and not those on the screen alone

    def test_no_groups(self):
        self.write("a", "nothing like anything else in here at all")
        self.browser.open(self.report("a"))
        self.assertEqual(self.text("h1"), "No near-duplicates")


class Hostile(Report):
    def test_names_and_texts_are_inert(self):
        text = " ".join(words(200))
        for i, name in enumerate(HOSTILE):
            self.write("pile/" + name.replace("/", "_"), text + f"\n</script><b>bold</b> <!-- {i} \u202e turned " + " ".join(prose(3, i)))
        self.browser.open(self.report("pile"), "/group/1")
        name = "\u202egpj.exe.txt"
        self.assertFalse(any("\u202e" in shown for shown in self.texts("body")))
        self.assertIn("\u27e8U+202E\u27e9", self.text(".members") or "")
        self.browser.go("/group/1/compare/0/1")
        self.browser.wait("document.querySelector('.compared')")
        self.assertIn("</script><b>bold</b>", self.text(".compared"))
        self.assertEqual(self.browser.run("document.querySelectorAll('.compared b, .compared script, img').length"), 0)
        self.assertNotIn("pwned", self.browser.run("document.title"))
        self.assertEqual(self.browser.run("document.querySelectorAll('script:not([type])').length"), 0, name)

    def test_command_is_one_that_a_shell_takes_as_meant(self):
        text = " ".join(words(200))
        for i, name in enumerate(HOSTILE):
            self.write("pile/" + name.replace("/", "_"), text + f" {i}")
        self.browser.open(self.report("pile"), "/group/1/compare/0/1")
        found = set()
        for place in range(1, len(HOSTILE)):
            self.browser.go(f"/group/1/compare/0/{place}")
            command = self.text(".command code").replace("stemma diff", "printf '%s\\0'")
            found |= set(subprocess.run(["bash", "-c", command], capture_output=True, check=True).stdout.decode().split("\0"))
        self.assertEqual(found - {""}, {"pile/" + name.replace("/", "_") for name in HOSTILE})

    def test_command_finds_members_and_records(self):
        """What the page gives is pasted into a shell, and shows the differences."""
        text = words(200)
        with zipfile.ZipFile(self.folder / "-old's.zip", "w") as archive:
            archive.writestr("in it!.txt", " ".join(text + ["member"]))
        records = [{"id": "x 1", "body": " ".join(text + ["named"])}, {"body": " ".join(text + ["unnamed"])}]
        self.write("$(set).jsonl", "\n".join(map(json.dumps, records)))
        self.browser.open(self.report("--text-field=body", "--preset=code", "--", "-old's.zip", "$(set).jsonl"), "/group/1/compare/0/1")
        for left, right in [(0, 1), (1, 2), (2, 0)]:
            self.browser.go(f"/group/1/compare/{left}/{right}")
            self.browser.wait("document.querySelector('.command')")
            done = subprocess.run(["bash", "-c", self.text(".command code")], cwd=self.folder, capture_output=True, text=True,
                                  env=dict(os.environ, PATH=f"{Path(PROGRAM).resolve().parent}:{os.environ['PATH']}"))
            self.assertEqual((done.returncode, done.stderr), (1, ""), self.text(".command code"))
            self.assertRegex(done.stdout, r"\[-(member|(un)?named)-\]\{\+(member|(un)?named)\+\}")

    def test_no_command_where_a_name_would_mean_another_record(self):
        records = [{"id": "same", "text": " ".join(words(200) + [end])} for end in ("one", "two")]
        self.write("set.jsonl", "\n".join(map(json.dumps, records)))
        self.browser.open(self.report("set.jsonl"), "/group/1/compare/0/1")
        self.browser.wait("document.querySelector('.compared')")
        self.assertIsNone(self.text(".command"))

    def test_policy_forbids_what_was_put_in(self):
        self.browser.open(self.report(*self.pile()))
        self.browser.run("""document.body.append(Object.assign(document.createElement('script'),
                            {textContent: 'document.title = "pwned"'}))""")
        self.browser.settle()
        self.assertNotEqual(self.browser.run("document.title"), "pwned")
        self.assertIn("Content Security Policy", " ".join(self.browser.complaints))
        self.browser.complaints.clear()


class Keyboard(Report):
    def test_by_keys_alone(self):
        self.browser.open(self.many(500), "/groups")
        self.press("Tab")
        self.assertEqual(self.focus(), "Skip to the content")
        self.press("Enter")
        self.assertEqual(self.focus(), "Groups")
        self.press("Tab")
        self.browser.type("folder7/")
        self.browser.wait("document.querySelector('.found').textContent.startsWith('10 groups')")
        self.press("Tab", 3)
        row = "document.activeElement.dataset.row"
        self.assertEqual(self.browser.run(row), "0")
        self.press("ArrowDown", 3)
        self.assertEqual(self.browser.run(row), "3")
        self.press("End")
        self.assertEqual(self.browser.run(row), "9")
        name = self.browser.run("document.activeElement.querySelector('.name').textContent")
        self.press("Enter")
        self.browser.wait("document.querySelector('.members')")
        self.assertTrue(self.focus().startswith("Group "))
        self.assertIn(name, self.text(".lead"))
        self.browser.run("history.back()")
        self.browser.wait("document.querySelector('.virtual')")
        self.assertEqual(self.browser.run("document.querySelector('input').value"), "folder7/")

    def test_from_difference_to_difference(self):
        self.browser.open(self.report(*self.pile()), "/group/1/compare/1/0")
        self.browser.wait("document.querySelector('.compared')")
        self.browser.run("[...document.querySelectorAll('.tools button')].at(-1).focus()")
        places = []
        for _ in range(2): places.append(self.next_difference())
        self.assertIn("entirely new words", places[0])
        self.assertTrue(places[1] and places[1] != places[0])

    def next_difference(self):
        self.browser.run("[...document.querySelectorAll('.tools button')].at(-1).click()")
        self.browser.settle()
        return self.browser.run("document.activeElement.matches('.differs') && document.activeElement.textContent")

    def test_differences_far_apart(self):
        lines = [f"{' '.join(prose(5, number))} {number}" for number in range(4500)]
        self.write("far/a.txt", "\n".join(lines))
        self.write("far/b.txt", "\n".join(lines[:10] + ["first new"] + lines[10:4400] + ["second new"] + lines[4400:]))
        self.browser.open(self.report("far"), "/group/1/compare/0/1")
        self.browser.wait("document.querySelector('.compared')")
        self.assertEqual((len(self.texts(".differs")), self.texts(".more")), (2, []))
        self.assertIn("first new", self.next_difference())
        self.assertIn("second new", self.next_difference())

    def test_next_difference_is_loaded(self):
        lines = [f"{' '.join(prose(5, number))} {number}" for number in range(7200)]
        self.write("long/a.txt", "\n".join(lines[:3900]))
        self.write("long/b.txt", "\n".join(lines[:10] + lines[3900:] + lines[10:3880] + ["the last new"] + lines[3880:3900]))
        self.browser.open(self.report("long"), "/group/1/compare/0/1")
        self.browser.wait("document.querySelector('.compared')")
        self.assertNotIn("the last new", self.text(".compared"))
        self.assertRegex(self.text(".more"), r"Show the other \d+")
        self.next_difference()
        self.assertIn("the last new", self.next_difference())
        self.assertIn("the last new", self.next_difference())

    def test_long_list(self):
        self.browser.open(self.many(500), "/groups")
        self.browser.run("document.querySelector('[data-row]').focus()")
        self.press("End")
        self.assertEqual(self.browser.run("document.activeElement.dataset.row"), "499")
        self.press("PageUp")
        self.press("Home")
        self.assertEqual(self.browser.run("document.activeElement.dataset.row"), "0")


class Accessible(Report):
    def test_no_serious_violations(self):
        axe = (NPM / "node_modules/axe-core/axe.min.js").read_text()
        page = self.report(*self.pile())
        for look in (dict(width=1280), dict(width=390, dark=True)):
            self.browser.look(**look)
            for route in ["/", "/groups", "/group/1", "/group/1/compare/1/0", "/problems"]:
                self.browser.open(page, route)
                if "compare" in route:
                    self.browser.wait("document.querySelector('.compared')")
                self.browser.run(f"{axe}; true")
                found = self.browser.run("""axe.run().then(r => r.violations
                    .filter(v => ['serious', 'critical'].includes(v.impact)).map(v => v.id + ': ' + v.nodes[0].html))""")
                self.assertEqual(found, [], (route, look))
                self.assertEqual(len(self.texts("main h1, header, main, footer, header nav")), 5, route)


class Many(Report):
    def test_ten_thousand_groups(self):
        """Only what is seen is drawn, so that how many there are does not matter."""
        self.browser.open(self.many(10000), "/groups")
        self.assertTrue(self.text(".found").startswith("10,000 groups"))
        self.assertLess(len(self.texts("[data-row]")), 60)
        for place in ("document.querySelector('.virtual').scrollHeight / 2", "1e9"):
            self.browser.run(f"document.querySelector('.virtual').scrollTop = {place}")
            self.browser.settle()
            self.assertLess(len(self.texts("[data-row]")), 60)
        self.assertIn("9999", self.browser.run("[...document.querySelectorAll('[data-row]')].map(e => e.dataset.row)"))
        self.browser.run("document.querySelector('input').focus()")
        self.browser.type("document 4711 ")
        self.browser.wait("document.querySelectorAll('[data-row]').length === 1")


class Source(unittest.TestCase):
    def npm(self, script):
        done = subprocess.run(["npm", "run", "--silent", script], cwd=NPM, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_types(self):
        self.npm("check")

    def test_comparison(self):
        self.npm("test")


if __name__ == "__main__":
    reason = missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(1 if os.environ.get("STEMMA_REPORT") == "ON" else 77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
