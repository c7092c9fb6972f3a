// Role: the body that lshosts and lsload share: hosts asked for, a table or -o/-json, names
// that the cluster does not have. The differences are one value.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/view/load_fields.h"

namespace wm::cmd {

/// A table of hosts without -o.
struct HostTable {
  std::string_view option;  ///< that asks for it; empty: the usual one
  std::string (*of)(std::span<const view::ShownHost>, bool with_header);
};

/// What one of these commands shows.
struct HostListing {
  Listing listing;
  std::span<const view::Field<view::ShownHost>> fields;
  std::vector<HostTable> tables;  ///< the first of which the option is given
  /// Names behind the fields; none of them in "all". Their values are view::extra_load's.
  std::vector<std::string> (*more_names)(std::span<const view::ShownHost>) = nullptr;
  bool whole_sizes = false;  ///< megabytes of -o without a decimal
};

/// Prints hosts as the options want them. `config`: their sections, for resources of the site.
/// @errors as parse_format   @cost O(cells)
Result<void> print_hosts(const HostListing& how, const Parsed& options,
                         std::span<const HostView> hosts, const Config& config);
/// Asks the master and prints, after `changed` has had the hosts. @errors as parse_format; no
/// answer from the master
Result<int> list_hosts(const HostListing& how, const Parsed& options,
                       void (*changed)(std::vector<HostView>&) = nullptr);
/// -s: numbers and texts that hosts.conf gives hosts, a line for each value; `value` is the heading
/// of its column. Words name resources. @errors no answer from the master
Result<int> list_host_resources(const Parsed& options, std::string_view command);
/// The hosts named, or those of the groups named, or all; of them those for which -R holds. Names
/// that mean none, on stderr; `code` is the exit code that goes with them.
/// @errors as parse_resreq; no answer from the master   @cost O(names times hosts)
Result<HostsReply> hosts_asked(client::Master& from, const Parsed& options, int& code);

}  // namespace wm::cmd
