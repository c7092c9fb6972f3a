// Role: data of a project that another user shares, on this side: its owner's wuserd is asked to
// bring it (project_data.h), the execution waits for that user's job and reads what it brought.
//
//   labels of the execution: wm-data-job = the job of the project's owner
//                            wm-data-share = "ann~digits/<id>"
#pragma once

#include <string>

#include "daemons/wuserd/site/site.h"
#include "libwm/rest/exec_request.h"

namespace wm::user {

/// The label of an execution that says which data of which project it reads.
inline constexpr const char* kShareLabel = "wm-data-share";

/// Asks the owner of the project, "ann~digits", for what the request's dataSource names; sets where
/// it will be and the labels in the request. The job to wait for.
/// @errors what the owner's wuserd says; Unavailable: it does not run
Result<std::string> ask_for_data(Site& site, rest::ExecRequest& request,
                                 const std::string& project);
/// How far it is, as the owner's job wrote it: JSON; "": it wrote nothing, or the execution reads
/// no such data. @cost reads a file of another user's, a bounded one
std::string shared_progress(const Site& site, const JobView& exec);
/// State of the owner's job, "gone" where its owner does not say. @cost asks
std::string shared_job_state(Site& site, const JobView& exec);
/// The owner need not keep it for this execution any more. @errors as ask_for_data, but NotFound
Result<void> give_up_data(Site& site, const JobView& exec);

}  // namespace wm::user
