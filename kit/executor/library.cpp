// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/library.hpp"

#include "patchbay/plugin/kit/error.hpp"

#include "kit/dialect_module.hpp"

namespace patchbay::executor {
namespace {

/// The mangled name of a static member function of patchbay_text.
std::string symbol_of(const std::string& function, const char* parameters) {
  return "_ZN13patchbay_text" + std::to_string(function.size()) + function + "E" + parameters;
}

}  // namespace

Library::Library(const std::string& path) : library_(path, patchbay::Library::Lifetime::kObject) {
  if (library_) return;
  throw plugin::StatusError(PATCHBAY_DRIVER_ERROR,
                            "a compiled kernel can't be opened: " + library_.why());
}

Library::Entry Library::find(const std::string& kernel) const {
  const std::string name = compiled_name(kernel);
  const std::string run = symbol_of("patchbay_run_" + name, "R15patchbay_launch");
  const std::string describe = symbol_of("patchbay_describe_" + name, "Pii");
  Entry entry;
  library_.optional(run.c_str(), entry.run);
  library_.optional(describe.c_str(), entry.describe);
  return entry;
}

}  // namespace patchbay::executor
