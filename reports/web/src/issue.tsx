// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The address of an issue where it is one.
export function Issue({ issue }: { issue: string }) {
  return /^https?:\/\//.test(issue) ? <a href={issue} rel="noreferrer">{issue.replace(/^https?:\/\//, "")}</a> : <>{issue}</>;
}
