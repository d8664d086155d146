// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the width of an element, so that drawings for it have text of the usual size.
//
//   const [box, width] = useWidth();
//   return <div ref={box}><svg viewBox={`0 0 ${width} 400`}>...</svg></div>;
import { useLayoutEffect, useState } from "preact/hooks";

const USUAL = 1000;
const NARROWEST = 280;

export function useWidth(): [(element: HTMLDivElement | null) => void, number] {
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const [width, setWidth] = useState(USUAL);
  useLayoutEffect(() => {
    if (!element) return undefined;
    const measure = () => { setWidth(Math.max(NARROWEST, element.clientWidth)); };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => { observer.disconnect(); };
  }, [element]);
  return [setElement, width];
}
