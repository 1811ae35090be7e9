// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/elementwise/fused.hpp"

#include "kit/portable/dtypes.hpp"
#include "kit/portable/elementwise/elementwise.hpp"

namespace patchbay::portable {
namespace {

class FusedModule final : public plugin::Module {
 public:
  FusedModule(Backend& backend, expression::Program program)
      : backend_(backend), program_(std::move(program)) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    expression::check_kernel(program_, name, arguments);
    return std::make_unique<ElementwiseKernel>(backend_, PATCHBAY_FUSED_KERNEL, program_);
  }

 private:
  Backend& backend_;
  const expression::Program program_;
};

}  // namespace

std::unique_ptr<plugin::Module> load_fused(Backend& backend, std::string_view code) {
  expression::Program program = expression::parse(code);
  for (const expression::Value& value : program.values) {
    if (value.dtype != PATCHBAY_F64 || backend.traits().has_f64) continue;
    plugin::unsupported("a fused expression: this device (" + backend.traits().name + ") has no " +
                        dtype_name(value.dtype));
  }
  return std::make_unique<FusedModule>(backend, std::move(program));
}

}  // namespace patchbay::portable
