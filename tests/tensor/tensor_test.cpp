// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "support/device_test.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(TensorTest);

TEST_P(TensorTest, IsCreatedWhereItIsAskedFor) {
  const Tensor t = zeros({2, 3}, {DType::i32, device_});
  EXPECT_EQ(t.device(), device_);
  EXPECT_EQ(t.dtype(), DType::i32);
  EXPECT_EQ(t.shape(), (Shape{2, 3}));
  EXPECT_EQ(t.strides(), (Shape{3, 1}));
  EXPECT_EQ(t.num_elements(), 6);
  EXPECT_EQ(t.size_bytes(), 24u);
  EXPECT_EQ(t.size(-1), 3);
  EXPECT_TRUE(t.is_contiguous());
  EXPECT_EQ(t.to_vector<std::int32_t>(), Ints(6, 0));
}

TEST(TensorOptionsTest, TakeADevicesName) {
  EXPECT_EQ(zeros({2}, "cpu:0").device(), Device("cpu"));
  EXPECT_EQ(zeros({2}, std::string("cpu")).device(), Device("cpu"));
  EXPECT_EQ(zeros({2}, {DType::i64, "cpu:0"}).dtype(), DType::i64);
  EXPECT_ERROR(zeros({2}, "abacus:0"), kUnknownDevice, "abacus:0");
  EXPECT_FALSE((std::is_constructible_v<TensorOptions, std::nullptr_t>));
}

TEST_P(TensorTest, FillsEveryDtype) {
  EXPECT_EQ(ones({3}, device_).to_vector<float>(), Floats(3, 1));
  EXPECT_EQ(full({2}, 0.1, {DType::f64, device_}).to_vector<double>(), Doubles(2, 0.1));
  EXPECT_EQ(full({2}, -5, {DType::i64, device_}).to_vector<std::int64_t>(), Longs(2, -5));
  EXPECT_EQ(full({5}, 255, {DType::u8, device_}).to_vector<std::uint8_t>(), Bytes(5, 255));
  EXPECT_EQ(ones({3}, {DType::boolean, device_}).to_vector<bool>(), Bools(3, true));
  EXPECT_INVALID(full({2}, 1.5, {DType::i32, device_}),
                 "[full] a literal takes the tensor's dtype");
}

TEST_P(TensorTest, LikeAndNewTakeDeviceAndDtypeOfTheirSource) {
  const Tensor source = ones({2, 2}, {DType::u8, device_}).t();
  for (const Tensor& t : {zeros_like(source), source.new_zeros({2, 2}), full_like(source, 0)}) {
    EXPECT_EQ(t.device(), device_);
    EXPECT_EQ(t.to_vector<std::uint8_t>(), Bytes(4, 0));
  }
  EXPECT_EQ(source.new_ones({3}, DType::f32).to_vector<float>(), Floats(3, 1));
  EXPECT_EQ(source.new_full({1}, 7).item<std::uint8_t>(), 7);
  EXPECT_EQ(source.new_empty({4}).shape(), Shape{4});
  EXPECT_EQ(empty_like(source).device(), device_);
  EXPECT_EQ(ones_like(source).dtype(), DType::u8);
}

TEST_P(TensorTest, ArangeCountsByStep) {
  EXPECT_EQ(arange(0, 5, 2, {DType::f32, device_}).to_vector<float>(), (Floats{0, 2, 4}));
  EXPECT_EQ(arange(3, -1, -2, {DType::i64, device_}).to_vector<std::int64_t>(), (Longs{3, 1}));
  EXPECT_EQ(arange(0, 1, 0.25, device_).to_vector<float>(), (Floats{0, .25, .5, .75}));
  EXPECT_EQ(arange(0, 256, 1, {DType::u8, device_}).num_elements(), 256);
  EXPECT_EQ(arange(2, 2, 1, device_).num_elements(), 0);
  EXPECT_EQ(arange(255, 0, -85, {DType::u8, device_}).to_vector<std::uint8_t>(),
            (Bytes{255, 170, 85}));
  EXPECT_EQ(arange(7, 8, 300, {DType::u8, device_}).to_vector<std::uint8_t>(), Bytes{7});
}

