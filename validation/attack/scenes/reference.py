# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs for which the reference has no time, no memory or no inputs: the op must not be blamed."""

from __future__ import annotations

import json
import re
import resource
from typing import Any

from validation.attack.arena import Arena
from validation.attack.attack import attack
from validation.attack.judge import Promise
from validation.attack.scenes.check import check

NEVER_RED = "the case is skipped or inconclusive with the limit's name, and the summary counts it; never red"

ENDLESS = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.while(%i = %n) : tensor<i32>
    cond {
      %1 = stablehlo.compare EQ, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %2 = stablehlo.add %i, %two : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }
  return %0 : tensor<i32>
}
"""
# More loop trips than the search for inputs allows; a device ends it in no time.
MANY_TRIPS = """func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<30000> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %s = %a) : tensor<i32>, tensor<i32>
    cond {
      %1 = stablehlo.compare NE, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %2 = stablehlo.add %i, %one : tensor<i32>
      %3 = stablehlo.add %s, %one : tensor<i32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<i32>
    }
  return %0#1 : tensor<i32>
}
"""
UNKNOWN_CALL = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.custom_call @{target}(%a) {{api_version = {api} : i32}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""
GOOD = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def run(arena: Arena, programs: dict[str, str], *flags: str, **options: Any) -> dict[str, dict[str, Any]]:
    """Records by model, from a run on the host that judged at least the good one and was not red."""
    files = [arena.write(f"{name}.mlir", text) for name, text in programs.items()]
    folder = arena.folder / "split"
    split = arena.start("opbyop", "split", *files, "-o", folder).wait(60)
    arena.expect(split.code == 0, f"the split: exit {split.code}: {split.stderr[-200:]}")
    words = ["run", folder, "--target=host", "--", "--baseline=none", "--jobs=2", *flags]
    seen = arena.start("opbyop", *words, **options).wait(280, out=folder)
    check(seen, Promise(codes={0}))
    models = {}
    for line in (folder / "manifest.yaml").read_text().splitlines():
        if line.startswith("- {"):
            case = json.loads(line[2:])
            models[case["id"]] = case["origins"][0]["model"]
    records = {models[record["case"]]: record for record in seen.results.cases}
    records["printed"] = {"text": seen.stdout + seen.stderr}
    return records


@attack("reference.search_without_end", NEVER_RED, short=True, limit_s=400)
def search(arena: Arena) -> str:
    records = run(arena, {"good": GOOD, "endless": ENDLESS, "many": MANY_TRIPS})
    ended, many = records["endless"], records["many"]
    arena.expect(ended["status"] == "skipped" and ended["stage"] == "inputs", f"it ended as {ended['status']}")
    arena.expect("limit" in ended["diagnostic"], f"no limit in {ended['diagnostic']}")
    arena.expect(ended.get("reference") == "timeout", f"the record says {ended.get('reference')}")
    arena.expect(many["status"] == "pass", f"the loop that ends is {many['status']}: {many.get('diagnostic')}")
    counted = re.search(r"failed on \d+ cases?, .*: \d+ timeout", records["printed"]["text"])
    arena.expect(counted is not None, "the summary does not count it")
    return f"{ended['status']}: {ended['diagnostic'][-120:]}"


@attack("reference.hungry_at_the_compare", NEVER_RED, limit_s=400)
def hungry(arena: Arena) -> str:
    """Its address space is large enough for the other programs, but not to judge this one."""
    large = GOOD.replace("4xf32", "48000000xf32")
    limit = 2 << 30
    bounded = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))  # noqa: E731
    records = run(arena, {"good": GOOD, "large": large}, prepare=bounded)
    arena.expect(records["large"]["status"] in ("skipped", "inconclusive", "pass"), f"{records['large']['status']}")
    return f"{records['large']['status']}: {records['large'].get('diagnostic', '')[:120]}"


@attack("reference.custom_call_without_a_handler", "unsupported with the reason, and not red", short=True)
def custom_call(arena: Arena) -> str:
    programs = {f"api_{api}": UNKNOWN_CALL.format(target="nobody", api=api) for api in (1, 2, 4)}
    programs["callback"] = UNKNOWN_CALL.format(target="xla_ffi_python_cpu_callback", api=4)
    records = run(arena, {"good": GOOD, **programs})
    for name in programs:
        record = records[name]
        arena.expect(record["status"] == "unsupported", f"{name} is {record['status']}: {record.get('diagnostic')}")
    return records["callback"]["diagnostic"][-120:]
