// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/elementwise.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "kit/portable/dtypes.hpp"
#include "kit/portable/expressions.hpp"
#include "kit/portable/text.hpp"
#include "kElementwiseText.text.h"

namespace patchbay::portable {
namespace {

constexpr std::uint64_t kGroupItems = 256;
constexpr std::size_t kMostOperands = std::tuple_size_v<decltype(Dim::strides)>;

/// What a work-item takes of the last two dimensions: a CPU's loops are vectorised.
struct Tile {
  std::int64_t band, chunk;
};
Tile tile_of(const Traits& traits) { return traits.is_cpu ? Tile{16, 64} : Tile{1, 1}; }

std::string whole_text(const std::string& text, bool small, const Traits& traits) {
  const Tile tile = tile_of(traits);
  return text + alias("INDEX", small ? "i32" : "i64") + define("BAND", tile.band) +
         define("CHUNK", tile.chunk) + kElementwiseText;
}

Grid grid_of(std::int64_t items, const Function& function) {
  return {{static_cast<std::uint64_t>(items), 1, 1},
          {std::min(kGroupItems, function.max_group_size()), 1, 1}};
}

/// The strided kernel's struct of the same name.
template <class Index>
struct NestArgument {
  Index rank, tiles, chunks, items;
  Index shape[PATCHBAY_MAX_RANK];
  Index strides[kMostOperands][PATCHBAY_MAX_RANK];
};

/// The rank is at least 2.
template <class Index>
NestArgument<Index> to_argument(const Nest& nest, const Tile& tile) {
  NestArgument<Index> argument{};
  const std::int64_t length = nest.at(nest.rank - 1).size, height = nest.at(nest.rank - 2).size;
  const std::int64_t tiles = pieces(height, tile.band), chunks = pieces(length, tile.chunk);
  argument.rank = static_cast<Index>(nest.rank);
  argument.tiles = static_cast<Index>(tiles);
  argument.chunks = static_cast<Index>(chunks);
  argument.items = static_cast<Index>(nest.num_elements() / length / height * tiles * chunks);
  for (int d = 0; d < nest.rank; ++d) {
    argument.shape[d] = static_cast<Index>(nest.at(d).size);
    for (std::size_t k = 0; k < kMostOperands; ++k) {
      argument.strides[k][d] = static_cast<Index>(nest.at(d).strides[k]);
    }
  }
  return argument;
}

/// Whether every element of every operand has a place that fits in 31 bits.
bool is_small(const Nest& nest) {
  // Items are rounded up to groups, and chunks to the length of a row.
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / 2;
  if (nest.num_elements() > kMost) return false;
  for (std::size_t k = 0; k < kMostOperands; ++k) {
    std::int64_t last = 0;
    for (int d = 0; d < nest.rank; ++d) last += (nest.at(d).size - 1) * nest.at(d).strides[k];
    if (last > kMost) return false;
  }
  return true;
}

void set_operands(Arguments& to, plugin::Arguments arguments) {
  to.memory(arguments[0].value.memory);
  for (std::size_t k = 1; k < arguments.size(); ++k) {
    if (arguments[k].kind == PATCHBAY_TENSOR)
      to.memory(arguments[k].value.memory);
    else
      to.bytes(&arguments[k].value.bits, element_bytes(arguments[k].dtype));
  }
  // The text has at least two operands; one that is not there is a scalar that nothing reads.
  const std::uint64_t nothing = 0;
  if (arguments.size() == 2) to.bytes(&nothing, element_bytes(arguments[1].dtype));
}

}  // namespace

ElementwiseProgram::ElementwiseProgram(Backend& backend, const std::string& text)
    : program(backend.build(text)),
      dense(program->function("dense")),
      strided(program->function("strided")) {}

ElementwiseKernel::ElementwiseKernel(Backend& backend, std::string name, std::string text,
                                     std::int64_t vector, bool keeps_order)
    : backend_(backend),
      name_(std::move(name)),
      text_(std::move(text)),
      vector_(vector),
      keeps_order_(keeps_order),
      small_(backend, whole_text(text_, true, backend.traits())) {}

ElementwiseProgram& ElementwiseKernel::program_for(bool small) {
  if (small) return small_;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (large_ == nullptr) {
    large_ =
        std::make_unique<ElementwiseProgram>(backend_, whole_text(text_, false, backend_.traits()));
  }
  return *large_;
}

Nest ElementwiseKernel::nest_of(plugin::Arguments arguments) const {
  const patchbay_argument& out = arguments[0];
  Nest nest;
  for (const patchbay_argument& argument : arguments) {
    if (argument.kind != PATCHBAY_TENSOR) continue;
    if (argument.rank != out.rank || !std::equal(out.shape, out.shape + out.rank, argument.shape)) {
      plugin::invalid_argument(name_ + ": the operands' shapes differ");
    }
  }
  for (int d = 0; d < out.rank; ++d) {
    Dim dim{out.shape[d], {}};
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (arguments[k].kind == PATCHBAY_TENSOR) dim.strides[k] = arguments[k].strides[d];
    }
    nest.add(dim);
  }
  return nest;
}

template <class Index>
void ElementwiseKernel::launch_dense(plugin::Stream& stream, Function& dense, Arguments& arguments,
                                     std::int64_t count, std::string_view name) const {
  arguments.value(static_cast<Index>(count));
  dense.launch(stream, name, grid_of(pieces(count, vector_), dense), arguments);
}

