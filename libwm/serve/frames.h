// Role: what a router and its kernels say to each other: payloads of wire frames, as bytes and
// back. Pure; the session around them authenticates and encrypts.
//
//   kernel  KernelHello ─►            Answers ─►   Leaving ─►
//   router         ◄─ Welcome  ◄─ Batch                   ◄─ Leaving: heard; with a reason: end now
//
// A number is little-endian, a text its length in 4 bytes and its bytes. Append-only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"

namespace wm::serve {

/// Types of frames.
enum class Word : std::uint16_t {
  Hello = 16,
  Batch = 17,
  Answers = 18,
  Leaving = 19,
  Welcome = 20
};

/// A kernel begins.
struct KernelHello {
  std::string instance;  ///< unique among those of its service
  std::string host;
  std::int64_t pid = 0;
  bool operator==(const KernelHello&) const = default;
};
/// The name of a kernel that is this task of its group, as its hello has it; and back, nothing: it
/// says no task. @cost O(length)
std::string instance_of(const std::string& name, std::string_view task);
std::optional<TaskNumber> task_of(std::string_view instance);
/// What the router says to it.
struct KernelWelcome {
  std::uint32_t workers = 1;  ///< that may invoke at a time
  bool operator==(const KernelWelcome&) const = default;
};
/// One task of a batch.
struct BatchTask {
  std::uint64_t id = 0;
  std::string data;
  bool operator==(const BatchTask&) const = default;
};
/// What a worker is to do at once.
struct Batch {
  std::uint64_t id = 0;
  std::vector<BatchTask> tasks;
  bool operator==(const Batch&) const = default;
};
/// What became of one task.
struct TaskAnswer {
  std::uint64_t id = 0;
  bool fine = false;
  std::string data;  ///< or why not
  bool operator==(const TaskAnswer&) const = default;
};
/// Of a batch, all at once or some ahead.
struct Answers {
  std::uint64_t batch = 0;
  bool last = true;           ///< what has not been answered by now has no answer
  std::uint64_t busy_us = 0;  ///< @units us; with the last: how long its worker had it
  std::vector<TaskAnswer> tasks;
  bool operator==(const Answers&) const = default;
};

/// @cost O(bytes)
std::string to_bytes(const KernelHello& hello);
std::string to_bytes(const KernelWelcome& welcome);
std::string to_bytes(const Batch& batch);
std::string to_bytes(const Answers& answers);

/// @errors Damaged: not such bytes, or more than these
Result<KernelHello> read_hello(std::string_view bytes);
Result<KernelWelcome> read_welcome(std::string_view bytes);
Result<Batch> read_batch(std::string_view bytes);
Result<Answers> read_answers(std::string_view bytes);

}  // namespace wm::serve
