// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import type { ComponentChildren } from "preact";
import { Before } from "./before";
import type { Page } from "./data";
import { RunFacts } from "./facts";
import type { View } from "./filter";
import { duration, grouped, percent, plural, when, words } from "./format";
import { StatusBar } from "./status";

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

// The files in the page's folder. All reports of a run end like its score card.
function Files({ name }: { name: string }) {
  const file = (stem: string, ending: string) => encodeURI(`${name.replace("scorecard", stem)}.${ending}`);
  return (
    <Fact name="Files">
      <a href={file("junit", "xml")} download>JUnit</a>, <a href={file("optest", "json")} download>OpTest</a>,{" "}
      <a href={file("summary", "md")}>summary</a>
    </Fact>
  );
}

// The results of the run that can be published, and the manifest that they are for.
function ScoreCard({ name, manifest }: { name: string; manifest: string }) {
  const card = encodeURI(name);
  return (
    <Fact name="Score card">
      <a href={`${card}.md`}>Markdown</a>, <a href={`${card}.json`}>JSON</a>, <a href={`${card.replace("scorecard", "badge")}.svg`}>badge</a>; cases{" "}
      <code title={`sha256 of the manifest: ${manifest}`}>{manifest.slice(0, 12)}</code>
    </Fact>
  );
}

function Verdict({ page, show }: { page: Page; show: (view: Partial<View>) => void }) {
  const problems = page.problems(page.counts);
  const unsplit = page.models.filter((model) => model.error).length;
  const whole = page.models.filter((model) => model.whole && page.isProblem(model.whole.status)).length;
  const red = problems > 0 || unsplit > 0 || whole > 0 || page.run.unmet.length > 0 || !page.run.complete;
  const silent = page.silent(page.counts);
  const judgedWhole = page.models.some((model) => model.whole && !page.isSilent(model.whole.status));
  const unjudged = page.rows.length > 0 && silent === page.rows.length && !judgedWhole;
  const chosen = (fits: (status: number) => boolean) =>
    page.statuses.filter((_, status) => fits(status) && (page.counts[status] ?? 0) > 0);
  return (
    <div class={`verdict ${red ? "bad" : unjudged ? "some" : "good"}`}>
      <p class="headline">
        <strong>{percent(page.counts[page.passed] ?? 0, page.rows.length)}</strong> of {plural(page.rows.length, "row")}{" "}
        pass
      </p>
      <p>
        {problems > 0 ? (
          <button type="button" class="link" onClick={() => { show({ statuses: chosen((s) => page.isProblem(s)) }); }}>
            {plural(problems, "row needs", "rows need")} attention
          </button>
        ) : unjudged ? (
          <strong class="unjudged">Nothing was judged</strong>
        ) : (
          "No row failed"
        )}
        {silent > 0 && (
          <>
            {", "}
            <button type="button" class="link" onClick={() => { show({ statuses: chosen((s) => page.isSilent(s)) }); }}>
              {plural(silent, "row has", "rows have")} no verdict
            </button>
          </>
        )}
        {unsplit > 0 && `, ${plural(unsplit, "model")} could not be split`}
        {whole > 0 && `, ${plural(whole, "model fails", "models fail")} as a whole`}
        {!page.run.complete && ", the run did not end"}
      </p>
    </div>
  );
}

function Banners({ page }: { page: Page }) {
  return (
    <>
      {page.run.compile_only && (
        <p class="banner warning">
          <strong>Compiled only, not executed:</strong> {page.run.compile_only}. A pass says that the compiler took the op.
        </p>
      )}
      {page.run.other_version && (
        <p class="banner warning">
          <strong>Another version executed what was compiled:</strong> {page.run.other_version}. Its results may be wrong.
        </p>
      )}
      {!page.run.complete && (
        <p class="banner" role="alert">
          <strong>The run did not end.</strong> Its results have no footer: {plural(page.run.records, "case")} ended
          before it stopped, the rest is shown as missing.
        </p>
      )}
      {page.run.unmet.map((text) => <p class="banner" role="alert" key={text}>{text}</p>)}
      {page.models.filter((model) => model.error).map((model) => (
        <p class="banner" role="alert" key={model.name}>
          <strong>{model.name} could not be split</strong> and has no rows: <code>{model.error}</code>
        </p>
      ))}
      {page.run.unknown_records > 0 && (
        <p class="banner" role="alert">
          {plural(page.run.unknown_records, "result")} of cases that the manifest does not have.
        </p>
      )}
    </>
  );
}

export function Header({ page, show }: { page: Page; show: (view: Partial<View>) => void }) {
  const { run } = page;
  const cases = page.ops.reduce((sum, op) => sum + op.cases, 0);
  const properties = Object.entries(run.properties);
  const host = [run.host.cpu, run.host.cores && plural(Number(run.host.cores), "core"), run.host.os].filter(Boolean);
  return (
    <header>
      <div class="title">
        <div>
          <h1>
            <span class="brand">opbyop</span> {run.target}
            {run.suite && <span class="brand"> on suite {run.suite}</span>}
          </h1>
          <p class="muted">{run.toolchain}</p>
        </div>
        <Verdict page={page} show={show} />
      </div>
      <StatusBar page={page} counts={page.counts} />
      <ul class="legend">
        {page.counts.map((count, status) => {
          const name = page.statuses[status] ?? "";
          return count > 0 ? (
            <li key={name}>
              <button type="button" onClick={() => { show({ statuses: [name] }); }}>
                <span class={`status s-${name}`}>{words(name)}</span> {grouped(count)}
              </button>
            </li>
          ) : null;
        })}
      </ul>
      <p class="muted small">
        A model is split into its ops. A case is one op with its shapes, types and attributes, compiled and run alone; a row is a
        case in one of the models that have it.
      </p>
      <Before page={page} show={show} />
      <Banners page={page} />
      <RunFacts>
        <Fact name="Models">{grouped(page.models.length)}</Fact>
        <Fact name="Ops in models">{grouped(run.model_ops)}</Fact>
        <Fact name="Distinct cases">{grouped(cases)}</Fact>
        <Fact name="Rows (case × model)">{grouped(page.rows.length)}</Fact>
        <Fact name="Wall time">{run.complete ? duration(run.wall_s * 1000) : "unknown"}</Fact>
        <Fact name="Started">{when(run.start)}</Fact>
        <Fact name="Policies; seed">{`${run.policy.replaceAll(",", ", ") || "–"}; ${run.seed}`}</Fact>
        <Fact name="Host">{host.join(", ") || "–"}</Fact>
        {run.compiled && <Fact name="Compiled">{run.compiled}</Fact>}
        <Fact name="Revision">
          <code>{run.git_sha.slice(0, 12) || "–"}</code>
        </Fact>
        <Fact name="Run">
          <code>{run.id}</code>
        </Fact>
        {run.tree && (
          <Fact name="Models as trees">
            <a href={run.tree}>{run.tree}</a>
          </Fact>
        )}
        {run.score_card && <Files name={run.score_card} />}
        {run.score_card && <ScoreCard name={run.score_card} manifest={run.manifest ?? ""} />}
      </RunFacts>
      {properties.length > 0 && (
        <details class="properties">
          <summary>What the target says of itself</summary>
          <dl class="facts">
            {properties.map(([name, text]) => <Fact name={name} key={name}>{text}</Fact>)}
          </dl>
        </details>
      )}
    </header>
  );
}
