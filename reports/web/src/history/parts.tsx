// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parts that the views of a history share.
import type { ComponentChildren } from "preact";
import { words } from "../format";
import { type Place, toHash } from "./address";
import type { History } from "./data";
import type { Loaded, Loader } from "./load";

export interface ViewProps {
  history: History;
  loader: Loader;
  place: Place;
  change: (part: Partial<Place>) => void; // without an entry in the browser's history
}

export function Link({ to, children }: { to: Partial<Place>; children: ComponentChildren }) {
  return <a href={toHash(to)}>{children}</a>;
}

export function Badge({ status }: { status: string }) {
  return <span class={`status s-${status}`}>{words(status)}</span>;
}

// Shown while a file is loading, or if it cannot be loaded.
export function Waiting({ loaded }: { loaded: Loaded<unknown> }) {
  return loaded.error ? <p class="banner" role="alert">{loaded.error}</p> : <p class="empty" role="status">Loading…</p>;
}

export function Chips({ label, values, chosen, choose }: {
  label: string;
  values: { id: string; name: string; count: number; bad?: boolean }[];
  chosen: string;
  choose: (id: string) => void;
}) {
  return (
    <div class="chips" role="group" aria-label={label}>
      {values.map(({ id, name, count, bad }) => (
        <button type="button" key={id} aria-pressed={chosen === id} onClick={() => { choose(chosen === id ? "" : id); }}>
          <span class={bad ? "red" : ""}>{name}</span> {count.toLocaleString("en-US")}
        </button>
      ))}
    </div>
  );
}
