// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows the facts of a run, above its views. On a phone they are folded, so that the views start on the first screen.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

const WIDE = "(min-width: 601px)";

export function RunFacts({ children }: { children: ComponentChildren }) {
  const [open, setOpen] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const query = matchMedia(WIDE);
    const follow = () => { setOpen(query.matches); };
    query.addEventListener("change", follow);
    return () => { query.removeEventListener("change", follow); };
  }, []);
  return (
    <details class="run-facts" open={open} onToggle={(event) => { setOpen(event.currentTarget.open); }}>
      <summary>About this run</summary>
      <dl class="facts">{children}</dl>
    </details>
  );
}
