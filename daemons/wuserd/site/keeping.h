// Role: how a request wants a version kept: its If-Match, its Idempotency-Key, whom it serves.
#pragma once

#include <string>

#include "daemons/wuserd/files/editions.h"
#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// POST keeps the first version of a name, PUT the next. `address`: of the name, which a refusal
/// tells. @errors BadArgument: an Idempotency-Key of more than 200 bytes
Result<Keeping> keeping_of(const Call& call, const std::string& address);

/// The Idempotency-Key of a request; empty: none. @errors BadArgument: longer than 200 bytes
Result<std::string> key_of(const Call& call);

/// JSON with the name that its address has: added where there is none. @errors BadArgument: no
/// object, another name
Result<std::string> with_name(const std::string& json, const std::string& name);

}  // namespace wm::user
