// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries of cuBLASLt, for products with a bias.
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "cuda-cublas/api/blas_lt_api.hpp"
#include "sim/blas.h"
#include "sim/vendor.h"

namespace patchbay::cuda {

struct BlasLtObject {
  std::unique_ptr<sim::Blas> blas;
};

struct MatmulObject {
  int compute_type, transpose_a = kBlasNotTransposed, transpose_b = kBlasNotTransposed;
  int epilogue = 1;  // none
  const void* bias = nullptr;

  bool operator==(const MatmulObject&) const = default;
};

struct LayoutObject {
  int type;
  std::uint64_t rows, columns;
  std::int64_t leading;

  bool operator==(const LayoutObject&) const = default;
};

struct PreferenceObject {
  std::uint64_t workspace_bytes = 0;
  std::uint32_t reductions = 7;                        // all
  std::uint32_t alignments[4] = {256, 256, 256, 256};  // of a, b, c, d
};

}  // namespace patchbay::cuda

namespace patchbay::sim::lt {

using namespace cuda;

struct Problem {
  MatmulObject matmul;  // without the bias
  LayoutObject a, b, d;

  bool operator==(const Problem&) const = default;
};

/// What the heuristics have proposed.
struct Algorithm {
  Problem problem;
  PreferenceObject preference;
  std::uintptr_t bias_alignment;
  std::uint64_t workspace_bytes;
};

/// What the program holds.
struct Library {
  std::mutex mutex;  // before the machine's
  std::set<const void*> objects;
  std::vector<Algorithm> algorithms;
};
inline Library& library() {
  static Library& only = *new Library;
  return only;
}

struct Refusal {
  int status;
};
inline void require(bool holds, int status = kBlasLtInvalidValue) {
  if (!holds) throw Refusal{status};
}

template <class Body>
int answer(const Body& body) {
  if (machine().gone() != kSuccess) return kBlasNotInitialized;
  const std::lock_guard lock(library().mutex);
  try {
    body();
  } catch (const Refusal& refusal) {
    return refusal.status;
  }
  return kBlasSuccess;
}

template <class T>
T& live(T* native) {
  if (library().objects.count(native) == 0) end_for_unknown_handle(native);
  return *native;
}

template <class T>
int create(T** native, T object) {
  return answer([&] {
    *native = new T(std::move(object));
    library().objects.insert(*native);
    ++machine().num_blas_lt_objects;
  });
}

template <class T>
int destroy(T* native) {
  return answer([=] {
    const std::unique_ptr<T> object(&live(native));
    library().objects.erase(native);
    --machine().num_blas_lt_objects;
  });
}

template <class T>
void read(T& to, const void* value, std::size_t bytes) {
  require(value != nullptr && bytes == sizeof(T));
  std::memcpy(&to, value, sizeof(T));
}

}  // namespace patchbay::sim::lt

using namespace patchbay::cuda;
using namespace patchbay;
using namespace patchbay::sim;
using namespace patchbay::sim::lt;

PATCHBAY_BLAS_LT_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)

