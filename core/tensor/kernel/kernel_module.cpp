// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Launches of users' kernels. Checks everything against the signature before any work.
#include "patchbay/kernel_module.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>

#include "core/base/error.h"
#include "core/runtime/kernel/launch_grid.h"
#include "core/tensor/base/overlap.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {
namespace {

using base::raise;
using runtime::GridAxes;
using runtime::KernelParameter;
using runtime::ModuleKernelState;
using tensor::describe;
using tensor::TensorImpl;

/// "argument 1 'y'"
std::string named(const ModuleKernelState& kernel, std::size_t i) {
  return fmt::format("argument {} '{}'", i, kernel.signature.parameters[i].name);
}

void check_count(const ModuleKernelState& kernel, std::size_t count) {
  const std::size_t expected = kernel.signature.parameters.size();
  if (count == expected) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] wrong number of arguments: expected {}, got {} ({}). Pass what the signature says.",
        kernel.signature.name, expected, count, kernel.signature.to_string());
}

void check_kind(const ModuleKernelState& kernel, std::size_t i, const TensorOrScalar& argument) {
  const bool wants_tensor = kernel.signature.parameters[i].spec.kind == ArgumentSpec::Kind::kTensor;
  if (argument.is_tensor() == wants_tensor) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] {} is of the wrong kind: expected a {}, got a {} ({}). {}", kernel.signature.name,
        named(kernel, i), wants_tensor ? "tensor" : "number", wants_tensor ? "number" : "tensor",
        kernel.signature.to_string(),
        wants_tensor ? "Pass a tensor." : "Pass a number, for example t.item<float>().");
}

/// The bits of a number that is passed as argument i.
std::uint64_t bits_of(const ModuleKernelState& kernel, std::size_t i, const Scalar& number) {
  const DType dtype = kernel.signature.parameters[i].spec.dtype;
  const std::string& name = kernel.signature.name;
  const bool is_slot = number.slot() != 0;
  const std::string of_slot = is_slot ? fmt::format("{}, {}", name, named(kernel, i)) : "";
  try {
    return number.bits(dtype, (is_slot ? of_slot : name).c_str());
  } catch (const Error&) {
    if (is_slot) throw;
    raise(ErrorCode::kInvalidArgument,
          "[{}] {} can't be this number: expected a value that {} can hold, got {} ({}). Pass "
          "another number, or change the dtype of the argument.",
          name, named(kernel, i), to_string(dtype), number.to_string(),
          kernel.signature.to_string());
  }
}

bool is_written(const KernelParameter& parameter) {
  return parameter.spec.kind == ArgumentSpec::Kind::kTensor &&
         parameter.spec.access != Access::kRead;
}

/// How to launch with a copy of the argument, made by `make`. A written copy must be copied back.
std::string way_through_copy(const KernelParameter& parameter, const std::string& make) {
  if (!is_written(parameter)) return fmt::format("Pass {}.{}.", parameter.name, make);
  return fmt::format("Pass c = {0}.{1}, then write it back: {0}.copy_from(c).", parameter.name,
                     make);
}

void check_tensor(const ModuleKernelState& kernel, std::size_t i, const TensorImpl& given) {
  const std::string& op = kernel.signature.name;
  const KernelParameter& parameter = kernel.signature.parameters[i];
  if (&given.device() != kernel.module->device.get()) {
    const runtime::DeviceState& device = *kernel.module->device;
    const std::string way_out =
        &given.device().runtime == &device.runtime
            ? way_through_copy(parameter, "to(kernel.device())")
            : std::string(
                  "They belong to two runtimes, which do not mix: take the values through the host "
                  "with to_vector and from_host.");
    raise(ErrorCode::kDeviceMismatch, "[{}] {} is on another device: expected {}, got {} ({}). {}",
          op, named(kernel, i), device.info.name_text, given.device().info.name_text,
          describe(given), way_out);
  }
  if (given.dtype != parameter.spec.dtype) {
    const DType dtype = parameter.spec.dtype;
    const auto name = dtype == DType::boolean ? "boolean" : to_string(dtype);
    raise(ErrorCode::kDtypeMismatch, "[{}] {} has another dtype: expected {}, got {} ({}). {}", op,
          named(kernel, i), to_string(dtype), to_string(given.dtype), describe(given),
          way_through_copy(parameter, fmt::format("cast(DType::{})", name)));
  }
  if (is_written(parameter) && given.buffer().is_read_only) {
    given.buffer().raise_read_only(op, named(kernel, i));
  }
  if (!given.is_contiguous) {
    const bool repeats = is_written(parameter) && tensor::repeats_elements(given);
    raise(ErrorCode::kInvalidArgument,
          "[{}] {} is not contiguous: expected strides {}, got {} ({}). {}", op, named(kernel, i),
          to_string(contiguous_strides(given.shape)), to_string(given.strides), describe(given),
          repeats ? "Its elements repeat: pass a clone, and use that one from then on."
                  : way_through_copy(parameter, "contiguous()"));
  }
}

