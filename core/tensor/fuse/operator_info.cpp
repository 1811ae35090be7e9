// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The public records of operators.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "patchbay/kernel.h"
#include "patchbay/operators.h"

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/operators.h"
#include "core/tensor/fuse/derivatives.h"

namespace patchbay {

namespace {

std::vector<DType> list_of(tensor::DTypes set) {
  std::vector<DType> dtypes;
  for (const DType dtype : kDTypes) {
    if (tensor::contains(set, dtype)) dtypes.push_back(dtype);
  }
  return dtypes;
}

ErrorBound bound_of(const kernels::Bound& bound) {
  const double rounded = bound.ulps == 0 ? 0 : 1;
  return {bound.of_terms ? ErrorBound::Scale::kTerms : ErrorBound::Scale::kResult, bound.ulps,
          bound.ulps, rounded, rounded};
}

/// "an integer from 1 to 9 (1 if left out)"
std::string values_of(const kernels::AttributeRule& rule) {
  std::string text = kernels::expected_of(rule);
  if (!rule.is_required) text += fmt::format(" ({} if left out)", kernels::default_of(rule));
  return text;
}

/// "dim: an integer from 0 to 7"; neighbours with equal values share them: "h, w: an integer ...".
std::string attributes_of(const kernels::Signature& signature) {
  std::string text, values;
  for (const kernels::AttributeRule& rule : signature.attributes) {
    const std::string own = values_of(rule);
    if (!values.empty()) text += own == values ? ", " : fmt::format(": {}; ", values);
    text += rule.name;
    values = own;
  }
  return values.empty() ? text : fmt::format("{}: {}", text, values);
}

OperatorInfo info_of(const tensor::Operator& op) {
  const kernels::Signature& signature = *op.signature;
  OperatorInfo info;
  info.name = op.name;
  info.kernel = signature.kernel;
  info.version = signature.version;
  info.since = signature.since;
  info.family = signature.family;
  info.dtypes = list_of(op.dtypes);
  info.shapes = signature.shapes;
  info.attributes = attributes_of(signature);
  info.derivative = op.derivative != nullptr ? op.derivative : derivative_text(op);
  info.bound = bound_of(signature.bound);
  info.source = signature.source;
  return info;
}

const tensor::Operator& record_of(const OperatorInfo& info) {
  return *std::find_if(tensor::kOperators.begin(), tensor::kOperators.end(),
                       [&](const tensor::Operator& op) { return op.name == info.name; });
}

/// The result dtypes for `dtype`; for a cast, those that every backend has. Storage types count
/// only for casts from one another, because plugins that are older than these types lack the
/// others.
std::vector<DType> results_of(const tensor::Operator& op, DType dtype) {
  if (op.result != tensor::Result::kChosen) return {tensor::result_dtype(op, dtype)};
  std::vector<DType> results;
  for (const DType result : kDTypes) {
    const bool is_kept = tensor::contains(tensor::kStorage, result);
    if (is_kept && !tensor::contains(tensor::kStorage, dtype)) continue;
    if (result != dtype && tensor::is_everywhere(result)) results.push_back(result);
  }
  return results;
}

}  // namespace

double ErrorBound::of(DType dtype) const {
  switch (dtype) {
    case DType::f32: return f32;
    case DType::f64: return f64;
    case DType::f16: return f16;
    case DType::bf16: return bf16;
    default: return 0;
  }
}

DType OperatorInfo::result_dtype(DType dtype) const {
  return tensor::result_dtype(record_of(*this), dtype);
}

std::span<const OperatorInfo> operators() {
  static const auto& infos = *new std::vector<OperatorInfo>([] {
    std::vector<OperatorInfo> all;
    for (const tensor::Operator& op : tensor::kOperators) all.push_back(info_of(op));
    return all;
  }());
  return infos;
}

const OperatorInfo& find_operator(std::string_view name) {
  std::vector<std::string_view> names;
  for (const OperatorInfo& info : operators()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  base::raise(ErrorCode::kInvalidArgument,
              "[find_operator] unknown operator: expected one of {}, got {}. Use one of these "
              "names.",
              fmt::join(names, ", "), base::quote(name));
}

std::string why_unsupported(const Device& device, const OperatorInfo& op, DType dtype) {
  const auto names = [&] { return fmt::format("{} {}", op.name, to_string(dtype)); };
  if (std::find(op.dtypes.begin(), op.dtypes.end(), dtype) == op.dtypes.end()) {
    return names() + ": the operator is not defined for this dtype";
  }
  if (!tensor::has_dtype(*device.shared_state(), dtype)) {
    return fmt::format("{}: the device {} has no such dtype", names(), device.name());
  }
  const tensor::Operator& record = record_of(op);
  const std::vector<std::uint64_t> any = tensor::any_attributes(record);
  for (const DType out : results_of(record, dtype)) {
    std::string why = why_unsupported(device, tensor::make_spec(record, out, dtype, 0, any));
    if (!why.empty()) return why;
  }
  return {};
}

}  // namespace patchbay
