// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Pooling, one work-item for each element of the result.
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "kDivisorText.text.h"
#include "kPoolingText.text.h"
#include "kit/portable/base/divisor.hpp"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/gemm_problem.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"
#include "kit/windows.hpp"

namespace patchbay::portable {
namespace {

/// The texts' structs.
struct Axis {
  WindowAxis axis;
  Divisor by_extent, by_windows, by_stride;
};
struct Sizes {
  std::int64_t items;  // elements of the result
  std::int64_t planes, adaptive, counts_padding;
  Axis h, w;
};

/// The largest number that a text divides where all places and extents fit in 32 bits.
constexpr std::int64_t kMostNarrow = std::int64_t{1} << 30;

Sizes sizes_of(std::int64_t items, const Pooling& of, bool is_narrow) {
  const auto by = [&](std::int64_t divisor) {
    return divisor_of(std::max(divisor, std::int64_t{1}), is_narrow ? kMostNarrow : INT64_MAX);
  };
  const auto along = [&](const WindowAxis& axis) {
    return Axis{axis, by(axis.extent), by(axis.windows), by(axis.stride)};
  };
  return {items, of.planes, of.adaptive, of.counts_padding, along(of.h), along(of.w)};
}

std::int64_t num_elements(const patchbay_argument& tensor) {
  std::int64_t n = 1;
  for (int d = 0; d < tensor.rank; ++d) n *= tensor.shape[d];
  return n;
}

/// Whether all places and extents fit in 32 bits, so that no sum of two goes beyond.
bool is_small(const Pooling& windows, std::int64_t most_elements) {
  constexpr std::int64_t kMost = std::int64_t{1} << 29;
  const auto fits = [](const WindowAxis& axis) {
    for (const std::int64_t size :
         {axis.extent, axis.windows, axis.kernel, axis.stride, axis.padding, axis.dilation}) {
      if (size > kMost) return false;
    }
    return (axis.extent + 1) * (axis.windows + 1) <= kMost && axis.kernel * axis.dilation <= kMost;
  };
  return most_elements <= kMost && fits(windows.h) && fits(windows.w);
}

/// A function of a text, launched with one work-item for each element of argument 0. Accelerators
/// compute places in 32 bits where they fit.
class ElementFunction {
 public:
  ElementFunction(Backend& backend, const patchbay_kernel_spec& spec, std::string text)
      : op_(plugin::from_abi(spec.op)),
        backend_(backend),
        text_(std::move(text)),
        group_(backend.traits().is_cpu ? 64 : 256),
        wide_(backend.traits().is_cpu ? compile("i64") : nullptr),
        narrow_(backend.traits().is_cpu ? nullptr : compile("i32")) {}

  const std::string& op() const { return op_; }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, const Pooling& windows,
              std::string_view name) {
    const std::int64_t items = num_elements(arguments[0]);
    if (items == 0) return;
    Arguments to;
    for (const patchbay_argument& argument : arguments) {
      to.memory(num_elements(argument) == 0 ? plugin::Memory{} : argument.value.memory);
    }
    const bool is_narrow = is_small(windows, std::max(items, num_elements(arguments[1])));
    to.value(sizes_of(items, windows, is_narrow));
    Function& function = *(is_narrow ? narrow() : wide()).function;
    const std::uint64_t group = std::min(group_, function.max_group_size());
    function.launch(stream, name.empty() ? op_ : name,
                    {{static_cast<std::uint64_t>(items), 1, 1}, {group, 1, 1}}, to);
  }

 private:
  struct Code {
    Program program;
    std::unique_ptr<Function> function;
  };

  std::unique_ptr<Code> compile(std::string_view index) const {
    auto code = std::make_unique<Code>();
    code->program = backend_.build(alias("INDEX", index) + text_);
    code->function = code->program(op_.substr(0, op_.find('.')));
    return code;
  }
  const Code& narrow() { return narrow_ != nullptr ? *narrow_ : wide(); }
  /// Accelerators compile it when a launch needs it.
  const Code& wide() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (wide_ == nullptr) wide_ = compile("i64");
    return *wide_;
  }

  const std::string op_;
  Backend& backend_;
  const std::string text_;
  const std::uint64_t group_;
  std::mutex mutex_;
  std::unique_ptr<Code> wide_;
  const std::unique_ptr<Code> narrow_;
};

std::string text_of(const Backend& backend, const patchbay_kernel_spec& spec) {
  const std::uint8_t dtype = spec.arguments[1].dtype;
  std::uint8_t place = PATCHBAY_I64;
  if (spec.num_arguments > 2) place = spec.arguments[2].dtype;
  return conversions_of(dtype, backend.traits()) + gemm_definitions(dtype) +
         alias("PLACE", element_type(place)) + kDivisorText + kPoolingText;
}

/// Arguments: out and one operand, one of them the images and the other the windows; for the
/// adjoint of the maximum also the windows' index.
class PoolingKernel final : public plugin::Kernel {
 public:
  PoolingKernel(Backend& backend, const patchbay_kernel_spec& spec, bool is_average,
                std::size_t images)
      : plan_(plugin::from_abi(spec.op), spec, is_average),
        images_(images),
        function_(backend, spec, text_of(backend, spec)) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const Pooling sizes = plan_.of(arguments[images_], arguments[1 - images_]);
    if (arguments.size() > 2 && plan_.of(arguments[images_], arguments[2]) != sizes) {
      plugin::invalid_argument(function_.op() + ": the index has another shape than the windows");
    }
    function_.launch(stream, arguments, sizes, name);
  }

 private:
  const PoolingPlan plan_;
  const std::size_t images_;
  ElementFunction function_;
};

}  // namespace

Prepared prepare_max_pool2d_index(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<PoolingKernel>(backend, spec, false, 1);
}

Prepared prepare_max_pool2d_input(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<PoolingKernel>(backend, spec, false, 0);
}

Prepared prepare_avg_pool2d(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<PoolingKernel>(backend, spec, true, 1);
}

Prepared prepare_avg_pool2d_input(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<PoolingKernel>(backend, spec, true, 0);
}

}  // namespace patchbay::portable
