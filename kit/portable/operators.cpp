// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/operators.hpp"

#include <string_view>

#include "patchbay/plugin/kit/signature_check.hpp"

#include "kit/portable/dtypes.hpp"
#include "kit/portable/elementwise/elementwise.hpp"
#include "kit/portable/elementwise/expressions.hpp"
#include "kit/portable/folds.hpp"
#include "kit/portable/gemm.hpp"
#include "kit/portable/indexing.hpp"
#include "kit/portable/permutation.hpp"
#include "kit/portable/random.hpp"
#include "kit/portable/reduction.hpp"

namespace patchbay::portable {

std::unique_ptr<plugin::Kernel> prepare(Backend& backend, const patchbay_kernel_spec& spec) {
  const std::string_view name = plugin::from_abi(spec.op);
  const bool is_gemm = name == "gemm.1", is_fold = find_fold(name) != nullptr;
  const bool is_permutation = name == "permutation.1", is_drawn = is_random(name);
  const bool is_indexed = is_indexing(name);
  if (!is_gemm && !is_fold && !is_permutation && !is_drawn && !is_indexed &&
      find_expression(name) == nullptr) {
    return nullptr;
  }
  plugin::check_signature(spec);
  check_device(name, {spec.arguments, spec.num_arguments}, backend.traits());
  if (is_gemm) return prepare_gemm(backend, spec);
  if (is_permutation) return prepare_permutation(backend, spec);
  if (is_drawn) return prepare_random(backend, spec);
  if (is_indexed) return prepare_indexing(backend, spec);
  return is_fold ? prepare_reduction(backend, spec) : prepare_elementwise(backend, spec);
}

}  // namespace patchbay::portable
