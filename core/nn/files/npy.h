// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Arrays of NumPy: a magic text, the version, the length of the header, the header as a dictionary
// of Python, then the elements (numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#ifndef PATCHBAY_CORE_NN_FILES_NPY_H_
#define PATCHBAY_CORE_NN_FILES_NPY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "patchbay/shape.h"

#include "core/nn/files/source.h"
#include "core/nn/files/tensor_bytes.h"

namespace patchbay::nn::files {

/// Reads from the magic text to the end of the header. Errors: kInvalidArgument; NoSuchTensors for
/// elements that Patchbay does not have.
Elements read_npy_header(Source& source);

/// The dictionary of a header alone. Errors: kInvalidArgument.
Elements parse_npy_dictionary(std::string_view text, const Subject& subject);

/// Whether an array begins so many bytes behind that place of the file.
bool begins_as_npy(const ReadFile& file, std::uint64_t at, std::uint64_t skipped);

/// All bytes before the elements; empty if NumPy does not have the dtype.
std::string npy_header_of(DType dtype, const Shape& shape);

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_NPY_H_
