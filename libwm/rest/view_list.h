// Role: views of pages that somebody keeps by a name: which page, and what stands behind its "?".
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::rest {

/// One of a list.
struct SavedView {
  std::string name, page, search;
  std::string by;  ///< account that saved it
  bool operator==(const SavedView&) const = default;
};

/// Of one list.
inline constexpr std::size_t kMostViews = 200;

/// As they lie on disk; what is damaged is none. @cost O(length)
std::vector<SavedView> parse_views(std::string_view text);
/// As they lie on disk, and as pages read them: {"views":[…]}. @cost O(length)
std::string views_json(const std::vector<SavedView>& views);

/// In place of one of the same name. @errors BadArgument: a name of none or more than 100 bytes, a
/// page that is no address of ours, a search of more than 4000 bytes; Limit: there are too many
Result<void> put_view(std::vector<SavedView>& views, const SavedView& view);
/// @errors NotFound
Result<void> drop_view(std::vector<SavedView>& views, const std::string& name);

}  // namespace wm::rest
