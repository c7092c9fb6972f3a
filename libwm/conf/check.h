// Role: what no single key can say: names that must exist elsewhere, pairs that must agree.
// Called by parse() on the whole Config, with its lists sorted; adds to what the reading
// of single keys has already found wrong.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "libwm/conf/ini.h"
#include "libwm/model/config/config.h"

namespace wm::conf {

/// Where each key was given, to place a problem that shows only later.
class Lines {
 public:
  /// Remembers the lines of one file. @cost O(entries)
  void add(const Ini& ini);

  /// The key's line; else its section's; else the file. @cost O(log keys)
  Place at(const std::string& file, const std::string& section, const std::string& key) const;

 private:
  std::map<std::pair<std::string, std::string>, Place> sections_;  // file, section
  std::map<std::pair<std::string, std::string>, std::map<std::string, Place>> keys_;
};

/// Adds a problem for every reference to something that does not exist and every pair of
/// values that contradict each other. @cost O(config · log config)
void check(const Config& config, const Lines& lines, Problems& problems);

}  // namespace wm::conf
