// Index of the lines first, then Program_options over what will parse, then the answers
// back to their lines.
#include "libwm/conf/ini.h"

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <map>
#include <sstream>

namespace wm::conf {
namespace {

namespace po = boost::program_options;

// What Program_options will make of each line, so that its answers can be given places.
struct Index {
  std::vector<Section> sections;                // headings, in order; entries still empty
  std::vector<std::pair<std::size_t, int>> at;  // per entry: section, line
  std::string text;                             // without the lines that would not parse
};

std::string trimmed(std::string_view line) {
  line = line.substr(0, line.find('#'));
  auto first = line.find_first_not_of(" \t\r\v\f");
  if (first == std::string_view::npos) return "";
  return std::string(line.substr(first, line.find_last_not_of(" \t\r\v\f") - first + 1));
}

void index_heading(const Place& at, const std::string& line, Index& index, Problems& problems) {
  auto name = trimmed(std::string_view(line).substr(1, line.size() - 2));
  if (name.empty() || name.back() == '.') {
    problems.add(at, "'" + line + "' is no section name");
    name = "?" + std::to_string(at.line);
  }
  index.text += "[" + name + "]\n";
  index.sections.push_back({name, at.line, {}});
}

void index_line(const Place& at, const std::string& line, Index& index, Problems& problems) {
  if (line.empty()) return;
  auto equals = line.find('=');
  if (line.size() > 1 && line.front() == '[' && line.back() == ']') {
    index_heading(at, line, index, problems);
  } else if (equals == std::string::npos || equals == 0) {
    problems.add(at, "'" + line + "' is neither [section] nor key = value");
  } else {
    index.at.emplace_back(index.sections.size() - 1, at.line);
    index.text += line + "\n";
  }
}

Index index_lines(const std::string& file, std::string_view text, Problems& problems) {
  Index index;
  index.sections.push_back({});
  std::istringstream in{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number)
    index_line({file, number}, trimmed(line), index, problems);
  return index;
}

// The key of "section.key"; section names may hold dots.
std::string key_of(const std::string& name, const Section& section) {
  return section.name.empty() ? name : name.substr(section.name.size() + 1);
}

void drop_duplicate_keys(const std::string& file, Section& section, Problems& problems) {
  std::map<std::string, int> seen;
  std::vector<Entry> kept;
  for (auto& entry : section.entries) {
    auto [first, fresh] = seen.emplace(entry.key, entry.line);
    if (fresh) kept.push_back(std::move(entry));
    else
      problems.add({file, entry.line}, "key '" + first->first + "' is given twice (first on line " +
                                           std::to_string(first->second) + ")");
  }
  section.entries = std::move(kept);
}

std::vector<Section> drop_duplicates(const std::string& file, std::vector<Section> sections,
                                     Problems& problems) {
  std::map<std::string, int> seen;
  std::vector<Section> kept;
  for (auto& section : sections) {
    drop_duplicate_keys(file, section, problems);
    auto [first, fresh] = seen.emplace(section.name, section.line);
    if (fresh) kept.push_back(std::move(section));
    else
      problems.add({file, section.line}, "section [" + first->first +
                                             "] is given twice (first on line " +
                                             std::to_string(first->second) + ")");
  }
  return kept;
}

}  // namespace

Ini read_ini(const std::string& file, std::string_view text, Problems& problems) {
  Index index = index_lines(file, text, problems);
  std::istringstream in(index.text);
  try {
    auto parsed = po::parse_config_file(in, po::options_description(), true);
    WM_CHECK(parsed.options.size() == index.at.size());
    for (std::size_t i = 0; i < parsed.options.size(); ++i) {
      const auto& option = parsed.options[i];
      auto& section = index.sections[index.at[i].first];
      section.entries.push_back(
          {key_of(option.string_key, section), option.value.at(0), index.at[i].second});
    }
  } catch (const po::error& e) {
    problems.add({file, 0}, e.what());
  }
  return {file, drop_duplicates(file, std::move(index.sections), problems)};
}

}  // namespace wm::conf
