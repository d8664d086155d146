// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import { type ComponentChildren, render } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { save } from "../csv";
import { RunFacts } from "../facts";
import { useSearchKeys } from "../keys";
import { parseAddress } from "./address";
import { Comparison } from "./compare";
import { CompiledModel } from "./compiled";
import { Conformance } from "./conformance";
import { Profile, type RawProfile } from "./data";
import { DeviceTimes } from "./devices";
import { share, time } from "./format";
import { Hierarchy } from "./hierarchy";
import { Insights } from "./insights";
import { Operators } from "./operators";
import { Outputs } from "./outputs";
import { Badge, Fact } from "./parts";
import { Roofline } from "./roofline";
import { Timeline } from "./timeline";
import "../style.css";
import "../views.css";
import "./profile.css";

interface ViewProps { profile: Profile; module: string; filter: (path: string) => void; find: string }

const VIEWS: { id: string; name: string; show: (props: ViewProps) => ComponentChildren; filtered?: boolean }[] = [
  { id: "insights", name: "insights", show: ({ profile }) => <Insights profile={profile} /> },
  { id: "operator-framework", name: "operator-framework", show: ({ profile, find }) => <Operators key="framework" profile={profile} kind="framework" find={find} /> },
  { id: "operator-hlo", name: "operator-hlo", show: ({ profile, find }) => <Operators key="hlo" profile={profile} kind="hlo" find={find} /> },
  { id: "operator-timeline", name: "operator-timeline", show: ({ profile }) => <Timeline profile={profile} /> },
  { id: "outputs", name: "outputs", show: ({ profile, module }) => <Outputs profile={profile} module={module} />, filtered: true },
  { id: "conformance", name: "conformance × time", show: ({ profile, module, find }) => <Conformance profile={profile} module={module} find={find} />, filtered: true },
  { id: "hierarchy", name: "hierarchy", show: (props) => <Hierarchy {...props} />, filtered: true },
  { id: "in-one-piece", name: "in one piece", show: ({ profile, find }) => <CompiledModel profile={profile} find={find} /> },
  { id: "devices", name: "devices", show: ({ profile }) => <DeviceTimes profile={profile} /> },
  { id: "roofline", name: "roofline", show: ({ profile, module }) => <Roofline profile={profile} module={module} />, filtered: true },
  { id: "compare", name: "compare", show: ({ profile, module }) => <Comparison profile={profile} module={module} />, filtered: true },
];

function usualView(profile: Profile): string {
  return profile.raw.insights.length > 0 || profile.raw.defects.length > 0 ? "insights" : "operator-framework";
}

interface Place { view: string; find: string }

function place(profile: Profile): Place {
  const { view, parameters } = parseAddress(location.hash);
  return { view: VIEWS.some((known) => known.id === view) ? view : usualView(profile), find: parameters.get("q") ?? "" };
}

const SILENT = ["unsupported", "inconclusive", "skipped", "", "unknown"];

// "pass, error 1.2e-06 of the range" without the status, which is shown before it.
function beyond(status: string, verdict: string): string {
  return verdict.startsWith(status) ? verdict.slice(status.length) : ` ${verdict}`;
}

// The outcome of the ops: red if one is wrong, amber if nothing was judged.
function Verdict({ profile }: { profile: Profile }) {
  const { ops, footer } = profile.raw;
  if (ops.length === 0 || profile.estimated) return null;
  const counts = new Map<string, number>();
  for (const op of ops) counts.set(op.run?.status ?? "", (counts.get(op.run?.status ?? "") ?? 0) + 1);
  const passed = counts.get("pass") ?? 0;
  const silent = SILENT.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
  const wrong = ops.length - passed - silent;
  const whole = footer?.whole_model_status;
  const wholeWrong = whole !== undefined && whole !== "pass" && !SILENT.includes(whole);
  const compared = profile.raw.compares.length > 0;
  const tone = wrong > 0 || wholeWrong ? "bad" : passed === 0 || !compared ? "some" : "good";
  return (
    <div class={`verdict ${tone}`}>
      <p class="headline"><strong>{passed}</strong> of {ops.length} {ops.length === 1 ? "op" : "ops"} {compared ? "pass" : "ran, not compared"}</p>
      <p>
        {wrong > 0 ? <a href="#conformance">{wrong} {wrong === 1 ? "op is" : "ops are"} wrong</a> : passed === 0 || !compared ? <strong class="unjudged">Nothing was judged</strong> : "No op is wrong"}
        {silent > 0 && `, ${silent} without a verdict`}
        {wholeWrong && ", the model in one piece is wrong"}
      </p>
    </div>
  );
}

