// Role: executions that were refused: each leaves a record in state ERROR with its reason. The
// owner finds it among the executions. The master has never heard of them.
//
//   <results>/<user>/refused/<n>.json     exec id <cluster>-r<n>; the oldest go beyond 200
#pragma once

#include <string>
#include <vector>

#include "libwm/rest/exec_request.h"

namespace wm::user {

/// Those of one user, who alone can write the folder. @thread any
class Refused {
 public:
  Refused(std::string folder, std::string cluster)
      : folder_(std::move(folder)), cluster_(std::move(cluster)) {}

  /// Keeps one more; its id. @units now: seconds since the epoch @errors System
  Result<std::string> add(const rest::ExecRequest& request, const std::string& user,
                          const std::string& why, std::int64_t now);
  /// JSON of the execution, as rest::exec_json with "error". @errors NotFound
  Result<std::string> find(const std::string& id) const;
  /// Its reason, for who asks for its log. @errors NotFound
  Result<std::string> reason(const std::string& id) const;
  /// All, the newest first. @cost a file each
  std::vector<std::string> all() const;
  /// @errors NotFound
  Result<void> remove(const std::string& id);
  void remove_all();
  /// Is the id of this kind? @cost O(length)
  bool is_one(const std::string& id) const;

 private:
  std::vector<std::uint64_t> numbers() const;
  std::string path_of(std::uint64_t number) const;
  Result<std::uint64_t> number_of(const std::string& id) const;

  std::string folder_, cluster_;
};

}  // namespace wm::user
