// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The page of many runs: what broke since when, what to fix first, how far each model is, and every case.
import { type ComponentChildren, render } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { grouped, percent, plural, when } from "../format";
import { useSearchKeys } from "../keys";
import { Scroll } from "../scroll";
import { fromHash, type Place, toHash, viewOf } from "./address";
import { Answer, useAnswer } from "./answers";
import { Case } from "./case";
import { Causes } from "./causes";
import { type Cell, History, kindRank, type RawHistory } from "./data";
import { Loader } from "./load";
import { Chips, Link, type ViewProps } from "./parts";
import { RowsView } from "./rows";
import { Regressions, Run } from "./run";
import { Trend, TrendChart } from "./trend";
import { Types } from "./types";
import "../style.css";
import "../views.css";
import "./history.css";

function Newest({ history, place }: ViewProps) {
  return (
    <Scroll label="the newest run of each series">
      <table class="models newest">
        <thead>
          <tr>
            <th scope="col">series</th><th scope="col" class="num">pass</th><th scope="col" class="num">red</th>
            <th scope="col" class="num">rows</th><th scope="col">newest run</th><th scope="col">started</th><th scope="col">toolchain</th>
          </tr>
        </thead>
        <tbody>
          {history.latest(place.series).map((run) => (
            <tr key={run.name}>
              <th scope="row"><Link to={{ view: "rows", series: run.series }}>{run.series}</Link></th>
              <td class="num">{percent(history.passedOf(run), history.rowsOf(run))}</td>
              <td class={`num ${history.redOf(run) > 0 ? "red" : "green"}`}>{grouped(history.redOf(run))}</td>
              <td class="num">{grouped(history.rowsOf(run))}</td>
              <td><Link to={{ run: run.name }}><code>{run.name}</code></Link>{!run.complete && <span class="red"> did not end</span>}</td>
              <td>{when(run.started)}</td>
              <td><span class="long" title={run.toolchain}>{run.toolchain}</span></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Overview(props: ViewProps) {
  const { history, place } = props;
  const newest = useMemo(() => new Set(history.latest(place.series).map((run) => run.name)), [history, place.series]);
  const last = useCallback((line: (title: string) => Cell) => newest.has(String(line("run"))), [newest]);
  const worst = useCallback((line: (title: string) => Cell) => kindRank(String(line("kind"))), []);
  const { lines: flaky = [] } = useAnswer({ ...props, verb: "flaky" });
  return (
    <>
      <TrendChart {...props} />
      <Newest {...props} />
      <section aria-labelledby="last-title">
        <h3 id="last-title">What the newest runs changed</h3>
        <Answer {...props} verb="changes" keep={last} rank={worst} empty="Nothing." pageSize={10} without={["started"]} />
      </section>
      <section aria-labelledby="first-title">
        <h3 id="first-title">What to fix first</h3>
        <Answer {...props} verb="rank" pageSize={10} without={["rows without time", "kinds of op", "cases"]} />
      </section>
      <section aria-labelledby="flaky-title">
        <h3 id="flaky-title">Flaky</h3>
        <p>{flaky.length === 0 ? "No row went red and back in the last 30 runs." : <Link to={{ view: "flaky", series: place.series }}>{plural(flaky.length, "row")} went red and back in the last 30 runs.</Link>}</p>
      </section>
    </>
  );
}

function Red(props: ViewProps) {
  return (
    <>
      <p class="muted">{props.history.table("since").help}</p>
      <Answer {...props} verb="since" />
      <section aria-labelledby="flaky-rows-title">
        <h3 id="flaky-rows-title">Flaky</h3>
        <p class="muted">{props.history.table("flaky").help}</p>
        <Answer {...props} verb="flaky" />
      </section>
    </>
  );
}

function Models(props: ViewProps) {
  const { place, change } = props;
  const keep = useCallback((line: (title: string) => Cell) => !place.model || line("model") === place.model, [place.model]);
  return (
    <>
      <p class="muted">{props.history.table("ready").help}</p>
      <Answer {...props} verb="ready" />
      <section aria-labelledby="left-title">
        <h3 id="left-title">Ops that are left{place.model && ` for ${place.model}`}</h3>
        {place.model && <p><button type="button" class="link" onClick={() => { change({ model: "" }); }}>Of all models</button></p>}
        <Answer {...props} verb="left" keep={keep} />
      </section>
    </>
  );
}

function Slowest(props: ViewProps) {
  const { place, change } = props;
  const { lines = [], cell } = useAnswer({ ...props, verb: "slowest" });
  const stages = new Map<string, number>();
  for (const line of lines) stages.set(String(cell(line, "stage")), (stages.get(String(cell(line, "stage"))) ?? 0) + 1);
  const keep = useCallback((line: (title: string) => Cell) => !place.stage || line("stage") === place.stage, [place.stage]);
  return (
    <>
      <p class="muted">{props.history.table("slowest").help}</p>
      {stages.size > 0 && <Chips label="Show only this stage" values={[...stages].map(([id, count]) => ({ id, name: id, count }))} chosen={place.stage} choose={(stage) => { change({ stage }); }} />}
      <Answer {...props} verb="slowest" keep={keep} />
    </>
  );
}

const VIEWS: { id: string; name: string; show: (props: ViewProps) => ComponentChildren }[] = [
  { id: "overview", name: "overview", show: (props) => <Overview {...props} /> },
  { id: "trend", name: "trend", show: (props) => <Trend {...props} /> },
  { id: "regressions", name: "regressions", show: (props) => <Regressions {...props} /> },
  { id: "groups", name: "groups", show: (props) => <Causes {...props} /> },
  { id: "rank", name: "rank", show: (props) => <><p class="muted">{props.history.table("rank").help}</p><Answer {...props} verb="rank" /></> },
  { id: "flaky", name: "red and flaky", show: (props) => <Red {...props} /> },
  { id: "models", name: "models", show: (props) => <Models {...props} /> },
  { id: "types", name: "types and shapes", show: (props) => <Types {...props} /> },
  { id: "slowest", name: "slowest", show: (props) => <Slowest {...props} /> },
  { id: "rows", name: "rows", show: (props) => <RowsView {...props} /> },
];

function titleOf(place: Place): ComponentChildren {
  switch (viewOf(place)) {
    case "case":
      return <code>{place.case}</code>;
    case "run":
      return <code>{place.run}</code>;
    default:
      return VIEWS.find(({ id }) => id === viewOf(place))?.name;
  }
}

// The state of the page is its address. Links add an entry to the browser's history; filters replace it.
function usePlace(): [Place, (change: Partial<Place>) => void] {
  const [place, setPlace] = useState<Place>(() => fromHash(location.hash));
  useEffect(() => {
    const follow = () => { setPlace(fromHash(location.hash)); };
    addEventListener("hashchange", follow);
    return () => { removeEventListener("hashchange", follow); };
  }, []);
  const change = useCallback((part: Partial<Place>) => {
    setPlace((old) => {
      const next = { ...old, ...part };
      window.history.replaceState(null, "", toHash(next));
      return next;
    });
  }, []);
  return [place, change];
}

function App({ history, loader }: { history: History; loader: Loader }) {
  const [place, change] = usePlace();
  useSearchKeys(useCallback(() => undefined, []));
  const view = viewOf(place);
  const names = [...new Set(history.raw.runs.map((run) => run.series))].sort();
  const props = { history, loader, place, change };
  const where = `${view} ${place.case} ${place.run}`;
  useEffect(() => { window.scrollTo(0, 0); }, [where]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>Skip to the view</a>
      <header>
        <div class="title">
          <div>
            <h1><span class="brand">opbyop</span> history</h1>
            <p class="muted">{plural(history.raw.runs.length, "run")}, {plural(history.raw.cases, "case")}; {when(history.raw.runs.at(-1)?.started ?? "")} to {when(history.raw.runs[0]?.started ?? "")}</p>
          </div>
          {names.length > 1 && (
            <label class="series">
              series{" "}
              <select value={place.series} onChange={(event) => { change({ series: event.currentTarget.value }); }}>
                {view !== "rows" && <option value="">all</option>}
                {names.map((name) => <option key={name} value={name}>{name}</option>)}
              </select>
            </label>
          )}
        </div>
      </header>
      <nav aria-label="Views">
        {VIEWS.map(({ id, name }) => <a key={id} href={toHash({ view: id, series: place.series })} aria-current={id === view ? "page" : undefined}>{name}</a>)}
      </nav>
      <main tabIndex={-1} data-view={view}>
        <h2>{titleOf(place)}</h2>
        {view === "case" ? <Case {...props} /> : view === "run" ? <Run {...props} /> : (VIEWS.find(({ id }) => id === view)?.show(props) ?? <p class="empty">There is no view “{view}”.</p>)}
      </main>
    </>
  );
}

const root = document.getElementById("app");
const data = document.getElementById("data");
if (root && data) {
  try {
    const history = new History(JSON.parse(data.textContent) as RawHistory);
    render(<App history={history} loader={new Loader(history.raw.version)} />, root);
  } catch (error) {
    render(<p class="banner">The data of this page cannot be read: {String(error)}</p>, root);
    throw error;
  }
}
