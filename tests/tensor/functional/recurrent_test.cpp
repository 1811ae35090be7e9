// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// LSTM and GRU, against loops over steps and units in f64.
#include "support/device_test.h"
#include "tensor/functional/functional_values.h"

namespace patchbay::test {
namespace {

class RecurrentTest : public DeviceTest {
 protected:
  Tensor some(const Shape& shape, DType dtype, int seed = 0) const {
    Doubles values = some_values(static_cast<std::size_t>(num_elements(shape)), seed);
    for (double& one : values) one *= 0.4;
    return tensor_of(values, shape, dtype, device_);
  }
  RecurrentWeights weights(std::int64_t gates, std::int64_t in, std::int64_t n, DType dtype,
                           int seed = 0) const {
    return {some({gates * n, in}, dtype, seed + 1), some({gates * n, n}, dtype, seed + 2),
            some({gates * n}, dtype, seed + 3), some({gates * n}, dtype, seed + 4)};
  }
};
PATCHBAY_ON_EACH_DEVICE(RecurrentTest);

double sigmoid_of(double a) { return 1 / (1 + std::exp(-a)); }

/// A matrix in f64, row by row.
struct Matrix {
  explicit Matrix(const Tensor& a)
      : values(a.defined() ? values_of(a) : Doubles()),
        columns(a.defined() ? static_cast<std::size_t>(a.size(-1)) : 0) {}
  /// Row `row` times a vector, or 0.
  double times(std::size_t row, const double* vector) const {
    double total = 0;
    for (std::size_t k = 0; k < columns; ++k) total += values[row * columns + k] * vector[k];
    return total;
  }
  Doubles values;
  std::size_t columns;
};

double element(const Matrix& bias, std::size_t i) {
  return bias.values.empty() ? 0 : bias.values[i];
}

/// One layer: hidden and cell are the state of [batch, n], and hold the last one afterwards.
struct Reference {
  explicit Reference(const RecurrentWeights& w)
      : input(w.input_weight), hidden(w.hidden_weight), a(w.input_bias), b(w.hidden_bias) {}

  std::size_t n() const { return hidden.columns; }

  void lstm_step(const double* x, double* h, double* c) const {
    Doubles gates;
    for (std::size_t row = 0; row < 4 * n(); ++row) {
      gates.push_back(input.times(row, x) + hidden.times(row, h) + element(a, row) +
                      element(b, row));
    }
    for (std::size_t u = 0; u < n(); ++u) {
      const double i = sigmoid_of(gates[u]), f = sigmoid_of(gates[n() + u]);
      const double g = std::tanh(gates[2 * n() + u]), o = sigmoid_of(gates[3 * n() + u]);
      c[u] = f * c[u] + i * g;
      h[u] = o * std::tanh(c[u]);
    }
  }
  void gru_step(const double* x, double* h, double*) const {
    Doubles ours, theirs;
    for (std::size_t row = 0; row < 3 * n(); ++row) {
      ours.push_back(input.times(row, x) + element(a, row));
      theirs.push_back(hidden.times(row, h) + element(b, row));
    }
    for (std::size_t u = 0; u < n(); ++u) {
      const double r = sigmoid_of(ours[u] + theirs[u]);
      const double z = sigmoid_of(ours[n() + u] + theirs[n() + u]);
      const double candidate = std::tanh(ours[2 * n() + u] + r * theirs[2 * n() + u]);
      h[u] = (1 - z) * candidate + z * h[u];
    }
  }
  /// The hidden states of all steps, in the order of [steps, batch, n].
  template <class Step>
  Doubles run(const Doubles& x, std::size_t steps, Doubles& h, Doubles& c, Step step) const {
    const std::size_t batch = h.size() / n(), features = input.columns;
    Doubles all;
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t s = 0; s < batch; ++s) {
        (this->*step)(&x[(t * batch + s) * features], &h[s * n()], &c[s * n()]);
      }
      all.insert(all.end(), h.begin(), h.end());
    }
    return all;
  }

  Matrix input, hidden, a, b;
};

