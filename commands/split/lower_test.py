# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tests `opbyop split --after` with a worker that writes where it should not or leaves no file: hostile_worker.py.

python3 -m unittest commands.split.lower_test
"""

from __future__ import annotations

from pathlib import Path

from fixtures.programs import BAD_INPUT, ROOT, Done, ProgramTest, run

MODEL = """func.func @main(%a: tensor<{size}xf32>) -> tensor<{size}xf32> {{
  %0 = stablehlo.add %a, %a : tensor<{size}xf32>
  return %0 : tensor<{size}xf32>
}}
func.func private @{wish}()
"""

TARGET = """schema: opbyop-target/1
name: hostile
worker: [python3, {worker}]
device: {{kind: none}}
writable: [{log}]
stages:
  - {{name: lower}}
"""


class LowerTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.log = self.folder / "log"
        self.log.mkdir()
        self.outside = self.write("outside.mlir", MODEL.format(size=2, wish="outside"))
        worker = ROOT / "commands/split/hostile_worker.py"
        self.target = self.write("hostile.yaml", TARGET.format(worker=worker, log=self.log))
        self.environment = {"HOSTILE_LOG": str(self.log), "HOSTILE_OUTSIDE": str(self.outside)}

    def split(self, *models: Path, code: int = 0) -> Done:
        return self.opbyop(
            "split", *models, "--after=lower", "--target", self.target, "-o", self.folder / "out", code=code
        )

    def tried(self) -> list[list[str]]:
        """The outcome of each attempt, and its file."""
        return [line.split(maxsplit=1) for line in (self.log / "tried.txt").read_text().splitlines()]

    def test_a_worker_writes_only_to_its_folder_and_where_the_target_says(self) -> None:
        if "landlock" not in run("opbyop-supervisor", "isolation").stdout:
            self.skipTest("this kernel has no Landlock: nothing keeps a worker from files of others")
        models = [self.write(f"m{size}.mlir", MODEL.format(size=size, wish="trespass")) for size in (3, 4)]
        before = {model: model.read_text() for model in (*models, self.outside)}
        self.split(*models)
        self.assertEqual({how for how, _ in self.tried()}, {"refused"}, self.tried())
        names = [Path(file).name for _, file in self.tried()]
        self.assertEqual(names.count("outside.mlir"), 2)
        self.assertIn("lower.mlir", names, "what was made of the first is there while the second is compiled")
        self.assertEqual({model: model.read_text() for model in before}, before)
        cases = sorted(path.name.split("_")[1] for path in (self.folder / "out/cases").iterdir())
        self.assertEqual(cases, ["3", "4"])

    def test_without_isolation_it_writes_everywhere(self) -> None:
        self.environment = {**self.environment, "OPBYOP_ISOLATION": "none"}
        self.split(self.write("m.mlir", MODEL.format(size=3, wish="trespass")))
        self.assertEqual([how for how, _ in self.tried()], ["wrote"] * 2, "a refusal above is the isolation's")

    def test_the_output_of_a_stage_must_be_a_file(self) -> None:
        for wish in ("pipe", "link"):
            with self.subTest(wish):
                model = self.write(f"{wish}.mlir", MODEL.format(size=3, wish=wish))
                done = self.split(model, code=BAD_INPUT)
                self.assertIn("what the worker saved of stage lower is no file", done.stderr)
