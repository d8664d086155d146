# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Reads our exports with the tools of other projects: xprof (TensorBoard's profiler) and perfetto from PyPI.

python -m reports.optrace.external_test SAMPLE_OPTRACE OPTRACE
"""

import csv
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SAMPLE, OPTRACE = "", ""


def gviz(data: bytes | str) -> list[dict]:
    """Rows of one of XProf's tables, by column id."""
    table = json.loads(data)
    if isinstance(table, list):
        table = table[-1] if len(table) > 1 else table[0]
    names = [column["id"] for column in table["cols"]]
    return [dict(zip(names, (cell and cell.get("v") for cell in row["c"]), strict=True)) for row in table["rows"]]


class ExternalTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([SAMPLE, cls.folder / "optrace.ndjson"], check=True)
        subprocess.run(
            [OPTRACE, "export", "--to", "all", "-o", cls.folder, cls.folder / "optrace.ndjson"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        records = [json.loads(line) for line in (cls.folder / "optrace.ndjson").read_text().splitlines()]
        cls.ops = {record["id"]: record for record in records if record["record"] == "op"}
        cls.spans = [record for record in records if record["record"] == "span" and record["section"] == "execution"]
        (cls.xspace,) = map(str, cls.folder.glob("plugins/profile/*/*.xplane.pb"))

    def tool(self, name, **options):
        convert = importlib.import_module("xprof.convert.raw_to_tool_data")
        data, _ = convert.xspace_to_tool_data([self.xspace], name, {"use_saved_result": False, **options})
        return data

    def expected(self, key):
        """{name: (occurrences, ns)} of the execution spans."""
        sums = {}
        for span in self.spans:
            name = key(self.ops[span["op"]])
            count, time = sums.get(name, (0, 0))
            sums[name] = (count + 1, time + span["dur_ps"] / 1000)
        return sums

    def test_hlo_stats_has_every_op_with_its_time(self):
        expected = self.expected(lambda op: f"{op['hlo']}.{op['id']}")
        rows = {row["hlo_op_name"].lstrip("%"): row for row in gviz(self.tool("hlo_stats"))}
        self.assertEqual(set(rows), set(expected))
        for name, (count, time) in expected.items():
            self.assertEqual(rows[name]["occurrences"], count, name)
            self.assertAlmostEqual(rows[name]["total_time"] * 1000, time, places=2, msg=name)

    def test_framework_op_stats_names_device_and_host(self):
        rows = gviz(self.tool("framework_op_stats"))
        device = [row for row in rows if row["host_or_device"] == "Device" and row["type"] != "IDLE"]
        self.assertTrue(device)
        self.assertTrue([row for row in rows if row["host_or_device"] == "Host"])
        total = sum(time for _, time in self.expected(lambda op: op["id"]).values())
        self.assertAlmostEqual(sum(row["total_time"] for row in device) * 1000, total, places=1)
        addmm = [row for row in device if row["type"] == "aten__addmm"]
        self.assertEqual(
            {row["operation"] for row in addmm},
            {"NN[model]/Linear[layer1]/aten__addmm", "NN[model]/Linear[layer2]/aten__addmm"},
        )

    def test_op_profile_has_the_device_time(self):
        profile = json.loads(self.tool("op_profile", params={"group_by": "category"}))
        found = set(re.findall(r'"name":\s*"([a-z_]+\.\d+)"', json.dumps(profile)))
        self.assertEqual(found, {f"{op['hlo']}.{op['id']}" for op in self.ops.values()})

    def test_roofline_model_has_the_peaks(self):
        text = self.tool("roofline_model")
        text = text.decode() if isinstance(text, bytes) else text
        self.assertIn("dot_general.1", text)

    def test_overview_page_knows_the_steps(self):
        text = self.tool("overview_page")
        text = text.decode() if isinstance(text, bytes) else text
        self.assertNotIn("No step marker observed", text)
        self.assertIn("sample device", text)

    def test_perfetto_decodes_every_slice(self):
        trace = importlib.import_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2").Trace()
        trace.ParseFromString((self.folder / "profile.pftrace").read_bytes())
        tracks, depth, names = {}, {}, {}
        for packet in trace.packet:
            if packet.HasField("track_descriptor"):
                tracks[packet.track_descriptor.uuid] = packet.track_descriptor
                parent = packet.track_descriptor.parent_uuid
                self.assertTrue(parent == 0 or parent in tracks)
                continue
            event = packet.track_event
            self.assertIn(event.track_uuid, tracks)
            step = {1: 1, 2: -1}[event.type]
            depth[event.track_uuid] = depth.get(event.track_uuid, 0) + step
            self.assertIn(depth[event.track_uuid], (0, 1))
            if step == 1:
                names.setdefault(tracks[event.track_uuid].name, []).append(event.name)
        self.assertFalse(any(depth.values()))
        self.assertIn("maximum.4", names["HLO Ops"])
        self.assertEqual(len(trace.packet), sum(2 * len(found) for found in names.values()) + len(tracks))

    def test_perfetto_flows_begin_and_end(self):
        trace = importlib.import_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2").Trace()
        trace.ParseFromString((self.folder / "profile.pftrace").read_bytes())
        going = [flow for packet in trace.packet for flow in packet.track_event.flow_ids]
        ended = [flow for packet in trace.packet for flow in packet.track_event.terminating_flow_ids]
        self.assertEqual(len(ended), len(set(ended)))
        self.assertEqual(set(going), set(ended))

    def test_csv_equals_hlo_stats(self):
        with open(self.folder / "operator-hlo.csv", newline="") as file:
            total = sum(float(row["Time (ns)"]) for row in csv.DictReader(file))
        rows = gviz(self.tool("hlo_stats"))
        self.assertAlmostEqual(sum(row["total_time"] for row in rows) * 1000, total, places=1)


if __name__ == "__main__":
    SAMPLE, OPTRACE = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
