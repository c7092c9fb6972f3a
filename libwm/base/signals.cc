#include "libwm/base/signals.h"

#include <signal.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace wm {
namespace {

struct Signal {
  const char* name;
  int number;
};
constexpr Signal kSignals[] = {
    {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT}, {"ABRT", SIGABRT}, {"KILL", SIGKILL},
    {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"PIPE", SIGPIPE}, {"ALRM", SIGALRM}, {"TERM", SIGTERM},
    {"CHLD", SIGCHLD}, {"CONT", SIGCONT}, {"STOP", SIGSTOP}, {"TSTP", SIGTSTP}, {"TTIN", SIGTTIN},
    {"TTOU", SIGTTOU}, {"URG", SIGURG},   {"XCPU", SIGXCPU}, {"XFSZ", SIGXFSZ}, {"WINCH", SIGWINCH},
};

}  // namespace

std::optional<int> signal_number(std::string_view text) {
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  if (name.starts_with("SIG")) name.erase(0, 3);
  for (const auto& signal : kSignals)
    if (name == signal.name) return signal.number;
  int number = 0;
  auto [end, ec] = std::from_chars(name.data(), name.data() + name.size(), number);
  bool known = ec == std::errc() && end == name.data() + name.size() && number > 0 && number <= 64;
  return known ? std::optional(number) : std::nullopt;
}

std::string signal_names() {
  std::string text;
  for (const auto& signal : kSignals) text += (text.empty() ? "" : " ") + std::string(signal.name);
  return text;
}

}  // namespace wm
