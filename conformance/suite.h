// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// All checks, and what they examine.
#ifndef PATCHBAY_CONFORMANCE_SUITE_H_
#define PATCHBAY_CONFORMANCE_SUITE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/support/check.h"

namespace patchbay::conformance {

/// A plugin file, which is tried before all others. Errors: kPluginFailed if it does not load;
/// kUnsupported if its driver or device is absent.
Subject subject_of_file(RuntimeOptions options, const std::filesystem::path& file);
/// A loaded plugin by its backend's name or its own. Error: kInvalidArgument, which lists the
/// loaded ones.
Subject subject_of_backend(RuntimeOptions options, std::string_view name);

/// All checks, chapter by chapter. The names are always the same.
std::vector<Check> all_checks();
std::vector<std::string> chapters();

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_SUITE_H_
