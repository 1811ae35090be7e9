// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A function for each format of files: it reads the bytes as a file, and checks what comes of it.
#ifndef PATCHBAY_TESTS_FUZZ_TARGETS_H_
#define PATCHBAY_TESTS_FUZZ_TARGETS_H_

#include <string_view>

namespace patchbay::fuzz {

/// Returns whether the file was read; false if it was refused by an Error. What was read is written
/// and read again. Throws std::logic_error if something else comes of it.
bool run_csv(std::string_view bytes);
bool run_idx(std::string_view bytes);
bool run_npy(std::string_view bytes);
bool run_npz(std::string_view bytes);
/// A plugin's file, of which nothing is written again.
bool run_plugin_file(std::string_view bytes);
bool run_safetensors(std::string_view bytes);

}  // namespace patchbay::fuzz

#endif  // PATCHBAY_TESTS_FUZZ_TARGETS_H_
