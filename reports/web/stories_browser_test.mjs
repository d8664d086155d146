// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// stories_browser_test.mjs SAMPLE_REPORT SAMPLE_OPTRACE OPTRACE OPBYOP AXE CHROMIUM [SCREENSHOTS]: does what three
// users do with the pages, click by click. One finds out why the nightly is red, one where a model spends its time, one
// which night broke a case. Then every view is drawn for a wide screen, a laptop and a phone, light and dark. axe-core
// must find nothing serious in the laptop's light and the phone's dark views, or in all of them with SCREENSHOTS, which
// is the folder for their pictures.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, LIMIT_MS } from "./browser.mjs";

const [sampleReport, sampleOptrace, optrace, opbyop, axeFile, chromium, screenshots = ""] = process.argv.slice(2);
const AXE = readFileSync(axeFile, "utf8");
const SCREENS = [[1600, 1100], [1280, 900], [390, 844]];
const PHONE = 390;
const LOOKED_AT = new Set(["1280 light", "390 dark"]);
const VIEWS = ["insights", "operator-framework", "operator-hlo", "operator-timeline", "outputs", "conformance", "hierarchy", "in-one-piece", "roofline", "compare"];
// The columns of a table that a phone shows without scrolling: how ops ended, their time, its share, their error.
const IN_VIEW = {
  "operator-framework": ["Time (ns)", "Time %", "Status", "Max ULP"],
  "operator-hlo": ["Time (ns)", "Time %", "Status", "Max ULP"],
  outputs: ["Op", "Status", "Max ULP isolated", "Max ULP accumulated"],
  conformance: ["Status", "Device (ns)", "Share", "ULP isolated"],
  compare: ["Δ (ns)", "Δ %", "Noise", "Status"],
  comparison: ["pass", "problems", "rows"],
  "history overview": ["pass", "red"],
  "history rank": ["status", "turns ready"],
  "history slowest": ["time", "of the stage"],
};

const HISTORY = ["overview", "trend", "regressions", "groups", "rank", "flaky", "models", "types", "slowest", "rows"];

const folder = mkdtempSync(join(tmpdir(), "opbyop-stories-"));

function runs(status, program, ...options) {
  const made = spawnSync(program, options, { encoding: "utf8", timeout: LIMIT_MS });
  assert.equal(made.status, status, made.stdout + made.stderr);
}
const run = (program, ...options) => { runs(0, program, ...options); };

const browser = new Browser(chromium, folder, screenshots);

