// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/operators.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "patchbay/plugin/kernels/elementwise.h"
#include "patchbay/plugin/kit/signature_check.hpp"

#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/elementwise/elementwise.hpp"
#include "kit/portable/families.hpp"

namespace patchbay::portable {
namespace {

struct Operator {
  std::string_view name;
  Prepared (*prepare)(Backend&, const patchbay_kernel_spec&);
};

#define PATCHBAY_ELEMENTWISE(name, ...) {#name ".1", prepare_elementwise},
#define PATCHBAY_REDUCTION(name, version, ...) {#name "." #version, prepare_reduction},
#define PATCHBAY_RANDOM(name, version, ...) {#name "." #version, prepare_random},
#define PATCHBAY_FACTOR(name, version, ...) {#name "." #version, prepare_factor},
#define PATCHBAY_OWN(name, version, ...) {#name "." #version, prepare_##name},

constexpr Operator kOperators[] = {PATCHBAY_OPERATORS_MEMORY(PATCHBAY_ELEMENTWISE)   //
                                   PATCHBAY_ELEMENTWISE_NOTES(PATCHBAY_ELEMENTWISE)  //
                                   PATCHBAY_OPERATORS_DIMENSION(PATCHBAY_OWN)        //
                                   PATCHBAY_OPERATORS_REDUCTION(PATCHBAY_REDUCTION)  //
                                   PATCHBAY_OPERATORS_RANDOM(PATCHBAY_RANDOM)        //
                                   PATCHBAY_OPERATORS_MATRIX(PATCHBAY_OWN)           //
                                   PATCHBAY_OPERATORS_WINDOW(PATCHBAY_OWN)           //
                                   PATCHBAY_OPERATORS_ROW(PATCHBAY_OWN)              //
                                   PATCHBAY_OPERATORS_FACTOR(PATCHBAY_FACTOR)        //
                                   PATCHBAY_OPERATORS_TRANSFORM(PATCHBAY_OWN)        //
                                   {"max_pool2d_input.1", prepare_max_pool2d_input},
                                   {"moment.1", prepare_moment}};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare(Backend& backend, const patchbay_kernel_spec& spec) {
  const std::string_view name = plugin::from_abi(spec.op);
  const auto* const found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                         [&](const Operator& op) { return op.name == name; });
  if (found == std::end(kOperators)) return nullptr;
  plugin::check_signature(spec);
  check_device(name, {spec.arguments, spec.num_arguments}, backend.traits());
  return found->prepare(backend, spec);
}

}  // namespace patchbay::portable
