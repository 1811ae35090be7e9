// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/updates/update_numbers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay::tensor {

using base::raise;

namespace {

/// The bits of a number of steps that count. What 2^24 steps leave of a beta is nothing in either
/// dtype, unless the beta is within 1e-6 of 1.
constexpr int kBits = 24;
constexpr std::int64_t kMostSteps = (std::int64_t{1} << kBits) - 1;

/// 1 - beta^steps from 1 - beta. With c(n) = 1 - beta^n, c(2 n) = c(n) (2 - c(n)) and c(m + n) =
/// c(m) + (c(n) - c(m) c(n)): all terms are positive, so that few digits are lost.
template <class T>
T bias(T first, std::int64_t steps) {
  const std::int64_t counted = std::min(steps, kMostSteps);
  T part = first, sum = 0;
  for (int bit = 0; bit < kBits; ++bit) {
    if ((counted >> bit & 1) != 0) sum = sum + (part - sum * part);
    part = part * (T{2} - part);
  }
  return sum;
}

/// The expression of steps and 1 - beta. The bits come from halving in the wide dtype: exact.
std::vector<Expression> bias_expression(std::span<const Expression> in, DType wide) {
  Expression rest = minimum(in[0].cast(wide), static_cast<double>(kMostSteps));
  Expression part = in[1], sum = rest * 0;
  for (int bit = 0; bit < kBits; ++bit) {
    const Expression half = floor(rest * 0.5);
    const Expression is_set = rest - half * 2;
    sum = sum + is_set * (part - sum * part);
    part = part * (2 - part);
    rest = half;
  }
  return {sum};
}

template <class T>
std::array<double, 3> adam_numbers_in(const AdamOptions& options, std::int64_t step) {
  const T bias1 = bias(static_cast<T>(1 - options.beta1), step);
  const T bias2 = bias(static_cast<T>(1 - options.beta2), step);
  const T rate = static_cast<T>(options.learning_rate), root = std::sqrt(bias2);
  return {rate * root / bias1, static_cast<T>(options.epsilon) * root,
          T{1} - rate * static_cast<T>(options.weight_decay)};
}

/// Of bias1, bias2, rate, epsilon and decay.
std::vector<Expression> adam_expression(std::span<const Expression> in, DType result) {
  const Expression root = sqrt(in[1]);
  return {(in[2] * root / in[0]).cast(result), (in[3] * root).cast(result),
          (1 - in[2] * in[4]).cast(result)};
}

/// Makes a function once for each wide dtype and each dtype of its results.
template <class Make>
const FusedFunction& function_for(DType wide, DType result, const Make& make) {
  static const auto& functions =
      *new std::array<FusedFunction, 4>{make(DType::f32, DType::f32), make(DType::f64, DType::f32),
                                        make(DType::f32, DType::f64), make(DType::f64, DType::f64)};
  return functions[(result == DType::f64 ? 2 : 0) + (wide == DType::f64 ? 1 : 0)];
}

const FusedFunction& bias_function(DType wide) {
  return function_for(wide, wide, [](DType in, DType) {
    return FusedFunction(
        2, [in](auto each) { return bias_expression(each, in); }, "step");
  });
}
const FusedFunction& adam_function(DType wide, DType result) {
  return function_for(wide, result, [](DType, DType out) {
    return FusedFunction(
        5, [out](auto each) { return adam_expression(each, out); }, "step");
  });
}
/// Of steps and rate.
const FusedFunction& sgd_function(DType result) {
  return function_for(DType::f64, result, [](DType, DType out) {
    return FusedFunction(
        2,
        [out](auto in) {
          return std::vector{in[1].cast(out), eq(in[0], 1)};
        },
        "step");
  });
}

DType computed_dtype(DType dtype) { return is_small(dtype) ? DType::f32 : dtype; }
bool is_wide(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }

// ------------------------------------------------------------------------------------- runs

/// Groups whose numbers are computed together: their steps follow each other in one storage, and
/// they have one rate.
struct Run {
  Tensor steps;  // [n]
  Tensor rate;   // 0-d
  DType result;  // of the numbers
  std::size_t size = 1;
};

void check_number(const char* operation, const Tensor& number, const std::string& name,
                  bool has_dtype, const char* dtype, const TensorImpl& parameter) {
  const TensorImpl& impl = impl_of(operation, number, name);
  check_same_device(operation, {"the parameter", parameter}, {name, impl});
  if (!has_dtype) {
    raise(ErrorCode::kDtypeMismatch, "[{}] {} has another dtype: expected {}, got {} ({}).",
          operation, name, dtype, patchbay::to_string(impl.dtype), describe({name, impl}));
  }
  if (impl.shape.rank() == 0) return;
  raise(ErrorCode::kShapeMismatch, "[{}] {} has another shape: expected [], got {} ({}).",
        operation, name, to_string(impl.shape), describe({name, impl}));
}

void check_numbers(const char* operation, const UpdateGroup& group,
                   std::span<const UpdateNumbers> numbers) {
  const UpdateNumbers& of = numbers[group.first];
  const TensorImpl& parameter = *group.tensors[kParameters].impl();
  const auto name = [&](const char* which) { return fmt::format("{}[{}]", which, group.first); };
  const auto dtype_of = [](const Tensor& tensor) {
    return tensor.defined() ? tensor.dtype() : DType::f32;
  };
  check_number(operation, of.step, name("step"), dtype_of(of.step) == DType::i64, "i64", parameter);
  check_number(operation, of.learning_rate, name("learning_rate"),
               is_wide(dtype_of(of.learning_rate)), "f32 or f64", parameter);
  if (!of.applies.defined()) return;
  check_number(operation, of.applies, name("applies"), of.applies.dtype() == DType::boolean, "bool",
               parameter);
}

bool is_same(const Tensor& a, const Tensor& b) {
  return &a.impl()->buffer() == &b.impl()->buffer() && a.offset_bytes() == b.offset_bytes();
}

bool continues(const Run& run, const UpdateNumbers& next, DType result) {
  return run.result == result && is_same(run.rate, next.learning_rate) &&
         &run.steps.impl()->buffer() == &next.step.impl()->buffer() &&
         next.step.offset_bytes() == run.steps.offset_bytes() + run.size * sizeof(std::int64_t);
}

std::vector<Run> runs_of(const char* operation, std::span<const UpdateGroup> groups,
                         std::span<const UpdateNumbers> numbers) {
  std::vector<Run> runs;
  for (const UpdateGroup& group : groups) {
    check_numbers(operation, group, numbers);
    const UpdateNumbers& of = numbers[group.first];
    const DType result = computed_dtype(group.tensors[kParameters].dtype());
    if (!runs.empty() && continues(runs.back(), of, result)) {
      ++runs.back().size;
    } else {
      runs.push_back({of.step, of.learning_rate, result});
    }
  }
  for (Run& run : runs) {
    run.steps = make_view(*run.steps.impl(), run.steps.offset_bytes(),
                          Shape{static_cast<std::int64_t>(run.size)}, Shape{1});
  }
  return runs;
}

/// 0 takes the place of a condition that is not there.
TensorOrScalar applies_of(const UpdateNumbers& numbers) {
  return numbers.applies.defined() ? TensorOrScalar(numbers.applies) : TensorOrScalar(0);
}

}  // namespace