/// Launches are not recorded, so a gradient through one would be wrong.
void check_gradient(const ModuleKernelState& kernel, std::size_t i, const TensorImpl& given) {
  if (!tensor::is_watched(given)) return;
  const KernelParameter& parameter = kernel.signature.parameters[i];
  if (is_written(parameter)) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] {}, which is written, requires gradients, so a recorded graph may need it ({}). "
          "Pass another tensor, or launch inside a NoGrad scope.",
          kernel.signature.name, named(kernel, i), describe(given));
  }
  raise(ErrorCode::kInvalidArgument,
        "[{}] {} requires gradients, which do not flow through a kernel of your own ({}). "
        "Pass {}.detach(), or launch inside a NoGrad scope.",
        kernel.signature.name, named(kernel, i), describe(given), parameter.name);
}

/// Kernels may assume that their buffers are different memory.
void check_overlap(const ModuleKernelState& kernel, std::span<const TensorOrScalar> arguments) {
  const auto& parameters = kernel.signature.parameters;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool written = is_written(parameters[i]);
    for (std::size_t j = 0; written && j < arguments.size(); ++j) {
      if (j == i || !arguments[j].is_tensor()) continue;
      const TensorImpl& one = *arguments[i].tensor().impl();
      const TensorImpl& other = *arguments[j].tensor().impl();
      if (one.is_empty() || other.is_empty() ||
          tensor::overlap(one, other) == tensor::Overlap::kNone) {
        continue;
      }
      raise(ErrorCode::kInvalidArgument,
            "[{}] {}, which is written, shares elements with {} ({}; {}). {}",
            kernel.signature.name, named(kernel, i), named(kernel, j), describe(one),
            describe(other),
            is_written(parameters[j])
                ? std::string("Give each of them memory of its own.")
                : fmt::format("Clone the one that is read: {}.clone().", parameters[j].name));
    }
  }
}

GridAxes to_axes(const ModuleKernelState& kernel, const char* what, const Axes3& axes) {
  GridAxes result{};
  const std::int64_t values[] = {axes.x, axes.y, axes.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (values[axis] < 0 || values[axis] > std::numeric_limits<std::int32_t>::max()) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] grid: {} along axis {} is out of range: expected 0 to 2147483647, got {}.",
            kernel.signature.name, what, axis, values[axis]);
    }
    result[axis] = static_cast<std::uint32_t>(values[axis]);
  }
  return result;
}

void check_group_size(const ModuleKernelState& kernel, const GridAxes& size) {
  const runtime::DeviceState& device = *kernel.module->device;
  const std::uint32_t limit = device.info.properties.max_group_size;
  std::uint64_t product = 1;
  bool fits = true;
  for (const std::uint32_t extent : size) {
    fits = fits && extent > 0 && !__builtin_mul_overflow(product, extent, &product);
  }
  if (fits && (limit == 0 || product <= limit)) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] grid: a group of {} x {} x {} work-items is not possible: expected {} in all "
        "({}). Use smaller groups, and more of them.",
        kernel.signature.name, size[0], size[1], size[2],
        limit == 0 ? "at least 1" : fmt::format("1 to {}", limit), device.info.name_text);
}