TEST_P(RecurrentTest, Cells) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor x = some({3, 2}, dtype), h = some({3, 4}, dtype, 1), c = some({3, 4}, dtype, 2);
    RecurrentWeights w = weights(4, 2, 4, dtype);
    Doubles hidden = values_of(h), cell = values_of(c);
    Reference(w).run(values_of(x), 1, hidden, cell, &Reference::lstm_step);
    const LstmState next = lstm_cell(x, {h, c}, w);
    EXPECT_EQ(next.hidden.shape(), (Shape{3, 4}));
    expect_near(next.hidden, hidden, "hidden");
    expect_near(next.cell, cell, "cell");

    w = weights(3, 2, 4, dtype);
    hidden = values_of(h);
    Reference(w).run(values_of(x), 1, hidden, cell, &Reference::gru_step);
    expect_near(gru_cell(x, h, w), hidden, "gru");
    hidden.assign(12, 0);
    Reference(w).run(values_of(x), 1, hidden, cell, &Reference::gru_step);
    expect_near(gru_cell(x, {}, w), hidden, "gru from zeros");
  }
}

TEST_P(RecurrentTest, BiasesAreOptional) {
  const Tensor x = some({3, 2}, DType::f32), h = some({3, 4}, DType::f32, 1);
  for (const auto& [input, other] : {std::array{true, false}, {false, true}, {false, false}}) {
    for (const int gates : {3, 4}) {
      RecurrentWeights w = weights(gates, 2, 4, DType::f32);
      if (!input) w.input_bias = {};
      if (!other) w.hidden_bias = {};
      Doubles hidden = values_of(h), cell = hidden;
      const auto step = gates == 3 ? &Reference::gru_step : &Reference::lstm_step;
      Reference(w).run(values_of(x), 1, hidden, cell, step);
      expect_near(gates == 3 ? gru_cell(x, h, w) : lstm_cell(x, {h, h}, w).hidden, hidden, "cell");
    }
  }
}

TEST_P(RecurrentTest, SequencesOfSeveralLayers) {
  for (const DType dtype : float_dtypes(device_)) {
    const Tensor x = some({5, 2, 3}, dtype);
    const Tensor h = some({2, 2, 4}, dtype, 1), c = some({2, 2, 4}, dtype, 2);
    for (const int gates : {3, 4}) {
      const std::vector<RecurrentWeights> layers = {weights(gates, 3, 4, dtype),
                                                    weights(gates, 4, 4, dtype, 9)};
      const auto step = gates == 3 ? &Reference::gru_step : &Reference::lstm_step;
      Doubles output = values_of(x), last_h, last_c;
      for (int i = 0; i < 2; ++i) {
        Doubles hidden = values_of(h[i]), cell = values_of(c[i]);
        output = Reference(layers[static_cast<std::size_t>(i)]).run(output, 5, hidden, cell, step);
        last_h.insert(last_h.end(), hidden.begin(), hidden.end());
        last_c.insert(last_c.end(), cell.begin(), cell.end());
      }
      if (gates == 3) {
        const GruResult got = gru(x, layers, h);
        EXPECT_EQ(got.output.dtype(), dtype);
        expect_near(got.output, output, "output of gru");
        expect_near(got.state, last_h, "state of gru");
      } else {
        const LstmResult got = lstm(x, layers, {h, c});
        EXPECT_EQ(got.output.shape(), (Shape{5, 2, 4}));
        EXPECT_EQ(got.state.cell.shape(), (Shape{2, 2, 4}));
        expect_near(got.output, output, "output of lstm");
        expect_near(got.state.hidden, last_h, "hidden of lstm");
        expect_near(got.state.cell, last_c, "cell of lstm");
      }
    }
  }
}

TEST_P(RecurrentTest, OfViewsWithOtherStrides) {
  const Tensor x = some({2, 5, 3}, DType::f32).transpose(0, 1);  // batch first
  for (const int gates : {3, 4}) {
    RecurrentWeights w = weights(gates, 3, 2, DType::f32);
    w.hidden_weight = some({2, gates * 2}, DType::f32, 3).t();
    w.input_weight = some({3, gates * 2}, DType::f32, 4).t();
    Doubles hidden(4), cell(4);
    const auto step = gates == 3 ? &Reference::gru_step : &Reference::lstm_step;
    const Doubles expected = Reference(w).run(values_of(x), 5, hidden, cell, step);
    expect_near(gates == 3 ? gru(x, {w}).output : lstm(x, {w}).output, expected, "output");
  }
}

TEST_P(RecurrentTest, OfAnEmptyBatch) {
  const Tensor x = zeros({3, 0, 2}, device_);
  RecurrentWeights w = weights(4, 2, 5, DType::f32);
  w.hidden_weight.requires_grad_();
  const LstmResult got = lstm(x, {w});
  EXPECT_EQ(got.output.shape(), (Shape{3, 0, 5}));
  EXPECT_EQ(got.state.cell.shape(), (Shape{1, 0, 5}));
  sum(got.output).backward();
  expect_near(w.hidden_weight.grad(), Doubles(100, 0), "gradient of the weight");
  EXPECT_EQ(gru_cell(x[0], {}, weights(3, 2, 5, DType::f32)).shape(), (Shape{0, 5}));
}

