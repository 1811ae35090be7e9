// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/kernel/kernel_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <type_traits>
#include <vector>

#include "patchbay/error.h"
#include "patchbay/kernel.h"
#include "patchbay/plugin/expression.h"

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/status.h"
#include "core/output/delivery.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/kernel/preparation_log.h"
#include "core/runtime/memory/memory_retry.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/search/arrival.h"
#include "core/runtime/stream/fault.h"

namespace patchbay::runtime {
namespace {

patchbay_string to_abi(const std::string& text) { return {text.data(), text.size()}; }

patchbay_argument_spec to_abi(const ArgumentSpec& spec) {
  patchbay_argument_spec result{};
  result.kind = static_cast<std::uint8_t>(spec.kind);
  if (spec.kind != ArgumentSpec::Kind::kBytes) {
    result.dtype = static_cast<std::uint8_t>(spec.dtype);
  }
  if (spec.kind != ArgumentSpec::Kind::kTensor) return result;
  result.access = static_cast<std::uint8_t>(spec.access);
  result.rank = spec.any_shape ? PATCHBAY_ANY_RANK : static_cast<std::uint8_t>(spec.shape.rank());
  std::fill(std::begin(result.shape), std::end(result.shape), PATCHBAY_ANY_DIM);
  std::fill(std::begin(result.strides), std::end(result.strides), PATCHBAY_ANY_DIM);
  if (!spec.any_shape) {
    std::copy(spec.shape.begin(), spec.shape.end(), result.shape);
    std::copy(spec.strides.begin(), spec.strides.end(), result.strides);
  }
  return result;
}

patchbay_attribute to_abi(const Attribute& attribute) {
  patchbay_attribute result{};
  result.name = to_abi(attribute.name);
  if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    result.type = PATCHBAY_ATTRIBUTE_I64;
    result.value.i64 = *integer;
  } else if (const auto* floating = std::get_if<double>(&attribute.value)) {
    result.type = PATCHBAY_ATTRIBUTE_F64;
    result.value.f64 = *floating;
  } else {
    result.type = PATCHBAY_ATTRIBUTE_STRING;
    result.value.string = to_abi(std::get<std::string>(attribute.value));
  }
  return result;
}

/// "add.1(f32 w, f32, f32)" for messages.
std::string describe(const KernelSpec& spec) {
  std::string text = spec.op + "(";
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const ArgumentSpec& argument = spec.arguments[i];
    if (i != 0) text += ", ";
    text += to_string(argument.dtype);
    if (argument.kind == ArgumentSpec::Kind::kScalar) text += " scalar";
  }
  return text + ")";
}

}  // namespace

KernelState::KernelState(DeviceState& owner, const KernelSpec& wanted)
    : device(owner), spec(wanted) {
  std::vector<patchbay_argument_spec> arguments;
  for (const ArgumentSpec& argument : spec.arguments) arguments.push_back(to_abi(argument));
  const base::Counted preparation(device.live_preparations);
  const output::NoDelivery no_delivery;
  const auto start = std::chrono::steady_clock::now();
  const bool is_fused = spec.op == PATCHBAY_FORMAT_EXPRESSION;
  if (patchbay_status* status = is_fused ? load_expression(arguments) : prepare(arguments)) {
    unload();
    check_build(device, status, describe(spec));
  }
  if (handle == nullptr) {
    unload();
    raise_no_object(device, describe(spec), is_fused ? "module_kernel" : "prepare");
  }
  workspace_bytes = device.plugin.tables.kernel.workspace_bytes(handle);
  const std::uint64_t most = std::min<std::uint64_t>(spec.workspace_limit_bytes, kMostMemoryBytes);
  if (workspace_bytes > most) {
    unload();
    raise_bad_answer(
        device, describe(spec),
        fmt::format("workspace_bytes gave {}, expected at most {}", workspace_bytes, most));
  }
  device.plugin.heed_process_end();
  log_preparation(device, start, [&] { return describe(spec); });
}

patchbay_status* KernelState::prepare(std::span<const patchbay_argument_spec> arguments) {
  std::vector<patchbay_attribute> attributes;
  for (const Attribute& attribute : spec.attributes) attributes.push_back(to_abi(attribute));
  const patchbay_kernel_spec raw{sizeof(raw),
                                 to_abi(spec.op),
                                 arguments.data(),
                                 attributes.data(),
                                 static_cast<std::uint32_t>(arguments.size()),
                                 static_cast<std::uint32_t>(attributes.size()),
                                 spec.workspace_limit_bytes};
  return retry_with_memory(device, [&] {
    return ask_for(handle, [&](patchbay_kernel** kernel) {
      return device.plugin.tables.kernel.prepare(device.open(), &raw, kernel);
    });
  });
}

