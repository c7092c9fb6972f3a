// Role: one log line per fact: `level event key=value…`. The only header that stands
// between the tree and spdlog (included by log.cc alone, it costs 3 s a file).
// Layer rule: L2 never logs, it returns reasons.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace wm::log {

/// Most to least verbose.
enum class Level : std::uint8_t { Debug, Info, Warn, Error };

/// One key=value of a log line; text with blanks is quoted when printed, and what would end the
/// line or steer a terminal is shown as \n, \x1b (log_text.h).
struct Field {
  std::string_view key;
  std::string value;
  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(v) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v) {}
  template <class Int>
  requires std::is_arithmetic_v<Int> Field(std::string_view k, Int v)
      : key(k), value(std::to_string(v)) {}
};

/// Where lines go.
enum class To : std::uint8_t {
  File,
  Syslog,
  Journal,  ///< stderr, each line with "<n>" in front, which systemd's journal takes for a priority
};
/// "file", "syslog", "journald" of wm.conf; File for any other word.
To to_named(std::string_view word);

/// Opens the log of this program: `path` empty means stderr. Called once, by main.
/// @errors none: when the file cannot be opened the log goes to stderr and says so
/// @thread before any other thread starts
void open(std::string_view program, const std::string& path, Level level, To to = To::File);
/// Opens the file by its name again: somebody has moved it away. Another log stays as it is.
/// @errors none: one that cannot be opened is told on stderr, and lines go there   @thread any
void reopen();

/// The level of that name in wm.conf; Info for any other word.
Level level_named(std::string_view word);
/// What is less severe is no longer written. Before open(), of stderr. @thread any
void set_level(Level level);

/// Writes one line. Before open(), to stderr. @thread any   @cost one write
void write(Level level, std::string_view event, std::initializer_list<Field> fields = {});

/// As write(), of a line that gets its fields at run time. @thread any   @cost one write
void write_list(Level level, std::string_view event, const std::vector<Field>& fields);

/// One line of that level; as write(). @thread any
inline void debug(std::string_view e, std::initializer_list<Field> f = {}) {
  write(Level::Debug, e, f);
}
inline void info(std::string_view e, std::initializer_list<Field> f = {}) {
  write(Level::Info, e, f);
}
inline void warn(std::string_view e, std::initializer_list<Field> f = {}) {
  write(Level::Warn, e, f);
}
inline void error(std::string_view e, std::initializer_list<Field> f = {}) {
  write(Level::Error, e, f);
}

}  // namespace wm::log
