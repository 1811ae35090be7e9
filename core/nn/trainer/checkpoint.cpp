// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A checkpoint is a safetensors file: tensors with the names of the parts before their own, and
// numbers as JSON in the metadata.
#include "patchbay/nn/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/nn/files/module_state.h"
#include "core/nn/files/safetensors.h"
#include "core/nn/files/subject.h"
#include "core/nn/module/parameter_state.h"
#include "core/nn/trainer/checkpoint.h"

namespace patchbay::nn {

using base::raise;
using nlohmann::json;

namespace {

constexpr const char* kNumbers = "patchbay.checkpoint";
constexpr std::int64_t kFormat = 1;
/// Follows a text without a way out of its own.
constexpr std::string_view kWayOut = "Give a file that was saved with these parts.";

constexpr std::string_view kModelPrefix = "model.", kProgramPrefix = "program.";
std::string model_name(std::string_view name) { return fmt::format("{}{}", kModelPrefix, name); }
std::string optimizer_name(std::size_t list, std::size_t index) {
  return fmt::format("optimizer.{}.{}", list, index);
}
std::string program_name(std::string_view name) {
  return fmt::format("{}{}", kProgramPrefix, name);
}

constexpr std::string_view kPrefixes[] = {kModelPrefix, "optimizer.", kProgramPrefix};
constexpr std::size_t kMostDepth = 4;
constexpr std::int64_t kMostCount = std::int64_t{1} << 53;

/// The parser and its values would need a stack as deep as the text.
bool is_deeper_than(std::string_view text, std::size_t most) {
  std::size_t depth = 0;
  bool is_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      is_text = !is_text;
    } else if (is_text) {
      i += c == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      if (++depth > most) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

/// What is read before anything changes.
class Reader {
 public:
  Reader(const std::filesystem::path& path, const char* operation)
      : operation_(operation), path_(path), file_(files::OpenSafetensors::handle(path, operation)) {
    const auto found = file_.metadata().find(kNumbers);
    if (found == file_.metadata().end())
      fail("it is no checkpoint: the metadata lack '{}'. Give a file of save_checkpoint.",
           kNumbers);
    if (is_deeper_than(found->second, kMostDepth))
      fail("its numbers are nested too deeply. {}", files::kSaveAgain);
    numbers_ = json::parse(found->second, nullptr, /*allow_exceptions=*/false);
    if (!numbers_.is_object()) fail("its numbers are no JSON object. {}", files::kSaveAgain);
    if (const auto format = number<std::int64_t>("format"); format != kFormat) {
      fail("it has another format: expected {}, got {}. Read it with the version that wrote it.",
           kFormat, format);
    }
  }

  const Safetensors& file() const { return file_; }

  /// Errors: for a tensor of no part.
  void check_names() const {
    for (const Safetensors::Entry& entry : file_.entries()) {
      const bool is_known = std::ranges::any_of(
          kPrefixes, [&](std::string_view prefix) { return entry.name.starts_with(prefix); });
      if (!is_known) fail("{} belongs to no part", base::quote(entry.name));
    }
  }
  /// A count of steps. Errors: unless it is 0 to 2^53.
  std::int64_t count(const std::string& at) const { return checked_count(value(at), at); }
  std::vector<std::int64_t> counts(const std::string& at) const {
    std::vector<std::int64_t> result;
    for (const json& each : list(at)) result.push_back(checked_count(each, at));
    return result;
  }

  /// The number at a JSON pointer below the root: "optimizer/num_steps".
  template <class T>
  T number(const std::string& at) const {
    return number_of<T>(value(at), at);
  }
  bool flag(const std::string& at) const {
    const json& found = value(at);
    if (!found.is_boolean()) fail("{} is neither true nor false", base::quote(at));
    return found.get<bool>();
  }
  std::map<std::string, std::string> texts(const std::string& at) const {
    const json& object = value(at);
    std::map<std::string, std::string> result;
    if (!object.is_object()) fail("{} is no object", base::quote(at));
    for (const auto& [name, text] : object.items()) {
      if (!text.is_string()) fail("{} of {} is no text", base::quote(name), base::quote(at));
      result.emplace(name, text.get<std::string>());
    }
    return result;
  }
  /// Errors: unless the part was saved.
  void need(const char* part) const {
    if (!numbers_.contains(part))
      fail("it was saved without the {0}. Leave the {0} out, or give a file that has it.", part);
  }

  /// Errors: unless the file has the tensor, with that dtype, or else a float, and shape.
  void need_tensor(const std::string& name, std::optional<DType> dtype, const Shape* shape) const {
    if (!file_.has(name)) fail_missing(name);
    const Safetensors::Entry& entry = file_.entry(name);
    if (!dtype && !is_floating(entry.dtype)) {
      fail("the tensor {} has {}: expected floats", base::quote(name),
           patchbay::to_string(entry.dtype));
    }
    files::check_entry(entry, dtype.value_or(entry.dtype), shape, path_, operation_);
  }

  [[noreturn]] void fail_missing(const std::string& name) const {
    fail("the tensor {} is missing", base::quote(name));
  }
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> what, Args&&... args) const {
    std::string text = fmt::format(what, std::forward<Args>(args)...);
    raise(ErrorCode::kInvalidArgument, "[{}] can't use {}: {}", operation_,
          base::quote(path_.native()), files::with_way_out(std::move(text), kWayOut));
  }
  const char* operation() const { return operation_; }

 private:
  const json& list(const std::string& at) const {
    const json& found = value(at);
    if (!found.is_array()) fail("{} is no list", base::quote(at));
    return found;
  }
  std::int64_t checked_count(const json& value, const std::string& at) const {
    const auto count = number_of<std::int64_t>(value, at);
    if (count < 0 || count > kMostCount) {
      fail("{} is out of range: expected 0 to 2^53, got {}", base::quote(at), count);
    }
    return count;
  }
  const json& value(const std::string& at) const {
    const json* found = &numbers_;
    for (std::size_t begin = 0; begin <= at.size();) {
      const std::size_t end = std::min(at.find('/', begin), at.size());
      const auto step = found->find(at.substr(begin, end - begin));
      if (!found->is_object() || step == found->end()) fail("{} is missing", base::quote(at));
      found = &*step;
      begin = end + 1;
    }
    return *found;
  }
  template <class T>
  T number_of(const json& value, const std::string& at) const {
    const bool fits = std::is_floating_point_v<T> ? value.is_number()
                      : std::is_signed_v<T>
                          ? value.is_number_integer() && (!value.is_number_unsigned() ||
                                                          value.get<std::uint64_t>() <= INT64_MAX)
                          : value.is_number_unsigned();
    if (!fits) {
      const std::string got = value.is_number() ? value.dump() : value.type_name();
      fail("{} is no such number: {}", base::quote(at), got);
    }
    return value.get<T>();
  }

  const char* const operation_;
  const std::filesystem::path path_;
  const Safetensors file_;
  json numbers_;
};

// --------------------------------------------------------------------------------- the parts ---
// save_ adds a part to the tensors and numbers; read_ checks a part and returns what sets it.

using Apply = std::function<void()>;

void save_model(const char* operation, Module& model, TensorMap& tensors) {
  for (const files::NamedState& each : files::state_of(model)) {
    module::check_has_shape(operation, each.name(), each.parameter);
    tensors.emplace(model_name(each.name()), *each.parameter);
  }
}

Apply read_model(Module& model, const Reader& from) {
  const auto name_of = [](const std::string& name) -> std::optional<std::string> {
    if (!name.starts_with(kModelPrefix)) return std::nullopt;
    return name.substr(kModelPrefix.size());
  };
  files::Fit fit = files::fit(model, from.file(), name_of, from.operation());
  for (const std::string& name : fit.left_out.missing) from.fail_missing(model_name(name));
  for (const std::string& name : fit.left_out.superfluous) {
    from.fail("the model has no {}", base::quote(name));
  }
  for (const auto& [state, entry] : fit.parts) {
    from.need_tensor(entry->name, state.parameter.dtype(), files::shape_of(state.parameter));
    files::check_destination(state.parameter, state.name(), from.operation());
  }
  for (const auto& [state, entry] : fit.parts) {
    files::check_values(from.file(), entry->name, state.parameter);
  }
  return [parts = std::move(fit.parts), &from] {
    for (const auto& [state, entry] : parts) {
      files::read_parameter(from.file(), entry->name, state.parameter);
    }
  };
}

void save_optimizer(const Optimizer& optimizer, TensorMap& tensors, json& numbers) {
  const Optimizer::State state = optimizer.state();
  for (std::size_t list = 0; list < state.lists.size(); ++list) {
    for (std::size_t i = 0; i < state.lists[list].size(); ++i) {
      const Tensor& tensor = state.lists[list][i];
      if (tensor.defined()) tensors.emplace(optimizer_name(list, i), tensor);
    }
  }
  numbers["optimizer"] = {{"num_steps", state.num_steps},
                          {"parameter_steps", state.parameter_steps},
                          {"num_lists", optimizer.num_lists()},
                          {"has_masters", state.has_masters},
                          {"learning_rate", optimizer.learning_rate()}};
}

bool is_rate(double rate) { return rate >= 0 && std::isfinite(rate); }

Apply read_optimizer(Optimizer& optimizer, const Reader& from) {
  from.need("optimizer");
  Optimizer::State state;
  state.num_steps = from.count("optimizer/num_steps");
  state.parameter_steps = from.counts("optimizer/parameter_steps");
  state.has_masters = from.flag("optimizer/has_masters");
  const auto parameters = optimizer.parameters();
  const auto num_lists = from.number<std::uint64_t>("optimizer/num_lists");
  if (num_lists != optimizer.num_lists() || state.parameter_steps.size() != parameters.size()) {
    from.fail(
        "it has the state of another optimiser or model: expected {} parameters with {} tensors "
        "each, got {} with {}",
        parameters.size(), optimizer.num_lists(), state.parameter_steps.size(), num_lists);
  }
  const auto rate = from.number<double>("optimizer/learning_rate");
  if (!is_rate(rate)) from.fail("its learning rate is {}", base::printed(rate));
  std::unordered_set<std::string> known;
  for (std::size_t list = 0; list < num_lists + (state.has_masters ? 1 : 0); ++list) {
    state.lists.emplace_back(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string name = optimizer_name(list, i);
      // Each step of a parameter made its tensors; master weights are of some parameters only.
      if (!from.file().has(name) && (state.parameter_steps[i] == 0 || list == num_lists)) continue;
      from.need_tensor(name, std::nullopt, files::shape_of(parameters[i]));
      known.insert(name);
    }
  }
  for (const Safetensors::Entry& entry : from.file().entries()) {
    if (entry.name.starts_with("optimizer.") && !known.contains(entry.name)) {
      from.fail("the optimiser has no {}", base::quote(entry.name));
    }
  }
  return [&optimizer, &from, state = std::move(state), rate]() mutable {
    for (std::size_t list = 0; list < state.lists.size(); ++list) {
      for (std::size_t i = 0; i < state.lists[list].size(); ++i) {
        const std::string name = optimizer_name(list, i);
        if (!from.file().has(name)) continue;
        state.lists[list][i] = from.file().read(name, optimizer.parameters()[i].device());
      }
    }
    optimizer.set_state(state);
    optimizer.set_learning_rate(rate);
  };
}

Apply read_schedule(Schedule& schedule, const Reader& from) {
  from.need("schedule");
  const std::int64_t steps = from.count("schedule/num_steps");
  if (const double rate = schedule.rate_at(steps); !is_rate(rate)) {
    from.fail("after its {} steps the schedule has the learning rate {}", steps,
              base::printed(rate));
  }
  return [&schedule, steps] { schedule.set_num_steps(steps); };
}

Apply read_loader(DataLoader& loader, const Reader& from) {
  from.need("loader");
  const DataLoader::State state{from.number<std::uint64_t>("loader/seed"),
                                from.number<std::int64_t>("loader/epoch"),
                                from.number<std::int64_t>("loader/batch")};
  if (state.epoch < 0 || state.batch < 0 || state.batch > loader.num_batches()) {
    from.fail("its loader is at batch {} of epoch {}, this one has {} batches", state.batch,
              state.epoch, loader.num_batches());
  }
  return [&loader, state] { loader.set_state(state); };
}

/// Calls `add` with the name of each tensor of the program and its entry.
template <class Add>
void for_each_of_program(const Reader& from, Add add) {
  for (const Safetensors::Entry& entry : from.file().entries()) {
    if (entry.name.starts_with(kProgramPrefix)) {
      add(entry.name.substr(kProgramPrefix.size()), entry);
    }
  }
}

TensorMap program_tensors(const Reader& from) {
  TensorMap tensors;
  for_each_of_program(from, [&](std::string name, const Safetensors::Entry& entry) {
    tensors.emplace(std::move(name), from.file().read(entry.name));
  });
  return tensors;
}

files::HostTables program_tables(const Reader& from) {
  files::HostTables tables;
  for_each_of_program(from, [&](std::string name, const Safetensors::Entry& entry) {
    if (entry.dtype != DType::f64) return;  // no table
    tables.emplace(std::move(name), files::OpenSafetensors::of(from.file()).read_table(entry));
  });
  return tables;
}

/// Errors: kInvalidArgument for texts that are not UTF-8.
std::string to_text(const char* operation, const json& numbers) {
  try {
    return numbers.dump();
  } catch (const json::exception&) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] a text or its name is not UTF-8. Convert it, or save it as a tensor of u8.",
          operation);
  }
}

}  // namespace

