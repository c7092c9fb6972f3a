// Role: spaces that users share. The owner's wuserd alone reads and writes the owner's files;
// another member's wuserd asks it at a socket of its own, where the kernel names the account that
// asks (SO_PEERCRED): nobody has to be believed, and no token changes hands.
//
//   bob ─► nginx ─► wuserd of bob ──FOLDER/UID.guests.sock──► wuserd of ann ─► her files
//   <results>/bob/spaces/.owners     "ann" a line: who may share something; her answer counts
//
// What is deployed runs as the one who deploys it. In a private cluster there is nobody to share
// with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemons/wuserd/assets/assets.h"
#include "daemons/wuserd/site/site.h"
#include "daemons/wuserd/site/space_owner.h"

namespace wm::user {

/// A space as JSON: its fields, what the caller is to it, its models, what its owner has deployed
/// of it; or, brief, how many. @errors as Master::jobs
Result<std::string> space_text(Site& site, const rest::Space& space, rest::SpaceRole role,
                               bool brief);
/// What this user has deployed of a space, as it is named here: a JSON list. @errors as
/// Master::jobs
Result<std::string> deployments_text(Site& site, const std::string& space);

/// What to ask of a model that is in the space already.
inline constexpr const char* kPromote = "/api/v1/projects/PROJECT/models/MODEL/promote";

/// What each of these owners shares, as its wuserd says at `target`: JSON. They are asked at once,
/// so that those who are stopped cost one wait together. @errors of each: as SpaceOwner::find, ask;
/// Timeout
/// @cost twice `patience` at most
std::vector<Result<std::string>> lists_of(const Site& site, const std::vector<std::string>& owners,
                                          const std::string& target, Duration patience);
/// Whom this user was told of, or has asked. @cost a file
std::vector<std::string> known_owners(const Site& site);
/// From now on, or no more, is that user one of them. @cost a file, written where it changes
void know_owner(const Site& site, const std::string& user, bool known);
/// Shares a space with those of `body` and nobody else; who is logged on is told. The space as it
/// is then. @errors NotFound; as rest::parse_members; BadArgument: no such account or group
Result<rest::Space> share_space(Site& site, const std::string& name, const std::string& body);
/// The same of a project. @errors as share_space
Result<rest::Project> share_project(Site& site, const std::string& name, const std::string& body);

/// The model that a guest sends as a zip of its manifest and package/; the latter is unpacked to
/// `folder`/package. `name`: that it has by the address, or none. @errors BadArgument; Limit;
/// System
Result<rest::SavedModel> model_from_guest(Call& call, const std::string& folder,
                                          const std::string& name);

/// Writes down whom anything is shared with: wlogind starts this wuserd for these, and for nobody
/// else. @errors System   @cost reads all spaces and projects
Result<void> note_shares(const Site& site);

/// Answers a request that came to the guests' socket. @thread any
void answer_guest(Site& site, http::Exchange& exchange);

}  // namespace wm::user
