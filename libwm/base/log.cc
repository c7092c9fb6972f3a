#include "libwm/base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

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

bool needs_quotes(const std::string& value) {
  return value.empty() || value.find_first_of(" \"=\n") != std::string::npos;
}

void append(std::string& line, const Field& field) {
  line += ' ';
  line += field.key;
  line += '=';
  if (!needs_quotes(field.value)) {
    line += field.value;
    return;
  }
  line += '"';
  for (char c : field.value) {
    if (c == '"') line += '\'';
    else if (c == '\n') line += "\\n";
    else line += c;
  }
  line += '"';
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

void open(std::string_view program, const std::string& path, Level level) {
  std::shared_ptr<spdlog::logger> logger;
  std::string name(program);
  if (!path.empty()) {
    try {
      logger = spdlog::basic_logger_mt(name, path);
    } catch (const spdlog::spdlog_ex& e) {
      std::fprintf(stderr, "%s: cannot write log %s: %s\n", name.c_str(), path.c_str(), e.what());
    }
  }
  if (!logger) logger = spdlog::stderr_logger_mt(name);
  logger->set_pattern(kPattern, spdlog::pattern_time_type::utc);
  logger->set_level(level_of(level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
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
