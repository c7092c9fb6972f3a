// Role: bytes made smaller for the way, where a whole state has to fit into one frame.
// The packed form is the length, 8 bytes, least first, then a zlib stream (RFC 1950).
//
// Invariant: unpacking takes no more memory than its caller allows, whatever the bytes say.
// Callers: wmasterd (verbs/lists.cc), client (Master::state).
#pragma once

#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::codec {

/// @cost one pass at zlib's fastest level, some 100 MB a second; encoded states become an eighth
/// and less.
/// @thread any
std::string packed(std::string_view bytes);

/// What was packed. @errors Damaged: not what `packed` makes, or cut off; Limit: more than `most`.
/// @thread any
Result<std::string> unpacked(std::string_view bytes, Bytes most);

}  // namespace wm::codec
