#include "libwm/base/log.h"

#include <spdlog/details/file_helper.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/sinks/syslog_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>

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

constexpr int kDaemons = 3 << 3;  // LOG_DAEMON

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
  for (const auto& sink : spdlog::default_logger_raw()->sinks())
    if (auto* file = dynamic_cast<FileSink*>(sink.get())) file->reopen();
}

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
