// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Draws that backward makes again. The forward notes where each of its draws began, and backward
// draws from there. No generator is set back for that: other threads may be using it.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_DRAW_SCOPE_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_DRAW_SCOPE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "patchbay/random.h"

#include "core/tensor/dispatch/split_draws.h"

namespace patchbay::tensor {

/// What is drawn, or read. The repetition finds its draws by this: it does not make those that
/// happen once, such as the first weights of a lazy layer.
struct DrawKind {
  const void* op = nullptr;       // null for offsets that the program takes or reads itself
  std::int64_t num_elements = 0;  // or of such offsets
  friend bool operator==(const DrawKind&, const DrawKind&) = default;
};

struct Draw {
  DrawKind kind;
  Generator::State begin;
};

/// The draws of a computation by one thread.
struct DrawLog {
  /// In their order. None for a generator whose state was only set.
  std::map<GeneratorPtr, std::vector<Draw>> draws;
  std::optional<DrawRows> rows;  // of the part of a batch that the thread drew for
  std::uint64_t recording = 0;   // the number of the thread's Recorder; 0 without one
};

/// Gives draws the positions of a log.
class DrawReplay {
 public:
  explicit DrawReplay(std::shared_ptr<const DrawLog> log) : log_(std::move(log)) {}

  // All give nothing for a generator that the log does not have: the computation made it, and
  // makes it again.
  /// Where the next draw of that kind begins.
  std::optional<Generator::State> peek(const GeneratorPtr& generator, const DrawKind& kind) const;
  /// Where the next draw of that kind begins; the draw after it is next then.
  std::optional<Generator::State> take(const GeneratorPtr& generator, std::uint64_t num_calls,
                                       const DrawKind& kind);
  bool set_state(const GeneratorPtr& generator, Generator::State state);

 private:
  struct Cursor {
    std::size_t next = 0;
    std::optional<Generator::State> after;  // the last draw, or as it was set since
  };

  /// The number of the next draw of that kind; that of all draws if there is none.
  static std::size_t next_of(const std::vector<Draw>& draws, const Cursor& cursor,
                             const DrawKind& kind);

  const std::shared_ptr<const DrawLog> log_;
  std::map<GeneratorPtr, Cursor> cursors_;
};

/// Sees the draws of a thread: a log that is written, or a replay.
struct DrawScope : std::enable_shared_from_this<DrawScope> {
  std::shared_ptr<DrawScope> outer;  // sees them too; null for a replay
  std::shared_ptr<DrawLog> log;      // null for a replay
  std::optional<DrawReplay> replay;
  DrawKind next_kind;  // of the draw that is about to take its offset

  /// Adds the draw to the logs.
  void note(const GeneratorPtr& generator, const Draw& draw);
  /// A state that is set rather than drawn from.
  void note(const GeneratorPtr& generator);
  /// What gives the positions; null if the generators themselves do.
  DrawReplay* source();
};

/// This thread's innermost one, or null.
extern constinit thread_local DrawScope* draw_scope;

/// Those of Generator, for this thread.
Generator::State advance(const GeneratorPtr& generator, std::uint64_t num_calls);
void set_state(const GeneratorPtr& generator, Generator::State state);

/// Notes the draws of this thread while it lives.
class LoggedDraws {
 public:
  LoggedDraws();
  ~LoggedDraws();
  LoggedDraws(const LoggedDraws&) = delete;
  LoggedDraws& operator=(const LoggedDraws&) = delete;

  /// To be read when the draws are made.
  std::shared_ptr<const DrawLog> log() const { return scope_->log; }

 private:
  const std::shared_ptr<DrawScope> scope_;
  DrawScope* const previous_;
};

/// Repeats the draws of a log while it lives, in any thread.
class RepeatedDraws {
 public:
  /// Errors: kInvalidArgument for draws that were recorded in a graph, unless this thread records
  /// that graph; the message names `operation`.
  RepeatedDraws(const char* operation, const std::shared_ptr<const DrawLog>& log);
  ~RepeatedDraws();
  RepeatedDraws(const RepeatedDraws&) = delete;
  RepeatedDraws& operator=(const RepeatedDraws&) = delete;

 private:
  const std::shared_ptr<DrawScope> scope_;
  DrawScope* const previous_;
  std::optional<DrawPart> rows_;
  DrawPart* const previous_part_;
};

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_DRAW_SCOPE_H_
