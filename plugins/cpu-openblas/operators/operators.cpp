// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/operators/operators.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "cpu-openblas/convolution/windows.hpp"
#include "cpu-openblas/factors/factors.hpp"
#include "cpu-openblas/kernels/context.hpp"
#include "cpu-openblas/kernels/elementwise.hpp"
#include "cpu-openblas/kernels/reduction.hpp"
#include "cpu-openblas/normalization/rows.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/products/attention.hpp"
#include "cpu-openblas/products/product.hpp"
#include "cpu-openblas/transforms/fft.hpp"

namespace patchbay::cpu {
namespace {

using Maker = std::unique_ptr<plugin::Kernel> (*)(const Context& context, int op);

struct KernelEntry {
  std::string_view name;
  Maker make;
  int op;
};

/// The cost of a function per element, relative to its memory traffic, in single precision.
constexpr int kCostlyFunction = 6;

/// Binary operations compute in the type of their first tensor among the inputs.
std::uint8_t computed_dtype(const Context& context) {
  const bool a_is_tensor = context.argument(1).kind == PATCHBAY_TENSOR;
  return context.dtype(!a_is_tensor && context.argument(2).kind == PATCHBAY_TENSOR ? 2 : 1);
}

std::unique_ptr<plugin::Kernel> make_elementwise(const Context& context, Row row, std::uint8_t out,
                                                 std::uint8_t in, int num_operands, int cost) {
  const Transpose turn = context.simd().transpose[in];
  return std::make_unique<ElementwiseKernel>(
      context.workers,
      ElementwiseKernel::Operation{
          row, nullptr, {nullptr, turn, turn}, {out, in, in}, num_operands, cost},
      context.libraries.cache_bytes());
}

/// For three inputs; the first may have its own type.
std::unique_ptr<plugin::Kernel> make_ternary(const Context& context, Row3 row, std::uint8_t dtype,
                                             std::uint8_t first) {
  if (row == nullptr) refuse(context, dtype);
  const Transpose turn = context.simd().transpose[dtype];
  return std::make_unique<ElementwiseKernel>(
      context.workers,
      ElementwiseKernel::Operation{nullptr,
                                   row,
                                   {nullptr, context.simd().transpose[first], turn, turn},
                                   {dtype, first, dtype, dtype},
                                   4,
                                   1},
      context.libraries.cache_bytes());
}

bool is_float(std::uint8_t dtype) { return kernels::is_of_kind(dtype, kernels::DtypeKind::kFloat); }
/// Whether values are computed in f32 and rounded once.
bool is_half(std::uint8_t dtype) { return kernels::is_of_kind(dtype, kernels::DtypeKind::kHalf); }

// The cost by the dtypes in the elementwise table: operators for floats only are functions.
constexpr int cost_of_FLOATS = kCostlyFunction, cost_of_NUMBERS = 1;

int cost_of_unary(int op, std::uint8_t dtype) {
#define PATCHBAY_COST(name, dtypes, floats, integers, gradient) cost_of_##dtypes,
  static constexpr int kCosts[] = {PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_COST)};
#undef PATCHBAY_COST
  return dtype == PATCHBAY_F64 ? 2 * kCosts[op] : kCosts[op];
}

int cost_of_binary(int op, std::uint8_t dtype) {
#define PATCHBAY_COST(name, dtypes, floats, integers, gradient_a, gradient_b) cost_of_##dtypes,
  static constexpr int kCosts[] = {PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_COST)};
#undef PATCHBAY_COST
  const bool is_of_integers = !is_float(dtype) && !is_half(dtype);
  const bool divides =
      (op == number_of(BinaryOp::div) && is_of_integers) || op == number_of(BinaryOp::remainder);
  return divides ? kCostlyFunction : kCosts[op];
}

