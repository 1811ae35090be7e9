// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files of numbers in other programs' formats: docs/files.md. Tensors are made on a CPU device; no
// copy is counted. Nothing in a file is trusted, and memory grows with the data that is there.
// Errors of all: kIo if a file can't be read or written; kInvalidArgument for what is wrong in it,
// with the file, the place and the reason; kUnsupported if the host can't address the device.
#ifndef PATCHBAY_NN_ARRAYS_H_
#define PATCHBAY_NN_ARRAYS_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

namespace files {
struct OpenNpz;
}

struct ReadOptions {
  std::optional<Device> device = std::nullopt;  // a CPU device; first_cpu() unless given
  /// More elements than these are refused where a file is compressed, in which few bytes can stand
  /// for many; in an npz file those of all its arrays.
  std::uint64_t most_bytes = std::uint64_t{4} << 30;
};

/// An array of the format of the MNIST family, compressed by gzip or not. dtypes: u8, i8, i16, i32,
/// f32, f64.
[[nodiscard]] PATCHBAY_API Tensor read_idx(const std::filesystem::path& file,
                                           const ReadOptions& options = {});

/// An array of NumPy: versions 1 to 3, both byte orders, both orders of elements. Structures,
/// objects and texts are refused, and so is a file of several arrays.
[[nodiscard]] PATCHBAY_API Tensor read_npy(const std::filesystem::path& file,
                                           const ReadOptions& options = {});
/// The arrays of a file to which numpy.save wrote one after another, in that order.
[[nodiscard]] PATCHBAY_API std::vector<Tensor> read_npy_all(const std::filesystem::path& file,
                                                            const ReadOptions& options = {});
/// Writes a tensor of any device and strides, in row-major order. The file appears whole or not at
/// all. The copy to the host is counted. Blocks. Errors: kDtypeMismatch for bf16, which NumPy does
/// not have.
PATCHBAY_API void save_npy(const std::filesystem::path& file, const Tensor& tensor);

/// A zip file that numpy.savez or savez_compressed wrote; its arrays are read one by one. A shared
/// handle of an open file. Thread-safe.
class PATCHBAY_API Npz {
 public:
  /// Reads and checks the directory.
  explicit Npz(const std::filesystem::path& file, const ReadOptions& options = {});

  /// In the order of their places in the file, without ".npy"; other files have their whole names.
  const std::vector<std::string>& names() const;
  bool has(std::string_view name) const;
  /// A new tensor. The checksum is compared. Errors: kInvalidArgument for a name that the file does
  /// not have, for what read_npy refuses, and for another file than an array.
  [[nodiscard]] Tensor read(std::string_view name) const;

 private:
  runtime::ObjectHandle<const files::OpenNpz, "Npz"> file_;
};

/// All arrays of the file by their names, without those of which Patchbay has no tensors: texts,
/// objects, structures, and other files. Npz lists them, and says why. Errors:
/// kInvalidArgument also if no array is left.
[[nodiscard]] PATCHBAY_API std::map<std::string, Tensor> read_npz(const std::filesystem::path& file,
                                                                  const ReadOptions& options = {});

struct CsvOptions {
  char delimiter = ',';
  bool has_header = false;  // the first line has the names of the columns
  /// f32, f64 or an integer.
  DType dtype = DType::f32;
  std::optional<Device> device = std::nullopt;  // a CPU device; first_cpu() unless given
};
struct CsvTable {
  std::vector<std::string> names;  // empty without a header
  Tensor values;                   // [rows, columns]
};
/// Lines of numbers, all of the same number of fields; blanks around a field and empty lines are
/// ignored, and a field may be in double quotes. Numbers are read in the same way in all locales,
/// and rounded to nearest. Errors name line and column; kDtypeMismatch for other dtypes.
[[nodiscard]] PATCHBAY_API CsvTable read_csv(const std::filesystem::path& file,
                                             const CsvOptions& options = {});

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_ARRAYS_H_
