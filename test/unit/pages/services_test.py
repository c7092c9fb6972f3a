"""Role: what the pages of services make of figures, pictures and profiles: the modules themselves, run by node."""

import unittest

from format_test import NODE, value


@unittest.skipUnless(NODE, 'no node on this machine')
class Services(unittest.TestCase):
    """series.js, sample.js, values.js"""

    def test_a_figure_ends_at_a_round_value_and_has_gaps(self):
        self.assertEqual(value('series.js', '[0, 0.3, 1, 7, 11, 200, 201].map(m.niceTop)'), [1, 0.5, 1, 10, 20, 200, 500])
        self.assertEqual(value('series.js', 'm.runs([[0, 1], [2, 2], [4, null], [6, 3], [30, 4]], 10)'), [[[0, 1], [2, 2]], [[6, 3]], [[30, 4]]])

    def test_a_picture_is_reduced_by_area(self):
        self.assertEqual(value('sample.js', 'm.reduced([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], 2, 2)'), [[1, 0], [0, 0.5]])
        self.assertEqual(value('sample.js', 'm.reduced([[0, 1, 0]], 2, 1)[0].map((v) => Math.round(v * 100))'), [33, 33])

    def test_a_drawing_is_cut_out_square_with_its_margin(self):
        framed = 'm.framed([[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]], %s)'
        self.assertEqual(value('sample.js', framed % '0'), [[1, 0], [1, 0]])
        self.assertEqual(len(value('sample.js', framed % '0.25')), 4)
        self.assertEqual(value('sample.js', 'm.framed([[0, 0]], 0)'), [[0, 0]])

    def test_a_request_has_the_signatures_shape_and_an_answer_its_ranking(self):
        asked = value('sample.js', 'm.request([[1, 0], [0, 0]], [3, 1, 1])')
        self.assertEqual(asked['inputs'][0]['shape'], [1, 3, 1, 1])
        self.assertEqual(asked['inputs'][0]['data'], [0.25, 0.25, 0.25])
        answer = '{outputs: [{name: "probability", data: [0.1, 0.7, 0.2]}, {name: "label", data: ["one"]}]}'
        self.assertEqual(value('sample.js', f'm.ranking({answer})'), [['one', 0.7], ['2', 0.2], ['0', 0.1]])
        self.assertIsNone(value('sample.js', 'm.ranking({predictions: []})'))

    def test_fields_of_a_profile_are_placed_and_keep_the_rest(self):
        self.assertEqual(value('values.js', 'm.placed({policy: {a: 1, b: 2}, x: 3}, "policy.a", 9)'), {'policy': {'a': 9, 'b': 2}, 'x': 3})
        fields = '[["policy.kernel_max", "", "", "number"], ["policy.kernel_min", "", "", "number"], ["kernel.gpu", "", "", []]]'
        edits = 'new Map([["policy.kernel_max", "-1"], ["policy.kernel_min", "x"], ["kernel.gpu", "shared"]])'
        self.assertEqual(value('values.js', f'm.typed({{policy: {{kernel_max: 4, b: 2}}, kernel: {{gpu: "no"}}}}, {edits}, {fields})'),
                         {'policy': {'kernel_max': -1, 'kernel_min': 'x', 'b': 2}, 'kernel': {'gpu': 'shared'}})

    def test_names_and_metrics_of_models(self):
        self.assertEqual(value('values.js', '["ann digits/cnn", "../x", "", "a".repeat(99)].map((t) => m.nameFrom(t).slice(0, 20))'), ['ann-digits-cnn', 'x', 'model', 'a' * 20])
        self.assertEqual(value('values.js', 'm.told({"train loss": 1, loss: 0.5, accuracy: 0.98})'), 'accuracy 0.98, loss 0.5')


if __name__ == '__main__':
    unittest.main()
