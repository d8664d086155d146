# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop profile` with the tutorial network, end to end on the host target, and `optrace` on the record.

python3 -m unittest commands.profile.profile_test
"""

import csv
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from fixtures.programs import (
    BIN,
    NO_INPUT,
    NOTHING_JUDGED,
    PARTIAL,
    ROOT,
    UNEXPECTED,
    UNSUPPORTED,
    USAGE,
    ProgramTest,
    faulty_target,
    records,
    run,
)

MODEL = ROOT / "fixtures/models/ffnn.mlirbc"

# Has enough ops that a kill interrupts the run among them.
LONG = (
    "func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
    + "".join(
        f"  %{i + 1} = stablehlo.dot_general %{i or 'a'}, %a, contracting_dims = [1] x [0] : "
        "(tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
        for i in range(400)
    )
    + "  return %400 : tensor<64x64xf32>\n}\n"
)


# Three products of the same operand; none needs another's result. Each takes some 50 ms, so that the next one begins
# before it ends on a busy machine too.
SIZE = "tensor<1024x1024xf32>"
PRODUCTS = (
    f"func.func @main(%x: {SIZE}, %q: {SIZE}, %k: {SIZE}, %v: {SIZE}) -> {SIZE} {{\n"
    + "".join(
        f"  %{i} = stablehlo.dot_general %x, %{weight}, contracting_dims = [1] x [0] : ({SIZE}, {SIZE}) -> {SIZE}\n"
        for i, weight in enumerate("qkv")
    )
    + f"  %3 = stablehlo.add %0, %1 : {SIZE}\n  %4 = stablehlo.add %3, %2 : {SIZE}\n  return %4 : {SIZE}\n}}\n"
)


# A product whose devices each have a part of every sum.
SHARDED = """sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %b: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] :
      (tensor<8x32xf32>, tensor<32x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.tanh %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
"""


class ShardedTest(ProgramTest):
    """A model that is divided among eight devices, op by op and in one piece."""

    def profile(self, program=SHARDED):
        self.run_program("opbyop", "profile", self.write("sharded.mlir", program), "-o", self.folder / "out")
        return records(self.folder / "out/optrace.ndjson")

    def test_each_device_has_its_times_and_collectives(self):
        trace = self.profile()
        (header,) = [each for each in trace if each["record"] == "header"]
        self.assertEqual([device["id"] for device in header["devices"]], list(range(8)))
        spans = [each for each in trace if each["record"] == "span" and each["section"] == "devices"]
        product = next(each["id"] for each in trace if each["record"] == "op" and each["hlo"] == "dot_general")
        for name in ("compute", "collective"):
            found = {each.get("device", 0) for each in spans if each["name"] == name and each["op"] == product}
            self.assertEqual(found, set(range(8)), name)

    def test_the_model_in_one_piece_runs_on_all_devices(self):
        trace = self.profile()
        (footer,) = [each for each in trace if each["record"] == "footer"]
        self.assertEqual(footer["whole_model_status"], "pass", footer)
        instructions = [each for each in trace if each["record"] == "instruction"]
        self.assertEqual({each.get("device", 0) for each in instructions}, set(range(8)))
        received = [each["wire_bytes"] for each in instructions if each["name"] == "collective"]
        self.assertTrue(received and all(received), instructions)

    def test_an_output_is_transferred_as_a_whole(self):
        transfers = [each for each in self.profile() if each["record"] == "span" and each["name"] == "device to host"]
        self.assertEqual({each["bytes"] for each in transfers}, {8 * 8 * 4})

    def test_a_target_with_too_few_devices_runs_whole_tensors_and_says_so(self):
        trace = self.profile(
            """sdy.mesh @mesh = <["x"=512]>
            func.func @main(%a: tensor<512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<512xf32> {
              %0 = stablehlo.tanh %a : tensor<512xf32>
              return %0 : tensor<512xf32>
            }
            """
        )
        warnings = [each["text"] for each in trace if each["record"] == "warning"]
        self.assertIn(
            "each op runs on whole tensors, on one device: the program needs 512 devices, its worker has 256", warnings
        )


class FeedForwardTest(unittest.TestCase):
    """One run of the network, checked in all its outputs."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.out = pathlib.Path(cls.temporary.name) / "out"
        cls.done = run("opbyop", "profile", MODEL, "-o", cls.out)
        cls.trace = cls.out / "optrace.ndjson"
        cls.records = records(cls.trace) if cls.trace.exists() else []

    def of(self, kind):
        return [record for record in self.records if record["record"] == kind]

    def table(self, name):
        csv_folder = self.out / "csv"
        done = run("optrace", "export", self.trace, "--to=csv", "-o", csv_folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(csv_folder / f"operator-{name}.csv", newline="") as file:
            return {row["Op Name"]: row for row in csv.DictReader(file)}

    def test_the_run_passes_and_names_what_it_wrote(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        self.assertIn(str(self.out / "profile.html"), self.done.stdout)
        self.assertIn("dot_general", self.done.stdout)
        self.assertTrue((self.out / "profile.html").read_text().startswith("<!doctype html>"))

    def test_the_framework_table_has_the_operators_of_the_network(self):
        table = self.table("framework")
        self.assertEqual(table["aten__addmm"]["Occurrences"], "2")
        self.assertEqual(table["aten__relu"]["Occurrences"], "1")
        self.assertEqual(table["aten__tanh"]["Occurrences"], "1")

    def test_the_hlo_table_has_their_ops(self):
        table = self.table("hlo")
        self.assertEqual(table["dot_general"]["Occurrences"], "2")
        self.assertEqual(table["maximum"]["Occurrences"], "1")
        self.assertEqual(table["tanh"]["Occurrences"], "1")

    def test_shares_add_up_to_the_whole(self):
        for name in ("framework", "hlo"):
            total = sum(float(row["Time %"]) for row in self.table(name).values())
            self.assertAlmostEqual(total, 100, delta=0.1)

    def test_levels_are_the_modules_of_the_network(self):
        paths = {"/".join(op["path"]) for op in self.of("op")}
        self.assertIn("NN[model]/Linear[layer1]", paths)
        self.assertIn("NN[model]/Linear[layer2]", paths)
        relu = [op for op in self.of("op") if op["hlo"] == "maximum"]
        self.assertEqual([op["framework"] for op in relu], ["aten__relu"])

    def test_inputs_are_data_transfers(self):
        names = {span["name"] for span in self.of("span") if span["section"] == "data_transfer"}
        self.assertIn("input 0", names)
        self.assertIn("device to host", names)

    def test_every_section_has_spans(self):
        sections = {span["section"] for span in self.of("span")}
        self.assertEqual(sections, {"overview", "control", "execution", "data_transfer", "compile", "compare"})

    def test_both_outputs_are_side_by_side_in_full(self):
        compares = self.of("output_compare")
        ops = len(self.of("op"))
        self.assertEqual(sum(c["mode"] == "isolated" for c in compares), ops)
        self.assertEqual(sum(c["mode"] == "accumulated" for c in compares), ops)
        last = compares[-1]
        self.assertEqual(len(last["cpu"]), 8)
        for cpu, device in zip(last["cpu"], last["device_values"]):
            self.assertAlmostEqual(float(cpu), float(device), places=5)

    def test_every_op_has_its_measurement(self):
        runs = self.of("op_run")
        self.assertEqual([each["op"] for each in runs], [op["id"] for op in self.of("op")])
        for each in runs:
            self.assertEqual(each["status"], "pass", each)
            self.assertGreaterEqual(each["n"], 3)
            self.assertLessEqual(each["min_ps"], each["median_ps"])
            self.assertLessEqual(each["median_ps"], each["max_ps"])

    def test_the_model_in_one_piece_is_shown_with_its_ops(self):
        (footer,) = self.of("footer")
        self.assertGreater(footer["whole_model_ps"], 0)

    def test_the_roof_names_its_source(self):
        (device,) = self.of("header")[0]["devices"]
        self.assertGreater(device["peak_gflops"], 0)
        self.assertGreater(device["peak_gb_per_s"], 0)
        self.assertIn("measured", device["peak_source"])

    def test_the_record_is_consistent(self):
        done = run("optrace", "verify", self.trace)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("0 defects", done.stdout)

    def test_case_ids_are_those_of_the_split(self):
        folder = self.out / "split"
        done = run("opbyop", "split", "-q", MODEL, "-o", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        split = {path.name for path in (folder / "cases").iterdir()}
        self.assertEqual({op["case"] + ".mlir" for op in self.of("op")}, split)

    def test_a_manifest_can_be_run_chained(self):
        folder = self.out / "manifest"
        self.assertEqual(run("opbyop", "split", "-q", MODEL, "-o", folder).returncode, 0)
        done = run("opbyop", "run", folder, "--mode=chained")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        chained = records(folder / "chained/ffnn/optrace.ndjson")
        split = {path.name for path in (folder / "cases").iterdir()}
        self.assertEqual({r["case"] + ".mlir" for r in chained if r["record"] == "op"}, split)


# Each flag of the split makes cases that the program without the flag does not have.
SPLIT_MODEL = """
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.composite "my.twice" %a {decomposition = @twice} : (tensor<?xf32>) -> tensor<?xf32>
  %1 = stablehlo.concatenate %0, %c, dim = 0 : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  %2 = stablehlo.sine %c : tensor<2xf32>
  %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}
func.func private @twice(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %a, %a : tensor<?xf32>
  %1 = stablehlo.tanh %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""


class ChainedManifestTest(ProgramTest):
    def chained(self, *flags):
        """The cases of the split, and those of the ops that the chained run reached."""
        run_folder = self.folder / "run"
        model = self.write("model.mlir", SPLIT_MODEL)
        self.opbyop("split", "-q", model, "-o", run_folder, "--entry=f", "--shape=0=8", *flags)
        done = self.opbyop("run", run_folder, "--mode=chained")
        self.assertIn("the model in one piece: pass", done.stdout)
        ops = [r for r in records(run_folder / "chained/model/optrace.ndjson") if r["record"] == "op"]
        self.assertEqual([result["shape"] for result in ops[-1]["results"]], [[12]])
        return {path.stem for path in (run_folder / "cases").iterdir()}, {op["case"] for op in ops}

    def test_the_program_is_that_of_the_split(self):
        for flags in ([], ["--keep-constants"], ["--vary-constants"], ["--fold-limit=4"]):
            with self.subTest(flags):
                split, ran = self.chained("--composites=whole", *flags)
                self.assertEqual(ran, split)
        split, ran = self.chained("--composites=inline")
        self.assertEqual(ran, split)

    def test_a_composite_that_is_a_case_runs_as_one_op(self):
        split, ran = self.chained()
        self.assertLess(ran, split)
        self.assertEqual({case.split("_")[0] for case in split - ran}, {"add", "tanh"})


TWO_OPS = """
func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.negate %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
"""

# A device that copies its input and leaves no timing.json: wrong results without times.
UNTIMED = """schema: opbyop-target/1
name: untimed
worker: ["{bin}/opbyop-worker", "--target={file}"]
device: {kind: command, parallel: true}
stages:
  - {name: copy, command: [cp, "{input}", "{output}"]}
  - {name: load}
  - {name: execute, command: [cp, input_0.npy, output_0.npy]}
"""


def untimed_target(path):
    path.write_text(UNTIMED)
    return path


class ProfileTest(ProgramTest):
    def test_a_killed_run_leaves_a_readable_record(self):
        model = self.write("long.mlir", LONG)
        out = self.folder / "out"
        trace = out / "optrace.ndjson"
        command = [BIN / "opbyop", "profile", model, "-o", out, "--budget-ms", "20"]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and not (trace.exists() and b'"op_run"' in trace.read_bytes()):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        self.assertEqual(process.wait(), -signal.SIGKILL)
        verified = self.run_program("optrace", "verify", trace)
        self.assertIn("the run was cut short", verified.stdout)
        self.run_program("optrace", "export", trace, "-o", out)
        self.assertIn("dot_general", (out / "profile.html").read_text())

    def test_an_interrupted_run_leaves_the_page_of_what_there_is(self):
        model = self.write("long.mlir", LONG)
        out = self.folder / "out"
        trace = out / "optrace.ndjson"
        command = [BIN / "opbyop", "profile", model, "-o", out, "--budget-ms", "20"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not (trace.exists() and b'"op_run"' in trace.read_bytes()):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)  # a background job ignores SIGINT
        stdout, stderr = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, stdout + stderr)
        self.assertIn("interrupted", stderr)
        self.assertIn(str(out / "profile.html"), stdout)
        self.assertIn("dot_general", (out / "profile.html").read_text())
        self.assertIn("the run stopped: it was interrupted", trace.read_text())
        runs = [r for r in records(trace) if r["record"] == "op_run"]
        self.assertEqual(runs[0]["status"], "pass")
        self.assertEqual(
            (runs[-1]["status"], runs[-1]["diagnostic"]), ("skipped", "the run did not come to it: it stopped before")
        )

    def test_a_shape_and_an_entry_are_those_of_split(self):
        model = self.write("model.mlir", SPLIT_MODEL)
        self.opbyop("profile", "--shape=0=8", model, "--entry=f", "-o", self.folder / "out")
        trace = records(self.folder / "out/optrace.ndjson")
        ops = [r for r in trace if r["record"] == "op"]
        self.assertEqual([result["shape"] for result in ops[-1]["results"]], [[12]])
        self.assertIn("--entry f --shape 0=8", " ".join(trace[0]["command"]))
        for wrong, words in [
            (["--entry=nothere"], "nothere"),
            (["--entry=f", "--shape=7=8"], "no argument is called 7"),
            (["--entry=f", "--shape=0"], "0"),
            (["--entry=f", "--shape=0=999999999999"], "unsupported: reference too large"),
        ]:
            with self.subTest(wrong):
                done = self.opbyop("profile", model, *wrong, "-o", self.folder / "wrong", code=None)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)

    def test_a_target_that_does_not_time_its_runs_is_reported(self):
        model = self.write("model.mlir", TWO_OPS)
        done = self.opbyop(
            "profile",
            model,
            "--target",
            untimed_target(self.folder / "untimed.yaml"),
            "-o",
            self.folder / "out",
            code=None,
        )
        self.assertNotIn("e+0", done.stdout)
        self.assertNotIn("pass in execute", done.stdout)
        self.assertNotIn("parallel engines", done.stdout)
        self.assertIn("does not time its runs", done.stdout)
        self.assertNotIn("fuses ops", done.stdout)
        (device,) = records(self.folder / "out/optrace.ndjson")[0]["devices"]
        self.assertGreater(device["call_ps"], 0)

    def overlapping(self, *arguments):
        """The spans of five passes over the products, with overlap of each op and the transfers of the next."""
        self.opbyop(
            "profile", self.write("products.mlir", PRODUCTS), "--overlap", "-o", self.folder / "out", *arguments
        )
        trace = records(self.folder / "out/optrace.ndjson")
        self.assertTrue(trace[0]["overlap"])
        for record in trace:
            if record["record"] == "op_run":
                self.assertEqual(record["status"], "pass", record)
        return trace

    def test_the_next_op_and_its_transfers_overlap_the_current_one(self):
        trace = self.overlapping("--iterations=5")

        def both(section, other):
            """Pairs of spans of different ops that overlapped."""
            of = lambda name: [r for r in trace if r["record"] == "span" and r["section"] == name]  # noqa: E731
            return [
                (a["name"], b["name"])
                for a in of(section)
                for b in of(other)
                if a["id"] < b["id"]
                and a["start_ps"] < b["start_ps"] + b["dur_ps"]
                and b["start_ps"] < a["start_ps"] + a["dur_ps"]
            ]

        self.assertIn(("dot_general.0", "dot_general.1"), both("execution", "execution"))
        self.assertIn(("dot_general.0", "input 2"), both("execution", "data_transfer"))
        self.run_program("optrace", "verify", self.folder / "out/optrace.ndjson")
        done = self.run_program(
            "optrace", "export", "--to=chrome", self.folder / "out/optrace.ndjson", "-o", self.folder / "out"
        )
        self.assertIn("profile.trace.json", done.stdout)

    def test_overlapping_ops_give_the_results_that_they_give_one_by_one(self):
        values = {}
        for flag in (["--overlap"], []):
            out = self.folder / f"out{len(flag)}"
            self.opbyop("profile", self.write("products.mlir", PRODUCTS), *flag, "-o", out)
            values[len(flag)] = [
                r["device_values"] for r in records(out / "optrace.ndjson") if r["record"] == "output_compare"
            ]
        self.assertEqual(values[0], values[1])
        self.assertEqual(len(values[0]), 10)

    def test_overlap_needs_a_target_that_supports_it(self):
        model = self.write("model.mlir", TWO_OPS)
        done = self.opbyop(
            "profile",
            model,
            "--overlap",
            "--target",
            untimed_target(self.folder / "untimed.yaml"),
            "-o",
            self.folder / "out",
            code=UNSUPPORTED,
        )
        self.assertIn("its worker's hello does not say `ahead`", done.stderr)
        self.opbyop("profile", model, "--overlap", "--repeat=3", code=USAGE)
        self.opbyop("profile", model, "--overlap", "--estimate", code=USAGE)

    def test_the_cost_of_a_call_is_measured(self):
        out = self.folder / "out"
        self.opbyop("profile", MODEL, "-o", out, "--no-whole-model")
        (device,) = records(out / "optrace.ndjson")[0]["devices"]
        self.assertGreater(device["call_ps"], 0)

    def test_every_iteration_is_a_pass_over_the_model(self):
        out = self.folder / "out"
        arguments = ["--output", str(out), "--iterations", "3", "--repeat", "3", "--no-whole-model"]
        self.opbyop("profile", MODEL, *arguments)
        trace = records(out / "optrace.ndjson")
        self.assertEqual(trace[0]["command"], ["opbyop", "profile", str(MODEL), *arguments])
        self.assertEqual(trace[0]["iterations"], 3)
        ops = [each["id"] for each in trace if each["record"] == "op"]
        executions = [each for each in trace if each["record"] == "span" and each["section"] == "execution"]
        for i in range(3):
            # A span leaves out `iteration` if it is 0.
            self.assertEqual([each["op"] for each in executions if each.get("iteration", 0) == i], ops)
        self.assertEqual(len({each["flow"] for each in executions}), 3 * len(ops))
        runs = {each["op"]: each["n"] for each in trace if each["record"] == "op_run"}
        self.assertEqual(set(runs.values()), {9})
        self.run_program("optrace", "verify", out / "optrace.ndjson")

    def test_an_op_that_the_target_cannot_run_is_reported_and_skipped(self):
        model = self.write(
            "tuple.mlir",
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %0 = stablehlo.tuple %a : tuple<tensor<4xf32>>\n"
            "  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<4xf32>>) -> tensor<4xf32>\n"
            "  %2 = stablehlo.negate %1 : tensor<4xf32>\n"
            "  return %2 : tensor<4xf32>\n}\n",
        )
        done = self.opbyop("profile", model, "-o", self.folder / "out")
        by_op = {r["op"]: r for r in records(self.folder / "out/optrace.ndjson") if r["record"] == "op_run"}
        self.assertEqual([by_op[i]["status"] for i in range(3)], ["unsupported", "unsupported", "pass"])
        self.assertIn("uses the reference's value", done.stdout)

    def test_a_wrong_device_is_red_by_op_and_in_one_piece(self):
        model = self.write(
            "model.mlir",
            "func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
            "  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
            "  %1 = stablehlo.negate %0 : tensor<4x4xf32>\n"
            "  return %1 : tensor<4x4xf32>\n}\n",
        )
        for fault, status, code in [("none", "pass", 0), ("transpose_ignored", "fail", UNEXPECTED)]:
            with self.subTest(fault):
                target = faulty_target(self.folder / "faulty.yaml", fault)
                done = self.opbyop("profile", model, "--target", target, "-o", self.folder / fault, code=code)
                self.assertIn(f"the model in one piece: {status}", done.stdout)
                trace = records(self.folder / fault / "optrace.ndjson")
                self.assertEqual(trace[-1]["whole_model_status"], status)
                by_op = [r["status"] for r in trace if r["record"] == "op_run"]
                self.assertEqual(by_op, [status, "pass"])
                self.assertIn(f'"whole_model_status":"{status}"', (self.folder / fault / "profile.html").read_text())

    def test_a_model_that_was_changed_is_run_as_it_is_now(self):
        text = (
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %0 = stablehlo.negate %a : tensor<4xf32>\n"
            "  return %0 : tensor<4xf32>\n}\n"
        )
        for op in ("negate", "abs"):
            model = self.write("model.mlir", text.replace("negate", op))
            done = self.opbyop("profile", model, "-o", self.folder / "out")
            self.assertIn("the model in one piece: pass", done.stdout)

    def test_a_target_that_can_do_nothing_judges_nothing(self):
        model = self.write(
            "model.mlir",
            "func.func @main() -> tensor<4xf32> {\n"
            "  %0 = stablehlo.iota dim = 0 : tensor<4xf32>\n"
            "  return %0 : tensor<4xf32>\n}\n",
        )
        self.opbyop("profile", model, "-o", self.folder / "out", code=NOTHING_JUDGED)

    def test_a_run_that_cannot_continue_says_where(self):
        model = self.write(
            "nobody.mlir",
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %0 = stablehlo.custom_call @nobody(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
            "  return %0 : tensor<4xf32>\n}\n",
        )
        done = self.opbyop("profile", model, "-o", self.folder / "out", code=PARTIAL)
        self.assertIn("nobody", done.stdout)
        self.run_program("optrace", "verify", self.folder / "out/optrace.ndjson")

    def test_bad_command_lines(self):
        for arguments, code, words in [
            (["none.mlirbc"], NO_INPUT, "none.mlirbc"),
            (["fixtures/models"], USAGE, "holds"),
            (["fixtures/models/ffnn.mlirbc", "--target", "nothere"], USAGE, "nothere"),
            (["fixtures/models/ffnn.mlirbc", "--target", "tenstorrent-mock"], UNSUPPORTED, "only compiles"),
        ]:
            with self.subTest(arguments):
                done = self.opbyop("profile", *arguments, "-o", self.folder / "out", code=code)
                self.assertIn(words, done.stderr)
                self.assertFalse((self.folder / "out").exists())