namespace {

constexpr int kExecutionFailedStatus = 13;
constexpr std::uint64_t kMark = 0x616c676f;  // begins an algorithm
constexpr std::uint64_t kWorkspaceBytes = 4096;
constexpr std::uintptr_t kMostAlignmentBytes = 256;

std::uintptr_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::uintptr_t alignment_of(const void* pointer) {
  const std::uintptr_t address = number_of(pointer) | kMostAlignmentBytes;
  return address & ~(address - 1);
}

BlasLtObject& current(NativeBlasLt handle) {
  int code = 0;
  require(current_context(code) == &live(handle).blas->context, kBlasNotInitialized);
  return *handle;
}

/// Whether op(matrix) has that shape.
bool fits(const LayoutObject& matrix, int transpose, std::uint64_t rows, std::uint64_t columns) {
  const bool is_plain = transpose == kBlasNotTransposed;
  return matrix.rows == (is_plain ? rows : columns) &&
         matrix.columns == (is_plain ? columns : rows);
}

Problem checked(NativeMatmul matmul, NativeLayout a, NativeLayout b, NativeLayout c,
                NativeLayout d) {
  Problem problem{live(matmul), live(a), live(b), live(d)};
  problem.matmul.bias = nullptr;
  const std::uint64_t depth = matmul->transpose_a == kBlasNotTransposed ? a->columns : a->rows;
  require(live(c) == *d && a->type == d->type && b->type == d->type);
  require(fits(*a, matmul->transpose_a, d->rows, depth));
  require(fits(*b, matmul->transpose_b, depth, d->columns));
  require(depth != 0 && d->rows != 0 && d->columns != 0);
  require((matmul->epilogue == kBlasLtEpilogueBias) == (matmul->bias != nullptr));
  require(d->type != kBlasF64, kBlasNotSupported);  // no epilogue
  require(matmul->compute_type == kBlasComputeF32 || d->type == kBlasF32, kBlasNotSupported);
  return problem;
}

const Algorithm& known(const MatmulAlgorithm* algorithm) {
  require(algorithm != nullptr && algorithm->data[0] == kMark &&
          algorithm->data[1] < library().algorithms.size());
  return library().algorithms[algorithm->data[1]];
}

/// The library's fast kernels for 16-bit floats need this alignment. The others round a product
/// before they add the bias, as was seen on an H200.
bool is_aligned(const Gemm::Matrix& matrix) {
  return number_of(matrix.address) % 16 == 0 && matrix.leading % 8 == 0;
}

}  // namespace

int cublasLtCreate(NativeBlasLt* native) {
  return answer([=] {
    int code = 0;
    ContextObject* const context = current_context(code);
    require(context != nullptr, kBlasNotInitialized);
    const Config& config = machine().config;
    require(config.blas_lt_status == kBlasSuccess, config.blas_lt_status);
    auto blas = create_blas(*context);
    require(blas != nullptr, config.blas_status);
    *native = new BlasLtObject{std::move(blas)};
    library().objects.insert(*native);
  });
}

int cublasLtDestroy(NativeBlasLt native) {
  return answer([=] {
    const std::unique_ptr<BlasLtObject> object(&live(native));
    library().objects.erase(native);
  });
}

int cublasLtMatmulDescCreate(NativeMatmul* native, int compute_type, int scale_type) {
  const bool is_known = compute_type == kBlasComputeF32 || compute_type == kBlasLtComputeTf32;
  if (!is_known || scale_type != kBlasF32) return kBlasLtInvalidValue;
  return create(native, MatmulObject{compute_type});
}

int cublasLtMatmulDescDestroy(NativeMatmul native) { return destroy(native); }

int cublasLtMatmulDescSetAttribute(NativeMatmul native, int attribute, const void* value,
                                   std::size_t bytes) {
  return answer([=] {
    MatmulObject& matmul = live(native);
    switch (attribute) {
      case kMatmulTransposeA: return read(matmul.transpose_a, value, bytes);
      case kMatmulTransposeB: return read(matmul.transpose_b, value, bytes);
      case kMatmulEpilogue: return read(matmul.epilogue, value, bytes);
      case kMatmulBias: return read(matmul.bias, value, bytes);
      default: throw Refusal{kBlasLtInvalidValue};
    }
  });
}

int cublasLtMatrixLayoutCreate(NativeLayout* native, int type, std::uint64_t rows,
                               std::uint64_t columns, std::int64_t leading) {
  if (leading < static_cast<std::int64_t>(rows) || leading > INT_MAX) return kBlasLtInvalidValue;
  return create(native, LayoutObject{type, rows, columns, leading});
}

int cublasLtMatrixLayoutDestroy(NativeLayout native) { return destroy(native); }

int cublasLtMatmulPreferenceCreate(NativePreference* native) {
  return create(native, PreferenceObject{});
}

int cublasLtMatmulPreferenceDestroy(NativePreference native) { return destroy(native); }

int cublasLtMatmulPreferenceSetAttribute(NativePreference native, int attribute, const void* value,
                                         std::size_t bytes) {
  return answer([=] {
    PreferenceObject& preference = live(native);
    if (attribute == kPreferenceWorkspaceBytes) {
      return read(preference.workspace_bytes, value, bytes);
    }
    if (attribute == kPreferenceReductions) return read(preference.reductions, value, bytes);
    require(attribute >= kPreferenceAlignmentA && attribute <= kPreferenceAlignmentD);
    std::uint32_t& alignment = preference.alignments[attribute - kPreferenceAlignmentA];
    read(alignment, value, bytes);
    require(alignment != 0 && (alignment & (alignment - 1)) == 0);
  });
}

