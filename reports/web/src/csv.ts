// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes tables as comma-separated values (RFC 4180).

// As support/text/csv_cell.h: text that a spreadsheet would compute as a formula is marked as text, except a number
// with its unit.
const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^[+-]?(\d+\.?\d*(e[+-]?\d+)?|inf|nan) ?[%µA-Za-z]*$/i;

function quoted(text: string): string {
  return `"${FORMULA.test(text) && !NUMBER.test(text) ? "'" : ""}${text.replaceAll('"', '""')}"`;
}

export function csv(cells: readonly (string | number)[]): string {
  return cells.map((cell) => (typeof cell === "number" ? String(cell) : quoted(cell))).join(",");
}

// Offers a text to the user as a file.
export function save(name: string, text: string, type = "text/csv") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
