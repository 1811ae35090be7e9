// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// normalize.1 and its adjoints. Each statistic is made by one thread, in blocks that are joined in
// order; sums for the weights are made in chunks of rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "cpu-openblas/normalization/rows.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "kit/rows.hpp"

namespace patchbay::cpu {
namespace {

/// A weight for each [g, e], or one number; elements of T.
template <class T>
class Weights {
 public:
  explicit Weights(const patchbay_argument& argument)
      : number_(convert_scalar_of(argument)),
        data_(argument.kind == PATCHBAY_TENSOR ? reinterpret_cast<const T*>(data_of(argument))
                                               : nullptr) {}
  bool is_number() const { return data_ == nullptr; }
  const void* at(std::int64_t i) const {
    return data_ == nullptr ? static_cast<const void*>(&number_) : data_ + i;
  }

 private:
  static ScalarCell convert_scalar_of(const patchbay_argument& argument) {
    return argument.kind == PATCHBAY_TENSOR ? ScalarCell()
                                            : convert_scalar(argument, argument.dtype);
  }
  const ScalarCell number_;
  const T* const data_;
};

template <class T>
double number_of_scalar(const patchbay_argument& scalar) {
  T value = 0;
  std::memcpy(&value, &scalar.value.bits, sizeof value);
  return static_cast<double>(value);
}

/// Count, mean and sum of squared deviations, joined by Chan, Golub and LeVeque's formula.
struct Moments {
  double count = 0, mean = 0, squares = 0;

  void join(double n, double its_mean, double its_squares) {
    if (count == 0) {
      *this = {n, its_mean, its_squares};
      return;
    }
    const double both = count + n, distance = its_mean - mean;
    squares += its_squares + distance * distance * (count * n / both);
    mean += distance * (n / both);
    count = both;
  }
};

/// The moments of one row in f64, scaled by a power of 2: for rows whose squares leave the range of
/// T, or are so small that some have lost digits.
template <class T>
struct ScaledMoments {
  double scale = 1, mean = 0, squares = 0;  // mean and squares of elements times scale

  static bool are_needed(double variance, double epsilon) {
    constexpr double kLeast = sizeof(T) == 4 ? 0x1p-100 : 0x1p-960;
    const double sum = variance + epsilon;
    return !(sum >= kLeast && sum <= static_cast<double>(std::numeric_limits<T>::max()));
  }

  /// `for_each(use)` calls use(x) for each element, in the same order each time.
  template <class ForEach>
  ScaledMoments(double count, bool centered, const ForEach& for_each) {
    double most = 0, sum = 0, rest = 0;
    for_each([&](T x) {
      const double size = std::fabs(static_cast<double>(x));
      if (size <= std::numeric_limits<double>::max() && size > most) most = size;
    });
    constexpr int kMost = std::numeric_limits<double>::max_exponent - 2;
    scale = std::ldexp(1.0, std::clamp(most == 0 ? 0 : -std::ilogb(most), -kMost, kMost));
    if (centered) for_each([&](T x) { sum += static_cast<double>(x) * scale; });
    mean = sum / count;
    for_each([&](T x) {
      const double deviation = static_cast<double>(x) * scale - mean;
      rest += deviation;
      squares += deviation * deviation;
    });
    if (!centered) return;
    mean += rest / count;
    squares = std::max(0.0, squares - rest * rest / count);
  }

  double deviation(double count) const { return std::sqrt(squares / count) / scale; }
};

/// Elements of a row that lie side by side and share a weight or have adjacent ones.
struct Run {
  std::int64_t at, n;   // elements
  std::int64_t weight;  // of the first one
};

template <class T>
class NormalizeKernel : public plugin::Kernel {
 public:
  explicit NormalizeKernel(const Context& context)
      : workers_(context.workers),
        cache_bytes_(context.libraries.cache_bytes()),
        loops_(context.simd().normalize[context.dtype(0)]),
        plan_(context.spec) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const Normalization sizes = plan_.of(arguments);
    if (num_elements(arguments[0]) == 0) return;
    static_cast<Stream&>(stream).submit(arguments, name, [this, sizes](plugin::Arguments kept) {
      workers_.run([&] { compute(sizes, kept); });
    });
  }

 protected:
  virtual void compute(const Normalization& sizes, plugin::Arguments arguments) const = 0;

