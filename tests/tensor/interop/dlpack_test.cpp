// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tensors out of the runtime and into it by DLPack. The other library is the test: it makes the
// structs by hand, and reads what the runtime makes.
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#elif __has_include(<ATen/dlpack.h>)
#include <ATen/dlpack.h>
#endif

#include "support/device_test.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

using patchbay::dlpack::kReadOnly;
using Managed = patchbay::dlpack::DLManagedTensor;
using Versioned = patchbay::dlpack::DLManagedTensorVersioned;
using patchbay::dlpack::DLDataType;

template <class Exported>
void destroy(Exported* exported) {
  exported->deleter(exported);
}

/// The bytes of all elements in row-major order.
Bytes bytes_of(const Tensor& tensor) {
  const Tensor packed = tensor.contiguous();
  Bytes bytes(packed.size_bytes());
  copy_to_host(bytes.data(), {packed.buffer(), packed.offset_bytes(), bytes.size()});
  return bytes;
}

// --- Export and import, on each device ---

class DlpackTest : public DeviceTest {
 protected:
  /// Out and in again; the struct's fields fit the tensor.
  Tensor around(const Tensor& tensor) const {
    Versioned* const exported = to_dlpack(tensor);
    EXPECT_EQ(exported->version.major, 1u);
    EXPECT_EQ(exported->flags, 0u);
    EXPECT_EQ(exported->dl_tensor.ndim, tensor.rank());
    EXPECT_EQ(exported->dl_tensor.dtype.bits, 8 * size_bytes(tensor.dtype()));
    EXPECT_EQ(exported->dl_tensor.dtype.lanes, 1u);
    return from_dlpack(exported, device_);
  }
  void expect_same_around(const Tensor& tensor) const {
    const Tensor again = around(tensor);
    EXPECT_EQ(again.device(), tensor.device());
    EXPECT_EQ(again.dtype(), tensor.dtype());
    EXPECT_EQ(again.shape(), tensor.shape());
    if (tensor.num_elements() > 1) {
      EXPECT_EQ(again.strides(), tensor.strides());
    }
    EXPECT_EQ(bytes_of(again), bytes_of(tensor));
  }
};
INSTANTIATE_TEST_SUITE_P(, DlpackTest, testing::Values("cpu:0", "opencl:0", "cuda:0", "hip:0"),
                         device_test_name);

TEST_P(DlpackTest, EveryDtypeKeepsItsBits) {
  for (const DType dtype : kDTypes) {
    const DeviceProperties& can = device_.properties();
    if (((dtype == DType::f64 || dtype == DType::c128) && !can.f64) ||
        (dtype == DType::f16 && !can.f16) || (dtype == DType::bf16 && !can.bf16)) {
      continue;
    }
    Bytes bytes(5 * size_bytes(dtype));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::uint8_t>(dtype == DType::boolean ? i % 2 : 0x35 + 7 * i);
    }
    const Tensor source = from_host_bytes(bytes.data(), dtype, {5}, device_);
    const Tensor again = around(source);
    EXPECT_EQ(again.dtype(), dtype);
    Bytes got(bytes.size());
    copy_to_host(got.data(), {again.buffer(), again.offset_bytes(), got.size()});
    EXPECT_EQ(got, bytes) << to_string(dtype);
  }
}

TEST_P(DlpackTest, ViewsScalarsAndEmptyTensors) {
  const Tensor matrix = arange(0, 12, 1, {DType::i32, device_}).reshape({3, 4});
  expect_same_around(matrix);
  expect_same_around(matrix.t());
  expect_same_around(matrix.slice(1, 1, 4, 2));
  expect_same_around(matrix.select(0, 1).unsqueeze(0).expand({3, 4}));
  expect_same_around(matrix.select(0, 2).select(0, 3));
  expect_same_around(matrix.slice(0, 1, 1));
  expect_same_around(zeros({0}, device_));
  EXPECT_EQ(around(matrix.select(0, 2).select(0, 3)).item<std::int32_t>(), 11);
}

TEST_P(DlpackTest, MemoryIsSharedAndNotCopied) {
  const Tensor source = zeros({4}, device_);
  Ledger& ledger = test_runtime().ledger();
  ledger.reset();
  const Tensor again = around(source);
  EXPECT_EQ(ledger.total().copies, 0u);
  again.fill_(3);
  again.buffer().wait();
  EXPECT_EQ(source.to_vector<float>(), Floats(4, 3));
  EXPECT_EQ(native_handle(again).value, native_handle(source).value);
}

