// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The gradient columns of the elementwise table, with tensors for its types: what comes out is made
// of recorded operators, and so has a derivative again.
#include "core/tensor/autograd/elementwise.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "patchbay/ops.h"

#include "core/tensor/autograd/record.h"

namespace patchbay::tensor {

namespace {

/// Calls op with tensors and numbers as they come; two numbers are computed in f64.
template <class Op, class Number>
Term apply(const Term& a, const Term& b, Op op, Number of_numbers) {
  if (a.is_tensor() && b.is_tensor()) return op(a.tensor(), b.tensor());
  if (a.is_tensor()) return op(a.tensor(), b.number());
  if (b.is_tensor()) return op(a.number(), b.tensor());
  return of_numbers(a.number().to_double(), b.number().to_double());
}

#define PATCHBAY_TERM_OPERATOR(symbol, name)                                 \
  Term operator symbol(const Term& a, const Term& b) {                       \
    return apply(                                                            \
        a, b, [](const auto& x, const auto& y) { return Term(name(x, y)); }, \
        [](double x, double y) { return Term(x symbol y); });                \
  }
PATCHBAY_TERM_OPERATOR(+, add)
PATCHBAY_TERM_OPERATOR(-, sub)
PATCHBAY_TERM_OPERATOR(*, mul)
PATCHBAY_TERM_OPERATOR(/, div)
PATCHBAY_TERM_OPERATOR(<, lt)
PATCHBAY_TERM_OPERATOR(<=, le)
PATCHBAY_TERM_OPERATOR(>, gt)
PATCHBAY_TERM_OPERATOR(>=, ge)
PATCHBAY_TERM_OPERATOR(==, eq)
#undef PATCHBAY_TERM_OPERATOR

Term operator-(const Term& a) { return a.is_tensor() ? Term(neg(a.tensor())) : 0.0 - a; }
Term exp(const Term& a) { return patchbay::exp(a.tensor()); }
Term log(const Term& a) {
  return a.is_tensor() ? Term(patchbay::log(a.tensor())) : Term(std::log(a.number().to_double()));
}
Term erf(const Term& a) { return patchbay::erf(a.tensor()); }
Term pow(const Term& a, const Term& b) {
  return apply(
      a, b, [](const auto& x, const auto& y) { return Term(patchbay::pow(x, y)); },
      [](double x, double y) { return Term(std::pow(x, y)); });
}
/// A condition that is a number was made of numbers alone.
Term select(const Term& condition, const Term& x, const Term& y) {
  if (!condition.is_tensor()) return condition.number().to_double() != 0 ? x : y;
  const Tensor& chosen = condition.tensor();
  if (x.is_tensor() && y.is_tensor()) return where(chosen, x.tensor(), y.tensor());
  if (x.is_tensor()) return where(chosen, x.tensor(), y.number());
  return where(chosen, x.number(), y.tensor());
}

/// Stands for the operands to find out which of them a derivative needs.
struct Probe {
  unsigned uses = 0;
  Probe() = default;
  Probe(double) {}  // NOLINT(google-explicit-constructor): (T)2
  static Probe of(unsigned bits) {
    Probe probe;
    probe.uses = bits;
    return probe;
  }
};
#define PATCHBAY_PROBE_OPERATOR(symbol) \
  [[maybe_unused]] Probe operator symbol(Probe a, Probe b) { return Probe::of(a.uses | b.uses); }
PATCHBAY_PROBE_OPERATOR(+)
PATCHBAY_PROBE_OPERATOR(-)
PATCHBAY_PROBE_OPERATOR(*)
PATCHBAY_PROBE_OPERATOR(/)
PATCHBAY_PROBE_OPERATOR(<)
PATCHBAY_PROBE_OPERATOR(<=)
PATCHBAY_PROBE_OPERATOR(>)
PATCHBAY_PROBE_OPERATOR(>=)
PATCHBAY_PROBE_OPERATOR(==)
#undef PATCHBAY_PROBE_OPERATOR
Probe operator-(Probe a) { return a; }
Probe exp(Probe a) { return a; }
Probe log(Probe a) { return a; }
Probe erf(Probe a) { return a; }
Probe pow(Probe a, Probe b) { return Probe::of(a.uses | b.uses); }
Probe select(Probe condition, Probe x, Probe y) {
  return Probe::of(condition.uses | x.uses | y.uses);
}

/// What the columns name: up to three operands and the result.
constexpr std::size_t kResult = 3;
template <class T>
using Names = std::array<T, 4>;
template <class T>
using Column = T (*)(const T& grad, const Names<T>& names);

/// The derivative with respect to one operand.
struct Derivative {
  Column<Term> compute = nullptr;
  Column<Probe> probe = nullptr;
};
struct Derivatives {
  std::array<Derivative, 3> by_operand;  // null: none
};

#define PATCHBAY_SELECT(condition, x, y) select(condition, x, y)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wunused-variable"
// A column of the table as a function; the names are those that the table gives to operands.
// NOLINTBEGIN(bugprone-macro-parentheses): names can't stand in any
#define PATCHBAY_COLUMN(T, first, second, third, expression)                                 \
  [](const T& grad, const Names<T>& names) -> T {                                            \
    const T &first = names[0], &second = names[1], &third = names[2], &out = names[kResult]; \
    return expression;                                                                       \
  }
// NOLINTEND(bugprone-macro-parentheses)
#define PATCHBAY_BOTH(first, second, third, expression)                \
  Derivative {                                                         \
    []() -> Column<Term> {                                             \
      using T = Term;                                                  \
      return PATCHBAY_COLUMN(T, first, second, third, expression);     \
    }(),                                                               \
        []() -> Column<Probe> {                                        \
          using T = Probe;                                             \
          return PATCHBAY_COLUMN(T, first, second, third, expression); \
        }()                                                            \
  }
#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient) \
  table[op::name.id] = {{PATCHBAY_BOTH(a, unused, unused2, gradient), {}, {}}};
#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  table[op::name.id] = {                                                        \
      {PATCHBAY_BOTH(a, b, unused, gradient_a), PATCHBAY_BOTH(a, b, unused, gradient_b), {}}};
#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b)          \
  table[op::name.id] = {{Derivative{}, PATCHBAY_BOTH(condition, a, b, gradient_a), \
                         PATCHBAY_BOTH(condition, a, b, gradient_b)}};
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient) \
  table[op::name.id] = {{PATCHBAY_BOTH(a, low, high, gradient), {}, {}}};

