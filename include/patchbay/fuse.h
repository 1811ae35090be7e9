// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chains of elementwise operations as one pass over memory: docs/fusion.md.
#ifndef PATCHBAY_FUSE_H_
#define PATCHBAY_FUSE_H_

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "patchbay/dtype.h"
#include "patchbay/elementwise.h"
#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"
#include "patchbay/tensor_or_scalar.h"

namespace patchbay {

namespace tensor {
struct ExpressionNode;
struct FusedState;
}  // namespace tensor

/// A value inside a function that is fused: one of its parameters, or made from them. Nothing is
/// computed until the fused function is called. A shared handle.
class PATCHBAY_API Expression {
 public:
  /// The elements converted to `dtype`, by the rules of Tensor::cast.
  [[nodiscard]] Expression cast(DType dtype) const;

  explicit Expression(std::shared_ptr<const tensor::ExpressionNode> node)
      : node_(std::move(node)) {}
  const std::shared_ptr<const tensor::ExpressionNode>& node() const { return node_; }

 private:
  std::shared_ptr<const tensor::ExpressionNode> node_;
};

// elementwise.h declares the elementwise functions of expressions together with those of tensors. A
// number takes the dtype of the expression that it meets.

/// condition ? a : b, as in ops.h. Both a and b are computed.
[[nodiscard]] PATCHBAY_API Expression where(const Expression& condition, const Expression& a,
                                            const Expression& b);
[[nodiscard]] PATCHBAY_API Expression where(const Expression& condition, const Expression& a,
                                            const Scalar& b);
[[nodiscard]] PATCHBAY_API Expression where(const Expression& condition, const Scalar& a,
                                            const Expression& b);
[[nodiscard]] PATCHBAY_API Expression where(const Expression& condition, const Scalar& a,
                                            const Scalar& b);
/// low where a < low, high where a > high, else a, with the errors of clamp in ops.h.
[[nodiscard]] PATCHBAY_API Expression clamp(const Expression& a, const std::optional<Scalar>& low,
                                            const std::optional<Scalar>& high = {});

#define PATCHBAY_DEFINE_OPERATOR(sign, name)                                                \
  [[nodiscard]] inline Expression operator sign(const Expression& a, const Expression& b) { \
    return name(a, b);                                                                      \
  }                                                                                         \
  [[nodiscard]] inline Expression operator sign(const Expression& a, const Scalar& b) {     \
    return name(a, b);                                                                      \
  }                                                                                         \
  [[nodiscard]] inline Expression operator sign(const Scalar& a, const Expression& b) {     \
    return name(a, b);                                                                      \
  }
PATCHBAY_DEFINE_OPERATOR(+, add)
PATCHBAY_DEFINE_OPERATOR(-, sub)
PATCHBAY_DEFINE_OPERATOR(*, mul)
PATCHBAY_DEFINE_OPERATOR(/, div)
#undef PATCHBAY_DEFINE_OPERATOR
[[nodiscard]] inline Expression operator-(const Expression& a) { return neg(a); }

/// The tensors and numbers of one call among several: see FusedFunction::call_groups_out.
struct FusedGroup {
  std::vector<Tensor> outputs;
  std::vector<TensorOrScalar> arguments;
};

/// A fused function with any number of inputs and outputs; `fuse` wraps it. A shared handle; any
/// thread may call it. The first call for a device and its dtypes prepares a kernel, which is kept.
/// Checks are those of ops.h. Results are those of the single operations (the same bits on CPU
/// devices), and have the shape to which all inputs broadcast.
class PATCHBAY_API FusedFunction {
 public:
  using Body = std::function<std::vector<Expression>(std::span<const Expression>)>;
  static constexpr std::size_t kMaxInputs = 15;

  /// Calls `body` once. Errors and traces use `name`. Errors: kInvalidArgument for no outputs, more
  /// than 16 inputs and outputs, an expression of another function, or more than 512 values.
  FusedFunction(std::size_t num_inputs, const Body& body, std::string name = "fuse");

  std::size_t num_inputs() const;
  std::size_t num_outputs() const;
  const std::string& name() const;

  /// Queued. If an argument requires gradients, the call is recorded as one operation, whose
  /// backward step is fused too. Errors: as ops.h; kUnsupported if the device's plugin fuses
  /// nothing.
  std::vector<Tensor> call(std::span<const TensorOrScalar> arguments) const;
  /// Writes to `outputs`, which may be inputs, but must not overlap one in part, nor each other.
  /// Errors: also kInvalidArgument if a tensor requires gradients outside of NoGrad.
  void call_out(std::span<const Tensor> outputs, std::span<const TensorOrScalar> arguments) const;

