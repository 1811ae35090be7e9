// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// idx: two zero bytes, the type, the rank, the extents (big-endian u32), then the elements,
// big-endian (yann.lecun.com/exdb/mnist).
#include <array>
#include <memory>

#include "patchbay/nn/arrays.h"

#include "core/base/error.h"
#include "core/nn/files/source.h"
#include "core/nn/files/tensor_bytes.h"

namespace patchbay::nn {
namespace {

using files::Subject;

constexpr std::array<unsigned char, 2> kGzipMagic = {0x1f, 0x8b};

DType dtype_of_type(unsigned type, const Subject& subject) {
  switch (type) {
    case 0x08: return DType::u8;
    case 0x09: return DType::i8;
    case 0x0b: return DType::i16;
    case 0x0c: return DType::i32;
    case 0x0d: return DType::f32;
    case 0x0e: return DType::f64;
    default: subject.fail("no such type of elements: {:#04x}. Check that it is an idx file.", type);
  }
}

files::Elements read_header(files::Source& source) {
  const Subject& subject = source.subject();
  std::array<unsigned char, 4> bytes{};
  source.read_all(bytes.data(), bytes.size(), "its header");
  if (bytes[0] != 0 || bytes[1] != 0) {
    subject.fail(
        "expected two bytes of 0 at its start, got {:#04x} {:#04x}. Check that it is an idx file.",
        bytes[0], bytes[1]);
  }
  files::Elements elements;
  elements.dtype = dtype_of_type(bytes[2], subject);
  elements.is_big_endian = true;
  const unsigned rank = bytes[3];
  if (rank < 1 || rank > kMaxRank) {
    subject.fail("expected 1 to {} dimensions, got {}. Reshape it before saving.", kMaxRank, rank);
  }
  for (unsigned i = 0; i < rank; ++i) {
    source.read_all(bytes.data(), bytes.size(), "its header");
    std::int64_t extent = 0;
    for (const unsigned char byte : bytes) extent = extent << 8 | byte;
    elements.shape.push_back(extent);
  }
  return elements;
}

std::unique_ptr<files::Source> open_source(const files::ReadFile& file, const Subject& subject) {
  std::array<unsigned char, 2> magic{};
  const std::uint64_t end = file.size_bytes();
  if (end >= magic.size()) file.read(0, magic.data(), magic.size());
  if (magic != kGzipMagic) return std::make_unique<files::FileSource>(subject, file, 0, end);
  return std::make_unique<files::InflatedSource>(subject, file, 0, end, files::Compression::kGzip);
}

}  // namespace

Tensor read_idx(const std::filesystem::path& path, const ReadOptions& options) {
  const Device device = files::host_device(options.device, "read_idx");
  const files::ReadFile file(path, "read_idx");
  const auto source = open_source(file, {"read_idx", "idx", base::quote(path.string())});
  const files::Elements elements = read_header(*source);
  return files::read_elements(*source, elements, options.most_bytes, device);
}

}  // namespace patchbay::nn