template <class Index>
void ElementwiseKernel::launch_strided(plugin::Stream& stream, Function& strided,
                                       Arguments& arguments, const Nest& nest,
                                       std::string_view name) const {
  const auto argument = to_argument<Index>(nest, tile_of(backend_.traits()));
  arguments.value(argument);
  strided.launch(stream, name, grid_of(argument.items, strided), arguments);
}

void ElementwiseKernel::launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
                               std::string_view name) {
  Nest nest = nest_of(arguments);
  if (nest.num_elements() == 0) return;
  if (!keeps_order_) nest.sort(0);
  nest.merge();
  if (nest.rank == 0) nest.add({1, {1, 1, 1, 1}});
  bool dense = nest.rank == 1;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const bool tensor = arguments[k].kind == PATCHBAY_TENSOR;
    dense = dense && (!tensor || nest.at(0).strides[k] == 1);
  }
  if (!dense && nest.rank == 1) {
    nest.add(nest.at(0));
    nest.at(0) = {1, {}};
  }
  const std::string_view shown = name.empty() ? std::string_view(name_) : name;
  const bool small = is_small(nest);
  ElementwiseProgram& program = program_for(small);
  Arguments to;
  set_operands(to, arguments);
  if (dense && small)
    launch_dense<std::int32_t>(stream, *program.dense, to, nest.num_elements(), shown);
  else if (dense)
    launch_dense<std::int64_t>(stream, *program.dense, to, nest.num_elements(), shown);
  else if (small)
    launch_strided<std::int32_t>(stream, *program.strided, to, nest, shown);
  else
    launch_strided<std::int64_t>(stream, *program.strided, to, nest, shown);
}

namespace {

/// The dtype that is computed in: that of the first tensor among the inputs, for a scalar does not
/// say whether its u8 stands for a bool.
std::uint8_t input_dtype(const Expression& expression, Specs specs) {
  if (expression.rule == Rule::kSame || expression.rule == Rule::kChoice) return specs[0].dtype;
  for (const auto& spec : specs.subspan(1)) {
    if (spec.kind == PATCHBAY_TENSOR) return spec.dtype;
  }
  return specs[1].dtype;
}

/// How many elements the expression takes at once, as a vector.
std::int64_t vector_of(const Expression& expression, std::uint8_t in, const Traits& traits) {
  const bool rounds_twice = !traits.divides_exactly;  // not for vectors
  if (!expression.is_function || !is_float(in) || !traits.has_vectors || rounds_twice) return 1;
  const auto bytes = static_cast<std::int64_t>(element_bytes(in));
  return std::clamp<std::int64_t>(traits.vector_bytes / bytes, 2, 16);
}

std::string wrapping_type(std::uint8_t dtype) {
  if (is_float(dtype)) return element_type(dtype);
  return dtype == PATCHBAY_I64 ? "u64" : "u32";
}

std::uint8_t dtype_of_first(const Expression& expression, std::uint8_t in) {
  return expression.rule == Rule::kChoice ? std::uint8_t{PATCHBAY_BOOL} : in;
}

std::string text_of(const Expression& expression, Specs specs, std::uint8_t in,
                    const Traits& traits) {
  const auto is_scalar = [&](std::size_t i) {
    return specs.size() <= i || specs[i].kind == PATCHBAY_SCALAR ? 1 : 0;
  };
  const std::int64_t vector = vector_of(expression, in, traits);
  std::string text = alias("OUT", element_type(specs[0].dtype)) + alias("T", element_type(in)) +
                     alias("W", wrapping_type(in));
  // Sums of floats are taken as wide as there is.
  text += alias("SUM", traits.has_f64 ? "f64" : "f32");
  text += define("COMPUTE_BOOL", in == PATCHBAY_BOOL ? 1 : 0);
  text += alias("A_TYPE", element_type(dtype_of_first(expression, in)));
  text += define("A_IS_CONDITION", expression.rule == Rule::kChoice ? 1 : 0);
  text += define("A_IS_SCALAR", is_scalar(1)) + define("B_IS_SCALAR", is_scalar(2));
  text += define("HAS_C", specs.size() > 3 ? 1 : 0) + define("C_IS_SCALAR", is_scalar(3));
  text += define("VECTOR", vector);
  if (vector > 1) {
    text += define("VLOAD", "vload" + std::to_string(vector));
    text += define("VSTORE", "vstore" + std::to_string(vector));
  }
  return text + define("EXPRESSION(" + std::string(expression.operands) + ", i)",
                       "(" + expression_text(expression, specs[0].dtype, in) + ")");
}

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_elementwise(Backend& backend,
                                                    const patchbay_kernel_spec& spec) {
  const std::string_view name = plugin::from_abi(spec.op);
  const Expression* const expression = find_expression(name);
  const Traits& traits = backend.traits();
  const Specs specs(spec.arguments, spec.num_arguments);
  check_specs(name, expression->kinds, specs, traits);
  const std::uint8_t in = input_dtype(*expression, specs);
  if (!has_dtype(specs[1], dtype_of_first(*expression, in))) refuse(name, specs);
  for (const auto& argument : specs.subspan(2)) {
    if (!has_dtype(argument, in)) refuse(name, specs);
  }
  const std::uint8_t out = expression->rule == Rule::kCompare ? std::uint8_t{PATCHBAY_BOOL} : in;
  const bool fits = expression->rule == Rule::kConvert || specs[0].dtype == out;
  if (!fits || expression_text(*expression, specs[0].dtype, in).empty()) refuse(name, specs);
  return std::make_unique<ElementwiseKernel>(
      backend, std::string(name), text_of(*expression, specs, in, traits),
      vector_of(*expression, in, traits), expression->uses_index);
}

}  // namespace patchbay::portable
