// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// overlap_browser_test.mjs OPBYOP CHROMIUM [SCREENSHOTS]: runs a model on host so that the next op overlaps the current
// one, and tests what its page shows: the legend's "both at once", fused slices and their members, links, the address.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, LIMIT_MS } from "./browser.mjs";

const [opbyop, chromium, screenshots = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "opbyop-overlap-"));

// Three products of the same operand, none of which needs another's result. Each takes longer than it takes to give the
// next one its inputs, so that two of them run at once.
const TYPE = "tensor<1024x1024xf32>";
const product = (at, weight, place) => `  %${at} = stablehlo.dot_general %x, %${weight}, contracting_dims = [1] x [0] : (${TYPE}, ${TYPE}) -> ${TYPE} loc("Block[model]/Linear[${place}]/aten::mm")\n`;
const MODEL = `func.func @main(%x: ${TYPE}, %q: ${TYPE}, %k: ${TYPE}, %v: ${TYPE}) -> ${TYPE} {
${product(0, "q", "query")}${product(1, "k", "key")}${product(2, "v", "value")}  %3 = stablehlo.add %0, %1 : ${TYPE} loc("Block[model]/aten::add")
  %4 = stablehlo.add %3, %2 : ${TYPE} loc("Block[model]/aten::add")
  return %4 : ${TYPE}
}
`;

function record() {
  const model = join(folder, "block.mlir");
  writeFileSync(model, MODEL);
  const made = spawnSync(opbyop, ["profile", model, "--overlap", "--iterations=5", "-o", join(folder, "out")], { encoding: "utf8", timeout: LIMIT_MS });
  assert.equal(made.status, 0, made.stdout + made.stderr);
  return join(folder, "out", "profile.html");
}

const browser = new Browser(chromium, folder, screenshots);
const hash = () => browser.evaluate("location.hash");
const detail = () => browser.text(".slice-detail");

// The page's rows by title, with the positions of their fused slices.
const FUSED = `(() => {
  const { timeline } = JSON.parse(document.getElementById("data").textContent);
  return timeline.rows.map((row, index) => ({ index, section: row.section, title: row.title, fused: row.n.flatMap((name, slice) => (name < 0 && row.f[-1 - name][0] === 0 ? [{ slice, members: row.f[-1 - name].slice(1).map((id) => timeline.labels[id]) }] : [])) }));
})()`;

try {
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  const page = record();
  const spans = readFileSync(join(folder, "out", "optrace.ndjson"), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(spans[0].overlap, true);
  assert.ok(spans.filter(({ record }) => record === "op_run").every(({ status }) => status === "pass"), "all ops are right");

  await browser.start();
  await browser.size(1500, 1100);
  await browser.open(page);
  assert.match(await browser.text("header"), /ops overlap/);
  assert.match(await browser.text("header"), /pass, error \S+ of the range/);
  assert.doesNotMatch(await browser.text("header"), /pass\s+pass/, "the status stands once");
  await browser.view("operator-timeline");
  const kinds = await browser.text(".kinds");
  const shares = [...kinds.matchAll(/\(([\d.]+) %\)/g)].map((match) => Number(match[1]));
  assert.equal(shares.length, 3, kinds);
  assert.ok(shares.every((share) => share > 0), `compute, transfer and both at once: ${kinds}`);
  await browser.shoot("overlap");
  console.log("ok: computing, moving and both at once can be told apart at first sight");

  const rows = await browser.evaluate(FUSED);
  const execution = rows.find((row) => row.section === "execution" && row.title === "HLO Ops");
  const products = execution.fused.find(({ members }) => members.some((name) => name.startsWith("dot_general.")));
  assert.ok(products, "two ops ran at once");
  assert.ok(rows.some((row) => row.section === "execution" && row.title.startsWith("level ") && row.fused.length > 0), "so did their modules");

  // The address of a fused slice shows the slice, its members and how exactly each is known.
  await browser.evaluate(`location.hash = "#operator-timeline?slice=${execution.index}.${products.slice}"`);
  await browser.until("/fused_\\d+/.test(document.querySelector('.slice-detail')?.innerText ?? '')", "the fused slice");
  assert.match(await detail(), /Process Execution · HLO Ops/);
  assert.match(await detail(), /fused: 2 members/i);
  await browser.press(".members .link[data-member]", products.members[0]);
  assert.match(await detail(), /as drawn[^]*by the clock/i);
  assert.match(await hash(), new RegExp(`slice=${execution.index}\\.${products.slice}`));
  await browser.shoot("overlap-fused");
  console.log("ok: an address opens a fused slice, which names its members");

  // From a member to the table of its op, and from the table's row to its slices.
  await browser.press(".slice-detail a", "all dot_general");
  await browser.until("document.querySelector('main').dataset.view === 'operator-hlo'", "the table");
  assert.match(await browser.text(".grid tbody"), /dot_general/);
  await browser.press(".grid tbody a.to-slices");
  await browser.until("document.querySelector('main').dataset.view === 'operator-timeline'", "the slices");
  await browser.press("[aria-label='Next match']");
  assert.match(await browser.text(".n-of-m"), /^1 of \d+/);
  assert.match(await detail(), /Process Execution · HLO Ops/);
  const shared = await browser.evaluate("location.href");
  await browser.open(page);
  await browser.evaluate(`location.href = ${JSON.stringify(shared)}`);
  await browser.until("document.querySelector('.slice-detail')?.innerText.includes('HLO Ops') ?? false", "the shared slice");
  assert.equal(await browser.evaluate("location.href"), shared);
  browser.assertClean();
  console.log("ok: links lead from slice to table and back, and the address has what was found");
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