std::unique_ptr<plugin::Kernel> make_binary(const Context& context, int op) {
  const std::uint8_t dtype = computed_dtype(context);
  const Row row = checked(context, context.simd().binary[op], dtype);
  return make_elementwise(context, row, dtype, dtype, 3, cost_of_binary(op, dtype));
}

std::unique_ptr<plugin::Kernel> make_choice(const Context& context, int op) {
  const std::uint8_t dtype = context.dtype(0);
  return make_ternary(context, context.simd().choice[op][index_of(dtype)], dtype, PATCHBAY_BOOL);
}

std::unique_ptr<plugin::Kernel> make_bounded(const Context& context, int op) {
  const std::uint8_t dtype = context.dtype(0);
  return make_ternary(context, context.simd().bounded[op][index_of(dtype)], dtype, dtype);
}

std::unique_ptr<plugin::Kernel> make_compare(const Context& context, int op) {
  const std::uint8_t dtype = computed_dtype(context);
  const Row row = checked(context, context.simd().compare[op], dtype);
  return make_elementwise(context, row, PATCHBAY_BOOL, dtype, 3, 1);
}

std::unique_ptr<plugin::Kernel> make_test(const Context& context, int op) {
  const std::uint8_t dtype = context.dtype(1);
  const Row row = checked(context, context.simd().test[op], dtype);
  return make_elementwise(context, row, PATCHBAY_BOOL, dtype, 2, 1);
}

std::unique_ptr<plugin::Kernel> make_logical(const Context& context, int op) {
  const int num_operands = static_cast<int>(context.spec.num_arguments);
  return make_elementwise(context, context.simd().logical[op], PATCHBAY_BOOL, PATCHBAY_BOOL,
                          num_operands, 1);
}

std::unique_ptr<plugin::Kernel> make_unary(const Context& context, int op) {
  const std::uint8_t dtype = context.dtype(1);
  const Row row = checked(context, context.simd().unary[op], dtype);
  return make_elementwise(context, row, dtype, dtype, 2, cost_of_unary(op, dtype));
}

/// Fill copies a scalar.
std::unique_ptr<plugin::Kernel> make_copy(const Context& context, int) {
  const std::uint8_t dtype = context.dtype(0);
  const Row row = checked(context, context.simd().copy, dtype);
  return make_elementwise(context, row, dtype, dtype, 2, 1);
}

std::unique_ptr<plugin::Kernel> make_cast(const Context& context, int) {
  const std::uint8_t to = context.dtype(0), from = context.dtype(1);
  const Row row = context.simd().cast[index_of(to)][index_of(from)];
  if (row == nullptr) {
    plugin::unsupported(context.name() + " has no kernel from " + dtype_name(from) + " to " +
                        dtype_name(to) + " on cpu");
  }
  return make_elementwise(context, row, to, from, 2, 1);
}

template <class Method>
using ReducingOperation = typename ReductionKernel<Method>::Operation;

template <class Method>
std::unique_ptr<plugin::Kernel> make_reducing(const Context& context,
                                              ReducingOperation<Method> operation) {
  if (operation.method.block == nullptr) refuse(context, operation.in_dtype);
  return std::make_unique<ReductionKernel<Method>>(context.workers, std::move(operation));
}

std::unique_ptr<plugin::Kernel> make_reduction(const Context& context, int op) {
  const SimdTable& simd = context.simd();
  const auto in = static_cast<std::uint8_t>(index_of(context.dtype(1)));
  const Reduction& method = simd.reduce[op][in];
  // Sums of integers are kept in 64 bits of either sign.
  const std::uint8_t out = context.dtype(0), kept = is_half(in) ? std::uint8_t{PATCHBAY_F32} : out;
  const Row copy_out = out == kept ? simd.copy[out] : simd.cast[out][kept];
  return make_reducing<Reduction>(
      context, {context.name(), method, simd.copy[in], copy_out, in, in, kept, out});
}

