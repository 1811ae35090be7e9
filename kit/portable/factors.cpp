// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Factorizations. A group of work-items has a matrix, or a strip of columns; on CPUs one work-item
// has it.
#include "kit/factors.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kCholeskyText.text.h"
#include "kEigText.text.h"
#include "kEighText.text.h"
#include "kLuText.text.h"
#include "kQrText.text.h"
#include "kSvdText.text.h"
#include "kTriangularText.text.h"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/item_groups.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/families.hpp"

namespace patchbay::portable {
namespace {

struct Text {
  const char* function;
  std::string_view text;
};
Text text_of(Factor factor) {
  switch (factor) {
    case Factor::lu: return {"lu", kLuText};
    case Factor::cholesky: return {"cholesky", kCholeskyText};
    case Factor::triangular: return {"triangular", kTriangularText};
    case Factor::qr: return {"qr", kQrText};
    case Factor::eigh: return {"eigh", kEighText};
    case Factor::eig: return {"eig", kEigText};
    case Factor::svd: break;
  }
  return {"svd", kSvdText};
}

std::string whole_text(const FactorPlan& plan, std::uint8_t dtype, const Traits& traits) {
  const bool is_wide = dtype == PATCHBAY_F64;
  return barriers_of(traits) + alias("T", element_type(dtype)) +
         define("PAIRS", plan.has_pairs() ? 1 : 0) +
         define("EPSILON", is_wide ? "2.220446049250313e-16" : "1.1920929e-07f") +
         define("LEAST", is_wide ? "2.2250738585072014e-308" : "1.17549435e-38f") +
         std::string(text_of(plan.factor()).text);
}

class FactorKernel final : public plugin::Kernel {
 public:
  FactorKernel(Backend& backend, const patchbay_kernel_spec& spec)
      : plan_(spec),
        traits_(backend.traits()),
        program_(backend.build(whole_text(plan_, spec.arguments[0].dtype, traits_))),
        function_(program_(text_of(plan_.factor()).function)),
        group_(plan_.factor() == Factor::eig ? 1 : items_of_group(traits_, *function_)) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const FactorSizes sizes = plan_.sizes_of(arguments);
    if (sizes.count == 0) return;
    Arguments to;
    for (const patchbay_argument& argument : arguments) to.memory(argument.value.memory);
    to.value(sizes);
    const auto groups = static_cast<std::uint64_t>(plan_.num_groups(sizes));
    const std::uint64_t group = groups > traits_.most_items / group_ ? 1 : group_;
    function_->launch(stream, name.empty() ? plan_.name() : name,
                      Grid{{groups * group, 1, 1}, {group, 1, 1}}, to);
  }

 private:
  const FactorPlan plan_;
  const Traits& traits_;
  const Program program_;
  const std::unique_ptr<Function> function_;
  const std::uint64_t group_;
};

}  // namespace

Prepared prepare_factor(Backend& backend, const patchbay_kernel_spec& spec) {
  return std::make_unique<FactorKernel>(backend, spec);
}

}  // namespace patchbay::portable
