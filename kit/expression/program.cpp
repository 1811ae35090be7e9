// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/expression/program.hpp"

#include <algorithm>
#include <charconv>

#include "patchbay/plugin/kernels/signatures.hpp"

#include "kit/dtypes.hpp"

namespace patchbay::expression {
namespace {

constexpr std::string_view kCast = "cast.1";

/// Null unless the word names an elementwise operator of the table.
const kernels::Signature* find_operator(std::string_view word) {
  const kernels::Signature* const found = kernels::find_signature(word);
  if (found == nullptr) return nullptr;
  const std::string_view family = found->family;
  return family == "elementwise" || family == "comparison" || family == "logic" ? found : nullptr;
}

class Parser {
 public:
  explicit Parser(std::string_view code) : code_(code) {}

  Program run() {
    if (!next() || word_ != PATCHBAY_FORMAT_EXPRESSION) {
      fail("expected '" PATCHBAY_FORMAT_EXPRESSION "' at the beginning");
    }
    while (next()) read();
    word_ = "end";
    if (!stack_.empty()) fail(std::to_string(stack_.size()) + " values are left on the stack");
    if (program_.outputs.empty()) fail("there is no output");
    if (program_.num_tensors() > kMaxTensors) {
      fail(std::to_string(program_.num_tensors()) + " inputs and outputs, expected at most " +
           std::to_string(kMaxTensors));
    }
    if (program_.scalars.size() > kMaxScalars) {
      fail(std::to_string(program_.scalars.size()) + " scalars, expected at most " +
           std::to_string(kMaxScalars));
    }
    const auto is_declared = [](const Value& value) {
      return value.source == Source::kInput || value.source == Source::kScalar;
    };
    const auto num_read =
        std::count_if(program_.values.begin(), program_.values.end(), is_declared);
    if (static_cast<std::size_t>(num_read) != program_.inputs.size() + program_.scalars.size()) {
      fail("an input or a scalar is declared and never read");
    }
    return std::move(program_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    plugin::invalid_argument("a fused expression, word " + std::to_string(number_) + " '" +
                             std::string(word_.substr(0, 40)) + "': " + why);
  }

  bool next() {
    constexpr std::string_view kBlank = " \n\t";
    const std::size_t begin = std::min(code_.find_first_not_of(kBlank, at_), code_.size());
    at_ = std::min(code_.find_first_of(kBlank, begin), code_.size());
    word_ = code_.substr(begin, at_ - begin);
    ++number_;
    return !word_.empty();
  }

  void read() {
    const std::size_t colon = word_.find(':');
    const std::string_view head = word_.substr(0, colon);
    const std::string_view tail =
        colon == std::string_view::npos ? std::string_view() : word_.substr(colon + 1);
    if (head == "input") {
      program_.inputs.push_back(dtype_of(tail));
    } else if (head == "scalar") {
      declare_scalar(tail);
    } else if (head == kCast) {
      cast(dtype_of(tail));
    } else if (colon != std::string_view::npos) {
      constant(dtype_of(head), tail);
    } else {
      read_plain();
    }
  }

  void read_plain() {
    if (word_ == "set") {
      temporaries_.push_back(top());
      stack_.pop_back();
    } else if (word_ == "out") {
      program_.outputs.push_back(pop());
    } else if (word_.size() > 1 && word_[1] >= '0' && word_[1] <= '9') {
      read_numbered(word_[0], number_in(word_.substr(1), 10));
    } else {
      apply();
    }
  }

  void read_numbered(char kind, std::uint64_t number) {
    switch (kind) {
      case 'x': return push_declared(Source::kInput, program_.inputs, number, "input");
      case 's': return push_declared(Source::kScalar, program_.scalars, number, "scalar");
      case 't':
        if (number >= temporaries_.size()) fail("no such temporary so far");
        return stack_.push_back(temporaries_[number]);
      default: fail("no such word");
    }
  }

  void push_declared(Source source, const std::vector<std::uint8_t>& dtypes, std::uint64_t number,
                     const char* what) {
    if (number >= dtypes.size()) fail(std::string("no such ") + what + " so far");
    push_leaf(source, dtypes[number], number);
  }

  /// Creates one value for a leaf, however often it is read.
  void push_leaf(Source source, std::uint8_t dtype, std::uint64_t bits) {
    const auto same = [&](const Value& known) {
      return known.source == source && known.dtype == dtype && known.bits == bits;
    };
    const auto known = std::find_if(program_.values.begin(), program_.values.end(), same);
    if (known != program_.values.end()) {
      return stack_.push_back(static_cast<std::uint16_t>(known - program_.values.begin()));
    }
    Value value;
    value.source = source;
    value.dtype = dtype;
    value.bits = bits;
    push(value);
  }

  void declare_scalar(std::string_view dtype) {
    program_.scalars.push_back(dtype_of(dtype));
    if (program_.scalars.back() == PATCHBAY_BOOL) fail("scalars are never bool: use u8");
  }

  void constant(std::uint8_t dtype, std::string_view bits) {
    const std::uint64_t number = number_in(bits, 16);
    const std::size_t size_bytes = element_bytes(dtype);
    if (size_bytes < 8 && number >> (8 * size_bytes) != 0) {
      fail("more bits than a " + dtype_name(dtype) + " has");
    }
    push_leaf(Source::kConstant, dtype, number);
  }

  void cast(std::uint8_t to) {
    Value value = made_by(kCast, 1);
    value.dtype = to;
    push(value);
  }

  void apply() {
    const kernels::Signature* const found = find_operator(word_);
    if (found == nullptr) {
      plugin::unsupported("fused expressions have no operator '" +
                          std::string(word_.substr(0, 40)) + "'");
    }
    const auto num_operands = static_cast<std::uint8_t>(found->parameters.size() - 1);
    Value value = made_by(found->kernel, num_operands);
    std::size_t first = 0;
    if (found->parameters[1].role == kernels::Role::kMask) {
      check_condition(dtype_at(value.operands[first++]));
    }
    const std::uint8_t dtype = dtype_at(value.operands[first]);
    for (std::size_t i = first + 1; i < num_operands; ++i) {
      check_same(value.operands[first], value.operands[i]);
    }
    if (!kernels::contains(found->dtypes, dtype)) fail("not defined for " + dtype_name(dtype));
    value.dtype = kernels::result_dtype(found->result, dtype);
    push(value);
  }

  void check_condition(std::uint8_t dtype) const {
    if (dtype == PATCHBAY_BOOL) return;
    fail("the condition is " + dtype_name(dtype) + ", expected bool");
  }
  void check_same(std::uint16_t a, std::uint16_t b) const {
    if (dtype_at(a) == dtype_at(b)) return;
    fail("operands of " + dtype_name(dtype_at(a)) + " and " + dtype_name(dtype_at(b)));
  }

  Value made_by(std::string_view op, std::uint8_t num_operands) {
    Value value;
    value.source = Source::kOperator;
    value.op = op;
    value.num_operands = num_operands;
    for (std::size_t i = num_operands; i-- > 0;) value.operands[i] = pop();
    return value;
  }

  void push(const Value& value) {
    if (program_.values.size() == kMaxValues) {
      fail("more than " + std::to_string(kMaxValues) + " values");
    }
    stack_.push_back(static_cast<std::uint16_t>(program_.values.size()));
    program_.values.push_back(value);
  }

  std::uint16_t top() const {
    if (stack_.empty()) fail("the stack is empty");
    return stack_.back();
  }
  std::uint16_t pop() {
    const std::uint16_t value = top();
    stack_.pop_back();
    return value;
  }
  std::uint8_t dtype_at(std::uint16_t value) const { return program_.values[value].dtype; }

  std::uint8_t dtype_of(std::string_view name) const {
    const std::uint8_t dtype = dtype_named(name);
    if (dtype == 0) fail("unknown dtype '" + std::string(name.substr(0, 40)) + "'");
    return dtype;
  }

  std::uint64_t number_in(std::string_view digits, int base) const {
    std::uint64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
    if (digits.empty() || stop != end || error != std::errc()) fail("a number was expected");
    return number;
  }

  const std::string_view code_;
  std::size_t at_ = 0, number_ = 0;
  std::string_view word_;
  Program program_;
  std::vector<std::uint16_t> stack_, temporaries_;
};

[[noreturn]] void refuse(std::size_t i, const std::string& expected) {
  plugin::invalid_argument("a fused expression: argument " + std::to_string(i) + " is not " +
                           expected);
}

}  // namespace

Program parse(std::string_view code) { return Parser(code).run(); }

void check_kernel(const Program& program, std::string_view name, plugin::ArgumentSpecs specs) {
  if (name != PATCHBAY_FUSED_KERNEL) {
    plugin::invalid_argument("a fused expression has the one kernel '" PATCHBAY_FUSED_KERNEL
                             "', not '" +
                             std::string(name) + "'");
  }
  const std::size_t num_tensors = program.num_tensors();
  if (specs.size() != num_tensors + program.scalars.size()) {
    plugin::invalid_argument("a fused expression of " +
                             std::to_string(num_tensors + program.scalars.size()) +
                             " arguments got " + std::to_string(specs.size()));
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const bool is_output = i < program.outputs.size(), is_scalar = i >= num_tensors;
    const std::uint8_t dtype = is_output   ? program.output_dtype(i)
                               : is_scalar ? program.scalars[i - num_tensors]
                                           : program.inputs[i - program.outputs.size()];
    const bool writes = (specs[i].access & PATCHBAY_WRITE) != 0;
    const bool fits = specs[i].dtype == dtype &&
                      (is_scalar ? specs[i].kind == PATCHBAY_SCALAR
                                 : specs[i].kind == PATCHBAY_TENSOR && writes == is_output);
    if (fits) continue;
    refuse(i, (is_scalar ? "a scalar of "
                         : (is_output ? "a tensor to write of " : "a tensor to read of ")) +
                  dtype_name(dtype));
  }
}

Groups::Groups(const Program& program, plugin::Arguments arguments)
    : arguments_(arguments),
      num_tensors_(program.num_tensors()),
      scalars_at_(arguments.size() - std::min(arguments.size(), program.scalars.size())) {
  if (scalars_at_ == 0 || scalars_at_ % num_tensors_ != 0) {
    plugin::invalid_argument("a fused expression got " + std::to_string(arguments.size()) +
                             " arguments: expected a multiple of " + std::to_string(num_tensors_) +
                             " tensors and " + std::to_string(program.scalars.size()) + " scalars");
  }
  for (std::size_t i = 0; i < scalars_at_; ++i) {
    const patchbay_argument& tensor = arguments[i];
    const patchbay_argument& first = arguments[i - i % num_tensors_];
    if (tensor.kind != PATCHBAY_TENSOR) refuse(i, "a tensor");
    if (tensor.rank == first.rank &&
        std::equal(tensor.shape, tensor.shape + tensor.rank, first.shape)) {
      continue;
    }
    plugin::invalid_argument("the shapes of the tensors differ: broadcast with a stride of 0");
  }
}

}  // namespace patchbay::expression
