#include "daemons/wuserd/cluster/config_files.h"

#include <algorithm>
#include <sstream>

namespace wm::user {
namespace {

constexpr std::string_view kAtStart = "wm.conf";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

Result<void> check_editable(const std::string& file) {
  auto names = conf::file_names();
  if (file != kAtStart && std::ranges::find(names, file) != names.end()) return {};
  return fail(Code::NotFound, file.substr(0, 64) + ": no file that a page edits");
}

Result<conf::Texts> config_texts(const std::string& dir, const std::string& file,
                                 const std::optional<std::string>& text) {
  WM_TRY(conf::check_directory(dir));
  conf::Texts texts;
  for (auto name : conf::file_names()) {
    std::string one(name);
    if (!text || one != file) {
      WM_TRY(conf::read_file(dir, one, texts));
      continue;
    }
    texts[one] = *text;
    WM_TRY(conf::read_parts(dir, one, texts));
  }
  return texts;
}

Judged judged(const conf::Texts& texts, const std::string& own_host) {
  auto config = conf::parse(texts, own_host);
  if (config) return {std::move(*config), {}};
  return {std::nullopt, lines_of(config.error().text)};
}

std::vector<std::string> parts_of(const conf::Texts& texts, const std::string& file) {
  std::vector<std::string> parts;
  auto prefix = conf::part_key(file, "");
  for (auto at = texts.lower_bound(prefix); at != texts.end() && at->first.starts_with(prefix);
       ++at)
    parts.push_back(at->first.substr(prefix.size()));
  return parts;
}

}  // namespace wm::user
