// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The view of the reader, kept in the address (#...) so that it can be linked to: "#case=add_4_f32_1a2b3c4d".

export interface Place {
  view: string;
  series: string; // none: all
  run: string;
  case: string; // or a row, "<model>__<case id>"
  group: string;
  kind: string; // of changes
  op: string;
  model: string;
  dtype: string;
  stage: string;
  status: string;
  query: string;
  sort: string; // of rows; "-wall" is the reverse order
}

export const NOWHERE: Place = {
  view: "", series: "", run: "", case: "", group: "", kind: "", op: "", model: "", dtype: "", stage: "", status: "", query: "", sort: "",
};

// "type" and "q" in the address, as on the page of a run.
const NAMES: Partial<Record<keyof Place, string>> = { dtype: "type", query: "q" };
const KEYS = Object.keys(NOWHERE) as (keyof Place)[];

export function toHash(place: Partial<Place>): string {
  const parameters = new URLSearchParams();
  for (const key of KEYS) {
    const value = place[key];
    if (value) parameters.set(NAMES[key] ?? key, value);
  }
  return `#${parameters.toString()}`;
}

export function fromHash(hash: string): Place {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const place = { ...NOWHERE };
  for (const key of KEYS) place[key] = parameters.get(NAMES[key] ?? key) ?? "";
  // A row is a case in one model; the address of a run's page calls it "row".
  place.case ||= parameters.get("row") ?? "";
  return place;
}

// The view to show: a case has priority over a run, and a run over a view.
export function viewOf(place: Place): string {
  return place.case ? "case" : place.run ? "run" : place.view || "overview";
}