/// Other reductions than sums in the type of the computation make the heuristics propose nothing.
int cublasLtMatmulAlgoGetHeuristic(NativeBlasLt handle, NativeMatmul matmul, NativeLayout a,
                                   NativeLayout b, NativeLayout c, NativeLayout d,
                                   NativePreference native, int most, MatmulProposal* proposals,
                                   int* count) {
  return answer([=] {
    current(handle);
    const PreferenceObject& preference = live(native);
    const Problem problem = checked(matmul, a, b, c, d);
    require(most >= 1 && proposals != nullptr && count != nullptr);
    ++machine().num_blas_lt_searches;
    require(machine().config.blas_lt_plans, kBlasNotSupported);
    *count = 0;
    if (preference.reductions != kBlasLtSumsInComputeType) return;
    if (preference.workspace_bytes < kWorkspaceBytes) return;
    auto& all = library().algorithms;
    *proposals = {};
    proposals->algorithm = {{kMark, all.size()}};
    proposals->workspace_bytes = kWorkspaceBytes;
    all.push_back({problem, preference, alignment_of(matmul->bias), kWorkspaceBytes});
    *count = 1;
  });
}

int cublasLtMatmul(NativeBlasLt handle, NativeMatmul matmul, const void* alpha, const void* a,
                   NativeLayout a_layout, const void* b, NativeLayout b_layout, const void* beta,
                   const void* c, NativeLayout c_layout, void* d, NativeLayout d_layout,
                   const MatmulAlgorithm* native, void* workspace, std::size_t workspace_bytes,
                   NativeStream stream) {
  return answer([=] {
    Blas& blas = *current(handle).blas;
    const Algorithm& algorithm = known(native);
    const Problem problem = checked(matmul, a_layout, b_layout, c_layout, d_layout);
    require(problem == algorithm.problem);
    const void* const addresses[] = {a, b, c, d};
    for (int i = 0; i < 4; ++i) {
      require(number_of(addresses[i]) % algorithm.preference.alignments[i] == 0);
    }
    require(alignment_of(matmul->bias) >= algorithm.bias_alignment);
    require(c == d, kBlasNotSupported);  // the plugin computes in place
    require(workspace_bytes >= algorithm.workspace_bytes);
    blas.stream = stream;
    blas.workspace = nullptr;
    blas.workspace_bytes = 0;
    require(algorithm.workspace_bytes == 0 ||
            set_workspace(blas, workspace, algorithm.workspace_bytes));
    blas.is_set_up = true;
    blas.uses_tf32 = matmul->compute_type == kBlasLtComputeTf32;
    const auto matrix = [](const void* address, const LayoutObject& layout) {
      return Gemm::Matrix{address, layout.type, static_cast<int>(layout.leading), 0};
    };
    const int m = static_cast<int>(d_layout->rows), n = static_cast<int>(d_layout->columns);
    const bool is_plain = matmul->transpose_a == kBlasNotTransposed;
    const int k = static_cast<int>(is_plain ? a_layout->columns : a_layout->rows);
    const Gemm::Matrix of_a = matrix(a, *a_layout), of_b = matrix(b, *b_layout),
                       of_d = matrix(d, *d_layout);
    Gemm gemm{matmul->transpose_a, matmul->transpose_b, m, n, k, alpha, beta, of_a, of_b, of_d, 1,
              kBlasComputeF32,     matmul->bias};
    gemm.rounds_product = !is_aligned(gemm.a) || !is_aligned(gemm.b) || !is_aligned(gemm.c);
    switch (multiply(blas, gemm)) {
      case BlasError::kNone: return;
      case BlasError::kNoContext: throw Refusal{kBlasNotInitialized};
      case BlasError::kInvalid: throw Refusal{kBlasLtInvalidValue};
      default: throw Refusal{kExecutionFailedStatus};
    }
  });
}
