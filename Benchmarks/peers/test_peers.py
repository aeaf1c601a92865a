"""The comparison of answers and the chart, without any library: python3 -m unittest."""
import unittest
import xml.etree.ElementTree

import answers
import chart
import options


def hits(*pairs):
    return [list(pairs)]


class AnswersTest(unittest.TestCase):
    reference = hits((0.9, 4), (0.5, 2), (0.4, 7))

    def test_the_same_answer_in_any_order_is_exact(self):
        agreement = answers.compare(self.reference, hits((0.4, 7), (0.9, 4), (0.5, 2)))
        self.assertEqual((agreement.same, agreement.exact, agreement.recall), (1, True, 1))

    def test_a_wrong_row_is_not_exact_and_lowers_the_recall(self):
        agreement = answers.compare(self.reference, hits((0.9, 4), (0.5, 3), (0.4, 7)))
        self.assertFalse(agreement.exact)
        self.assertAlmostEqual(agreement.recall, 2 / 3)

    def test_a_wrong_score_of_a_right_row_is_not_exact(self):
        self.assertFalse(answers.compare(self.reference, hits((0.9, 4), (0.5001, 2), (0.4, 7))).exact)

    def test_rows_that_rounding_exchanges_at_the_end_are_exact(self):
        agreement = answers.compare(self.reference, hits((0.9, 4), (0.5, 2), (0.4000005, 8)))
        self.assertEqual((agreement.same, agreement.rounding, agreement.exact), (0, 1, True))

    def test_too_few_rows_are_not_exact(self):
        self.assertFalse(answers.compare(self.reference, hits((0.9, 4), (0.5, 2))).exact)

    def test_only_rows_at_the_threshold_may_differ_in_a_search_by_threshold(self):
        found = hits((0.9, 4), (0.5, 2), (0.4, 7), (0.3500001, 9))
        self.assertTrue(answers.compare(self.reference, found, threshold=0.35).exact)
        self.assertFalse(answers.compare(self.reference, found, threshold=0.3).exact)
        self.assertTrue(answers.compare([[]], [[]], threshold=0.35).exact)


class ChartTest(unittest.TestCase):
    def test_the_chart_is_well_formed_and_names_every_engine(self):
        rows = [dict(engine=name, operation="topK", population="cohort", count=10, dimension=4, batch=1, threads=1,
                     level=None, exact=True, ratioToFaissFlat=ratio) for name, ratio in (("A & B", 2), ("faiss", 1))]
        text = "".join(xml.etree.ElementTree.fromstring(chart.svg(rows, "title")).itertext())
        self.assertIn("A & B", text)
        self.assertIn("faiss", text)

    def test_a_chart_of_nothing_is_well_formed(self):
        xml.etree.ElementTree.fromstring(chart.svg([], "title"))


class OptionsTest(unittest.TestCase):
    def test_sizes_and_operations_are_read_as_the_documentation_says(self):
        self.assertEqual([options.size(text) for text in ("10k", "1M", "7")], [10_000, 1_000_000, 7])
        self.assertEqual(options.operation("batch64"), options.Operation("batch", 64))
        self.assertEqual(options.peers("faiss,numkong"), ["faiss-flat", "faiss-8bit", "numkong-8bit"])


if __name__ == "__main__":
    unittest.main()