void trainer::save_checkpoint(const char* operation, const std::filesystem::path& file,
                              const Checkpoint& parts, const files::HostTables& tables) {
  TensorMap tensors;
  json numbers = {{"format", kFormat}};
  if (parts.model != nullptr) save_model(operation, *parts.model, tensors);
  if (parts.optimizer != nullptr) save_optimizer(*parts.optimizer, tensors, numbers);
  if (parts.schedule != nullptr) numbers["schedule"] = {{"num_steps", parts.schedule->num_steps()}};
  if (parts.loader != nullptr) {
    const DataLoader::State state = parts.loader->state();
    numbers["loader"] = {{"seed", state.seed}, {"epoch", state.epoch}, {"batch", state.batch}};
  }
  if (parts.generator) {
    const Generator::State state = parts.generator->state();
    numbers["generator"] = {{"seed", state.seed}, {"offset", state.offset}};
  }
  for (const auto& [name, tensor] : parts.tensors) tensors.emplace(program_name(name), tensor);
  files::HostTables named;
  for (const auto& [name, table] : tables) named.emplace(program_name(name), table);
  numbers["texts"] = parts.texts;
  files::write_safetensors(file, tensors, {{kNumbers, to_text(operation, numbers)}}, operation,
                           named);
}

void save_checkpoint(const std::filesystem::path& file, const Checkpoint& parts) {
  trainer::save_checkpoint("save_checkpoint", file, parts, {});
}

