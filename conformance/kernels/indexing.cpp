// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// gather scatter_add: read elements, and add to elements, by index.
#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/reference/lines.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

/// The table, the elements beside the indices, and the indices.
struct IndexingCase {
  std::string name;
  Layout table, elements, index;
  int dim;
};

/// One index for each row of a matrix: it repeats along the row.
Layout repeated(std::int64_t rows, std::int64_t columns) {
  Layout layout = contiguous({rows, columns});
  layout.strides = Shape{1, 0};
  return layout;
}

std::vector<IndexingCase> indexing_cases() {
  return {
      {"one dimension", contiguous({7}), contiguous({300}), contiguous({300}), 0},
      {"one dimension, spread", spread({7}, 3, 5), spread({300}, 2, 1), spread({300}, 3), 0},
      {"one index", contiguous({1}), contiguous({1}), contiguous({1}), 0},
      {"no index", contiguous({4, 3}), contiguous({0, 3}), contiguous({0, 3}), 0},
      {"rows", contiguous({9, 65}), contiguous({40, 65}), repeated(40, 65), 0},
      {"long rows", contiguous({3, 5001}), contiguous({6, 5001}), repeated(6, 5001), 0},
      {"rows of what lies across", reversed({9, 65}, 2), spread({40, 65}, 2), repeated(40, 65), 0},
      {"the last of two dimensions", contiguous({37, 5}), contiguous({37, 21}),
       reversed({37, 21}, 3), 1},
      {"the middle of three", reversed({4, 6, 5}), contiguous({4, 11, 5}), spread({4, 11, 5}, 2),
       1},
      {"eight dimensions", contiguous({2, 1, 3, 2, 4, 1, 2, 2}), reversed({2, 1, 3, 2, 7, 1, 2, 2}),
       contiguous({2, 1, 3, 2, 7, 1, 2, 2}), 4},
      {"more than a work-group", contiguous({100, 300}), contiguous({100, 300}),
       contiguous({100, 300}), 0},
  };
}

std::size_t place_of(const IndexingCase& one, std::size_t number, std::int64_t chosen) {
  return place_in(one.table.shape, one.elements.shape, number, one.dim, chosen);
}

template <class I>
Array<I> indices_of(const IndexingCase& one) {
  const auto extent = static_cast<std::uint64_t>(one.table.shape[one.dim]);
  Array<I> index(one.index);
  for (std::size_t i = 0; i < index.size(); ++i) index.at(i) = static_cast<I>(mix(i) % extent);
  return index;
}

std::vector<Attribute> along(std::int64_t dim) { return {{"dim", dim}}; }

template <class T, class I>
void check_gather(const Device& device) {
  for (const IndexingCase& one : indexing_cases()) {
    const Array<I> index = indices_of<I>(one);
    const Array<T> table(one.table, [](std::size_t i) { return mixed_value<T>(0, i); });
    Array<T> out(one.elements);
    Array<T> expected = out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      expected.at(i) = table.at(place_of(one, i, index.at(i)));
    }
    const Argument target = out.to_device(device, Access::kWrite);
    run_kernel(
        device, "gather.1",
        {target, table.to_device(device, Access::kRead), index.to_device(device, Access::kRead)},
        along(one.dim));
    out.from_device(target);
    out.expect_close_to(expected, 0,
                        fmt::format("gather.1 of {} by {}, {}", to_string(dtype_of_element<T>()),
                                    to_string(dtype_of_element<I>()), one.name));
  }
}

/// Exact, because the order of the additions is defined.
template <class T, class I>
void check_scatter_add(const Device& device) {
  for (const IndexingCase& one : indexing_cases()) {
    const Array<I> index = indices_of<I>(one);
    const Array<T> source(one.elements, [](std::size_t i) { return ordinary_value<T>(i); });
    Array<T> out(one.table, [](std::size_t i) { return ordinary_value<T>(i + 7); });
    Array<T> expected = out;
    for (std::size_t i = 0; i < source.size(); ++i) {
      T& to = expected.at(place_of(one, i, index.at(i)));
      to = sum_of(to, source.at(i));
    }
    const Argument target = out.to_device(device, Access::kReadWrite);
    run_kernel(
        device, "scatter_add.1",
        {target, index.to_device(device, Access::kRead), source.to_device(device, Access::kRead)},
        along(one.dim));
    out.from_device(target);
    out.expect_close_to(
        expected, 0,
        fmt::format("scatter_add.1 of {} by {}, {}", to_string(dtype_of_element<T>()),
                    to_string(dtype_of_element<I>()), one.name));
  }
}

