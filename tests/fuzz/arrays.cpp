// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// npy, npz, idx and csv.
#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <patchbay/nn/arrays.h>

#include "fuzz/file.h"
#include "fuzz/targets.h"

namespace patchbay::fuzz {
namespace {

/// NumPy's file of a tensor has the same tensor.
void check_npy(const Tensor& tensor) {
  const std::filesystem::path path = written_path("npy");
  nn::save_npy(path, tensor);
  expect_equal(nn::read_npy(path), tensor);
  std::filesystem::remove(path);
}

/// An idx file of the tensor.
std::string idx_of(const Tensor& tensor) {
  std::string bytes(2, '\0');
  switch (tensor.dtype()) {
    case DType::u8: bytes += '\x08'; break;
    case DType::i8: bytes += '\x09'; break;
    case DType::i16: bytes += '\x0b'; break;
    case DType::i32: bytes += '\x0c'; break;
    case DType::f32: bytes += '\x0d'; break;
    case DType::f64: bytes += '\x0e'; break;
    default: throw std::logic_error("a dtype that idx does not have");
  }
  bytes += static_cast<char>(tensor.rank());
  for (const std::int64_t extent : tensor.shape()) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(extent >> shift);
  }
  const std::size_t begin = bytes.size(), width = size_bytes(tensor.dtype());
  bytes += bytes_of(tensor);
  for (std::size_t i = begin; i < bytes.size(); i += width) {
    std::reverse(bytes.data() + i, bytes.data() + i + width);
  }
  return bytes;
}

/// The numbers with as many digits as bring them back.
template <class T>
std::string csv_of(const Tensor& tensor) {
  const T* next = tensor.data<T>();
  std::string text;
  for (std::int64_t row = 0; row < tensor.size(0); ++row) {
    for (std::int64_t column = 0; column < tensor.size(1); ++column) {
      std::array<char, 64> digits;
      const auto [end, error] =
          std::to_chars(digits.data(), digits.data() + digits.size(), *next++);
      expect(error == std::errc(), "no digits");
      text.append(digits.data(), end);
      text += column + 1 < tensor.size(1) ? ',' : '\n';
    }
  }
  return text;
}

template <class T>
void check_csv(std::string_view bytes, bool has_header) {
  const MemoryFile file(bytes);
  const nn::CsvTable table =
      nn::read_csv(file.path(), {.has_header = has_header, .dtype = dtype_of<T>()});
  expect(table.values.rank() == 2, "a table has two dimensions");
  if (has_header && table.values.size(0) > 0) {
    expect(static_cast<std::int64_t>(table.names.size()) == table.values.size(1),
           "a name for each column");
  }
  if (table.values.num_elements() == 0) return;
  const MemoryFile again(csv_of<T>(table.values));
  const Tensor values = nn::read_csv(again.path(), {.dtype = dtype_of<T>()}).values;
  expect(values.shape() == table.values.shape(), "another shape");
  // All NaNs are alike in text.
  for (std::int64_t i = 0; i < values.num_elements(); ++i) {
    const T a = table.values.data<T>()[i], b = values.data<T>()[i];
    expect(std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b), "another number");
  }
}

}  // namespace

bool run_npy(std::string_view bytes) {
  return is_read([&] {
    const MemoryFile file(bytes);
    const std::vector<Tensor> arrays = nn::read_npy_all(file.path());
    std::uint64_t total = 0;
    for (const Tensor& tensor : arrays) {
      total += tensor.size_bytes();
      check_npy(tensor);
    }
    expect(total <= bytes.size(), "more elements than bytes");
    if (arrays.size() == 1) expect_equal(nn::read_npy(file.path()), arrays.front());
  });
}

bool run_npz(std::string_view bytes) {
  return is_read([&] {
    const MemoryFile file(bytes);
    const auto arrays = nn::read_npz(file.path(), {.most_bytes = kMostBytes});
    const nn::Npz opened(file.path(), {.most_bytes = kMostBytes});
    std::uint64_t total = 0;
    for (const auto& [name, tensor] : arrays) {
      expect_equal(opened.read(name), tensor);
      total += tensor.size_bytes();
      check_npy(tensor);
    }
    expect(total <= kMostBytes + bytes.size(), "more elements than are allowed");
  });
}

bool run_idx(std::string_view bytes) {
  return is_read([&] {
    const MemoryFile file(bytes);
    const Tensor tensor = nn::read_idx(file.path(), {.most_bytes = kMostBytes});
    const std::string written = idx_of(tensor);
    if (!bytes.starts_with("\x1f\x8b")) expect(written == bytes, "other bytes");
    const MemoryFile again(written);
    expect_equal(nn::read_idx(again.path()), tensor);
  });
}

bool run_csv(std::string_view bytes) {
  bool is_any = false;
  for (const bool has_header : {false, true}) {
    is_any = is_read([&] { check_csv<float>(bytes, has_header); }) || is_any;
    is_any = is_read([&] { check_csv<double>(bytes, has_header); }) || is_any;
    is_any = is_read([&] { check_csv<std::int16_t>(bytes, has_header); }) || is_any;
  }
  return is_any;
}

}  // namespace patchbay::fuzz
