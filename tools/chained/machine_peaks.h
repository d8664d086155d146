// What one core of this machine can do at most, measured: the roof of the host's roofline.
//
//   MachinePeaks peaks = MeasurePeaks();   // a few tenths of a second
#ifndef OPBYOP_TOOLS_CHAINED_MACHINE_PEAKS_H_
#define OPBYOP_TOOLS_CHAINED_MACHINE_PEAKS_H_

namespace opbyop {

struct MachinePeaks {
  double gflops = 0;    // float32 multiply-adds, two operations each, in registers
  double gb_per_s = 0;  // copying memory larger than the caches, bytes read plus bytes written
};

MachinePeaks MeasurePeaks();

}  // namespace opbyop

#endif  // OPBYOP_TOOLS_CHAINED_MACHINE_PEAKS_H_