  static T* elements(const patchbay_argument& tensor) {
    return reinterpret_cast<T*>(data_of(tensor));
  }
  static std::int64_t traffic(const Normalization& sizes, std::int64_t num_operands) {
    return sizes.num_elements() * std::int64_t{sizeof(T)} * num_operands;
  }

  /// Calls body(i) for i < count, on all threads if the work is worth them.
  template <class Body>
  void for_each(std::int64_t count, std::int64_t bytes, const Body& body) const {
    workers_.split(count, 1, bytes, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) body(i);
    });
  }

  /// Statistics whose elements are visited together.
  struct Rows {
    std::int64_t begin, end;
    std::int64_t number(std::int64_t row) const { return row - begin; }
  };

  /// Calls body(rows, most) for statistics 0 to `count`, at most `most` (a constant) of them at
  /// once, on all threads if the work is worth them. A batch has short runs of a statistic far from
  /// each other, between runs of its neighbours, which are therefore visited with them.
  template <class Body>
  void for_rows(const Normalization& sizes, std::int64_t count, std::int64_t bytes,
                const Body& body) const {
    const auto visit = [&](auto most) {
      workers_.split(count, 1, bytes, [&](std::int64_t begin, std::int64_t end) {
        for (; begin < end; begin += most) {
          body(Rows{begin, std::min<std::int64_t>(end, begin + most)}, most);
        }
      });
    };
    if (sizes.batch != 0 && sizes.o <= kBlock) {
      visit(std::integral_constant<int, 64>());
    } else {
      visit(std::integral_constant<int, 1>());
    }
  }

  /// Calls body(row, run) for the elements of the statistics. With `splits`, weights are tensors: a
  /// run has one weight, or each element its own.
  template <class Body>
  static void for_runs(const Normalization& sizes, const Rows& rows, bool splits,
                       const Body& body) {
    if (sizes.batch != 0) {
      for (std::int64_t s = 0; s < sizes.s; ++s) {
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
          body(row, Run{(s * sizes.g + row) * sizes.o, sizes.o, row});
        }
      }
      return;
    }
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const std::int64_t first = row * sizes.e * sizes.o, weight = row % sizes.g * sizes.e;
      if (!splits || sizes.o == 1) {
        body(row, Run{first, sizes.e * sizes.o, weight});
        continue;
      }
      for (std::int64_t e = 0; e < sizes.e; ++e) {
        body(row, Run{first + e * sizes.o, sizes.o, weight + e});
      }
    }
  }
  /// Calls the body for blocks of at most kBlock elements.
  template <class Body>
  static void for_blocks(const Normalization& sizes, const Rows& rows, bool splits,
                         const Body& body) {
    const std::int64_t step = steps(sizes);
    for_runs(sizes, rows, splits, [&](std::int64_t row, const Run& run) {
      for (std::int64_t i = 0; i < run.n; i += kBlock) {
        body(row, Run{run.at + i, std::min(kBlock, run.n - i), run.weight + i * step});
      }
    });
  }
  /// Whether the elements of a run have adjacent weights.
  static std::int64_t steps(const Normalization& sizes) {
    return sizes.batch == 0 && sizes.o == 1 ? 1 : 0;
  }

  /// Of a negative variance, which is a deviation, by its magnitude.
  static double factor_of(T variance, double epsilon) {
    const auto number = static_cast<double>(variance);
    if (number < 0) return 1 / std::hypot(number, std::sqrt(epsilon));
    return 1 / std::sqrt(number + epsilon);
  }
  /// The variance as it is kept for the gradients.
  static T kept_variance(double deviation, double epsilon) {
    const double variance = deviation * deviation, sum = variance + epsilon;
    const bool is_normal = sum >= static_cast<double>(std::numeric_limits<T>::min()) &&
                           variance <= static_cast<double>(std::numeric_limits<T>::max());
    return static_cast<T>(is_normal || deviation == 0 ? variance : -deviation);
  }

  Workers& workers_;
  const std::int64_t cache_bytes_;
  const NormalizeLoops& loops_;
  const NormalizationPlan plan_;
};

// ------------------------------------------------------------------------------- forward ---