TEST_P(TensorTest, ArangeOfIntegersIsOfIntegers) {
  const Tensor t = arange(0, 5, 2, device_);
  EXPECT_EQ(t.dtype(), DType::i64);
  EXPECT_EQ(t.to_vector<std::int64_t>(), (Longs{0, 2, 4}));
  const std::int64_t large = std::int64_t{1} << 53;
  EXPECT_EQ(arange(large, large + 3, 1, device_).to_vector<std::int64_t>(),
            (Longs{large, large + 1, large + 2}));
  EXPECT_EQ(arange(0.0, 5, 2, device_).dtype(), DType::f32);
  EXPECT_EQ(arange(0, 5.0, 2, device_).dtype(), DType::f32);
  EXPECT_EQ(arange(0, 5, 2.0F, device_).dtype(), DType::f32);
  EXPECT_EQ(arange(0, 5, 2, {DType::f64, device_}).dtype(), DType::f64);
}

TEST_P(TensorTest, ArangeRefusesRangesThatLeadNowhere) {
  const auto make = [&](const Scalar& start, const Scalar& end, const Scalar& step, DType dtype) {
    return arange(start, end, step, {dtype, device_});
  };
  EXPECT_INVALID(make(0, 5, 0, DType::f32), "a step other than 0");
  EXPECT_INVALID(make(0, 5, -1, DType::f32), "leads away from the end");
  EXPECT_INVALID(make(0, INFINITY, 1, DType::f32), "finite numbers");
  EXPECT_ERROR(make(0, 1e300, 1e-9, DType::f32), kOverflow, "too many elements");
  EXPECT_ERROR(make(INT64_MIN, INT64_MAX, 1, DType::i64), kOverflow, "too many");
  EXPECT_INVALID(make(0, 300, 1, DType::u8), "got 299");
  EXPECT_ERROR(make(0, UINT64_MAX, 1, DType::i64), kOverflow, "[arange]",
               "expected at most 2^63 - 1, got start 0, end 18446744073709551615, step 1");
  EXPECT_INVALID(make(0, UINT64_MAX, std::int64_t{1} << 62, DType::i64),
                 "[arange] a literal takes the tensor's dtype: expected a value that i64 can hold, "
                 "got 13835058055282163712");
  EXPECT_INVALID(make(0, 4, UINT64_MAX, DType::i64),
                 "[arange] a literal takes the tensor's dtype: expected a value that i64 can hold");
  EXPECT_ERROR(make(0, 2, 1, DType::boolean), kDtypeMismatch, "[arange]");
}

TEST_P(TensorTest, EmptyAndScalarTensorsWork) {
  const Tensor none = zeros({2, 0, 3}, device_);
  EXPECT_EQ(none.num_elements(), 0);
  EXPECT_TRUE(none.is_contiguous());
  EXPECT_TRUE(none.to_vector<float>().empty());
  EXPECT_TRUE(from_host(Floats{}, {0}, device_).to_vector<float>().empty());
  const Tensor one = full({}, 2.5, device_);
  EXPECT_EQ(one.rank(), 0);
  EXPECT_EQ(one.item<float>(), 2.5F);
}

TEST_P(TensorTest, FromHostCopies) {
  Doubles values{1, 2, 3, 4, 5, 6};
  const Tensor t = from_host(values, {2, 3}, device_);
  values.assign(6, 0);
  EXPECT_EQ(t.to_vector<double>(), (Doubles{1, 2, 3, 4, 5, 6}));
  const Tensor flags = from_host({true, false, true}, {3}, device_);
  EXPECT_EQ(flags.to_vector<bool>(), (Bools{true, false, true}));
}

TEST_P(TensorTest, FromHostTakesSpansArraysAndPointers) {
  const Floats expected{1, 2, 3, 4, 5, 6};
  Floats values = expected;
  const auto check = [&](const Tensor& t) {
    EXPECT_EQ(t.dtype(), DType::f32);
    EXPECT_EQ(t.shape(), (Shape{2, 3}));
    EXPECT_EQ(t.to_vector<float>(), expected);
  };
  check(from_host(std::span(values), {2, 3}, device_));
  check(from_host(std::span<const float>(values), {2, 3}, device_));
  check(from_host(std::span<const float, 6>(values.data(), 6), {2, 3}, device_));
  check(from_host(std::span<float, 6>(values.data(), 6), {2, 3}, device_));
  check(from_host(values.data(), values.size(), {2, 3}, device_));
  check(from_host(expected.data(), expected.size(), {2, 3}, device_));
  const std::array<float, 6> array{1, 2, 3, 4, 5, 6};
  check(from_host(array, {2, 3}, device_));
  float flat[] = {1, 2, 3, 4, 5, 6};
  check(from_host(flat, {2, 3}, device_));
  const float matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
  check(from_host(matrix, {2, 3}, device_));
  const bool flags[] = {true, false};
  EXPECT_EQ(from_host(flags, {2}, device_).to_vector<bool>(), (Bools{true, false}));
}

