// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares the values of two outputs.

// Bits of mantissa and the smallest normal exponent.
const FORMATS: Record<string, [number, number]> = {
  f64: [52, -1022], f32: [23, -126], f16: [10, -14], bf16: [7, -126], f8E4M3FN: [3, -6], f8E5M2: [2, -14],
};

export function parse(text: string): number {
  if (text === "true") return 1;
  if (text === "false") return 0;
  if (/^[+-]?inf/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return Number(text);
}

// The distance in units in the last place of `expected`; NaN if the type has none, or if one of the values is not a
// number.
export function ulps(got: number, expected: number, dtype: string): number {
  if (got === expected || (Number.isNaN(got) && Number.isNaN(expected))) return 0;
  const format = FORMATS[dtype];
  if (!format) return dtype.startsWith("f") || dtype.startsWith("complex") ? NaN : Math.abs(got - expected);
  const [mantissa, smallest] = format;
  const exponent = Math.max(smallest, expected === 0 ? smallest : Math.floor(Math.log2(Math.abs(expected))));
  return Math.abs(got - expected) / 2 ** (exponent - mantissa);
}

// "tensor<4x2xf32>" -> [4, 2]
export function shapeOf(type: string): number[] {
  const inner = /^tensor<(.*)>$/.exec(type)?.[1] ?? "";
  return inner.split("x").slice(0, -1).map(Number);
}

export function indexOf(flat: number, shape: number[]): string {
  const index: number[] = [];
  let rest = flat;
  for (let i = shape.length - 1; i >= 0; --i) {
    const size = shape[i] ?? 1;
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return `[${index.join(", ")}]`;
}

// Prints a tensor as PyTorch does: four decimals, a row to a line.
export function printed(values: string[], shape: number[], elements: number): string {
  const cells = values.map((value) => {
    const number = parse(value);
    return Number.isFinite(number) && !/^(true|false)$/.test(value) ? number.toFixed(4) : value;
  });
  const width = Math.max(0, ...cells.map((cell) => cell.length));
  const columns = shape.at(-1) ?? 1;
  const lines: string[] = [];
  for (let i = 0; i < cells.length; i += columns) {
    lines.push(`[${cells.slice(i, i + columns).map((cell) => cell.padStart(width)).join(", ")}]`);
  }
  const rest = elements > values.length ? `\n... ${elements - values.length} more elements are not in the trace` : "";
  if (shape.length === 0) return `tensor(${cells.join("")})${rest}`;
  return `tensor([${lines.join(",\n        ")}])${rest}`;
}

export interface Bin { from: number; to: number; count: number }

// Bins of ULP by powers of two: 0, (0, 1], (1, 2], (2, 4], ...
export function histogram(values: number[]): Bin[] {
  const bins: Bin[] = [{ from: 0, to: 0, count: 0 }];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    const bin = value === 0 ? 0 : value <= 1 ? 1 : 1 + Math.ceil(Math.log2(Math.min(value, 2 ** 40)));
    while (bins.length <= bin) {
      const last = bins.length;
      bins.push({ from: last === 1 ? 0 : 2 ** (last - 2), to: 2 ** (last - 1), count: 0 });
    }
    const found = bins[bin];
    if (found) ++found.count;
  }
  return bins;
}
