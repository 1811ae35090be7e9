// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Numbers in settings.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_SETTING_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_SETTING_HPP_

#include <string>

namespace patchbay::cpu {

/// Throws PATCHBAY_INVALID_ARGUMENT, with the setting's name, if `text` is no such integer.
int parse_setting(const char* name, const std::string& text, int lowest, int highest);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_SETTING_HPP_
