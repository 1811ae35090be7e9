// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files of named tensors in the format safetensors: docs/files.md. What a file says is checked
// before anything is allocated for it. Errors of all: kIo if the file can't be read or written;
// kInvalidArgument for what the format does not allow, with the file, the tensor and the reason.
#ifndef PATCHBAY_NN_SAFETENSORS_H_
#define PATCHBAY_NN_SAFETENSORS_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/nn/module.h"
#include "patchbay/shape.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

namespace files {
struct OpenSafetensors;
}

struct SafetensorsOptions {
  /// Maps the file instead of reading it, for files that nobody changes meanwhile: a file that
  /// becomes shorter ends the process by SIGBUS. Tensors on CPU devices then are the mapped memory,
  /// unless the file has them at a place that is not aligned to their elements. Writing to them
  /// changes their memory, not the file.
  bool map = false;
};

/// What a file has: tensors are read one by one. A shared handle of an open file. Thread-safe.
class PATCHBAY_API Safetensors {
 public:
  struct Entry {
    std::string name;
    DType dtype;  // none of kDTypes where Patchbay lacks it: to_string() gives "no dtype"
    Shape shape;
    std::uint64_t offset_bytes, size_bytes;  // in the file
    std::string dtype_name = {};             // that of the format: "F32", "F8_E4M3"
    /// Whether Patchbay has the dtype. Other tensors are listed, and read() refuses them.
    bool is_readable = true;
  };

  /// Reads and checks the header.
  explicit Safetensors(const std::filesystem::path& file, const SafetensorsOptions& options = {});

  /// In the order of their places in the file.
  const std::vector<Entry>& entries() const;
  /// The texts of `__metadata__`.
  const std::map<std::string, std::string>& metadata() const;
  bool has(std::string_view name) const;
  /// Errors: kInvalidArgument for a name that the file does not have.
  const Entry& entry(std::string_view name) const;
  /// A new tensor on the device. Nothing else is allocated but a MiB, through which the bytes go to
  /// devices that the host can't address. Blocks. Errors: kInvalidArgument for a name that the file
  /// does not have, a dtype that Patchbay lacks, and a bool that is neither 0 nor 1; those of
  /// empty().
  [[nodiscard]] Tensor read(std::string_view name, const Device& device) const;
  /// A new tensor on first_cpu(). Errors: as for a given device.
  [[nodiscard]] Tensor read(std::string_view name) const;
  /// Writes the elements of an existing tensor of the same dtype and shape, on any device. It may
  /// require gradients; a backward that needs the former elements is refused. Errors:
  /// kDtypeMismatch, kShapeMismatch; kInvalidArgument as above, after which the elements are not
  /// defined.
  void read_into(std::string_view name, const Tensor& to) const;

 private:
  friend struct files::OpenSafetensors;
  explicit Safetensors(std::shared_ptr<const files::OpenSafetensors> file);

  runtime::ObjectHandle<const files::OpenSafetensors, "Safetensors"> file_;
};

using TensorMap = std::map<std::string, Tensor>;

/// All tensors of the file, on one device; first_cpu() unless given. Errors: kInvalidArgument also
/// for a tensor of a dtype that Patchbay lacks; Safetensors::read reads the others.
[[nodiscard]] PATCHBAY_API TensorMap load_safetensors(const std::filesystem::path& file,
                                                      const Device& device);
[[nodiscard]] PATCHBAY_API TensorMap load_safetensors(const std::filesystem::path& file);
/// Writes tensors of any devices and strides; device names are not written. The file appears whole
/// or not at all: a save that fails leaves the old file as it was. Each tensor's copy to the host
/// is counted. Blocks. Errors: kInvalidArgument for undefined tensors, names that are not UTF-8,
/// and the name `__metadata__`.
PATCHBAY_API void save_safetensors(const std::filesystem::path& file, const TensorMap& tensors,
                                   const std::map<std::string, std::string>& metadata = {});

/// Writes the parameters and buffers of a module by their names. One that has several names is
/// written once, under its first; the metadata tell the others. Errors: as above; kInvalidArgument
/// if a lazy layer has no shape yet.
PATCHBAY_API void save(Module& module, const std::filesystem::path& file);
/// Reads them to where they are: on their devices, in place. All names, dtypes and shapes are
/// compared before anything is written. Lazy layers get their tensors. A parameter that has several
/// names is read by any of them; where the file has two, their bytes have to be equal. Errors:
/// kInvalidArgument lists what is missing in the file and what is too much there, and names a
/// parameter that can't be written; kDtypeMismatch, kShapeMismatch.
PATCHBAY_API void load(Module& module, const std::filesystem::path& file);

struct LoadOptions {
  bool allow_missing = false;      // parameters and buffers that the file lacks stay as they are
  bool allow_superfluous = false;  // tensors that the module lacks are ignored
  /// Tensors of the file by their names, and what they are called in the module.
  std::map<std::string, std::string> names = {};
  /// The name in the module for each other name of the file. Undefined: the same name.
  std::function<std::string(const std::string& name)> rename = {};
};
/// What was left out.
struct LoadReport {
  std::vector<std::string> missing;      // by their names in the module
  std::vector<std::string> superfluous;  // by their names in the file
};
/// Reads parameters and buffers from a file that fits in part (PyTorch's have
/// `num_batches_tracked`), or has other names. Errors: those of load without options, and
/// kInvalidArgument if no tensor fits, if two get one name, and for `names` of no tensor.
PATCHBAY_API LoadReport load(Module& module, const std::filesystem::path& file,
                             const LoadOptions& options);

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_SAFETENSORS_H_
