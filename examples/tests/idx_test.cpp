// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examples/common/idx.h"

#include <string>

#include <gtest/gtest.h>

#include <patchbay/error.h>

#include "examples/common/fashion_mnist.h"
#include "examples/tests/gzip_files.h"

namespace examples {
namespace {

class IdxTest : public testing::Test {
 protected:
  /// The message with which reading that file fails; it is one line.
  std::string why(const std::filesystem::path& name, int rank = 1) {
    try {
      read_idx(folder_.path() / name, rank);
    } catch (const patchbay::Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    ADD_FAILURE() << "read_idx accepted " << name;
    return {};
  }
  std::string why_gzip(const Bytes& bytes, int rank = 1) {
    write_gzip(folder_.path() / "a.gz", bytes);
    return why("a.gz", rank);
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryFolder folder_;
};

TEST_F(IdxTest, ReadsExtentsAndElements) {
  write_gzip(folder_.path() / "a.gz", idx_bytes(0x802, {2, 3}, {1, 2, 3, 4, 5, 6}));
  const IdxArray array = read_idx(folder_.path() / "a.gz", 2);
  EXPECT_EQ(array.dims, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(array.values, (Bytes{1, 2, 3, 4, 5, 6}));
}

TEST_F(IdxTest, ReadsMoreThanOneChunk) {
  Bytes values((std::size_t{5} << 19) + 7);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i % 251);
  write_gzip(folder_.path() / "a.gz",
             idx_bytes(0x801, {static_cast<std::uint32_t>(values.size())}, values));
  EXPECT_EQ(read_idx(folder_.path() / "a.gz", 1).values, values);
}

TEST_F(IdxTest, AcceptsNoElements) {
  write_gzip(folder_.path() / "a.gz", idx_bytes(0x802, {0, 4294967295u}, {}));
  EXPECT_TRUE(read_idx(folder_.path() / "a.gz", 2).values.empty());
}

TEST_F(IdxTest, RefusesAMissingFile) {
  EXPECT_TRUE(has(why("missing.gz"), "No such file"));
  EXPECT_TRUE(has(why("bad\nname"), "bad\\x0aname"));
}

TEST_F(IdxTest, RefusesAFolder) { EXPECT_TRUE(has(why("."), "not a regular file")); }

TEST_F(IdxTest, RefusesWhatIsNotGzip) {
  write_file(folder_.path() / "plain", idx_bytes(0x801, {2}, {1, 2}));
  EXPECT_TRUE(has(why("plain"), "not a gzip file"));
  write_file(folder_.path() / "short", {1});
  EXPECT_TRUE(has(why("short"), "not a gzip file"));
}

TEST_F(IdxTest, RefusesAnEmptyFile) {
  write_file(folder_.path() / "empty", {});
  EXPECT_TRUE(has(why("empty"), "ends within its header"));
  EXPECT_TRUE(has(why_gzip({}), "ends within its header"));
  EXPECT_TRUE(has(why_gzip({0, 0, 8, 1, 0, 0}), "ends within its header"));
}

TEST_F(IdxTest, RefusesTheWrongMagicNumber) {
  EXPECT_TRUE(has(why_gzip(idx_bytes(0x803, {1}, {1})), "expected 0x00000801, got 0x00000803"));
  EXPECT_TRUE(has(why_gzip(idx_bytes(0xd01, {1}, {1})), "wrong magic number"));
}

TEST_F(IdxTest, RefusesWrongCounts) {
  EXPECT_TRUE(has(why_gzip(idx_bytes(0x801, {3}, {1, 2})), "expected 3 bytes of elements, got 2"));
  EXPECT_TRUE(has(why_gzip(idx_bytes(0x801, {1}, {1, 2})), "too long"));
}

TEST_F(IdxTest, RefusesALyingHeaderBeforeItAllocates) {
  EXPECT_TRUE(has(why_gzip(idx_bytes(0x801, {4294967295u}, {1})), "promises too much"));
  // The products of these extents are 0 modulo 2^32 and 2^64.
  EXPECT_TRUE(has(why_gzip(idx_bytes(0x803, {65536, 65536, 1}, {1}), 3), "promises too much"));
  const std::uint32_t half = 1u << 31;
  EXPECT_TRUE(has(why_gzip(idx_bytes(0x803, {half, half, 4}, {1}), 3), "promises too much"));
}

TEST_F(IdxTest, RefusesEveryTruncation) {
  Bytes values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * 37);
  write_gzip(folder_.path() / "whole", idx_bytes(0x801, {100}, values));
  Bytes bytes = read_file(folder_.path() / "whole");
  while (!bytes.empty()) {
    bytes.pop_back();
    write_file(folder_.path() / "cut", bytes);
    EXPECT_FALSE(why("cut").empty()) << bytes.size();
  }
}

TEST_F(IdxTest, RefusesFlippedBits) {
  Bytes values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i * 37);
  write_gzip(folder_.path() / "whole", idx_bytes(0x801, {100}, values));
  const Bytes bytes = read_file(folder_.path() / "whole");
  // The ten bytes of the header hold a time, and the next one bits of padding: they have no effect.
  for (std::size_t i = 11; i < bytes.size(); ++i) {
    Bytes damaged = bytes;
    damaged[i] ^= 0x10;
    write_file(folder_.path() / "damaged", damaged);
    EXPECT_FALSE(why("damaged").empty()) << "byte " << i;
  }
}

class FashionMnistTest : public testing::Test {
 protected:
  void SetUp() override { write_fashion_mnist(folder_.path(), 20, 5); }
  /// The message with which loading fails: it says how to get the files.
  std::string why() {
    try {
      load_fashion_mnist(folder_.path());
    } catch (const patchbay::Error& error) {
      EXPECT_NE(std::string(error.what()).find("apt-get install dataset-fashion-mnist"),
                std::string::npos);
      return error.what();
    }
    ADD_FAILURE() << "load_fashion_mnist accepted the folder";
    return {};
  }
  void rewrite(const std::string& name, const Bytes& bytes) {
    write_gzip(folder_.path() / name, bytes);
  }

