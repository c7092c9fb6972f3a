// Role: the body that lshosts and lsload share: hosts asked for, a table or -o/-json, names
// that the cluster does not have. The differences are one value.
#pragma once

#include <string>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/model/verbs.h"

namespace wm::cmd {

/// What one of these commands shows.
struct HostListing {
  Listing listing;
  std::span<const view::Field<HostView>> fields;
  std::string (*table)(std::span<const HostView>, bool with_header);
  std::string (*gpu_table)(std::span<const HostView>, bool with_header);
  std::string (*long_table)(std::span<const HostView>, bool with_header) = nullptr;  ///< of -l
};

/// Options: -w -l -gpu -o -json -noheader. @cost O(1)
std::span<const Option> host_listing_options();
/// Asks the master and prints. @errors as parse_format; no answer from the master
Result<int> list_hosts(const HostListing& how, const Parsed& options);
/// Names without a host, on stderr; the exit code that goes with it. @cost O(names times hosts)
int complain_of_hosts(const Parsed& options, std::span<const HostView> hosts);

}  // namespace wm::cmd
