// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chapter modules: kernels of the user's, for devices that load modules. All results are exact.
#include <optional>

#include <patchbay/kernel_module.h>

#include "conformance/chapters.h"
#include "conformance/support/expect.h"

namespace patchbay::conformance {
namespace {

// One text, so that it is compiled once.
constexpr std::string_view kText = R"(
#define GROUP 64
PATCHBAY_TABLE(i32, factors, 4) = {1, 10, 100, 1000};
PATCHBAY_FUNCTION i32 weighed(PATCHBAY_GLOBAL const i32* x, i32 at) {
  return factors[at % 4] * x[at];
}

PATCHBAY_KERNEL(saxpy)(PATCHBAY_INPUT(f32, x), PATCHBAY_INOUT(f32, y), PATCHBAY_VALUE(f32, a),
                       PATCHBAY_VALUE(i64, n)) {
  PATCHBAY_BIND_INPUT(f32, x);
  PATCHBAY_BIND(f32, y);
  const i64 i = PATCHBAY_GLOBAL_ID64(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

PATCHBAY_KERNEL(weigh)(PATCHBAY_INPUT(i32, x), PATCHBAY_OUTPUT(i32, y)) {
  PATCHBAY_BIND_INPUT(i32, x);
  PATCHBAY_BIND(i32, y);
  const i32 i = PATCHBAY_GLOBAL_ID(0);
  y[i] = weighed(x, i);
}

PATCHBAY_KERNEL(values)(PATCHBAY_VALUE(i8, a), PATCHBAY_VALUE(i64, b), PATCHBAY_VALUE(u8, c),
                        PATCHBAY_VALUE(i16, d), PATCHBAY_VALUE(u32, e), PATCHBAY_VALUE(u16, f),
                        PATCHBAY_VALUE(u64, g), PATCHBAY_VALUE(i32, h), PATCHBAY_VALUE(f32, k),
                        PATCHBAY_OUTPUT(i64, y)) {
  PATCHBAY_BIND(i64, y);
  y[0] = a;
  y[1] = b;
  y[2] = c;
  y[3] = d;
  y[4] = e;
  y[5] = f;
  y[6] = (i64)g;
  y[7] = h;
  y[8] = (i64)(k * 8.0f);
}

PATCHBAY_KERNEL(elements)(PATCHBAY_INPUT(i8, a), PATCHBAY_INPUT(i64, b), PATCHBAY_INPUT(u8, c),
                          PATCHBAY_INPUT(i16, d), PATCHBAY_INPUT(u32, e), PATCHBAY_INPUT(u16, f),
                          PATCHBAY_INPUT(u64, g), PATCHBAY_INPUT(bool, h), PATCHBAY_OUTPUT(i64, y),
                          PATCHBAY_OUTPUT(bool, z)) {
  PATCHBAY_BIND_INPUT(i8, a);
  PATCHBAY_BIND_INPUT(i64, b);
  PATCHBAY_BIND_INPUT(u8, c);
  PATCHBAY_BIND_INPUT(i16, d);
  PATCHBAY_BIND_INPUT(u32, e);
  PATCHBAY_BIND_INPUT(u16, f);
  PATCHBAY_BIND_INPUT(u64, g);
  PATCHBAY_BIND_INPUT(bool, h);
  PATCHBAY_BIND(i64, y);
  PATCHBAY_BIND(bool, z);
  const i32 i = PATCHBAY_GLOBAL_ID(0);
  y[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + (i64)g[i];
  z[i] = !h[i];
}

PATCHBAY_KERNEL(places)(PATCHBAY_OUTPUT(i32, y)) {
  PATCHBAY_BIND(i32, y);
  const i32 width = PATCHBAY_NUM_GROUPS(0) * PATCHBAY_GROUP_SIZE(0);
  const i32 height = PATCHBAY_NUM_GROUPS(1) * PATCHBAY_GROUP_SIZE(1);
  const i32 at = (PATCHBAY_GLOBAL_ID(2) * height + PATCHBAY_GLOBAL_ID(1)) * width +
                 PATCHBAY_GLOBAL_ID(0);
  y[at] = PATCHBAY_GROUP_ID(0) + 10 * PATCHBAY_GROUP_ID(1) + 100 * PATCHBAY_GROUP_ID(2) +
          1000 * PATCHBAY_LOCAL_ID(0) + 10000 * PATCHBAY_LOCAL_ID(1) +
          100000 * PATCHBAY_LOCAL_ID(2);
}

PATCHBAY_KERNEL(turn)(PATCHBAY_INPUT(i32, x), PATCHBAY_OUTPUT(i32, y)) {
  PATCHBAY_BIND_INPUT(i32, x);
  PATCHBAY_BIND(i32, y);
  PATCHBAY_SHARED(i32, part, GROUP);
  const i32 me = PATCHBAY_LOCAL_ID(0), size = PATCHBAY_GROUP_SIZE(0);
  const i32 i = PATCHBAY_GLOBAL_ID(0);
  part[me] = x[i];
  PATCHBAY_BARRIER();
  y[i] = part[size - 1 - me];
}

PATCHBAY_KERNEL(count)(PATCHBAY_INOUT(i32, counts), PATCHBAY_INOUT(f32, sum)) {
  PATCHBAY_BIND(i32, counts);
  PATCHBAY_BIND(f32, sum);
  const i32 i = PATCHBAY_GLOBAL_ID(0);
  PATCHBAY_ATOMIC_ADD_I32(&counts[0], 1);
  PATCHBAY_ATOMIC_MIN_I32(&counts[1], i);
  PATCHBAY_ATOMIC_MAX_I32(&counts[2], i);
  PATCHBAY_ATOMIC_ADD_F32(&sum[0], 1.0f);
}

PATCHBAY_KERNEL(multiply_add)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, y)) {
  PATCHBAY_BIND_INPUT(f32, x);
  PATCHBAY_BIND(f32, y);
  y[0] = x[0] * x[0] + x[1];
  y[1] = fma(x[0], x[0], x[1]);
}
)";

/// Ends the check as waived if the device need not load modules.
KernelModule load(const Device& device) {
  if (!device.properties().modules) throw Waiver("the device loads no modules");
  std::optional<KernelModule> module;
  std::string reason;
  if (is_unsupported([&] { module = KernelModule::from_source(device, kText); }, &reason)) {
    throw Waiver(reason);
  }
  return *module;
}

template <class T>
void expect_elements(const Tensor& got, const std::vector<T>& expected, std::string_view what) {
  const std::vector<T> values = got.to_vector<T>();
  expect_equal(values.size(), expected.size(), what);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expect(values[i] == expected[i], "{}: element {}: expected {}, got {}", what, i, expected[i],
           values[i]);
  }
}

/// Small whole numbers.
std::vector<float> numbers(std::int64_t size, int step) {
  std::vector<float> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>(i) * step % 97);
  }
  return values;
}

