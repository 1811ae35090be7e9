// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A small language model: a transformer that learns to continue the text below, letter by letter,
// and then writes. Text, batches, training and sampling stay on the device; the losses that are
// printed are copies, and so is what was written, in the end.
//   transformer [DEVICE [STEPS]]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <patchbay/nn.h>
#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::DType;
using patchbay::Tensor;
namespace nn = patchbay::nn;

namespace {

constexpr std::string_view kText =
    "A patchbay is a panel of sockets. Each socket belongs to a device, and a cable joins two "
    "sockets. Nothing flows between two devices unless a cable joins them, and every cable can be "
    "seen. When a device is missing, its socket is empty, and the rest of the panel works. When a "
    "new device comes, it gets a socket, and the panel stays as it is. A player who wants a sound "
    "on another device takes a cable and joins the two sockets. Whoever looks at the panel sees "
    "which way the sound goes, and how many cables there are. ";

constexpr std::int64_t kSteps = 32;  // letters that the model sees
constexpr std::int64_t kSize = 64, kHeads = 4, kBatch = 16;

/// Letters as numbers, in the order in which they first appear.
class Alphabet {
 public:
  explicit Alphabet(std::string_view text) {
    for (const char letter : text) {
      if (letters_.find(letter) == std::string::npos) letters_ += letter;
    }
  }
  std::int64_t size() const { return static_cast<std::int64_t>(letters_.size()); }
  std::vector<std::int64_t> encode(std::string_view text) const {
    std::vector<std::int64_t> tokens;
    for (const char letter : text) {
      tokens.push_back(static_cast<std::int64_t>(letters_.find(letter)));
    }
    return tokens;
  }
  std::string decode(const std::vector<std::int64_t>& tokens) const {
    std::string text;
    for (const std::int64_t token : tokens) text += letters_[static_cast<std::size_t>(token)];
    return text;
  }

 private:
  std::string letters_;
};

/// tokens: [batch, steps] i64, at most kSteps of them; the result: [batch, steps, letters], the
/// scores of the letter that follows each.
class LanguageModel : public nn::Module {
 public:
  LanguageModel(std::int64_t letters, const Device& device)
      : token(letters, kSize, {.tensor = device}),
        position(kSteps, kSize, {.tensor = device}),
        first(kSize, kHeads, layer_options(device)),
        second(kSize, kHeads, layer_options(device)),
        norm({kSize}, {.tensor = device}),
        out(kSize, letters, {.tensor = device}) {}

  Tensor forward(const Tensor& tokens) override {
    const Tensor places = patchbay::arange(0, tokens.size(1), 1, {DType::i64, tokens.device()});
    const Tensor x = token(tokens) + position(places);
    return out(norm(second(first(x, {.is_causal = true}), {.is_causal = true})));
  }
  void members(nn::Members& each) override {
    each("token", token);
    each("position", position);
    each("first", first);
    each("second", second);
    each("norm", norm);
    each("out", out);
  }

 private:
  static nn::TransformerEncoderOptions layer_options(const Device& device) {
    return {.feed_forward = 4 * kSize,
            .dropout = 0,
            .activation = patchbay::Activation::kGelu,
            .norm_first = true,
            .tensor = device};
  }

  nn::Embedding token, position;
  nn::TransformerEncoderLayer first, second;
  nn::LayerNorm norm;
  nn::Linear out;
};

/// Windows of the text that begin anywhere: [kBatch, kSteps + 1].
Tensor random_windows(const Tensor& text) {
  const Device device = text.device();
  const Tensor starts = patchbay::randint(0, text.size(0) - kSteps, {kBatch, 1}, device);
  const Tensor places = starts + patchbay::arange(0, kSteps + 1, 1, {DType::i64, device});
  return index_select(text, 0, places.reshape({-1})).reshape({kBatch, kSteps + 1});
}

void train(LanguageModel& model, const Tensor& text, std::int64_t num_steps) {
  nn::Adam optimizer(model.parameters(), {.learning_rate = 3e-3});
  for (std::int64_t step = 0; step <= num_steps; ++step) {
    const Tensor windows = random_windows(text);
    const Tensor scores = model(windows.slice(1, 0, kSteps));
    const Tensor next = windows.slice(1, 1, kSteps + 1);
    const Tensor loss =
        cross_entropy(scores.reshape({kBatch * kSteps, -1}), next.reshape({kBatch * kSteps}));
    if (step % 50 == 0) {
      std::printf("step %4lld: loss %.3f\n", static_cast<long long>(step),
                  static_cast<double>(loss.item<float>()));
    }
    loss.backward();
    optimizer.step();
    optimizer.zero_grad();
  }
}

/// The prompt, and `count` letters after it, each drawn with its probability at this temperature.
/// The largest of scores with Gumbel noise is such a draw, and needs no copy to the host.
Tensor write(LanguageModel& model, Tensor tokens, std::int64_t count, double temperature) {
  const patchbay::InferenceMode inference;
  const patchbay::CopyGuard nothing_moves;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t length = tokens.size(1);
    const Tensor seen = tokens.slice(1, length > kSteps ? length - kSteps : 0);
    const Tensor scores = model(seen).select(1, -1);  // [1, letters]
    const Tensor noise = -log(-log(patchbay::rand(scores.shape(), scores.device())));
    const Tensor next = argmax(scores / temperature + noise, 1, true);
    tokens = patchbay::concat({tokens, next}, 1);
  }
  return tokens;
}

void run(const Device& device, std::int64_t num_steps) {
  const Alphabet alphabet(kText);
  const Tensor text =
      from_host(alphabet.encode(kText), {static_cast<std::int64_t>(kText.size())}, device);
  patchbay::manual_seed(1);
  LanguageModel model(alphabet.size(), device);
  std::printf("%lld parameters, %lld letters of %lld kinds, on %s\n",
              static_cast<long long>(model.num_parameters()), static_cast<long long>(kText.size()),
              static_cast<long long>(alphabet.size()), device.name().c_str());
  train(model, text, num_steps);

  model.eval();
  const std::string_view prompt = "A patchbay";
  const Tensor begin =
      from_host(alphabet.encode(prompt), {1, static_cast<std::int64_t>(prompt.size())}, device);
  const Tensor written = write(model, begin, 120, 0.5);
  std::printf("%s\n", alphabet.decode(written.to_vector<std::int64_t>()).c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const Device device(argc > 1 ? argv[1] : "cpu:0");
  run(device, argc > 2 ? std::atoll(argv[2]) : 300);
} catch (const std::exception& error) {
  std::fprintf(stderr, "transformer: %s\n", error.what());
  return 1;
}