void load_checkpoint(const std::filesystem::path& file, Checkpoint& parts) {
  trainer::load_checkpoint_if("load_checkpoint", file, parts, {});
}

void trainer::load_checkpoint_if(const char* operation, const std::filesystem::path& file,
                                 Checkpoint& parts,
                                 const std::function<void(const files::HostTables&)>& check) {
  const Reader from(file, operation);
  from.check_names();
  std::vector<Apply> all;
  if (parts.model != nullptr) all.push_back(read_model(*parts.model, from));
  // After the model, which gives lazy layers their shapes.
  if (parts.optimizer != nullptr) all.push_back(read_optimizer(*parts.optimizer, from));
  if (parts.schedule != nullptr) all.push_back(read_schedule(*parts.schedule, from));
  if (parts.loader != nullptr) all.push_back(read_loader(*parts.loader, from));
  if (parts.generator) {
    from.need("generator");
    const Generator::State state{from.number<std::uint64_t>("generator/seed"),
                                 from.number<std::uint64_t>("generator/offset")};
    all.emplace_back([&parts, state] { parts.generator->set_state(state); });
  }
  TensorMap tensors;
  if (!check) tensors = program_tensors(from);
  std::map<std::string, std::string> texts = from.texts("texts");
  if (check) check(program_tables(from));
  for (const Apply& apply : all) apply();
  parts.tensors = std::move(tensors);
  parts.texts = std::move(texts);
}

}  // namespace patchbay::nn