bool takes_group(const Device& device, const Axes3& size) {
  const std::int64_t most = device.properties().max_group_size;
  return most == 0 || size.x * size.y * size.z <= most;
}

/// The largest group that each kernel must allow. Above it, a kernel may allow only smaller groups
/// than its device.
constexpr std::int32_t kAllowedGroup = 32;

/// In groups of that size, or of one where the device does not take it.
Grid line(const Device& device, std::int64_t items, std::int64_t group_size = kAllowedGroup) {
  if (!takes_group(device, {group_size})) group_size = 1;
  return {{(items + group_size - 1) / group_size}, {group_size}};
}

void a_kernel_reads_and_writes(Context& context) {
  const Device device = context.device();
  const ModuleKernel saxpy = load(device).kernel("saxpy");
  for (const std::int64_t size : {1, 63, 1000, 70001}) {
    const std::vector<float> x = numbers(size, 7), y = numbers(size, 5);
    std::vector<float> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) expected[i] = 3 * x[i] + y[i];
    const Tensor out = from_host(y, {size}, device);
    saxpy.launch(line(device, size), {from_host(x, {size}, device), out, 3.0F, size});
    expect_elements(out, expected, fmt::format("saxpy of {} elements", size));
  }
}

/// The binding adds the offset of a buffer's part.
void parts_of_buffers(Context& context) {
  const Device device = context.device();
  const ModuleKernel saxpy = load(device).kernel("saxpy");
  const Tensor x = from_host(numbers(100, 7), {100}, device);
  const Tensor y = from_host(std::vector<float>(90, 1), {90}, device);
  saxpy.launch(line(device, 10, 16),
               {x.slice(0, 31, 41), y.slice(0, 50, 60), 2.0F, std::int64_t{10}});
  std::vector<float> expected(90, 1);
  const std::vector<float> all = numbers(100, 7);
  for (std::size_t i = 0; i < 10; ++i) expected[50 + i] = 2 * all[31 + i] + 1;
  expect_elements(y, expected, "saxpy of the elements from 31 and from 50 on");
}

void functions_and_tables(Context& context) {
  const Device device = context.device();
  const ModuleKernel weigh = load(device).kernel("weigh");
  const Tensor x = from_host(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8}, {8}, device);
  const Tensor y = zeros({8}, {DType::i32, device});
  weigh.launch(line(device, 8, 4), {x, y});
  expect_elements(y, std::vector<std::int32_t>{1, 20, 300, 4000, 5, 60, 700, 8000},
                  "a function that reads a table");
}