TEST_P(TensorTest, FromHostChecksTheCount) {
  const Floats values(5);
  const float matrix[2][2] = {{1, 2}, {3, 4}};
  EXPECT_ERROR(from_host(values.data(), 5, {2, 3}, device_), kShapeMismatch,
               "expected 6 for shape [2, 3], got 5");
  EXPECT_ERROR(from_host(matrix, {2}, device_), kShapeMismatch, "expected 2 for shape [2], got 4");
  EXPECT_INVALID(from_host<float>(nullptr, 2, {2}, device_), "[from_host] the pointer is null");
  EXPECT_INVALID(from_host(values, {-3}, device_),
                 "[from_host] negative extent: expected 0 or more, got -3");
  EXPECT_ERROR(from_host({1.0F}, {std::int64_t{1} << 40, std::int64_t{1} << 40}, device_),
               kOverflow, "[from_host] too many elements");
  EXPECT_ERROR(from_host(values, {2, 3}, device_), kShapeMismatch,
               "expected 6 for shape [2, 3], got 5");
  EXPECT_INVALID(from_host_bytes(nullptr, DType::f32, {2}, device_),
                 "[from_host_bytes] the pointer is null: expected the address of 8 bytes for shape "
                 "[2]. Pass the address of the values.");
  EXPECT_INVALID(from_host_bytes(&values, DType::f32, {-1}, device_),
                 "[from_host_bytes] negative extent");
}

TEST_P(TensorTest, BadShapesAreRefusedBeforeAnythingIsAllocated) {
  const std::uint64_t blocks = device_.memory().live_blocks;
  EXPECT_INVALID(zeros({2, -3}, device_), "[zeros] negative extent");
  EXPECT_ERROR(empty({INT64_MAX, 3}, device_), kOverflow, "[empty] too many elements");
  EXPECT_ERROR(empty({INT64_MAX}, device_), kOverflow, "[empty] too many bytes");
  if (!device_.properties().f16) {
    EXPECT_ERROR(empty({2}, {DType::f16, device_}), kUnsupported,
                 "has no dtype f16: expected one of f32");
  }
  EXPECT_EQ(device_.memory().live_blocks, blocks);
}

TEST_P(TensorTest, MoreThanThereIsIsOutOfMemory) {
  EXPECT_ERROR(empty({std::int64_t{1} << 58}, device_), kOutOfMemory, device_.name());
  EXPECT_EQ(ones({2}, device_).to_vector<float>(), Floats(2, 1));
}

TEST_P(TensorTest, HandlesShareOneTensor) {
  const Tensor a = zeros({3}, device_);
  Tensor b = a;
  EXPECT_TRUE(b.is_same(a));
  b.fill_(4);
  EXPECT_EQ(a.to_vector<float>(), Floats(3, 4));
  const Tensor moved = std::move(b);
  EXPECT_FALSE(b.defined());  // NOLINT(bugprone-use-after-move): what a move leaves is the point
  EXPECT_TRUE(moved.is_same(a));
  EXPECT_FALSE(a.is_same(a.clone()));
  EXPECT_FALSE(a.is_same(a.slice(0, 1)));
  EXPECT_FALSE(a.is_same(Tensor()));
}

TEST_P(TensorTest, StorageIsFreedWithItsLastHandle) {
  device_.synchronize();
  const std::uint64_t before = device_.memory().live_bytes;
  Tensor view;
  {
    const Tensor t = zeros({100}, device_);
    view = t.slice(0, 10, 20);
  }
  EXPECT_GE(device_.memory().live_bytes, before + 400);
  EXPECT_EQ(view.to_vector<float>(), Floats(10, 0));
  view = Tensor();
  device_.synchronize();
  EXPECT_EQ(device_.memory().live_bytes, before);
}

