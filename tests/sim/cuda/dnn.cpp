// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries of cuDNN 9's graph API, for convolutions and attention.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "sim/cuda/dnn_arithmetic.h"
#include "sim/cuda/dnn_descriptor.h"
#include "sim/machine.h"
#include "sim/workspace.h"

namespace patchbay::cuda {

struct DnnObject {
  sim::ContextObject& context;
  sim::Address memory = 0;  // what it keeps of the device
  sim::NativeStream stream = nullptr;
};

}  // namespace patchbay::cuda

using namespace patchbay::cuda;
using namespace patchbay;
using namespace patchbay::sim;

PATCHBAY_DNN_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)
extern "C" PATCHBAY_SIM_EXPORT DnnVersion cudnnGetVersion;

namespace {

constexpr std::int64_t kWorkspaceAlignment = 256;
constexpr std::uint64_t kPlanBytes = std::uint64_t{1} << 20;  // free, for a plan to be made

/// What the program holds. Others may refer to a descriptor that it has destroyed.
struct Library {
  std::mutex mutex;  // before the machine's
  std::set<NativeDnn> handles;
  std::map<NativeDescriptor, Descriptor::Pointer> descriptors;
};
Library& library() {
  static Library& only = *new Library;
  return only;
}

template <class Body>
int answer(const Body& body) {
  if (machine().gone() != kSuccess) return kDnnNotInitialized;
  const std::lock_guard lock(library().mutex);
  try {
    body();
  } catch (const Refusal& refusal) {
    return refusal.status;
  }
  return kDnnSuccess;
}

DnnObject& live_handle(NativeDnn native) {
  if (library().handles.count(native) == 0) end_for_unknown_handle(native);
  return *native;
}

const Descriptor::Pointer& live_descriptor(NativeDescriptor native) {
  require(native != nullptr, kDnnNullPointer);
  const auto found = library().descriptors.find(native);
  if (found == library().descriptors.end()) end_for_unknown_handle(native);
  return found->second;
}

const Descriptor& finalized(NativeDescriptor native, int kind) {
  const Descriptor& descriptor = *live_descriptor(native);
  require(descriptor.kind == kind, kDnnWrongKind);
  require(descriptor.is_finalized, kDnnNotFinalized);
  return descriptor;
}

std::vector<Descriptor::Pointer> live_descriptors(const void* natives, std::int64_t count) {
  std::vector<Descriptor::Pointer> all;
  for (std::int64_t i = 0; i < count; ++i) {
    all.push_back(live_descriptor(static_cast<const NativeDescriptor*>(natives)[i]));
  }
  return all;
}

// ----------------------------------------------------------------------------------- execution

struct Range {
  std::byte* begin = nullptr;
  std::int64_t bytes = 0;

  bool overlaps(const Range& other) const {
    return begin < other.begin + other.bytes && other.begin < begin + bytes;
  }
};

Range memory_at(const ContextObject& context, const void* pointer, std::int64_t bytes,
                std::int64_t alignment) {
  require(pointer != nullptr, kDnnNullPointer);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  require(address % static_cast<std::uintptr_t>(alignment) == 0, kDnnMisaligned);
  const std::lock_guard lock(machine().mutex);
  std::byte* const found = machine().resolve(context, address, static_cast<std::uint64_t>(bytes));
  require(found != nullptr, kDnnOutOfBound);
  return {found, bytes};
}

void* pointer_of(const Descriptor& tensor, const Descriptor& pack) {
  const auto ids = pack.integers(kDnnPackIds);
  const auto found = std::find(ids.begin(), ids.end(), tensor.one<std::int64_t>(kDnnTensorId));
  require(found != ids.end(), kDnnBadParameter);
  return pack.all<void*>(kDnnPackPointers)[static_cast<std::size_t>(found - ids.begin())];
}

Range memory_of(const ContextObject& context, const Descriptor& tensor, const Descriptor& pack) {
  const auto extents = tensor.integers(kDnnTensorExtents);
  const auto strides = tensor.integers(kDnnTensorStrides);
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) elements += (extents[i] - 1) * strides[i];
  return memory_at(context, pointer_of(tensor, pack),
                   elements * bytes_of_element(tensor.one<int>(kDnnTensorType)),
                   tensor.one<std::int64_t>(kDnnTensorAlignment));
}

