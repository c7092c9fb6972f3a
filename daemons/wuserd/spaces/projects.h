// Role: projects that users share, as spaces are (spaces.h): the owner's wuserd alone reads and
// writes the owner's files, the kernel tells it who asks, and the project's members say what a
// guest may.
//
//   viewer  sees definitions, experiments, models and which runs there are
//   editor  adds and changes definitions, experiments and data assets, and runs them: as the
//           editor, in the plan of the project, with the code that the wuserd of its owner sends
//           and the data that it has fetched (data/project_data.h); saves models of runs of its own
//   admin   changes the members
//
// To bob ann's project `digits` is `ann~digits`, at the same addresses as bob's own.
#pragma once

#include <string_view>

#include "daemons/wuserd/site/guest.h"
#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Is the project in this request's address another user's? @cost O(length)
bool is_of_others(const Site& site, const rest::Target& target);
/// Answers such a request: by what its owner's wuserd says, or by starting a run of one's own.
/// `pattern`: of the row that it would be here. @errors Denied; as SpaceOwner::find, ask
Result<Answer> ask_for_project(Call& call, std::string_view pattern);

/// Answers a guest who asks for a project of this user's. @errors NotFound, Denied: as rest::may;
/// as the row that it is for the owner
Result<Answer> project_to_guest(Call& call, const Guest& guest);
/// Is that asked for at the guests' socket? @cost O(1)
bool is_about_projects(const rest::Target& target);

}  // namespace wm::user
