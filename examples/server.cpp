// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Answers requests in several threads with one model. A request is a line of standard input with
// two numbers, x and y; the model has learnt which points lie in the circle of radius 1. Each
// answer has the number of its line, because a later request may be answered first. At the end of
// the input, or on SIGINT or SIGTERM, the server answers what it has read, and ends.
//   server [DEVICE [THREADS]]
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <patchbay/nn.h>
#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::Tensor;
namespace nn = patchbay::nn;

namespace {

// ----------------------------------------------------------------------------------- the model ---

/// Points, [n, 2], to scores of "in the circle", [n, 1]. Copies share the parameters.
class Model : public nn::Module {
 public:
  explicit Model(const Device& device)
      : hidden(2, 64, {.activation = patchbay::Activation::kRelu, .tensor = device}),
        out(64, 1, {.tensor = device}) {}
  Tensor forward(const Tensor& points) override { return out(hidden(points)); }
  void members(nn::Members& each) override {
    each("hidden", hidden);
    each("out", out);
  }

 private:
  nn::Linear hidden, out;
};

void train(Model& model, const Device& device) {
  nn::Adam optimizer(model.parameters(), {.learning_rate = 0.01});
  for (int step = 0; step < 400; ++step) {
    const Tensor points = 4 * patchbay::rand({256, 2}, device) - 2;
    const Tensor inside = lt(sum(square(points), 1, true), 1).cast(patchbay::DType::f32);
    binary_cross_entropy_with_logits(model(points), inside).backward();
    optimizer.step();
    optimizer.zero_grad();
  }
}

// -------------------------------------------------------------------------------- the requests ---

struct Request {
  std::int64_t line;
  float x, y;
};

/// Requests that wait for a thread.
class Queue {
 public:
  void push(const Request& request) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(request);
    changed_.notify_one();
  }
  /// Nothing is pushed any more.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }
  /// Waits for requests, and takes at most `count`; none if the queue is closed and empty.
  std::vector<Request> pop(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || !waiting_.empty(); });
    const auto end =
        waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(count, waiting_.size()));
    std::vector<Request> taken(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    return taken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> waiting_;
  bool is_closed_ = false;
};

/// One batch of whatever waits: an answer costs less in company.
void answer(Model& model, const Device& device, const std::vector<Request>& requests) {
  std::vector<float> numbers;
  for (const Request& request : requests) numbers.insert(numbers.end(), {request.x, request.y});
  const auto count = static_cast<std::int64_t>(requests.size());
  const Tensor points = from_host(numbers, {count, 2}, device);
  const std::vector<float> inside = sigmoid(model(points)).to_vector<float>();
  for (std::size_t i = 0; i < requests.size(); ++i) {  // printf writes a line as a whole
    std::printf("%lld: %s (%.3f)\n", static_cast<long long>(requests[i].line),
                inside[i] > 0.5F ? "inside" : "outside", static_cast<double>(inside[i]));
  }
  std::fflush(stdout);
}

/// Of one thread, with a copy of the model and a stream of its own: nothing is locked while it
/// computes. An error is the answer to its requests, and not the end of the server.
void serve(Model model, const Device& device, Queue& queue) {
  const patchbay::StreamScope scope{patchbay::Stream(device)};
  const patchbay::InferenceMode inference;
  for (std::vector<Request> batch; !(batch = queue.pop(32)).empty();) {
    try {
      answer(model, device, batch);
    } catch (const std::exception& error) {
      for (const Request& request : batch) {
        std::printf("%lld: error: %s\n", static_cast<long long>(request.line), error.what());
      }
    }
  }
}

// ----------------------------------------------------------------------------------- the input ---

volatile std::sig_atomic_t is_told_to_end = 0;

/// Lines of standard input.
class Input {
 public:
  /// From here on the signals arrive only while next() waits. Threads that are made later do not
  /// get them.
  Input() {
    struct sigaction action {};
    action.sa_handler = [](int) { is_told_to_end = 1; };
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM}) {
      sigaction(signal, &action, nullptr);
      sigaddset(&ending, signal);
    }
    pthread_sigmask(SIG_BLOCK, &ending, &while_waiting_);
  }
  /// Nothing at the end of the input, and after a signal.
  std::optional<std::string> next() {
    std::size_t end = 0;
    while ((end = buffer_.find('\n')) == std::string::npos) {
      char bytes[4096];
      pollfd ready{STDIN_FILENO, POLLIN, 0};
      if (ppoll(&ready, 1, nullptr, &while_waiting_) < 0 && errno == EINTR) {
        if (is_told_to_end != 0) return std::nullopt;
        continue;
      }
      const ssize_t size = read(STDIN_FILENO, bytes, sizeof(bytes));
      if (size <= 0)
        return buffer_.empty() ? std::nullopt : std::optional(std::exchange(buffer_, {}));
      buffer_.append(bytes, static_cast<std::size_t>(size));
    }
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    return line;
  }

 private:
  sigset_t while_waiting_{};
  std::string buffer_;
};

/// Threads that serve a queue. It ends them when nothing waits any more.
class Server {
 public:
  Server(const Model& model, const Device& device, int num_threads) {
    for (int i = 0; i < num_threads; ++i) {
      threads_.emplace_back(serve, model, device, std::ref(queue_));
    }
  }
  ~Server() { queue_.close(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  void push(const Request& request) { queue_.push(request); }

 private:
  Queue queue_;
  std::vector<std::jthread> threads_;  // joined before the queue goes
};

void answer_all(Input& input, Server& server) {
  std::int64_t line = 0;
  while (const std::optional<std::string> text = input.next()) {
    Request request{++line, 0, 0};
    if (std::sscanf(text->c_str(), "%f %f", &request.x, &request.y) == 2) {
      server.push(request);
    } else {
      std::printf("%lld: error: expected two numbers\n", static_cast<long long>(line));
      std::fflush(stdout);
    }
  }
}

void run(const Device& device, int num_threads) {
  Input input;
  patchbay::manual_seed(1);
  Model model(device);
  train(model, device);
  model.eval();
  device.synchronize();
  {
    Server server(model, device, num_threads);
    std::printf("ready: %d threads on %s\n", num_threads, device.name().c_str());
    std::fflush(stdout);
    answer_all(input, server);
  }
  std::printf("ended: %s\n", is_told_to_end != 0 ? "by a signal" : "no more input");
}

}  // namespace

int main(int argc, char** argv) try {
  const Device device(argc > 1 ? argv[1] : "cpu:0");
  const int num_threads = argc > 2 ? std::atoi(argv[2]) : 4;
  if (num_threads < 1) throw std::invalid_argument("THREADS has to be a number from 1");
  run(device, num_threads);
} catch (const std::exception& error) {
  std::fprintf(stderr, "server: %s\n", error.what());
  return 1;
}
