// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Annotations that return their operand: of layouts, and of buffers that are pinned.
module attributes {opbyop.identities = ["LayoutConstraint", "Pin", "Unpin"]} {}
