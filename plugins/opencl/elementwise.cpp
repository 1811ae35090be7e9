// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "elementwise.hpp"

#include <algorithm>
#include <limits>

#include "dtypes.hpp"
#include "expressions.hpp"
#include "kernel_texts.hpp"
#include "operators.hpp"

namespace patchbay::opencl {
namespace {

constexpr std::size_t kGroupItems = 256;
/// What a work-item takes of the last two dimensions. The loops of a CPU are vectorised;
/// neighbouring work-items of a GPU want neighbouring elements.
struct Tile {
  std::int64_t band, chunk;
};
Tile tile_of(const DeviceInfo& device) { return device.is_cpu ? Tile{16, 64} : Tile{1, 1}; }

std::string whole_text(const std::string& text, bool small, const DeviceInfo& device) {
  const Tile tile = tile_of(device);
  return text + define("INDEX", small ? "i32" : "i64") + define("BAND", std::to_string(tile.band)) +
         define("CHUNK", std::to_string(tile.chunk)) + kElementwiseText;
}

/// The strided kernel's struct of the same name.
template <class Index>
struct NestArgument {
  Index rank, tiles, chunks, items;
  Index shape[PATCHBAY_MAX_RANK];
  Index strides[3][PATCHBAY_MAX_RANK];
};

std::int64_t pieces(std::int64_t size, std::int64_t piece) { return (size + piece - 1) / piece; }

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
    for (std::size_t k = 0; k < 3; ++k) {
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
  for (std::size_t k = 0; k < 3; ++k) {
    std::int64_t last = 0;
    for (int d = 0; d < nest.rank; ++d) last += (nest.at(d).size - 1) * nest.at(d).strides[k];
    if (last > kMost) return false;
  }
  return true;
}

}  // namespace

ElementwiseProgram::ElementwiseProgram(const Device& device, plugin::Host host,
                                       const std::string& text)
    : program(build_program(device, host, text)),
      dense(device, program.get(), "dense"),
      strided(device, program.get(), "strided") {}

ElementwiseKernel::ElementwiseKernel(const Device& device, plugin::Host host, std::string name,
                                     std::string text, std::int64_t vector)
    : device_(device),
      host_(host),
      name_(std::move(name)),
      text_(std::move(text)),
      vector_(vector),
      small_(device, host, whole_text(text_, true, device.info())) {}

ElementwiseProgram& ElementwiseKernel::program_for(bool small) {
  if (small) return small_;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (large_ == nullptr) {
    large_ = std::make_unique<ElementwiseProgram>(device_, host_,
                                                  whole_text(text_, false, device_.info()));
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

void ElementwiseKernel::set_operands(Launcher::Arguments& to, plugin::Arguments arguments) const {
  to.memory(arguments[0].value.memory);
  for (std::size_t k = 1; k < arguments.size(); ++k) {
    if (arguments[k].kind == PATCHBAY_TENSOR)
      to.memory(arguments[k].value.memory);
    else
      to.bytes(&arguments[k].value.bits, element_bytes(arguments[k].dtype));
  }
  // The text has two operands; one that is not there is a scalar that nothing reads.
  const std::uint64_t nothing = 0;
  if (arguments.size() == 2) to.bytes(&nothing, element_bytes(arguments[1].dtype));
}

template <class Index>
void ElementwiseKernel::launch_dense(Stream& stream, Launcher& launcher,
                                     plugin::Arguments arguments, const Nest& nest,
                                     std::string_view name) {
  const auto count = static_cast<Index>(nest.num_elements());
  const auto items = static_cast<std::size_t>(pieces(nest.num_elements(), vector_));
  const Grid grid{{items, 1, 1}, {kGroupItems, 1, 1}};
  launcher.launch(stream, name, grid, [&](Launcher::Arguments& to) {
    set_operands(to, arguments);
    to.value(count);
  });
}

template <class Index>
void ElementwiseKernel::launch_strided(Stream& stream, Launcher& launcher,
                                       plugin::Arguments arguments, const Nest& nest,
                                       std::string_view name) {
  const auto argument = to_argument<Index>(nest, tile_of(device_.info()));
  const auto items = static_cast<std::size_t>(argument.items);
  launcher.launch(stream, name, Grid{{items, 1, 1}, {kGroupItems, 1, 1}},
                  [&](Launcher::Arguments& to) {
                    set_operands(to, arguments);
                    to.value(argument);
                  });
}

void ElementwiseKernel::launch(plugin::Stream& on, plugin::Arguments arguments, plugin::Memory,
                               std::string_view name) {
  auto& stream = static_cast<Stream&>(on);
  Nest nest = nest_of(arguments);
  if (nest.num_elements() == 0) return;
  nest.sort(0);
  nest.merge();
  if (nest.rank == 0) nest.add({1, {1, 1, 1}});
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
  if (dense && small)
    launch_dense<std::int32_t>(stream, program.dense, arguments, nest, shown);
  else if (dense)
    launch_dense<std::int64_t>(stream, program.dense, arguments, nest, shown);
  else if (small)
    launch_strided<std::int32_t>(stream, program.strided, arguments, nest, shown);
  else
    launch_strided<std::int64_t>(stream, program.strided, arguments, nest, shown);
}

namespace {

/// The dtype that is computed in: that of the first tensor among the inputs, for a scalar does not
/// say whether its u8 stands for a bool.
std::uint8_t input_dtype(const Expression& expression, Specs specs) {
  if (expression.rule == Rule::kSame) return specs[0].dtype;
  for (const auto& spec : specs.subspan(1)) {
    if (spec.kind == PATCHBAY_TENSOR) return spec.dtype;
  }
  return specs[1].dtype;
}

/// How many elements the expression takes at once, as a vector.
std::int64_t vector_of(const Expression& expression, std::uint8_t in, const DeviceInfo& device) {
  const bool rounds_twice = in == PATCHBAY_F32 && !device.divides_exactly;  // not for vectors
  if (!expression.vector_of_floats || !is_float(in) || !device.is_cpu || rounds_twice) return 1;
  const auto bytes = static_cast<std::int64_t>(element_bytes(in));
  return std::clamp<std::int64_t>(device.vector_bytes / bytes, 2, 16);
}

std::string text_of(const Expression& expression, Specs specs, std::uint8_t in,
                    const DeviceInfo& device) {
  const std::string vector = std::to_string(vector_of(expression, in, device));
  const auto is_scalar = [&](std::size_t i) {
    return specs.size() <= i || specs[i].kind == PATCHBAY_SCALAR ? "1" : "0";
  };
  std::string text;
  text += define("OUT", element_type(specs[0].dtype));
  text += define("IN", element_type(in));
  // Integers wrap around in the unsigned type; sums of floats are taken as wide as there is.
  text += define("U", in == PATCHBAY_I64 ? "u64" : "u32");
  text += define("SUM", device.has_f64 ? "f64" : "f32");
  text += define("COMPUTE_BOOL", in == PATCHBAY_BOOL ? "1" : "0");
  text += define("A_IS_SCALAR", is_scalar(1));
  text += define("B_IS_SCALAR", is_scalar(2));
  text += define("VECTOR", vector);
  text += define("VLOAD", "vload" + vector) + define("VSTORE", "vstore" + vector);
  // f64 has more than twice the digits of f32: rounding its quotient once more changes nothing.
  const bool by_f64 = in == PATCHBAY_F32 && device.has_f64 && !device.divides_exactly;
  text += define("QUOTIENT(a, b)", by_f64 ? "(f32)((f64)a / (f64)b)" : "a / b");
  text += define("ROOT(a)", by_f64 ? "(f32)sqrt((f64)a)" : "sqrt(a)");
  return text +
         define("EXPRESSION(a, b, i)", "(" + expression_text(expression, specs[0].dtype, in) + ")");
}

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_elementwise(const Device& device, plugin::Host host,
                                                    const patchbay_kernel_spec& spec) {
  const std::string_view name = plugin::from_abi(spec.op);
  const Expression* const expression = find_expression(name);
  if (expression == nullptr) return nullptr;
  const Specs specs(spec.arguments, spec.num_arguments);
  check_specs(name, expression->kinds, specs, device.info());
  const std::uint8_t in = input_dtype(*expression, specs);
  for (const auto& argument : specs.subspan(1)) {
    if (!has_dtype(argument, in)) refuse(name, specs);
  }
  const std::uint8_t out = expression->rule == Rule::kCompare ? std::uint8_t{PATCHBAY_BOOL} : in;
  const bool fits = expression->rule == Rule::kConvert || specs[0].dtype == out;
  if (!fits || expression_text(*expression, specs[0].dtype, in).empty()) refuse(name, specs);
  return std::make_unique<ElementwiseKernel>(device, host, std::string(name),
                                             text_of(*expression, specs, in, device.info()),
                                             vector_of(*expression, in, device.info()));
}

}  // namespace patchbay::opencl
