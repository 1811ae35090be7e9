// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files of npy.
#include "data/file_test.h"

namespace patchbay::test {
namespace {

Device cpu() { return test_device("cpu:0"); }

class NpyTest : public FileTest {
 protected:
  Tensor read(const std::string& bytes) const {
    write(bytes);
    return nn::read_npy(path(), options());
  }
  void expect_refused(const std::string& bytes, const std::string& reason) const {
    EXPECT_INVALID(read(bytes), "[read_npy] no valid file of npy: '" + path() + "': " + reason);
  }
};

TEST_F(NpyTest, ReadsBothOrdersOfBytes) {
  const auto expect = [&](const std::string& code, auto values) {
    using T = typename decltype(values)::value_type;
    for (const bool is_big : {false, true}) {
      const std::string order = sizeof(T) == 1 ? "|" : is_big ? ">" : "<";
      const Tensor tensor = read(npy(order + code, "(3,)", bytes_of_all(values, is_big)));
      EXPECT_EQ(tensor.dtype(), dtype_of<T>());
      EXPECT_EQ(tensor.shape(), Shape{3});
      EXPECT_EQ(tensor.to_vector<T>(), values);
    }
  };
  expect("f4", std::vector<float>{1, -2.5F, 1e30F});
  expect("f8", std::vector<double>{1, -2.5, 1e300});
  expect("i1", std::vector<std::int8_t>{1, -2, 3});
  expect("i2", std::vector<std::int16_t>{1, -2, 3});
  expect("i4", std::vector<std::int32_t>{1, -2, 3});
  expect("i8", std::vector<std::int64_t>{1, -2, 3});
  expect("u1", std::vector<std::uint8_t>{1, 2, 255});
  expect("u2", std::vector<std::uint16_t>{1, 2, 65535});
  expect("u4", std::vector<std::uint32_t>{1, 2, 4294967295u});
  expect("u8", std::vector<std::uint64_t>{1, 2, 18446744073709551615u});
  const std::string halves = bytes_of_all(std::vector<std::uint16_t>{0x3c00, 0xc100, 0x7c00});
  EXPECT_EQ(read(npy("<f2", "(3,)", halves)).cast(DType::f32).to_vector<float>(),
            (std::vector<float>{1, -2.5F, INFINITY}));
  EXPECT_EQ(read(npy("|b1", "(2,)", std::string("\1\0", 2))).to_vector<bool>(),
            (std::vector<bool>{true, false}));
}

TEST_F(NpyTest, ReadsTheOrderOfTheMachine) {
  for (const char* descr : {"f4", "=f4", "|f4", "f", "<f", "float32"}) {
    EXPECT_EQ(
        read(npy(descr, "(2,)", bytes_of_all(std::vector<float>{1, -2.5F}))).to_vector<float>(),
        (std::vector<float>{1, -2.5F}));
  }
  EXPECT_EQ(read(npy("i8", "(1,)", bytes_of(std::int64_t{-3}))).to_vector<std::int64_t>(),
            std::vector<std::int64_t>{-3});
  EXPECT_EQ(read(npy("u1", "(1,)", "a")).to_vector<std::uint8_t>(), std::vector<std::uint8_t>{97});
  EXPECT_EQ(read(npy("=b1", "(1,)", "\1")).to_vector<bool>(), std::vector<bool>{true});
}

/// NumPy's letters and names.
TEST_F(NpyTest, ReadsOtherTextsForADType) {
  const std::pair<const char*, DType> texts[] = {
      {"e", DType::f16},      {"d", DType::f64},      {"b", DType::i8},
      {"h", DType::i16},      {"i", DType::i32},      {"l", DType::i64},
      {"q", DType::i64},      {"B", DType::u8},       {"H", DType::u16},
      {"I", DType::u32},      {"L", DType::u64},      {"Q", DType::u64},
      {"?", DType::boolean},  {"|?", DType::boolean}, {"bool", DType::boolean},
      {"int8", DType::i8},    {"uint64", DType::u64}, {"float16", DType::f16},
      {"float64", DType::f64}};
  for (const auto& [text, dtype] : texts) {
    const Tensor zero = read(npy(text, "(1,)", std::string(size_bytes(dtype), '\0')));
    EXPECT_EQ(zero.dtype(), dtype) << text;
  }
  EXPECT_EQ(read(npy(">d", "()", bytes_of(2.5, true))).item<double>(), 2.5);
}

TEST_F(NpyTest, ReadsArraysOneAfterAnother) {
  const std::string first = npy("<f4", "(2,)", bytes_of_all(std::vector<float>{1, 2})),
                    second = npy(">i4", "()", bytes_of(std::int32_t{7}, true)),
                    empty = npy("<f4", "(0, 3)", "");
  const auto all = [&](const std::string& bytes) {
    write(bytes);
    return nn::read_npy_all(path(), options());
  };
  const std::vector<Tensor> arrays = all(first + second + empty + first);
  ASSERT_EQ(arrays.size(), 4u);
  EXPECT_EQ(arrays[0].to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(arrays[1].item<std::int32_t>(), 7);
  EXPECT_EQ(arrays[2].shape(), (Shape{0, 3}));
  EXPECT_EQ(arrays[3].to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(all(second).size(), 1u);
  expect_refused(first + second,
                 "another array follows the first one. Call read_npy_all, which reads all.");
  const auto expect_wrong = [&](const std::string& bytes, int which, const std::string& reason) {
    EXPECT_INVALID(all(bytes), "[read_npy_all] no valid file of npy: '" + path() + "': array " +
                                   std::to_string(which) + ": " + reason);
  };
  expect_wrong(first + "x", 1, "it ends within its header: expected 8 bytes, got 1");
  expect_wrong(first + second.substr(0, second.size() - 1), 1,
               "expected 4 bytes of elements for i32 [], got 3");
  expect_wrong(first + npy("|O", "(1,)", "x"), 1, "Patchbay has no dtype for '|O'");
  expect_wrong("", 0, "it ends within its header: expected 8 bytes, got 0");
}

TEST_F(NpyTest, ReadsShapesVersionsAndBothOrdersOfElements) {
  const std::string six = bytes_of_all(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  using Values = std::vector<std::int32_t>;
  EXPECT_EQ(read(npy("<i4", "(2, 3)", six)).to_vector<std::int32_t>(), (Values{1, 2, 3, 4, 5, 6}));
  const Tensor fortran = read(npy("<i4", "(2, 3)", six, "True"));
  EXPECT_EQ(fortran.shape(), (Shape{2, 3}));
  EXPECT_TRUE(fortran.is_contiguous());
  EXPECT_EQ(fortran.to_vector<std::int32_t>(), (Values{1, 3, 5, 2, 4, 6}));
  const Tensor three = read(npy("<i4", "(1, 2, 3)", six, "True"));
  EXPECT_EQ(three.to_vector<std::int32_t>(), (Values{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(read(npy("<i4", "()", six.substr(0, 4))).shape(), Shape{});
  EXPECT_EQ(read(npy("<i4", "(0, 3)", "")).shape(), (Shape{0, 3}));
  EXPECT_EQ(read(npy("<i4", "(0, 3)", "", "True")).shape(), (Shape{0, 3}));
  EXPECT_EQ(read(npy("<i4", "(6L,)", six)).shape(), Shape{6}) << "of Python 2";
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(
        read(npy_file("{\"shape\":(6,),'fortran_order' : False , 'descr':'<i4'}", six, version))
            .num_elements(),
        6);
  }
}

TEST_F(NpyTest, RefusesWhatIsWrong) {
  expect_refused("", "it ends within its header: expected 8 bytes, got 0");
  expect_refused("NUMPYNUM", "it does not begin as an array of NumPy");
  expect_refused(npy_file("{}", "", 4), "expected version 1.0, 2.0 or 3.0, got 4.0");
  expect_refused(npy_file("{}", "", 1).substr(0, 11), "it ends within its header");
  expect_refused(npy_file(std::string(65536, ' '), "", 2),
                 "a header of 65536 bytes: expected at most 65535");
  const auto wrong = [&](const std::string& header, const std::string& reason) {
    expect_refused(npy_file(header, "abcd", 1), reason);
  };
  wrong("", "its header is wrong at byte 0: expected '{', got its end");
  wrong("{}", "its header has no 'descr'");
  wrong("{'descr': '<f4', 'fortran_order': False}", "its header has no 'shape'");
  wrong("{'descr': '<f4', 'descr': '<f4'}", "its header has 'descr' twice");
  wrong("{'other': 1}", "its header has an unknown key, 'other'");
  wrong("{'descr': '<f4'", "its header is wrong at byte 15: expected '}', got its end");
  wrong("{'descr", "its header is wrong at byte 2: expected a text without escapes, got 'descr'");
  wrong("{descr", "its header is wrong at byte 1: expected a text in quotes, got 'descr'");
  wrong("{'shape': (1)}", "its header is wrong at byte 12: expected ',', got ')}'");
  wrong("{'shape': (1, 2 3)}", "its header is wrong at byte 16: expected ')', got '3)}'");
  wrong("{'shape': (-1,)}", "its header is wrong at byte 11: expected an extent, got '-1,)}'");
  wrong(
      "{'shape': (9223372036854775808,)}",
      "an extent in its header is too large: expected at most 2^63 - 1, got '9223372036854775808'");
  wrong("{'shape': (1,1,1,1,1,1,1,1,1)}",
        "expected at most 8 dimensions, got 9. Reshape it before saving.");
  wrong("{'shape': (1, 1, 1, 1, 1, 1, 1, 1, 21, 3,)}", "expected at most 8 dimensions, got 10");
  wrong("{'fortran_order': 1}", "its header is wrong at byte 18: expected True or False, got '1}'");
  wrong("{'descr': [('a', '<f4')]}", "elements are structures, which Patchbay does not have");
  for (const char* descr :
       {"|O", "<c4", "<U3", "|S3", "<f3", "ff4", "=", "<M8[ns]", "<", "<float32", "g"}) {
    expect_refused(npy(descr, "(1,)", "abcd"),
                   std::string("Patchbay has no dtype for '") + descr + "'");
  }
  expect_refused(npy("", "(1,)", "abcd"), "Patchbay has no dtype for ''");
  expect_refused(npy("<f4", "(1,)", "abc"), "expected 4 bytes of elements for f32 [1], got 3");
  expect_refused(npy("<f4", "(1,)", "abcde"), "expected 4 bytes of elements for f32 [1], got 5");
  expect_refused(npy("<f4", "(4611686018427387904, 4)", ""),
                 "shape [4611686018427387904, 4] has more than 2^63 - 1 bytes");
  expect_refused(npy("<f4", "(4611686018427387,)", "abcd"), "expected 18446744073709548 bytes");
  expect_refused(npy("|b1", "(2,)", "\1\2"), "a wrong bool: expected 0 or 1, got 2");
}

TEST_F(NpyTest, ReadsComplexNumbersInBothOrders) {
  const std::string little("\0\0\x80\x3f\0\0\0\x40", 8), big("\x3f\x80\0\0\x40\0\0\0", 8);
  for (const auto& [descr, elements] : std::map<std::string, std::string>{
           {"<c8", little}, {">c8", big}, {"F", little}, {"complex64", little}}) {
    write(npy(descr, "(1,)", elements));
    const Tensor got = nn::read_npy(path(), options());
    EXPECT_EQ(got.to_vector<std::complex<float>>(), (std::vector<std::complex<float>>{{1, 2}}))
        << descr;
  }
}

TEST_F(NpyTest, ReadsWhatItSaves) {
  for (const DType dtype : kDTypes) {
    const Tensor values = arange(0, 6, 1, {DType::i32, cpu()}).cast(dtype).reshape({2, 3});
    if (dtype == DType::bf16) {
      EXPECT_ERROR(nn::save_npy(path(), values), ErrorCode::kDtypeMismatch,
                   "[save_npy] NumPy does not have the dtype bf16. Cast the tensor: "
                   "tensor.cast(DType::f32).");
      continue;
    }
    for (const Tensor& each : {values, values.t(), values[0], values[0][0], values.slice(0, 2)}) {
      nn::save_npy(path(), each);
      const Tensor got = nn::read_npy(path(), options());
      EXPECT_EQ(got.dtype(), dtype);
      EXPECT_EQ(got.shape(), each.shape());
      EXPECT_TRUE(got.num_elements() == 0 || all(eq(got, each)).item<bool>());
    }
  }
  nn::save_npy(path(), ones({3}, cpu()));
  EXPECT_EQ(written(), npy("<f4", "(3,)", bytes_of_all(std::vector<float>{1, 1, 1})));
  EXPECT_EQ((written().size() - 3 * sizeof(float)) % 64, 0u)
      << "elements begin at a multiple of 64";
  EXPECT_INVALID(nn::save_npy(path(), Tensor()),
                 "[save_npy] the tensor is undefined: expected one with a value.");
  EXPECT_EQ(nn::read_npy(path(), options()).size(0), 3) << "the old file is there";
}

class NpyOfDevices : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(NpyOfDevices);

TEST_P(NpyOfDevices, AreSaved) {
  const ScratchDirectory folder;
  const std::string path = folder.folder("files") + "/array.npy";
  const Tensor values = arange(0, 6, 1, {DType::i32, device_}).reshape({2, 3}).t();
  nn::save_npy(path, values);
  EXPECT_EQ(nn::read_npy(path, {.device = test_device("cpu:0")}).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{0, 3, 1, 4, 2, 5}));
}

}  // namespace
}  // namespace patchbay::test
