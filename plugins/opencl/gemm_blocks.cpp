// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "gemm.hpp"

#include <algorithm>
#include <utility>

#include "dtypes.hpp"
#include "kernel_texts.hpp"
#include "operators.hpp"

namespace patchbay::opencl {
namespace {

constexpr std::int64_t kTile = 16;
constexpr std::int64_t kMostLines = 120;         // rows of a that an item copies ...
constexpr std::int64_t kMostCopied = 120 << 10;  // ... and their bytes: they stay in the L2 cache
constexpr std::int64_t kDepth = 256;             // columns of a and rows of b that are copied
constexpr std::int64_t kMostStrips = 8;          // then the copies cost little

/// The kernels' struct of the same name.
struct Sizes {
  std::int64_t m, n, k, strips;
  std::int64_t a_row, a_column;
  std::int64_t b_row, b_column;
  std::int64_t out_row;
};

/// Integers wrap around, so that their unsigned type does.
std::string scalar_type(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_I32: return "u32";
    case PATCHBAY_I64: return "u64";
    default: return element_type(dtype);
  }
}

std::string vector_type(std::uint8_t dtype, std::int64_t lanes) {
  const std::string scalar = dtype == PATCHBAY_F32   ? "float"
                             : dtype == PATCHBAY_F64 ? "double"
                             : dtype == PATCHBAY_I32 ? "uint"
                                                     : "ulong";
  return scalar + std::to_string(lanes);
}

/// Two vectors of columns, and as many rows as the registers hold sums for: 32 of 64 bytes, or 16.
GemmShape blocks(std::uint8_t dtype, const DeviceInfo& device) {
  const auto bytes = static_cast<std::int64_t>(element_bytes(dtype));
  const std::int64_t lanes = std::clamp<std::int64_t>(device.vector_bytes / bytes, 2, 16);
  const std::int64_t height = lanes * bytes >= 64 ? 12 : 6;
  const std::int64_t depth = kDepth * 4 / bytes;
  const auto local =
      static_cast<std::int64_t>(device.local_memory_bytes) - 2 * lanes * depth * bytes;
  const std::int64_t lines = std::clamp(
      std::min(kMostCopied, local) / (depth * bytes) / height * height, height, kMostLines);
  const std::string width = std::to_string(lanes);
  std::string text =
      define("T", scalar_type(dtype)) + define("V", vector_type(dtype, lanes)) +
      define("LANES", width) + define("VECTORS", "2") + define("VLOAD", "vload" + width) +
      define("VSTORE", "vstore" + width) + define("HEIGHT", std::to_string(height)) +
      define("LINES", std::to_string(lines)) + define("DEPTH", std::to_string(depth)) +
      define("FMA(a, b, c)", is_float(dtype) ? "fma(a, b, c)" : "((a) * (b) + (c))");
  return {text + kGemmBlocksText, lines, 2 * lanes, kMostStrips, 1};
}

GemmShape tiles(std::uint8_t dtype) {
  const std::string text = define("T", scalar_type(dtype)) + define("TILE", std::to_string(kTile));
  return {text + kGemmTilesText, 1, 1, 1, static_cast<std::size_t>(kTile)};
}

struct Problem {
  Sizes sizes{};
  patchbay_argument out, a, b;
};

/// A matrix that is stored by columns is a transposed one stored by rows: out' = b' a'.
Problem by_rows(plugin::Arguments arguments) {
  Problem problem{{}, arguments[0], arguments[1], arguments[2]};
  patchbay_argument &out = problem.out, &a = problem.a, &b = problem.b;
  if (out.strides[1] != 1 && out.shape[1] != 1) {
    std::swap(a, b);
    for (patchbay_argument* matrix : {&out, &a, &b}) {
      std::swap(matrix->shape[0], matrix->shape[1]);
      std::swap(matrix->strides[0], matrix->strides[1]);
    }
  }
  problem.sizes = {out.shape[0], out.shape[1], a.shape[1],    0, a.strides[0], a.strides[1],
                   b.strides[0], b.strides[1], out.strides[0]};
  return problem;
}

void check_shapes(const patchbay_argument& out, const patchbay_argument& a,
                  const patchbay_argument& b) {
  const bool fit = out.rank == 2 && a.rank == 2 && b.rank == 2 && out.shape[0] == a.shape[0] &&
                   out.shape[1] == b.shape[1] && a.shape[1] == b.shape[0];
  if (!fit) plugin::invalid_argument("gemm.1: expected [m, n], [m, k], [k, n]");
  for (const patchbay_argument* matrix : {&out, &a, &b}) {
    const bool row = matrix->shape[1] <= 1 || matrix->strides[1] == 1;
    const bool column = matrix->shape[0] <= 1 || matrix->strides[0] == 1;
    if (!row && !column) plugin::invalid_argument("gemm.1: a matrix has no unit stride");
  }
}

std::size_t pieces(std::int64_t size, std::int64_t piece) {
  return static_cast<std::size_t>((size + piece - 1) / piece);
}

}  // namespace

