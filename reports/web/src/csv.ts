// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables as files of comma-separated values (RFC 4180).

// As support/text/csv_cell.h: what a spreadsheet would compute is text, and a number with its unit is none of that.
const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^[+-]?(\d+\.?\d*(e[+-]?\d+)?|inf|nan) ?[%µA-Za-z]*$/i;

function quoted(text: string): string {
  return `"${FORMULA.test(text) && !NUMBER.test(text) ? "'" : ""}${text.replaceAll('"', '""')}"`;
}

export function csv(cells: readonly (string | number)[]): string {
  return cells.map((cell) => (typeof cell === "number" ? String(cell) : quoted(cell))).join(",");
}

// Hands a text to the reader as a file.
export function save(name: string, text: string, type = "text/csv") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
