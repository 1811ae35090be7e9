// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Samples of operations, functions of networks, and updates.
#include "tensor/call/samples.h"

namespace patchbay::test {

namespace {

/// A function of a tensor and axes.
template <class Function>
void add_reduction(Samples& samples, const std::string& name, Function function) {
  const Tensor a = samples.floats({2, 3});
  samples.add(name, {a}, {{"axes", {1}}, {"keep", true}},
              [=] { return function(a, Axes(1), true); });
  samples.add(name, {a}, [=] { return function(a, Axes(), false); });
}

#define PATCHBAY_ADD_REDUCTION(name) \
  add_reduction(samples, #name,      \
                [](const Tensor& x, const Axes& axes, bool keep) { return name(x, axes, keep); });

void add_complex(Samples& samples) {
  const Tensor re = samples.floats({3, 4}), im = re * 2, pairs = samples.floats({3, 2});
  const Tensor z = complex(re, im);
  samples.add("complex", {re, im}, [=] { return complex(re, im); });
  samples.add("view_as_complex", {pairs}, [=] { return view_as_complex(pairs); });
  samples.add("view_as_real", {z}, [=] { return view_as_real(z); });
  samples.add("real", {z}, [=] { return real(z); });
  samples.add("imag", {z}, [=] { return imag(z); });
  samples.add("conj", {z}, [=] { return conj(z); });
  samples.add("angle", {z}, [=] { return angle(z); });
  const auto add_transform = [&](const char* name, const Tensor& x, auto function) {
    samples.add(std::string("fft.") + name, {x}, {{"n", 5}, {"dim", 0}, {"norm", "ortho"}},
                [=] { return function(x, FftOptions{.n = 5, .dim = 0, .norm = FftNorm::kOrtho}); });
  };
  add_transform("fft", z, fft::fft);
  add_transform("ifft", z, fft::ifft);
  add_transform("rfft", re, fft::rfft);
  add_transform("irfft", z, fft::irfft);
  add_transform("hfft", z, fft::hfft);
  add_transform("ihfft", re, fft::ihfft);
  const auto add_many = [&](const char* name, const Tensor& x, auto function) {
    samples.add(std::string("fft.") + name, {x}, {{"sizes", {4, 6}}, {"dims", {1, 0}}}, [=] {
      return function(x, FftnOptions{.sizes = {4, 6}, .dims = {1, 0}});
    });
  };
  add_many("fftn", z, fft::fftn);
  add_many("ifftn", z, fft::ifftn);
  add_many("rfftn", re, fft::rfftn);
  add_many("irfftn", z, fft::irfftn);
  add_many("hfftn", z, fft::hfftn);
  add_many("ihfftn", re, fft::ihfftn);
  samples.add("fft.fftshift", {z}, {{"dims", {1}}}, [=] { return fft::fftshift(z, 1); });
  samples.add("fft.ifftshift", {z}, [=] { return fft::ifftshift(z); });
  const Device device = samples.device();
  samples.add("fft.fftfreq", {}, {{"n", 5}, {"spacing", 0.5}, {"device", device}},
              [=] { return fft::fftfreq(5, 0.5, device); });
  samples.add("fft.rfftfreq", {}, {{"n", 5}, {"device", device}},
              [=] { return fft::rfftfreq(5, 1, device); });
  samples.add("fft.convolve", {re, re}, {{"part", "same"}},
              [=] { return fft::convolve(re, re, ConvolvePart::kSame); });
  samples.add("fft.hann_window", {}, {{"n", 5}, {"periodic", false}, {"device", device}},
              [=] { return fft::hann_window(5, false, device); });
  const StftOptions frames{.hop_length = 2, .window = re[0], .center = false};
  const Tensor signal = samples.floats({12});
  samples.add("fft.stft", {signal},
              {{"n", 4}, {"hop_length", 2}, {"window", re[0]}, {"center", false}},
              [=] { return fft::stft(signal, 4, frames); });
  const Tensor spectra = fft::stft(signal, 4, frames);
  samples.add("fft.istft", {spectra},
              {{"n", 4}, {"hop_length", 2}, {"window", re[0]}, {"center", false}},
              [=] { return fft::istft(spectra, 4, frames); });
}

void add_linear_algebra(Samples& samples) {
  const Tensor x = samples.floats({3, 3}), b = samples.floats({3, 2}), v = samples.floats({3});
  const Tensor a = matmul(x, x.t()) + eye(3, samples.device());  // positive definite
  const Tensor tall = samples.floats({4, 3});
  const auto add_one = [&](const char* name, auto function) {
    samples.add(std::string("linalg.") + name, {a}, [=] { return function(a); });
  };
  add_one("det", [](const Tensor& m) { return linalg::det(m); });
  add_one("inv", [](const Tensor& m) { return linalg::inv(m); });
  add_one("cond", [](const Tensor& m) { return linalg::cond(m); });
  add_one("eigvalsh", [](const Tensor& m) { return linalg::eigvalsh(m); });
  add_one("eigvals", [](const Tensor& m) { return linalg::eigvals(m); });
  add_one("matrix_exp", [](const Tensor& m) { return linalg::matrix_exp(m); });
  samples.add("linalg.eig", {x}, [=] {
    const Eig made = linalg::eig(x);
    return Tensors{made.eigenvalues, made.eigenvectors};
  });
  samples.add("linalg.tensordot", {x, b}, {{"num_axes", 1}},
              [=] { return linalg::tensordot(x, b, 1); });
  samples.add("linalg.tensordot", {x, b}, {{"a_axes", {0}}, {"b_axes", {0}}},
              [=] { return linalg::tensordot(x, b, {0}, {0}); });
  add_one("svdvals", [](const Tensor& m) { return linalg::svdvals(m); });
  add_one("matrix_transpose", [](const Tensor& m) { return linalg::matrix_transpose(m); });
  samples.add("linalg.cholesky_ex", {a}, {{"upper", true}}, [=] {
    const CholeskyEx made = linalg::cholesky_ex(a, true);
    return Tensors{made.factor, made.info};
  });
  add_one("lu_factor", [](const Tensor& m) {
    const LuFactors made = linalg::lu_factor(m);
    return Tensors{made.lu, made.permutation};
  });
  add_one("lu_factor_ex", [](const Tensor& m) {
    const LuFactorsEx made = linalg::lu_factor_ex(m);
    return Tensors{made.lu, made.permutation, made.info};
  });
  add_one("lu", [](const Tensor& m) {
    const LuMatrices made = linalg::lu(m);
    return Tensors{made.p, made.l, made.u};
  });
  add_one("inv_ex", [](const Tensor& m) {
    const SolveEx made = linalg::inv_ex(m);
    return Tensors{made.result, made.info};
  });
  add_one("slogdet", [](const Tensor& m) {
    const Slogdet made = linalg::slogdet(m);
    return Tensors{made.sign, made.logabsdet};
  });
  add_one("eigh", [](const Tensor& m) {
    const Eigh made = linalg::eigh(m);
    return Tensors{made.eigenvalues, made.eigenvectors};
  });
  add_one("eigh_ex", [](const Tensor& m) {
    const EighEx made = linalg::eigh_ex(m);
    return Tensors{made.eigenvalues, made.eigenvectors, made.info};
  });
  samples.add("linalg.eig_ex", {x}, [=] {
    const EigEx made = linalg::eig_ex(x);
    return Tensors{made.eigenvalues, made.eigenvectors, made.info};
  });
  samples.add("linalg.svd_ex", {tall}, {{"full_matrices", false}}, [=] {
    const SvdEx made = linalg::svd_ex(tall, false);
    return Tensors{made.u, made.s, made.vh, made.info};
  });
  samples.add("linalg.solve_ex", {a, b}, [=] {
    const SolveEx made = linalg::solve_ex(a, b);
    return Tensors{made.result, made.info};
  });
  const LuFactors factors = linalg::lu_factor(a);
  samples.add("linalg.lu_solve", {factors.lu, factors.permutation, b}, {{"adjoint", true}},
              [=] { return linalg::lu_solve(factors, b, true); });
  samples.add("linalg.qr", {tall}, {{"mode", "complete"}}, [=] {
    const Qr made = linalg::qr(tall, QrMode::kComplete);
    return Tensors{made.q, made.r};
  });
  samples.add("linalg.svd", {tall}, {{"full_matrices", false}}, [=] {
    const Svd made = linalg::svd(tall, false);
    return Tensors{made.u, made.s, made.vh};
  });
  samples.add("linalg.cholesky", {a}, {{"upper", true}}, [=] { return linalg::cholesky(a, true); });
  samples.add("linalg.cholesky_solve", {b, a}, {{"upper", true}},
              [=] { return linalg::cholesky_solve(b, a, true); });
  samples.add("linalg.solve", {a, b}, [=] { return linalg::solve(a, b); });
  samples.add("linalg.solve_triangular", {a, b}, {{"upper", true}, {"unit", true}},
              [=] { return linalg::solve_triangular(a, b, true, true); });
  const Tensor c = samples.floats({4, 2});
  samples.add("linalg.lstsq", {tall, c}, {{"rtol", 0.01}},
              [=] { return linalg::lstsq(tall, c, 0.01); });
  samples.add("linalg.pinv", {tall}, {{"rtol", 0.01}}, [=] { return linalg::pinv(tall, 0.01); });
  samples.add("linalg.matrix_rank", {tall}, {{"rtol", 0.01}},
              [=] { return linalg::matrix_rank(tall, 0.01); });
  samples.add("linalg.matrix_norm", {tall}, {{"order", "one"}, {"keepdim", true}},
              [=] { return linalg::matrix_norm(tall, MatrixNorm::kOne, true); });
  samples.add("linalg.vector_norm", {tall}, {{"order", 1}, {"axes", {0}}, {"keepdim", true}},
              [=] { return linalg::vector_norm(tall, 1, 0, true); });
  samples.add("linalg.matrix_power", {a}, {{"n", 3}}, [=] { return linalg::matrix_power(a, 3); });
  samples.add("linalg.multi_dot", {a, a, b}, [=] {
    return linalg::multi_dot(std::vector<Tensor>{a, a, b});
  });
  samples.add("linalg.cross", {x, a}, {{"dim", 0}}, [=] { return linalg::cross(x, a, 0); });
  samples.add("linalg.outer", {v, v}, [=] { return linalg::outer(v, v); });
  samples.add("linalg.vecdot", {x, a}, {{"dim", 0}}, [=] { return linalg::vecdot(x, a, 0); });
  samples.add("linalg.trace", {x}, {{"offset", 1}}, [=] { return linalg::trace(x, 1); });
  samples.add("linalg.diagonal", {x}, {{"offset", 1}}, [=] { return linalg::diagonal(x, 1); });
}

}  // namespace

void add_operations(Samples& samples) {
  const Tensor a = samples.floats({3, 3}), b = samples.floats({3, 3}) * 2, v = samples.floats({3});
  add_complex(samples);
  add_linear_algebra(samples);
  PATCHBAY_ADD_REDUCTION(sum)
  PATCHBAY_ADD_REDUCTION(prod)
  PATCHBAY_ADD_REDUCTION(mean)
  PATCHBAY_ADD_REDUCTION(min)
  PATCHBAY_ADD_REDUCTION(max)
  PATCHBAY_ADD_REDUCTION(argmin)
  PATCHBAY_ADD_REDUCTION(argmax)
  PATCHBAY_ADD_REDUCTION(sum_squares)
  PATCHBAY_ADD_REDUCTION(any)
  PATCHBAY_ADD_REDUCTION(all)
  PATCHBAY_ADD_REDUCTION(logsumexp)
  samples.add("norm", {a}, {{"order", 1}, {"axes", 0}}, [=] { return norm(a, 1, 0); });
  samples.add("var", {a}, {{"correction", 0}}, [=] { return var(a, {}, 0); });
  samples.add("stddev", {a}, {{"axes", {0, 1}}}, [=] { return stddev(a, {0, 1}); });
  samples.add("cumsum", {a}, {{"dim", -1}, {"reverse", true}}, [=] { return cumsum(a, -1, true); });
  samples.add("trace", {a}, [=] { return trace(a); });
  samples.add("tril", {a}, {{"diagonal", -1}}, [=] { return tril(a, -1); });
  samples.add("triu", {a}, [=] { return triu(a); });

  const Tensor out = empty_like(a), other = empty_like(a);
  samples.add("matmul", {a, b}, [=] { return matmul(a, b); });
  samples.add("matmul_out", {out, a, b}, {{"alpha", 2}},
              [=] { return matmul_out(other, a, b, 2); });
  samples.add("addmm", {v, a, b}, {{"beta", 0.5}}, [=] { return addmm(v, a, b, 1, 0.5); });
  samples.add("linear", {a, b}, [=] { return linear(a, b); });
  samples.add("linear", {a, b, v}, {{"activation", "relu"}},
              [=] { return linear(a, b, v, Activation::kRelu); });

  samples.add("sort", {a}, {{"descending", true}}, [=] { return sort(a, -1, true); });
  samples.add("argsort", {a}, {{"dim", 0}}, [=] { return argsort(a, 0); });
  samples.add("topk", {a}, {{"k", 2}}, [=] { return topk(a, 2); });

  samples.add("concat", {a, b, a}, {{"dim", 1}}, [=] { return concat({a, b, a}, 1); });
  const Tensor joined = samples.empty_f32({6, 3}), joined_too = samples.empty_f32({6, 3});
  samples.add("concat_out", {joined}, {{"tensors", Tensors{a, b}}}, [=] {
    return concat_out(joined_too, {a, b});
  });
  samples.add("stack", {a, b}, [=] { return stack({a, b}); });
  samples.add("split", {a}, {{"size", 2}}, [=] { return split(a, 2); });
  samples.add("split", {a}, {{"sizes", {1, 2}}, {"dim", 1}}, [=] {
    return split(a, std::vector<std::int64_t>{1, 2}, 1);
  });
  samples.add("chunk", {a}, {{"count", 2}}, [=] { return chunk(a, 2); });
  samples.add("pad", {a}, {{"padding", {1, 0, 0, 2}}, {"value", 9}}, [=] {
    return pad(a, {{1, 0}, {0, 2}}, 9);
  });

  const Tensor i = samples.integers({0, 2, 1, 1, 0, 2}, {2, 3}),
               rows = samples.integers({2, 0}, {2});
  const Tensor source = samples.floats({2, 3}), into = samples.empty_f32({2, 3}),
               into_too = samples.empty_f32({2, 3});
  samples.add("gather", {a, i}, {{"dim", 0}}, [=] { return gather(a, 0, i); });
  samples.add("gather_out", {into, a, i}, {{"dim", 0}},
              [=] { return gather_out(into_too, a, 0, i); });
  samples.add("index_select", {a, rows}, {{"dim", 0}}, [=] { return index_select(a, 0, rows); });
  samples.add("index_select_out", {into, a, rows}, {{"dim", 0}},
              [=] { return index_select_out(into_too, a, 0, rows); });
  samples.add("scatter_add", {a, i, source}, {{"dim", 0}},
              [=] { return scatter_add(a, 0, i, source); });
  samples.add("scatter_add_out", {out, a, i, source}, {{"dim", 0}},
              [=] { return scatter_add_out(other, a, 0, i, source); });
  samples.add("index_add", {a, rows, source}, {{"dim", 0}},
              [=] { return index_add(a, 0, rows, source); });
  samples.add("index_add_out", {out, a, rows, source}, {{"dim", 0}},
              [=] { return index_add_out(other, a, 0, rows, source); });
  samples.add("embedding", {a, i}, [=] { return embedding(a, i); });
  samples.add("one_hot", {i}, {{"num_classes", 4}}, [=] { return one_hot(i, 4); });
}

void add_networks(Samples& samples) {
  const Tensor a = samples.floats({2, 4}), target = samples.floats({2, 4}) * 0.5;
  const Tensor classes = samples.integers({3, 0}, {2});
  samples.add("softmax", {a}, {{"dim", -1}}, [=] { return softmax(a, -1); });
  samples.add("log_softmax", {a}, {{"dim", 0}}, [=] { return log_softmax(a, 0); });
  samples.add("dropout", {a}, {{"p", 0.5}, {"generator", Generator(3)}},
              [=] { return dropout(a, 0.5, true, Generator(3)); });
  samples.add("mse_loss", {a, target}, [=] { return mse_loss(a, target); });
  samples.add("l1_loss", {a, target}, {{"reduction", "none"}},
              [=] { return l1_loss(a, target, LossReduction::kNone); });
  samples.add("huber_loss", {a, target}, {{"delta", 0.1}, {"reduction", "sum"}},
              [=] { return huber_loss(a, target, 0.1, LossReduction::kSum); });
  samples.add("binary_cross_entropy_with_logits", {a, target}, {{"positive_weight", a}},
              [=] { return binary_cross_entropy_with_logits(a, target, {.positive_weight = a}); });
  samples.add("nll_loss", {a, classes}, {{"ignored_index", 0}},
              [=] { return nll_loss(a, classes, {.ignored_index = 0}); });
  samples.add("cross_entropy", {a, classes}, {{"label_smoothing", 0.1}},
              [=] { return cross_entropy(a, classes, {.label_smoothing = 0.1}); });

  const Tensor x = samples.floats({1, 2, 6, 6}), w = samples.floats({2, 2, 3, 3}),
               c = samples.floats({2}), l = samples.floats({1, 2, 6}),
               k = samples.floats({2, 2, 3});
  samples.add("conv2d", {x, w, c}, {{"stride", {2, 1}}, {"padding", 1}}, [=] {
    return conv2d(x, w, c, {.stride = {2, 1}, .padding = 1});
  });
  samples.add("conv1d", {l, k}, {{"bias", c}, {"dilation", 2}},
              [=] { return conv1d(l, k, c, {.dilation = 2}); });
  samples.add("conv_transpose2d", {x, w}, {{"stride", 2}, {"output_padding", {1, 0}}}, [=] {
    return conv_transpose2d(x, w, {}, {.stride = 2, .output_padding = {1, 0}});
  });
  samples.add("conv_transpose1d", {l, k}, [=] { return conv_transpose1d(l, k); });
  samples.add("max_pool2d", {x}, {{"kernel", 2}}, [=] { return max_pool2d(x, 2); });
  samples.add("max_pool2d_index", {x}, {{"kernel", {2, 3}}, {"stride", 1}}, [=] {
    return max_pool2d_index(x, {2, 3}, {.stride = 1});
  });
  samples.add("avg_pool2d", {x}, {{"kernel", 3}, {"padding", 1}, {"counts_padding", false}},
              [=] { return avg_pool2d(x, 3, {.padding = 1, .counts_padding = false}); });
  samples.add("max_pool1d", {l}, {{"kernel", 2}}, [=] { return max_pool1d(l, 2); });
  samples.add("avg_pool1d", {l}, {{"kernel", 4}, {"ceil", true}},
              [=] { return avg_pool1d(l, 4, {.ceil = true}); });
  samples.add("adaptive_max_pool2d", {x}, {{"size", {2, 3}}}, [=] {
    return adaptive_max_pool2d(x, {2, 3});
  });
  samples.add("adaptive_avg_pool2d", {x}, {{"size", 1}}, [=] { return adaptive_avg_pool2d(x, 1); });
  samples.add("adaptive_max_pool1d", {l}, {{"size", 2}}, [=] { return adaptive_max_pool1d(l, 2); });
  samples.add("adaptive_avg_pool1d", {l}, {{"size", 3}}, [=] { return adaptive_avg_pool1d(l, 3); });

  const Tensor mean = samples.floats({2}), variance = samples.floats({2});
  samples.add("batch_norm", {x, mean, variance}, {{"weight", c}}, [=] {
    return batch_norm(x, {.running_mean = mean, .running_var = variance, .weight = c});
  });
  samples.add("layer_norm", {a}, {{"normalized_shape", {4}}, {"epsilon", 1e-3}},
              [=] { return layer_norm(a, {4}, {}, {}, 1e-3); });
  samples.add("group_norm", {x, c}, {{"num_groups", 1}}, [=] { return group_norm(x, 1, c); });
  samples.add("rms_norm", {a}, {{"normalized_shape", 4}}, [=] { return rms_norm(a, {4}); });

  const Tensor q = samples.floats({2, 3, 4});
  samples.add(
      "scaled_dot_product_attention", {q, q, q}, {{"is_causal", true}, {"scale", 0.5}},
      [=] { return scaled_dot_product_attention(q, q, q, {.is_causal = true, .scale = 0.5}); });
  samples.add("rotary_embedding", {q}, {{"offset", 2}},
              [=] { return rotary_embedding(q, {.offset = 2}); });

  const Tensor step = samples.floats({2, 3}), steps = samples.floats({4, 2, 3}),
               state = samples.floats({2, 2}), layered = samples.floats({1, 2, 2});
  const RecurrentWeights lstm_weights{
      samples.floats({8, 3}), samples.floats({8, 2}), samples.floats({8}), {}};
  const RecurrentWeights gru_weights{samples.floats({6, 3}), samples.floats({6, 2})};
  samples.add("lstm_cell",
              {step, state, state, lstm_weights.input_weight, lstm_weights.hidden_weight},
              {{"input_bias", lstm_weights.input_bias}}, [=] {
                const LstmState made = lstm_cell(step, {state, state}, lstm_weights);
                return Tensors{made.hidden, made.cell};
              });
  samples.add("gru_cell", {step, state, gru_weights.input_weight, gru_weights.hidden_weight},
              [=] { return gru_cell(step, state, gru_weights); });
  samples.add("lstm", {steps},
              {{"layers", Tensors{lstm_weights.input_weight, lstm_weights.hidden_weight,
                                  lstm_weights.input_bias, Tensor()}},
               {"hidden", layered},
               {"cell", layered}},
              [=] {
                const LstmResult made = lstm(steps, {lstm_weights}, {layered, layered});
                return Tensors{made.output, made.state.hidden, made.state.cell};
              });
  samples.add("gru", {steps},
              {{"layers",
                Tensors{gru_weights.input_weight, gru_weights.hidden_weight, Tensor(), Tensor()}}},
              [=] {
                const GruResult made = gru(steps, {gru_weights});
                return Tensors{made.output, made.state};
              });
}

void add_updates(Samples& samples) {
  const auto copies = [&] { return samples.floats({3}); };
  const Tensor gradient = samples.floats({3}) * 2;
  const Tensor by_name = copies(), direct = copies(), v = copies(), w = copies();
  samples.add_written(
      "sgd_update", {},
      {{"parameters", Tensors{by_name}},
       {"gradients", Tensors{gradient}},
       {"velocities", Tensors{v}},
       {"step", 2},
       {"momentum", 0.5},
       {"learning_rate", 0.25}},
      [=] { sgd_update({direct}, {gradient}, {w}, 2, {.learning_rate = 0.25, .momentum = 0.5}); },
      {by_name, v}, {direct, w});
  const Tensor p = copies(), q = copies(), m = copies(), n = copies(), s = copies(), r = copies();
  samples.add_written(
      "adam_update", {},
      {{"parameters", Tensors{p}},
       {"gradients", Tensors{gradient}},
       {"means", Tensors{m}},
       {"squares", Tensors{s}},
       {"step", 3},
       {"decoupled", true},
       {"weight_decay", 0.1}},
      [=] { adam_update({q}, {gradient}, {n}, {r}, 3, {.weight_decay = 0.1, .decoupled = true}); },
      {p, m, s}, {q, n, r});
  const Tensor g = copies(), h = copies();
  samples.add_written("clip_by_value", {g}, {{"limit", 0.2}}, [=] { clip_by_value({h}, 0.2); }, {g},
                      {h});
  const Tensor e = copies(), f = copies();
  samples.add("clip_by_norm", {e}, {{"most", 0.5}}, [=] { return clip_by_norm({f}, 0.5); });
  samples.add_written("check_writable", {g}, {{"operation", "mine"}, {"name", "g"}},
                      [=] { check_writable("mine", h, "g"); }, {}, {});
  samples.add_written("remove_accumulation_hook", {g.clone().requires_grad_()}, {{"number", 1}},
                      [] {}, {}, {});

  const Tensor x = samples.floats({3}).requires_grad_();
  const auto cubed = [=] { return sum(x * x * x); };
  samples.add("gradients", {},
              {{"outputs", Tensors{cubed()}}, {"inputs", Tensors{x}}, {"retain_graph", true}},
              [=] { return gradients({cubed()}, {x}); });
}

}  // namespace patchbay::test
