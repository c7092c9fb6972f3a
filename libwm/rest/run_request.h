// Role: lists of runs as programs and pages ask for them, and runs as they read them: /api/v1/runs.
// Pure: texts and values.
#pragma once

#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/model/verbs/run_verbs.h"
#include "libwm/rest/url.h"

namespace wm::rest {

/// What a target asks for: user name state type framework plan project queue app service label tag
/// text search starred shelved from to ended_from ended_to order cursor limit count. Shelved runs
/// are left out unless it says shelved=true or any. @errors BadArgument: by the word
Result<RunsRequest> runs_request(const Target& target);

/// One run. @cost O(length)
std::string run_json(const RunView& run, std::string_view cluster, bool own);
/// A page: {"now":…,"runs":[…],"next":"…","count":…}. `own`: the name of who asks.
std::string runs_json(const RunsReply& reply, const RunsRequest& request, std::string_view cluster,
                      const std::string& own);
/// The words that a PATCH leaves a run with: of a field that is not there those it has. @errors
/// BadArgument: of another type, or of no known name
Result<RunWords> patched_words(const RunWords& words, const std::string& body);
/// The words' state, for If-Match. @cost O(length)
std::string words_tag(const RunWords& words);

}  // namespace wm::rest