/// Arguments: out, mean, variance, a, weight, bias, epsilon.
template <class T>
class ForwardKernel final : public NormalizeKernel<T> {
  using Base = NormalizeKernel<T>;
  using typename Base::Rows;

 public:
  using Base::NormalizeKernel;

 private:
  void compute(const Normalization& sizes, plugin::Arguments arguments) const override {
    T* const out = this->elements(arguments[0]);
    T* const mean = this->elements(arguments[1]);
    T* const variance = this->elements(arguments[2]);
    const T* const a = this->elements(arguments[3]);
    const Weights<T> weight(arguments[4]), bias(arguments[5]);
    const double epsilon = number_of_scalar<T>(arguments[6]);
    const std::int64_t traffic = this->traffic(sizes, 2), step = this->steps(sizes);
    const bool stream = traffic > this->cache_bytes_ && out != a;
    const bool splits = !weight.is_number() || !bias.is_number();
    this->for_rows(sizes, sizes.num_statistics(), 2 * traffic, [&](const Rows& rows, auto most) {
      Moments moments[most];
      this->for_blocks(sizes, rows, false, [&](std::int64_t row, const Run& run) {
        double its_mean = 0, squares = 0;
        this->loops_.moments(run.n, a + run.at, sizes.centered != 0, &its_mean, &squares);
        moments[rows.number(row)].join(static_cast<double>(run.n), its_mean, squares);
      });
      double factors[most];
      for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const Moments& of = moments[rows.number(row)];
        const double number = of.squares / of.count;
        mean[row] = static_cast<T>(of.mean);
        variance[row] = static_cast<T>(number);
        factors[rows.number(row)] = this->factor_of(variance[row], epsilon);
        if (ScaledMoments<T>::are_needed(number, epsilon)) [[unlikely]] {
          normalize_scaled(sizes, row, arguments);
          factors[rows.number(row)] = -1;
        }
      }
      this->for_runs(sizes, rows, splits, [&](std::int64_t row, const Run& run) {
        if (factors[rows.number(row)] < 0) return;  // it has its result
        this->loops_.apply(
            {run.n, a + run.at, static_cast<double>(mean[row]), factors[rows.number(row)],
             weight.at(run.weight), weight.is_number() ? 0 : step},
            out + run.at, bias.at(run.weight), bias.is_number() ? 0 : step, stream);
      });
    });
  }

  /// All of a row, element by element.
  [[gnu::noinline]] void normalize_scaled(const Normalization& sizes, std::int64_t row,
                                          plugin::Arguments arguments) const {
    T* const out = this->elements(arguments[0]);
    const T* const a = this->elements(arguments[3]);
    const Weights<T> weight(arguments[4]), bias(arguments[5]);
    const double epsilon = number_of_scalar<T>(arguments[6]);
    const auto count = static_cast<double>(sizes.num_each());
    const Rows rows{row, row + 1};
    const ScaledMoments<T> moments(count, sizes.centered != 0, [&](const auto& use) {
      this->for_runs(sizes, rows, false, [&](std::int64_t, const Run& run) {
        for (std::int64_t i = 0; i < run.n; ++i) use(a[run.at + i]);
      });
    });
    const double deviation = moments.deviation(count);
    this->elements(arguments[1])[row] = static_cast<T>(moments.mean / moments.scale);
    this->elements(arguments[2])[row] = this->kept_variance(deviation, epsilon);
    const double factor = 1 / std::hypot(deviation, std::sqrt(epsilon)) / moments.scale;
    const std::int64_t step = this->steps(sizes);
    const auto number = [](const Weights<T>& of, std::int64_t i) {
      T value = 0;
      std::memcpy(&value, of.at(i), sizeof value);
      return static_cast<double>(value);
    };
    this->for_runs(sizes, rows, true, [&](std::int64_t, const Run& run) {
      for (std::int64_t i = 0; i < run.n; ++i) {
        const std::int64_t k = run.weight + i * step;
        const double x = static_cast<double>(a[run.at + i]) * moments.scale - moments.mean;
        out[run.at + i] = static_cast<T>(x * factor * number(weight, k) + number(bias, k));
      }
    });
  }
};

// -------------------------------------------------------------------------------- inputs ---

/// Arguments: out, grad, a, mean, variance, weight, epsilon.
template <class T>
class InputKernel final : public NormalizeKernel<T> {
  using Base = NormalizeKernel<T>;
  using typename Base::Rows;

