#include "libwm/launch/job_command.h"

#include <algorithm>
#include <string_view>

#include "libwm/base/single_quoted.h"
#include "libwm/launch/plain_command.h"
#include "libwm/model/exec_id.h"

namespace wm::launch {
namespace {

using Words = std::vector<std::string>;

/// The interpreter line of a script as argv, else /bin/sh.
Words interpreter_of(const std::string& script) {
  if (!script.starts_with("#!")) return {"/bin/sh"};
  auto line = script.substr(2, std::min(script.find('\n'), std::size_t{4096}) - 2);
  auto from = line.find_first_not_of(" \t");
  if (from == line.npos) return {"/bin/sh"};
  auto end = line.find_first_of(" \t\r", from);
  Words argv{line.substr(from, end - from)};
  auto more = end == line.npos ? line.npos : line.find_first_not_of(" \t\r", end);
  auto last = line.find_last_not_of(" \t\r");
  if (more != line.npos && more <= last) argv.push_back(line.substr(more, last - more + 1));
  return argv;
}

/// `text` as the shell reads it back inside of quotes of that kind; 0: outside of any.
std::string inside(char quote, std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (quote == '\'' && c == '\'') {
      escaped += "'\\''";
      continue;
    }
    bool special = quote == '"' && std::string_view("\"\\$`").find(c) != std::string_view::npos;
    if (special) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// The script, its arguments as a shell understands what stands behind the command's first word.
Words with_arguments(Words script, const std::string& command) {
  auto first = command.find_first_not_of(" \t");
  auto rest = command.find_first_of(" \t", first);
  if (rest == command.npos) return script;
  Words argv{"/bin/sh", "-c", "\"$@\"" + command.substr(rest), "sh"};
  argv.insert(argv.end(), script.begin(), script.end());
  return argv;
}

std::string quoted_words(const Words& argv) {
  std::string line;
  for (const auto& word : argv) line += (line.empty() ? "" : " ") + single_quoted(word);
  return line;
}

bool restarts(const HostOrder& o) {
  const auto& checkpoint = o.resolved.checkpoint;
  bool by_site = !checkpoint.method.empty() && checkpoint.method != "wm";
  return by_site && !checkpoint.dir.empty() && o.attempt.value > 1;
}

/// The same command, unless its checkpoint says how it goes on.
Words from_checkpoint(const HostOrder& o, const Words& argv) {
  constexpr const char* kRestart =
      R"sh(dir=$1 method=$2; shift 2
[ -n "$(ls -A -- "$dir" 2>/dev/null)" ] || exec "$@"
rm -f -- "$dir/.restart_cmd"
"erestart.$method" "$dir" || exit
again=$(sed -n 's/^LSB_RESTART_CMD=//p' "$dir/.restart_cmd" 2>/dev/null | head -n 1)
[ -z "$again" ] || exec /bin/sh -c "$again"
exec "$@")sh";
  const auto& checkpoint = o.resolved.checkpoint;
  Words all{"/bin/sh",        "-c", kRestart, "erestart", checkpoint.dir + "/" + id_part(o.job),
            checkpoint.method};
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

}  // namespace

const std::string& starter_of(const HostOrder& order) {
  const auto& own = order.app.controls.starter;
  return own.empty() ? order.queue_controls.starter : own;
}

std::string started_by(const std::string& starter, const std::string& command) {
  constexpr std::string_view kPlace = "%USRCMD";
  if (starter.find(kPlace) == starter.npos) return starter + " " + command;
  std::string line;
  char quote = 0;
  for (std::size_t i = 0; i < starter.size(); ++i) {
    if (starter.compare(i, kPlace.size(), kPlace) == 0) {
      line += inside(quote, command);
      i += kPlace.size() - 1;
      continue;
    }
    char c = starter[i];
    line += c;
    if (c == '\\' && quote != '\'' && i + 1 < starter.size()) line += starter[++i];
    else if (quote == 0 && (c == '"' || c == '\'')) quote = c;
    else if (c == quote) quote = 0;
  }
  return line;
}

Words command_of(const HostOrder& o, const HostFacts& host) {
  const auto& own = o.resolved.program.command;
  const auto& command = own.empty() ? o.app.command : own;
  bool is_script = !o.blobs.script.empty();
  Words argv;
  if (is_script) {
    argv = interpreter_of(o.blobs.script);
    argv.push_back(attempt_dir(o, host) + "/script");
    if (o.resolved.program.spooled) argv = with_arguments(std::move(argv), command);
  } else {
    argv = plain_words(command).value_or(Words{"/bin/sh", "-c", command});
  }
  bool again = restarts(o);
  if (again) argv = from_checkpoint(o, argv);
  const auto& starter = starter_of(o);
  if (starter.empty()) return argv;
  return {"/bin/sh", "-c", started_by(starter, is_script || again ? quoted_words(argv) : command)};
}

}  // namespace wm::launch
