// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Parses and checks modules of the format patchbay-expr/1: see docs/plugin-abi.md.
#ifndef PATCHBAY_KIT_EXPRESSION_PROGRAM_HPP_
#define PATCHBAY_KIT_EXPRESSION_PROGRAM_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/expression.h"
#include "patchbay/plugin/kit/objects.hpp"

namespace patchbay::expression {

inline constexpr std::size_t kMaxTensors = 16;  // outputs and inputs together
inline constexpr std::size_t kMaxScalars = 16;
inline constexpr std::size_t kMaxValues = 1024;

enum class Source : std::uint8_t { kInput, kScalar, kConstant, kOperator };

struct Value {
  Source source = Source::kConstant;
  std::uint8_t dtype = 0;
  std::uint8_t num_operands = 0;
  std::array<std::uint16_t, 3> operands{};  // indices of earlier values
  std::uint64_t bits = 0;  // the index of the input or scalar, or the constant's bytes
  std::string_view op;     // "add.1"; static storage
};

struct Program {
  std::vector<std::uint8_t> inputs, scalars;  // their dtypes
  std::vector<Value> values;                  // operands precede the values that use them
  std::vector<std::uint16_t> outputs;         // indices of values

  std::size_t num_tensors() const { return outputs.size() + inputs.size(); }
  std::uint8_t output_dtype(std::size_t i) const { return values[outputs[i]].dtype; }
};

/// Throws invalid_argument with the wrong word and the reason, or unsupported for an operator that
/// is not in the table.
Program parse(std::string_view code);

/// Checks the kernel's name, and its arguments against the program's.
void check_kernel(const Program& program, std::string_view name, plugin::ArgumentSpecs specs);

/// The groups of tensors of a launch.
class Groups {
 public:
  /// Checks that the launch has the right number of arguments, and that the tensors of each group
  /// have one shape.
  Groups(const Program& program, plugin::Arguments arguments);

  std::size_t size() const { return scalars_at_ / num_tensors_; }
  plugin::Arguments tensors(std::size_t group) const {
    return arguments_.subspan(group * num_tensors_, num_tensors_);
  }
  plugin::Arguments scalars() const { return arguments_.subspan(scalars_at_); }

 private:
  const plugin::Arguments arguments_;
  const std::size_t num_tensors_, scalars_at_;
};

inline bool is_expression(std::string_view format) { return format == PATCHBAY_FORMAT_EXPRESSION; }

}  // namespace patchbay::expression

#endif  // PATCHBAY_KIT_EXPRESSION_PROGRAM_HPP_