 public:
  using Base::NormalizeKernel;

 private:
  void compute(const Normalization& sizes, plugin::Arguments arguments) const override {
    T* const out = this->elements(arguments[0]);
    const T* const grad = this->elements(arguments[1]);
    const T* const a = this->elements(arguments[2]);
    const T* const mean = this->elements(arguments[3]);
    const T* const variance = this->elements(arguments[4]);
    const Weights<T> weight(arguments[5]);
    const double epsilon = number_of_scalar<T>(arguments[6]);
    const auto count = static_cast<double>(sizes.num_each());
    const std::int64_t traffic = this->traffic(sizes, 3);
    const std::int64_t step = weight.is_number() ? 0 : this->steps(sizes);
    const bool stream = traffic > this->cache_bytes_ && out != a && out != grad;
    const bool splits = !weight.is_number();
    this->for_rows(sizes, sizes.num_statistics(), 2 * traffic, [&](const Rows& rows, auto most) {
      double factors[most], along[most] = {}, across[most] = {};
      for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        factors[rows.number(row)] = this->factor_of(variance[row], epsilon);
      }
      const auto elements_of = [&](std::int64_t row, const Run& run) {
        return NormalizedRow{run.n,
                             a + run.at,
                             static_cast<double>(mean[row]),
                             factors[rows.number(row)],
                             weight.at(run.weight),
                             step};
      };
      this->for_blocks(sizes, rows, splits, [&](std::int64_t row, const Run& run) {
        double one = 0, other = 0;
        this->loops_.sums(elements_of(row, run), grad + run.at, &one, &other);
        along[rows.number(row)] += one;
        across[rows.number(row)] += other;
      });
      this->for_runs(sizes, rows, splits, [&](std::int64_t row, const Run& run) {
        const std::int64_t number = rows.number(row);
        this->loops_.adjoint(elements_of(row, run), out + run.at, grad + run.at,
                             sizes.centered == 0 ? 0 : along[number] / count,
                             across[number] / count, stream);
      });
    });
  }
};

// ------------------------------------------------------------------------------- weights ---

/// Arguments: out, bias, grad, a, mean, variance, epsilon.
template <class T>
class WeightKernel final : public NormalizeKernel<T> {
  using Base = NormalizeKernel<T>;
  using typename Base::Rows;

 public:
  using Base::NormalizeKernel;

 private:
  void compute(const Normalization& sizes, plugin::Arguments arguments) const override {
    if (sizes.o == 1 && sizes.batch == 0) {
      compute_columns(sizes, arguments);
    } else {
      compute_runs(sizes, arguments);
    }
  }

  static constexpr std::int64_t kColumns = 256;       // that are summed together
  static constexpr std::int64_t kChunk = 256;         // rows of one piece
  static constexpr std::int64_t kRowsTogether = 128;  // that are summed in T

