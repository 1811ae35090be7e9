// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Patchbay together with other code in one program: memory of the program, tensors of another
// library, and the driver's objects behind Patchbay's. Nothing is copied.
//   interop [DEVICE]
#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <vector>

#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::DType;
using patchbay::NativeHandle;
using patchbay::Tensor;
using Managed = patchbay::dlpack::DLManagedTensorVersioned;

namespace {

/// Another library, which knows DLPack and no Patchbay.
namespace library {

/// Takes over a vector of f32 in host memory.
float largest(Managed* managed) {
  const auto& tensor = managed->dl_tensor;
  const auto* values = static_cast<const float*>(tensor.data);
  float result = values[0];
  for (std::int64_t i = 1; i < tensor.shape[0]; ++i) {
    result = std::max(result, values[i * tensor.strides[0]]);
  }
  managed->deleter(managed);
  return result;
}

/// Gives a table that nobody may change.
Managed* table() {
  struct Table {
    Managed managed{};
    float values[4] = {1, 4, 9, 16};
    std::int64_t shape[2] = {2, 2};
  };
  auto* const made = new Table;
  made->managed.version = patchbay::dlpack::kVersion;
  made->managed.flags = patchbay::dlpack::kReadOnly;
  made->managed.manager_ctx = made;
  made->managed.deleter = [](Managed* self) {
    std::cout << "the library has its table back\n";
    delete static_cast<Table*>(self->manager_ctx);
  };
  made->managed.dl_tensor = {made->values, {1, 0}, 2, {2, 32, 1}, made->shape, nullptr, 0};
  return &made->managed;
}

}  // namespace library

/// The program's vector is the tensor's memory, and stays the program's.
void lend_memory() {
  std::vector<float> values = {1, 2, 3, 4};
  {
    Tensor tensor = patchbay::wrap_host(values.data(), DType::f32, {4}, "cpu");
    tensor *= 10;
  }
  std::cout << "the program's own vector:";
  for (const float value : values) std::cout << ' ' << value;
  std::cout << '\n';
}

void give_to_the_library() {
  const Tensor squares = patchbay::square(patchbay::arange(0, 5, 1, {DType::f32, Device("cpu")}));
  std::cout << "the library finds " << library::largest(patchbay::to_dlpack(squares))
            << " in a tensor of Patchbay's\n";
}

void take_from_the_library() {
  const Tensor table = patchbay::from_dlpack(library::table());
  std::cout << "the library's table, summed by Patchbay: " << patchbay::sum(table).item<float>()
            << '\n';
  try {
    table.fill_(0);
  } catch (const patchbay::Error& error) {
    std::cout << "refused: " << error.what() << '\n';
  }
}

void show(const char* what, const std::function<NativeHandle()>& ask) {
  try {
    const NativeHandle handle = ask();
    std::cout << what << ": the driver's " << to_string(handle.kind)
              << (handle.offset_bytes == 0 ? "" : ", with an offset") << '\n';
  } catch (const patchbay::Error& error) {
    std::cout << what << ": " << error.what() << '\n';
  }
}

/// For calls of the driver that Patchbay has not.
void show_handles(const Device& device) {
  const Tensor tensor = patchbay::zeros({16}, device);
  show("device", [&] { return native_handle(device); });
  show("context", [&] { return native_context(device); });
  show("default stream", [&] { return native_handle(device.default_stream()); });
  show("tensor", [&] { return native_handle(tensor); });
}

}  // namespace

int main(int argc, char** argv) try {
  const Device device(argc > 1 ? argv[1] : "cpu:0");
  lend_memory();
  give_to_the_library();
  take_from_the_library();
  show_handles(device);
} catch (const std::exception& error) {
  std::cerr << "interop: " << error.what() << '\n';
  return 1;
}