/// A sum with a last step.
std::unique_ptr<plugin::Kernel> make_moment(const Context& context, int) {
  const SimdTable& simd = context.simd();
  const plugin::Attributes given(context.spec);
  const MomentPlan plan{static_cast<int>(given.integer("order")), given.integer("root") != 0};
  const auto dtype = static_cast<std::uint8_t>(index_of(context.dtype(1)));
  const int op = number_of(plan.order == 1 ? ReduceOp::sum : ReduceOp::sum_squares);
  return make_reducing<Reduction>(
      context, {context.name(), simd.reduce[op][dtype], simd.copy[dtype], simd.copy[dtype], dtype,
                dtype, dtype, dtype, plan, simd.unary[number_of(UnaryOp::sqrt)][dtype]});
}

/// Halves are converted to floats.
std::unique_ptr<plugin::Kernel> make_arg_reduction(const Context& context, int op) {
  const SimdTable& simd = context.simd();
  const auto in = static_cast<std::uint8_t>(index_of(context.dtype(1)));
  const std::uint8_t block = is_half(in) ? std::uint8_t{PATCHBAY_F32} : in;
  const Row copy_in = block == in ? simd.copy[in] : simd.cast[block][in];
  return make_reducing<ArgReduction>(
      context, {context.name(), simd.arg_reduce[op][block], copy_in, simd.copy[PATCHBAY_I64], in,
                block, PATCHBAY_I64, PATCHBAY_I64});
}

std::unique_ptr<plugin::Kernel> make_product(const Context& context, int has_bias) {
  const SimdTable& simd = context.simd();
  const auto dtype = static_cast<std::uint8_t>(index_of(context.dtype(0)));
  ProductLoops loops{nullptr,
                     nullptr,
                     &context.libraries.blas_gate(),
                     simd.float_gemm[dtype],
                     {},
                     simd.integer_gemm[dtype]};
  if (is_float(dtype)) {
    loops.blas = context.libraries.blas();
    // Devices that share the cores compute on threads of their own.
    if (context.workers.is_inline()) loops.faster_blas = context.libraries.faster_blas();
  }
  if (is_half(dtype)) {
    loops.half.emplace(simd.cast[PATCHBAY_F32][dtype], simd.cast[dtype][PATCHBAY_F32],
                       simd.float_gemm[PATCHBAY_F32]);
  }
  const bool is_there = is_float(dtype) || is_half(dtype) || loops.integers != nullptr;
  if (!is_there) refuse(context, context.dtype(0));
  return std::make_unique<ProductKernel>(context.workers, context.libraries.scratch(),
                                         context.libraries.packed(), dtype, loops, has_bias != 0);
}

/// 16-bit floats are computed in f32 by the caller.
std::unique_ptr<plugin::Kernel> make_attention(const Context& context, int) {
  const SimdTable& simd = context.simd();
  const auto dtype = static_cast<std::uint8_t>(index_of(context.dtype(0)));
  if (!is_float(dtype)) refuse(context, context.dtype(0));
  return std::make_unique<AttentionKernel>(
      context.workers, context.libraries.scratch(), dtype,
      AttentionKernel::Loops{simd.float_gemm[dtype], simd.softmax[dtype]},
      plugin::Attributes(context.spec).number("scale"));
}