  TemporaryFolder folder_;
};

TEST_F(FashionMnistTest, Loads) {
  const FashionMnist data = load_fashion_mnist(folder_.path());
  EXPECT_EQ(data.training.count, 20);
  EXPECT_EQ(data.training.pixels.size(), 20u * 784u);
  EXPECT_EQ(data.test.count, 5);
  EXPECT_EQ(data.test.labels, (Bytes{0, 1, 2, 3, 4}));
}

TEST_F(FashionMnistTest, NamesAMissingFile) {
  std::filesystem::remove(folder_.path() / "t10k-labels-idx1-ubyte.gz");
  EXPECT_NE(why().find("t10k-labels-idx1-ubyte.gz' can't be opened: No such file"),
            std::string::npos);
}

TEST_F(FashionMnistTest, RefusesOtherSizes) {
  rewrite("train-images-idx3-ubyte.gz", idx_bytes(0x803, {20, 2, 2}, Bytes(80)));
  EXPECT_NE(why().find("expected 28 x 28, got 2 x 2"), std::string::npos);
}

TEST_F(FashionMnistTest, RefusesImagesAndLabelsThatDiffer) {
  rewrite("train-labels-idx1-ubyte.gz", idx_bytes(0x801, {19}, Bytes(19)));
  EXPECT_NE(why().find("expected 20 labels, got 19"), std::string::npos);
}

TEST_F(FashionMnistTest, RefusesBadLabels) {
  rewrite("t10k-labels-idx1-ubyte.gz", idx_bytes(0x801, {5}, {0, 1, 10, 3, 4}));
  EXPECT_NE(why().find("expected 0 to 9, got 10 at 2"), std::string::npos);
}

TEST_F(FashionMnistTest, RefusesNoImages) {
  rewrite("t10k-images-idx3-ubyte.gz", idx_bytes(0x803, {0, 28, 28}, {}));
  EXPECT_NE(why().find("holds no images"), std::string::npos);
}

}  // namespace
}  // namespace examples
