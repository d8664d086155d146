// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// browser_test.mjs SAMPLE_REPORT OPBYOP CHROMIUM: opens the page in a real browser, from file://.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const LIMIT_MS = 120_000; // of one start of the browser
const [sampleReport, opbyop, chromium] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), "opbyop-page-"));
const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--virtual-time-budget=4000",
  "--host-resolver-rules=MAP * ~NOTFOUND",
];

// The document after its script has run.
function dump(page, hash = "", width = 1400) {
  const url = pathToFileURL(page).href + hash;
  const profile = mkdtempSync(join(folder, "profile-"));
  const run = spawnSync(chromium, [...FLAGS, `--user-data-dir=${profile}`, `--window-size=${width},1200`, "--dump-dom", url], {
    encoding: "utf8", timeout: LIMIT_MS, killSignal: "SIGKILL", maxBuffer: 1 << 28,
  });
  assert.equal(run.error, undefined, `the browser did not end: ${String(run.error)}`);
  assert.equal(run.status, 0, run.stderr);
  return run.stdout;
}

// The body without the page's own data and script.
function visible(html) {
  return html.slice(html.indexOf("<body")).replace(/<script[\s\S]*?<\/script>/g, "").replace(/<noscript[\s\S]*?<\/noscript>/g, "");
}

function report(name, ...options) {
  const made = spawnSync(sampleReport, [join(folder, name), ...options], { encoding: "utf8", timeout: LIMIT_MS });
  assert.equal(made.status, 0, made.stderr);
  return join(folder, name, "index.html");
}

try {
  const page = report("whole", "1500");
  const source = readFileSync(page, "utf8");
  const data = JSON.parse(/<script type="application\/json" id="data">([\s\S]*?)<\/script>/.exec(source)[1]);
  const field = (kind, item, name) => item[data.columns[kind].indexOf(name)];

  const text = visible(dump(page));
  assert.match(text, /rows?<\/p>|pass/);
  const shown = [...text.matchAll(/data-row="([^"]+)"/g)].map((match) => match[1]);
  assert.ok(shown.length >= 10, `${shown.length} rows are drawn`);
  assert.ok(shown.length < 200, `${shown.length} of ${data.rows.length} rows are drawn: the list is not windowed`);
  for (const op of data.ops) assert.ok(text.includes(`<code>${op.label.replaceAll("&", "&amp;")}</code>`), op.label);
  for (const stage of data.stages) assert.ok(text.includes(stage.name), stage.name);
  for (const model of data.models) assert.ok(text.includes(model.name), model.name);
  assert.match(text, /What to fix first/);
  assert.match(text, /What is not judged/);
  assert.match(text, /passed, but inconclusive: \d+ kinds? of op in \d+ shapes?/);
  console.log("ok: header, what to fix first, matrix, models and rows are drawn");

  // The page loads nothing, and its links lead to the files in its folder that the same report wrote.
  const named = [...text.matchAll(/(?:src|href|action)="(?!#|data:)([^"]*)"/g)].map((match) => match[1]);
  assert.deepEqual(named, ["junit.xml", "optest.json", "summary.md", "scorecard.md", "scorecard.json", "badge.svg"]);
  assert.doesNotMatch(source.slice(0, source.indexOf('id="data"')), /https?:\/\//);
  console.log("ok: the page names no other place");

  const failing = data.rows.find((row) => data.statuses[field("row", row, "status")] === "crash");
  const id = field("case", data.cases[field("row", failing, "case")], "id");
  const name = `${data.models[field("row", failing, "model")].name}__${id}`;
  const opened = visible(dump(page, `#row=${encodeURIComponent(name)}`));
  assert.ok(opened.includes(`aria-label="Details of ${name}"`), `${name} is not open`);
  assert.match(opened, /opbyop repro /);
  assert.match(opened, /Log tail of the worker/);
  console.log("ok: a link opens its row with stages, log tail and the command");

  const filtered = visible(dump(page, "#status=crash"));
  const crashes = data.rows.filter((row) => data.statuses[field("row", row, "status")] === "crash").length;
  assert.equal([...filtered.matchAll(/data-row="/g)].length, crashes);
  console.log("ok: a link filters the rows");

  report("other", "300");
  spawnSync(opbyop, ["report", join(folder, "whole"), join(folder, "other"), "-o", folder], { timeout: LIMIT_MS });
  const op = data.ops.find((each) => each.counts[data.statuses.indexOf("crash")] > 0).label;
  const compared = visible(dump(join(folder, "index.html"), `#op=${encodeURIComponent(op)}`));
  const section = /<section id="op"[\s\S]*?<\/section>/.exec(compared)?.[0] ?? "";
  assert.ok(section.includes(`<code>${op}</code>`), `${op} is not open`);
  assert.match(section, /crash/);
  assert.match(section, /opbyop repro /);
  console.log("ok: a link opens one op of several runs, with its types, first diagnostics and commands");

  const cut = visible(dump(report("cut", "300", "--cut"), "", 420));
  assert.match(cut, /The run did not end/);
  assert.match(cut, /s-missing/);
  console.log("ok: a run that did not end says so, on a narrow screen too");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
