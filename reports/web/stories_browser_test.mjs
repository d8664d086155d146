// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// stories_browser_test.mjs SAMPLE_REPORT SAMPLE_OPTRACE OPTRACE AXE CHROMIUM [SCREENSHOTS]: what two people do with the
// pages, click by click. One finds out why the nightly is red, the other where the time of a model goes. Then every view
// is drawn for a wide screen, a laptop and a phone, light and dark, and axe-core finds nothing serious in it. With
// SCREENSHOTS it looks at each of these and keeps its picture; else at the laptop's in light and the phone's in dark.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, LIMIT_MS } from "./browser.mjs";

const [sampleReport, sampleOptrace, optrace, axeFile, chromium, screenshots = ""] = process.argv.slice(2);
const AXE = readFileSync(axeFile, "utf8");
const SCREENS = [[1600, 1100], [1280, 900], [390, 844]];
const LOOKED_AT = new Set(["1280 light", "390 dark"]);
const VIEWS = ["insights", "operator-framework", "operator-hlo", "operator-timeline", "outputs", "conformance", "hierarchy", "roofline", "compare"];

const folder = mkdtempSync(join(tmpdir(), "opbyop-stories-"));

function run(program, ...options) {
  const made = spawnSync(program, options, { encoding: "utf8", timeout: LIMIT_MS });
  assert.equal(made.status, 0, made.stderr);
}

const browser = new Browser(chromium, folder, screenshots);

// The page does not scroll sideways, and nobody is kept from reading it.
async function look(view, width, theme) {
  const name = `${view}, ${width}, ${theme}`;
  assert.ok((await browser.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0, `${name} is wider than the screen`);
  if (screenshots || LOOKED_AT.has(`${width} ${theme}`)) assert.deepEqual(await browser.axe(AXE), [], name);
  if (screenshots) await browser.shoot(name.replaceAll(", ", "-"));
}

async function type(selector, text) {
  await browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
  await browser.send("Input.insertText", { text });
  await browser.frame();
}

const active = () => browser.evaluate("document.activeElement.type ?? document.activeElement.tagName");
const shownRows = () => browser.evaluate("[...document.querySelectorAll('[data-row]')].map((row) => row.dataset.row)");

async function redNightly(page) {
  await browser.open(page);
  await browser.press(".verdict button", "attention");
  const red = await shownRows();
  assert.ok(red.length > 0, "what needs attention is listed");
  assert.match(await browser.text(".chips [aria-pressed=true]"), /fail|crash|flaky|timeout/);
  // Its message stands once: in the line of the row, or in what is open below it.
  const message = await browser.text("[data-row] .c-diagnostic");
  assert.ok(message.length > 0);
  const times = () => browser.evaluate(`document.querySelector('.rows > li').innerText.split(${JSON.stringify(message)}).length - 1`);
  assert.equal(await times(), 1);
  await browser.press("[data-row]");
  assert.equal(await times(), 1, "the open row does not say it again");
  const detail = await browser.text(".detail");
  for (const words of [/opbyop repro /, /Stages/i, /Where it comes from/i]) assert.match(detail, words);
  // The address is the row's: whoever gets it sees the same.
  const address = await browser.evaluate("location.href");
  assert.match(address, /row=/);
  await browser.key("Escape");
  assert.equal(await browser.text(".detail"), "", "Escape closes the row");
  await browser.key("/");
  assert.equal(await active(), "search");
  await type("#rows input[type=search]", "no such row anywhere");
  assert.match(await browser.text("#rows"), /No row meets these conditions/);
  await browser.key("Escape");
  assert.ok((await shownRows()).length > 0, "Escape empties the search");
  assert.notEqual(await active(), "search");
}

async function slowModel(page) {
  await browser.open(page);
  assert.match(await browser.text(".verdict"), /of 10 ops pass/);
  // The table: what is slowest, then where on the timeline it is.
  await browser.press("nav a", "operator-hlo");
  await browser.until("document.querySelector('main').dataset.view === 'operator-hlo'", "operator-hlo");
  assert.equal(await browser.text(".grid tbody tr:first-child code"), "dot_general");
  await browser.press(".grid tbody tr:first-child a.to-slices");
  await browser.until("document.querySelector('main').dataset.view === 'operator-timeline'", "operator-timeline");
  assert.match(await browser.text(".tools"), /2 ops of a table/);
  await browser.press("[aria-label='Next match']");
  assert.match(await browser.text(".n-of-m"), /^1 of \d+/);
  const slice = await browser.text(".slice-detail");
  assert.match(slice, /Process Execution · HLO Ops/, "executions come first");
  assert.match(slice, /ns into iteration 0/);
  assert.match(slice, /Start in device time/i);
  // Compute, transfer and both at once are told at first sight.
  assert.match(await browser.text(".kinds"), /compute [^]*transfer [^]*both at once [^]*100 % = /);
  const shared = await browser.evaluate("location.href");
  assert.match(shared, /ops=1%2C6/);
  assert.match(shared, /slice=\d+\.\d+/);
  // Back from the slice to the table.
  await browser.press(".slice-detail a", "all dot_general");
  await browser.until("document.querySelector('main').dataset.view === 'operator-hlo'", "the table again");
  assert.deepEqual(await browser.evaluate("[...document.querySelectorAll('.grid tbody tr td:first-child code')].map((cell) => cell.textContent)"), ["dot_general"]);
  // Whoever gets the address sees the same slice and zoom.
  await browser.evaluate(`location.href = ${JSON.stringify(shared)}`);
  await browser.until("document.querySelector('.slice-detail')?.innerText.includes('HLO Ops') ?? false", "the shared slice");
  assert.equal(await browser.text(".slice-detail"), slice);
  // The roofline says how far it is from what the device can do.
  await browser.press("nav a", "roofline");
  await browser.until("document.querySelector('main').dataset.view === 'roofline'", "roofline");
  assert.match(await browser.text(".roof-legend"), /dot_general\s+2 ops/);
  await browser.evaluate("document.querySelector('[data-point=\"dot_general.1\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
  await browser.frame();
  const op = await browser.text(".op-facts");
  assert.match(op, /dot_general\.1/);
  assert.match(op, /stablehlo\.dot_general/, "its IR is readable");
}

try {
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  run(sampleReport, join(folder, "report"), "120");
  run(sampleOptrace, join(folder, "base.ndjson"));
  run(sampleOptrace, join(folder, "trace.ndjson"), "slower");
  run(optrace, "export", "--base", join(folder, "base.ndjson"), join(folder, "trace.ndjson"), "-o", folder);
  const report = join(folder, "report", "index.html");
  const profile = join(folder, "profile.html");
  await browser.start();
  await browser.size(...SCREENS[1]);

  await redNightly(report);
  browser.assertClean();
  console.log("ok: a red nightly is followed to its row, its command and back, by mouse and keyboard");

  await slowModel(profile);
  browser.assertClean();
  console.log("ok: a slow model is followed from its table to its slices and back, and to its roof");

  for (const theme of ["light", "dark"]) {
    await browser.theme(theme);
    for (const [width, height] of SCREENS) {
      await browser.size(width, height);
      await browser.open(report);
      await browser.press("[data-row]");
      await look("report", width, theme);
      await browser.open(profile);
      for (const view of VIEWS) {
        await browser.view(view);
        await look(view, width, theme);
      }
    }
  }
  browser.assertClean();
  console.log("ok: every view fits three screens in both themes, and axe-core finds nothing serious");
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
