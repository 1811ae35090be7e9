// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/fuse/expression_program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "core/base/error.h"
#include "core/runtime/kernel/kernel_cache.h"
#include "core/tensor/dispatch/clamp_bounds.h"

namespace patchbay::tensor {
namespace {

using base::raise;
using Kind = ExpressionNode::Kind;

std::optional<DType> widened(std::optional<DType> dtype) {
  return dtype && is_small(*dtype) ? DType::f32 : dtype;
}

/// A value of the program. Equal values are stored once.
struct ValueKey {
  std::string word;  // an operator, or the push of a leaf
  DType dtype;
  std::vector<std::size_t> operands;
  bool operator<(const ValueKey& other) const {
    return std::tie(word, dtype, operands) < std::tie(other.word, other.dtype, other.operands);
  }
};

class Builder {
 public:
  Builder(const std::string& name, std::span<const InputType> inputs, const Describe& describe,
          std::size_t most_values)
      : name_(name), inputs_(inputs), describe_(describe), most_values_(most_values) {}

  ExpressionProgram run(std::span<const Expression> outputs) {
    for (const NodePtr& node : nodes_of(outputs)) find_dtype(*node);
    std::vector<std::size_t> results;
    for (const Expression& output : outputs) {
      const ExpressionNode& node = *output.node();
      const std::optional<DType> dtype = dtypes_[&node];
      if (!dtype) raise_no_dtype();
      results.push_back(value_of(node, *dtype));
      program_.outputs.push_back(*dtype);
      program_.copies.push_back(input_of(results.back()));
    }
    if (values_.size() > most_values_) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] the fused expression is too long: expected at most {} values, got {}. Split it.",
            name_, most_values_, values_.size());
    }
    write(results);
    return std::move(program_);
  }

 private:
  // ------------------------------------------------------------------------------- dtypes

  /// Finds a node's dtype; none if it depends on literals alone. Called for operands first.
  void find_dtype(const ExpressionNode& node) { dtypes_[&node] = dtype_of(node); }

  std::optional<DType> dtype_of(const ExpressionNode& node) {
    switch (node.kind) {
      case Kind::kInput: {
        const InputType& type = inputs_[node.input];
        if (type.kind == InputType::Kind::kNumber) return std::nullopt;
        return type.dtype;
      }
      case Kind::kLiteral:
      case Kind::kLowest:
      case Kind::kHighest: return std::nullopt;
      case Kind::kCast: return node.dtype;
      case Kind::kLike: return dtypes_[node.operands[1].get()];
      case Kind::kWide: return widened(dtypes_[node.operands[0].get()]);
      case Kind::kOperator: return dtype_of_operator(node);
    }
    return std::nullopt;
  }

  std::optional<DType> dtype_of_operator(const ExpressionNode& node) {
    const Operator& op = *node.op;
    for (std::size_t i = 0; i < node.num_operands; ++i) {
      if (is_condition(op, i)) check_condition(*node.operands[i]);
    }
    std::optional<DType> dtype = common_dtype(node);
    if (!dtype && op.result == Result::kBoolean) {
      if (op.dtypes != kBooleans) raise_no_dtype();
      dtype = DType::boolean;
    }
    if (!dtype) return std::nullopt;
    return result_dtype(op, *dtype);
  }

  /// The dtype of the operands that have one, without conditions.
  std::optional<DType> common_dtype(const ExpressionNode& node) {
    const ExpressionNode* first = nullptr;
    for (std::size_t i = 0; i < node.num_operands; ++i) {
      const ExpressionNode& operand = *node.operands[i];
      if (is_condition(*node.op, i) || !dtypes_[&operand]) continue;
      if (first == nullptr) first = &operand;
      if (dtypes_[&operand] != dtypes_[first]) raise_dtypes(*node.op, *first, operand);
    }
    return first != nullptr ? dtypes_[first] : std::nullopt;
  }

  std::string shown(const ExpressionNode& node) {
    switch (node.kind) {
      case Kind::kInput: return describe_(node.input);
      case Kind::kLiteral: return "the literal " + node.literal.to_string();
      default: break;
    }
    const char* const what = node.kind == Kind::kOperator ? node.op->name : "cast";
    const std::optional<DType> dtype = dtypes_[&node];
    return fmt::format("the result of {}{}{}", what, dtype ? ": " : "",
                       dtype ? patchbay::to_string(*dtype) : "");
  }

  void check_condition(const ExpressionNode& node) {
    const std::optional<DType> got = dtypes_[&node];
    if (got == DType::boolean) return;
    raise(ErrorCode::kDtypeMismatch,
          "[{}] the condition of where has the wrong dtype: expected bool, got {} ({}). Make one "
          "with a comparison, or cast.",
          name_, got ? patchbay::to_string(*got) : "a number", shown(node));
  }
  [[noreturn]] void raise_dtypes(const Operator& op, const ExpressionNode& a,
                                 const ExpressionNode& b) {
    raise(ErrorCode::kDtypeMismatch,
          "[{}] operands of {} have different dtypes: expected {} like the first, got {} ({}; "
          "{}). Convert one first with cast.",
          name_, op.name, patchbay::to_string(*dtypes_[&a]), patchbay::to_string(*dtypes_[&b]),
          shown(a), shown(b));
  }
  [[noreturn]] void raise_not_defined(const ExpressionNode& node, DType dtype) {
    raise(ErrorCode::kDtypeMismatch,
          "[{}] {} is not defined for {}: expected one of {}, got {} ({}). {}.", name_,
          node.op->name, patchbay::to_string(dtype), to_string(node.op->dtypes),
          patchbay::to_string(dtype), shown(*node.operands[0]),
          is_complex(dtype) ? "Pass real and imag as two operands" : "Convert it first with cast");
  }
  [[noreturn]] void raise_no_dtype() {
    raise(ErrorCode::kInvalidArgument,
          "[{}] an operation has numbers alone for operands: expected a tensor among them, whose "
          "dtype they take. Compute it before, or cast one operand.",
          name_);
  }

  // ------------------------------------------------------------------------------- values

  /// The number of the node's value. A node without a dtype takes `dtype`.
  std::size_t value_of(const ExpressionNode& node, DType dtype) {
    const auto key = std::pair(&node, dtype);
    if (const auto known = done_.find(key); known != done_.end()) return known->second;
    const std::size_t value = make_value(node, dtype);
    done_.emplace(key, value);
    return value;
  }

  std::size_t make_value(const ExpressionNode& node, DType dtype) {
    switch (node.kind) {
      case Kind::kInput: return input_value(node.input, dtype);
      case Kind::kLiteral: return constant(node.literal, dtype);
      case Kind::kCast: return cast_value(operand_value(node, 0, dtype), dtype);
      case Kind::kLike: return like_value(node, dtype);
      case Kind::kWide: return cast_value(operand_value(node, 0, dtype), dtype);
      case Kind::kLowest: return constant(lowest_of(dtype), dtype);
      case Kind::kHighest: return constant(highest_of(dtype), dtype);
      case Kind::kOperator: break;
    }
    const Operator& op = *node.op;
    DType from = dtype;
    if (op.result == Result::kBoolean) from = common_dtype(node).value_or(DType::boolean);
    if (!contains(op.dtypes, from)) raise_not_defined(node, from);
    ValueKey value{op.kernel, result_dtype(op, from), {}};
    for (std::size_t i = 0; i < node.num_operands; ++i) {
      value.operands.push_back(operand_value(node, i, is_condition(op, i) ? DType::boolean : from));
    }
    return intern(std::move(value));
  }

  std::size_t operand_value(const ExpressionNode& node, std::size_t i, DType otherwise) {
    const ExpressionNode& operand = *node.operands[i];
    return value_of(operand, dtypes_[&operand].value_or(otherwise));
  }

  std::size_t like_value(const ExpressionNode& node, DType dtype) {
    const std::optional<DType> from = dtypes_[node.operands[0].get()];
    if (!from) return operand_value(node, 0, dtype);
    if (!is_floating(*from) || !is_floating(dtype)) return constant(0, dtype);
    return cast_value(operand_value(node, 0, dtype), dtype);
  }

  std::size_t cast_value(std::size_t value, DType dtype) {
    const ValueKey& given = values_[value]->first;
    if (given.dtype == dtype) return value;
    if (is_widened(given, dtype)) return given.operands[0];
    return intern({fmt::format("cast.1:{}", patchbay::to_string(dtype)), dtype, {value}});
  }

  /// Whether the value is a float of `dtype` cast to a wider one, so that casting back is exact.
  bool is_widened(const ValueKey& value, DType dtype) const {
    if (!value.word.starts_with("cast.1") || values_[value.operands[0]]->first.dtype != dtype) {
      return false;
    }
    return is_floating(dtype) && is_floating(value.dtype) &&
           (value.dtype == DType::f64 || (value.dtype == DType::f32 && is_small(dtype)));
  }

  std::size_t constant(const patchbay::Scalar& literal, DType dtype) {
    const std::uint64_t bits = literal.bits(dtype, name_.c_str());
    return intern({fmt::format("{}:{:x}", patchbay::to_string(dtype), bits), dtype, {}});
  }

  std::size_t input_value(std::uint32_t input, DType dtype) {
    if (inputs_[input].kind == InputType::Kind::kTensor) {
      auto& tensors = program_.tensors;
      const auto at = std::find(tensors.begin(), tensors.end(), input);
      const std::string word = fmt::format("x{}", at - tensors.begin());
      if (at == tensors.end()) tensors.push_back(input);
      return intern({word, dtype, {}});
    }
    const DType travels = scalar_dtype(dtype);
    auto& scalars = program_.scalars;
    const auto at = std::find_if(scalars.begin(), scalars.end(), [&](const auto& scalar) {
      return scalar.input == input && scalar.dtype == travels;
    });
    const std::string word = fmt::format("s{}", at - scalars.begin());
    if (at == scalars.end()) scalars.push_back({input, travels});
    return cast_value(intern({word, travels, {}}), dtype);
  }

  /// The input that the value is, if it is one.
  std::optional<std::uint32_t> input_of(std::size_t value) const {
    const std::string& word = values_[value]->first.word;
    if (word[0] != 'x') return std::nullopt;
    return program_.tensors[std::stoul(word.substr(1))];
  }

  std::size_t intern(ValueKey value) {
    const auto [at, is_new] = numbers_.try_emplace(std::move(value), values_.size());
    if (is_new) values_.push_back(&*at);
    return at->second;
  }

  // ------------------------------------------------------------------------------- text

  void write(const std::vector<std::size_t>& results) {
    program_.text = runtime::kFusedFormat;
    for (const std::uint32_t input : program_.tensors) {
      declare("input", inputs_[input].dtype);
    }
    for (const auto& scalar : program_.scalars) declare("scalar", scalar.dtype);
    uses_.assign(values_.size(), 0);
    temporaries_.assign(values_.size(), 0);
    for (const auto* value : values_) {
      for (const std::size_t operand : value->first.operands) ++uses_[operand];
    }
    for (const std::size_t result : results) ++uses_[result];
    for (const std::size_t result : results) {
      push(result);
      word("out");
    }
  }

  void declare(const char* what, DType dtype) {
    word(fmt::format("{}:{}", what, patchbay::to_string(dtype)));
  }
  void word(const std::string& text) {
    program_.text += ' ';
    program_.text += text;
  }

  /// Pushes a value. Stores one that is used again in a temporary; their numbers here start at 1.
  void push(std::size_t number) {
    if (temporaries_[number] != 0) return word(fmt::format("t{}", temporaries_[number] - 1));
    const ValueKey& value = values_[number]->first;
    for (const std::size_t operand : value.operands) push(operand);
    word(value.word);
    if (value.operands.empty() || uses_[number] < 2) return;
    temporaries_[number] = ++num_temporaries_;
    word("set");
    word(fmt::format("t{}", num_temporaries_ - 1));
  }

  const std::string& name_;
  const std::span<const InputType> inputs_;
  const Describe& describe_;
  const std::size_t most_values_;
  std::unordered_map<const ExpressionNode*, std::optional<DType>> dtypes_;
  std::map<std::pair<const ExpressionNode*, DType>, std::size_t> done_;
  std::map<ValueKey, std::size_t> numbers_;
  std::vector<const std::pair<const ValueKey, std::size_t>*> values_;  // by number
  std::vector<std::size_t> uses_, temporaries_;
  std::size_t num_temporaries_ = 0;
  ExpressionProgram program_;
};

}  // namespace

ExpressionProgram make_program(const std::string& name, std::span<const Expression> outputs,
                               std::span<const InputType> inputs, const Describe& describe,
                               std::size_t most_values) {
  return Builder(name, inputs, describe, most_values).run(outputs);
}

}  // namespace patchbay::tensor
