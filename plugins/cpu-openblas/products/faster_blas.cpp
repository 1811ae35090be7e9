// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/faster_blas.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <iterator>
#include <limits>
#include <locale>
#include <sstream>
#include <string_view>
#include <vector>

#include "kit/machine/text_file.hpp"
#include "kit/text_hash.hpp"

namespace patchbay::cpu {
namespace {

/// A kind, and the product by which it is measured.
struct Sample {
  ProductKind kind;
  const char* name;
  std::int64_t m, n, k;
};
constexpr Sample kSamples[kNumProductKinds] = {{ProductKind::kLarge, "large", 1024, 1024, 1024},
                                               {ProductKind::kMedium, "medium", 384, 384, 384},
                                               {ProductKind::kFlat, "flat", 1024, 16, 1024}};
constexpr std::int64_t kMostExtent = 1024;
/// OpenBLAS must take less than this share of the own loops' time: its result depends on the number
/// of threads, and a run of a measurement may be disturbed.
constexpr double kWorthwhile = 0.9;

std::size_t index_of(ProductKind kind) { return static_cast<std::size_t>(kind); }

/// The least time of some calls, after one that is not counted: helpers of the one that multiplied
/// before may still spin.
template <class Call>
double seconds_of(const Call& call) {
  constexpr int kCalls = 4;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kCalls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (i > 0) least = std::min(least, time.count());
  }
  return least;
}

/// Three matrices as large as the largest sample has.
template <class T>
class Matrices {
 public:
  Matrices() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = static_cast<T>(i % 1021) / T(1021) - T(0.5);
    }
  }
  GemmProblem problem(const Sample& sample) {
    return {sample.m, sample.n,      sample.k,      at(0),        at(1),
            at(2),    {1, sample.m}, {1, sample.k}, {1, sample.m}};
  }

 private:
  static constexpr std::size_t kEach = kMostExtent * kMostExtent;
  char* at(std::size_t i) { return reinterpret_cast<char*>(values_.data() + i * kEach); }

  std::vector<T> values_ = std::vector<T>(3 * kEach);
};

struct Kept {
  std::string library;
  std::array<double, kNumProductKinds> own{}, blas{};  // seconds
};

/// "large 0.0110 0.0104\nmedium ...\nflat ...\nOpenBLAS 0.3.21\n"
std::string text_of(const Kept& kept) {
  std::ostringstream out;
  out.imbue(std::locale::classic());  // a point in numbers, whatever the program's locale
  for (const Sample& sample : kSamples) {
    const std::size_t i = index_of(sample.kind);
    out << sample.name << ' ' << kept.own[i] << ' ' << kept.blas[i] << '\n';
  }
  out << kept.library << '\n';
  return out.str();
}

/// Nothing if the text has another form.
std::optional<Kept> parse(const std::string& text) {
  Kept kept;
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  for (const Sample& sample : kSamples) {
    double& own = kept.own[index_of(sample.kind)];
    double& blas = kept.blas[index_of(sample.kind)];
    std::string name;
    if (!(in >> name >> own >> blas) || name != sample.name || !(own > 0) || !(blas > 0)) return {};
  }
  in.ignore();
  if (!std::getline(in, kept.library) || kept.library.empty()) return {};
  return kept;
}

/// While a process measures, or if it ended meanwhile: perhaps it crashed in OpenBLAS.
constexpr std::string_view kBegun = "begun ";
std::string text_of_begun() {
  return std::string(kBegun) + std::to_string(std::time(nullptr)) + "\n";
}
/// Whether a process began to measure in the last hour.
bool is_begun(const std::string& text) {
  constexpr long long kHourS = 3600;
  if (!text.starts_with(kBegun)) return false;
  const auto begun = machine::parse_number(std::string_view(text).substr(kBegun.size()));
  const long long seconds = begun ? std::time(nullptr) - *begun : kHourS;
  return seconds >= 0 && seconds < kHourS;
}

