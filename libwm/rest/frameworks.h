// Role: the frameworks that clients of WMLA name, and what each means here: by which names they are
// found, whether one fits what is asked of it, which commands a task begins with.
// Pure: a table, in WMLA's order; the site's and the user's come from conf/catalog_conf.h.
// @source wmla-surface 1.4
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/config/catalog.h"

namespace wm::rest {

/// Its name here.
using wm::Framework;

/// Those that are built in, in WMLA's order. @cost O(1)
std::span<const Framework> frameworks();

/// By its name in any case, or by an alias, with or without versions: "pytorch-onnx 1.1-py 3.6" is
/// PyTorch. @errors BadArgument: none of that name; the text lists all
Result<Framework> find_framework(std::span<const Framework> known, std::string_view name);
/// The same among those that are built in. @errors as above
Result<Framework> find_framework(std::string_view name);

/// Does a word that follows a framework's name belong to it, as "1.1-py" and "3.6" do? `before`:
/// the name so far. @cost O(length)
bool continues_name(std::string_view before, std::string_view word);

/// Does the code fit? @errors Impossible: it imports the other backend's module and not this one's
Result<void> check_code(const Framework& framework, std::string_view file, std::string_view script);

/// What a shell does before a task's command: "module load …", a virtual environment; empty:
/// nothing. Ends in " && ". @cost O(length)
std::string prelude_of(const Framework& framework);

/// From the JSON of POST /execs/frameworks, v1's or ours: {"name","like","desc",…}. `known`: what
/// "like" may name. @errors BadArgument: by field
Result<Framework> parse_framework(std::string_view json, std::span<const Framework> known);

/// Models that need no code of the user's. @cost O(1)
std::span<const std::string_view> prebuilt_models();

}  // namespace wm::rest
