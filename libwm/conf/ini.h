// Role: splits a configuration file into sections and entries with their lines.
//
//   # comment to the end of the line, also after a value
//   [section]            may hold brackets: [gpu[01-16]]
//   key = value          the value goes to the end of the line, blanks around it dropped
//
// Boost.Program_options does the reading; it gives neither line numbers nor sections
// without keys, so a thin index of the lines is kept beside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/conf/problems.h"

namespace wm::conf {

/// One `key = value`.
struct Entry {
  std::string key;
  std::string value;
  int line = 0;
};

/// A `[name]` and what stands under it; the entries before the first heading form a
/// section without a name.
struct Section {
  std::string name;
  int line = 0;
  std::vector<Entry> entries;
  std::string file = {};  ///< of a part; empty: the Ini's
};

/// A file taken apart.
struct Ini {
  std::string file;
  std::vector<Section> sections;

  /// A line of one of its sections. @cost O(1)
  Place place(const Section& section, int line) const {
    return {section.file.empty() ? file : section.file, line};
  }
};

/// Takes `text` apart. Lines that are neither heading, entry nor comment, keys given twice
/// in a section and sections given twice are added to `problems` and left out.
/// @cost O(bytes)   @thread any
Ini read_ini(const std::string& file, std::string_view text, Problems& problems);

}  // namespace wm::conf
