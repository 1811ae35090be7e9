// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/kernels/fused.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kit/dtypes.hpp"
#include "kit/expression/program.hpp"
#include "fake/device/device.hpp"
#include "fake/kernels/kernel.hpp"
#include "fake/kernels/operators.hpp"
#include "fake/device/stream.hpp"

namespace fake {
namespace {

namespace expression = patchbay::expression;
using expression::Source;
using expression::Value;

/// The function that makes a value of its operands, each in a cell of its own.
Function function_of(const expression::Program& program, const Value& value) {
  const auto dtype_of = [&](std::size_t k) { return program.values[value.operands[k]].dtype; };
  const std::uint8_t from = dtype_of(value.num_operands - 1U);
  if (value.op == "cast.1" && from == value.dtype) return nullptr;
  std::vector<patchbay_argument_spec> specs(1U + value.num_operands);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    specs[i].kind = PATCHBAY_TENSOR;
    specs[i].dtype = i == 0 ? value.dtype : dtype_of(i - 1);
    specs[i].access = i == 0 ? PATCHBAY_WRITE : PATCHBAY_READ;
  }
  const Operator* const found = find_operator(value.op);
  const Function function = found != nullptr ? found->choose(specs) : nullptr;
  if (function == nullptr) {
    plugin::unsupported("a fused expression: " + std::string(value.op) + " has no kernel for " +
                        patchbay::dtype_name(from));
  }
  return function;
}

struct Code {
  explicit Code(expression::Program from) : program(std::move(from)) {
    for (const Value& value : program.values) {
      functions.push_back(value.source == Source::kOperator ? function_of(program, value)
                                                            : nullptr);
    }
  }

  expression::Program program;
  std::vector<Function> functions;  // of each value; null where bytes are copied
};

/// One launch on its way to the worker.
class Evaluation {
 public:
  explicit Evaluation(std::shared_ptr<const Code> code)
      : code_(std::move(code)), cells_(code_->program.values.size()) {}

  void add_tensor(const patchbay_argument& tensor, std::byte* bytes) {
    View view;
    view.data = bytes;
    view.dtype = tensor.dtype;
    view.rank = tensor.rank;
    std::copy_n(tensor.shape, tensor.rank, view.shape.begin());
    std::copy_n(tensor.strides, tensor.rank, view.strides.begin());
    tensors_.push_back(view);
  }
  void add_scalar(std::uint64_t bits) { scalars_.push_back(bits); }

  void run() {
    std::array<std::int64_t, PATCHBAY_MAX_RANK> index{};
    for (std::int64_t left = num_elements(); left > 0; --left) {
      evaluate(index);
      for (int d = tensors_[0].rank - 1; d >= 0; --d) {
        const auto dim = static_cast<std::size_t>(d);
        if (++index[dim] < tensors_[0].shape[dim]) break;
        index[dim] = 0;
      }
    }
  }

 private:
  using Index = std::array<std::int64_t, PATCHBAY_MAX_RANK>;

  std::int64_t num_elements() const {
    std::int64_t count = 1;
    for (int d = 0; d < tensors_[0].rank; ++d) {
      count *= tensors_[0].shape[static_cast<std::size_t>(d)];
    }
    return count;
  }

  static std::byte* element(const View& view, const Index& index) {
    std::int64_t at = 0;
    for (int d = 0; d < view.rank; ++d) {
      at += index[static_cast<std::size_t>(d)] * view.strides[static_cast<std::size_t>(d)];
    }
    return view.data + at * static_cast<std::int64_t>(patchbay::element_bytes(view.dtype));
  }

  /// All values in order, then the outputs, which may be inputs.
  void evaluate(const Index& index) {
    const expression::Program& program = code_->program;
    for (std::size_t i = 0; i < program.values.size(); ++i) make(i, index);
    for (std::size_t o = 0; o < program.outputs.size(); ++o) {
      std::memcpy(element(tensors_[o], index), &cells_[program.outputs[o]],
                  patchbay::element_bytes(tensors_[o].dtype));
    }
  }

  void make(std::size_t number, const Index& index) {
    const Value& value = code_->program.values[number];
    std::uint64_t& cell = cells_[number];
    switch (value.source) {
      case Source::kInput: {
        const View& input = tensors_[code_->program.outputs.size() + value.bits];
        std::memcpy(&cell, element(input, index), patchbay::element_bytes(value.dtype));
        return;
      }
      case Source::kScalar: cell = scalars_[value.bits]; return;
      case Source::kConstant: cell = value.bits; return;
      case Source::kOperator: break;
    }
    if (code_->functions[number] == nullptr) {
      cell = cells_[value.operands[0]];
    } else {
      std::array<View, 4> views;
      views[0] = view_of(number);
      for (std::size_t k = 0; k < value.num_operands; ++k) {
        views[k + 1] = view_of(value.operands[k]);
      }
      code_->functions[number](Views(views.data(), 1U + value.num_operands));
    }
  }

  View view_of(std::size_t number) {
    View view;
    view.data = reinterpret_cast<std::byte*>(&cells_[number]);
    view.dtype = code_->program.values[number].dtype;
    return view;
  }

  const std::shared_ptr<const Code> code_;
  std::vector<View> tensors_;  // outputs, then inputs
  std::vector<std::uint64_t> scalars_, cells_;
};

class FusedKernel final : public plugin::Kernel {
 public:
  FusedKernel(Device& device, std::shared_ptr<const Code> code)
      : device_(device), code_(std::move(code)) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const std::string shown = "launch of " + std::string(name.empty() ? "fused" : name);
    const LaunchFault fault = begin_launch(device_, shown);
    expression::check_arguments(code_->program, arguments);
    const auto evaluation = std::make_shared<Evaluation>(code_);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string where = "fused: argument " + std::to_string(i);
      if (arguments[i].kind == PATCHBAY_TENSOR) {
        evaluation->add_tensor(arguments[i], bytes_of(device_, where, arguments[i]));
      } else {
        evaluation->add_scalar(arguments[i].value.bits);
      }
    }
    static_cast<Stream&>(stream).submit_launch(fault, shown,
                                               [=](std::uint64_t) { evaluation->run(); });
  }

 private:
  Device& device_;
  const std::shared_ptr<const Code> code_;
};

class FusedModule final : public plugin::Module {
 public:
  FusedModule(Device& device, std::shared_ptr<const Code> code)
      : device_(device), code_(std::move(code)) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    device_.faults().count(Call::kPrepare);
    expression::check_kernel(code_->program, name, arguments);
    return std::make_unique<FusedKernel>(device_, code_);
  }

 private:
  Device& device_;
  const std::shared_ptr<const Code> code_;
};

}  // namespace

std::unique_ptr<plugin::Module> load_fused(Device& device, std::string_view code) {
  expression::Program program = expression::parse(code);
  for (const Value& value : program.values) {
    if (value.dtype == PATCHBAY_F16 || value.dtype == PATCHBAY_BF16) {
      plugin::unsupported("a fused expression: this device has no " +
                          patchbay::dtype_name(value.dtype));
    }
    if (value.dtype != PATCHBAY_F64 || device.options().f64) continue;
    plugin::unsupported("a fused expression: this device has no f64 (option fake_f64)");
  }
  return std::make_unique<FusedModule>(device, std::make_shared<const Code>(std::move(program)));
}

}  // namespace fake
