// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/call.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/tensor/call/arguments.h"
#include "core/tensor/call/signature.h"

namespace patchbay {

namespace {

using tensor::Arguments;
using tensor::Misfit;
using tensor::NotCalled;
using tensor::Signature;

std::span<const Signature> signatures_of(std::string_view name) {
  const auto found = std::ranges::equal_range(tensor::signatures(), name, {}, &Signature::function);
  return {found.begin(), found.end()};
}

[[noreturn]] void raise_unknown(std::string_view name) {
  for (const NotCalled& other : tensor::not_called()) {
    if (other.function != name) continue;
    base::raise(ErrorCode::kInvalidArgument,
                "[call] '{}' can't be called by name: {}. Call it from C++.", name, other.reason);
  }
  std::vector<std::string> names;
  for (const std::string_view known : callable_names()) names.emplace_back(known);
  base::raise(ErrorCode::kInvalidArgument,
              "[call] no function {}{}. docs/functions.md lists the functions.", base::quote(name),
              base::hint_nearest(name, names));
}

/// As the records write it: `linalg.svd` for `linalg::svd`.
std::string name_of_record(std::string_view name) {
  std::string known(name);
  for (std::size_t at = 0; (at = known.find("::", at)) != std::string::npos;) {
    known.replace(at, 2, ".");
  }
  return known;
}

}  // namespace

std::vector<Tensor> call(std::string_view name, const std::vector<TensorOrScalar>& inputs,
                         const CallOptions& options) {
  std::optional<Misfit> nearest;
  for (const Signature& signature : signatures_of(name)) {
    Arguments arguments(signature);
    std::optional<Misfit> misfit = arguments.bind(inputs, options);
    if (!misfit) return signature.run(arguments);
    if (!nearest || misfit->step > nearest->step) nearest = std::move(misfit);
  }
  if (!nearest) {
    const std::string known = name_of_record(name);
    if (known == name) raise_unknown(name);
    return call(known, inputs, options);
  }
  throw Error(ErrorCode::kInvalidArgument, nearest->text);
}

std::vector<std::string_view> callable_names() {
  std::vector<std::string_view> names;
  for (const Signature& signature : tensor::signatures()) {
    if (names.empty() || names.back() != signature.function) names.push_back(signature.function);
  }
  return names;
}

}  // namespace patchbay
