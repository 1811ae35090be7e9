// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/elementwise/complex.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "patchbay/complex.h"
#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/elementwise/elementwise.h"
#include "core/tensor/views/sum.h"

namespace patchbay::tensor {
namespace {

using E = Expression;

/// A complex number as its parts.
struct Z {
  E re, im;
};

// ------------------------------------------------------------------------------- formulas ---
// Kahan, Branch Cuts for Complex Elementary Functions, 1987, unless another source is named. Values
// are scaled by the larger part, so that no square overflows.

E larger(const Z& z) { return maximum(abs(z.re), abs(z.im)); }
E smaller(const Z& z) { return minimum(abs(z.re), abs(z.im)); }
E or_one(const E& condition, const E& x) { return where(condition, 1, x); }
/// Negative for numbers below 0 and for -0.
E sign_of(const E& x) { return where(eq(x, 0), div(1, x), x); }
E with_sign(const E& magnitude, const E& sign) {
  return where(lt(sign_of(sign), 0), -magnitude, magnitude);
}

E magnitude(const Z& z) {
  const E most = larger(z), ratio = smaller(z) / or_one(eq(most, 0), most);
  return where(logical_or(isinf(z.re), isinf(z.im)), INFINITY, most * sqrt(ratio * ratio + 1));
}

Z times(const Z& a, const Z& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

Z halved_if(const E& condition, const Z& z) {
  return {where(condition, z.re * 0.5, z.re), where(condition, z.im * 0.5, z.im)};
}

/// Sums of two larger numbers may overflow.
constexpr double kLarge = 1e30;

/// Smith, Algorithm 116: Complex Division, 1962. Large numbers are halved, so that no sum
/// overflows.
Z divided(const Z& dividend, const Z& by) {
  const E is_large = gt(maximum(larger(dividend), larger(by)), kLarge);
  const Z a = halved_if(is_large, dividend), b = halved_if(is_large, by);
  const E is_wide = ge(abs(b.re), abs(b.im));
  const E most = where(is_wide, b.re, b.im), least = where(is_wide, b.im, b.re);
  const E ratio = least / or_one(eq(most, 0), most), divisor = most + least * ratio;
  return {where(is_wide, a.re + a.im * ratio, a.re * ratio + a.im) / divisor,
          where(is_wide, a.im - a.re * ratio, a.im * ratio - a.re) / divisor};
}

/// By two factors, so that only a result overflows.
Z exponential(const Z& z) {
  const E half = exp(z.re * 0.5);
  return {half * cos(z.im) * half, where(eq(z.im, 0), z.im, half * sin(z.im) * half)};
}

/// Near the unit circle by log1p of the difference from it.
E log_magnitude(const Z& z) {
  const E most = larger(z), least = smaller(z), ratio = least / or_one(eq(most, 0), most);
  const E near = log1p((most - 1) * (most + 1) + least * least) * 0.5;
  const E far = log(most) + log1p(ratio * ratio) * 0.5;
  const E is_near = logical_and(gt(most, 0.5), lt(most, 1.5));
  return where(logical_or(isinf(z.re), isinf(z.im)), INFINITY, where(is_near, near, far));
}
Z logarithm(const Z& z) { return {log_magnitude(z), atan2(z.im, z.re)}; }

Z square_root(const Z& z) {
  const E most = larger(z), divisor = or_one(eq(most, 0), most);
  const E ratio = smaller(z) / divisor;
  const E root = sqrt(divisor) * sqrt((abs(z.re) / divisor + sqrt(ratio * ratio + 1)) * 0.5);
  const E other = abs(z.im) / (root * 2);
  const E is_right = ge(z.re, 0);
  const Z found{where(is_right, root, other), with_sign(where(is_right, other, root), z.im)};
  const E is_zero = eq(most, 0), is_infinite = isinf(z.im);
  return {where(is_zero, 0, where(is_infinite, INFINITY, found.re)),
          where(is_zero, z.im, where(is_infinite, z.im, found.im))};
}

E cosh_of(const E& x) {
  const E e = exp(abs(x));
  return (e + div(1, e)) * 0.5;
}
E sinh_of(const E& x) {
  const E e = expm1(abs(x));
  return with_sign(where(isinf(e), e, (e + e / (e + 1)) * 0.5), x);
}

Z hyperbolic_tangent(const Z& z) {
  constexpr double kFar = 20;  // beyond, the real part is 1 in f64
  const E x = minimum(maximum(z.re, -kFar), kFar);
  const E tangent = tan(z.im), secant = tangent * tangent + 1, s = sinh_of(x);
  const E divisor = secant * s * s + 1;
  const E is_far = gt(abs(z.re), kFar);
  const E beyond = sin(z.im) * cos(z.im) * exp(abs(z.re) * -2) * 4;
  return {where(is_far, with_sign(abs(x) / kFar, z.re), secant * sqrt(s * s + 1) * s / divisor),
          where(is_far, beyond, tangent / divisor)};
}

Z hyperbolic(const Z& z, bool is_sine) {
  return is_sine ? Z{sin(z.re) * cosh_of(z.im), cos(z.re) * sinh_of(z.im)}
                 : Z{cos(z.re) * cosh_of(z.im), -(sin(z.re) * sinh_of(z.im))};
}

Z exponential_less_1(const Z& z) {
  const E half = sin(z.im * 0.5);
  return {expm1(z.re) * cos(z.im) - half * half * 2, exponential(z).im};
}

Z logarithm_of_1_and(const Z& z) {
  const Z sum{z.re + 1, z.im};
  const E near = log1p(z.re * (z.re + 2) + z.im * z.im) * 0.5;
  return {where(lt(larger(z), 0.5), near, log_magnitude(sum)), atan2(z.im, sum.re)};
}

Z scaled(const Z& z, double factor) { return {z.re * factor, z.im * factor}; }
/// 1 / z, as `divided`.
Z reciprocal_of(const Z& of) {
  const E is_large = gt(larger(of), kLarge);
  const Z z = halved_if(is_large, of);
  const E is_wide = ge(abs(z.re), abs(z.im));
  const E most = where(is_wide, z.re, z.im), least = where(is_wide, z.im, z.re);
  const E ratio = where(isinf(most), 0, least / or_one(eq(most, 0), most));
  const E divisor = most + least * ratio;
  const E one = where(is_large, div(0.5, divisor), div(1, divisor));
  const E other = where(is_large, ratio * 0.5, ratio) / divisor;
  return {where(is_wide, one, other), where(is_wide, -other, -one)};
}

Z direction(const Z& z) {
  const E most = larger(z), divisor = or_one(eq(most, 0), most);
  const Z unit{z.re / divisor, z.im / divisor};
  const E length = or_one(eq(most, 0), sqrt(unit.re * unit.re + unit.im * unit.im));
  return {unit.re / length, unit.im / length};
}

/// a^n for n other than 0; NaN for 0 to a power below 0. Powers of the inverse become 0 where those
/// of the number would overflow.
Z whole_power(const Z& a, std::int64_t n) {
  Z factor = n > 0 ? a : reciprocal_of(a);
  std::optional<Z> product;
  for (std::int64_t left = std::abs(n); left > 0; left /= 2) {
    if (left % 2 != 0) product = product ? times(*product, factor) : factor;
    if (left > 1) factor = times(factor, factor);
  }
  if (n > 0) return *product;
  const E no_base = eq(larger(a), 0);
  return {where(no_base, NAN, product->re), where(no_base, NAN, product->im)};
}

/// exp(b log a); 1 where b is 0, and 0 where a is 0 and the real part of b above 0.
Z power(const Z& a, const Z& b) {
  const Z value = exponential(times(b, logarithm(a)));
  const E no_base = logical_and(logical_and(eq(a.re, 0), eq(a.im, 0)), gt(b.re, 0));
  const E no_power = logical_and(eq(b.re, 0), eq(b.im, 0));
  return {where(no_power, 1, where(no_base, 0, value.re)),
          where(logical_or(no_power, no_base), 0, value.im)};
}

Z sigmoid_of(const Z& z) {
  const Z e = exponential({-z.re, -z.im});
  return reciprocal_of({e.re + 1, e.im});
}

// ------------------------------------------------------------------------------ gradients ---
// As in PyTorch, the gradient of a real loss is that of the real part plus i times that of the
// imaginary part: for a function with a derivative, the incoming gradient times its conjugate.

constexpr double kLn2 = 0.69314718055994530942;

/// The gradients of a and of b, given grad, a, b and the result.
using Slope =
    std::function<Tensor(const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& out)>;

Tensor slope_of_magnitude(const Tensor& grad, const Tensor& a, const Tensor&, const Tensor&) {
  return complex(grad, grad.new_zeros(grad.shape())) * sign(a);
}
/// What turns the number, over its length.
Tensor slope_of_direction(const Tensor& grad, const Tensor& a, const Tensor&, const Tensor& out) {
  const Tensor length = abs(a), along = real(grad * conj(out));
  const Tensor across = grad - complex(along, along.new_zeros(along.shape())) * out;
  const Tensor factor = where(eq(length, 0), 0, 1 / where(eq(length, 0), 1, length));
  return across * complex(factor, factor.new_zeros(factor.shape()));
}

// ---------------------------------------------------------------------------------- forms ---

enum class Kind { kComplex, kReal, kBool };

/// How complex numbers are computed by an operator.
struct Form {
  FusedFunction function;
  Kind kind;
  Slope of_a = nullptr, of_b = nullptr;  // null: none
};

std::vector<Expression> listed(const Z& z) { return {z.re, z.im}; }

class Forms {
 public:
  Forms() {
    unary(
        op::neg,
        [](const Z& a) {
          return Z{-a.re, -a.im};
        },
        [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor&) { return -grad; });
    unary(
        op::square,
        [](const Z& a) {
          return Z{(a.re - a.im) * (a.re + a.im), a.re * a.im * 2};
        },
        [](const Tensor& grad, const Tensor& a, const Tensor&, const Tensor&) {
          return grad * conj(a) * 2;
        });
    unary(op::sqrt, square_root,
          [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor& out) {
            return grad / (conj(out) * 2);
          });
    unary(
        op::rsqrt, [](const Z& a) { return reciprocal_of(square_root(a)); },
        [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor& out) {
          return grad * conj(out * out * out) * -0.5;
        });
    unary(op::exp, exponential,
          [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor& out) {
            return grad * conj(out);
          });
    unary(op::log, logarithm,
          [](const Tensor& grad, const Tensor& a, const Tensor&, const Tensor&) {
            return grad / conj(a);
          });
    unary(op::sigmoid, sigmoid_of,
          [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor& out) {
            return grad * conj(out * (1 - out));
          });
    unary(op::tanh, hyperbolic_tangent,
          [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor& out) {
            return grad * conj(1 - out * out);
          });
    unary(
        op::sin, [](const Z& a) { return hyperbolic(a, true); },
        [](const Tensor& grad, const Tensor& a, const Tensor&, const Tensor&) {
          return grad * conj(cos(a));
        });
    unary(
        op::cos, [](const Z& a) { return hyperbolic(a, false); },
        [](const Tensor& grad, const Tensor& a, const Tensor&, const Tensor&) {
          return -(grad * conj(sin(a)));
        });
    unary(
        op::tan,
        [](const Z& a) {
          const Z turned = hyperbolic_tangent({-a.im, a.re});
          return Z{turned.im, -turned.re};
        },
        [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor& out) {
          return grad * conj(out * out + 1);
        });
    unary(
        op::exp2, [](const Z& a) { return exponential(scaled(a, kLn2)); },
        [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor& out) {
          return grad * conj(out) * kLn2;
        });
    unary(op::expm1, exponential_less_1,
          [](const Tensor& grad, const Tensor& a, const Tensor&, const Tensor&) {
            return grad * conj(exp(a));
          });
    unary(op::log1p, logarithm_of_1_and,
          [](const Tensor& grad, const Tensor& a, const Tensor&, const Tensor&) {
            return grad / conj(a + 1);
          });
    unary(
        op::log2, [](const Z& a) { return scaled(logarithm(a), 1 / kLn2); },
        [](const Tensor& grad, const Tensor& a, const Tensor&, const Tensor&) {
          return grad / (conj(a) * kLn2);
        });
    unary(op::sign, direction, slope_of_direction);
    to_parts(op::abs, Kind::kReal, magnitude, slope_of_magnitude);
    to_parts(op::isnan, Kind::kBool,
             [](const Z& a) { return logical_or(isnan(a.re), isnan(a.im)); });
    to_parts(op::isinf, Kind::kBool,
             [](const Z& a) { return logical_or(isinf(a.re), isinf(a.im)); });
    to_parts(op::isfinite, Kind::kBool,
             [](const Z& a) { return logical_and(isfinite(a.re), isfinite(a.im)); });
    binary(
        op::add,
        [](const Z& a, const Z& b) {
          return Z{a.re + b.re, a.im + b.im};
        },
        [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor&) { return grad; },
        [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor&) { return grad; });
    binary(
        op::sub,
        [](const Z& a, const Z& b) {
          return Z{a.re - b.re, a.im - b.im};
        },
        [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor&) { return grad; },
        [](const Tensor& grad, const Tensor&, const Tensor&, const Tensor&) { return -grad; });
    binary(
        op::mul, times,
        [](const Tensor& grad, const Tensor&, const Tensor& b, const Tensor&) {
          return grad * conj(b);
        },
        [](const Tensor& grad, const Tensor& a, const Tensor&, const Tensor&) {
          return grad * conj(a);
        });
    binary(
        op::div, divided,
        [](const Tensor& grad, const Tensor&, const Tensor& b, const Tensor&) {
          return grad / conj(b);
        },
        [](const Tensor& grad, const Tensor&, const Tensor& b, const Tensor& out) {
          return -(grad * conj(out / b));
        });
    binary(
        op::pow, power,
        [](const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor&) {
          return grad * conj(b * pow(a, b - 1));
        },
        [](const Tensor& grad, const Tensor& a, const Tensor&, const Tensor& out) {
          const Tensor is_zero = eq(a, 0);
          return grad * conj(out * log(where(is_zero, 1, a)));
        });
    comparison(op::eq,
               [](const Z& a, const Z& b) { return logical_and(eq(a.re, b.re), eq(a.im, b.im)); });
    comparison(op::ne,
               [](const Z& a, const Z& b) { return logical_or(ne(a.re, b.re), ne(a.im, b.im)); });
  }

  const Form* find(const Operator& op) const {
    const auto found = forms_.find(op.id);
    return found != forms_.end() ? &found->second : nullptr;
  }
  /// Of a^n, which multiplies. The first call for an n makes it.
  const Form& of_power(std::int64_t n) {
    const std::scoped_lock lock(powers_mutex_);
    if (const auto found = powers_.find(n); found != powers_.end()) return found->second;
    const auto body = [n](Inputs in) { return listed(whole_power(Z{in[0], in[1]}, n)); };
    const Slope of_a = [n](const Tensor& grad, const Tensor& a, const Tensor&, const Tensor&) {
      return grad * conj(pow(a, n - 1) * n);
    };
    const Form form{FusedFunction(2, body, std::string(op::pow.shown())), Kind::kComplex, of_a, {}};
    return powers_.emplace(n, form).first->second;
  }

 private:
  using Inputs = std::span<const Expression>;

  template <class Body>
  void add(const Operator& op, std::size_t num_inputs, const Body& body, Kind kind,
           const Slope& of_a, const Slope& of_b = nullptr) {
    forms_.emplace(
        op.id, Form{FusedFunction(num_inputs, body, std::string(op.shown())), kind, of_a, of_b});
  }
  template <class Body>
  void unary(const Operator& op, const Body& body, const Slope& of_a) {
    add(
        op, 2,
        [&](Inputs in) {
          return listed(body(Z{in[0], in[1]}));
        },
        Kind::kComplex, of_a);
  }
  template <class Body>
  void to_parts(const Operator& op, Kind kind, const Body& body, const Slope& of_a = nullptr) {
    add(
        op, 2,
        [&](Inputs in) {
          return std::vector<Expression>{body(Z{in[0], in[1]})};
        },
        kind, of_a);
  }
  template <class Body>
  void binary(const Operator& op, const Body& body, const Slope& of_a, const Slope& of_b) {
    add(
        op, 4,
        [&](Inputs in) {
          return listed(body(Z{in[0], in[1]}, Z{in[2], in[3]}));
        },
        Kind::kComplex, of_a, of_b);
  }
  template <class Body>
  void comparison(const Operator& op, const Body& body) {
    add(
        op, 4,
        [&](Inputs in) {
          return std::vector<Expression>{body(Z{in[0], in[1]}, Z{in[2], in[3]})};
        },
        Kind::kBool, nullptr);
  }

  std::map<std::uint16_t, Form> forms_;
  std::mutex powers_mutex_;
  std::map<std::int64_t, Form> powers_;
};

/// Made at the first use. Never destroyed: threads may compute until the process ends.
Forms& forms() {
  static auto& all = *new Forms();
  return all;
}

std::vector<TensorOrScalar> parts_of(std::span<const TensorOrScalar> operands) {
  std::vector<TensorOrScalar> parts;
  for (const TensorOrScalar& each : operands) {
    if (each.is_tensor()) {
      parts.emplace_back(make_part(*each.tensor().impl(), 0));
      parts.emplace_back(make_part(*each.tensor().impl(), 1));
    } else {
      parts.emplace_back(each.scalar().real());
      parts.emplace_back(each.scalar().imag());
    }
  }
  return parts;
}

const Tensor& first_tensor(std::span<const TensorOrScalar> operands) {
  return operands[0].is_tensor() ? operands[0].tensor() : operands[1].tensor();
}

Shape shape_of(const Operator& op, std::span<const TensorOrScalar> operands) {
  if (operands.size() == 1 || !operands[0].is_tensor() || !operands[1].is_tensor()) {
    return first_tensor(operands).shape();
  }
  return broadcast_shapes(op.name, {"a", *operands[0].tensor().impl()},
                          {"b", *operands[1].tensor().impl()});
}

DType dtype_of(const Form& form, DType operand) {
  switch (form.kind) {
    case Kind::kReal: return real_dtype(operand);
    case Kind::kBool: return DType::boolean;
    case Kind::kComplex: break;
  }
  return operand;
}

void compute(const Form& form, const Tensor& out, std::span<const TensorOrScalar> operands) {
  const Recording recording(false);
  std::vector<Tensor> outputs{out};
  if (form.kind == Kind::kComplex) {
    outputs = {make_part(*out.impl(), 0), make_part(*out.impl(), 1)};
  }
  form.function.call_out(outputs, parts_of(operands));
}

/// An operand in backward: a tensor that was saved, or a number as a tensor of one element.
struct Kept {
  Saved saved;
  Tensor number;
  Shape shape;

  Tensor get(const Node& node) const { return number.defined() ? number : saved.get(node); }
};

Kept kept(const TensorOrScalar& operand, const char* name, const Tensor& like) {
  if (operand.is_tensor()) return {Saved(name, operand.tensor()), {}, operand.tensor().shape()};
  return {{}, like.new_full({}, operand.scalar()), {}};
}

void record_form(const Operator& op, const Form& form, const Tensor& result,
                 std::span<const TensorOrScalar> operands) {
  const Tensor& like = first_tensor(operands);
  const bool is_binary = operands.size() == 2;
  const Tensor none;
  const auto input = [&](std::size_t i) {
    return is_binary || i == 0 ? (operands[i].is_tensor() ? &operands[i].tensor() : &none) : &none;
  };
  Kept a, b;
  {
    const Recording recording(false);
    a = kept(operands[0], "a", like);
    if (is_binary) b = kept(operands[1], "b", like);
  }
  const auto backward = [&form, is_binary, a = std::move(a), b = std::move(b),
                         out = Saved::result(result)](const Tensor& grad, const Node& node) {
    std::vector<Tensor> grads(is_binary ? 2 : 1);
    const Tensor x = a.get(node), y = is_binary ? b.get(node) : Tensor(), z = out.get(node);
    if (node.inputs[0]) grads[0] = sum_to(form.of_a(grad, x, y, z), a.shape);
    if (is_binary && node.inputs[1]) grads[1] = sum_to(form.of_b(grad, x, y, z), b.shape);
    return grads;
  };
  if (is_binary) {
    record(op.name, result, {input(0), input(1)}, backward);
  } else {
    record(op.name, result, {input(0)}, backward);
  }
}

/// Numbers of formulas that compute with an operand's parts alone become tensors of rank 0.
std::vector<TensorOrScalar> with_tensors(const Operator& op,
                                         std::span<const TensorOrScalar> operands) {
  std::vector<TensorOrScalar> all(operands.begin(), operands.end());
  if (op.id != op::div.id && op.id != op::pow.id) return all;
  const Recording recording(false);
  const Tensor like = first_tensor(operands);
  for (TensorOrScalar& each : all) {
    if (!each.is_tensor()) each = like.new_full({}, each.scalar());
  }
  return all;
}

/// A form with its operands.
struct Call {
  const Form& form;
  std::vector<TensorOrScalar> operands;
};

/// Whole powers that are taken by products: beyond, their roundings add up to more than those of
/// logarithms.
constexpr double kMostPower = 64;

Call call_of(const Operator& op, std::span<const TensorOrScalar> operands) {
  const bool has_number = op.id == op::pow.id && operands[0].is_tensor() &&
                          !operands[1].is_tensor() && operands[1].scalar().slot() == 0;
  if (has_number && operands[1].scalar().imag().to_double() == 0) {
    const double n = operands[1].scalar().real().to_double();
    if (n != 0 && n == std::trunc(n) && std::fabs(n) <= kMostPower) {
      return {forms().of_power(static_cast<std::int64_t>(n)), {operands[0]}};
    }
  }
  return {*forms().find(op), with_tensors(op, operands)};
}

}  // namespace

bool has_complex_form(const Operator& op) { return forms().find(op) != nullptr; }

Tensor complex_result(const Operator& op, std::span<const TensorOrScalar> given) {
  const auto [form, operands] = call_of(op, given);
  const Tensor& like = first_tensor(operands);
  const TensorImpl& impl = *like.impl();
  Tensor result = make_empty(op.name, shape_of(op, operands), dtype_of(form, impl.dtype), impl);
  compute(form, result, operands);
  bool needs = false;
  for (const TensorOrScalar& each : operands) {
    needs = needs || (each.is_tensor() && needs_grad(each.tensor()));
  }
  if (needs && form.of_a != nullptr) record_form(op, form, result, operands);
  return result;
}

const Tensor& complex_out(const Operator& op, const Tensor& out,
                          std::span<const TensorOrScalar> given) {
  const auto [form, operands] = call_of(op, given);
  constexpr std::array<const char*, 2> kNames{"a", "b"};
  std::array<Operand, 2> checked{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_tensor()) checked[i].tensor = operands[i].tensor().impl();
  }
  check_claim(op.name, dtype_of(form, first_tensor(operands).dtype()), out, shape_of(op, operands),
              std::span(checked).first(operands.size()), kNames);
  out.impl()->buffer().count_version();
  compute(form, out, operands);
  return out;
}

}  // namespace patchbay::tensor