  /// Each weight has runs of o elements.
  void compute_runs(const Normalization& sizes, plugin::Arguments arguments) const {
    T* const out = this->elements(arguments[0]);
    T* const bias = this->elements(arguments[1]);
    const T* const grad = this->elements(arguments[2]);
    const T* const a = this->elements(arguments[3]);
    const T* const mean = this->elements(arguments[4]);
    const T* const variance = this->elements(arguments[5]);
    const double epsilon = number_of_scalar<T>(arguments[6]);
    const std::int64_t num_weights = sizes.g * sizes.e;
    const T one = 1;
    if (sizes.batch != 0) {
      this->for_rows(sizes, num_weights, this->traffic(sizes, 2), [&](const Rows& rows, auto most) {
        double along[most] = {}, across[most] = {};
        this->for_blocks(sizes, rows, false, [&](std::int64_t row, const Run& run) {
          double both[2] = {};
          this->loops_.sums({run.n, a + run.at, static_cast<double>(mean[row]),
                             this->factor_of(variance[row], epsilon), &one, 0},
                            grad + run.at, &both[0], &both[1]);
          along[rows.number(row)] += both[0];
          across[rows.number(row)] += both[1];
        });
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
          out[row] = static_cast<T>(across[rows.number(row)]);
          bias[row] = static_cast<T>(along[rows.number(row)]);
        }
      });
      return;
    }
    const auto compute_weight = [&](std::int64_t k) {
      double along = 0, across = 0;
      for (std::int64_t s = 0; s < sizes.s; ++s) {
        const std::int64_t row = s * sizes.g + k / sizes.e;
        const std::int64_t first = (s * num_weights + k) * sizes.o;
        const double factor = this->factor_of(variance[row], epsilon);
        for (std::int64_t i = 0; i < sizes.o; i += kBlock) {
          double both[2] = {};
          this->loops_.sums({std::min(kBlock, sizes.o - i), a + first + i,
                             static_cast<double>(mean[row]), factor, &one, 0},
                            grad + first + i, &both[0], &both[1]);
          along += both[0];
          across += both[1];
        }
      }
      out[k] = static_cast<T>(across);
      bias[k] = static_cast<T>(along);
    };
    this->for_each(num_weights, this->traffic(sizes, 2), compute_weight);
  }

  /// Each weight has one element of each row.
  void compute_columns(const Normalization& sizes, plugin::Arguments arguments) const {
    const std::int64_t num_weights = sizes.g * sizes.e;
    const std::int64_t strips = (sizes.e + kColumns - 1) / kColumns;
    const std::int64_t chunks = (sizes.s + kChunk - 1) / kChunk;
    std::vector<double> parts(static_cast<std::size_t>(2 * num_weights * chunks));
    const std::int64_t jobs = chunks * sizes.g * strips;
    this->workers_.split(
        jobs, 1, this->traffic(sizes, 2), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t job = begin; job < end; ++job) {
            const std::int64_t strip = job % strips, above = job / strips;
            add_strip(sizes, arguments, above / sizes.g, above % sizes.g, strip * kColumns, parts);
          }
        });
    T* const results[2] = {this->elements(arguments[0]), this->elements(arguments[1])};
    for (int which = 0; which < 2; ++which) {
      for (std::int64_t k = 0; k < num_weights; ++k) {
        double sum = 0;
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
          sum += parts[static_cast<std::size_t>((chunk * 2 + which) * num_weights + k)];
        }
        results[which][k] = static_cast<T>(sum);
      }
    }
  }

  void add_strip(const Normalization& sizes, plugin::Arguments arguments, std::int64_t chunk,
                 std::int64_t group, std::int64_t column, std::vector<double>& parts) const {
    const T* const grad = this->elements(arguments[2]);
    const T* const a = this->elements(arguments[3]);
    const T* const mean = this->elements(arguments[4]);
    const T* const variance = this->elements(arguments[5]);
    const double epsilon = number_of_scalar<T>(arguments[6]);
    const std::int64_t num_weights = sizes.g * sizes.e, k = group * sizes.e + column;
    const std::int64_t width = std::min(kColumns, sizes.e - column);
    const std::int64_t end = std::min(sizes.s, (chunk + 1) * kChunk);
    double* const to = parts.data() + chunk * 2 * num_weights + k;
    for (std::int64_t first = chunk * kChunk; first < end; first += kRowsTogether) {
      T sums[2][kColumns] = {};
      for (std::int64_t s = first; s < std::min(end, first + kRowsTogether); ++s) {
        const std::int64_t row = s * sizes.g + group, at = s * num_weights + k;
        this->loops_.add({width, a + at, static_cast<double>(mean[row]),
                          this->factor_of(variance[row], epsilon), nullptr, 0},
                         grad + at, sums[0], sums[1]);
      }
      for (int which = 0; which < 2; ++which) {
        for (std::int64_t i = 0; i < width; ++i) {
          to[which * num_weights + i] += static_cast<double>(sums[which][i]);
        }
      }
    }
  }
};

template <template <class> class KernelOf>
std::unique_ptr<plugin::Kernel> make(const Context& context) {
  if (context.dtype(0) == PATCHBAY_F64) return std::make_unique<KernelOf<double>>(context);
  return std::make_unique<KernelOf<float>>(context);
}

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_normalize(const Context& context) {
  return make<ForwardKernel>(context);
}

std::unique_ptr<plugin::Kernel> prepare_normalize_input(const Context& context) {
  return make<InputKernel>(context);
}

std::unique_ptr<plugin::Kernel> prepare_normalize_weight(const Context& context) {
  return make<WeightKernel>(context);
}

}  // namespace patchbay::cpu
