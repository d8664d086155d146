// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How far the results of a program are from the exact ones, in the promised precision and on the device.
//
//   const ThreeWays ways = MeasureThreeWays(program, outputs);   // outputs: what the device returned
//   if (ways.IsAccumulated()) ...   // the promised precision is as far off: no op need be wrong
//
// Exact are the results if every float of the program is an f64. The promised precision rounds the result of every op
// to its type, and a sum after every step, as the specification writes them.
#ifndef OPBYOP_COMMANDS_LOCATE_THREE_WAYS_H_
#define OPBYOP_COMMANDS_LOCATE_THREE_WAYS_H_

#include <optional>
#include <string>
#include <vector>

#include "reduction/program.h"
#include "reference/inputs/inputs.h"

namespace opbyop::locate {

struct ThreeWays {
  // Root mean square of the errors, as a share of that of the exact results, of the output in which the device is
  // furthest off for its promise. Elements that are not finite in all three are left out.
  double promised = 0;
  double device = 0;
  std::string unmeasured;  // why there are no numbers; empty if there are

  // A function may be off by four units in the last place, eight times what rounding its result leaves.
  static constexpr double kAllowed = 8;
  bool measured() const { return unmeasured.empty(); }
  bool IsAccumulated() const { return measured() && device <= kAllowed * promised; }
  std::string Text() const;  // "from the exact results the promised precision is 1.2e-03 off, the device 1.5e-03: ..."
};

// Why a program is too large to be measured; nullopt if it is not.
std::optional<std::string> TooLargeToMeasure(const reduction::Program& program);

// The program has fixed inputs. `outputs` are the device's, in the order of the results.
ThreeWays MeasureThreeWays(const reduction::Program& program, const std::vector<reference::InputData>& outputs);

}  // namespace opbyop::locate

#endif  // OPBYOP_COMMANDS_LOCATE_THREE_WAYS_H_