patchbay_status* KernelState::load_expression(std::span<const patchbay_argument_spec> arguments) {
  const std::string* const program =
      spec.attributes.size() == 1 ? std::get_if<std::string>(&spec.attributes[0].value) : nullptr;
  if (program == nullptr) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[{}] a fused expression is prepared with one attribute, the program's text: got {} "
        "attributes.",
        describe(spec), spec.attributes.size());
  }
  const patchbay_kernel_table& table = device.plugin.tables.kernel;
  patchbay_status* const status = retry_with_memory(device, [&] {
    return ask_for(module, [&](patchbay_module** loaded) {
      return table.load_module(device.open(), to_abi(spec.op), to_abi(*program), {nullptr, 0},
                               loaded);
    });
  });
  if (status != nullptr) return status;
  if (module == nullptr) raise_no_object(device, describe(spec), "load_module");
  return ask_for(handle, [&](patchbay_kernel** kernel) {
    return table.module_kernel(module, to_abi(PATCHBAY_FUSED_KERNEL), arguments.data(),
                               static_cast<std::uint32_t>(arguments.size()), kernel);
  });
}

void KernelState::unload() noexcept {
  const output::NoDelivery no_delivery;
  const patchbay_kernel_table& table = device.plugin.tables.kernel;
  if (handle != nullptr) table.destroy(handle);
  if (module != nullptr) table.unload_module(module);
}

KernelState::~KernelState() {
  if (device.is_callable()) unload();
}

namespace {

template <class T>
void append(std::string& key, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}
void append(std::string& key, const std::string& text) {
  append(key, text.size());
  key += text;
}
void append(std::string& key, const Shape& shape) {
  append(key, shape.rank());
  for (const std::int64_t dim : shape) append(key, dim);
}

/// Equal for equal specs, and only for these.
std::string key_of(const KernelSpec& spec) {
  std::string key;
  append(key, spec.op);
  append(key, spec.workspace_limit_bytes);
  append(key, spec.arguments.size());
  for (const ArgumentSpec& argument : spec.arguments) {
    append(key, argument.kind);
    append(key, argument.dtype);
    append(key, argument.access);
    append(key, argument.any_shape);
    if (argument.any_shape) continue;
    append(key, argument.shape);
    append(key, argument.strides);
  }
  for (const Attribute& attribute : spec.attributes) {
    append(key, attribute.name);
    append(key, attribute.value.index());
    std::visit([&key](const auto& value) { append(key, value); }, attribute.value);
  }
  return key;
}

}  // namespace

std::shared_ptr<KernelState> KernelCache::find_or_prepare(const KernelSpec& spec) {
  const std::string key = key_of(spec);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second;
  }
  // Preparing may compile for seconds; two threads that ask at once may both do it, and the
  // first to end wins. The other's kernel is destroyed after the lock, like those of `clear`.
  auto prepared = std::make_shared<KernelState>(device_, spec);
  const std::scoped_lock lock(mutex_);
  return kernels_.try_emplace(key, std::move(prepared)).first->second;
}

KernelState* KernelCache::find_or_prepare_if_any(const KernelSpec& spec) {
  try {
    return find_or_prepare(spec).get();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    return nullptr;
  }
}

KernelState* KernelCache::keep(const KernelKey& key, KernelState* kernel) {
  const std::scoped_lock lock(mutex_);
  table_.insert(key, kernel);  // without a free entry, each launch finds the kernel by its spec
  return kernel;
}

std::size_t KernelCache::num_held() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(kernels_.begin(), kernels_.end(),
                    [](const auto& entry) { return entry.second.use_count() > 1; }));
}

void KernelCache::clear() {
  decltype(kernels_) ended;
  const std::scoped_lock lock(mutex_);
  table_.clear();
  kernels_.swap(ended);
}

const std::string_view kFusedFormat = PATCHBAY_FORMAT_EXPRESSION;

std::shared_ptr<KernelState> fused_kernel(DeviceState& device, const std::string& name,
                                          const std::string& program,
                                          std::vector<ArgumentSpec> arguments) {
  KernelSpec spec;
  spec.op = PATCHBAY_FORMAT_EXPRESSION;
  spec.arguments = std::move(arguments);
  spec.attributes.push_back({"program", program});
  try {
    return device.kernels->find_or_prepare(spec);
  } catch (const Error& error) {
    // Name the function in place of the operation: the user knows it by that name.
    throw Error(error.code(), fmt::format("[{}] {}", name, base::without_operation(error.what())),
                error.native_code(), error.is_retryable());
  }
}

}  // namespace patchbay::runtime
