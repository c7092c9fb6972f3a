// Role: connections of the user: where data comes from, with the secrets for it. wmfetch(1) reads
// the present ones from one file, which a user may write, too; each is kept in versions beside it.
//
//   ~/.config/wm/connections.conf                          0600, the present ones
//   ~/.config/wm/connections/<name>/<version>/keys.conf     0600
//
// Invariant: connections.conf holds. What was written to it by hand becomes a version before
// another follows it. No secret leaves this: what is shown has "***" for each.
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/files/editions.h"
#include "daemons/wuserd/site/site.h"
#include "libwm/rest/data_sources.h"

namespace wm::user {

/// Connections of the user's own. @thread any
Result<std::vector<rest::Connection>> own_connections(const Site& site);
/// The file of them. @cost O(1)
std::string connections_file(const Site& site);

/// As it is shown: without secrets, with its version ("edited": written by hand since).
struct ShownConnection {
  std::string json, version;
};
/// All. @errors System
Result<std::vector<ShownConnection>> shown_connections(const Site& site);
/// One; of an empty version the present one. @errors NotFound; Damaged
Result<ShownConnection> shown_connection(const Site& site, const std::string& name,
                                         const std::string& version = "");
/// All versions of one: {"versions": [{…, "state"}]}. @errors NotFound; Damaged
Result<std::string> connection_versions(const Site& site, const std::string& name);

/// Keeps one. A secret of "***" stays what it was. @errors as parse_connection, Editions::add
Result<ShownConnection> keep_connection(const Site& site, const std::string& json,
                                        const Keeping& keeping);
/// The version before is the present one. @errors NotFound; Stale; System
Result<ShownConnection> take_connection_back(const Site& site, const std::string& name,
                                             const std::string& match);
/// Takes it away with all versions. @errors NotFound; System
Result<void> remove_connection(const Site& site, const std::string& name);
/// Takes one version away. @errors NotFound; Conflict: it is the present one; System
Result<void> remove_connection_version(const Site& site, const std::string& name,
                                       const std::string& version);

}  // namespace wm::user