AdamNumbers adam_numbers(const AdamOptions& options, std::int64_t step, bool in_f64) {
  const auto [rate, epsilon, kept] =
      in_f64 ? adam_numbers_in<double>(options, step) : adam_numbers_in<float>(options, step);
  return {rate, epsilon, kept};
}

std::vector<AdamNumbers> adam_numbers(const char* operation, std::span<const UpdateGroup> groups,
                                      std::span<const UpdateNumbers> numbers,
                                      const AdamOptions& options) {
  std::vector<AdamNumbers> all;
  all.reserve(groups.size());
  for (const Run& run : runs_of(operation, groups, numbers)) {
    const DType wide = run.rate.dtype();
    const auto bias = [&](double beta) {
      return bias_function(wide).call(std::array<TensorOrScalar, 2>{run.steps, 1 - beta})[0];
    };
    const std::vector<Tensor> columns =
        adam_function(wide, run.result)
            .call(std::array<TensorOrScalar, 5>{bias(options.beta1), bias(options.beta2), run.rate,
                                                options.epsilon, options.weight_decay});
    for (std::int64_t i = 0; i < run.steps.num_elements(); ++i) {
      const UpdateNumbers& of = numbers[groups[all.size()].first];
      all.push_back({columns[0][i], columns[1][i], columns[2][i], applies_of(of)});
    }
  }
  return all;
}

std::vector<SgdNumbers> sgd_numbers(const char* operation, std::span<const UpdateGroup> groups,
                                    std::span<const UpdateNumbers> numbers) {
  std::vector<SgdNumbers> all;
  all.reserve(groups.size());
  for (const Run& run : runs_of(operation, groups, numbers)) {
    const std::vector<Tensor> columns =
        sgd_function(run.result).call(std::array<TensorOrScalar, 2>{run.steps, run.rate});
    for (std::int64_t i = 0; i < run.steps.num_elements(); ++i) {
      const UpdateNumbers& of = numbers[groups[all.size()].first];
      all.push_back({columns[0][i], columns[1][i], applies_of(of)});
    }
  }
  return all;
}

}  // namespace patchbay::tensor
