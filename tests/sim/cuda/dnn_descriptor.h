// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Descriptors of the simulated cuDNN.
#ifndef PATCHBAY_TESTS_SIM_CUDA_DNN_DESCRIPTOR_H_
#define PATCHBAY_TESTS_SIM_CUDA_DNN_DESCRIPTOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "cuda-cublas/api/dnn_api.hpp"
#include "sim/cuda/dnn_arithmetic.h"
#include "sim/vendor.h"

namespace patchbay::sim {

// Statuses that say more than the ones that the plugin knows.
inline constexpr int kDnnNullPointer = 2002, kDnnMisaligned = 2003, kDnnNotFinalized = 2004,
                     kDnnOutOfBound = 2005, kDnnDuplicated = 2009, kDnnWrongType = 2010,
                     kDnnWrongKind = 2012, kDnnUnsupportedPattern = 3001,
                     kDnnUnsupportedType = 3003, kDnnUnsupportedLayout = 3004;

/// What an entry gives in place of success.
struct Refusal {
  int status;
};
inline void require(bool holds, int status) {
  if (!holds) throw Refusal{status};
}

struct Descriptor {
  using Pointer = std::shared_ptr<Descriptor>;
  struct Value {
    std::int64_t count = 0;
    std::vector<std::byte> bytes;
    std::vector<Pointer> descriptors;  // in place of bytes
  };

  template <class T>
  std::vector<T> all(int name) const {
    const Value& value = values.at(name);
    std::vector<T> copy(static_cast<std::size_t>(value.count));
    std::memcpy(copy.data(), value.bytes.data(), copy.size() * sizeof(T));
    return copy;
  }
  std::vector<std::int64_t> integers(int name) const { return all<std::int64_t>(name); }
  template <class T>
  T one(int name) const {
    return all<T>(name).front();
  }
  const Descriptor& referenced(int name) const { return *values.at(name).descriptors.front(); }
  template <class T>
  void set(int name, const T* elements, std::int64_t count) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(elements);
    values[name] = {count, {bytes, bytes + static_cast<std::size_t>(count) * sizeof(T)}, {}};
  }
  void set(int name, std::vector<Pointer> descriptors) {
    const auto count = static_cast<std::int64_t>(descriptors.size());
    values[name] = {count, {}, std::move(descriptors)};
  }
  /// Throws a Refusal.
  void finalize();

  int kind;
  bool is_finalized = false;
  std::map<int, Value> values{};           // by the attribute
  const ContextObject* context = nullptr;  // of a plan
};

struct Attribute {
  int kind, name, type;
  std::int64_t most = 1;  // values
  int referenced_kind = 0;
  bool is_read_only = false;
  bool is_optional = false;  // others that can be written are required

  bool refers_to(const Descriptor& descriptor) const;
};
/// Of all kinds of descriptors.
const std::vector<Attribute>& dnn_attributes();
/// Throws a Refusal if that kind of descriptor has no such attribute of that type.
const Attribute& attribute_of(const Descriptor& descriptor, int name, int type);
/// Of a value of an attribute that is no descriptor, and of an element of a tensor.
std::size_t bytes_of_value(int type);
std::int64_t bytes_of_element(int data_type);

struct Engine {
  std::array<int, 2> notes{};
  std::int64_t num_notes = 0;
  std::int64_t workspace_bytes = 0;
  Inexactness inexactness{};
  bool is_random = false;
  bool has_plans = true;
};

/// What a plan is to compute.
struct PlannedWork {
  explicit PlannedWork(const Descriptor& plan);

  const Engine& engine;
  std::variant<Convolution, Attention> of;
  std::vector<const Descriptor*> tensors;  // by the Operand of the convolution or attention
  std::size_t result;                      // which tensor is written
  const Descriptor* scale = nullptr;       // of attention, a number by value; else null
};

/// The context of a handle, which must be current. Throws a Refusal if it isn't or if the handle is
/// none.
ContextObject& context_of(cuda::NativeDnn handle);

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_CUDA_DNN_DESCRIPTOR_H_
