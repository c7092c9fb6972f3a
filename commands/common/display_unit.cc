#include "commands/common/display_unit.h"

#include <cctype>
#include <fstream>
#include <string>
#include <string_view>

#include "commands/common/command.h"

namespace wm::cmd {
namespace {

constexpr std::string_view kVariable = "LSB_UNIT_FOR_JOBS_DISPLAY";

// The value of its line, without quotes.
std::string from_file() {
  std::ifstream file(conf_dir() + "/lsf.conf");
  std::string found;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(std::string(kVariable) + "=")) continue;
    found = line.substr(kVariable.size() + 1);
    std::erase_if(found, [](char c) { return c == '"' || c == '\'' || c == ' ' || c == '\r'; });
  }
  return found;
}

}  // namespace

view::SizeUnit display_unit() {
  auto name = environment(std::string(kVariable).c_str()).value_or("");
  if (name.empty()) name = from_file();
  for (auto& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  bool unit = !name.empty() && std::string_view("KMGTPE").find(name[0]) != std::string_view::npos;
  if (!unit || (name.size() > 1 && name.substr(1) != "B")) return {};
  return {name.substr(0, 1), false};
}

}  // namespace wm::cmd
