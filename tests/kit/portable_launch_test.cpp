// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What portable kernels write and how large their grids are, on a device of the test's own: an
// accelerator whose kernels the executor runs in groups of up to 256 work-items.
#include <bit>
#include <cctype>
#include <clocale>
#include <deque>
#include <random>

#include "kit/executor/executor.hpp"
#include "kit/noting_backend.h"
#include "kit/portable/elementwise/fused.hpp"
#include "kit/portable/operators.hpp"
#include "support/text.h"

namespace patchbay::test {
namespace {

/// Settings as the host reads them from the environment.
std::uint32_t option(patchbay_host_context*, patchbay_string name, patchbay_bytes_callback give,
                     void* user) {
  std::string variable = "PATCHBAY_";
  for (const char letter : plugin::from_abi(name)) {
    variable += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  const char* const value = std::getenv(variable.c_str());
  if (value == nullptr) return 0;
  give(user, value, std::strlen(value));
  return 1;
}

patchbay_host make_host() {
  patchbay_host host{};
  host.size = sizeof host;
  host.option = option;
  return host;
}

/// Runs the kernel in the call.
class RunFunction : public portable::Function {
 public:
  RunFunction(executor::Kernel kernel, std::uint64_t& most_items)
      : kernel_(std::move(kernel)), most_items_(most_items) {}

  void launch(plugin::Stream&, std::string_view, const portable::Grid& grid,
              const portable::Arguments& arguments) override {
    std::array<std::uint32_t, 3> groups{}, group_size{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint64_t size = grid.group[axis], count = (grid.items[axis] + size - 1) / size;
      groups[axis] = static_cast<std::uint32_t>(count);
      group_size[axis] = static_cast<std::uint32_t>(size);
      most_items_ = std::max(most_items_, count * size);
    }
    std::vector<const void*> places;
    std::deque<std::vector<const void*>> tables;
    for (const portable::Argument& argument : arguments) {
      if (argument.memories != nullptr) {
        auto& table = tables.emplace_back();
        for (const plugin::Memory& memory : argument.buffers()) table.push_back(place_of(memory));
        places.push_back(table.data());
      } else {
        places.push_back(argument.is_memory() ? place_of(argument.memory) : argument.bytes);
      }
    }
    kernel_.run({groups, group_size}, places, executor::run_serially);
  }

 private:
  static const void* place_of(const plugin::Memory& memory) {
    return static_cast<const std::byte*>(memory.base) + memory.offset_bytes;
  }

  const executor::Kernel kernel_;
  std::uint64_t& most_items_;
};

/// An array of the host as a tensor, contiguous unless strides are given.
template <class T>
patchbay_argument tensor(std::uint8_t dtype, const T* first, std::vector<std::int64_t> shape,
                         const std::vector<std::int64_t>& strides = {}) {
  patchbay_argument argument{};
  argument.kind = PATCHBAY_TENSOR;
  argument.dtype = dtype;
  argument.rank = static_cast<std::uint8_t>(shape.size());
  argument.value.memory.base = const_cast<T*>(first);
  std::int64_t dense = 1;
  for (std::size_t d = shape.size(); d-- > 0; dense *= shape[d]) {
    argument.shape[d] = shape[d];
    argument.strides[d] = strides.empty() ? dense : strides[d];
  }
  return argument;
}

class PortableLaunch : public testing::Test {
 protected:
  void prepare(const portable::Traits& traits) {
    backend_ = std::make_unique<portable::Backend>(
        traits, [this](std::string_view text) -> portable::Program {
          texts_.emplace_back(text);
          const auto module = executor_.load(executor::kFormat, text);
          return [this, module](std::string_view name) {
            return std::make_unique<RunFunction>(module->kernel(name), most_items_);
          };
        });
  }

  /// The first argument is written; `attributes` are integers.
  void run(std::string_view op, const std::vector<patchbay_argument>& arguments,
           const std::vector<std::pair<const char*, std::int64_t>>& attributes = {}) {
    std::vector<patchbay_attribute> all;
    for (const auto& [name, value] : attributes) {
      all.emplace_back().name = plugin::to_abi(name);
      all.back().type = PATCHBAY_ATTRIBUTE_I64;
      all.back().value.i64 = value;
    }
    const std::vector<patchbay_argument_spec> specs = specs_of(arguments);
    patchbay_kernel_spec spec{};
    spec.size = sizeof spec;
    spec.op = plugin::to_abi(op);
    spec.arguments = specs.data();
    spec.num_arguments = static_cast<std::uint32_t>(specs.size());
    spec.attributes = all.data();
    spec.num_attributes = static_cast<std::uint32_t>(all.size());
    spec.workspace_limit_bytes = workspace_limit_bytes_;
    const std::unique_ptr<plugin::Kernel> kernel = portable::prepare(*backend_, spec);
    std::vector<std::byte> workspace(kernel->workspace_bytes());
    most_items_ = 0;
    kernel->launch(stream_, arguments, {workspace.data(), 0}, {});
  }

  /// `arguments` are those of one or several groups of `num_tensors` tensors, without scalars.
  void run_fused(std::string_view code, const std::vector<patchbay_argument>& arguments,
                 std::size_t num_tensors) {
    const std::unique_ptr<plugin::Module> module = portable::load_fused(*backend_, code);
    const auto end = arguments.begin() + static_cast<std::ptrdiff_t>(num_tensors);
    module->kernel("fused", specs_of({arguments.begin(), end}))->launch(stream_, arguments, {}, {});
  }

  static std::vector<patchbay_argument_spec> specs_of(
      const std::vector<patchbay_argument>& arguments) {
    std::vector<patchbay_argument_spec> specs;
    for (const patchbay_argument& argument : arguments) {
      patchbay_argument_spec& spec = specs.emplace_back();
      spec.kind = argument.kind;
      spec.dtype = argument.dtype;
      spec.access = argument.access != 0 ? argument.access : std::uint8_t{PATCHBAY_READ};
      spec.rank = PATCHBAY_ANY_RANK;
    }
    return specs;
  }
  static patchbay_argument written(patchbay_argument argument) {
    argument.access = PATCHBAY_WRITE;
    return argument;
  }
  /// 0 to 15, so that sums are exact in any order.
  static std::vector<float> integers(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7919 % 16);
    return values;
  }
  /// Calls `compute` on a device without a limit and on one of `most` work-items, which is too few
  /// for the grids of the first; the results are equal.
  template <class Compute>
  void expect_equal_within(std::uint64_t most, const Compute& compute) {
    prepare({});
    const auto expected = compute();
    EXPECT_GT(most_items_, most);
    portable::Traits limited;
    limited.most_items = most;
    prepare(limited);
    EXPECT_EQ(compute(), expected);
    EXPECT_LE(most_items_, most);
  }

  const patchbay_host host_ = make_host();
  executor::Executor executor_{plugin::Host(&host_)};
  std::unique_ptr<portable::Backend> backend_;
  std::vector<std::string> texts_;
  std::uint64_t workspace_limit_bytes_ = std::uint64_t{1} << 30;
  std::uint64_t most_items_ = 0;  // along an axis, of the launches of a kernel
  IdleStream stream_;
};

// ------------------------------------------------------------------------------- expressions

TEST_F(PortableLaunch, ConstantsOfF64InEveryLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const std::vector<double> x = {1, -2, 0.5};
  for (const char* locale : {"de_DE.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, locale) == nullptr) continue;
    prepare({});
    std::vector<double> y(3), z(3);
    run_fused(
        "patchbay-expr/1 input:f64 x0 f64:3ff8000000000000 mul.1 out f64:bfb999999999999a x0 add.1 "
        "out",
        {written(tensor(PATCHBAY_F64, y.data(), {3})), written(tensor(PATCHBAY_F64, z.data(), {3})),
         tensor(PATCHBAY_F64, x.data(), {3})},
        3);
    EXPECT_EQ(y, (std::vector<double>{1.5, -3, 0.75})) << locale;
    EXPECT_EQ(z, (std::vector<double>{-0.1 + 1, -0.1 - 2, -0.1 + 0.5})) << locale;
    EXPECT_HAS(texts_.back(), " = 0x1.8p+0;");
    EXPECT_HAS(texts_.back(), " = -0x1.999999999999ap-4;");
  }
  std::setlocale(LC_ALL, before.c_str());
}

/// A constant that is an output keeps its bits, those of a signalling NaN too.
TEST_F(PortableLaunch, ConstantsOfSmallFloatsAreOutputs) {
  portable::Traits traits;
  traits.has_addresses = true;  // groups are one launch
  prepare(traits);
  using Bits = std::vector<std::uint16_t>;
  const auto outputs = [&](std::uint8_t dtype, const std::string& name, const std::string& bits,
                           std::uint16_t one, std::uint16_t two) {
    const Bits x(40, one);
    Bits sums(40), constants(40), more_sums(40), more_constants(40);
    const std::vector<patchbay_argument> arguments = {
        written(tensor(dtype, sums.data(), {40})),
        written(tensor(dtype, constants.data(), {40})),
        tensor(dtype, x.data(), {40}),
        written(tensor(dtype, more_sums.data(), {40})),
        written(tensor(dtype, more_constants.data(), {40})),
        tensor(dtype, x.data(), {40})};
    const std::string code =
        "patchbay-expr/1 input:" + name + " x0 x0 add.1 out " + name + ":" + bits + " out";
    run_fused(code, {arguments.begin(), arguments.begin() + 3}, 3);
    EXPECT_EQ(sums, Bits(40, two)) << code;
    const Bits alone = constants;
    std::fill(constants.begin(), constants.end(), std::uint16_t{0});
    run_fused(code, arguments, 3);
    EXPECT_EQ(more_sums, Bits(40, two)) << code;
    EXPECT_EQ(constants, alone) << code;
    EXPECT_EQ(more_constants, alone) << code;
    return alone;
  };
  EXPECT_EQ(outputs(PATCHBAY_F16, "f16", "3c00", 0x3c00, 0x4000), Bits(40, 0x3c00));
  EXPECT_EQ(outputs(PATCHBAY_F16, "f16", "7c01", 0x3c00, 0x4000), Bits(40, 0x7c01));
  EXPECT_EQ(outputs(PATCHBAY_BF16, "bf16", "3f80", 0x3f80, 0x4000), Bits(40, 0x3f80));
  EXPECT_EQ(outputs(PATCHBAY_BF16, "bf16", "c049", 0x3f80, 0x4000), Bits(40, 0xc049));
}

// ------------------------------------------------------------------------------- grids

TEST_F(PortableLaunch, ShortSumsHaveAWorkItemForEachPack) {
  const std::vector<float> a = integers(1024 * 128);
  const auto items_of = [&](std::int64_t length) {
    prepare({});
    std::vector<float> out(1024);
    run("sum.1", {written(tensor(PATCHBAY_F32, out.data(), {1024, 1})),
                  tensor(PATCHBAY_F32, a.data(), {1024, length})});
    EXPECT_EQ(out[7], std::accumulate(&a[7 * length], &a[8 * length], 0.0F)) << length;
    return most_items_ / 1024;
  };
  EXPECT_EQ(items_of(3), 1U);
  EXPECT_EQ(items_of(8), 2U);  // of 16 bytes
  EXPECT_EQ(items_of(40), 16U);
  EXPECT_EQ(items_of(128), 32U);
}

TEST_F(PortableLaunch, ManyShortSumsFitInTheGrid) {
  const std::vector<float> a = integers(3000 * 128);
  for (const std::uint64_t most : {20000, 5000}) {  // a few work-items for each result, and one
    expect_equal_within(most, [&] {
      std::vector<float> out(3000);
      run("sum.1", {written(tensor(PATCHBAY_F32, out.data(), {3000, 1})),
                    tensor(PATCHBAY_F32, a.data(), {3000, 128})});
      EXPECT_EQ(out[7], std::accumulate(&a[7 * 128], &a[8 * 128], 0.0F));
      return out;
    });
    expect_equal_within(most, [&] {
      std::vector<float> out(3000);
      run("sum.1", {written(tensor(PATCHBAY_F32, out.data(), {1000, 1, 3})),
                    tensor(PATCHBAY_F32, a.data(), {1000, 8, 3})});
      EXPECT_EQ(out[1], a[1] + a[4] + a[7] + a[10] + a[13] + a[16] + a[19] + a[22]);
      return out;
    });
    expect_equal_within(most, [&] {
      std::vector<std::int64_t> out(3000);
      run("argmax.1", {written(tensor(PATCHBAY_I64, out.data(), {3000, 1})),
                       tensor(PATCHBAY_F32, a.data(), {3000, 128})});
      return out;
    });
  }
}

TEST_F(PortableLaunch, ManyShortRowsFitInTheGrid) {
  const std::vector<float> a = integers(3000 * 8);
  expect_equal_within(20000, [&] {
    std::vector<float> out(a.size());
    run("softmax.1", {written(tensor(PATCHBAY_F32, out.data(), {3000, 8, 1})),
                      tensor(PATCHBAY_F32, a.data(), {3000, 8, 1})});
    EXPECT_NEAR(std::accumulate(&out[56], &out[64], 0.0F), 1, 1e-6);
    return out;
  });
  expect_equal_within(5000, [&] {
    std::vector<float> out(a.size()), mean(3000), variance(3000);
    const auto number = [](float value) {
      patchbay_argument argument{};
      argument.kind = PATCHBAY_SCALAR;
      argument.dtype = PATCHBAY_F32;
      argument.value.bits = std::bit_cast<std::uint32_t>(value);
      return argument;
    };
    run("normalize.1",
        {written(tensor(PATCHBAY_F32, out.data(), {3000, 1, 8, 1})),
         written(tensor(PATCHBAY_F32, mean.data(), {3000, 1})),
         written(tensor(PATCHBAY_F32, variance.data(), {3000, 1})),
         tensor(PATCHBAY_F32, a.data(), {3000, 1, 8, 1}), number(1), number(0), number(0.5F)});
    EXPECT_EQ(mean[7], std::accumulate(&a[56], &a[64], 0.0F) / 8);
    return out;
  });
}

TEST_F(PortableLaunch, ManyShortLinesFitInTheGrid) {
  const std::vector<float> a = integers(3000 * 8);
  for (const std::int64_t kept : {8, 2}) {
    expect_equal_within(30000, [&] {  // an element has a work-item when it is moved
      std::vector<float> out(static_cast<std::size_t>(3000 * kept));
      std::vector<std::int64_t> index(out.size());
      run("sort.1",
          {written(tensor(PATCHBAY_F32, out.data(), {3000, kept})),
           written(tensor(PATCHBAY_I64, index.data(), {3000, kept})),
           tensor(PATCHBAY_F32, a.data(), {3000, 8})},
          {{"dim", 1}});
      EXPECT_EQ(out[static_cast<std::size_t>(7 * kept)], *std::min_element(&a[56], &a[64]));
      return std::pair(out, index);
    });
  }
  expect_equal_within(10000, [&] {
    std::vector<float> out(80 * 150);
    run("cumsum.1",
        {written(tensor(PATCHBAY_F32, out.data(), {80, 150})),
         tensor(PATCHBAY_F32, a.data(), {80, 150})},
        {{"dim", 1}});
    EXPECT_EQ(out[151], a[150] + a[151]);
    return out;
  });
}

TEST_F(PortableLaunch, ManyFactorizationsFitInTheGrid) {
  const std::vector<float> a = integers(300 * 9);
  expect_equal_within(1000, [&] {
    std::vector<float> lu = a;
    std::vector<std::int64_t> permutation(900), swaps(300), info(300);
    run("lu.1", {written(tensor(PATCHBAY_F32, lu.data(), {300, 3, 3})),
                 written(tensor(PATCHBAY_I64, permutation.data(), {300, 3})),
                 written(tensor(PATCHBAY_I64, swaps.data(), {300})),
                 written(tensor(PATCHBAY_I64, info.data(), {300}))});
    EXPECT_EQ(lu[63], std::max({a[63], a[66], a[69]}));
    return std::tuple(lu, permutation, swaps, info);
  });
  const std::vector<float> factor = {2, 0, 4, 8};
  expect_equal_within(100, [&] {  // three strips of columns
    std::vector<float> x(a.begin(), a.begin() + 260);
    run("triangular.1", {written(tensor(PATCHBAY_F32, x.data(), {1, 2, 130})),
                         tensor(PATCHBAY_F32, factor.data(), {1, 2, 2})});
    EXPECT_EQ(x[129], a[129] / 2);
    EXPECT_EQ(x[259], (a[259] - 4 * x[129]) / 8);
    return x;
  });
}

/// Of one column, and of strips that groups share.
TEST_F(PortableLaunch, TransformsFitInTheGrid) {
  const std::vector<float> a = integers(2 * 4 * 300);
  expect_equal_within(5, [&] {
    std::vector<float> out(a.size());
    float scale = 2;
    patchbay_argument by{};
    by.kind = PATCHBAY_SCALAR;
    by.dtype = PATCHBAY_F32;
    std::memcpy(&by.value.bits, &scale, sizeof scale);
    run("fft.1", {written(tensor(PATCHBAY_F32, out.data(), {1, 4, 300, 2})),
                  tensor(PATCHBAY_F32, a.data(), {1, 4, 300, 2}), by});
    EXPECT_EQ(out[0], 2 * (a[0] + a[600] + a[1200] + a[1800]));
    return out;
  });
}

// ------------------------------------------------------------------------------- order

/// The lines do not merge, so that a work-item goes on from one to the next.
TEST_F(PortableLaunch, OrderOfASumIsThatOfShapeAndStridesAlone) {
  prepare({});
  workspace_limit_bytes_ = 0;  // so that one group adds all lines
  std::mt19937_64 engine(5);
  std::normal_distribution<double> draw;
  for (const std::int64_t columns : {4, 36, 600, 1030}) {
    const std::int64_t rows = 90000 / columns + 3, wide = columns + 2;
    std::vector<double> values(static_cast<std::size_t>(rows * wide + 4));
    for (double& value : values) value = draw(engine);
    // 16-byte packs begin at one of two neighbours; the elements are the same.
    std::vector<double> later(values.size() + 1);
    std::copy(values.begin(), values.end(), later.begin() + 1);
    const auto is_packed = [](const double* at) {
      return reinterpret_cast<std::uintptr_t>(at) % 16 == 0;
    };
    ASSERT_NE(is_packed(values.data()), is_packed(later.data() + 1));
    const auto sum_at = [&](const double* first) {
      double out = 0;
      run("sum.1", {written(tensor(PATCHBAY_F64, &out, {1, 1})),
                    tensor(PATCHBAY_F64, first, {rows, columns}, {wide, 1})});
      return out;
    };
    EXPECT_EQ(sum_at(later.data() + 1), sum_at(values.data())) << rows << " x " << columns;
  }
}

}  // namespace
}  // namespace patchbay::test
