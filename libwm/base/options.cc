#include "libwm/base/options.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "libwm/base/nearest.h"

namespace wm {
namespace {

Error unknown(std::string_view word, std::span<const OptionRow> rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  auto near = nearest(word, names);
  return fail(Code::BadArgument,
              "unknown option '" + std::string(word) + "'" +
                  (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
}

}  // namespace

Result<void> read_options(int argc, char** argv, std::span<const OptionRow> rows) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    auto equals = word.find('=');
    auto name = word.substr(0, equals);
    auto row = std::ranges::find(rows, name, &OptionRow::name);
    if (row == rows.end()) return unknown(name, rows);
    std::optional<std::string_view> value;
    if (equals != word.npos) value = word.substr(equals + 1);
    if (auto* const* flag = std::get_if<bool*>(&row->into)) {
      if (value) return fail(Code::BadArgument, std::string(name) + " takes no value");
      **flag = true;
      continue;
    }
    if (!value && i + 1 < argc) value = argv[++i];
    if (!value) return fail(Code::BadArgument, std::string(name) + " needs a value");
    if (auto* const* list = std::get_if<std::vector<std::string>*>(&row->into))
      (*list)->emplace_back(*value);
    else *std::get<std::string*>(row->into) = *value;
  }
  return {};
}

}  // namespace wm
