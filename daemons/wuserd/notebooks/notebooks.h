// Role: notebooks, and whatever else jobs of type notebook serve to browsers: starting them, how
// they stand, and carrying a browser's connection to one.
//
//   wm-notebook, in the job ──RESULT_DIR/web.json──► how it stands, where it listens
//   POST …/extend ──RESULT_DIR/web.extend──► wm-notebook        POST …/share ──►
//   RESULT_DIR/web.share
//
// Invariant: the job's own folder and the master are all there is; nothing is kept here but for
// speed.
#pragma once

#include <string>

#include "daemons/wuserd/jobs/find.h"

namespace wm::user {

/// What a notebook's own process says of it, in web.json of its results.
struct WebReport {
  std::string address;     ///< a socket's path or "127.0.0.1:4711" on its host; empty: not yet
  std::string base;        ///< what stands before the application's own addresses: "/12/"
  bool strip = false;      ///< the application does not know of `base`
  std::string token_file;  ///< where a token for the user's own use is wanted
  std::string text;        ///< all of it, JSON
};

/// @errors NotFound: it has said nothing yet; Damaged: no JSON
Result<WebReport> web_report(const std::string& result_dir);

/// Is it shared with `user`? As web.share of its results says, which its owner alone can write.
bool is_shared_with(const std::string& result_dir, const std::string& user);

/// Carries the request, and what follows on its connection, to the application of this job of the
/// user's, until the token or the share is good no more; or answers why that cannot be. `guest`:
/// who asks, if not the user. What is not shared with the guest is answered as not there.
void visit(Site& site, http::Exchange& exchange, const std::string& job, const std::string& guest);

/// A file for a token below the user's results, for jobs that use the door in the user's name; the
/// token is in it when this returns. @errors System
Result<std::string> keep_token(const Site& site, std::string_view token);
/// Puts the token into a file that keep_token made, or a job named. @errors Denied: it is elsewhere
Result<void> renew_token(const Site& site, const std::string& path, std::string_view token);

}  // namespace wm::user