/// A sequence in two parts is the sequence, and no gradient flows through a detached state.
TEST_P(RecurrentTest, TheStateGoesOn) {
  const Tensor x = some({6, 2, 3}, DType::f32).requires_grad_();
  const std::vector<RecurrentWeights> layers = {weights(4, 3, 2, DType::f32),
                                                weights(4, 2, 2, DType::f32, 5)};
  const std::vector<RecurrentWeights> gru_layers = {weights(3, 3, 2, DType::f32)};
  const LstmResult first = lstm(x.slice(0, 0, 2), layers);
  const LstmResult second = lstm(x.slice(0, 2, 6), layers, first.state);
  const LstmResult whole = lstm(x, layers);
  expect_near(second.output.detach(), values_of(whole.output.detach().slice(0, 2, 6)), "lstm");
  const Tensor state = gru(x.slice(0, 0, 2), gru_layers).state;
  expect_near(gru(x.slice(0, 2, 6), gru_layers, state).output.detach(),
              values_of(gru(x, gru_layers).output.detach().slice(0, 2, 6)), "gru");
  const auto reaches_first = [&](const LstmState& from) {
    x.set_grad({});
    sum(lstm(x.slice(0, 2, 6), layers, from).output).backward({}, {.retain_graph = true});
    return sum(abs(x.grad().slice(0, 0, 2))).item<float>() != 0;
  };
  EXPECT_TRUE(reaches_first(first.state));
  EXPECT_FALSE(reaches_first(first.state.detach()));
}

/// They are those of f32, rounded.
TEST_P(RecurrentTest, GradientsOfSmallFloats) {
  for (const DType dtype : float_dtypes(device_)) {
    if (size_bytes(dtype) != 2) continue;
    for (const int gates : {3, 4}) {
      const auto gradient = [&](DType in) {
        RecurrentWeights w = weights(gates, 3, 2, dtype);
        w = {w.input_weight.cast(in), w.hidden_weight.cast(in), w.input_bias.cast(in),
             w.hidden_bias.cast(in)};
        w.hidden_weight = w.hidden_weight.detach().requires_grad_();
        const Tensor x = some({4, 2, 3}, dtype).cast(in);
        sum(gates == 3 ? gru(x, {w}).output : lstm(x, {w}).output).backward();
        EXPECT_EQ(w.hidden_weight.grad().dtype(), in);
        return values_of(w.hidden_weight.grad());
      };
      const Doubles expected = gradient(DType::f32), got = gradient(dtype);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(got[i], expected[i], tolerance_of(dtype) * 4) << to_string(dtype);
      }
    }
  }
}

TEST_P(RecurrentTest, HasNoSecondDerivative) {
  const Tensor x = some({2, 1, 2}, DType::f32).requires_grad_();
  EXPECT_ERROR(
      sum(lstm(x, {weights(4, 2, 2, DType::f32)}).output).backward({}, {.create_graph = true}),
      kUnsupported, "[lstm] gradients of lstm can't be recorded (create_graph). Write the steps");
  EXPECT_ERROR(
      sum(gru(x, {weights(3, 2, 2, DType::f32)}).output).backward({}, {.create_graph = true}),
      kUnsupported, "[gru] gradients of gru can't be recorded");
  EXPECT_ERROR(sum(lstm_cell(x[0], {}, weights(4, 2, 2, DType::f32)).cell)
                   .backward({}, {.create_graph = true}),
               kUnsupported, "[lstm_cell] gradients of lstm_cell can't be recorded");
  EXPECT_ERROR(
      sum(gru_cell(x[0], {}, weights(3, 2, 2, DType::f32))).backward({}, {.create_graph = true}),
      kUnsupported, "[gru_cell] gradients of gru_cell can't be recorded");
}

