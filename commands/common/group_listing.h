// Role: the body that bugroup and bmgroup share: groups asked for, a table or -o/-json, names that
// are no groups.
#pragma once

#include <string_view>
#include <vector>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/view/group_tables.h"

namespace wm::cmd {

/// What one of these commands shows.
struct GroupListing {
  Listing listing;
  std::span<const view::Field<view::GroupRow>> fields;
  std::vector<view::GroupRow> (*groups)(const Config& config);
  std::string_view members;  ///< heading: "USERS"
  std::string_view none;     ///< "No user group found"
};

/// Options: -r -w -l -o -json -noheader. @cost O(1)
std::span<const Option> group_listing_options();
/// Asks the master and prints. @errors as parse_format; as Master::conf
Result<int> list_groups(const GroupListing& how, const Parsed& options);

/// What the master has of the configuration. @errors as Master::conf
Result<Config> whole_conf();

}  // namespace wm::cmd
