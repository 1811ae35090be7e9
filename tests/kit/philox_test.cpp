// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The text of Philox that the portable operators share, on the published vectors.
#include "support/device_test.h"
#include "support/kernels.h"
#include "support/paths.h"

namespace patchbay::test {
namespace {

class PhiloxTextTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(PhiloxTextTest);

constexpr const char* kBlock = R"(
PATCHBAY_KERNEL(block)(PATCHBAY_OUTPUT(i64, words), PATCHBAY_VALUE(i64, value)) {
  PATCHBAY_BIND(i64, words);
  if (PATCHBAY_GLOBAL_ID64(0) != 0) return;
  const PhiloxBlock made = philox((u64)value, (u64)value, (u64)value);
  for (i32 j = 0; j < 4; ++j) words[j] = (i64)made.word[j];
  for (i32 j = 0; j < 2; ++j) words[4 + j] = (i64)philox_draw(made, j);
}
)";

TEST_P(PhiloxTextTest, KnownVectors) {
  const std::string path = source_path("kit/portable/texts/philox.pbk");
  const ModuleKernel block =
      KernelModule::from_source(device_, read_text(path) + kBlock).kernel("block");
  const auto run = [&](std::int64_t value) {
    const Tensor words = empty({6}, {DType::i64, device_});
    block.launch({{1}, {1}}, {words, value});
    return words.to_vector<std::int64_t>();
  };
  EXPECT_EQ(run(0), (std::vector<std::int64_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8,
                                               -0x1e963a7299d8172b, -0x64ff242743a853b4}));
  EXPECT_EQ(run(-1), (std::vector<std::int64_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd,
                                                0x41c83b0e408f276d, 0x6d5451fda20bc7c6}));
}

}  // namespace
}  // namespace patchbay::test
