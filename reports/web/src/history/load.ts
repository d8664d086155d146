// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loads data from files in the page's folder. They are scripts that pass a text on, because a page that was opened from
// a disk may load nothing else.
import { useEffect, useState } from "preact/hooks";
import type { Cell, RawTable } from "./data";

declare global {
  interface Window {
    opbyopTake?: (version: string, name: string, json: string) => void;
  }
}

export class Loader {
  private readonly files = new Map<string, Promise<unknown>>();
  private readonly taken = new Map<string, string>();
  private stale = false;

  constructor(version: string) {
    window.opbyopTake = (of, name, json) => {
      if (of === version) this.taken.set(name, json);
      else this.stale = true;
    };
  }

  load<T>(name: string): Promise<T> {
    let file = this.files.get(name);
    if (!file) {
      file = this.fetch(name);
      this.files.set(name, file);
    }
    return file as Promise<T>;
  }

  private fetch(name: string): Promise<unknown> {
    return new Promise((done, fail) => {
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      script.onload = () => {
        script.remove();
        const json = this.taken.get(name);
        this.taken.delete(name);
        if (json !== undefined) done(JSON.parse(json));
        else if (this.stale) fail(new Error("this page was made again since it was opened: reload it"));
        else fail(new Error(`data/${name}.js is damaged`));
      };
      script.onerror = () => {
        script.remove();
        this.files.delete(name);
        fail(new Error(`data/${name}.js cannot be loaded: the page needs its folder "data" next to it`));
      };
      document.head.append(script);
    });
  }
}

export interface Loaded<T> {
  data?: T;
  error?: string;
}

// `make` is called once for each file.
export function useData<T>(loader: Loader, name: string): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { name: string }>({ name: "" });
  useEffect(() => {
    if (!name) return undefined;
    let current = true;
    loader.load<T>(name).then(
      (data) => { if (current) setLoaded({ name, data }); },
      (error: unknown) => { if (current) setLoaded({ name, error: error instanceof Error ? error.message : String(error) }); },
    );
    return () => { current = false; };
  }, [loader, name]);
  return loaded.name === name ? loaded : {};
}

export function useLines(loader: Loader, table: RawTable): Loaded<Cell[][]> {
  const loaded = useData<Cell[][]>(loader, table.file ?? "");
  return table.lines ? { data: table.lines } : loaded;
}
