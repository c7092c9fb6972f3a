// The rim of the commands: environment, streams, exit codes.
#include "commands/common/command.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "libwm/conf/load.h"

namespace wm::cmd {
namespace {

bool asks(const Parsed& parsed, std::string_view name) { return parsed.has(name); }

// An option of what only shows something changes nothing by being ignored.
void warn_of_ignored(const Command& command, const Parsed& parsed) {
  if (!command.acts) return;
  for (const auto& name : parsed.ignored)
    complain(std::string(command.name) + ": option -" + name + " has no effect here\n");
}

// What was given may be as long as a command line, and hold what a terminal obeys; why something is
// refused stands at a line's end.
std::string readable_line(std::string_view line) {
  constexpr std::size_t kMost = 2000, kKept = 900;
  std::string text(line);
  if (text.size() > kMost) text.replace(kKept, text.size() - 2 * kKept, " ... ");
  auto obeyed = [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) && c != '\t'; };
  std::replace_if(text.begin(), text.end(), obeyed, '?');
  return text;
}

int refuse(const Command& command, const Error& error) {
  std::string text = error.text;
  if (!command.refusal.empty())
    text += (text.ends_with('.') ? "" : ".") + std::string(command.refusal);
  complain(text + "\n");
  return kRefused;
}

std::vector<Option> with_common(std::span<const Option> own) {
  std::vector<Option> all(own.begin(), own.end());
  bool has_h = false, grouped = false;
  for (const auto& option : own) {
    has_h = has_h || option.name == "h";
    grouped = grouped || !option.group.empty();
  }
  auto others = grouped ? "Others" : "";
  if (!has_h) all.push_back({"h", Option::Kind::Flag, "", "Print this and exit", others});
  all.push_back({"help", Option::Kind::Flag, "", ""});
  all.push_back({"-help", Option::Kind::Flag, "", ""});
  all.push_back({"V", Option::Kind::Flag, "", "Print the version and exit"});
  all.push_back({"-version", Option::Kind::Flag, "", ""});
  return all;
}

// The exit code when nothing is left to say; output that went nowhere is no answer.
int finish(const Command& command, int code) {
  if (!std::ferror(stdout)) return code;
  complain(std::string(command.name) + ": standard output cannot be written\n");
  return command.acts ? code : kRefused;
}

}  // namespace

int main_of(const Command& command, int argc, char** argv,
            const std::function<Result<int>(const Parsed&)>& body) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto options = with_common(command.options);
  if (args.size() == 1 && args.front() == kTableOption) {
    say(table_text(command.synopsis, options));
    return finish(command, 0);
  }
  auto parsed = parse_options(options, args, command.words);
  if (!parsed) {
    complain(std::string(command.name) + ": ");
    return refuse(command, parsed.error());
  }
  if (asks(*parsed, "h") || asks(*parsed, "help") || asks(*parsed, "-help")) {
    say(usage(command.synopsis, options));
    return finish(command, 0);
  }
  if (asks(*parsed, "V") || asks(*parsed, "-version")) {
    complain(std::string(command.name) + " (WM) " WM_VERSION "\n");
    return 0;
  }
  warn_of_ignored(command, *parsed);
  auto code = body(*parsed);
  return code ? finish(command, *code) : refuse(command, code.error());
}

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string conf_dir() {
  return environment("WM_CONF_DIR").value_or(std::string(conf::kDefaultDir));
}

Result<ClusterConf> cluster_conf() {
  static bool told = false;
  std::vector<std::string> wrong;
  WM_TRY(auto cluster, conf::load_cluster(conf_dir(), wrong));
  if (wrong.empty() || std::exchange(told, true)) return cluster;
  for (const auto& line : wrong) complain("Warning: " + line + "\n");
  complain("Warning: wm.conf is not in force as it is: badmin ckconfig\n");
  return cluster;
}

Result<client::Master> master() {
  WM_TRY(auto cluster, cluster_conf());
  return client::Master::of(cluster);
}

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void complain(std::string_view text) {
  std::string readable;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    readable += readable_line(text.substr(0, end));
    if (end < text.size()) readable += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  pass_on(readable);
}

void pass_on(std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stderr); }

}  // namespace wm::cmd
