// Role: frameworks.conf, volumes.conf, hwspecs.conf: what the web door offers, a section each. The
// site's are in its configuration directory; a user's own frameworks.conf is in ~/.config/wm. Read
// by wuserd alone, anew for each question; the master does not know them.
//
//   [NAME]            frameworks: `like = OTHER` begins from one that is built in or stands before
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libwm/conf/keys.h"
#include "libwm/model/config/catalog.h"

namespace wm::conf {

/// Keys of a section. @cost O(1)
std::span<const Key<Framework>> framework_keys();
std::span<const Key<Volume>> volume_keys();
std::span<const Key<HardwareSpec>> hardware_keys();

/// Adds what the text says to `known`; a section named as one of them takes its place.
/// `origin`: site or user. @errors BadArgument: a line per problem
Result<void> add_frameworks(const std::string& text, const std::string& origin,
                            std::vector<Framework>& known);
/// @errors BadArgument: a line per problem
Result<std::vector<Volume>> parse_volumes(const std::string& text);
Result<std::vector<HardwareSpec>> parse_hardware(const std::string& text);

/// A section of frameworks.conf that reads as this framework.
/// @errors BadArgument: a value that no line can hold
Result<std::string> to_section(const Framework& framework);

/// Text of a file; empty when there is none. @errors System
Result<std::string> text_of_file(const std::string& path);

}  // namespace wm::conf