#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient) \
  {#name ".1", make_unary, number_of(UnaryOp::name)},
#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  {#name ".1", make_binary, number_of(BinaryOp::name)},
#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b) \
  {#name ".1", make_choice, number_of(ChoiceOp::name)},
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient) \
  {#name ".1", make_bounded, number_of(BoundedOp::name)},
#define PATCHBAY_COMPARE(name, dtypes, expression) \
  {#name ".1", make_compare, number_of(CompareOp::name)},
#define PATCHBAY_TEST(name, dtypes, expression) {#name ".1", make_test, number_of(TestOp::name)},
#define PATCHBAY_LOGIC(name, num_operands, expression) \
  {#name ".1", make_logical, number_of(LogicalOp::name)},

// By what a reduction gives in the table: an index is found, anything else accumulated.
constexpr Maker reducer_of_Same = make_reduction, reducer_of_Total = make_reduction,
                reducer_of_Index = make_arg_reduction;
#define PATCHBAY_REDUCTION(name, version, since, arguments, dtypes, result, ...) \
  {#name "." #version, reducer_of_##result, number_of(ReduceOp::name)},
#define PATCHBAY_FACTOR(name, version, ...) \
  {#name "." #version, [](const Context& context, int) { return prepare_factor(context); }, 0},
#define PATCHBAY_OWN(name, version, ...) \
  {#name "." #version, [](const Context& context, int) { return prepare_##name(context); }, 0},

constexpr KernelEntry kOperators[] = {
    {"fill.1", make_copy, 0},
    {"copy.1", make_copy, 0},
    {"cast.1", make_cast, 0},
    {"arange.1", [](const Context& context, int) { return prepare_arange(context); }, 0},
    PATCHBAY_OPERATORS_DIMENSION(PATCHBAY_OWN)        //
    PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)        //
    PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)      //
    PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)      //
    PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)    //
    PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_COMPARE)    //
    PATCHBAY_ELEMENTWISE_TEST(PATCHBAY_TEST)          //
    PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_LOGIC)        //
    PATCHBAY_OPERATORS_REDUCTION(PATCHBAY_REDUCTION)  //
    {"moment.1", make_moment, 0},
    {"gemm.1", make_product, 0},
    PATCHBAY_OPERATORS_WINDOW(PATCHBAY_OWN)     //
    PATCHBAY_OPERATORS_ROW(PATCHBAY_OWN)        //
    PATCHBAY_OPERATORS_FACTOR(PATCHBAY_FACTOR)  //
    PATCHBAY_OPERATORS_TRANSFORM(PATCHBAY_OWN)  //
    {"linear.1", make_product, 1},
    {"attention.1", make_attention, 0},
    {"uniform.1", prepare_random, kUniform},
    {"normal.1", prepare_random, kNormal},
    {"integers.1", prepare_random, kIntegers},
    {"mask.1", prepare_random, kMask},
    {"permutation.1", [](const Context& context, int) { return prepare_permutation(context); }, 0},
};

const KernelEntry* find_operator(std::string_view name) {
  const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                   [&](const KernelEntry& op) { return op.name == name; });
  return found == std::end(kOperators) ? nullptr : found;
}

}  // namespace

ElementwiseRow find_row(const SimdTable& simd, std::string_view name, std::uint8_t dtype) {
  const KernelEntry* const found = find_operator(name);
  const int type = index_of(dtype);
  if (found == nullptr) return {nullptr, nullptr, 1};
  const int op = found->op;
  if (found->make == make_unary) return {simd.unary[op][type], nullptr, cost_of_unary(op, dtype)};
  if (found->make == make_binary) {
    return {simd.binary[op][type], nullptr, cost_of_binary(op, dtype)};
  }
  if (found->make == make_choice) return {nullptr, simd.choice[op][type], 1};
  if (found->make == make_bounded) return {nullptr, simd.bounded[op][type], 1};
  if (found->make == make_compare) return {simd.compare[op][type], nullptr, 1};
  if (found->make == make_test) return {simd.test[op][type], nullptr, 1};
  if (found->make == make_logical) return {simd.logical[op], nullptr, 1};
  return {nullptr, nullptr, 1};
}

std::unique_ptr<plugin::Kernel> prepare_operator(const patchbay_kernel_spec& spec, Workers& workers,
                                                 Libraries& libraries) {
  const Context context{spec, workers, libraries};
  const std::string_view name = plugin::from_abi(spec.op);
  const KernelEntry* const found = find_operator(name);
  if (found == nullptr) {
    plugin::unsupported("the plugin cpu-openblas has no operator " + context.name());
  }
  return found->make(context, found->op);
}

}  // namespace patchbay::cpu
