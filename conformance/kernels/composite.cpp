// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operators that a plugin may leave out: layers and attention. Operands are whole numbers, or
// halves of them, so that the sums of a layer are exact.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/reference/rows.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

// --------------------------------------------------------------------------------- linear ---

template <class T>
void check_layer(const Device& device, std::int64_t m, std::int64_t k, std::int64_t n, bool turned,
                 std::int64_t gap, std::int64_t offset) {
  const Array<T> a(matrix(m, k, turned, gap, offset), product_integer<T>);
  const Array<T> weight(matrix(n, k, !turned && gap != 0, gap, offset),
                        [](std::size_t i) { return product_integer<T>(i + 1000003); });
  const Array<T> bias(contiguous({n}, offset),
                      [](std::size_t i) { return product_integer<T>(i + 2000003); });
  Array<T> out(matrix(m, n, false, gap, offset));
  Array<T> expected = out, rounded_twice = out;
  const auto rows = static_cast<std::size_t>(m), columns = static_cast<std::size_t>(n);
  const auto depth = static_cast<std::size_t>(k);
  for (std::size_t i = 0; i < rows * columns; ++i) {
    Computed<T> product = 0;
    for (std::size_t l = 0; l < depth; ++l) {
      product += a.at(i / columns * depth + l) * weight.at(i % columns * depth + l);
    }
    const Computed<T> term = bias.at(i % columns);
    expected.at(i) = static_cast<T>(product + term);
    rounded_twice.at(i) = static_cast<T>(static_cast<Computed<T>>(static_cast<T>(product)) + term);
  }
  const Argument target = out.to_device(device, Access::kWrite);
  run_kernel(device, "linear.1",
             {target, a.to_device(device, Access::kRead), weight.to_device(device, Access::kRead),
              bias.to_device(device, Access::kRead)});
  out.from_device(target);
  if constexpr (kIsHalf<T>) {  // vendors' libraries may round the product first
    for (std::size_t i = 0; i < rows * columns; ++i) {
      if (is_close(out.at(i), rounded_twice.at(i), 0)) expected.at(i) = rounded_twice.at(i);
    }
  }
  out.expect_close_to(expected, 0,
                      fmt::format("linear.1 of {}, m {} k {} n {}, a by {}, gap {}, offset {}",
                                  to_string(dtype_of_element<T>()), m, k, n,
                                  turned ? "columns" : "rows", gap, offset));
}

template <class T>
void check_layers(const Device& device) {
  for (const std::int64_t offset : {0, 3}) {
    for (const std::int64_t gap : {0, 5}) {
      for (const bool turned : {false, true}) {
        check_layer<T>(device, 1, 1, 1, turned, gap, offset);
        check_layer<T>(device, 3, 5, 2, turned, gap, offset);
        check_layer<T>(device, 16, 32, 8, turned, gap, offset);
        check_layer<T>(device, 65, 31, 70, turned, gap, offset);
      }
    }
    check_layer<T>(device, 4, 0, 3, false, 0, offset);
    check_layer<T>(device, 0, 4, 3, false, 0, offset);
    check_layer<T>(device, 4, 3, 0, false, 0, offset);
  }
}

// ------------------------------------------------------------------------------ attention ---

struct Heads {
  std::int64_t batch, heads, queries, keys, features, values;
  double scale = 0.25;
};

/// [batch, heads, rows, columns], with the heads within the rows if they are `woven`.
Layout layout_of(const Heads& by, std::int64_t rows, std::int64_t columns, bool woven) {
  const Shape shape{by.batch, by.heads, rows, columns};
  if (!woven) return contiguous(shape, 0);
  return {shape, {rows * by.heads * columns, columns, by.heads * columns, 1}, 0};
}

/// Allows rounded probabilities and a rounded result; in f32 a few roundings of scores.
template <class T>
void expect_rows(const Heads& by, const Array<T>& query, const Array<T>& key, const Array<T>& value,
                 const Array<T>& out) {
  const double units = kIsHalf<T> ? 1.5 : 64;
  const AttentionShape shape{by.batch * by.heads, by.queries, by.keys,
                             by.features,         by.values,  by.scale};
  attend<double>(
      shape, elements_of(query), elements_of(key), elements_of(value), kUnmasked,
      [&](std::int64_t row, std::int64_t n, const Term<double>& expected, double) {
        const double got = double{out.at(static_cast<std::size_t>(row * by.values + n))};
        const double room = units * std::numeric_limits<T>::epsilon() * expected.scale;
        expect(std::fabs(got - expected.value) <= room,
               "attention.1 of {}, {} x {} heads, {} queries, {} keys, {} features, scale {}: "
               "element {} of row {}: expected {} within {}, got {}",
               to_string(dtype_of_element<T>()), by.batch, by.heads, by.queries, by.keys,
               by.features, by.scale, n, row, expected.value, room, got);
      });
}

/// Returns why the plugin refuses these sizes, or nothing.
template <class T>
std::string check_heads(const Device& device, const Heads& by, bool woven) {
  const auto made = [&](std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    return Array<T>(layout_of(by, rows, columns, woven), [=](std::size_t i) {
      return static_cast<T>(small_integer<float>(i + seed) / 2);
    });
  };
  const Array<T> query = made(by.queries, by.features, 1), key = made(by.keys, by.features, 2);
  const Array<T> value = made(by.keys, by.values, 3);
  Array<T> out(layout_of(by, by.queries, by.values, false));
  const Argument target = out.to_device(device, Access::kWrite);
  const Arguments arguments{target, query.to_device(device, Access::kRead),
                            key.to_device(device, Access::kRead),
                            value.to_device(device, Access::kRead)};
  const KernelSpec spec = spec_of("attention.1", arguments, {{"scale", by.scale}});
  std::optional<Kernel> kernel;
  std::string why;
  if (by.scale > 0) {
    kernel = prepare(device, spec);
  } else if (is_unsupported([&] { kernel = Kernel::prepare(device, spec); }, &why)) {
    return why;
  }
  const Stream stream = device.default_stream();
  if (is_unsupported([&] { kernel->launch(stream, arguments, "attention.1"); }, &why)) return why;
  stream.synchronize();
  out.from_device(target);
  expect_rows<T>(by, query, key, value, out);
  return {};
}

template <class T>
void check_attention(Context& context) {
  const Device device = context.device();
  bool has_run = false;
  std::string why;
  for (const Heads& by :
       {Heads{1, 1, 1, 1, 8, 8}, Heads{2, 3, 16, 16, 8, 8}, Heads{1, 2, 70, 65, 64, 64},
        Heads{2, 1, 5, 130, 16, 24}, Heads{1, 2, 5, 7, 8, 8, -0.5}, Heads{1, 2, 5, 7, 8, 8, 0}}) {
    for (const bool woven : {false, true}) {
      why = check_heads<T>(device, by, woven);
      has_run = has_run || why.empty();
    }
  }
  if (!has_run) throw Waiver("attention.1 refuses every size that was tried: " + why);
}

}  // namespace

std::vector<Check> composite_checks() {
  std::vector<Check> checks;
  add_floats(checks, "linear", PATCHBAY_OF_TYPES(check_layers));
  checks.push_back({"kernels", "attention", check_attention<float>});
  checks.push_back({"kernels", "attention_f64", check_attention<double>});
  checks.push_back({"kernels", "attention_f16", check_attention<F16>});
  checks.push_back({"kernels", "attention_bf16", check_attention<Bf16>});
  return checks;
}

}  // namespace patchbay::conformance
