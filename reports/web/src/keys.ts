// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// "/" moves to the search of the current view. Escape leaves the search and clears it; elsewhere it calls `escape`.
import { useEffect } from "preact/hooks";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, select, textarea") || target.isContentEditable);
}

export function useSearchKeys(escape: () => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (event.key === "/" && !isTyping(target)) {
        const box = document.querySelector<HTMLInputElement>("main input[type=search]");
        if (!box) return;
        event.preventDefault();
        box.focus();
        box.scrollIntoView({ block: "nearest" });
        box.select();
      } else if (event.key === "Escape") {
        if (target instanceof HTMLInputElement && target.type === "search") {
          target.value = "";
          target.dispatchEvent(new Event("input", { bubbles: true }));
          target.blur();
        } else if (!isTyping(target)) {
          escape();
        }
      }
    };
    addEventListener("keydown", onKey);
    return () => { removeEventListener("keydown", onKey); };
  }, [escape]);
}
