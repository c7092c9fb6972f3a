// Role: the body that lshosts and lsload share: hosts asked for, a table or -o/-json, names
// that the cluster does not have. The differences are one value.
#pragma once

#include <string>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::cmd {

/// What one of these commands shows.
struct HostListing {
  Listing listing;
  std::span<const view::Field<HostView>> fields;
  std::string (*table)(std::span<const HostView>, bool with_header);
  std::string (*gpu_table)(std::span<const HostView>, bool with_header);
  std::string (*long_table)(std::span<const HostView>, bool with_header) = nullptr;  ///< of -l
};

/// Options: -w -l -gpu -R -o -json -noheader. @cost O(1)
std::span<const Option> host_listing_options();
/// Asks the master and prints. @errors as parse_format; no answer from the master
Result<int> list_hosts(const HostListing& how, const Parsed& options);
/// The hosts named, or those of the groups named, or all; of them those for which -R holds. Names
/// that mean none, on stderr; `code` is the exit code that goes with them.
/// @errors as parse_resreq; no answer from the master   @cost O(names times hosts)
Result<HostsReply> hosts_asked(client::Master& from, const Parsed& options, int& code);

}  // namespace wm::cmd
