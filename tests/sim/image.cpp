// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <cctype>
#include <cstdlib>

namespace patchbay::sim {
namespace {

constexpr std::string_view kCodeMagic = "PATCHBAY-SIM-CODE ";
constexpr std::string_view kAssemblyMagic = "PATCHBAY-SIM-ASSEMBLY ";
constexpr const char* kFlushes = "FLUSHES ";
constexpr std::string_view kEndOfDialect = "#endif /* PATCHBAY_PLUGIN_KERNELS_DIALECT_H_ */\n";

/// The executor asks for settings alone.
std::uint32_t option(patchbay_host_context*, patchbay_string name, patchbay_bytes_callback found,
                     void* user) {
  std::string variable = "PATCHBAY_";
  for (const char c : plugin::from_abi(name)) {
    variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  const char* const value = std::getenv(variable.c_str());
  if (value == nullptr) return 0;
  found(user, value, std::string_view(value).size());
  return 1;
}

const patchbay_host* host() {
  static const patchbay_host table = [] {
    patchbay_host made{};
    made.size = sizeof made;
    made.option = option;
    return made;
  }();
  return &table;
}

}  // namespace

std::string Image::to_bytes() const {
  return std::string(is_code ? kCodeMagic : kAssemblyMagic) + (flushes ? kFlushes : "") +
         architecture + "\n" + text;
}

std::optional<Image> Image::from_bytes(std::string_view bytes) {
  Image image{bytes.substr(0, kCodeMagic.size()) == kCodeMagic, {}, {}, false};
  const std::string_view magic = image.is_code ? kCodeMagic : kAssemblyMagic;
  const std::size_t end = bytes.find('\n');
  if (bytes.substr(0, magic.size()) != magic || end == std::string_view::npos) return std::nullopt;
  image.architecture = bytes.substr(magic.size(), end - magic.size());
  image.flushes = image.architecture.starts_with(kFlushes);
  if (image.flushes) image.architecture.erase(0, std::string_view(kFlushes).size());
  image.text = bytes.substr(end + 1);
  return image;
}

std::string without_dialect(std::string_view text) {
  const std::size_t end = text.find(kEndOfDialect);
  return std::string(end == std::string_view::npos ? text
                                                   : text.substr(end + kEndOfDialect.size()));
}

std::shared_ptr<const executor::Module> load(const std::string& text) {
  static executor::Executor& executor = *new executor::Executor(plugin::Host(host()));
  return executor.load(executor::kFormat, text);
}

}  // namespace patchbay::sim
