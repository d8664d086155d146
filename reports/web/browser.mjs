// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A headless Chromium that a test drives over its debugging pipe.
//
//   const browser = new Browser(chromium, folder);
//   await browser.start();
//   await browser.open(join(folder, "profile.html"));
//   await browser.press("nav a", "operator-timeline");
//   assert.deepEqual(await browser.axe(axeSource), []);
//   await browser.close();
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const LIMIT_MS = 120_000; // of one answer of the browser

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND",
  "--remote-debugging-pipe", "--window-size=1500,1200",
];

// The browser's debugging protocol over file descriptors 3 and 4: messages end with a NUL.
export class Browser {
  constructor(chromium, folder, screenshots = "") {
    this.screenshots = screenshots;
    this.child = spawn(chromium, [...FLAGS, `--user-data-dir=${join(folder, "browser")}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.next = 0;
    this.waiting = new Map();
    this.events = [];
    let text = "";
    this.child.stdio[4].setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      const messages = text.split("\0");
      text = messages.pop();
      for (const message of messages) this.take(JSON.parse(message));
    });
    this.child.on("exit", () => {
      for (const { reject } of this.waiting.values()) reject(new Error("the browser ended"));
      this.waiting.clear();
    });
  }
  take(message) {
    if (!this.waiting.has(message.id)) {
      this.events.push(message);
      return;
    }
    const { resolve, reject } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) reject(new Error(JSON.stringify(message.error)));
    else resolve(message.result);
  }
  send(method, params = {}) {
    const id = ++this.next;
    const answer = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), LIMIT_MS);
      this.waiting.set(id, { resolve: (value) => { clearTimeout(timer); resolve(value); }, reject: (error) => { clearTimeout(timer); reject(error); } });
    });
    const sessionId = method.startsWith("Browser.") ? undefined : this.session;
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return answer;
  }
  async start() {
    const { targetInfos } = await this.send("Target.getTargets");
    const target = targetInfos.find((info) => info.type === "page");
    this.session = (await this.send("Target.attachToTarget", { targetId: target.targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await this.send(`${domain}.enable`);
  }
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    assert.equal(exceptionDetails, undefined, JSON.stringify(exceptionDetails));
    return result.value;
  }
  async until(expression, what) {
    const end = Date.now() + LIMIT_MS;
    while (!(await this.evaluate(expression))) {
      assert.ok(Date.now() < end, `never came: ${what}`);
      await new Promise((resolve) => { setTimeout(resolve, 30); });
    }
  }
  // If only the hash changed, the browser would not load the page again.
  async open(file, hash = "") {
    await this.send("Page.navigate", { url: "about:blank" });
    this.events = [];
    await this.send("Page.navigate", { url: pathToFileURL(file).href + hash });
    await this.until("document.readyState === 'complete' && document.querySelector('main') !== null", `main of ${file}`);
  }
  async view(name) {
    await this.evaluate(`location.hash = ${JSON.stringify(`#${name}`)}`);
    await this.until(`document.querySelector('main').dataset.view === ${JSON.stringify(name)}`, name);
    await this.frame();
  }
  frame() {
    return this.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
  }
  text(selector = "main") {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`);
  }
  async key(key, code = key) {
    for (const type of ["keyDown", "keyUp"]) await this.send("Input.dispatchKeyEvent", { type, key, code, ...(key.length === 1 && type === "keyDown" ? { text: key } : {}) });
    await this.frame();
  }
  async click(x, y) {
    for (const type of ["mousePressed", "mouseReleased"]) await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1, buttons: 1 });
    await this.frame();
  }
  async shoot(name) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: false });
    assert.ok(data.length > 5000, `${name}: an empty picture`);
    if (this.screenshots) writeFileSync(join(this.screenshots, `${name}.png`), Buffer.from(data, "base64"));
  }
  // Asserts that there was no error on the console, and no request but the page itself.
  assertClean() {
    for (const { method, params } of this.events) {
      if (method === "Runtime.exceptionThrown") assert.fail(JSON.stringify(params.exceptionDetails));
      if (method === "Runtime.consoleAPICalled") assert.notEqual(params.type, "error", JSON.stringify(params.args));
      if (method === "Log.entryAdded") assert.notEqual(params.entry.level, "error", JSON.stringify(params.entry));
      if (method === "Network.requestWillBeSent") assert.match(params.request.url, /^(file|data|blob):/);
    }
  }
  size(width, height = 1100) {
    return this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }
  theme(value) {
    return this.send("Emulation.setEmulatedMedia", { features: value ? [{ name: "prefers-color-scheme", value }] : [] });
  }
  // Clicks the first matching element, as a user would: it must be there and not disabled.
  async press(selector, words = "") {
    const found = await this.evaluate(`(() => {
      const element = [...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.textContent.includes(${JSON.stringify(words)}) && !each.disabled);
      element?.scrollIntoView({ block: "center" });
      element?.click();
      return element !== undefined;
    })()`);
    assert.ok(found, `nothing to click: ${selector} ${words}`);
    await this.frame();
  }
  // The serious and critical findings of axe-core: "color-contrast: 3 of .tag, ...".
  async axe(source) {
    await this.evaluate(`${source}; void 0`);
    return this.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.length + " of " + nodes.slice(0, 3).map((node) => node.target.join(" ") + " " + (node.any[0]?.message ?? "")).join("; ")))`);
  }
  // When it is asked to close, the browser first ends its own processes, which write into the folder until then.
  async close() {
    const ended = new Promise((resolve) => { this.child.on("exit", resolve); });
    await Promise.race([this.send("Browser.close").catch(() => undefined), ended]);
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(timer);
  }
}
