// Role: data that an execution wants from elsewhere: dataSource items that name a connection or a
// data asset of a project, and the connections themselves, as forms and files have them. Pure. What
// fetches is wmfetch(1).
//
//   {"type":"connection_asset","connection":{"name":"store"},"location":{"bucket":"b","path":"p"}}
//   {"type":"data_asset","asset":{"project":"p","name":"digits"},"staging":"local"}
//     ─► what the asset is, with its version: … "connection": …, or "folder": its files
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/rest/assets.h"

namespace wm::rest {

/// Where data is brought to before the tasks begin.
enum class Staging : unsigned char {
  Shared,  ///< once, by a job of its own, that the execution waits for
  Local,   ///< by each worker for itself
  Volume,  ///< as Shared, and kept on a storage volume
};

/// What is to be fetched. Sources that are folders here already are none.
struct DataWish {
  /// Of wmfetch: {"connection","path"|"query","name"}, {"folder"} of files that were uploaded
  std::vector<std::string> sources;
  Staging staging = Staging::Shared;
  std::string volume;  ///< of Staging::Volume: the volume's name
  bool operator==(const DataWish&) const = default;
};
/// A data asset that an item names. Version 0: the newest.
struct AssetNamed {
  std::string project = "default", name;
  std::int64_t version = 0;
  bool operator==(const AssetNamed&) const = default;
};
/// Of a dataSource item, one JSON object; none: it is something else. @errors BadArgument: by field
Result<std::optional<AssetNamed>> asset_named(std::string_view item);
/// The item with what the asset is in place of its name. `folder`: of an upload's files.
/// @cost O(length)
std::string resolved_item(std::string_view item, const AssetNamed& named, const DataAsset& asset,
                          const std::string& folder);

/// The shared project, "ann~digits", that the items' data is of, as `asset.project` or
/// `connection.project`; empty: all is one's own. @errors BadArgument: of two, or something else
/// beside it; with a staging that is not shared
Result<std::string> shared_project_of(const std::vector<std::string>& items);
/// What a member names of a project, as its owner would: nothing else than data assets of that
/// project and connections. @errors BadArgument: it is something else
Result<std::vector<std::string>> items_of_owner(const std::vector<std::string>& items,
                                                const std::string& project);
/// The connections that the sources of a wish name. @cost O(sources)
std::vector<std::string> connections_in(const DataWish& wish);

/// Does a connection of this type take queries, rather than paths? @cost O(types)
bool asks_by_query(std::string_view type);

/// The folder, where uploaded files are all that is wanted and they may stay where they are; empty:
/// something has to be brought. @cost O(1)
std::string folder_of(const DataWish& wish);

/// From dataSource items, each one JSON object. One local item makes all of them local; all that
/// name a storage volume name the same. @errors BadArgument: by field
Result<DataWish> data_wish(const std::vector<std::string>& items);

/// A connection: its type, and the rest of its keys, secrets among them.
struct Connection {
  std::string name, type;
  std::map<std::string, std::string> keys;
  bool operator==(const Connection&) const = default;
};
/// From JSON that a client sent: {"name","type", and texts}. @errors BadArgument: by field; a key
/// that its type does not have
Result<Connection> parse_connection(std::string_view json);
/// What wmfetch --test left in its progress. @errors Unavailable: the server's own words; empty: it
/// has said nothing of itself
Result<void> test_outcome(std::string_view progress);
/// The sections of connections.conf; lines that are none are passed over. @cost O(length)
std::vector<Connection> parse_connections(std::string_view text);
std::string to_text(const std::vector<Connection>& connections);
/// Without anything secret: secrets are "***". @cost O(keys)
std::string shown_json(const Connection& connection);

}  // namespace wm::rest
