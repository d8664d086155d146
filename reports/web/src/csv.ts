// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables as files of comma-separated values (RFC 4180).

export function csv(cells: readonly (string | number)[]): string {
  return cells.map((cell) => (typeof cell === "number" ? String(cell) : `"${cell.replaceAll('"', '""')}"`)).join(",");
}

// Hands a text to the reader as a file.
export function save(name: string, text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
