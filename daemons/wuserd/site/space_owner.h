// Role: the wuserd of another user, which shares spaces or projects, as this user's asks it: at a
// socket where the kernel names who asks (spaces/spaces.h).
#pragma once

#include <string>
#include <string_view>

#include "daemons/wuserd/site/site.h"
#include "libwm/http/client.h"

namespace wm::user {

/// Client of another user's wuserd, which is started if it does not run (wlogind). That user
/// controls the process, so waits (`patience`) and answer sizes are bounded.
class SpaceOwner {
 public:
  /// @errors NotFound: no such account; Unavailable: it does not run, and is not started for us
  static Result<SpaceOwner> find(const Site& site, const std::string& user, Duration patience);

  /// An answer of 200 or 204. @errors what the owner's says, by its code; Unavailable, Timeout
  Result<std::string> ask(std::string_view method, const std::string& target,
                          std::string body = {});
  /// The same with the file at `path` for a body. @errors as ask
  Result<std::string> give(std::string_view method, const std::string& target,
                           const std::string& path);
  /// An answer below 300, whole, to a request with these fields and the file at `path` for a body.
  /// @errors as ask
  Result<http::Reply> pass(std::string_view method, const std::string& target,
                           const http::Fields& fields, const std::string& path);
  /// The answer becomes the file `into`. @errors as ask
  Result<void> fetch(const std::string& target, const std::string& into);

 private:
  SpaceOwner(std::string user, http::Client client)
      : user_(std::move(user)), client_(std::move(client)) {}
  std::string user_;
  http::Client client_;
};

}  // namespace wm::user
