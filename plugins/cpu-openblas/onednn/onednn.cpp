// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/onednn/onednn.hpp"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace patchbay::cpu::dnnl {
namespace {

/// The function that the library's own calls use: one of the program, if it has it, comes first.
template <class Function>
void find_used(const Library& library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  if (function == nullptr) library.optional(name, function);
}

}  // namespace

std::string Symbols::find(Library& library) {
#define PATCHBAY_DNNL_FIND(name, member, ...) library.find(member);
  PATCHBAY_DNNL_COMMON(PATCHBAY_DNNL_FIND)
  if (!library.is_complete()) return library.why();
  const Version& found = *version();
  if (found.major == 2) {
    PATCHBAY_DNNL_VERSION_2(PATCHBAY_DNNL_FIND)
  } else if (found.major == 3) {
    PATCHBAY_DNNL_VERSION_3(PATCHBAY_DNNL_FIND)
  } else {
    return library.file() + ": version " + std::to_string(found.major) + ", expected 2 or 3";
  }
#undef PATCHBAY_DNNL_FIND
  if (!library.is_complete()) return library.why();
  if (found.cpu_runtime == kSequential) return {};
  if (found.cpu_runtime != kOpenMp) return library.file() + ": its threads are not OpenMP's";
  find_used(library, "omp_get_max_threads", max_threads);
  find_used(library, "omp_set_num_threads", set_num_threads);
  if (max_threads == nullptr || set_num_threads == nullptr) return library.file() + ": no OpenMP";
  return {};
}

}  // namespace patchbay::cpu::dnnl