TEST_P(TensorTest, ItemIsOneValueOfTheRightType) {
  EXPECT_ERROR(zeros({2}, device_).item<float>(), kShapeMismatch, "[item]", "1 element, got 2");
  EXPECT_ERROR(zeros({0}, device_).item<float>(), kShapeMismatch, "got 0");
  EXPECT_ERROR(zeros({1}, device_).item<int>(), kDtypeMismatch, "[item] wrong type of value",
               "expected f32 or f64, got a request for i32 (tensor: f32 [1]" + on_);
  EXPECT_ERROR(zeros({1}, device_).to_vector<int>(), kDtypeMismatch,
               "[to_vector] wrong type of value");
  EXPECT_TRUE(ones({1, 1}, {DType::boolean, device_}).item<bool>());
}

/// Reads values of `stored` as `T`, which holds them.
template <class T, class Stored>
void check_widening(const Device& device, const std::vector<Stored>& values) {
  const Tensor t = from_host(values, {values.size()}, device);
  std::vector<T> expected;
  for (const Stored value : values) expected.push_back(static_cast<T>(value));
  EXPECT_EQ(t.to_vector<T>(), expected);
  EXPECT_EQ(t[-1].item<T>(), expected.back());
  const Tensor twice = t.unsqueeze(1).expand({values.size(), 2});
  EXPECT_EQ(twice.to_vector<T>()[2], expected[1]);
}

TEST_P(TensorTest, ValuesComeAsTypesThatHoldThem) {
  const Floats floats{0.1F, -2.5F, 3e38F, 1e-45F};
  check_widening<double>(device_, floats);
  const Ints ints{INT32_MIN, 7, INT32_MAX};
  check_widening<std::int64_t>(device_, ints);
  check_widening<double>(device_, ints);
  const Bytes bytes{0, 1, 255};
  check_widening<std::int32_t>(device_, bytes);
  check_widening<std::int64_t>(device_, bytes);
  check_widening<float>(device_, bytes);
  check_widening<double>(device_, bytes);
  const std::vector<std::int8_t> small{-128, -1, 127};
  check_widening<std::int16_t>(device_, small);
  check_widening<std::int64_t>(device_, small);
  check_widening<float>(device_, small);
  const std::vector<std::uint32_t> unsigned_ints{0, 7, UINT32_MAX};
  check_widening<std::uint64_t>(device_, unsigned_ints);
  check_widening<std::int64_t>(device_, unsigned_ints);
  check_widening<double>(device_, unsigned_ints);
  const Bools flags{true, false, true};
  check_widening<std::uint8_t>(device_, flags);
  check_widening<std::int32_t>(device_, flags);
  check_widening<double>(device_, flags);
  const double nan = from_host({NAN}, {1}, device_).item<double>();
  EXPECT_TRUE(std::isnan(nan));
}

TEST_P(TensorTest, TypesThatLoseSomethingAreRefused) {
  const auto refuses = [](const auto& read, const char* expected) {
    EXPECT_ERROR(read(), kDtypeMismatch, expected);
  };
  const Tensor i64 = ones({1}, {DType::i64, device_}), i32 = i64.cast(DType::i32);
  refuses([&] { return i64.item<double>(); }, "expected i64, got a request for f64");
  refuses([&] { return i64.to_vector<int>(); }, "expected i64, got a request for i32");
  refuses([&] { return i32.item<float>(); }, "expected f64 or i32 or i64, got a request for f32");
  refuses([&] { return i32.item<bool>(); }, "got a request for bool");
  refuses([&] { return ones({1}, {DType::f64, device_}).item<float>(); }, "expected f64, got");
  refuses(
      [&] {
        return ones({1}, {DType::u8, device_}).item<bool>();
      },
      "expected f32 or f64 or i32 or i64 or u8 or i16 or u16 or u32 or u64, got a request for "
      "bool");
  const Tensor u64 = i64.cast(DType::u64);
  refuses([&] { return u64.item<std::int64_t>(); }, "expected u64, got a request for i64");
  refuses([&] { return u64.cast(DType::i8).item<std::uint16_t>(); },
          "expected f32 or f64 or i32 or i64 or i8 or i16, got a request for u16");
  refuses([&] { return u64.cast(DType::u32).item<float>(); },
          "expected f64 or i64 or u32 or u64, got a request for f32");
  refuses([&] { return ones({1}, device_).to_vector<std::int64_t>(); }, "expected f32 or f64, got");
}