namespace patchbay {

Tensor conj(const Tensor& a) {
  static const auto& negate = *new auto(fuse([](const Expression& im) { return -im; }, "conj"));
  const tensor::TensorImpl& impl = tensor::operand_of("conj", a);
  if (!is_complex(impl.dtype)) return a;
  Tensor result = tensor::make_empty("conj", impl.shape, impl.dtype, impl);
  {
    const tensor::Recording recording(false);
    tensor::launch_copy(*tensor::make_part(*result.impl(), 0).impl(),
                        *tensor::make_part(impl, 0).impl());
    negate.out(tensor::make_part(*result.impl(), 1), tensor::make_part(impl, 1));
  }
  if (tensor::needs_grad(a)) {
    tensor::record("conj", result, a, tensor::Backward([](const Tensor& grad, const tensor::Node&) {
                     return std::vector<Tensor>{conj(grad)};
                   }));
  }
  return result;
}

Tensor angle(const Tensor& a) {
  const tensor::TensorImpl& impl = tensor::operand_of("angle", a);
  if (is_complex(impl.dtype)) return atan2(imag(a), real(a));
  tensor::check_dtype_allowed("angle", tensor::op::atan2.dtypes, {"a", impl});
  return atan2(zeros_like(a), a);
}

}  // namespace patchbay