namespace patchbay::cpu {

using dnnl::Descriptor;

namespace {

constexpr const char* kCandidates[] = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"};

/// Room for a struct of version 2.
struct alignas(std::max_align_t) LayoutRoom {
  std::byte bytes[dnnl::kLayoutBytes];
};

/// Whether the library generates code for the operation, instead of looping in general code.
bool is_generated(const char* implementation) {
  return implementation != nullptr && (std::strncmp(implementation, "jit", 3) == 0 ||
                                       std::strncmp(implementation, "brg", 3) == 0);
}

}  // namespace

bool OneDnn::try_open(const std::string& path, std::string& why) {
  library_ = Library(path, Library::Lifetime::kProcess);
  symbols_ = dnnl::Symbols();
  why = library_ ? symbols_.find(library_) : library_.why();
  if (!why.empty()) return false;
  if (symbols_.engine_create(&engine_, dnnl::kCpu, 0) != 0 ||
      symbols_.attributes_create(&attributes_) != 0 ||
      symbols_.set_scratchpad_mode(attributes_, dnnl::kUserScratchpad) != 0) {
    why = path + ": it makes no engine for the processor";
    return false;
  }
  return true;
}

std::unique_ptr<OneDnn> OneDnn::open(const std::optional<std::string>& path, std::string& why) {
  std::vector<std::string> candidates(std::begin(kCandidates), std::end(kCandidates));
  if (path) candidates = {*path};
  for (const std::string& candidate : candidates) {
    std::unique_ptr<OneDnn> opened(new OneDnn);
    std::string failure;
    if (opened->try_open(candidate, failure)) return opened;
    if (why.empty()) why = std::move(failure);
  }
  return nullptr;
}

OneDnn::~OneDnn() {
  if (attributes_ != nullptr) symbols_.attributes_destroy(attributes_);
  if (engine_ != nullptr) symbols_.engine_destroy(engine_);
}

std::string OneDnn::name() const {
  const dnnl::Version& version = *symbols_.version();
  return "oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch);
}

OneDnn::Layout OneDnn::strided(std::span<const std::int64_t> dims,
                               std::span<const std::int64_t> strides) const {
  return made_layout(symbols_.layout_by_strides, symbols_.layout_with_strides, dims,
                     strides.data());
}

/// A layout that the library may choose.
OneDnn::Layout OneDnn::any(std::span<const std::int64_t> dims) const {
  return made_layout(symbols_.layout_by_tag, symbols_.layout_with_tag, dims, dnnl::kAnyTag);
}

/// By `in_room` of version 2 or `as_object` of version 3.
template <class InRoom, class AsObject, class Order>
OneDnn::Layout OneDnn::made_layout(const InRoom& in_room, const AsObject& as_object,
                                   std::span<const std::int64_t> dims, Order order) const {
  const int rank = static_cast<int>(dims.size());
  if (in_room.function != nullptr) {
    auto room = std::make_shared<LayoutRoom>();
    if (in_room(room.get(), rank, dims.data(), dnnl::kF32, order) != 0) return nullptr;
    return room;
  }
  void* made = nullptr;
  if (as_object(&made, rank, dims.data(), dnnl::kF32, order) != 0) return nullptr;
  return Layout(made, [destroy = symbols_.layout_destroy](const void* layout) {
    destroy(const_cast<void*>(layout));
  });
}

/// Null if the library refuses. `hint` describes the forward convolution, for gradients.
Descriptor* OneDnn::describe(const DnnlConvolution& one, ConvolutionPart part,
                             const Descriptor* hint) const {
  using enum ConvolutionPart;
  const Layout images = any(one.images), windows = any(one.windows),
               weight = any(std::span(one.weight).first(static_cast<std::size_t>(one.weight_rank)));
  if (!images || !windows || !weight) return nullptr;
  const dnnl::LayoutAddress x = images.get(), w = weight.get(), y = windows.get();
  const std::int64_t *const steps = one.strides, *const gaps = one.dilations;
  const std::int64_t *const before = one.before, *const after = one.after;
  const dnnl::Symbols& dnnl = symbols_;
  const int direct = dnnl::kDirect, training = dnnl::kForwardTraining;
  Descriptor* made = nullptr;
  int status = 0;
  if (dnnl.forward.function != nullptr) {
    alignas(std::max_align_t) std::byte operation[dnnl::kConvolutionBytes];
    if (part == kForward) {
      status =
          dnnl.forward(operation, training, direct, x, w, nullptr, y, steps, gaps, before, after);
    } else if (part == kInput) {
      status = dnnl.backward_data(operation, direct, x, w, y, steps, gaps, before, after);
    } else {
      status =
          dnnl.backward_weights(operation, direct, x, w, nullptr, y, steps, gaps, before, after);
    }
    if (status == 0) status = dnnl.descriptor_create(&made, operation, attributes_, engine_, hint);
  } else if (part == kForward) {
    status = dnnl.forward_descriptor(&made, engine_, training, direct, x, w, nullptr, y, steps,
                                     gaps, before, after, attributes_);
  } else if (part == kInput) {
    status = dnnl.data_descriptor(&made, engine_, direct, x, w, y, steps, gaps, before, after, hint,
                                  attributes_);
  } else {
    status = dnnl.weight_descriptor(&made, engine_, direct, x, w, nullptr, y, steps, gaps, before,
                                    after, hint, attributes_);
  }
  return status == 0 ? made : nullptr;
}

/// Takes the descriptor.
OneDnn::Primitive OneDnn::finished(Descriptor* descriptor) const {
  Primitive made;
  if (descriptor == nullptr) return made;
  made.library_ = this;
  made.descriptor_ = {descriptor,
                      [destroy = symbols_.descriptor_destroy](Descriptor* one) { destroy(one); }};
  dnnl::Primitive* work = nullptr;
  if (symbols_.primitive_create(&work, descriptor) != 0) return made;
  made.work_ = {work,
                [destroy = symbols_.primitive_destroy](dnnl::Primitive* one) { destroy(one); }};
  made.scratch_bytes_ = size_bytes(made.layout(dnnl::kQueryScratchpad));
  return made;
}

OneDnn::Primitive OneDnn::convolution(const DnnlConvolution& one) const {
  const auto described = [&](ConvolutionPart part, const Descriptor* hint) {
    return std::shared_ptr<Descriptor>(describe(one, part, hint), [this](Descriptor* made) {
      if (made != nullptr) symbols_.descriptor_destroy(made);
    });
  };
  // Gradients are described with the forward convolution at hand.
  std::shared_ptr<Descriptor> hint;
  if (one.part != ConvolutionPart::kForward) {
    hint = described(ConvolutionPart::kForward, nullptr);
    if (hint == nullptr) return {};
  }
  Descriptor* const made = describe(one, one.part, hint.get());
  const char* implementation = nullptr;
  if (made != nullptr) symbols_.query(made, dnnl::kQueryImplementation, 0, &implementation);
  if (made != nullptr && !is_generated(implementation)) {
    symbols_.descriptor_destroy(made);
    return {};
  }
  return finished(made);
}

OneDnn::Primitive OneDnn::reorder(dnnl::LayoutAddress from, dnnl::LayoutAddress to) const {
  Descriptor* made = nullptr;
  if (symbols_.reorder(&made, from, engine_, to, engine_, attributes_) != 0) return {};
  return finished(made);
}

dnnl::LayoutAddress OneDnn::Primitive::layout(int query) const {
  return library_->symbols_.query_layout(descriptor_.get(), query, 0);
}

OneDnn::Session::Session(const OneDnn& library)
    : library_(library),
      before_(library.symbols_.max_threads != nullptr ? library.symbols_.max_threads() : 1) {
  if (before_ != 1) library.symbols_.set_num_threads(1);
  if (library.symbols_.stream_create(&stream_, library.engine_, dnnl::kInOrder) != 0) {
    stream_ = nullptr;
  }
}

OneDnn::Session::~Session() {
  if (stream_ != nullptr) library_.symbols_.stream_destroy(stream_);
  if (before_ != 1) library_.symbols_.set_num_threads(before_);
}

bool OneDnn::Session::run(const Primitive& primitive, std::initializer_list<Operand> operands,
                          void* scratch) const noexcept {
  const dnnl::Symbols& symbols = library_.symbols_;
  if (stream_ == nullptr) return false;
  std::array<dnnl::Argument, 4> arguments{};
  int count = 0;
  bool is_made = true;
  const auto add = [&](const Operand& operand) {
    dnnl::Memory* memory = nullptr;
    is_made = is_made && symbols.memory_create(&memory, operand.layout, library_.engine_,
                                               const_cast<void*>(operand.data)) == 0;
    if (memory != nullptr) {
      arguments[static_cast<std::size_t>(count++)] = {operand.number, memory};
    }
  };
  for (const Operand& operand : operands) add(operand);
  if (primitive.scratch_bytes() > 0) {
    add({dnnl::kScratchpad, primitive.layout(dnnl::kQueryScratchpad), scratch});
  }
  const bool is_done =
      is_made && symbols.execute(primitive.work_.get(), stream_, count, arguments.data()) == 0 &&
      symbols.stream_wait(stream_) == 0;
  for (int i = 0; i < count; ++i) {
    symbols.memory_destroy(arguments[static_cast<std::size_t>(i)].memory);
  }
  return is_done;
}

}  // namespace patchbay::cpu
