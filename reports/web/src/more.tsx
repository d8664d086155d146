// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A long list shows its first items; a button shows the rest and hides it again.
//
//   const { shown, button } = useFirst(ops, 30);
//   return <>{shown.map(draw)}{button}</>;
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { grouped } from "./format";

export function useFirst<T>(items: readonly T[], count: number): { shown: readonly T[]; button: ComponentChildren } {
  const [all, setAll] = useState(false);
  if (items.length <= count) return { shown: items, button: null };
  return {
    shown: all ? items : items.slice(0, count),
    button: (
      <button type="button" class="more" aria-expanded={all} onClick={() => { setAll(!all); }}>
        {all ? "Show fewer" : `Show all ${grouped(items.length)}`}
      </button>
    ),
  };
}