// Checks that the page does not scroll sideways, and that it is accessible.
async function look(view, width, theme) {
  const name = `${view}, ${width}, ${theme}`;
  assert.ok((await browser.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0, `${name} is wider than the screen`);
  if (screenshots || LOOKED_AT.has(`${width} ${theme}`)) assert.deepEqual(await browser.axe(AXE), [], name);
  // Texts that a real run makes long enough to scroll can be reached by keyboard.
  assert.deepEqual(await browser.evaluate("[...document.querySelectorAll('pre')].filter((text) => getComputedStyle(text).overflowY === 'auto' && text.tabIndex < 0).map((text) => text.className + text.ariaLabel)"), [], name);
  if (screenshots) await browser.shoot(name.replaceAll(", ", "-"));
  if (width !== PHONE) return;
  const begins = await browser.evaluate("document.querySelector('main').getBoundingClientRect().top + scrollY");
  assert.ok(begins < 600, `${name} begins at ${begins}: not on the first screen`);
  const right = await browser.evaluate("Object.fromEntries([...document.querySelectorAll('main th')].reverse().map((head) => [head.innerText.replace(/[▾▴]/, '').replaceAll(/\\s+/g, ' ').trim(), head.getBoundingClientRect().right]))");
  for (const title of IN_VIEW[view] ?? []) assert.ok(right[title] <= PHONE, `${name}: ${title} ends at ${right[title]}`);
  // Names of real models are longer than those of the sample.
  await browser.evaluate("for (const code of document.querySelectorAll('main code, main .chosen-op')) if (!code.closest('.scroll') && code.children.length === 0) code.textContent += '_longer_than_any'.repeat(8)");
  assert.ok((await browser.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0, `${name} is wider than the screen where names are long`);
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
  // The files that can be published are in the page's folder.
  const cards = await browser.evaluate("[...document.querySelectorAll('.run-facts a')].map((link) => link.href)");
  assert.deepEqual(cards.map((link) => link.slice(link.lastIndexOf("/") + 1)), ["junit.xml", "optest.json", "summary.md", "scorecard.md", "scorecard.json", "badge.svg"]);
  for (const link of cards) assert.ok(readFileSync(new URL(link), "utf8").length > 100, link);
  await browser.press(".verdict button", "attention");
  const red = await shownRows();
  assert.ok(red.length > 0, "what needs attention is listed");
  assert.match(await browser.text(".chips [aria-pressed=true]"), /fail|crash|flaky|timeout/);
  // Its message appears once: in the row's line, or in the open detail below it.
  const message = await browser.text("[data-row] .c-diagnostic");
  assert.ok(message.length > 0);
  const times = () => browser.evaluate(`document.querySelector('.rows > li').innerText.split(${JSON.stringify(message)}).length - 1`);
  assert.equal(await times(), 1);
  await browser.press("[data-row]");
  assert.equal(await times(), 1, "the open row does not say it again");
  const detail = await browser.text(".detail");
  for (const words of [/opbyop repro /, /Stages/i, /Where it comes from/i]) assert.match(detail, words);
  // Its program is readable, and can be copied with one click.
  assert.match(await browser.text(".detail .ir"), /^\/\/ case \w+\nmodule \{[^]*stablehlo\./);
  await browser.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }");
  await browser.press(".program .copy");
  assert.match(await browser.evaluate("window.copied"), /^\/\/ case \w+\nmodule/);
  // The address is that of the row; another reader sees the same.
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

// The red target, its op and its case are visible at once, on a phone too.
async function redTarget(page) {
  await browser.size(...SCREENS[2]);
  await browser.open(page);
  assert.match(await browser.text(".verdict"), /\d+ of \d+ ops ends? differently\s+\S+: [\d,]+ problems/);
  const op = await browser.text("table.compared tbody tr:first-child th");
  assert.ok(await browser.evaluate("document.querySelector('table.compared tbody tr:first-child .cell.bad') !== null"), "the first op is red");
  assert.match(await browser.text("section[aria-labelledby=ops-title] .sideways"), /^Left out[^]*error/, "the columns that are left out are named");
  await browser.press("table.compared tbody .link");
  assert.match(await browser.text("#op h2"), new RegExp(op.trim().replaceAll(".", "\\.")));
  if ((await browser.text("#cases .empty")) !== "") await browser.press("#cases input[type=checkbox]");
  const widths = await browser.evaluate("[...document.querySelectorAll('.cases td')].map((cell) => cell.getBoundingClientRect().width)");
  assert.ok(widths.length > 0 && widths.every((width) => width > 250), `a target below the other: ${widths.join()}`);
  await browser.size(...SCREENS[1]);
}

// A program that is too large for the page is a link to its file.
async function largeProgram(page) {
  const data = JSON.parse(/<script type="application\/json" id="data">([^]*?)<\/script>/.exec(readFileSync(page, "utf8"))[1]);
  const field = (kind, item, name) => item[data.columns[kind].indexOf(name)];
  const isLarge = (each) => each !== null && field("program", field("detail", JSON.parse(field("case", each, "detail")), "program"), "text") === "";
  const row = data.rows.find((each) => isLarge(data.cases[field("row", each, "case")]));
  const name = `${data.models[field("row", row, "model")].name}__${field("case", data.cases[field("row", row, "case")], "id")}`;
  await browser.open(page, `#row=${encodeURIComponent(name)}`);
  await browser.until("document.querySelector('.detail') !== null", "the row");
  assert.match(await browser.text(".detail"), /19\.\d KiB, more than this page holds: cases\//);
  assert.equal(await browser.evaluate("document.querySelector('.detail .ir')"), null);
  const file = await browser.evaluate("document.querySelector('.detail a[href*=\"cases/\"]').href");
  assert.ok(readFileSync(new URL(file), "utf8").length > 20_000);
}

async function slowModel(page) {
  await browser.open(page);
  assert.match(await browser.text(".verdict"), /of 10 ops pass/);
  // From the slowest row of the table to its place on the timeline.
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
  // The legend shows compute, transfer and both at once.
  assert.match(await browser.text(".kinds"), /compute [^]*transfer [^]*both at once [^]*100 % = /);
  const shared = await browser.evaluate("location.href");
  assert.match(shared, /ops=1%2C6/);
  assert.match(shared, /slice=\d+\.\d+/);
  // Back from the slice to the table.
  await browser.press(".slice-detail a", "all dot_general");
  await browser.until("document.querySelector('main').dataset.view === 'operator-hlo'", "the table again");
  assert.deepEqual(await browser.evaluate("[...document.querySelectorAll('.grid tbody tr td:first-child code')].map((cell) => cell.textContent)"), ["dot_general"]);
  // The address shows another reader the same slice and zoom.
  await browser.evaluate(`location.href = ${JSON.stringify(shared)}`);
  await browser.until("document.querySelector('.slice-detail')?.innerText.includes('HLO Ops') ?? false", "the shared slice");
  assert.equal(await browser.text(".slice-detail"), slice);
  // The roofline shows how far an op is from what the device can do.
  await browser.press("nav a", "roofline");
  await browser.until("document.querySelector('main').dataset.view === 'roofline'", "roofline");
  assert.match(await browser.text(".roof-legend"), /dot_general\s+2 ops/);
  await browser.evaluate("document.querySelector('[data-point=\"dot_general.1\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
  await browser.frame();
  const op = await browser.text(".op-facts");
  assert.match(op, /dot_general\.1/);
  assert.match(op, /stablehlo\.dot_general/, "its IR is readable");
}

// Three nights of the same run; in the second one case broke.
function nights() {
  const text = readFileSync(join(folder, "report", "results.jsonl"), "utf8");
  const [header, ...records] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const broken = records.find((record) => record.record === "case" && record.status === "pass" && record.case.startsWith("add_"));
  for (const night of [1, 2, 3]) {
    const lines = [{ ...header, run_id: `night-${night}`, start: `2026-11-0${night}T02:00:00.000000+00:00`, manifest: "../report/manifest.yaml" }];
    for (const record of records) {
      const breaks = night >= 2 && record === broken;
      lines.push(breaks ? { ...record, status: "fail", stage: "execute", diagnostic: "the device did not answer", comparisons: [], sets: [] } : record);
    }
    const run = join(folder, `night-${night}`);
    mkdirSync(run);
    writeFileSync(join(run, "results.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  run(opbyop, "history", "import", ...[1, 2, 3].map((night) => join(folder, `night-${night}`)), "--db", join(folder, "history.db"));
  run(opbyop, "history", "page", "--db", join(folder, "history.db"), "-o", join(folder, "history"));
  return broken.case;
}

const shownView = (name) => browser.until(`document.querySelector('main').dataset.view === ${JSON.stringify(name)}`, name);
const shown = (words) => browser.until(`document.querySelector('main').innerText.includes(${JSON.stringify(words)})`, words);

// The page says which night broke it, its outcome then and before, and how to repeat it.
async function brokenNight(page, broken) {
  await browser.open(page);
  await browser.evaluate("document.querySelector('.trend a[aria-label*=\"got worse\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
  await shownView("run");
  await shown(broken);
  assert.match(await browser.text(), /night-2[^]*What it changed since night-1/);
  assert.match(await browser.text(".grid tbody"), /^broke\s/);
  assert.doesNotMatch(await browser.text(".grid tbody"), /\n[^]*broke/, "nothing else is named");
  await browser.press(".grid tbody a", broken);
  await shownView("case");
  await shown("What night-3 recorded");
  const text = await browser.text();
  for (const words of [/the device did not answer/, /opbyop repro /, /Where it comes from/i, /seed \d+/]) assert.match(text, words);
  const statuses = await browser.evaluate("[...document.querySelectorAll('.grid tbody tr')].map((row) => row.querySelector('.status')?.textContent)");
  assert.deepEqual(statuses, ["fail", "fail", "pass"]);
  const address = await browser.evaluate("location.hash");
  assert.match(address, new RegExp(`case=.*${broken}`));
  await browser.evaluate("history.back()");
  await shownView("run");
  // A filter of the rows is part of the address, and can be shared.
  await browser.evaluate("location.hash = '#view=rows&status=fail'");
  await shownView("rows");
  await browser.until("document.querySelector('[data-row]') !== null", "rows");
  const failing = await shownRows();
  assert.ok(failing.some((row) => row.endsWith(`__${broken}`)), failing.join());
  await type("main input[type=search]", broken);
  assert.deepEqual((await shownRows()).length, failing.filter((row) => row.endsWith(`__${broken}`)).length);
  assert.match(await browser.evaluate("location.hash"), /q=add_/);
  // The CSV file has the rows that are shown.
  await browser.send("Browser.setDownloadBehavior", { behavior: "deny" });
  await browser.evaluate("{ const make = URL.createObjectURL; URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return make.call(URL, blob); }; }");
  await browser.press("main button", "CSV");
  await browser.until("window.saved !== undefined", "the file");
  const saved = (await browser.evaluate("window.saved")).trimEnd().split("\n");
  assert.match(saved[0], /^"status","op","case","model"/);
  assert.equal(saved.length, 1 + (await shownRows()).length);
  assert.ok(saved.slice(1).every((line) => line.startsWith('"fail"') && line.includes(broken)), saved.join("\n"));
}

async function lookAtHistory(page, broken, width, theme) {
  await browser.open(page);
  const views = [...HISTORY.map((view) => [view, `view=${view}`]), ["run", "run=night-2"], ["case", `case=${broken}`]];
  for (const [view, hash] of views) {
    await browser.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await shownView(view);
    await browser.until("document.querySelector('main [role=status]')?.textContent !== 'Loading…'", `the data of ${view}`);
    await browser.frame();
    // Failures are red; rows without a verdict are not.
    if (view === "types") assert.equal(await browser.evaluate("[...document.querySelectorAll('.matrix tr')].find((row) => row.innerText.startsWith('stablehlo.iota'))?.querySelector('.cell:not(.none)')?.className"), "cell other");
    await look(`history ${view}`, width, theme);
  }
}

try {
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  run(sampleReport, join(folder, "report"), "120");
  run(sampleOptrace, join(folder, "base.ndjson"));
  run(sampleOptrace, join(folder, "trace.ndjson"), "slower");
  run(optrace, "export", "--base", join(folder, "base.ndjson"), join(folder, "trace.ndjson"), "-o", folder);
  const report = join(folder, "report", "index.html");
  run(sampleReport, join(folder, "other"), "90");
  runs(1, opbyop, "report", join(folder, "report"), join(folder, "other"), "-o", join(folder, "compared"));
  const compared = join(folder, "compared", "index.html");
  const broken = nights();
  const historyPage = join(folder, "history", "index.html");
  const profile = join(folder, "profile.html");
  await browser.start();
  await browser.size(...SCREENS[1]);

  await redNightly(report);
  browser.assertClean();
  console.log("ok: a red nightly is followed to its row, its program, its command and back, by mouse and keyboard");

  await redTarget(compared);
  browser.assertClean();
  console.log("ok: of several targets the red one, its op and its cases are found on a phone");

  await largeProgram(report);
  browser.assertClean();
  console.log("ok: a program that the page does not hold is a link to its file");

  await slowModel(profile);
  browser.assertClean();
  console.log("ok: a slow model is followed from its table to its slices and back, and to its roof");

  await brokenNight(historyPage, broken);
  browser.assertClean();
  console.log("ok: a night that broke a case is followed to the case, its command and its rows as a file");

  for (const theme of ["light", "dark"]) {
    await browser.theme(theme);
    for (const [width, height] of SCREENS) {
      await browser.size(width, height);
      await browser.open(report);
      await browser.press("[data-row]");
      await look("report", width, theme);
      assert.ok(await browser.evaluate("[...document.querySelectorAll('.models tbody tr:first-child > :nth-child(-n+3)')].every((cell) => cell.getBoundingClientRect().right <= innerWidth)"), `${width}: which models fail is in view`);
      await browser.open(compared);
      await look("comparison", width, theme);
      await browser.press("table.compared tbody .link");
      await look("op", width, theme);
      await lookAtHistory(historyPage, broken, width, theme);
      await browser.open(profile);
      for (const view of VIEWS) {
        await browser.view(view);
        await look(view, width, theme);
        assert.deepEqual(await browser.evaluate("[...document.querySelectorAll('svg.roofline, svg.icicle, svg.tracks')].filter((picture) => Math.abs(picture.viewBox.baseVal.width - picture.getBoundingClientRect().width) > 4).length"), 0, `${view}, ${width}: its words have the size of others`);
      }
    }
  }
  browser.assertClean();
  console.log("ok: every view fits three screens in both themes, and axe-core finds nothing serious");
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