TEST_P(TensorTest, FetchingIsCountedOnEveryDevice) {
  const Tensor t = ones({2, 2}, device_);
  const std::uint64_t before = num_copies(device_.name(), "host");
  static_cast<void>(t.to_vector<float>());
  static_cast<void>(t[0][0].item<float>());
  static_cast<void>(show(t));
  EXPECT_EQ(num_copies(device_.name(), "host"), before + 3);
}

TEST_P(TensorTest, StridedValuesAreOneCopy) {
  const Tensor t = arange(0, 6, 1, {DType::i32, device_}).view({2, 3}).t();
  const LedgerEntry before = test_runtime().ledger().total("", "");
  const auto expect_copies = [&](std::uint64_t copies, std::uint64_t bytes) {
    const LedgerEntry after = test_runtime().ledger().total("", "");
    EXPECT_EQ(after.copies - before.copies, copies);
    EXPECT_EQ(after.bytes - before.bytes, bytes);
  };
  EXPECT_EQ(t.to_vector<std::int32_t>(), (Ints{0, 3, 1, 4, 2, 5}));
  expect_copies(1, 24);
  EXPECT_EQ(t[1][1].item<std::int32_t>(), 4);
  expect_copies(2, 28);
  EXPECT_EQ(t.slice(1, 1).to_vector<double>(), (Doubles{3, 4, 5}));
  expect_copies(3, 40);
}

TEST(TensorHostTest, DataIsTheMemoryItselfWhereTheHostReachesIt) {
  const Tensor t = from_host({1.0F, 2.0F, 3.0F}, {3}, test_device("cpu:0"));
  const std::uint64_t before = num_copies("", "");
  t.data<float>()[1] = 7;
  EXPECT_EQ(t.slice(0, 1).data<float>()[0], 7);
  EXPECT_EQ(num_copies("", ""), before);
  EXPECT_ERROR(t.data<double>(), kDtypeMismatch, "[data] wrong type of elements");
  EXPECT_ERROR(ones({1}, test_device("fake:0")).data<float>(), kUnsupported,
               "[data] the host can't address the memory of fake:0");
}

TEST(TensorHostTest, WrapHostBorrows) {
  std::array<float, 4> memory{1, 2, 3, 4};
  bool released = false;
  {
    const Tensor t = wrap_host(memory.data(), DType::f32, {2, 2}, test_device("cpu:0"),
                               [&] { released = true; });
    t.t().select(0, 1).fill_(9);
    EXPECT_FALSE(released);
  }
  EXPECT_TRUE(released);
  EXPECT_EQ(memory, (std::array<float, 4>{1, 9, 3, 9}));
}

/// A write would be a fault where the memory is mapped for reading.
TEST(TensorHostTest, WrapHostOfConstIsReadOnly) {
  const std::array<float, 4> memory{1, 2, 3, 4};
  bool released = false;
  {
    const Tensor t = wrap_host(memory.data(), DType::f32, {2, 2}, test_device("cpu:0"),
                               [&] { released = true; });
    const void* const untyped = memory.data();
    const Tensor other = wrap_host(untyped, DType::f32, {4}, test_device("cpu:0"));
    EXPECT_EQ((t + t).to_vector<float>(), (Floats{2, 4, 6, 8}));
    EXPECT_EQ(t.t().data<const float>()[1], 2);
    const auto expect_refused = [](const std::string& what, auto&& write) {
      EXPECT_INVALID(write(), what + " is read-only: its owner lent the memory to be read");
    };
    expect_refused("[fill_] tensor", [&] { t.fill_(1); });
    expect_refused("[fill_] tensor", [&] { t.t().select(0, 1).fill_(9); });
    expect_refused("[fill_] tensor", [&] { other.fill_(1); });
    expect_refused("[copy_from] destination", [&] { t.copy_from(ones({2, 2}, t.device())); });
    expect_refused("[copy_from] destination", [&] {
      t.copy_from(ones({2, 2}, test_device("fake:0")));
    });
    expect_refused("[add] a", [&] { add_out(t, t, t); });
    expect_refused("[neg] out", [&] { neg_out(other.slice(0, 2), other.slice(0, 2)); });
    const Buffer buffer = Buffer::wrap_host(test_device("cpu:0"), memory.data(), sizeof memory);
    expect_refused("[copy_from_host] the destination", [&] {
      copy_from_host({buffer, 0, sizeof memory}, memory.data());
    });
  }
  EXPECT_TRUE(released);
  EXPECT_EQ(memory, (std::array<float, 4>{1, 2, 3, 4}));
}

