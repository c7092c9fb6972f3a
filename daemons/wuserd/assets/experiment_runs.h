// Role: what an experiment comes to: of each definition the code, and the execution that is
// started.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemons/wuserd/assets/assets.h"
#include "daemons/wuserd/execs/exec_start.h"

namespace wm::user {

/// A definition in an experiment; `code`: where its code lies. @errors as rest::args_of
Result<StoredCode> stored_code(const rest::Project& project, const rest::Experiment& experiment,
                               const rest::Definition& definition, const std::string& code);

/// Starts an execution of each and has it told; all or none: what is refused first keeps the others
/// from starting. Ids of those that began. @errors BadArgument: none is given; as start_stored,
/// `told`
Result<std::vector<std::string>> start_codes(
    Site& site, const std::string& experiment, const std::vector<StoredCode>& codes,
    const std::function<Result<void>(const std::string& run)>& told);
/// {"runs": [...]}. @cost O(runs)
std::string begun_json(const std::vector<std::string>& runs);

}  // namespace wm::user