std::string join(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void ModuleKernel::launch(const Grid& grid, std::span<const TensorOrScalar> arguments) const {
  const ModuleKernelState& kernel = *state_;
  const std::string& op = kernel.signature.name;
  check_count(kernel, arguments.size());
  std::vector<patchbay_argument> raw(arguments.size());
  std::vector<runtime::BufferAccess> uses;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentSpec& spec = kernel.signature.parameters[i].spec;
    check_kind(kernel, i, arguments[i]);
    if (!arguments[i].is_tensor()) {
      runtime::set_scalar(raw[i], bits_of(kernel, i, arguments[i].scalar()), spec.dtype);
      continue;
    }
    const TensorImpl& given = tensor::impl_of(op.c_str(), arguments[i].tensor(),
                                              kernel.signature.parameters[i].name.c_str());
    check_tensor(kernel, i, given);
    check_gradient(kernel, i, given);
    runtime::set_tensor(raw[i], given.buffer(), given.offset_bytes, given.dtype, given.shape.rank(),
                        static_cast<std::uint8_t>(spec.access));
    std::copy(given.shape.begin(), given.shape.end(), raw[i].shape);
    const Shape strides = contiguous_strides(given.shape);
    std::copy(strides.begin(), strides.end(), raw[i].strides);
    uses.push_back({&given.buffer(), spec.access != Access::kRead, spec.access != Access::kWrite});
  }
  check_overlap(kernel, arguments);
  const GridAxes groups = to_axes(kernel, "the number of groups", grid.groups);
  const GridAxes group_size = to_axes(kernel, "the size of a group", grid.group_size);
  check_group_size(kernel, group_size);
  if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
  for (const runtime::BufferAccess& use : uses) {
    if (use.writes) use.buffer->count_version();
  }
  runtime::launch_grid(kernel, groups, group_size, raw, uses);
}

const std::string& ModuleKernel::name() const { return state_->signature.name; }
Device ModuleKernel::device() const { return Device(state_->module->device); }
std::string ModuleKernel::signature() const { return state_->signature.to_string(); }

namespace {

/// What is at a path that can't be read as a file.
std::string what_is_at(const std::string& path, int open_error) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  switch (status.type()) {
    case std::filesystem::file_type::not_found: return "No such file or directory";
    case std::filesystem::file_type::directory: return "it is a folder";
    case std::filesystem::file_type::regular: return std::generic_category().message(open_error);
    case std::filesystem::file_type::none: return error.message();
    default: return "it is a device, a pipe or a socket";
  }
}

/// Editors on Windows begin UTF-8 with it.
std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace

KernelModule KernelModule::from_source(const Device& device, std::string_view text,
                                       const ModuleOptions& options) {
  return KernelModule(std::make_shared<runtime::ModuleState>(
      device.shared_state(), without_byte_order_mark(text), options.name));
}

KernelModule KernelModule::from_file(const Device& device, const std::string& path) {
  std::error_code unknown;
  const bool is_file = std::filesystem::is_regular_file(path, unknown);
  std::ifstream file;
  errno = 0;
  if (is_file) file.open(path, std::ios::binary);
  const int open_error = errno;
  std::ostringstream text;
  if (file.is_open()) text << file.rdbuf();
  if (!file.is_open() || file.bad()) {
    raise(ErrorCode::kIo, "[KernelModule] can't read the kernel text {}: {}. Check the path.",
          base::quote(path), what_is_at(path, open_error));
  }
  return from_source(device, text.str(), {.name = path});
}

ModuleKernel KernelModule::kernel(std::string_view name) const {
  const runtime::KernelSignature* signature = state_->find(name);
  if (signature == nullptr) {
    raise(ErrorCode::kInvalidArgument,
          "[KernelModule] {} has no such kernel: expected one of {}, got {}.",
          base::quote(state_->name), join(kernel_names()), base::quote(name));
  }
  return ModuleKernel(std::make_shared<const ModuleKernelState>(state_, *signature));
}

std::vector<std::string> KernelModule::kernel_names() const {
  std::vector<std::string> names;
  for (const auto& signature : state_->signatures) names.push_back(signature.name);
  return names;
}

Device KernelModule::device() const { return Device(state_->device); }

}  // namespace patchbay
