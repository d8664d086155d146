-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

-- 1: the baseline lets the row pass or fail (`may_pass`), and it did one of the two. A difference between two such rows
-- is no change.
ALTER TABLE results ADD COLUMN up_to_machine INTEGER NOT NULL DEFAULT 0;
