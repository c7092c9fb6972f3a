#include "libwm/serve/frames.h"

#include <charconv>
#include <cstring>

namespace wm::serve {
namespace {

class Writer {
 public:
  Writer& number(std::uint64_t n) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(n >> (8 * i));
    return *this;
  }
  Writer& text(std::string_view text) {
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(text.size() >> (8 * i));
    bytes += text;
    return *this;
  }
  std::string bytes;
};

/// Takes parts off the front; what is not there reads as nothing, and is told in the end.
class Parts {
 public:
  explicit Parts(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number() { return little(8); }
  std::string text() {
    auto size = little(4);
    auto part = take(size);
    return std::string(part);
  }
  /// A count of things of at least `least` bytes each.
  std::uint64_t count(std::size_t least) {
    auto n = number();
    if (n > rest_.size() / least) damaged_ = true;
    return damaged_ ? 0 : n;
  }
  bool whole() const { return !damaged_ && rest_.empty(); }

 private:
  std::uint64_t little(std::size_t size) {
    auto part = take(size);
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < part.size(); ++i)
      n |= static_cast<std::uint64_t>(static_cast<unsigned char>(part[i])) << (8 * i);
    return n;
  }
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) {
      damaged_ = true;
      return {};
    }
    auto part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  std::string_view rest_;
  bool damaged_ = false;
};

template <class T>
Result<T> checked(const Parts& parts, T value) {
  if (!parts.whole()) return fail(Code::Damaged, "a frame that does not read");
  return value;
}

constexpr char kTaskMark = '@';

}  // namespace

std::string instance_of(const std::string& name, std::string_view task) {
  return task.empty() ? name : name + kTaskMark + std::string(task);
}

std::optional<TaskNumber> task_of(std::string_view instance) {
  auto mark = instance.rfind(kTaskMark);
  if (mark == instance.npos) return {};
  auto text = instance.substr(mark + 1);
  TaskNumber task;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), task.value);
  bool whole = ec == std::errc() && end == text.data() + text.size() && task.value > 0;
  return whole ? std::optional(task) : std::nullopt;
}

std::string to_bytes(const KernelHello& hello) {
  return Writer()
      .text(hello.instance)
      .text(hello.host)
      .number(static_cast<std::uint64_t>(hello.pid))
      .bytes;
}

std::string to_bytes(const KernelWelcome& welcome) {
  return Writer().number(welcome.workers).bytes;
}

std::string to_bytes(const Batch& batch) {
  Writer out;
  out.number(batch.id).number(batch.tasks.size());
  for (const auto& task : batch.tasks) out.number(task.id).text(task.data);
  return std::move(out.bytes);
}

std::string to_bytes(const Answers& answers) {
  Writer out;
  out.number(answers.batch).number(answers.last ? 1 : 0).number(answers.busy_us);
  out.number(answers.tasks.size());
  for (const auto& task : answers.tasks)
    out.number(task.id).number(task.fine ? 1 : 0).text(task.data);
  return std::move(out.bytes);
}

Result<KernelHello> read_hello(std::string_view bytes) {
  Parts in(bytes);
  KernelHello hello;
  hello.instance = in.text();
  hello.host = in.text();
  hello.pid = static_cast<std::int64_t>(in.number());
  return checked(in, std::move(hello));
}

Result<KernelWelcome> read_welcome(std::string_view bytes) {
  Parts in(bytes);
  KernelWelcome welcome;
  welcome.workers = static_cast<std::uint32_t>(in.number());
  return checked(in, welcome);
}

Result<Batch> read_batch(std::string_view bytes) {
  Parts in(bytes);
  Batch batch;
  batch.id = in.number();
  auto n = in.count(12);
  for (std::uint64_t i = 0; i < n; ++i) {
    BatchTask task;
    task.id = in.number();
    task.data = in.text();
    batch.tasks.push_back(std::move(task));
  }
  return checked(in, std::move(batch));
}

Result<Answers> read_answers(std::string_view bytes) {
  Parts in(bytes);
  Answers answers;
  answers.batch = in.number();
  answers.last = in.number() != 0;
  answers.busy_us = in.number();
  auto n = in.count(20);
  for (std::uint64_t i = 0; i < n; ++i) {
    TaskAnswer task;
    task.id = in.number();
    task.fine = in.number() != 0;
    task.data = in.text();
    answers.tasks.push_back(std::move(task));
  }
  return checked(in, std::move(answers));
}

}  // namespace wm::serve
