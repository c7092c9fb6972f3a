// Role: data of a project, for the members whom its owner shares it with: brought by a job that the
// owner's wuserd signs, in the plan of the project, so that a connection's secrets stay its
// owner's. Members name data assets of the project, and those connections that it has for them.
//
//   <results>/.projects/<owner>/<project>/          its owner's; editors and admins may read
//        cache/…                                    what was fetched, equal sources once
//        <id>, <id>.progress                        leads to what a member wants; how far it is
//   <results>/<owner>/data/<id>.share, <id>.log     for whom that is; what the job said
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/rest/assets.h"

namespace wm::user {

/// Begins to bring what these items of a dataSource name. {"id", "job"}.
/// @errors BadArgument: as rest::items_of_owner, data_wish; NotFound: no such data asset; Denied: a
/// connection that the project does not have for its members; Limit: this guest has too many under
/// way; System: the folder cannot be made or shared; as submit
Result<std::string> fetch_for_member(Site& site, const rest::Project& project,
                                     const std::vector<std::string>& items,
                                     const std::string& guest);
/// {"id", "job", "state"}. @errors NotFound: also for another guest's
Result<std::string> member_fetch_json(Site& site, const rest::Project& project,
                                      const std::string& id, const std::string& guest);
/// Ends its job, if it has not ended, and takes the way to its data away. @errors NotFound: also
/// for another guest's; as Master::kill
Result<void> end_member_fetch(Site& site, const rest::Project& project, const std::string& id,
                              const std::string& guest);
/// Who may read what was fetched are those who are editors and admins now. @errors System
Result<void> let_members_read(const Site& site, const rest::Project& project);

/// What a fetch's job runs: wmfetch with these words before the sources.
struct FetchJob {
  std::string name, plan, log, words, sources;
};
/// Submits one, of CPUs only. @errors as submit; System
Result<JobId> submit_fetch(Site& site, const FetchJob& fetch);
/// Ends it if it has not ended; one that is gone has. @errors as Master::kill
Result<void> end_fetch(Site& site, const std::string& job, const std::string& why);

}  // namespace wm::user
