// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Meanings of custom calls and composites as functions of Python, in a file of --meaning:
//
//   import numpy
//
//   def norm(x, attributes):                        # of the call @norm
//       return x / numpy.sqrt((x * x).sum(-1, keepdims=True) + attributes["epsilon"])
//   norm.tolerance = {"ulps": 4, "absolute": 1e-7}  # of a right device; "exact": none
//   norm.seconds = 10                               # that a call may take; 60 if absent
//   norm.inputs = {"x": (0, 7)}                     # what no policy leaves; or "triangular", "positive_definite"
//   MEANINGS = {"vendor.norm": norm}                # calls whose names are no names of Python
//
// A function gets an array for each operand: floats of any type as float64, complex numbers as complex128, integers and
// booleans in their type, those of fewer than 8 bits as int8 or uint8. It returns an array for each result, of the
// result's shape and kind; floats are rounded to the type of the result. A parameter `attributes` is a dictionary of the
// call's attributes. Functions without a tolerance are helpers.
//
//   Expected<PythonFile> file = PythonFile::Load("vendor.py");
//   Expected<Values> results = file->Call("vendor.norm", context);   // in a process of its own, without network
#ifndef OPBYOP_REFERENCE_MEANINGS_PYTHON_FILE_H_
#define OPBYOP_REFERENCE_MEANINGS_PYTHON_FILE_H_

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "reference/eval/evaluator.h"
#include "reference/inputs/input_role.h"
#include "reference/meanings/shipped_file.h"
#include "support/expected.h"

namespace opbyop::reference {

// The tolerance of a right device's results, how long a call may take, and what is demanded of operands by number.
struct PythonFunction {
  double ulps = 0, relative = 0, absolute = 0;
  double seconds = 60;
  std::map<size_t, DeclaredInput> inputs;
};

// "bit for bit", "within 4 ulp + 1e-07".
std::string ToText(const PythonFunction& function);

class PythonFile {
 public:
  // $OPBYOP_PYTHON, or else python3, must have NumPy for calls. Returns kNoInput if it cannot be started, and kBadInput
  // for a file that is no Python, defines nothing, or has a function in MEANINGS without a tolerance.
  static Expected<PythonFile> Load(const std::filesystem::path& path);

  const std::map<std::string, PythonFunction>& functions() const { return functions_; }
  std::string name() const { return path_.filename().string(); }

  // The results, with bounds if the evaluation has them. Operands that are inexact make the bounds infinite. Returns
  // kBadInput, with file and line, if the function raises or returns something else than the results, and kNoInput if
  // it does not end in time or its process dies.
  Expected<Values> Call(const std::string& function, const OpContext& context) const;

 private:
  std::filesystem::path path_;
  std::map<std::string, PythonFunction> functions_;
};

// python_call.py, which the programs contain.
std::span<const ShippedFile> PythonScripts();

}  // namespace opbyop::reference

#endif  // OPBYOP_REFERENCE_MEANINGS_PYTHON_FILE_H_
