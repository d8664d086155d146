// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows an issue, as a link if it is an address.
export function Issue({ issue }: { issue: string }) {
  return /^https?:\/\//.test(issue) ? <a href={issue} rel="noreferrer">{issue.replace(/^https?:\/\//, "")}</a> : <>{issue}</>;
}
