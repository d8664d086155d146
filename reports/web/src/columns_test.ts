// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import assert from "node:assert/strict";
import test from "node:test";
import { int, Table, text } from "./columns";

const SHAPE = { id: text, count: int };

test("fields are found by name, whatever their order", () => {
  const table = new Table("case", SHAPE, { case: ["count", "later", "id"] });
  assert.equal(table.get([3, null, "a"], "id"), "a");
  assert.deepEqual(table.unpack([3, null, "a"]), { id: "a", count: 3 });
});

test("a field that the data lacks is named", () => {
  assert.throws(() => new Table("case", SHAPE, { case: ["id"] }), /case\.count/);
});

test("what the data has no item of has no columns", () => {
  assert.throws(() => new Table("case", SHAPE, {}).get([], "id"), /case/);
});
