// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import { type ComponentChildren, render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Comparison } from "./compare";
import { Conformance } from "./conformance";
import { Profile, type RawProfile } from "./data";
import { share, time } from "./format";
import { Hierarchy } from "./hierarchy";
import { Insights } from "./insights";
import { Operators } from "./operators";
import { Outputs } from "./outputs";
import { Badge, Fact } from "./parts";
import { Roofline } from "./roofline";
import { Timeline } from "./timeline";
import "../style.css";
import "./profile.css";

interface ViewProps { profile: Profile; module: string; filter: (path: string) => void }

const VIEWS: { id: string; name: string; show: (props: ViewProps) => ComponentChildren; filtered?: boolean }[] = [
  { id: "insights", name: "insights", show: ({ profile }) => <Insights profile={profile} /> },
  { id: "operator-framework", name: "operator-framework", show: ({ profile }) => <Operators profile={profile} kind="framework" /> },
  { id: "operator-hlo", name: "operator-hlo", show: ({ profile }) => <Operators profile={profile} kind="hlo" /> },
  { id: "operator-timeline", name: "operator-timeline", show: ({ profile }) => <Timeline profile={profile} /> },
  { id: "outputs", name: "outputs", show: ({ profile, module }) => <Outputs profile={profile} module={module} />, filtered: true },
  { id: "conformance", name: "conformance × time", show: ({ profile, module }) => <Conformance profile={profile} module={module} />, filtered: true },
  { id: "hierarchy", name: "hierarchy", show: (props) => <Hierarchy {...props} />, filtered: true },
  { id: "roofline", name: "roofline", show: ({ profile, module }) => <Roofline profile={profile} module={module} />, filtered: true },
  { id: "compare", name: "compare", show: ({ profile, module }) => <Comparison profile={profile} module={module} />, filtered: true },
];

function hashView(): string {
  const wanted = location.hash.slice(1);
  return VIEWS.some((view) => view.id === wanted) ? wanted : "operator-framework";
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
          <p class="muted">{[header.target ? `on ${header.target}` : "on an unnamed target", header.toolchain, header.mode].filter(Boolean).join(", ")}</p>
        </div>
      </div>
      {[...defects, ...warnings].map((text) => <p class="banner" role="alert" key={text}>{text}</p>)}
      <dl class="facts">
        <Fact name="Devices">{header.devices.length === 0 ? "none named" : header.devices.map((device) => `${device.name} (${device.cores} ${device.cores === 1 ? "core" : "cores"})`).join(", ")}</Fact>
        <Fact name="Ops">{profile.raw.ops.length}</Fact>
        <Fact name="Spans">{profile.raw.spans}</Fact>
        {!profile.estimated && <Fact name="Passes over the model">{header.iterations}, each op after {header.warmup} {header.warmup === 1 ? "run" : "runs"} to warm up</Fact>}
        <Fact name={profile.estimated ? "Ops, estimated" : "Ops, one pass"}>{time(profile.opTime / runs)}</Fact>
        <Fact name={profile.estimated ? "Model in one piece, estimated" : "Model in one piece"}>{whole > 0 ? `${time(whole)}: its ops add up to ${share(profile.opTime / runs, whole)} of it` : profile.estimated ? "unknown" : "not measured"}</Fact>
        {footer?.whole_model_status && <Fact name="Its outputs"><Badge status={footer.whole_model_status} /> {footer.whole_model_verdict}</Fact>}
        {profile.estimated ? <Fact name="Clock">none: nothing was executed</Fact> : <Fact name="Clock's resolution">{header.resolution_ps > 0 ? time(header.resolution_ps) : "exact to the picosecond"}</Fact>}
        <div class="wide"><Fact name="Command"><code>{header.command.join(" ") || "–"}</code></Fact></div>
      </dl>
    </header>
  );
}

function App({ profile }: { profile: Profile }) {
  const [view, setView] = useState(hashView);
  const [module, setModule] = useState("");
  useEffect(() => {
    const follow = () => { setView(hashView()); };
    addEventListener("hashchange", follow);
    return () => { removeEventListener("hashchange", follow); };
  }, []);
  const current = useMemo(() => VIEWS.find((candidate) => candidate.id === view), [view]);
  return (
    <>
      <a class="skip" href={`#${view}`} onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>Skip to the view</a>
      <Header profile={profile} />
      <nav aria-label="Views">
        {VIEWS.map(({ id, name }) => (
          <a key={id} href={`#${id}`} aria-current={id === view ? "page" : undefined} onClick={() => { setView(id); }}>{name}</a>
        ))}
      </nav>
      <main tabIndex={-1} data-view={view}>
        <h2>{current?.name}</h2>
        {module !== "" && current?.filtered && (
          <p class="note">Only <code>{module}</code>. <button type="button" class="link" onClick={() => { setModule(""); }}>Show the whole model</button></p>
        )}
        {current?.show({ profile, module, filter: setModule })}
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
