// Role: data assets of the user's projects on disk, in versions (files/editions.h) that are called
// v1, v2, …: the present one is what the name means. Files that were uploaded lie in the version
// that brought them; one that only says something else of them leads there.
//
//   <results>/<user>/projects/<project>/data/<name>/v1/{manifest.json,files/…}, v2/manifest.json
//   …/v1.json, v1-…/<file>     the form of before, which becomes the other at the first look
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/files/editions.h"
#include "daemons/wuserd/files/upload.h"
#include "daemons/wuserd/site/site.h"
#include "libwm/rest/assets.h"
#include "libwm/rest/exec_request.h"

namespace wm::user {

/// The newest versions of all of a project, by name. @errors NotFound: no such project
Result<std::vector<rest::DataAsset>> data_assets(const Site& site, const std::string& project);
/// One; version 0: the present one. @errors NotFound
Result<rest::DataAsset> data_asset(const Site& site, const std::string& project,
                                   const std::string& name, std::int64_t version = 0);

/// A file of an upload.
struct AssetFile {
  std::string path;
  std::int64_t size = 0;  ///< @units bytes
};
/// Files of an upload, by path, the first `most`; of a connection none. @cost O(files)
std::vector<AssetFile> files_of(const Site& site, const std::string& project,
                                const rest::DataAsset& asset, std::size_t most);

/// What is to be kept: what it says, and files. Archives among them are unpacked if `unpacked`.
struct NewData {
  rest::DataAsset asset;
  Upload upload;
  bool unpacked = false;
  bool by_guest = false;  ///< a member of the project: it has those connections, archives no links
  Keeping keeping = {};
};
/// Keeps a new name. @errors as Editions::add; Conflict: there is one of that name; NotFound: no
/// such project or connection; Denied: not for members; BadArgument: neither files nor a
/// connection, or both; System
Result<rest::DataAsset> make_data_asset(const Site& site, const std::string& project, NewData data);
/// Keeps the next version of a name. Without files and connection those of the version before stay,
/// and what is said of it is new. @errors as make_data_asset; NotFound: no such name; Stale
Result<rest::DataAsset> change_data_asset(const Site& site, const std::string& project,
                                          NewData data);
/// All versions of one, the present one first. @errors NotFound
Result<std::vector<rest::DataAsset>> data_versions(const Site& site, const std::string& project,
                                                   const std::string& name);
/// The version before is the present one. As it is then. @errors NotFound; Stale; System
Result<rest::DataAsset> take_data_back(const Site& site, const std::string& project,
                                       const std::string& name, const std::string& match);
/// Removes all versions. @errors NotFound; Conflict: an experiment names it, or an execution that
/// has not ended reads it, by name; System
Result<void> remove_data_asset(Site& site, const std::string& project, const std::string& name);

/// Of the data assets that lead to this connection the first, "project/name"; empty: none.
/// @cost reads all manifests
std::string user_of_connection(const Site& site, const std::string& connection);
/// The first project that has this connection for its members; empty: none. @cost as above
std::string project_with_connection(const Site& site, const std::string& connection);

/// Puts in place of the data assets that the request names what they are now.
/// @errors NotFound; BadArgument: as rest::asset_named
Result<void> resolve_assets(const Site& site, rest::ExecRequest& request);

}  // namespace wm::user
