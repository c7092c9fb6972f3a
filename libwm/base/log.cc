#include "libwm/base/log.h"

#include <spdlog/details/file_helper.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/sinks/syslog_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "libwm/base/log_behind.h"
#include "libwm/base/log_text.h"

namespace wm::log {
namespace {

constexpr const char* kPattern = "%Y-%m-%dT%H:%M:%S.%e %n %l %v";

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::Debug: return spdlog::level::debug;
    case Level::Info: return spdlog::level::info;
    case Level::Warn: return spdlog::level::warn;
    case Level::Error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

// A file that can be opened by its name again.
class FileSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(const std::string& path) { file_.open(path); }
  void reopen() {
    std::lock_guard lock(mutex_);
    try {
      file_.reopen(false);
    } catch (const std::exception& e) {  // no type of spdlog: programs that never log do without it
      std::fprintf(stderr, "cannot open the log again: %s\n", e.what());
    }
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    file_.write(text);
  }
  void flush_() override { file_.flush(); }

 private:
  spdlog::details::file_helper file_;
};

// syslog(3)'s numbers.
int priority_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::err: return 3;
    case spdlog::level::warn: return 4;
    case spdlog::level::debug: return 7;
    default: return 6;
  }
}

// Lines as systemd's journal reads them from a service's stderr; it has the time itself.
class JournalSink : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    std::fprintf(stderr, "<%d>%.*s\n", priority_of(message.level),
                 static_cast<int>(message.payload.size()), message.payload.data());
  }
  void flush_() override { std::fflush(stderr); }
};

constexpr int kDaemons = 3 << 3;                            // LOG_DAEMON
constexpr std::size_t kMostBehind = std::size_t{64} << 20;  // bytes of queued lines

std::array<std::atomic<std::uint64_t>, 4> line_counts{};
std::atomic<std::uint64_t> lost_count{0};

// Queues lines for another sink, which a thread feeds.
class BehindSink : public spdlog::sinks::sink {
 public:
  explicit BehindSink(spdlog::sink_ptr to) : to_(std::move(to)), thread_([this] { run(); }) {}
  ~BehindSink() override {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  const spdlog::sink_ptr& to() const { return to_; }

  void log(const spdlog::details::log_msg& message) override {
    std::lock_guard lock(mutex_);
    if (bytes_ > kMostBehind) {
      ++lost_count;
      return;
    }
    bytes_ += message.payload.size();
    queue_.push_back({std::string(message.logger_name.data(), message.logger_name.size()),
                      std::string(message.payload.data(), message.payload.size()), message.level,
                      message.time});
    if (queue_.size() == 1) wake_.notify_one();
  }
  void flush() override {}  // the thread does, whenever it has written all
  void set_pattern(const std::string& pattern) override { to_->set_pattern(pattern); }
  void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
    to_->set_formatter(std::move(formatter));
  }

 private:
  struct Line {
    std::string name, text;
    spdlog::level::level_enum level{};
    spdlog::log_clock::time_point time;
  };

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
      if (queue_.empty()) return;
      std::deque<Line> lines;
      lines.swap(queue_);
      lock.unlock();
      write(lines);
      lock.lock();
      for (const auto& line : lines) bytes_ -= line.text.size();
    }
  }
  // A disk that is full loses lines, never the daemon.
  void write(const std::deque<Line>& lines) try {
    for (const auto& line : lines) {
      spdlog::details::log_msg message(line.time, {}, line.name, line.level, line.text);
      to_->log(message);
    }
    to_->flush();
  } catch (const std::exception&) {
    lost_count += lines.size();
  }

  spdlog::sink_ptr to_;
  std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  std::deque<Line> queue_;
  std::size_t bytes_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

spdlog::sink_ptr sink_for(const std::string& program, const std::string& path, To to) {
  if (to == To::Journal) return std::make_shared<JournalSink>();
  if (to == To::Syslog)
    return std::make_shared<spdlog::sinks::syslog_sink_mt>(program, 1, kDaemons, false);
  if (path.empty()) return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  try {
    return std::make_shared<FileSink>(path);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: cannot write log %s: %s\n", program.c_str(), path.c_str(), e.what());
    return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  }
}

bool needs_quotes(const std::string& value) {
  return value.empty() || value.find_first_of(" \"=\\") != std::string::npos;
}

void append(std::string& line, const Field& field) {
  line += ' ';
  line += field.key;
  line += '=';
  auto value = one_line(field.value);
  if (!needs_quotes(value)) {
    line += value;
    return;
  }
  std::replace(value.begin(), value.end(), '"', '\'');
  line += '"' + value + '"';
}

template <class Fields>
void write_fields(Level level, std::string_view event, const Fields& fields) {
  auto* logger = spdlog::default_logger_raw();
  if (!logger->should_log(level_of(level))) return;
  ++line_counts[static_cast<std::size_t>(level)];
  std::string line(event);
  for (const auto& field : fields) append(line, field);
  logger->log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

void open(std::string_view program, const std::string& path, Level level, To to) {
  std::string name(program);
  auto logger = std::make_shared<spdlog::logger>(name, sink_for(name, path, to));
  logger->set_pattern(kPattern, spdlog::pattern_time_type::utc);
  logger->set_level(level_of(level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

void reopen() {
  for (const auto& sink : spdlog::default_logger_raw()->sinks()) {
    auto* behind = dynamic_cast<BehindSink*>(sink.get());
    if (auto* file = dynamic_cast<FileSink*>(behind ? behind->to().get() : sink.get()))
      file->reopen();
  }
}

void write_behind() {
  auto& sinks = spdlog::default_logger_raw()->sinks();
  for (auto& sink : sinks) sink = std::make_shared<BehindSink>(std::move(sink));
}

void finish() {
  auto* logger = spdlog::default_logger_raw();
  for (auto& sink : logger->sinks())
    if (auto behind = std::dynamic_pointer_cast<BehindSink>(sink)) sink = behind->to();
}

std::array<std::uint64_t, 4> lines() {
  std::array<std::uint64_t, 4> counted{};
  for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = line_counts[i];
  return counted;
}

std::uint64_t lines_lost() { return lost_count; }

To to_named(std::string_view word) {
  if (word == "syslog") return To::Syslog;
  return word == "journald" ? To::Journal : To::File;
}

Level level_named(std::string_view word) {
  if (word == "debug") return Level::Debug;
  if (word == "warn") return Level::Warn;
  return word == "error" ? Level::Error : Level::Info;
}

void set_level(Level level) { spdlog::default_logger_raw()->set_level(level_of(level)); }

void write(Level level, std::string_view event, std::initializer_list<Field> fields) {
  write_fields(level, event, fields);
}

void write_list(Level level, std::string_view event, const std::vector<Field>& fields) {
  write_fields(level, event, fields);
}

}  // namespace wm::log
