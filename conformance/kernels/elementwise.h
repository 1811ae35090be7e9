// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compares elementwise operators with a plain loop, for all layouts of the operands.
#ifndef PATCHBAY_CONFORMANCE_KERNELS_ELEMENTWISE_H_
#define PATCHBAY_CONFORMANCE_KERNELS_ELEMENTWISE_H_

#include <functional>
#include <string>
#include <vector>

#include "patchbay/operators.h"

#include "conformance/kernels/launcher.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {

/// A shape and the layouts of the operands.
struct ElementwiseCase {
  std::string name;
  Layout out, a, b;
};

std::vector<ElementwiseCase> elementwise_cases();
/// Two operands in each pair of layouts.
std::vector<ElementwiseCase> pairs_of_layouts();

/// The bound of the operator's record, in units of the last place.
template <class T>
double bound_of(const std::string& name) {
  return find_operator(name).bound.of(dtype_of_element<T>());
}

template <class T>
using ValueAt = std::function<T(int operand, std::size_t index)>;

template <class Out, class In>
void check_unary(const Device& device, const std::string& op,
                 const std::function<Out(In)>& reference, double ulps = 0,
                 const ValueAt<In>& value = mixed_value<In>) {
  for (const ElementwiseCase& one : elementwise_cases()) {
    const Array<In> in(one.a, [&](std::size_t i) { return value(0, i); });
    Array<Out> out(one.out);
    Array<Out> expected = out;
    for (std::size_t i = 0; i < out.size(); ++i) expected.at(i) = reference(in.at(i));
    const Argument target = out.to_device(device, Access::kWrite);
    run_kernel(device, op, {target, in.to_device(device, Access::kRead)});
    out.from_device(target);
    out.expect_close_to(
        expected, ulps,
        fmt::format("{} of {}, {}", op, to_string(dtype_of_element<In>()), one.name));
  }
}

/// Computes with two tensors.
template <class Out, class In>
void check_tensor_pair(const Device& device, const std::string& op,
                       const std::function<Out(In, In)>& reference, const ElementwiseCase& one,
                       double ulps = 0, const ValueAt<In>& value = mixed_value<In>) {
  const Array<In> a(one.a, [&](std::size_t i) { return value(0, i); });
  const Array<In> b(one.b, [&](std::size_t i) { return value(1, i); });
  Array<Out> out(one.out);
  Array<Out> expected = out;
  for (std::size_t i = 0; i < out.size(); ++i) expected.at(i) = reference(a.at(i), b.at(i));
  const Argument target = out.to_device(device, Access::kWrite);
  run_kernel(device, op,
             {target, a.to_device(device, Access::kRead), b.to_device(device, Access::kRead)});
  out.from_device(target);
  out.expect_close_to(expected, ulps,
                      fmt::format("{} of {}, {}", op, to_string(dtype_of_element<In>()), one.name));
}

/// Computes with a tensor and a scalar as first or second operand.
template <class Out, class In>
void check_scalar_pair(const Device& device, const std::string& op,
                       const std::function<Out(In, In)>& reference, const ElementwiseCase& one,
                       In scalar, bool scalar_first) {
  const Array<In> in(one.a, [&](std::size_t i) { return mixed_value<In>(0, i); });
  Array<Out> out(one.out);
  Array<Out> expected = out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    expected.at(i) = scalar_first ? reference(scalar, in.at(i)) : reference(in.at(i), scalar);
  }
  const Argument target = out.to_device(device, Access::kWrite);
  const Argument tensor = in.to_device(device, Access::kRead);
  const Argument literal = literal_of(scalar);
  run_kernel(
      device, op,
      scalar_first ? Arguments{target, literal, tensor} : Arguments{target, tensor, literal});
  out.from_device(target);
  out.expect_close_to(
      expected, 0,
      fmt::format("{} of {} with the scalar {} {}, {}", op, to_string(dtype_of_element<In>()),
                  show_element(scalar), scalar_first ? "first" : "second", one.name));
}

/// Tensors up to this size are cheap enough for another run.
inline constexpr std::size_t kFew = 1000;

template <class Out, class In>
void check_binary(const Device& device, const std::string& op,
                  const std::function<Out(In, In)>& reference) {
  for (const ElementwiseCase& one : elementwise_cases()) {
    check_tensor_pair<Out, In>(device, op, reference, one);
    if constexpr (!std::is_same_v<In, Bool>) {  // there are no scalars of dtype bool
      for (const bool scalar_first : {false, true}) {
        check_scalar_pair<Out, In>(device, op, reference, one, ordinary_value<In>(5), scalar_first);
        if (one.out.num_elements() > kFew) continue;
        check_scalar_pair<Out, In>(device, op, reference, one, In(0), scalar_first);
      }
    }
  }
  for (const ElementwiseCase& one : pairs_of_layouts()) {
    check_tensor_pair<Out, In>(device, op, reference, one);
  }
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_KERNELS_ELEMENTWISE_H_
