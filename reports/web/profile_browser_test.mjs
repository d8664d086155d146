// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// profile_browser_test.mjs SAMPLE_OPTRACE OPTRACE CHROMIUM [SCREENSHOTS]: opens profile.html in a real browser, from
// file://, and drives it over the browser's debugging pipe. Tests every view, that there is no console error and no
// request, sort, search, a click on a fused slice, the keyboard, an empty trace and a large one.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, LIMIT_MS } from "./browser.mjs";

const [sampleOptrace, optrace, chromium, screenshots = ""] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), "opbyop-profile-"));

function run(program, ...options) {
  const made = spawnSync(program, options, { encoding: "utf8", timeout: LIMIT_MS });
  assert.equal(made.status, 0, made.stderr);
}

// Writes traces and their pages.
function page(name, kind = [], exportOptions = []) {
  const trace = join(folder, `${name}.ndjson`);
  run(sampleOptrace, trace, ...kind);
  run(optrace, "export", "-o", join(folder, name), ...exportOptions, trace);
  return join(folder, name, "profile.html");
}

const VIEWS = ["insights", "operator-framework", "operator-hlo", "operator-timeline", "outputs", "conformance", "hierarchy", "in-one-piece", "roofline", "compare"];
const browser = new Browser(chromium, folder, screenshots);
try {
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  run(sampleOptrace, join(folder, "base.ndjson"));
  const whole = page("whole", ["slower"], ["--base", join(folder, "base.ndjson")]);
  await browser.start();
  const sizes = { width: 1500, height: 1100, deviceScaleFactor: 1, mobile: false };
  await browser.send("Emulation.setDeviceMetricsOverride", sizes);
  await browser.open(whole);
  for (const theme of ["light", "dark"]) {
    await browser.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: theme }] });
    for (const view of VIEWS) {
      await browser.view(view);
      assert.ok((await browser.text()).length > 150, `${view} is blank`);
      await browser.shoot(`${view}-${theme}`);
    }
  }
  browser.assertClean();
  console.log("ok: every view is drawn in both themes, without an error and without a request");

  await browser.send("Emulation.setEmulatedMedia", { features: [] });
  await browser.view("operator-framework");
  const names = () => browser.evaluate("[...document.querySelectorAll('.grid tbody tr td:first-child code')].map((cell) => cell.textContent)");
  const headings = await browser.evaluate("[...document.querySelectorAll('.grid thead button')].map((cell) => cell.firstChild.textContent)");
  assert.deepEqual(headings.slice(0, 6), ["Op Name", "Occurrences", "Device", "Core", "Time (ns)", "Time %"]);
  assert.equal((await names())[0], "aten__addmm");
  await browser.evaluate("document.querySelector('.grid thead button').click()");
  await browser.frame();
  assert.equal((await names())[0], "aten__addmm", "ascending by name");
  await browser.evaluate("document.querySelector('.grid thead button').click()");
  await browser.frame();
  assert.equal((await names())[0], "aten__tanh", "descending by name");
  await browser.evaluate("{ const box = document.querySelector('.table-tools input'); box.value = 'relu'; box.dispatchEvent(new Event('input', { bubbles: true })); }");
  await browser.frame();
  assert.deepEqual(await names(), ["aten__relu"]);
  assert.match(await browser.evaluate("document.querySelector('.what')?.title ?? [...document.querySelectorAll('.what')].length.toString()"), /0|HLO ops/);
  console.log("ok: the table has its columns, sorts and searches");

  const choose = async (label, value) => {
    await browser.evaluate(`{ const select = [...document.querySelectorAll('label.select')].find((label) => label.textContent.startsWith(${JSON.stringify(label)})).querySelector('select'); select.value = ${JSON.stringify(value)}; select.dispatchEvent(new Event('change', { bubbles: true })); }`);
    await browser.frame();
  };
  const occurrences = () => browser.evaluate("document.querySelector('.grid tbody tr').innerText.split('\\t')[1].trim()");
  await browser.view("operator-hlo");
  assert.equal(await occurrences(), "6", "two products in each of three passes over the model");
  await choose("Iteration", "1");
  assert.equal(await occurrences(), "2", "of one pass");
  await choose("Iteration", "-1");
  assert.equal(await occurrences(), "6");
  console.log("ok: an iteration has its own table");

  for (const view of ["operator-framework", "operator-hlo"]) {
    await browser.view(view);
    for (const shares of await browser.evaluate("[...document.querySelectorAll('.pie-legend')].map((list) => [...list.querySelectorAll('.num')].map((cell) => parseFloat(cell.textContent)))")) {
      const sum = shares.reduce((total, share) => total + share, 0);
      assert.ok(Math.abs(sum - 100) < 0.05 * shares.length, `${view}: a pie of ${sum} %`);
    }
    assert.match(await browser.text(".pies"), /100 % = .* on all devices/s);
  }
  console.log("ok: the pies add up to 100 % and say of what");

  await browser.view("operator-timeline");
  const canvas = await browser.evaluate("(() => { const box = document.querySelector('canvas').getBoundingClientRect(); return { x: box.x, y: box.y, width: box.width, height: box.height }; })()");
  await browser.evaluate("{ const box = document.querySelector('.tools input'); box.value = 'broadcast_in_dim.2'; box.dispatchEvent(new Event('input', { bubbles: true })); }");
  await browser.frame();
  assert.match(await browser.text(".n-of-m"), /of \d+/);
  // The matches are on several rows; the one among the HLO ops of the section Process Execution is fused.
  let fused = "";
  for (let i = 0; i < 60 && !/fused_\d+/.test(fused); ++i) {
    await browser.evaluate("document.querySelector('[aria-label=\"Next match\"]').click()");
    await browser.frame();
    fused = await browser.text(".slice-detail");
  }
  assert.match(fused, /Title\s+fused_\d+/);
  // Clicks the slice where it is drawn: the search chose it, and the click must find the same one.
  const place = await browser.evaluate("document.querySelector('.slice-detail dd code').textContent");
  await browser.key("Escape");
  await browser.evaluate("document.querySelector('canvas').focus()");
  await browser.evaluate("document.querySelector('canvas').scrollIntoView({ block: 'start' })");
  const title = async () => (await browser.text(".slice-detail dd code"));
  const box = await browser.evaluate("(() => { const box = document.querySelector('canvas').getBoundingClientRect(); return { x: box.x, y: box.y, width: box.width, height: box.height }; })()");
  let clicked = "";
  scan: for (let y = box.y + 30; y < Math.min(box.y + box.height, 1090) ; y += 10) {
    for (let x = box.x + 200; x < box.x + box.width; x += 60) {
      await browser.click(x, y);
      clicked = await title();
      if (/^fused_\d+$/.test(clicked)) break scan;
    }
  }
  assert.match(clicked, /^fused_\d+$/, `no click found a fused slice (the search found ${place})`);
  const detail = await browser.text(".slice-detail");
  for (const word of ["Title", "Category", "Start", "Wall Duration", "members"]) assert.ok(detail.toLowerCase().includes(word.toLowerCase()), word);
  await browser.evaluate("document.querySelector('.members .link[data-member]').click()");
  await browser.frame();
  const member = await browser.text(".slice-detail");
  assert.match(member, /As drawn/i);
  assert.match(member, /(exact|bounded):/);
  await browser.shoot("fused-slice");
  console.log("ok: a click on a fused slice lists its members, and each how exactly it is known");

  await browser.evaluate("{ const box = document.querySelector('.tools input'); box.value = ''; box.dispatchEvent(new Event('input', { bubbles: true })); document.querySelector('canvas').focus(); }");
  await browser.key("Escape");
  const range = () => browser.evaluate("document.querySelector('.tools > .muted').textContent");
  await browser.key("0");
  const all = await range();
  await browser.key("+");
  assert.notEqual(await range(), all);
  await browser.key("0");
  assert.equal(await range(), all);
  await browser.key("ArrowDown");
  const first = await title();
  assert.notEqual(first, "");
  await browser.key("ArrowDown");
  await browser.key("ArrowRight");
  await browser.key("f");
  assert.notEqual(await range(), all);
  await browser.key("/");
  assert.equal(await browser.evaluate("document.activeElement.type"), "search");
  console.log("ok: the timeline is walked and zoomed by keyboard");

  await browser.key("Escape");
  await browser.evaluate("document.querySelector('canvas').focus()");
  await choose("Iteration", "1");
  const one = await range();
  assert.notEqual(one, all);
  await browser.evaluate("{ const box = document.querySelector('.tools input'); box.value = 'tanh.9'; box.dispatchEvent(new Event('input', { bubbles: true })); }");
  await browser.frame();
  let flow = "";
  for (let i = 0; i < 30 && !/flow: this/i.test(flow); ++i) {
    await browser.evaluate("document.querySelector('[aria-label=\"Next match\"]').click()");
    await browser.frame();
    flow = await browser.text(".slice-detail");
  }
  assert.match(flow, /flow: this execution, in order/i);
  const joined = await browser.evaluate("[...document.querySelectorAll('.flow button')].map((button) => button.textContent)");
  assert.deepEqual(joined, ["Process Execution · tanh.9", "Process Data Transfer · tanh.9", "Process Compare · reference"]);
  await browser.evaluate("document.querySelectorAll('.flow button')[1].click()");
  await browser.frame();
  assert.match(await browser.text(".slice-detail"), /category\s+process data transfer/i);
  await browser.shoot("flow");
  console.log("ok: an iteration is zoomed to, and an execution leads to its transfers");

  await browser.view("outputs");
  const outputs = await browser.text();
  assert.match(outputs, /==CPU OUTPUT==\s+tensor\(\[\[/);
  assert.match(outputs, /==SAMPLE OUTPUT==/);
  await browser.view("hierarchy");
  await browser.evaluate("document.querySelector('[data-path=\"NN[model]/Linear[layer1]\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
  await browser.view("conformance");
  assert.match(await browser.text(), /Only NN\[model\]\/Linear\[layer1\]/);
  assert.equal((await browser.evaluate("document.querySelectorAll('.grid tbody tr').length")), 4);
  await browser.view("compare");
  assert.match(await browser.text(), /beyond noise/);
  browser.assertClean();
  console.log("ok: outputs stand side by side, a module filters, two runs are compared");

  await browser.view("in-one-piece");
  assert.equal(await browser.evaluate("document.querySelectorAll('.tracks .instruction').length"), 6);
  await browser.evaluate("document.querySelector('[data-instruction=\"add_maximum_fusion\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
  await browser.frame();
  assert.match(await browser.text(".note"), /add_maximum_fusion \(fusion\) of aten__relu/);
  assert.match(await browser.text(".regions"), /transfers exposed: 100 % \(copy-start\.1\)/);
  browser.assertClean();
  console.log("ok: an instruction of the model in one piece leads to its ops, and exposed transfers are said");

  // A trace that has only a header: every view says what is missing.
  const bare = join(folder, "bare.ndjson");
  writeFileSync(bare, readFileSync(join(folder, "base.ndjson"), "utf8").split("\n")[0] + "\n");
  run(optrace, "export", "-o", join(folder, "bare"), bare);
  await browser.open(join(folder, "bare", "profile.html"));
  for (const view of VIEWS) {
    await browser.view(view);
    const text = await browser.text();
    assert.match(text, view === "insights" ? /cut short/ : /No |no /, `${view}: ${text}`);
    assert.match(await browser.text("header"), /cut short/);
  }
  browser.assertClean();
  await browser.shoot("empty");
  console.log("ok: views of an empty trace say what is missing");

  const large = page("large", ["100000"]);
  const begin = Date.now();
  await browser.open(large);
  await browser.view("operator-timeline");
  const opened = Date.now() - begin;
  const frames = await browser.evaluate("(async () => { const canvas = document.querySelector('canvas'); const from = performance.now(); for (let i = 0; i < 20; ++i) { canvas.dispatchEvent(new KeyboardEvent('keydown', { key: i % 2 ? '+' : 'd', bubbles: true })); await new Promise((done) => requestAnimationFrame(done)); } return (performance.now() - from) / 20; })()");
  await browser.shoot("large");
  browser.assertClean();
  console.log(`ok: 100,000 spans: opened and drawn after ${opened} ms, ${frames.toFixed(1)} ms a step of zoom or pan`);
  assert.ok(canvas.width > 400);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
