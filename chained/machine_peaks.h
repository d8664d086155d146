// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the peak performance of some cores of this machine: the roof of a roofline for code that runs on its CPU.
//
//   MachinePeaks peaks = MeasurePeaks(1);   // a few tenths of a second
#ifndef OPBYOP_CHAINED_MACHINE_PEAKS_H_
#define OPBYOP_CHAINED_MACHINE_PEAKS_H_

#include <cstdint>

namespace opbyop::chained {

struct MachinePeaks {
  double gflops = 0;    // float32 multiply-adds, two operations each, in registers
  double gb_per_s = 0;  // copying memory larger than the caches, bytes read plus bytes written
};

// Measures with one thread on each of `cores`, all at once.
MachinePeaks MeasurePeaks(int64_t cores);

}  // namespace opbyop::chained

#endif  // OPBYOP_CHAINED_MACHINE_PEAKS_H_
