# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks the extensions that the wheel's header does not describe: real plugins agree with our declarations.

python3 -m unittest device.pjrt.real_plugins_test
"""

from __future__ import annotations

import json
import subprocess
import unittest

from device.tenstorrent.descriptor_stamp import hash_of
from fixtures.programs import ROOT, UNEXPECTED, ProgramTest, Record, cases, records

MODEL = """func.func @main(%a: tensor<32x32xf32>, %b: tensor<8xf8E5M2>) -> (tensor<32x32xf32>, tensor<8xf8E5M2>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
      : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = stablehlo.add %b, %b : tensor<8xf8E5M2>
  return %0, %1 : tensor<32x32xf32>, tensor<8xf8E5M2>
}
"""


class InterfaceTest(ProgramTest):
    def checks(self, target: str) -> dict[str, Record]:
        path = self.folder / "interface.json"
        file = f"manifests/targets/{target}.yaml"
        done = self.run_program("opbyop-pjrt-interface", f"--target={file}", f"--json={path}", code=None)
        self.assertIn(done.returncode, (0, UNEXPECTED), done.stderr)
        return {check["name"]: check for check in json.loads(path.read_text())["checks"]}


class XlaCpuTest(InterfaceTest):
    def test_it_has_no_profiler_and_no_usable_phases(self) -> None:
        checks = self.checks("xla-cpu-pjrt")
        self.assertEqual(checks["plugin.profiler"]["status"], "unsupported")
        self.assertIn("has no extension of a profiler", checks["plugin.profiler"]["reason"])
        self.assertEqual(checks["plugin.phase_compile"]["status"], "unsupported")
        self.assertIn("no function that returns its compiler", checks["plugin.phase_compile"]["reason"])


class LibtpuTest(InterfaceTest):
    def test_its_profiler_is_as_declared_and_can_be_called_without_a_device(self) -> None:
        check = self.checks("tpu-v5e")["plugin.profiler"]
        self.assertEqual(check["status"], "pass", check)
        self.assertIn("usable: version 1, a table of 104 bytes with all functions", check["reason"])

    def test_it_has_a_compiler_of_phases(self) -> None:
        check = self.checks("tpu-v5e")["plugin.phase_compile"]
        self.assertEqual(check["status"], "pass", check)


class TenstorrentTest(InterfaceTest):
    def test_it_compiles_without_a_board_and_ignores_the_size_of_structs(self) -> None:
        checks = self.checks("tenstorrent-n150")
        self.assertEqual(checks["device.description"]["reason"], "Wormhole_b0")
        self.assertEqual(checks["compile.program"]["status"], "pass", checks["compile.program"])
        self.assertEqual(checks["buffers.f32"]["status"], "skipped", checks["buffers.f32"])
        self.assertIn("no board", checks["buffers.f32"]["reason"])
        self.assertEqual(checks["device.older_struct"]["status"], "fail", checks["device.older_struct"])
        self.assertEqual(checks["plugin.struct_sizes"]["status"], "pass", checks["plugin.struct_sizes"])

    def test_a_case_reaches_the_flatbuffer_or_ends_where_the_plugin_says(self) -> None:
        self.opbyop("split", self.write("model.mlir", MODEL), "-o", self.folder / "run")
        self.opbyop("run", self.folder / "run", "--target=tenstorrent-n150", "--fresh", code=None)
        ended = {record["case"].split("_")[0]: record for record in cases(self.folder / "run")}
        self.assertEqual((ended["dot"]["status"], ended["dot"]["stage"]), ("pass", "ttnn-to-flatbuffer"))
        self.assertEqual(ended["dot"]["placements"]["outputs"][0]["memory"], "Dram")
        self.assertEqual((ended["add"]["status"], ended["add"]["stage"]), ("unsupported", "stablehlo-to-ttir"))
        self.assertEqual(ended["add"]["diagnostic"], "Unsupported float type")
        self.assertEqual(json.loads((self.folder / "run/optest.json").read_text())[0]["card_type"], "Wormhole_b0")

    def test_each_board_is_the_one_of_its_descriptor(self) -> None:
        boards = {"p150": ("Blackhole", "1"), "n300": ("Wormhole_b0", "2"), "llmbox": ("Wormhole_b0", "8")}
        model = self.write("model.mlir", MODEL)
        for board, described in boards.items():
            folder = self.folder / board
            self.opbyop("split", model, "-o", folder)
            self.opbyop("run", folder, f"--target=tenstorrent-{board}", code=None)
            properties = records(folder / "results.jsonl")[0]["properties"]
            self.assertEqual((properties["device_kind"], properties["devices"]), described)
            ended = {record["case"].split("_")[0]: record for record in cases(folder)}
            self.assertEqual((ended["dot"]["status"], ended["dot"]["stage"]), ("pass", "ttnn-to-flatbuffer"))

    def test_a_sharded_case_is_divided_among_the_devices_of_a_board(self) -> None:
        folder = self.folder / "mesh"
        self.opbyop("suite", "stablehlo", "--mesh=1x2", "-o", folder)
        only = "--gtest_filter=*__tanh_4x8_f32_2p_*"
        self.opbyop("run", folder, "--target=tenstorrent-n300", "--", only)
        self.assertEqual(
            {(case["status"], case["stage"], case["partitioning"]) for case in cases(folder)},
            {("pass", "ttnn-to-flatbuffer", "by shardy")},
        )

    def test_a_descriptor_of_another_build_is_stamped_with_this_plugin_s_hash(self) -> None:
        right = (ROOT / ".venv-tt/descriptors/p150.ttsys").read_bytes()
        other = self.folder / "p150.ttsys"
        other.write_bytes(right.replace(hash_of(right), b"0c" * 32))
        [plugin] = (ROOT / ".venv-tt").glob("lib/python3*/site-packages/jax_plugins/libtt/libtt.so")
        stamp = ROOT / "device/tenstorrent/descriptor_stamp.py"
        subprocess.run([ROOT / ".venv-tt/bin/python", stamp, self.folder / "out", plugin, other], check=True)
        self.assertEqual((self.folder / "out/p150.ttsys").read_bytes(), right)


if __name__ == "__main__":
    unittest.main()
