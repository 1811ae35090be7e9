// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Texts: what they have in them, and those of files. Includes the headers of the standard library
// that most tests use, so that no test lists them.
#ifndef PATCHBAY_TESTS_SUPPORT_TEXT_H_
#define PATCHBAY_TESTS_SUPPORT_TEXT_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::test {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline testing::AssertionResult has_part(std::string_view text, std::string_view part) {
  if (contains(text, part)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in: " << text;
}
#define EXPECT_HAS(text, part) EXPECT_TRUE(::patchbay::test::has_part(text, part))

/// Empty for a file that can't be read.
inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_TEXT_H_
