// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The address of a view and of its selection: "#operator-timeline?axis=device&slice=3.17".

export interface Address { view: string; parameters: URLSearchParams }

export function parseAddress(hash: string): Address {
  const [view = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { view, parameters: new URLSearchParams(query) };
}

export function addressOf(view: string, parameters: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined && value !== "") query.set(name, String(value));
  const text = query.toString();
  return `#${view}${text ? `?${text}` : ""}`;
}

// Keeps the address up to date without an entry in the history.
export function replaceAddress(address: string) {
  if (location.hash !== address) history.replaceState(null, "", address);
}
