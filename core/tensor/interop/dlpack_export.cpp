// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "patchbay/dlpack.h"

#include "core/runtime/memory/native_memory.h"
#include "core/runtime/stream/native_handle.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/stream/stream_state.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/interop/dlpack_dtype.h"

namespace patchbay {
namespace {

using base::raise;
using dlpack::DLManagedTensor;
using dlpack::DLManagedTensorVersioned;
using dlpack::DLTensor;
using tensor::TensorImpl;

constexpr const char* kOperation = "to_dlpack";

// Other compilers and languages use these structs.
static_assert(sizeof(dlpack::DLDevice) == 8 && sizeof(dlpack::DLDataType) == 4);
static_assert(sizeof(void*) != 8 ||
              (sizeof(DLTensor) == 48 && offsetof(DLTensor, device) == 8 &&
               offsetof(DLTensor, ndim) == 16 && offsetof(DLTensor, dtype) == 20 &&
               offsetof(DLTensor, shape) == 24 && offsetof(DLTensor, strides) == 32 &&
               offsetof(DLTensor, byte_offset) == 40));
static_assert(sizeof(void*) != 8 ||
              (sizeof(DLManagedTensor) == 64 && offsetof(DLManagedTensor, manager_ctx) == 48 &&
               offsetof(DLManagedTensor, deleter) == 56));
static_assert(sizeof(void*) != 8 || (sizeof(DLManagedTensorVersioned) == 80 &&
                                     offsetof(DLManagedTensorVersioned, manager_ctx) == 8 &&
                                     offsetof(DLManagedTensorVersioned, deleter) == 16 &&
                                     offsetof(DLManagedTensorVersioned, flags) == 24 &&
                                     offsetof(DLManagedTensorVersioned, dl_tensor) == 32));

/// What the consumer holds. Its end waits for the consumer's work on the stream, then lets the
/// memory go; others may hold the stream for a moment.
template <class Managed>
struct Export {
  Export() = default;
  ~Export() {
    if (stream != nullptr) stream->end_lent();
  }
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;

  Managed managed{};
  Tensor tensor;
  std::shared_ptr<runtime::StreamState> stream;
  std::array<std::int64_t, kMaxRank> shape{}, strides{};
};

dlpack::DLDataType to_dlpack(DType dtype) {
  for (const auto& row : tensor::kDlpackDtypes) {
    if (row.dtype == dtype) return {row.code, row.bits, 1};
  }
  raise(ErrorCode::kInternal, "[to_dlpack] DLPack has no {}.", to_string(dtype));
}

void check_device(const TensorImpl& impl) {
  if (impl.device().info.dlpack_device_type != 0) return;
  raise(ErrorCode::kUnsupported,
        "[to_dlpack] {} is of a kind that DLPack has no number for (tensor: {}). Copy the tensor "
        "to another device, such as cpu:0.",
        impl.device().info.name_text, tensor::describe(impl));
}

/// Then the consumer may use the memory on its stream or, if it gave none, at once.
std::shared_ptr<runtime::StreamState> make_safe(const TensorImpl& impl,
                                                const DlpackOptions& options) {
  std::shared_ptr<runtime::StreamState> stream;
  runtime::check_not_recording(kOperation);
  impl.device().check_alive(kOperation);
  if (options.stream) {
    stream = runtime::wrap_stream(kOperation, impl.device(), *options.stream);
    impl.buffer().insert_waits(*stream, /*writes=*/true, kOperation);
  } else {
    impl.buffer().wait_on_host(/*writes=*/true, kOperation);
  }
  impl.buffer().check_readable(kOperation);
  return stream;
}

template <class Managed>
void fill(Export<Managed>& made) {
  const TensorImpl& impl = *made.tensor.impl();
  NativeHandle memory;  // null without elements, as the standard requires
  if (made.tensor.num_elements() != 0) {
    memory = runtime::native_memory(impl.buffer(), impl.offset_bytes);
  }
  std::copy(impl.shape.begin(), impl.shape.end(), made.shape.begin());
  std::copy(impl.strides.begin(), impl.strides.end(), made.strides.begin());
  DLTensor& result = made.managed.dl_tensor;
  // Includes the offset if base and offset can be added: some consumers ignore byte_offset.
  result.data = memory.as<void*>();
  result.byte_offset = memory.offset_bytes;
  result.device = {impl.device().info.dlpack_device_type, impl.device().info.dlpack_device_id};
  result.ndim = impl.shape.rank();
  result.dtype = to_dlpack(impl.dtype);
  result.shape = made.shape.data();
  result.strides = made.strides.data();
}

template <class Managed>
Managed* export_to(const Tensor& tensor, const DlpackOptions& options) {
  const TensorImpl& impl = *tensor.impl();
  check_device(impl);
  auto made = std::make_unique<Export<Managed>>();
  made->tensor = tensor;
  fill(*made);
  made->stream = make_safe(impl, options);
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](Managed* self) {
    delete static_cast<Export<Managed>*>(self->manager_ctx);
  };
  return &made.release()->managed;
}

}  // namespace

DLManagedTensorVersioned* to_dlpack(const Tensor& tensor, const DlpackOptions& options) {
  const TensorImpl& impl = tensor::impl_of(kOperation, tensor, "tensor");
  auto* const managed = export_to<DLManagedTensorVersioned>(tensor, options);
  managed->version = dlpack::kVersion;
  managed->flags = impl.buffer().is_read_only ? dlpack::kReadOnly : 0;
  return managed;
}

DLManagedTensor* to_dlpack_unversioned(const Tensor& tensor, const DlpackOptions& options) {
  const TensorImpl& impl = tensor::impl_of(kOperation, tensor, "tensor");
  if (impl.buffer().is_read_only) {
    raise(ErrorCode::kInvalidArgument,
          "[to_dlpack] the tensor is read-only, which versions of DLPack before 1.0 can't tell: "
          "expected memory that may be written (tensor: {}). Export a clone of it.",
          tensor::describe(impl));
  }
  return export_to<DLManagedTensor>(tensor, options);
}

}  // namespace patchbay