template <class T>
Kept measured(const Blas& blas, CallGate& gate, std::uint8_t dtype,
              const FasterBlas::Multiply& own) {
  Kept kept{blas.name()};
  Matrices<T> matrices;
  const T value = 1;
  ScalarCell one;
  std::memcpy(&one.bits, &value, sizeof value);
  for (const Sample& sample : kSamples) {
    const GemmProblem problem = matrices.problem(sample);
    kept.own[index_of(sample.kind)] = seconds_of([&] { own(problem, one, {}); });
    kept.blas[index_of(sample.kind)] = seconds_of([&] {
      const CallGate::Pass pass(gate);
      if (!pass) refuse_at_process_end();
      const ScalarCell zero;
      multiply_by_blas(blas, dtype, problem, &one.bits, &zero.bits);
    });
  }
  return kept;
}

}  // namespace

std::optional<ProductKind> kind_of(const GemmProblem& p) noexcept {
  constexpr std::int64_t kLargeExtent = 640, kMediumExtent = 256, kMostColumns = 48;
  const std::int64_t least = std::min({p.m, p.n, p.k});
  if (least >= kLargeExtent) return ProductKind::kLarge;
  if (least >= kMediumExtent) return ProductKind::kMedium;
  const bool is_flat = p.n >= 4 && p.n <= kMostColumns && std::min(p.m, p.k) >= kLargeExtent;
  if (is_flat && p.a_contents == 0) return ProductKind::kFlat;
  return std::nullopt;
}

const Blas* FasterBlas::of(ProductKind kind, std::uint8_t dtype, int num_threads,
                           const Multiply& own) {
  Choice& choice = choices_[dtype == PATCHBAY_F64];
  std::call_once(choice.once, [&] { decide(choice, dtype, num_threads, own); });
  return choice.by_blas[index_of(kind)] ? blas_.get() : nullptr;
}

/// Whether there is an OpenBLAS with as many threads.
bool FasterBlas::open(int num_threads) {
  std::call_once(opened_, [&] {
    std::string why;
    blas_ = Blas::open(host_.option("openblas_path"), why);
    if (blas_ != nullptr && blas_->get_num_threads() != num_threads) {
      why = blas_->name() + " uses " + std::to_string(blas_->get_num_threads()) +
            " threads, and the device " + std::to_string(num_threads);
      blas_ = nullptr;
    }
    if (blas_ == nullptr) {
      host_.log(PATCHBAY_LOG_DEBUG, "OpenBLAS is not measured beside the own loops: " + why);
    }
  });
  return blas_ != nullptr;
}

/// Without memory, or a process that goes on, the own loops multiply.
void FasterBlas::decide(Choice& choice, std::uint8_t dtype, int num_threads,
                        const Multiply& own) noexcept try {
  const std::string key = "products-" + text_hash(processor_ + ", " + std::to_string(num_threads) +
                                                  " threads, " + dtype_name(dtype));
  const std::string text = host_.cache_get(key).value_or("");
  std::optional<Kept> kept = parse(text);
  const auto pays = [&](const Sample& sample) {
    const std::size_t i = index_of(sample.kind);
    return kept->blas[i] < kWorthwhile * kept->own[i];
  };
  const bool is_own = kept && std::none_of(std::begin(kSamples), std::end(kSamples), pays);
  if (is_own || is_begun(text) || !open(num_threads)) return;
  if (!kept || kept->library != blas_->name()) {
    // Without a cache each process would measure.
    const std::string begun = text_of_begun();
    host_.cache_put(key, begun);
    if (host_.cache_get(key) != begun) return;
    kept = dtype == PATCHBAY_F32 ? measured<float>(*blas_, gate_, dtype, own)
                                 : measured<double>(*blas_, gate_, dtype, own);
    host_.cache_put(key, text_of(*kept));
  }
  std::string kinds;
  for (const Sample& sample : kSamples) {
    choice.by_blas[index_of(sample.kind)] = pays(sample);
    if (pays(sample)) kinds += (kinds.empty() ? "" : ", ") + std::string(sample.name);
  }
  if (kinds.empty()) return;
  host_.log(PATCHBAY_LOG_INFO, std::string(dtype_name(dtype)) + " products (" + kinds + ") by " +
                                   blas_->name() +
                                   ", which was measured to be faster here than the own loops");
} catch (const std::exception&) {
  choice.by_blas = {};
}

}  // namespace patchbay::cpu