/// A number by value is of the host, read now.
float number_of(const Descriptor& tensor, const Descriptor& pack) {
  const void* const pointer = pointer_of(tensor, pack);
  require(pointer != nullptr, kDnnNullPointer);
  return *static_cast<const float*>(pointer);
}

template <std::size_t N>
std::array<std::byte*, N> operands_of(const std::vector<Range>& ranges) {
  std::array<std::byte*, N> operands{};
  for (std::size_t i = 0; i < N; ++i) operands[i] = ranges[i].begin;
  return operands;
}

void compute(const Engine& engine, const Convolution& convolution, float,
             const std::vector<Range>& ranges) {
  constexpr unsigned kDifferentRuns = 7;
  static std::atomic<unsigned> num_runs{0};
  Inexactness inexactness = engine.inexactness;
  if (engine.is_random) inexactness.error *= 1 + num_runs++ % kDifferentRuns;
  convolve(convolution, inexactness, operands_of<3>(ranges));
}
void compute(const Engine&, const Attention& attention, float scale,
             const std::vector<Range>& ranges) {
  attend(attention, scale, operands_of<4>(ranges));
}

/// Whether work on the stream is recorded: it may run again and again.
bool is_recorded(ContextObject& context, NativeStream stream) {
  const std::lock_guard lock(machine().mutex);
  return machine().stream_of(context, stream).capture == StreamObject::Capture::kActive;
}

void execute(const DnnObject& handle, const Descriptor::Pointer& of_plan, const Descriptor& pack) {
  ContextObject& context = handle.context;
  const Descriptor& plan = *of_plan;
  require(plan.context == &context, kDnnBadParameter);
  const PlannedWork work(plan);
  std::vector<Range> ranges;
  for (const Descriptor* const tensor : work.tensors) {
    ranges.push_back(memory_of(context, *tensor, pack));
  }
  const float scale = work.scale != nullptr ? number_of(*work.scale, pack) : 1;
  Range workspace;
  if (const std::int64_t bytes = work.engine.workspace_bytes; bytes != 0) {
    workspace = memory_at(context, pack.one<void*>(kDnnPackWorkspace), bytes, kWorkspaceAlignment);
  }
  // What is written overlaps nothing else.
  const Range& result = ranges[work.result];
  for (const Range& range : ranges) {
    require(!range.overlaps(workspace), kDnnBadParameter);
    require(&range == &result || !range.overlaps(result), kDnnBadParameter);
  }
  // A plan has code, which goes with it. Only work that is not recorded is waited for.
  const auto kept = is_recorded(context, handle.stream) ? nullptr : of_plan;
  const int code = submit(handle.stream, [&context, &engine = work.engine, of = work.of, workspace,
                                          ranges, scale, kept, used = std::weak_ptr(of_plan)] {
    if (used.expired()) {
      context.broken = kErrorIllegalAddress;
      return;
    }
    scribble(workspace.begin, static_cast<std::size_t>(workspace.bytes));
    std::visit([&](const auto& one) { compute(engine, one, scale, ranges); }, of);
  });
  require(code == kSuccess, kDnnExecutionFailed);
}

}  // namespace

ContextObject& sim::context_of(NativeDnn handle) {
  require(library().handles.count(handle) != 0, kDnnBadParameter);
  int code = 0;
  require(current_context(code) == &handle->context, kDnnNotInitialized);
  return handle->context;
}

int cudnnCreate(NativeDnn* native) {
  return answer([=] {
    int code = 0;
    ContextObject* const context = current_context(code);
    require(context != nullptr, kDnnNotInitialized);
    const std::lock_guard lock(machine().mutex);
    require(machine().config.dnn_status == kDnnSuccess, machine().config.dnn_status);
    Block* const kept = machine().allocate(*context, machine().config.blas_bytes);
    require(kept != nullptr, kDnnNotInitialized);
    kept->is_of_library = true;
    *native = new DnnObject{*context, reinterpret_cast<std::uintptr_t>(kept->range.base())};
    library().handles.insert(*native);
    ++machine().num_dnn_objects;
  });
}

int cudnnDestroy(NativeDnn native) {
  return answer([=] {
    const std::unique_ptr<DnnObject> handle(&live_handle(native));
    library().handles.erase(native);
    const std::lock_guard lock(machine().mutex);
    machine().blocks.erase(handle->memory);
    --machine().num_dnn_objects;
  });
}

std::size_t cudnnGetVersion() { return machine().config.dnn_version; }