TEST_P(DlpackTest, ExportKeepsTheMemory) {
  device_.synchronize();
  const std::uint64_t before = device_.memory().live_bytes;
  Versioned* exported = nullptr;
  {
    const Tensor source = full({1000}, 6, device_) + 1;
    exported = to_dlpack(source);
  }
  EXPECT_EQ(device_.memory().live_bytes, before + 4000);
  {
    const Tensor again = from_dlpack(exported, device_);
    EXPECT_EQ((again + 1).to_vector<float>(), Floats(1000, 8));
    EXPECT_EQ(device_.memory().live_bytes, before + 4000);
  }
  EXPECT_EQ(device_.memory().live_bytes, before);  // the import called the deleter
}

TEST_P(DlpackTest, VersionsBeforeOne) {
  const Tensor source = floats({1, 2, 3});
  Managed* const exported = to_dlpack_unversioned(source.slice(0, 1));
  const Tensor again = from_dlpack(exported, device_);
  EXPECT_EQ(again.to_vector<float>(), (Floats{2, 3}));
}

TEST_P(DlpackTest, ExportToAStreamOfTheConsumer) {
  const Tensor source = full({1 << 16}, 2, device_);
  if (device_.backend() == "cpu") {
    EXPECT_ERROR(to_dlpack(source, {.stream = 1}), kUnsupported,
                 "[to_dlpack] can't wrap streams of the application (cpu:0)");
    return;
  }
  const Stream consumer(device_);
  Tensor sum = source;
  for (int i = 0; i < 20; ++i) sum = sum + source;
  Versioned* const exported = to_dlpack(sum, {.stream = native_handle(consumer).value});
  consumer.synchronize();
  // The import knows of nothing that is pending, and so waits for nothing.
  const Tensor again = from_dlpack(exported, device_);
  Floats values(1 << 16);
  copy_to_host(values.data(), {again.buffer(), again.offset_bytes(), again.size_bytes()});
  EXPECT_EQ(values, Floats(1 << 16, 42));
}

TEST_P(DlpackTest, NoElementsAreNowhere) {
  Versioned* const exported = to_dlpack(ones({4}, device_).slice(0, 2, 2));
  EXPECT_EQ(exported->dl_tensor.shape[0], 0);
  EXPECT_EQ(exported->dl_tensor.data, nullptr);
  EXPECT_EQ(exported->dl_tensor.byte_offset, 0u);
  destroy(exported);
}

TEST_P(DlpackTest, DeviceIsFoundByItsNumber) {
  Versioned* const exported = to_dlpack(ones({2}, device_));
  EXPECT_EQ(from_dlpack(exported, test_runtime()).device(), device_);
}

// --- What the other library says is not trusted ---

/// A tensor of another library, in host memory.
struct Foreign {
  Foreign() {
    managed.version = {1, 0};
    managed.manager_ctx = this;
    managed.deleter = [](Versioned* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; };
    managed.dl_tensor = {values, {1, 0}, 1, {2, 32, 1}, shape, nullptr, 0};
  }
  Tensor import() { return from_dlpack(&managed, test_device("cpu:0")); }