// "8 × host (1 core)" for devices of one name.
function namesOf(devices: RawProfile["header"]["devices"]): string {
  const counts = new Map<string, number>();
  for (const device of devices) {
    const name = `${device.name} (${device.cores} ${device.cores === 1 ? "core" : "cores"})`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name)).join(", ");
}

function Header({ profile }: { profile: Profile }) {
  const { header, footer, warnings, defects } = profile.raw;
  const runs = Math.max(1, header.iterations);
  const whole = footer?.whole_model_ps ?? 0;
  return (
    <header>
      <div class="title">
        <div>
          <h1><span class="brand">opbyop profile</span> {header.model || "unnamed model"}{profile.estimated && ", estimated by the compiler"}</h1>
          <p class="muted">{[header.target ? `on ${header.target}` : "on an unnamed target", header.toolchain, header.overlap ? `${header.mode}, ops overlap` : header.mode].filter(Boolean).join(", ")}</p>
        </div>
        <div>
          <Verdict profile={profile} />
          <button type="button" class="tool export" title="All that this page shows, as JSON; each table has a button for CSV" onClick={() => { save(`profile-${header.model || "model"}.json`, JSON.stringify(profile.raw), "application/json"); }}>Export</button>
        </div>
      </div>
      {defects.map((text) => <p class="banner" role="alert" key={text}>{text}</p>)}
      {warnings.map((text) => <p class="banner warning" role="status" key={text}>{text}</p>)}
      <RunFacts>
        <Fact name="Devices">{header.devices.length === 0 ? "none named" : namesOf(header.devices)}</Fact>
        <Fact name="Ops">{profile.raw.ops.length}</Fact>
        <Fact name="Spans">{profile.raw.spans}</Fact>
        {!profile.estimated && <Fact name="Passes over the model">{header.iterations}, {header.overlap ? "each op once, while the next op's inputs are transferred" : `each op after ${header.warmup} ${header.warmup === 1 ? "run" : "runs"} to warm up`}</Fact>}
        <Fact name={profile.estimated ? "Total, estimated" : "Total"}><strong>{time(profile.opTime / runs)}</strong> for the ops of one pass</Fact>
        <Fact name={profile.estimated ? "In one piece, estimated" : "In one piece"}>{whole > 0 ? `${time(whole)}${footer?.whole_model_clock === "device" ? " by the device's own clock" : ""}: its ops add up to ${share(profile.opTime / runs, whole)} of it` : profile.estimated ? "unknown" : "not measured"}</Fact>
        {footer?.whole_model_status && <Fact name="Its outputs" wide={footer.whole_model_status !== "pass"}><Badge status={footer.whole_model_status} />{beyond(footer.whole_model_status, footer.whole_model_verdict ?? "")}</Fact>}
        {profile.estimated ? <Fact name="Clock">none: nothing was executed</Fact> : <Fact name="Times">{profile.raw.clock || "none"}, resolution {header.resolution_ps > 0 ? time(header.resolution_ps) : "exact to the picosecond"}</Fact>}
        <Fact name="Command" wide><code>{header.command.join(" ") || "–"}</code></Fact>
      </RunFacts>
    </header>
  );
}

function App({ profile }: { profile: Profile }) {
  const [{ view, find }, setPlace] = useState(() => place(profile));
  const [module, setModule] = useState("");
  useSearchKeys(useCallback(() => { setModule(""); }, []));
  useEffect(() => {
    const follow = () => { setPlace(place(profile)); };
    addEventListener("hashchange", follow);
    return () => { removeEventListener("hashchange", follow); };
  }, [profile]);
  const current = useMemo(() => VIEWS.find((candidate) => candidate.id === view), [view]);
  return (
    <>
      <a class="skip" href={`#${view}`} onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>Skip to the view</a>
      <Header profile={profile} />
      <nav aria-label="Views">
        {VIEWS.map(({ id, name }) => (
          <a key={id} href={`#${id}`} aria-current={id === view ? "page" : undefined}>{name}</a>
        ))}
      </nav>
      <main tabIndex={-1} data-view={view}>
        <h2>{current?.name}</h2>
        {module !== "" && current?.filtered && (
          <p class="note">Only <code>{module}</code>. <button type="button" class="link" onClick={() => { setModule(""); }}>Show the whole model</button></p>
        )}
        {current?.show({ profile, module, filter: setModule, find })}
      </main>
    </>
  );
}

const root = document.getElementById("app");
const data = document.getElementById("data");
if (root && data) {
  try {
    const raw = JSON.parse(data.textContent) as RawProfile;
    if (raw.schema !== "opbyop-profile/1") throw new Error(`its schema is ${raw.schema}`);
    render(<App profile={new Profile(raw)} />, root);
  } catch (error) {
    render(<p class="banner">The data of this page cannot be read: {String(error)}</p>, root);
    throw error;
  }
}