void values_arrive(Context& context) {
  const Device device = context.device();
  const ModuleKernel kernel = load(device).kernel("values");
  const Tensor y = zeros({9}, {DType::i64, device});
  kernel.launch({}, {std::int8_t{-5}, std::int64_t{-1234567890123}, std::uint8_t{250},
                     std::int16_t{-30000}, std::uint32_t{4000000000}, std::uint16_t{65000},
                     std::uint64_t{1} << 62, std::int32_t{-2000000000}, 2.5F, y});
  const std::vector<std::int64_t> expected = {
      -5, -1234567890123, 250, -30000, 4000000000, 65000, std::int64_t{1} << 62, -2000000000, 20};
  expect_elements(y, expected, "values of i8, i64, u8, i16, u32, u16, u64, i32, f32");
}

void elements_of_each_dtype(Context& context) {
  const Device device = context.device();
  const ModuleKernel elements = load(device).kernel("elements");
  constexpr std::size_t kCount = 100;
  const auto sent = [&](auto first, auto step) {
    using T = decltype(first);
    std::vector<T> values(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      values[i] = static_cast<T>(first + static_cast<T>(step * static_cast<T>(i)));
    }
    return values;
  };
  const auto a = sent(std::int8_t{-100}, std::int8_t{2});
  const auto b = sent(std::int64_t{-5000000000}, std::int64_t{100000001});
  const auto c = sent(std::uint8_t{1}, std::uint8_t{2});
  const auto d = sent(std::int16_t{-30000}, std::int16_t{601});
  const auto e = sent(std::uint32_t{3000000000}, std::uint32_t{5});
  const auto f = sent(std::uint16_t{40000}, std::uint16_t{7});
  const auto g = sent(std::uint64_t{1} << 40, std::uint64_t{3});
  const std::int64_t count = kCount;
  const Tensor h = from_host(std::vector<std::int32_t>(a.begin(), a.end()), {count}, device);
  const Tensor y = zeros({count}, {DType::i64, device});
  const Tensor z = zeros({count}, {DType::boolean, device});
  elements.launch(
      line(device, count, 25),
      {from_host(a, {count}, device), from_host(b, {count}, device), from_host(c, {count}, device),
       from_host(d, {count}, device), from_host(e, {count}, device), from_host(f, {count}, device),
       from_host(g, {count}, device), h.cast(DType::boolean), y, z});
  std::vector<std::int64_t> sums(kCount);
  std::vector<std::int32_t> zero(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    sums[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + static_cast<std::int64_t>(g[i]);
    zero[i] = a[i] == 0 ? 1 : 0;
  }
  expect_elements(y, sums, "sums of elements of i8, i64, u8, i16, u32, u16, u64");
  expect_elements(z.cast(DType::i32), zero, "bools");
}

void work_items_know_their_places(Context& context) {
  const Device device = context.device();
  const ModuleKernel places = load(device).kernel("places");
  for (const Grid& grid : {Grid{{3, 2, 4}, {4, 2, 3}}, Grid{{5}, {7}}, Grid{{1, 6, 1}, {1, 1, 8}},
                           Grid{{1, 1, 9}, {2, 3, 1}}}) {
    const auto& [groups, size] = grid;
    if (!takes_group(device, size)) continue;
    const Axes3 all{groups.x * size.x, groups.y * size.y, groups.z * size.z};
    const std::int64_t count = all.x * all.y * all.z;
    const Tensor y = full({count}, -1, {DType::i32, device});
    places.launch(grid, {y});
    std::vector<std::int32_t> expected;
    for (std::int64_t z = 0; z < all.z; ++z) {
      for (std::int64_t row = 0; row < all.y; ++row) {
        for (std::int64_t x = 0; x < all.x; ++x) {
          expected.push_back(static_cast<std::int32_t>(
              x / size.x + 10 * (row / size.y) + 100 * (z / size.z) + 1000 * (x % size.x) +
              10000 * (row % size.y) + 100000 * (z % size.z)));
        }
      }
    }
    expect_elements(y, expected,
                    fmt::format("places in [{}, {}, {}] groups of [{}, {}, {}]", groups.x, groups.y,
                                groups.z, size.x, size.y, size.z));
  }
}

void groups_share_memory(Context& context) {
  const Device device = context.device();
  const ModuleKernel turn = load(device).kernel("turn");
  for (const std::int32_t size : {1, 3, 32, 64}) {
    if (!takes_group(device, {size})) continue;
    constexpr std::int32_t kGroups = 50;
    std::vector<std::int32_t> sent, expected;
    for (std::int32_t i = 0; i < kGroups * size; ++i) {
      sent.push_back(7 * i);
      expected.push_back(7 * (i / size * size + size - 1 - i % size));
    }
    const Tensor y = zeros({kGroups * size}, {DType::i32, device});
    const Tensor x = from_host(sent, {kGroups * size}, device);
    try {
      turn.launch({{kGroups}, {size}}, {x, y});
    } catch (const Error& error) {
      if (size <= kAllowedGroup || error.code() != ErrorCode::kInvalidArgument) throw;
      continue;
    }
    expect_elements(y, expected, fmt::format("groups of {} that turn their elements round", size));
  }
}

void atomics_count(Context& context) {
  const Device device = context.device();
  const ModuleKernel count = load(device).kernel("count");
  const Tensor counts = from_host(std::vector<std::int32_t>{0, 1 << 30, -1}, {3}, device);
  const Tensor sum = zeros({1}, device);
  count.launch(line(device, 6400), {counts, sum});
  expect_elements(counts, std::vector<std::int32_t>{6400, 0, 6399},
                  "how many, the least and the greatest of 6400 work-items");
  expect_elements(sum, std::vector<float>{6400}, "6400 additions of 1 to an f32");
}

void products_and_sums_round_apart(Context& context) {
  const Device device = context.device();
  const ModuleKernel multiply_add = load(device).kernel("multiply_add");
  // The square is 1 + 2^-11 + 2^-24, whose last part is lost when it is rounded.
  const Tensor x = from_host(std::vector<float>{1 + 0x1p-12F, -1 - 0x1p-11F}, {2}, device);
  const Tensor y = zeros({2}, device);
  multiply_add.launch({}, {x, y});
  expect_elements(y, std::vector<float>{0, 0x1p-24F}, "a * a + b, and fma of the same");
}

void launches_keep_their_order(Context& context) {
  const Device device = context.device();
  const ModuleKernel saxpy = load(device).kernel("saxpy");
  constexpr std::int64_t kSize = 30000;
  Tensor y = zeros({kSize}, device);
  for (int i = 0; i < 10; ++i) {
    const Tensor one = full({kSize}, 1, device);  // dropped while the launch may be pending
    saxpy.launch(line(device, kSize), {one, y, 2.0F, kSize});
    y = y + 1;
  }
  const Stream stream(device);
  {
    const StreamScope scope(stream);
    const Tensor twice = zeros({kSize}, device);
    saxpy.launch(line(device, kSize), {y, twice, 2.0F, kSize});
    y = twice;
  }
  expect_elements(y, std::vector<float>(kSize, 60), "kernels between operators, on two streams");
}

void a_module_outlives_its_handles(Context& context) {
  const Device device = context.device();
  static_cast<void>(load(device));  // or waived
  constexpr std::int64_t kSize = 300000;
  const Tensor x = full({kSize}, 2, device), y = full({kSize}, 1, device);
  load(device).kernel("saxpy").launch(line(device, kSize), {x, y, 3.0F, kSize});
  expect_elements(y, std::vector<float>(kSize, 7), "a launch whose module was dropped");
}

void errors_name_text_and_line(Context& context) {
  const Device device = context.device();
  static_cast<void>(load(device));  // or waived
  // A number that no other line, and no size, has.
  const std::string text =
      "PATCHBAY_KERNEL(k)(PATCHBAY_OUTPUT(f32, y)) {\n"
      "  PATCHBAY_BIND(f32, y);\n" +
      std::string(7916, '\n') +
      "  y[0] = no_such_name;\n"
      "}\n";
  expect_error(ErrorCode::kBuildFailed, "a text with an unknown name in line 7919",
               [&] { (void)KernelModule::from_source(device, text, {.name = "wrong.pbk"}); },
               {"wrong.pbk", "7919", "no_such_name"});
}

}  // namespace

std::vector<Check> modules_checks() {
  return {
      {"modules", "a_kernel_reads_and_writes", a_kernel_reads_and_writes},
      {"modules", "parts_of_buffers", parts_of_buffers},
      {"modules", "functions_and_tables", functions_and_tables},
      {"modules", "values_arrive", values_arrive},
      {"modules", "elements_of_each_dtype", elements_of_each_dtype},
      {"modules", "work_items_know_their_places", work_items_know_their_places},
      {"modules", "groups_share_memory", groups_share_memory},
      {"modules", "atomics_count", atomics_count},
      {"modules", "products_and_sums_round_apart", products_and_sums_round_apart},
      {"modules", "launches_keep_their_order", launches_keep_their_order},
      {"modules", "a_module_outlives_its_handles", a_module_outlives_its_handles},
      {"modules", "errors_name_text_and_line", errors_name_text_and_line},
  };
}

}  // namespace patchbay::conformance
