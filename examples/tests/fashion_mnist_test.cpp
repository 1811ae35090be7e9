// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examples/common/fashion_mnist.h"

#include <string>

#include <gtest/gtest.h>

#include <patchbay/error.h>

#include "examples/tests/gzip_files.h"

namespace examples {
namespace {

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
  EXPECT_NE(why().find("t10k-labels-idx1-ubyte.gz': No such file"), std::string::npos);
}

TEST_F(FashionMnistTest, RefusesOtherSizes) {
  rewrite("train-images-idx3-ubyte.gz", idx_bytes(0x803, {20, 2, 2}, Bytes(80)));
  EXPECT_NE(why().find("expected u8 [n, 28, 28], got u8 [20, 2, 2]"), std::string::npos);
}

TEST_F(FashionMnistTest, RefusesImagesAndLabelsThatDiffer) {
  rewrite("train-labels-idx1-ubyte.gz", idx_bytes(0x801, {19}, Bytes(19)));
  EXPECT_NE(why().find("expected u8 [20], got u8 [19]"), std::string::npos);
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
