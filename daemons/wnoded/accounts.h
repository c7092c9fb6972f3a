// Role: may this host act as the submitter? Checks the signature over the specification and the
// request key, that what the master resolved is what was signed, and looks up the account.
// Blocks (munged, name services): called from a worker thread.
#pragma once

#include "libwm/base/result.h"
#include "libwm/launch/launcher.h"
#include "libwm/model/node/node.h"
#include "libwm/wire/credentials.h"

namespace wm::node {

/// The account to run as.
/// @errors Denied: not signed by its owner, or not as signed (check_as_signed), or the owner has
///         another name here; NotFound: no such uid;
///         Unavailable: munged
/// @thread any, blocks
Result<launch::Account> authorise(const HostOrder& order, wire::Credentials& credentials);

}  // namespace wm::node
