// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows a status by shape, colour and word, never by colour alone.
import type { Page } from "./data";
import { grouped, words } from "./format";

export function Status({ page, status }: { page: Page; status: number }) {
  const name = page.statuses[status] ?? "missing";
  return <span class={`status s-${name}`}>{words(name)}</span>;
}

// The colour of a cell of rows: red or amber if some are problems, green if all pass.
export function toneOf(rows: number, passed: number, problems: number): "bad" | "some" | "good" | "other" {
  if (problems > 0) return problems * 4 > rows ? "bad" : "some";
  return passed === rows ? "good" : "other";
}

// One bar of all statuses; the counts are in its label and in the page's text.
export function StatusBar({ page, counts }: { page: Page; counts: readonly number[] }) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const parts = counts
    .map((count, status) => ({ count, name: page.statuses[status] ?? "" }))
    .filter((part) => part.count > 0);
  const label = parts.map((part) => `${grouped(part.count)} ${words(part.name)}`).join(", ");
  return (
    <span class="bar" role="img" aria-label={label || "no rows"} title={label}>
      {parts.map((part) => (
        <span key={part.name} class={`s-${part.name}`} style={{ flexGrow: part.count / total }} />
      ))}
    </span>
  );
}