GemmKernel::GemmKernel(const Device& device, plugin::Host host, std::uint8_t dtype, GemmShape shape)
    : device_(device),
      element_bytes_(element_bytes(dtype)),
      shape_(std::move(shape)),
      program_(build_program(device, host, shape_.text)),
      gemm_(device, program_.get(), "gemm") {}

void GemmKernel::launch(plugin::Stream& on, plugin::Arguments arguments, plugin::Memory,
                        std::string_view name) {
  auto& stream = static_cast<Stream&>(on);
  check_shapes(arguments[0], arguments[1], arguments[2]);
  Problem problem = by_rows(arguments);
  Sizes& sizes = problem.sizes;
  if (sizes.m == 0 || sizes.n == 0) return;
  const std::size_t rows = pieces(sizes.m, shape_.rows);
  // Enough items to share out, then larger ones.
  const std::size_t wanted = 4 * std::size_t{device_.info().compute_units};
  const std::size_t strips = pieces(sizes.n, shape_.columns);
  sizes.strips = std::clamp<std::int64_t>(static_cast<std::int64_t>(strips * rows / wanted), 1,
                                          shape_.most_strips);
  const Grid grid{{pieces(sizes.n, shape_.columns * sizes.strips), rows, 1},
                  {shape_.group, shape_.group, 1}};
  // Without products a and b may be nothing, which is no buffer.
  const plugin::Memory out = problem.out.value.memory;
  const plugin::Memory a = sizes.k == 0 ? out : problem.a.value.memory;
  const plugin::Memory b = sizes.k == 0 ? out : problem.b.value.memory;
  gemm_.launch(stream, name.empty() ? "gemm.1" : name, grid, [&](Launcher::Arguments& to) {
    to.memory(out).memory(a).memory(b);
    to.bytes(&arguments[3].value.bits, element_bytes_);
    to.bytes(&arguments[4].value.bits, element_bytes_);
    to.value(sizes);
  });
}

std::unique_ptr<plugin::Kernel> prepare_gemm(const Device& device, plugin::Host host,
                                             const patchbay_kernel_spec& spec) {
  const std::string_view name = plugin::from_abi(spec.op);
  if (name != "gemm.1") return nullptr;
  const Specs specs(spec.arguments, spec.num_arguments);
  check_specs(name, "ottss", specs, device.info());
  const std::uint8_t dtype = specs[0].dtype;
  for (const auto& argument : specs) {
    if (argument.dtype != dtype) refuse(name, specs);
  }
  if (!is_float(dtype) && !is_signed_integer(dtype)) refuse(name, specs);
  const bool by_blocks = device.info().is_cpu && host.option("opencl_gemm") != "tiles";
  return std::make_unique<GemmKernel>(device, host, dtype,
                                      by_blocks ? blocks(dtype, device.info()) : tiles(dtype));
}

}  // namespace patchbay::opencl