  alignas(64) float values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  std::int64_t shape[9] = {8, 1, 1, 1, 1, 1, 1, 1, 1};
  std::int64_t strides[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  int deleted = 0;
  Versioned managed{};
};

/// The error; the caller keeps what was refused.
#define EXPECT_REFUSED(foreign, code, text)       \
  do {                                            \
    EXPECT_ERROR((foreign).import(), code, text); \
    EXPECT_EQ((foreign).deleted, 0);              \
  } while (false)

TEST(DlpackImport, BorrowsUntilTheLastUse) {
  Foreign foreign;
  {
    const Tensor tensor = foreign.import();
    EXPECT_EQ(tensor.data<float>(), foreign.values);
    EXPECT_EQ(tensor.to_vector<float>(), (Floats{0, 1, 2, 3, 4, 5, 6, 7}));
    const Tensor part = tensor.slice(0, 4);
    part.fill_(9);
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
  EXPECT_EQ(foreign.values[4], 9);
}

TEST(DlpackImport, OffsetsAndStrides) {
  Foreign foreign;
  foreign.managed.dl_tensor.byte_offset = 4;
  foreign.managed.dl_tensor.ndim = 2;
  foreign.managed.dl_tensor.strides = foreign.strides;
  foreign.shape[0] = 3;
  foreign.shape[1] = 2;
  foreign.strides[0] = 2;
  foreign.strides[1] = 1;
  EXPECT_EQ(foreign.import().to_vector<float>(), (Floats{1, 2, 3, 4, 5, 6}));
  foreign.shape[1] = 1;
  foreign.strides[1] = -7;  // never taken
  EXPECT_EQ(foreign.import().to_vector<float>(), (Floats{1, 3, 5}));
  foreign.managed.dl_tensor.ndim = 0;
  foreign.managed.dl_tensor.shape = foreign.managed.dl_tensor.strides = nullptr;
  EXPECT_EQ(foreign.import().item<float>(), 1);
}

TEST(DlpackImport, NoDeleterAndNoElements) {
  Foreign foreign;
  foreign.managed.deleter = nullptr;
  EXPECT_EQ(foreign.import().num_elements(), 8);
  foreign.shape[0] = 0;
  foreign.managed.dl_tensor.data = nullptr;
  EXPECT_EQ(foreign.import().num_elements(), 0);
}

TEST(DlpackImport, ReadOnlyMemoryIsNotWritten) {
  Foreign foreign;
  foreign.managed.flags = kReadOnly;
  const Tensor tensor = foreign.import();
  const std::string reason = " is read-only: its owner lent the memory to be read";
  const auto expect_refused = [&](const std::string& what, auto&& write) {
    EXPECT_INVALID(write(), what + reason);
  };
  expect_refused("[fill_] tensor", [&] { tensor.fill_(1); });
  expect_refused("[copy_from] destination", [&] { tensor.copy_from(ones({8}, tensor.device())); });
  expect_refused("[copy_from] destination",
                 [&] { tensor.copy_from(ones({8}, test_device("fake:0"))); });
  expect_refused("[add] a", [&] { add_out(tensor, tensor, tensor); });
  expect_refused("[neg] out", [&] { neg_out(tensor.slice(0, 2), tensor.slice(0, 2)); });
  const Tensor matrix = tensor.view({2, 4});
  expect_refused("[matmul] out", [&] {
    matmul_out(matrix, ones({2, 2}, tensor.device()), ones({2, 4}, tensor.device()));
  });
  expect_refused("[copy] the destination", [&] {
    copy({tensor.buffer(), 0, 32}, {ones({8}, tensor.device()).buffer(), 0, 32});
  });
  expect_refused("[copy_from_host] the destination", [&] {
    copy_from_host({tensor.buffer(), 0, 32}, foreign.values);
  });
  const Kernel fill = Kernel::prepare(tensor.device(), fill_spec());
  expect_refused("[fill.1] argument 0", [&] {
    fill.launch(
        tensor.device().default_stream(),
        std::vector<Argument>{Argument::tensor(tensor.buffer(), DType::f32, {8}, Access::kWrite),
                              Argument::scalar(1.0f)});
  });
  const ModuleKernel scale = KernelModule::from_source(tensor.device(), kScale).kernel("scale");
  expect_refused("[scale] argument 1 'y'", [&] {
    scale.launch({.groups = {1}, .group_size = {8}}, {ones({8}, tensor.device()), tensor, 2, 8});
  });
  EXPECT_EQ((tensor + tensor).to_vector<float>(),
            (Floats{0, 2, 4, 6, 8, 10, 12, 14}));  // it can be read
}

TEST(DlpackImport, ReadOnlyMemoryStaysSo) {
  Foreign foreign;
  foreign.managed.flags = kReadOnly;
  const Tensor tensor = foreign.import();
  Versioned* const exported = to_dlpack(tensor);
  EXPECT_EQ(exported->flags, kReadOnly);
  destroy(exported);
  EXPECT_INVALID(to_dlpack_unversioned(tensor), "[to_dlpack] the tensor is read-only");
}

TEST(DlpackImport, ElementsThatRepeatAreNotWritten) {
  Foreign foreign;
  foreign.managed.dl_tensor.ndim = 2;
  foreign.managed.dl_tensor.strides = foreign.strides;
  foreign.shape[0] = 3;
  foreign.shape[1] = 2;  // a window of two that slides
  const Tensor windows = foreign.import();
  EXPECT_EQ(windows.to_vector<float>(), (Floats{0, 1, 1, 2, 2, 3}));
  EXPECT_INVALID(windows.fill_(1), "[fill_] tensor repeats elements");
}

TEST(DlpackImport, VersionsAndPointers) {
  Foreign foreign;
  foreign.managed.version = {2, 1};
  EXPECT_REFUSED(foreign, kUnsupported,
                 "[from_dlpack] the tensor is of another version of DLPack: expected 1.x, got 2.1");
  foreign.managed.version = {1, 7};
  EXPECT_EQ(foreign.import().num_elements(), 8);
  EXPECT_INVALID(from_dlpack(static_cast<Versioned*>(nullptr), test_device("cpu:0")),
                 "[from_dlpack] null pointer");
  Foreign empty;
  empty.managed.dl_tensor.data = nullptr;
  EXPECT_REFUSED(empty, kInvalidArgument,
                 "[from_dlpack] null memory: expected the native handle of 32 bytes");
}

TEST(DlpackImport, MisalignedMemory) {
  Foreign foreign;
  foreign.shape[0] = 4;
  foreign.managed.dl_tensor.byte_offset = 2;
  EXPECT_REFUSED(foreign, kInvalidArgument,
                 "[from_dlpack] misaligned memory: expected a multiple of 4 bytes for f32");
  foreign.managed.dl_tensor.byte_offset = 0;
  foreign.managed.dl_tensor.data = reinterpret_cast<char*>(foreign.values) + 2;
  EXPECT_REFUSED(foreign, kInvalidArgument, "[from_dlpack] misaligned memory");
  foreign.managed.dl_tensor.byte_offset = 2;  // together they are aligned
  EXPECT_EQ(foreign.import().to_vector<float>(), (Floats{1, 2, 3, 4}));
}

TEST(DlpackImport, ShapesAndStrides) {
  Foreign foreign;
  foreign.managed.dl_tensor.strides = foreign.strides;
  foreign.strides[0] = -1;
  EXPECT_REFUSED(foreign, kInvalidArgument,
                 "[from_dlpack] negative stride: expected 0 or more, got -1 in dimension 0");
  foreign.strides[0] = INT64_MAX / 4;
  EXPECT_REFUSED(foreign, kOverflow, "[from_dlpack] too many bytes");
  foreign.strides[0] = 1;
  foreign.managed.dl_tensor.byte_offset = UINT64_MAX - 3;
  EXPECT_REFUSED(foreign, kOverflow, "[from_dlpack] too large an offset");
  foreign.managed.dl_tensor.byte_offset = 0;
  foreign.shape[0] = -8;
  EXPECT_REFUSED(foreign, kInvalidArgument, "[from_dlpack] negative extent");
  foreign.shape[0] = INT64_MAX;
  EXPECT_REFUSED(foreign, kOverflow, "[from_dlpack] too many bytes");
  foreign.managed.dl_tensor.strides = nullptr;
  EXPECT_REFUSED(foreign, kOverflow, "[from_dlpack] too many bytes");
  foreign.managed.dl_tensor.ndim = 9;
  EXPECT_REFUSED(foreign, kInvalidArgument,
                 "[from_dlpack] bad shape: expected 0 to 8 dimensions with their extents, got 9");
  foreign.managed.dl_tensor.ndim = -1;
  EXPECT_REFUSED(foreign, kInvalidArgument, "got -1");
  foreign.managed.dl_tensor.ndim = 1;
  foreign.managed.dl_tensor.shape = nullptr;
  EXPECT_REFUSED(foreign, kInvalidArgument, "got 1 without extents");
}

TEST(DlpackImport, Dtypes) {
  Foreign foreign;
  const auto refused = [&](DLDataType dtype, const std::string& text) {
    foreign.managed.dl_tensor.dtype = dtype;
    EXPECT_REFUSED(foreign, kUnsupported, text);
  };
  refused({2, 32, 4},
          "[from_dlpack] no such dtype: expected one lane of one of f32, f64, f16, bf16, i32, i64, "
          "u8, bool, i8, i16, u16, u32, u64, c64, c128, got code 2 with 32 bits and 4 lanes");
  refused({0, 4, 1}, "got code 0 with 4 bits and 1 lanes");
  refused({1, 128, 1}, "got code 1 with 128 bits");
  refused({5, 32, 1}, "got code 5 with 32 bits");  // complex, of 16-bit floats
}

/// The numbers of the standard: 0 for signed integers, 1 for unsigned ones.
TEST(DlpackImport, IntegersOfEverySize) {
  const std::pair<DLDataType, DType> cases[] = {{{0, 8, 1}, DType::i8},   {{0, 16, 1}, DType::i16},
                                                {{0, 32, 1}, DType::i32}, {{0, 64, 1}, DType::i64},
                                                {{1, 8, 1}, DType::u8},   {{1, 16, 1}, DType::u16},
                                                {{1, 32, 1}, DType::u32}, {{1, 64, 1}, DType::u64}};
  for (const auto& [dtype, expected] : cases) {
    Versioned* const exported = to_dlpack(zeros({3}, {expected, test_device("cpu:0")}));
    EXPECT_EQ(exported->dl_tensor.dtype.code, dtype.code);
    EXPECT_EQ(exported->dl_tensor.dtype.bits, dtype.bits);
    EXPECT_EQ(from_dlpack(exported, test_device("cpu:0")).dtype(), expected);
  }
}

TEST(DlpackImport, Devices) {
  Foreign foreign;
  foreign.managed.dl_tensor.device = {77, 3};
  EXPECT_REFUSED(foreign, kDeviceMismatch,
                 "[from_dlpack] the memory is of another device: expected device type 1, id 0 for "
                 "cpu:0, got device type 77, id 3");
  EXPECT_ERROR(from_dlpack(&foreign.managed, test_runtime()), kUnknownDevice,
               "[from_dlpack] no device of this runtime has the memory: expected one of (cpu:0: "
               "device type 1, id 0; cpu:1: device type 1, id 0");
  foreign.managed.dl_tensor.device = {1, 0};
  EXPECT_ERROR(from_dlpack(&foreign.managed, test_device("fake:0")), kDeviceMismatch,
               "expected nothing, since DLPack has no number for it");
  EXPECT_EQ(foreign.deleted, 0);
  EXPECT_EQ(from_dlpack(&foreign.managed, test_device("cpu:1")).device().name(), "cpu:1");
  EXPECT_EQ(from_dlpack(&foreign.managed, test_runtime()).device().name(), "cpu:0");
}

TEST(DlpackExport, DevicesWithoutANumber) {
  EXPECT_ERROR(to_dlpack(zeros({2}, test_device("fake:0"))), kUnsupported,
               "[to_dlpack] fake:0 is of a kind that DLPack has no number for");
  EXPECT_INVALID(to_dlpack(Tensor()), "[to_dlpack] tensor is undefined");
}

TEST(DlpackExport, WhatFailedIsRefused) {
  const Runtime runtime(options({{"fake_fail_async_launch", "2"}}));
  const Tensor failed = ones({4}, runtime.device("fake:0")) * 2;
  const Tensor copy = failed.to(runtime.device("cpu:0"), {.non_blocking = true});
  for (int i = 0; i < 2; ++i) {  // the first waits for it, the second knows
    const std::string text = error_of([&] { return to_dlpack(copy); }).what();
    EXPECT_TRUE(text.starts_with("[to_dlpack] ")) << text;
    EXPECT_NE(text.find("launch of mul failed"), std::string::npos) << text;
  }
}

TEST(DlpackExport, AddressesHaveTheirOffsetInThem) {
  const Tensor source = from_host<float>({1, 2, 3}, {3}, test_device("cpu:0"));
  Versioned* const exported = to_dlpack(source.slice(0, 1));
  EXPECT_EQ(exported->dl_tensor.data, source.data<float>() + 1);
  EXPECT_EQ(exported->dl_tensor.byte_offset, 0u);
  EXPECT_EQ(exported->dl_tensor.shape[0], 2);
  EXPECT_EQ(exported->dl_tensor.strides[0], 1);
  destroy(exported);
}

#ifdef DLPACK_VERSION
/// Against the standard's own header, whichever version is there.
TEST(DlpackExport, StructsAreTheStandards) {
  const Tensor source = from_host<std::int32_t>({1, 2, 3, 4, 5, 6}, {2, 3}, test_device("cpu:0"));
  auto* const theirs = dlpack::same_struct<::DLManagedTensor>(to_dlpack_unversioned(source));
  const ::DLTensor& tensor = theirs->dl_tensor;
  EXPECT_EQ(tensor.device.device_type, ::kDLCPU);
  EXPECT_EQ(tensor.ndim, 2);
  EXPECT_EQ(tensor.dtype.code, ::kDLInt);
  EXPECT_EQ(tensor.dtype.bits, 32);
  EXPECT_EQ(tensor.shape[1], 3);
  EXPECT_EQ(tensor.strides[0], 3);
  EXPECT_EQ(tensor.byte_offset, 0u);
  EXPECT_EQ(static_cast<const std::int32_t*>(tensor.data)[5], 6);
  const Tensor again = from_dlpack(dlpack::same_struct<Managed>(theirs), test_device("cpu:0"));
  EXPECT_EQ(again.to_vector<std::int32_t>(), source.to_vector<std::int32_t>());
}
#endif

}  // namespace
}  // namespace patchbay::test
