// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One record for each operator that plugins provide. Checks, messages, docs/operator-table.md and
// the operators' tests are made from the records. Most tensor operations use one operator; some
// (mean, norm) use several.
#ifndef PATCHBAY_OPERATORS_H_
#define PATCHBAY_OPERATORS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/export.h"

namespace patchbay {

/// The largest distance of a result from the exact one.
struct PATCHBAY_API ErrorBound {
  /// What the bound is relative to: the exact result, or the sum of the magnitudes of all terms,
  /// which does not shrink when terms cancel.
  enum class Scale : std::uint8_t { kResult, kTerms };
  Scale scale = Scale::kResult;
  /// In units in the last place of the scale. 0: correctly rounded. Integers, bools and indices are
  /// always exact.
  double f32 = 0, f64 = 0, f16 = 0, bf16 = 0;

  double of(DType dtype) const;
};

struct PATCHBAY_API OperatorInfo {
  std::string_view name;      // "add"
  int version = 1;            // a change of meaning is a new version
  int since = 0;              // the minor version of the plugin boundary that added it
  std::string_view kernel;    // what plugins are asked for: "add.1"
  std::string_view family;    // "memory", "elementwise", "comparison", "logic", "reduction",
                              // "random", "matrix"
  std::vector<DType> dtypes;  // of the operands
  std::string_view shapes;    // of operands and result
  std::string attributes;     // of a kernel; "" if there are none
  std::string derivative;     // with respect to the operands; "" if there is none
  ErrorBound bound;
  std::string_view source;  // the formula, and where it is defined

  /// The dtype of the result for operands of `dtype` (for `cast`: the same).
  DType result_dtype(DType dtype) const;
};

/// All operators, in the order of the documentation. Valid until the process ends.
PATCHBAY_API std::span<const OperatorInfo> operators();
/// The operator of that name. Errors: kInvalidArgument, which lists the names.
PATCHBAY_API const OperatorInfo& find_operator(std::string_view name);

/// Empty if the device supports the operator for tensors of that dtype, else the reason why not;
/// for `cast`, to the dtypes that every backend has. Prepares the kernel, which the device keeps,
/// and blocks meanwhile. Thread-safe.
PATCHBAY_API std::string why_unsupported(const Device& device, const OperatorInfo& op, DType dtype);

}  // namespace patchbay

#endif  // PATCHBAY_OPERATORS_H_
