// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the simulated compiler makes and the simulated driver loads: the text itself.
#ifndef PATCHBAY_TESTS_SIM_IMAGE_H_
#define PATCHBAY_TESTS_SIM_IMAGE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kit/executor/executor.hpp"

namespace patchbay::sim {

struct Image {
  bool is_code = false;      // for its architecture alone; else for all from it on
  std::string architecture;  // as in Config
  std::string text;          // without the dialect's header
  bool flushes = false;      // subnormal numbers, as the compiler's option asks

  std::string to_bytes() const;
  static std::optional<Image> from_bytes(std::string_view bytes);
};

/// The text behind the dialect's header, as the plugin hands it to the compiler.
std::string without_dialect(std::string_view text);

/// Compiles for the host, through the kernel executor.
std::shared_ptr<const executor::Module> load(const std::string& text);

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_IMAGE_H_
