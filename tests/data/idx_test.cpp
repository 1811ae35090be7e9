// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files of idx, as they are and gzipped.
#include "data/file_test.h"

namespace patchbay::test {
namespace {

std::string idx(int type, const std::vector<std::uint32_t>& extents, const std::string& elements) {
  std::string bytes = {'\0', '\0', static_cast<char>(type), static_cast<char>(extents.size())};
  return bytes + bytes_of_all(extents, /*is_big_endian=*/true) + elements;
}

class IdxTest : public FileTest {
 protected:
  Tensor read(const std::string& bytes) const {
    write(bytes);
    return nn::read_idx(path(), options());
  }
  /// Refused as it is, and gzipped.
  void expect_refused(const std::string& bytes, const std::string& reason) const {
    for (const std::string& each : {bytes, gzipped(bytes)}) {
      EXPECT_INVALID(read(each), "[read_idx] no valid file of idx: '" + path() + "': " + reason);
    }
  }
};

TEST_F(IdxTest, ReadsEveryType) {
  const auto expect = [&](int type, auto values) {
    using T = typename decltype(values)::value_type;
    const std::string bytes = idx(type, {3, 1}, bytes_of_all(values, true));
    for (const std::string& each : {bytes, gzipped(bytes)}) {
      const Tensor tensor = read(each);
      EXPECT_EQ(tensor.dtype(), dtype_of<T>());
      EXPECT_EQ(tensor.shape(), (Shape{3, 1}));
      EXPECT_EQ(tensor.to_vector<T>(), values);
    }
  };
  expect(0x08, std::vector<std::uint8_t>{1, 2, 255});
  expect(0x09, std::vector<std::int8_t>{1, -2, 127});
  expect(0x0b, std::vector<std::int16_t>{1, -2, 32767});
  expect(0x0c, std::vector<std::int32_t>{1, -2, 1 << 30});
  expect(0x0d, std::vector<float>{1, -2.5F, 1e30F});
  expect(0x0e, std::vector<double>{1, -2.5, 1e300});
}

TEST_F(IdxTest, ReadsManyElementsNoneAndSeveralMembers) {
  std::string values(1'234'567, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i % 251);
  const std::string many = idx(0x08, {1'234'567}, values);
  for (const std::string& each :
       {many, gzipped(many), gzipped(many.substr(0, 1000)) + gzipped(many.substr(1000))}) {
    const std::vector<std::uint8_t> got = read(each).to_vector<std::uint8_t>();
    EXPECT_EQ(std::string(got.begin(), got.end()), values);
  }
  EXPECT_EQ(read(gzipped(idx(0x08, {0, 4294967295u}, ""))).shape(), (Shape{0, 4294967295}));
}

TEST_F(IdxTest, RefusesWhatIsWrong) {
  expect_refused("", "it ends within its header: expected 4 bytes, got 0");
  expect_refused(std::string("\0\0\x08", 3), "it ends within its header: expected 4 bytes, got 3");
  expect_refused(std::string("\0\0\x08\1\0\0", 6), "it ends within its header: expected 4 bytes");
  expect_refused("ab\x08\1", "expected two bytes of 0 at its start, got 0x61 0x62");
  expect_refused(idx(0x0a, {1}, "a"), "no such type of elements: 0x0a");
  expect_refused(idx(0x08, {}, "a"), "expected 1 to 8 dimensions, got 0");
  expect_refused(idx(0x08, std::vector<std::uint32_t>(9, 1), "a"),
                 "expected 1 to 8 dimensions, got 9");
  expect_refused(idx(0x0e, {4294967295u, 4294967295u}, "a"),
                 "shape [4294967295, 4294967295] has more than 2^63 - 1 bytes");
  expect_refused(idx(0x08, {4294967295u, 0, 4294967295u}, ""),
                 "shape [4294967295, 0, 4294967295] has more than 2^63 - 1 bytes");
  write(idx(0x08, {3}, "ab"));
  EXPECT_INVALID(nn::read_idx(path(), options()), "expected 3 bytes of elements for u8 [3], got 2");
  write(gzipped(idx(0x08, {3}, "ab")));
  EXPECT_INVALID(nn::read_idx(path(), options()), "expected 3 bytes of elements, got 2");
  write(gzipped(idx(0x08, {1}, "ab")));
  EXPECT_INVALID(nn::read_idx(path(), options()), "expected 1 bytes of elements, got more");
  EXPECT_ERROR(nn::read_idx("/no/such/file", options()), ErrorCode::kIo,
               "[read_idx] can't open the file: '/no/such/file': No such file or directory.");
  EXPECT_ERROR(nn::read_idx(folder_.path(), options()), ErrorCode::kIo, "expected a regular file");
  EXPECT_ERROR(nn::read_idx(path(), {.device = test_device("fake:0")}), ErrorCode::kUnsupported,
               "[read_idx] the host can't address the memory of fake:0: expected a CPU device. "
               "Bring the tensor there: tensor.to(\"fake:0\").");
}

TEST_F(IdxTest, FewBytesDoNotStandForManyUnlessAsked) {
  const std::string bytes = gzipped(idx(0x08, {1000, 1000}, std::string(1'000'000, '\0')));
  EXPECT_EQ(read(bytes).num_elements(), 1'000'000);
  nn::ReadOptions small = options();
  small.most_bytes = 999'999;
  EXPECT_INVALID(
      nn::read_idx(path(), small),
      "u8 [1000, 1000] has 1000000 bytes: expected at most 999999. Raise the option most_bytes.");
  // Nothing is allocated for elements that are not there.
  write(gzipped(idx(0x08, {4294967295u}, "a")));
  EXPECT_INVALID(nn::read_idx(path(), {options().device, 1ull << 40}),
                 "expected 4294967295 bytes of elements, got 1");
}

TEST_F(IdxTest, RefusesDamagedGzip) {
  std::string values(100, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i * 37);
  const std::string whole = gzipped(idx(0x08, {100}, values));
  for (std::size_t size = 2; size < whole.size(); ++size) {
    EXPECT_INVALID(read(whole.substr(0, size)), "its compressed data is cut off");
  }
  // The ten bytes of the header have a time, and the next one bits of padding: without effect.
  for (std::size_t i = 11; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_INVALID(read(damaged), path());
  }
  EXPECT_INVALID(read(whole + "more"), "its compressed data is damaged (incorrect header check)");
}

}  // namespace
}  // namespace patchbay::test
