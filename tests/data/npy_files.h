// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The bytes of npy files.
#ifndef PATCHBAY_TESTS_DATA_NPY_FILES_H_
#define PATCHBAY_TESTS_DATA_NPY_FILES_H_

#include <string>

#include "data/file_test.h"

namespace patchbay::test {

inline std::string npy_file(const std::string& header, const std::string& elements, int version) {
  const auto length = static_cast<std::uint32_t>(header.size());
  return "\x93NUMPY" + std::string({static_cast<char>(version), '\0'}) +
         bytes_of(length).substr(0, version == 1 ? 2 : 4) + header + elements;
}

/// As NumPy writes it.
inline std::string npy(const std::string& descr, const std::string& shape,
                       const std::string& elements, const std::string& fortran_order = "False") {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + fortran_order +
                       ", 'shape': " + shape + ", }";
  while ((header.size() + 1 + 10) % 64 != 0) header += ' ';
  return npy_file(header + '\n', elements, 1);
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_DATA_NPY_FILES_H_