/// Whether the launch reports an index out of range and changes nothing.
bool is_refused(const Device& device, const char* op, const Arguments& arguments) {
  try {
    run_kernel(device, op, arguments, along(0));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInvalidArgument) return true;
    throw;
  }
  return false;
}

constexpr std::int64_t kBadIndices[] = {0, 4, 3, -1, INT64_MAX, 1, INT64_MIN, 2};

void check_out_of_range(Context& context) {
  const Device device = context.device();
  const Layout eight = contiguous({8});
  const Array<std::int64_t> index(eight, [](std::size_t i) { return kBadIndices[i]; });
  const Array<float> values(contiguous({4}, 3), [](std::size_t i) { return 1.5F * float(i + 1); });
  const Array<float> ones(eight, [](std::size_t) { return 1.0F; });
  Array<float> out(eight, [](std::size_t) { return -1.0F; }), sums = values;
  Array<float> expected = out, expected_sums = values;
  const Argument indices = index.to_device(device, Access::kRead);
  const Argument found = out.to_device(device, Access::kWrite);
  const Argument added = sums.to_device(device, Access::kReadWrite);
  const bool looks_up =
      !is_refused(device, "gather.1", {found, values.to_device(device, Access::kRead), indices});
  const bool adds =
      !is_refused(device, "scatter_add.1", {added, indices, ones.to_device(device, Access::kRead)});
  for (std::size_t i = 0; i < 8; ++i) {
    const bool is_there = kBadIndices[i] >= 0 && kBadIndices[i] < 4;
    const auto at = is_there ? static_cast<std::size_t>(kBadIndices[i]) : 0;
    if (looks_up) {
      expected.at(i) = is_there ? values.at(at) : std::numeric_limits<float>::quiet_NaN();
    }
    if (adds && is_there) expected_sums.at(at) += 1;
  }
  out.from_device(found);
  out.expect_close_to(expected, 0, "gather.1 with indices out of range");
  sums.from_device(added);
  sums.expect_close_to(expected_sums, 0, "scatter_add.1 with indices out of range");
}

}  // namespace

std::vector<Check> indexing_checks() {
  std::vector<Check> checks;
  add_pair(
      checks, "gather",
      [](const Device& device, const std::string&) {
        check_gather<float, std::int64_t>(device);
        check_gather<float, std::int32_t>(device);
        check_gather<std::int32_t, std::int32_t>(device);
        check_gather<std::int64_t, std::int64_t>(device);
        check_gather<std::uint8_t, std::int64_t>(device);
        check_gather<Bool, std::int32_t>(device);
      },
      [](const Device& device, const std::string&) { check_gather<double, std::int64_t>(device); });
  const auto gather = [](const Device& device, const std::string&, auto zero) {
    check_gather<decltype(zero), std::int64_t>(device);
  };
  add_halves(checks, "gather", gather);
  add_storage(checks, "gather", gather);
  add_pair(
      checks, "scatter_add",
      [](const Device& device, const std::string&) {
        check_scatter_add<float, std::int64_t>(device);
        check_scatter_add<float, std::int32_t>(device);
        check_scatter_add<std::int32_t, std::int32_t>(device);
        check_scatter_add<std::int64_t, std::int64_t>(device);
        check_scatter_add<std::uint8_t, std::int64_t>(device);
      },
      [](const Device& device, const std::string&) {
        check_scatter_add<double, std::int64_t>(device);
      });
  checks.push_back({"kernels", "indices_out_of_range", check_out_of_range});
  return checks;
}

}  // namespace patchbay::conformance
