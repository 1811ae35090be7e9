// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/kernels/matrices.h"

namespace patchbay::conformance {

std::vector<Form> forms(std::initializer_list<std::span<const Extents>> shapes) {
  std::vector<Form> all;
  for (const bool has_pairs : {false, true}) {
    for (const std::span<const Extents> some : shapes) {
      for (const auto& [m, n] : some) {
        for (const std::int64_t count : {1, 3}) all.push_back({count, m, n, has_pairs});
      }
      all.push_back({100, some[1].m, some[1].n, has_pairs});
      all.push_back({3, some[1].m, some[1].n, has_pairs, 5, 3});
    }
  }
  return all;
}

std::string described(const std::string& op, DType dtype, const Form& form, int exponent) {
  return fmt::format("{} of {}, {} x [{}, {}]{}{}, gap {}, offset {}", op, to_string(dtype),
                     form.count, form.m, form.n, form.has_pairs ? " of pairs" : "",
                     exponent == 0 ? "" : fmt::format(" times 2^{}", exponent), form.gap,
                     form.offset);
}

Layout layout_of(const Form& form, const Shape& extents, bool has_pairs) {
  const std::int64_t width = has_pairs ? 2 : 1;
  Shape shape{form.count};
  for (int i = 0; i < extents.rank(); ++i) shape.push_back(extents[i]);
  Layout layout{shape, shape, form.offset * width};
  std::int64_t stride = extents.rank() == 0 ? 1 + form.gap : width;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    layout.strides[i] = stride;
    stride = stride * shape[i] + form.gap * width;
  }
  if (has_pairs) {
    layout.shape.push_back(2);
    layout.strides.push_back(1);
  }
  return layout;
}

void Launch::run(const std::string& op, const std::string& what,
                 std::vector<Attribute> attributes) {
  if (has_pairs_) attributes.push_back({"pairs", 1});
  run_kernel(device_, op, arguments_, attributes);
  for (const auto& fetch : fetches_) fetch(what);
}

void expect_infos(const Array<std::int64_t>& info, const Infos& expected, const std::string& what) {
  for (std::size_t i = 0; i < info.size(); ++i) {
    const std::int64_t one = expected.empty() ? 0 : expected[i];
    expect_equal(info.at(i), one, fmt::format("{}: info of matrix {}", what, i));
  }
}

void expect_failures(const Array<std::int64_t>& info, const std::vector<std::size_t>& failed,
                     std::int64_t most, const std::string& what) {
  for (std::size_t i = 0; i < info.size(); ++i) {
    const bool has_failed = std::find(failed.begin(), failed.end(), i) != failed.end();
    const std::int64_t got = info.at(i);
    expect(has_failed ? got >= 1 && got <= most : got == 0,
           "{}: info of matrix {}: expected {}, got {}", what, i,
           has_failed ? fmt::format("1 to {}", most) : "0", got);
  }
}

void expect_units(double units, const std::string& what, std::int64_t number, const char* of) {
  expect(units <= kFactorUnits, "{}: {} of matrix {}: expected at most {} units, got {}", what, of,
         number, kFactorUnits, units);
}

}  // namespace patchbay::conformance
