// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles a function several times, once per instruction set. The version that fits the processor is chosen when the
// program is loaded.
//
//   OPBYOP_CLONES void MicroTile(...) { ... }
#ifndef OPBYOP_REFERENCE_TENSOR_CLONES_H_
#define OPBYOP_REFERENCE_TENSOR_CLONES_H_

#if defined(__x86_64__)
#define OPBYOP_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define OPBYOP_CLONES
#endif

#endif  // OPBYOP_REFERENCE_TENSOR_CLONES_H_
