// Role: a table of fields as -json of a b-command prints it, for tests of the tables.
#pragma once

#include <string>
#include <string_view>

#include "libwm/view/format.h"

namespace wm::view {

/// What a listing is called in JSON, and the fields that it has.
struct Listing {
  std::string_view command, count_key, fields;
};

template <class T>
std::string json_of(const Listing& how, std::span<const Field<T>> table,
                    std::span<const T> objects) {
  auto names = names_of(table);
  auto format = parse_format(how.fields, names).value();
  auto headings = headings_of(format, names);
  return json_text(how.command, how.count_key,
                   records_of(headings, cells_of(format, table, objects)));
}

}  // namespace wm::view
