// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Blockers } from "./blockers";
import type { Page } from "./data";
import { Gaps } from "./gaps";
import { candidateKey, EMPTY, fromHash, RowIndex, toHash, type View } from "./filter";
import { Header } from "./header";
import { Matrix } from "./matrix";
import { Models } from "./models";
import { Rows } from "./rows";
import { Types } from "./types";

// The state of the page, kept in the address.
function useView(): [View, (change: Partial<View>) => void] {
  const [view, setView] = useState<View>(() => fromHash(location.hash));
  useEffect(() => {
    const follow = () => {
      setView(fromHash(location.hash));
    };
    addEventListener("hashchange", follow);
    return () => {
      removeEventListener("hashchange", follow);
    };
  }, []);
  const change = useCallback((part: Partial<View>) => {
    setView((old) => {
      const next = { ...old, ...part };
      const hash = toHash(next);
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
      return next;
    });
  }, []);
  return [view, change];
}

export function App({ page }: { page: Page }) {
  const [view, change] = useView();
  const index = useMemo(() => new RowIndex(page), [page]);
  const candidates = useMemo(
    () => index.candidates(view),
    [index, candidateKey(view)],
  );
  const rows = useMemo(
    () => index.select(candidates, view),
    [index, candidates, view.statuses, view.sort, view.descending],
  );
  const rowsSection = useRef<HTMLElement>(null);

  // A click in a summary replaces all filters and shows the rows.
  const show = useCallback(
    (part: Partial<View>) => {
      change({ ...EMPTY, ...part });
      rowsSection.current?.scrollIntoView({ block: "start" });
    },
    [change],
  );

  return (
    <>
      <a class="skip" href="#rows" onClick={(event) => {
        event.preventDefault();
        rowsSection.current?.scrollIntoView();
        rowsSection.current?.querySelector("input")?.focus();
      }}>
        Skip to the rows
      </a>
      <Header page={page} show={show} />
      <main>
        <Blockers page={page} show={show} />
        <Gaps page={page} show={show} />
        <Matrix page={page} view={view} show={show} />
        <Types page={page} show={show} />
        <Models page={page} view={view} show={show} />
        <section id="rows" ref={rowsSection} aria-labelledby="rows-title">
          <Rows page={page} view={view} change={change} candidates={candidates} rows={rows} />
        </section>
      </main>
    </>
  );
}