  /// Has the results of call_out for each group in turn. If no group writes memory that another one
  /// reads or writes, groups with the same dtypes and numbers are one launch, on devices whose
  /// plugins take several groups; shapes may differ. Checks all groups before the first launch.
  void call_groups_out(std::span<const FusedGroup> groups) const;

  /// The function of the gradients. Its inputs are the inputs and the incoming gradient of each
  /// output; its outputs are the gradients of the inputs numbered in `wanted` (empty: all), in the
  /// shape to which everything broadcasts. They are 0 where no gradient flows.
  [[nodiscard]] FusedFunction gradients(const std::vector<std::size_t>& wanted = {}) const;

 private:
  explicit FusedFunction(std::shared_ptr<tensor::FusedState> state) : state_(std::move(state)) {}

  runtime::ObjectHandle<tensor::FusedState, "FusedFunction"> state_;
};

namespace fuse_detail {

template <class, std::size_t>
using Repeated = const Expression&;

template <class Function, std::size_t... i>
constexpr bool takes(std::index_sequence<i...>) {
  return std::is_invocable_v<Function&, Repeated<Function, i>...>;
}
/// The number of expressions that the function takes; 0 if it does not take expressions.
template <class Function, std::size_t kCount = 1>
constexpr std::size_t num_inputs() {
  if constexpr (kCount > FusedFunction::kMaxInputs)
    return 0;
  else if constexpr (takes<Function>(std::make_index_sequence<kCount>()))
    return kCount;
  else
    return num_inputs<Function, kCount + 1>();
}

inline std::vector<Expression> listed(Expression one) { return {std::move(one)}; }
template <std::size_t kCount>
std::vector<Expression> listed(const std::array<Expression, kCount>& several) {
  return {several.begin(), several.end()};
}

template <class Function, std::size_t... i>
auto call(Function& function, std::span<const Expression> inputs, std::index_sequence<i...>) {
  return function(inputs[i]...);
}

template <class Result>
struct Outputs;
template <>
struct Outputs<Expression> {
  using Type = Tensor;
  static Tensor take(std::vector<Tensor> results) { return std::move(results[0]); }
  static std::span<const Tensor> list(const Tensor& out) { return {&out, 1}; }
};
template <std::size_t kCount>
struct Outputs<std::array<Expression, kCount>> {
  using Type = std::array<Tensor, kCount>;
  static Type take(std::vector<Tensor> results) {
    Type taken;
    std::move(results.begin(), results.end(), taken.begin());
    return taken;
  }
  static std::span<const Tensor> list(const Type& out) { return out; }
};

}  // namespace fuse_detail

/// The result of `fuse`. Call it with as many tensors or numbers as the function has parameters.
template <class Result, std::size_t kInputs>
class Fused {
  using Outputs = fuse_detail::Outputs<Result>;

 public:
  explicit Fused(FusedFunction function) : function_(std::move(function)) {}

  template <class... Arguments>
  [[nodiscard]] typename Outputs::Type operator()(const Arguments&... arguments) const {
    static_assert(sizeof...(arguments) == kInputs, "as many arguments as parameters");
    return Outputs::take(function_.call(std::array<TensorOrScalar, kInputs>{arguments...}));
  }
  /// Into existing tensors.
  template <class... Arguments>
  void out(const typename Outputs::Type& out, const Arguments&... arguments) const {
    static_assert(sizeof...(arguments) == kInputs, "as many arguments as parameters");
    function_.call_out(Outputs::list(out), std::array<TensorOrScalar, kInputs>{arguments...});
  }
  /// The function of the gradients: see FusedFunction::gradients.
  [[nodiscard]] FusedFunction gradients(const std::vector<std::size_t>& wanted = {}) const {
    return function_.gradients(wanted);
  }
  const FusedFunction& function() const { return function_; }

 private:
  FusedFunction function_;
};

/// Fuses a function of 1 to 15 expressions that returns one, or a std::array of them. `fuse` calls
/// it once:
///   auto f = fuse([](Expression a, Expression b) { return maximum(a * b + 1.0, 0); });
///   Tensor y = f(x, w);   f.out(y, x, w);
/// Errors and traces use `name`.
template <class Function>
auto fuse(Function function, std::string name = "fuse") {
  constexpr std::size_t kInputs = fuse_detail::num_inputs<Function>();
  static_assert(kInputs != 0, "fuse takes a function of 1 to 15 expressions");
  constexpr std::make_index_sequence<kInputs> kIndices;
  using Result =
      std::decay_t<decltype(fuse_detail::call(function, std::span<const Expression>(), kIndices))>;
  return Fused<Result, kInputs>(FusedFunction(
      kInputs,
      [&function](std::span<const Expression> inputs) {
        return fuse_detail::listed(
            fuse_detail::call(function, inputs, std::make_index_sequence<kInputs>()));
      },
      std::move(name)));
}

}  // namespace patchbay

#endif  // PATCHBAY_FUSE_H_