TEST_P(RecurrentTest, Errors) {
  const DType f32 = DType::f32;
  struct Function {
    std::string name;
    std::int64_t gates;
    bool is_cell;
    std::function<void(const Tensor& input, const RecurrentWeights&, const Tensor& hidden)> call;
  };
  const Function functions[] = {
      {"lstm_cell", 4, true,
       [](const auto& x, const auto& w, const auto& h) {
         return lstm_cell(x, {h, h}, w);
       }},
      {"gru_cell", 3, true,
       [](const auto& x, const auto& w, const auto& h) { return gru_cell(x, h, w); }},
      {"lstm", 4, false,
       [](const auto& x, const auto& w, const auto& h) {
         return lstm(x, {w}, {h, h});
       }},
      {"gru", 3, false,
       [](const auto& x, const auto& w, const auto& h) { return gru(x, {w}, h); }}};
  for (const auto& [name, gates, is_cell, call] : functions) {
    const std::string prefix = "[" + name + "] ";
    const Shape shape = is_cell ? Shape{2, 3} : Shape{5, 2, 3};
    const Shape state = is_cell ? Shape{2, 4} : Shape{1, 2, 4};
    const Tensor x = zeros(shape, device_), h = zeros(state, device_);
    const RecurrentWeights w = weights(gates, 3, 4, f32);
    const auto with = [&](auto change) {
      RecurrentWeights changed = w;
      change(changed);
      return changed;
    };
    const std::string rows = std::to_string(gates * 4);
    const Tensor wrong = zeros({8, 4}, device_);
    EXPECT_INVALID(call({}, w, h), prefix + "input is undefined");
    EXPECT_ERROR(call(zeros(shape, {DType::i32, device_}), w, h), kDtypeMismatch,
                 prefix + "is not defined for i32");
    EXPECT_ERROR(
        call(zeros({3}, device_), w, h), kShapeMismatch, prefix + "input",
        std::string("expected ") + (is_cell ? "[batch, in]" : "[steps, batch, in]") + ", got [3]");
    EXPECT_INVALID(call(x, with([](auto& c) { c.hidden_weight = {}; }), h),
                   prefix + "hidden_weight is undefined");
    EXPECT_INVALID(call(x, with([](auto& c) { c.input_weight = {}; }), h),
                   prefix + "input_weight is undefined");
    EXPECT_ERROR(call(x, with([&](auto& c) { c.hidden_weight = wrong; }), h), kShapeMismatch,
                 prefix + "hidden_weight",
                 "expected [" + std::to_string(gates) + " n, n], got [8, 4]");
    EXPECT_ERROR(call(x, with([&](auto& c) { c.input_weight = wrong; }), h), kShapeMismatch,
                 prefix + "input_weight", "expected [" + rows + ", 3], got [8, 4]");
    EXPECT_ERROR(call(x, with([&](auto& c) { c.hidden_bias = zeros({4}, device_); }), h),
                 kShapeMismatch, prefix + "hidden_bias", "expected [" + rows + "], got [4]");
    EXPECT_ERROR(call(x, with([&](auto& c) { c.input_bias = zeros({gates * 4}, other_); }), h),
                 kDeviceMismatch, prefix + "operands are on different devices");
    EXPECT_ERROR(call(x, w, zeros({2, 3}, device_)), kShapeMismatch, prefix + "hidden",
                 "expected " + to_string(state) + ", got [2, 3]");
    EXPECT_ERROR(call(x, w, zeros(state, {DType::i32, device_})), kDtypeMismatch,
                 prefix + "operands have different dtypes");
    EXPECT_ERROR(call(x, w, zeros(state, other_)), kDeviceMismatch,
                 prefix + "operands are on different devices");
  }
}

TEST_P(RecurrentTest, ErrorsOfSequences) {
  const Tensor x = zeros({5, 2, 3}, device_), h = zeros({1, 2, 4}, device_);
  const DType f32 = DType::f32;
  EXPECT_INVALID(lstm(x, {}), "[lstm] the list of layers is empty (input: f32 [5, 2, 3]" + on_);
  EXPECT_INVALID(gru(x.slice(0, 0, 0), {weights(3, 3, 4, f32)}),
                 "[gru] no steps: expected one or more, got input of shape [0, 2, 3]");
  EXPECT_INVALID(lstm(x, {weights(4, 3, 4, f32)}, {h, {}}),
                 "[lstm] half of a state: expected hidden and cell, or neither, got only hidden");
  EXPECT_ERROR(lstm(x, {weights(4, 3, 4, f32), weights(4, 3, 4, f32)}), kShapeMismatch,
               "[lstm] input_weight of layer 1 has the wrong shape: expected [16, 4], got [16, 3]");
  EXPECT_ERROR(lstm(x, {weights(4, 3, 4, f32)}, {h, zeros({2, 4}, device_)}), kShapeMismatch,
               "[lstm] cell has the wrong shape: expected [1, 2, 4], got [2, 4]");
}

}  // namespace
}  // namespace patchbay::test
