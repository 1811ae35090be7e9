// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <sstream>
#include <string>

#include <patchbay/ops.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

std::string printed(const Tensor& tensor) {
  std::ostringstream out;
  out << tensor;
  return out.str();
}

class ShowTest : public DeviceTest {
 protected:
  const std::string where_ = " on " + std::string(GetParam());
};
PATCHBAY_ON_EACH_DEVICE(ShowTest);

TEST_P(ShowTest, ShowsValuesOnEveryDevice) {
  const Tensor t = arange(0, 6, 1, {DType::i32, device_}).view({2, 3});
  EXPECT_EQ(show(t), "[[0, 1, 2],\n [3, 4, 5]]\ni32 [2, 3]" + where_);
  EXPECT_EQ(show(t.t()), "[[0, 3],\n [1, 4],\n [2, 5]]\ni32 [3, 2]" + where_);
  EXPECT_EQ(show(from_host({true, false}, {2}, device_)), "[true, false]  bool [2]" + where_);
  EXPECT_EQ(show(full({}, 0.1, device_)), "0.1  f32 []" + where_);
  EXPECT_EQ(show(zeros({1 << 30, 0}, device_)), "[]\nf32 [1073741824, 0]" + where_);
}

TEST_P(ShowTest, ShortensLongDimensions) {
  const Tensor t = arange(0.0, 2000, 1, device_);
  EXPECT_EQ(show(t), "[0, 1, 2, ..., 1997, 1998, 1999]  f32 [2000]" + where_);
  EXPECT_EQ(show(t.view({500, 4}).slice(0, 0, 400)),
            "[[0, 1, 2, 3],\n [4, 5, 6, 7],\n [8, 9, 10, 11],\n ...,\n [1588, 1589, 1590, 1591],\n"
            " [1592, 1593, 1594, 1595],\n [1596, 1597, 1598, 1599]]\nf32 [400, 4]" +
                where_);
}

TEST_P(ShowTest, PrintingNeverCopies) {
  const Tensor t = ones({2, 2}, device_);
  const std::uint64_t before = num_copies("", "");
  const std::string text = printed(t.t());
  EXPECT_EQ(num_copies("", ""), before);
  if (device_.properties().host_addressable) {
    EXPECT_EQ(text, show(t));
  } else {
    EXPECT_EQ(text, "f32 [2, 2]" + where_ + "; show(tensor) fetches the values");
  }
}

TEST(ShowHostTest, UndefinedTensors) {
  EXPECT_EQ(printed(Tensor()), "undefined tensor");
  EXPECT_ERROR(show(Tensor()), ErrorCode::kInvalidArgument, "[show] tensor is undefined");
}

}  // namespace
}  // namespace patchbay::test
