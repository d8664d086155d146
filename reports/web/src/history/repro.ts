// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The command that repeats a case as in a run.
import type { RunFacts } from "./data";

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function reproOf(run: RunFacts, name: string): string {
  const parts = ["opbyop", "repro", name, `--run=${run.source}`, `--target=${run.target}`];
  if (run.policy) parts.push(`--policy=${run.policy}`);
  if (run.seed !== "0") parts.push(`--seed=${run.seed}`);
  return parts.map(quoted).join(" ");
}
