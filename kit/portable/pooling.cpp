// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Pooling, one work-item for each element of the result.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "kPoolingText.text.h"
#include "kit/portable/dtypes.hpp"
#include "kit/portable/families.hpp"
#include "kit/portable/gemm_problem.hpp"
#include "kit/windows.hpp"

namespace patchbay::portable {
namespace {

/// The text's struct Sizes: the number of elements of the result, then the sizes.
template <class Windows>
struct Sizes {
  std::int64_t items;
  Windows windows;
};

std::int64_t num_elements(const patchbay_argument& tensor) {
  std::int64_t n = 1;
  for (int d = 0; d < tensor.rank; ++d) n *= tensor.shape[d];
  return n;
}

/// A function of a text, launched with one work-item for each element of argument 0.
class ElementFunction {
 public:
  ElementFunction(Backend& backend, const patchbay_kernel_spec& spec, const std::string& text)
      : op_(plugin::from_abi(spec.op)),
        program_(backend.build(text)),
        function_(program_(op_.substr(0, op_.find('.')))) {}

  const std::string& op() const { return op_; }

  template <class Windows>
  void launch(plugin::Stream& stream, plugin::Arguments arguments, const Windows& windows,
              std::string_view name) const {
    const Sizes<Windows> sizes{num_elements(arguments[0]), windows};
    if (sizes.items == 0) return;
    Arguments to;
    // A buffer is needed for operands without elements too.
    for (const patchbay_argument& argument : arguments) {
      to.memory((num_elements(argument) == 0 ? arguments[0] : argument).value.memory);
    }
    to.value(sizes);
    const std::uint64_t group = std::min<std::uint64_t>(64, function_->max_group_size());
    function_->launch(stream, name.empty() ? op_ : name,
                      {{static_cast<std::uint64_t>(sizes.items), 1, 1}, {group, 1, 1}}, to);
  }

 private:
  const std::string op_;
  const Program program_;
  const std::unique_ptr<Function> function_;
};

std::string with_values(const Backend& backend, std::uint8_t dtype, std::string_view text) {
  return conversions_of(dtype, backend.traits()) + gemm_definitions(dtype) + std::string(text);
}

/// Arguments: out and one operand, one of them the images and the other the windows.
class PoolingKernel final : public plugin::Kernel {
 public:
  PoolingKernel(Backend& backend, const patchbay_kernel_spec& spec, bool is_average,
                std::size_t images)
      : plan_(plugin::from_abi(spec.op), spec, is_average),
        images_(images),
        function_(backend, spec, with_values(backend, spec.arguments[1].dtype, kPoolingText)) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    function_.launch(stream, arguments, plan_.of(arguments[images_], arguments[1 - images_]), name);
  }

 private:
  const PoolingPlan plan_;
  const std::size_t images_;
  const ElementFunction function_;
};

}  // namespace

Prepared prepare_max_pool2d_index(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<PoolingKernel>(backend, spec, false, 1);
}

Prepared prepare_avg_pool2d(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<PoolingKernel>(backend, spec, true, 1);
}

Prepared prepare_avg_pool2d_input(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<PoolingKernel>(backend, spec, true, 0);
}

}  // namespace patchbay::portable
