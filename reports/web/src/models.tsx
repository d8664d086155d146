// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import { useMemo } from "preact/hooks";
import type { Page, WholeModel } from "./data";
import type { View } from "./filter";
import { grouped, number, percent } from "./format";
import { useFirst } from "./more";
import { Scroll } from "./scroll";
import { Status, StatusBar } from "./status";

const SHOWN = 40;

function Whole({ page, whole }: { page: Page; whole: WholeModel | undefined }) {
  if (!whole) return <>–</>;
  const passed = whole.status === page.passed;
  return (
    <span title={whole.repro}>
      <Status page={page} status={whole.status} />
      {whole.weak && " weak"}
      {!whole.compared && whole.stage && ` in ${whole.stage}`}
      {whole.compared && ` error ${number(whole.range_error)} of the range`}
      {!passed && whole.diagnostic && <code class="small"> {whole.diagnostic}</code>}
    </span>
  );
}

export function Models({ page, view, show }: { page: Page; view: View; show: (view: Partial<View>) => void }) {
  const models = useMemo(() => {
    const list = page.models.map((model) => {
      const rows = model.counts.reduce((sum, count) => sum + count, 0);
      const passed = model.counts[page.passed] ?? 0;
      return { model, rows, passed, problems: page.problems(model.counts) };
    });
    const rank = (item: (typeof list)[number]) => (item.model.error ? -1 : item.rows === 0 ? 2 : item.passed / item.rows);
    return list.sort((a, b) => rank(a) - rank(b) || b.rows - a.rows);
  }, [page]);
  const { shown, button } = useFirst(models, SHOWN);
  const whole = page.models.some((model) => model.whole);
  const profiled = page.models.some((model) => model.profile);
  return (
    <section aria-labelledby="models-title">
      <h2 id="models-title">Models</h2>
      <p class="muted">Pass rate: rows that passed, of all rows of the model. Skipped, unsupported, inconclusive and missing rows are not passes.{whole && " Whole model: the same model compiled and run in one piece; weak: its bound was too wide to judge it alone."}</p>
      <Scroll labelledby="models-title">
        <table class="models">
          <thead>
            <tr>
              <th scope="col">model</th>
              <th scope="col" class="num">pass rate</th>
              <th scope="col" class="num">problems</th>
              <th scope="col" class="num">rows</th>
              <th scope="col" class="num">pass</th>
              <th scope="col" class="num">other</th>
              <th scope="col" class="num">ops</th>
              <th scope="col">frontend</th>
              {whole && <th scope="col">whole model</th>}
              {profiled && <th scope="col">profile</th>}
              <th scope="col" class="wide">statuses</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ model, rows, passed, problems }) => (
              <tr key={model.name} class={view.model === model.name ? "chosen" : ""}>
                <th scope="row">
                  <button type="button" class="link" title={model.source} onClick={() => { show({ model: model.name }); }}>
                    {model.name}
                  </button>
                </th>
                <td class="num">
                  <b>{model.error ? "not split" : percent(passed, rows)}</b>
                </td>
                <td class={`num ${problems > 0 ? "red" : ""}`}>{grouped(problems)}</td>
                <td class="num">{grouped(rows)}</td>
                <td class="num">{grouped(passed)}</td>
                <td class="num">{grouped(rows - passed - problems)}</td>
                <td class="num">{grouped(model.ops)}</td>
                <td>
                  {model.frontend}
                </td>
                {whole && <td><Whole page={page} whole={model.whole} /></td>}
                {profiled && <td>{model.profile ? <a href={encodeURI(model.profile.href)}>{model.profile.target === page.run.target ? "profile" : `profile on ${model.profile.target || "an unnamed target"}`}</a> : "–"}</td>}
                <td class="wide">
                  {model.error ? <code class="red small">{model.error}</code> : <StatusBar page={page} counts={model.counts} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {button}
    </section>
  );
}
