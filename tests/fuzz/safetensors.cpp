// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <patchbay/nn/safetensors.h>

#include "fuzz/file.h"
#include "fuzz/targets.h"

namespace patchbay::fuzz {
namespace {

void check_map(const nn::Safetensors& file, const std::filesystem::path& path,
               const nn::TensorMap& tensors) {
  const nn::Safetensors mapped(path, {.map = true});
  expect(mapped.metadata() == file.metadata(), "other metadata");
  for (const auto& [name, tensor] : tensors) expect_equal(mapped.read(name), tensor);
}

void check_written(const nn::Safetensors& file, const nn::TensorMap& tensors) {
  const std::filesystem::path path = written_path("safetensors");
  nn::save_safetensors(path, tensors, file.metadata());
  const nn::Safetensors again(path);
  expect(again.entries().size() == tensors.size(), "another number of tensors");
  expect(again.metadata() == file.metadata(), "other metadata");
  for (const auto& [name, tensor] : tensors) expect_equal(again.read(name), tensor);
  std::filesystem::remove(path);
}

}  // namespace

bool run_safetensors(std::string_view bytes) {
  return is_read([&] {
    const MemoryFile memory(bytes);
    const nn::Safetensors file(memory.path());
    nn::TensorMap tensors;
    for (const nn::Safetensors::Entry& entry : file.entries()) {
      expect(entry.offset_bytes <= bytes.size() &&
                 entry.size_bytes <= bytes.size() - entry.offset_bytes,
             "a tensor outside the file");
      if (!entry.is_readable) {
        expect(!is_read([&] { static_cast<void>(file.read(entry.name)); }), "an unknown dtype");
        continue;
      }
      tensors.emplace(entry.name, file.read(entry.name));
    }
    check_map(file, memory.path(), tensors);
    check_written(file, tensors);
  });
}

}  // namespace patchbay::fuzz