int cudnnSetStream(NativeDnn native, NativeStream stream) {
  return answer([=] { live_handle(native).stream = stream; });
}

int cudnnBackendCreateDescriptor(int kind, NativeDescriptor* native) {
  return answer([=] {
    const auto& known = dnn_attributes();
    require(std::any_of(known.begin(), known.end(),
                        [=](const Attribute& attribute) { return attribute.kind == kind; }),
            kDnnNotSupported);
    require(kind != kDnnAttention || machine().config.dnn_version >= 91300, kDnnNotSupported);
    auto descriptor = std::make_shared<Descriptor>(Descriptor{kind});
    *native = descriptor.get();
    library().descriptors.emplace(*native, std::move(descriptor));
    ++machine().num_dnn_objects;
  });
}

int cudnnBackendDestroyDescriptor(NativeDescriptor native) {
  return answer([=] {
    live_descriptor(native);
    library().descriptors.erase(native);
    --machine().num_dnn_objects;
  });
}

int cudnnBackendSetAttribute(NativeDescriptor native, int name, int type, std::int64_t count,
                             const void* values) {
  return answer([=] {
    Descriptor& descriptor = *live_descriptor(native);
    const Attribute& attribute = attribute_of(descriptor, name, type);
    require(!descriptor.is_finalized && !attribute.is_read_only, kDnnBadParameter);
    require(count >= 1 && count <= attribute.most, kDnnOutOfBound);
    require(values != nullptr, kDnnNullPointer);
    if (type == kDnnTypeDescriptor) {
      auto others = live_descriptors(values, count);
      for (const auto& other : others) {
        require(attribute.refers_to(*other), kDnnWrongKind);
        require(other->is_finalized, kDnnNotFinalized);
      }
      descriptor.set(name, std::move(others));
    } else if (type == kDnnTypeBoolean) {
      descriptor.set(name, static_cast<const std::uint8_t*>(values), count);
    } else if (bytes_of_value(type) == sizeof(int)) {
      descriptor.set(name, static_cast<const int*>(values), count);
    } else {
      descriptor.set(name, static_cast<const std::int64_t*>(values), count);
    }
  });
}

/// Descriptors of the attribute are copied to those of the caller's, which are new.
int cudnnBackendGetAttribute(NativeDescriptor native, int name, int type, std::int64_t most,
                             std::int64_t* count, void* values) {
  return answer([=] {
    const Descriptor& descriptor = *live_descriptor(native);
    attribute_of(descriptor, name, type);
    require(descriptor.is_finalized, kDnnNotFinalized);
    require(most >= 0, kDnnOutOfBound);
    require(count != nullptr && (values != nullptr || most == 0), kDnnNullPointer);
    const Descriptor::Value& value = descriptor.values.at(name);
    *count = value.count;  // also if it is more than `most`
    const std::int64_t num_given = std::min(most, value.count);
    if (num_given == 0) return;
    if (type != kDnnTypeDescriptor) {
      std::memcpy(values, value.bytes.data(),
                  static_cast<std::size_t>(num_given) * bytes_of_value(type));
      return;
    }
    const auto targets = live_descriptors(values, num_given);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      require(targets[i]->kind == value.descriptors[i]->kind, kDnnWrongKind);
      require(!targets[i]->is_finalized, kDnnBadParameter);
      *targets[i] = *value.descriptors[i];
    }
  });
}

int cudnnBackendFinalize(NativeDescriptor native) {
  return answer([=] {
    Descriptor& descriptor = *live_descriptor(native);
    descriptor.finalize();
    int code = 0;
    ContextObject* const context = descriptor.kind == kDnnPlan ? current_context(code) : nullptr;
    if (context == nullptr) return;
    const std::lock_guard lock(machine().mutex);  // a plan loads its kernels
    const bool has_room =
        machine().config.memory_bytes - machine().used_bytes(*context) >= kPlanBytes;
    if (!has_room) descriptor.is_finalized = false;
    require(has_room, kDnnInternalError);
  });
}

int cudnnBackendExecute(NativeDnn native, NativeDescriptor plan, NativeDescriptor pack) {
  return answer([=] {
    const DnnObject& handle = live_handle(native);
    context_of(native);
    finalized(plan, kDnnPlan);
    execute(handle, live_descriptor(plan), finalized(pack, kDnnVariantPack));
  });
}
