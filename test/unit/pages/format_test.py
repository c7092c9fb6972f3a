"""Role: what pages make of numbers, times, states and outside text, and how they decide what fits a filter:
the modules themselves, run by node, which not every machine has.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PAGES = os.path.join(ROOT, 'daemons/wgatewayd/pages/s')
NODE = shutil.which('node')
COPY = tempfile.TemporaryDirectory()  # where node is told that they are modules
shutil.copytree(PAGES, COPY.name, dirs_exist_ok=True)
with open(os.path.join(COPY.name, 'package.json'), 'w', encoding='ascii') as package:
    package.write('{"type": "module"}')


def value(module, expression):
    """What an expression over a module's exports, `m`, is."""
    script = f'import * as m from {json.dumps("file://" + os.path.join(COPY.name, module))}; console.log(JSON.stringify({expression}));'
    done = subprocess.run([NODE, '--input-type=module', '-e', script], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


@unittest.skipUnless(NODE, 'no node on this machine')
class Format(unittest.TestCase):
    """format.js, dom.js, charts.js, experiment.js"""

    def test_a_tables_cells_say_their_column_and_what_they_are(self):
        rows = 'm.h("table", {}, m.h("thead", null, m.h("tr", null, m.h("th", null, m.h("b", null, "Na"), "me"), m.h("th", null, "")))' \
               ', m.h("tbody", null, m.h("tr", null, m.h("td", {class: "k"}, "a"), m.h("td", null, m.h("a", null, "b")))))'
        self.assertEqual(value('dom.js', f'{rows}.kids[1].kids[0].kids.map((c) => c.props)'),
                         [{'role': 'cell', 'class': 'k', 'data-label': 'Name'}, {'role': 'cell', 'data-label': ''}])
        self.assertEqual(value('dom.js', f'{rows}.kids[0].kids[0].kids[0].props.role'), 'columnheader')

    def test_durations_and_numbers(self):
        self.assertEqual(value('format.js', '[5, 75, 3720, 273600, null].map(m.duration)'), ['5s', '1m 15s', '1h 02m', '3d 04h', '–'])
        self.assertEqual(value('format.js', '[18760, 0.98684, 12.345, 0, 1, 3.2e-8, null, NaN].map(m.number)'),
                         ['18,760', '0.9868', '12.3', '0', '1', '3.2·10⁻⁸', '–', '–'])
        self.assertEqual(value('format.js', '[8 * 2 ** 30, 0].map(m.bytes)'), ['8 GiB', '–'])

    def test_states_are_alive_waiting_or_over(self):
        words = ['pending', 'held', 'launching', 'running', 'suspended', 'unknown', 'array', 'finished', 'failed', 'killed', 'error']
        counts = value('format.js', f'{words}.map((w) => [m.isAlive(w), m.isWaiting(w), m.isOver(w)].filter(Boolean).length)')
        self.assertEqual(counts, [1] * len(words))
        self.assertEqual(value('format.js', 'm.state("new-word").word'), 'new-word')

    def test_a_filter_is_words_that_all_fit(self):
        job = '{jobid: "12", job_name: "Mnist-ann", user: "ann", plan: "/research", wm_state: "running"}'
        fits = value('format.js', f'["mnist", "12", "1", "user:ann run", "user:ann plan:res", "-state:pending", "-user:ann", ""].map((t) => m.fitsFilter({job}, t))')
        self.assertEqual(fits, [True, True, False, False, True, True, False, True])

    def test_csv_cells_are_no_formulas(self):
        self.assertEqual(value('format.js', '["=1+1", "-x", -1, "a,b", "c\\"d", null].map(m.csvCell)'), ["'=1+1", "'-x", '-1', '"a,b"', '"c""d"', ''])

    def test_hidden_characters_of_outside_text_are_shown_and_it_is_cut(self):
        self.assertEqual(value('dom.js', 'm.clean("a\\u202eb\\u200b")'), 'a‹202e›b‹200b›')
        self.assertEqual(len(value('dom.js', 'm.clean("x".repeat(1e6))')), 201)

    def test_slots_stack_at_every_change(self):
        stacked = value('charts.js', 'm.stacked([{id: "1", steps: [[0, 4], [5, 2]]}, {id: "2", steps: [[5, 2]]}], 0, 10)')
        self.assertEqual(stacked['times'], [0, 5, 10])
        self.assertEqual([layer['values'] for layer in stacked['layers']], [[4, 2, 2], [0, 2, 2]])
        self.assertEqual(stacked['layers'][1]['below'], [4, 2, 2])

    def test_a_curve_that_spans_much_is_logarithmic_and_a_share_ends_at_1(self):
        self.assertEqual(value('charts.js', 'm.range([{points: [[0, 0, 1, 0.001, 1]]}])[2]'), True)
        self.assertEqual(value('charts.js', 'm.range([{points: [[0, 0, 1, 0.9, 0.99]]}])[1] <= 1'), True)
        self.assertEqual(value('charts.js', 'm.range([])'), [0, 1, False])


if __name__ == '__main__':
    unittest.main()
