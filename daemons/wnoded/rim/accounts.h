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
/// @errors Denied: not signed by its owner, or not as signed (check_as_signed), or another
/// account's
///         on a host that is one account's; Conflict: the owner has another name here; NotFound: no
///         such uid here; Unavailable: munged, or the name service
/// @thread any, blocks
Result<launch::Account> authorise(const HostOrder& order, wire::Credentials& credentials);

/// Whether jobs could be authorised here: a credential of our own is made and read. The account
/// that a job of the host's own runs as: nobody, or ours where we are not root.
/// @errors Unavailable: munged, or the name service; NotFound: there is no account nobody
/// @thread any, blocks
Result<launch::Account> prove_host(wire::Credentials& credentials);

}  // namespace wm::node
