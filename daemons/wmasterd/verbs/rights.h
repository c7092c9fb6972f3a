// Role: who may do what: the roles a caller has towards an object, and the roles that a verb asks
// for. Pure: the one place that decides it; table.h says which verb asks for which.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "libwm/model/cluster.h"

namespace wm::master {

/// Who counts as an administrator besides the configured names.
struct Rights {
  std::set<std::uint32_t> admin_uids;  ///< root and the master's own account
};

/// What a caller is to a job, or to a queue, which nobody owns.
struct Roles {
  bool owner = false, queue_admin = false, admin = false;
};

/// Not as its owner.
constexpr bool is_admin_of(Roles roles) { return roles.queue_admin || roles.admin; }

/// Whom a verb serves.
enum class May : std::uint8_t {
  Anyone,        ///< what the caller sees of others' jobs is privacy.h's
  Owner,         ///< nobody else, not even an administrator: who does it acts as the owner
  OwnerOrAdmin,  ///< and administrators of the job's queue
  QueueAdmin,    ///< of each queue that is meant, and administrators
  Admin,
};

/// @cost O(1)
constexpr bool allows(May may, Roles roles) {
  switch (may) {
    case May::Anyone: return true;
    case May::Owner: return roles.owner;
    case May::OwnerOrAdmin: return roles.owner || roles.queue_admin || roles.admin;
    case May::QueueAdmin: return roles.queue_admin || roles.admin;
    case May::Admin: return roles.admin;
  }
  return false;
}

/// Towards a queue; "" or one that is not configured has no administrators of its own.
/// @cost O(administrators)
Roles roles_in_queue(const Config& config, const Rights& rights, const Identity& who,
                     const std::string& queue);
/// Towards a job. @cost O(administrators)
Roles roles_in_job(const Config& config, const Rights& rights, const Identity& who,
                   const JobSpec& job);

}  // namespace wm::master