TEST(TensorHostTest, WrapHostChecksWhatItIsGiven) {
  alignas(8) std::array<char, 16> memory{};
  const auto wrap = [&](void* data, const char* device) {
    return wrap_host(data, DType::f32, {2}, test_device(device));
  };
  EXPECT_ERROR(wrap(memory.data(), "fake:0"), kUnsupported, "[wrap_host]");
  EXPECT_INVALID(wrap(nullptr, "cpu:0"), "[wrap_host] null memory");
  EXPECT_INVALID(wrap(memory.data() + 1, "cpu:0"), "misaligned");
}

TEST(TensorHostTest, UndefinedTensorsSaySo) {
  const Tensor none;
  EXPECT_FALSE(none.defined());
  EXPECT_INVALID(none.shape(), "[shape] tensor is undefined");
  EXPECT_INVALID(none.device(), "[device] tensor is undefined");
  EXPECT_INVALID(none.clone(), "[clone]");
  EXPECT_INVALID(zeros_like(none), "[zeros_like]");
  EXPECT_INVALID(none.fill_(1), "[fill_] tensor is undefined");
}

TEST(TensorHostTest, ScopesChangeTheDefaultDevice) {
  const Device cpu = test_device("cpu:0"), fake = test_device("fake:0");
  const DefaultDeviceScope outer(cpu);
  {
    const DefaultDeviceScope inner(fake);
    EXPECT_EQ(zeros({1}).device(), fake);
    EXPECT_EQ(from_host({1.0F}, {1}).device(), fake);
    EXPECT_EQ(zeros({1}, cpu).device(), cpu);
  }
  EXPECT_EQ(arange(0, 3).device(), cpu);
}

TEST(TensorHostTest, DtypesThatADeviceLacksAreRefused) {
  const Runtime runtime(options({{"fake_f64", "0"}}));
  const Device fake = runtime.device("fake:0");
  EXPECT_ERROR(zeros({2}, {DType::f64, fake}), kUnsupported,
               "[zeros] device fake:0 has no dtype f64");
  const Tensor host = zeros({2}, {DType::f64, runtime.device("cpu:0")});
  EXPECT_ERROR(host.to(fake), kUnsupported, "[to] device fake:0");
  EXPECT_ERROR(zeros({2}, fake).cast(DType::f64), kUnsupported,
               "[cast] device fake:0 has no dtype f64");
  fake.synchronize();
  EXPECT_EQ(fake.memory().live_blocks, 0u);
}

TEST(TensorHostTest, NumbersThatAreNoDtypeAreRefused) {
  const Device cpu = test_device("cpu:0");
  float values[2] = {1, 2};
  for (const int number : {0, 77, 255}) {
    const auto none = static_cast<DType>(number);
    const auto refuses = [number](const char* operation, const auto& run) {
      EXPECT_INVALID(run(),
                     std::string("[") + operation + "] not a dtype: expected one of f32, f64, ");
      EXPECT_INVALID(run(), ", got the number " + std::to_string(number));
    };
    refuses("empty", [&] { return empty({2}, {none, cpu}); });
    refuses("zeros", [&] { return zeros({2}, {none, cpu}); });
    refuses("full", [&] { return full({2}, 1, {none, cpu}); });
    refuses("cast", [&] { return zeros({2}, cpu).cast(none); });
    refuses("from_host_bytes", [&] { return from_host_bytes(values, none, {2}, cpu); });
    refuses("wrap_host", [&] { return wrap_host(values, none, {2}, cpu, {}); });
  }
}

}  // namespace
}  // namespace patchbay::test