using Table = std::array<Derivatives, kOperators.size()>;
Table make_table() {
  Table table;
  PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)
  PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)
  PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)
  PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)
  return table;
}
#pragma GCC diagnostic pop

const Derivatives& derivatives_of(const Operator& op) {
  static const Table table = make_table();
  return table[op.id];
}

/// Which of the names the derivative needs, as bits.
unsigned uses_of(const Derivative& derivative) {
  Names<Probe> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = Probe::of(1u << i);
  return derivative.probe(Probe(), names).uses;
}

/// The operands and the result as the backward step finds them.
struct SavedNames {
  Names<Saved> tensors;
  Names<Scalar> numbers{Scalar(0), Scalar(0), Scalar(0), Scalar(0)};
  unsigned are_tensors = 0;

  Names<Term> get(const Node& node) const {
    Names<Term> names;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_tensor = (are_tensors >> i & 1u) != 0;
      names[i] = is_tensor ? Term(tensors[i].get(node)) : Term(numbers[i]);
    }
    return names;
  }
};

const char* operand_name(const Operator& op, std::size_t i) {
  constexpr std::array<const char*, 3> kNames{"a", "b", "c"};
  constexpr std::array<const char*, 3> kNamesOfChoice{"condition", "a", "b"};
  return op.id == op::where.id ? kNamesOfChoice[i] : kNames[i];
}

}  // namespace

void record_terms(const Operator& op, const Tensor& result, std::span<const Term> operands) {
  const Derivatives& derivatives = derivatives_of(op);
  unsigned wanted = 0, uses = 0;
  std::array<Shape, 3> shapes;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].is_tensor()) continue;
    shapes[i] = operands[i].tensor().shape();
    if (derivatives.by_operand[i].compute == nullptr || !needs_grad(operands[i].tensor())) continue;
    wanted |= 1u << i;
    uses |= uses_of(derivatives.by_operand[i]);
  }
  if (wanted == 0) return;
  SavedNames saved;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].is_tensor()) {
      saved.numbers[i] = operands[i].number();
    } else if ((uses >> i & 1u) != 0) {
      saved.tensors[i] = Saved(operand_name(op, i), operands[i].tensor());
      saved.are_tensors |= 1u << i;
    }
  }
  if ((uses >> kResult & 1u) != 0) {
    saved.tensors[kResult] = Saved::result(result);
    saved.are_tensors |= 1u << kResult;
  }
  const std::size_t count = operands.size();
  std::vector<const Tensor*> inputs;
  for (const Term& operand : operands) inputs.push_back(&operand.tensor());
  record(op.name, result, inputs,
         [&derivatives, wanted, shapes, count, saved](const Tensor& grad, const Node& node) {
           const Names<Term> names = saved.get(node);
           std::vector<Tensor> grads(count);
           for (std::size_t i = 0; i < count; ++i) {
             if ((wanted >> i & 1u) == 0) continue;
             const Term term = derivatives.by_operand[i].compute(grad, names);
             grads[i] = sum_to(term.tensor(), shapes[i]);
           }
           return grads;
         });
}

}  // namespace patchbay::tensor
