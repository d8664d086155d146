# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import itertools
import unittest

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from fixtures.bindings import make_context
from validation.oracle import differential
from validation.oracle.differential_draw import (
    NUMPY,
    Draw,
    Instance,
    hex_attribute,
    parse_type,
    tensor,
)
from validation.oracle.differential_known import RULES, Difference, beyond, explain
from validation.oracle.differential_ops import NOT_DRAWN, PROGRAMS
from validation.oracle.differential_oracles import rename
from validation.oracle.differential_suite import cases_of, functions_of, instance_of, part_of
from validation.oracle.differential_widened import narrowed, rounded, widened


def difference(got: list, expected: list, bound: list, exact: bool = False, op: str = "add") -> Difference:
    draw = Draw(0, op, 0)
    draw.argument("f32", (len(got),), np.ones(len(got)))
    draw.notes["style"] = "plain"
    arrays = [np.array(v, np.float32) for v in (got, expected)]
    return Difference(draw.instance(), "xla", 0, "f32", *arrays, np.array(bound, float), exact)


CASE = """// case: call_3_f32_12345678
module attributes {opbyop.case = "call_3_f32_12345678"} {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.composite "my.twice" %arg0 {decomposition = @callee_0} : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @callee_0(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
"""


class SuiteTest(unittest.TestCase):
    def test_functions_of_a_case_are_named_so_that_several_fit_into_a_module(self):
        text = functions_of(CASE)
        self.assertNotIn("module", text)
        self.assertIn("decomposition = @main_callee_0}", text)
        self.assertIn("func.func private @main_callee_0(", text)
        renamed = rename(text, "f7") + rename(text, "f8")
        with make_context():
            self.assertTrue(ir.Module.parse(renamed).operation.verify())

    def test_a_case_is_an_instance_with_the_inputs_that_it_is_given(self):
        line = '- {"id":"call_3_f32_12345678","op":"stablehlo.composite","inputs":[{"shape":[3],"dtype":"f32"}],'
        [case] = cases_of("suite: {}\ncases:\n" + line + '"outputs":[{"shape":[3],"dtype":"f32"}]}\n')
        made = instance_of(case, CASE, (np.ones(3, np.float32),), "domain")
        self.assertEqual((made.id, made.op), ("call_3_f32_12345678", "composite"))
        self.assertEqual(made.input_types, ("tensor<3xf32>",))
        self.assertEqual(made.results, (("f32", (3,)),))

    def test_the_shards_of_a_suite_have_each_case_once(self):
        cases = list(range(10))
        shards = [cases[part_of(f"{k}/3")] for k in (1, 2, 3)]
        self.assertEqual(sorted(itertools.chain(*shards)), cases)

    def test_what_is_no_shard_is_refused(self):
        for text in ("0/3", "4/3", "1", "1/", "a/b", "-1/3"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                part_of(text)


class ProgramsTest(unittest.TestCase):
    def test_the_same_seed_gives_the_same_programs(self):
        first, second = (list(differential.instances(150, 7)) for _ in range(2))
        self.assertEqual([i.text for i in first], [i.text for i in second])
        for a, b in zip(first, second, strict=True):
            self.assertEqual([x.tobytes() for x in a.inputs], [x.tobytes() for x in b.inputs])

    def test_another_seed_gives_others(self):
        first, second = (list(differential.instances(150, seed)) for seed in (1, 2))
        self.assertNotEqual([i.text for i in first], [i.text for i in second])

    def test_every_op_of_the_dialect_is_drawn_or_has_a_reason(self):
        names = {
            getattr(stablehlo, name).OPERATION_NAME.removeprefix("stablehlo.")
            for name in dir(stablehlo)
            if hasattr(getattr(stablehlo, name), "OPERATION_NAME")
        }
        self.assertGreater(len(names), 100)
        self.assertEqual(names - PROGRAMS.keys() - NOT_DRAWN.keys(), set())

    def test_upstream_accepts_every_program(self):
        context = make_context()
        for instance in differential.instances(600, 3):
            with self.subTest(instance.id), context:
                module = ir.Module.parse(instance.text)
                self.assertTrue(module.operation.verify())

    def test_only_selects_one_program_of_an_op(self):
        chosen = list(differential.instances(1000, 0, ["add/2", "sort"]))
        self.assertEqual([i.id for i in chosen if i.op == "add"], ["add/2"])
        self.assertGreater(len(chosen), 5)

    def test_only_shares_all_programs_among_the_ops_it_names(self):
        chosen = list(differential.instances(60, 0, ["several"]))
        self.assertEqual({i.op for i in chosen}, {"several"})
        self.assertEqual(len(chosen), 60)

    def test_programs_of_several_ops_have_several(self):
        for instance in differential.instances(60, 1, ["several"]):
            ops = [line for line in instance.text.splitlines() if " = " in line and "constant" not in line]
            self.assertGreaterEqual(len(ops), 4, instance.text)


class FakeReference:
    """Returns the same answer for every comparison."""

    def __init__(self, status: str, **comparison: object):
        self._reply = {"status": status, "diagnostic": "why", "comparisons": [{"accepted": True, **comparison}]}

    def judge(self, instance: Instance, oracle: str, answer: list, keep: bool = False) -> dict:
        return self._reply


class JudgeTest(unittest.TestCase):
    def judged(self, status: str, **comparison: object) -> tuple[set[str], str]:
        instance = next(differential.instances(1, 0, ["add/0"]))
        return differential.judge(instance, "xla", [np.zeros(1)], FakeReference(status, **comparison))

    def test_within_every_bound_is_agreement(self):
        self.assertEqual(self.judged("pass", unbounded=0), (set(), ""))

    def test_an_imprecise_answer_is_a_difference(self):
        self.assertEqual(self.judged("imprecise"), (set(), "imprecise: why"))

    def test_elements_without_a_bound_are_no_agreement(self):
        self.assertEqual(self.judged("pass", unbounded=3), (set(), differential.INCONCLUSIVE))


def program(body: str, dtype: str = "f32") -> Instance:
    type_ = tensor(dtype, (2,))
    text = f"func.func @main(%a0: {type_}) -> {type_} {{\n  {body}\n  return %0 : {type_}\n}}\n"
    inputs = (np.array([1.5, 2], NUMPY[dtype]),)
    return Instance("x", "add", text, inputs, (type_,), ((dtype, (2,)),), {})


class WidenedTest(unittest.TestCase):
    def test_a_program_in_f64_is_one_that_upstream_accepts(self):
        wide = widened(program("%0 = stablehlo.add %a0, %a0 : tensor<2xbf16>", "bf16"))
        self.assertNotIn("bf16", wide.text)
        self.assertEqual((wide.input_types, wide.inputs[0].dtype), (("tensor<2xf64>",), np.float64))
        self.assertEqual(wide.results, (("f64", (2,)),))
        with make_context():
            self.assertTrue(ir.Module.parse(wide.text).operation.verify())

    def test_what_speaks_of_the_format_is_not_the_same_in_f64(self):
        self.assertIsNone(widened(program("%0 = stablehlo.reduce_precision %a0, format = e5m2 : tensor<2xf32>")))
        self.assertIsNone(widened(program("%0 = stablehlo.convert %a0 : (tensor<2xf32>) -> tensor<2xf16>")))

    def test_a_program_each_step_of_which_rounds_is_not_the_same_in_f64(self):
        steps = '%0 = stablehlo.composite "my.twice" %a0 {decomposition = @f} : (tensor<2xf32>) -> tensor<2xf32>'
        self.assertIsNone(widened(program(steps)))

    def test_a_constant_that_the_narrow_type_rounds_is_not_the_same_in_f64(self):
        constant = "%0 = stablehlo.constant dense<{}> : tensor<2xf32>"
        self.assertIsNone(widened(program(constant.format("1.000000e-01"))))
        self.assertIsNone(widened(program(constant.format("0x7F800000"))))
        self.assertIsNotNone(widened(program(constant.format("2.500000e-01"))))

    def test_the_answer_is_rounded_once(self):
        # Just above the tie between two bf16: f32 would make it the tie, which is rounded to even, down.
        above = np.array([1 + 2.0**-8 + 2.0**-40, -1 - 2.0**-8 - 2.0**-40, 1 + 2.0**-8])
        self.assertEqual(rounded(above, "bf16").astype(float).tolist(), [1 + 2.0**-7, -1 - 2.0**-7, 1])
        self.assertEqual(rounded(np.array(np.inf), "bf16").astype(float), np.inf)
        self.assertEqual(rounded(np.array([1e300, 1e-300, -0.0]), "f8E5M2").astype(float).tolist(), [np.inf, 0, -0.0])
        self.assertTrue(np.isnan(rounded(np.array([np.nan]), "f8E4M3FN").astype(float)).all())

    def test_an_answer_has_the_types_of_the_program(self):
        made = program("%0 = stablehlo.add %a0, %a0 : tensor<2xf16>", "f16")
        self.assertEqual(narrowed(made, [np.array([1.0, 70000.0])])[0].tolist(), [1, np.inf])


class TextTest(unittest.TestCase):
    def test_a_type_is_read_back(self):
        for dtype in NUMPY:
            for shape in [(), (0,), (2, 3)]:
                self.assertEqual(parse_type(tensor(dtype, shape)), (dtype, shape))

    def test_hex_attributes_keep_every_bit(self):
        values = np.array([np.nan, -0.0, 1e-45], np.float32)
        with make_context():
            back = np.array(ir.Attribute.parse(hex_attribute(values, "f32")))
        self.assertEqual(back.tobytes(), values.tobytes())

    def test_rename_takes_helpers_along(self):
        text = "func.func private @main_helper() call @main_helper @main(%mainly)"
        self.assertEqual(
            rename(text, "f3"),
            "func.func private @f3_helper() call @f3_helper @f3(%mainly)",
        )


class RulesTest(unittest.TestCase):
    def test_only_elements_beyond_their_bound_differ(self):
        found = beyond(difference([1, 2, np.nan, 4], [1.1, 2, np.nan, 5], [0.2, 0, 0, 0.5]))
        self.assertEqual(found.tolist(), [False, False, False, True])

    def test_the_sign_of_zero_counts_without_a_bound(self):
        self.assertTrue(beyond(difference([-0.0], [0.0], [0], exact=True)).all())
        self.assertFalse(beyond(difference([-0.0], [0.0], [0])).any())

    def test_a_flushed_subnormal_is_explained(self):
        rules, rest = explain(difference([0], [1e-40], [0]))
        self.assertEqual((rules, rest), ({"XLA flushes subnormals"}, None))

    def test_a_wrong_value_is_not(self):
        _, rest = explain(difference([3], [2], [0]))
        self.assertIn("got", rest)

    def test_an_overflow_to_the_bits_of_an_infinity_is_known_of_formats_without_one_only(self):
        def rest(dtype: str, got: float, expected: float) -> str | None:
            draw = Draw(0, "reduce_precision", 0)
            draw.argument(dtype, (1,), np.ones(1))
            draw.notes["style"] = "plain"
            arrays = [np.array([v], NUMPY[dtype]) for v in (got, expected)]
            return explain(Difference(draw.instance(), "eval_module", 0, dtype, *arrays, np.zeros(1), True))[1]

        self.assertIsNone(rest("f4E2M1FN", -4, -6))
        self.assertIsNotNone(rest("f4E2M1FN", 4, -6))
        self.assertIsNotNone(rest("f8E5M2", 4, 6))

    def test_every_rule_has_a_reason(self):
        for rule in RULES:
            self.assertTrue(rule.reason and rule.name, rule)


if __name__ == "__main__":
    unittest.main()
