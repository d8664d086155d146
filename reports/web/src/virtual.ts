// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Windowed rendering over the page's own scroll position.
import { observeWindowOffset, observeWindowRect, Virtualizer, type VirtualizerOptions, windowScroll } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

type Options = Pick<VirtualizerOptions<Window, HTMLElement>, "count" | "estimateSize" | "getItemKey" | "scrollMargin">;

export function useWindowVirtualizer(options: Options): Virtualizer<Window, HTMLElement> {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const full: VirtualizerOptions<Window, HTMLElement> = {
    ...options,
    overscan: 12,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialOffset: () => window.scrollY,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    onChange: () => {
      redraw(undefined);
    },
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLElement>(full));
  virtualizer.setOptions(full);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
  });
  return virtualizer;
}
