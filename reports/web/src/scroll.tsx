// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A table that may be wider than the window. It scrolls by itself, and shows that there is more.
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

// True while the content of the element is wider than it.
export function useOverflow(box: RefObject<HTMLElement>): boolean {
  const [wide, setWide] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = () => { setWide(element.scrollWidth > element.clientWidth + 1); };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => { observer.disconnect(); };
  }, [box]);
  return wide;
}

// How many of `levels` groups of columns a table has to leave out, and whether it is still too wide. With `all`, none
// is left out.
export function useFit(box: RefObject<HTMLElement>, levels: number, all = false): { dropped: number; wide: boolean } {
  const wide = useOverflow(box);
  const [dropped, setDropped] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!all && element && element.scrollWidth > element.clientWidth + 1) setDropped((before) => Math.min(levels, before + 1));
  }, [box, levels, wide, all, dropped]);
  // A window that became wider may have room for all columns again.
  useEffect(() => {
    const again = () => { setDropped(0); };
    addEventListener("resize", again);
    return () => { removeEventListener("resize", again); };
  }, []);
  return { dropped, wide };
}

interface Props { labelledby?: string; label?: string; kind?: string; children: ComponentChildren }

export function Scroll({ labelledby, label, kind = "", children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const wide = useOverflow(box);
  return (
    <>
      {wide && <p class="muted small sideways">Wider than the window: it scrolls sideways.</p>}
      <div class={`scroll ${kind}`} ref={box} tabIndex={0} role="region" aria-label={label} aria-labelledby={labelledby}>{children}</div>
    </>
  );
}
