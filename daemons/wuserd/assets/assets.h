// Role: projects, definitions, experiments, models and spaces of the user on disk: folders with a
// manifest. POSIX permissions are the access control; a manifest is written beside and renamed.
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/rest/assets.h"

namespace wm::user {

/// The assets of one user. A project "default" is always there. @thread any; the last writer wins
class Assets {
 public:
  /// Of projects, or of spaces: what holds models.
  explicit Assets(std::string top) : top_(std::move(top)) {}

  std::vector<rest::Project> projects() const;
  /// @errors NotFound
  Result<rest::Project> project(const std::string& name) const;
  /// @errors System
  Result<void> keep(const rest::Project& project) const;

  std::vector<rest::Definition> definitions(const std::string& project) const;
  /// @errors NotFound
  Result<rest::Definition> definition(const std::string& project, const std::string& name) const;
  /// Keeps it, with the file at `code` as its code; without one the code stays. @errors System;
  /// BadArgument: it has no code yet
  Result<void> keep(const std::string& project, const rest::Definition& definition,
                    const std::string& code) const;
  /// @errors Conflict: experiments use it, by name; NotFound; System
  Result<void> remove_definition(const std::string& project, const std::string& name) const;
  /// The file of its code. @cost O(1)
  std::string code(const std::string& project, const std::string& definition) const;

  std::vector<rest::Experiment> experiments(const std::string& project) const;
  /// @errors NotFound
  Result<rest::Experiment> experiment(const std::string& project, const std::string& name) const;
  /// @errors System; NotFound: a definition that it names
  Result<void> keep(const std::string& project, const rest::Experiment& experiment) const;
  /// @errors NotFound; System
  Result<void> remove_experiment(const std::string& project, const std::string& name) const;

  /// Of this project or space.
  std::vector<rest::SavedModel> models(const std::string& owner) const;
  /// @errors NotFound
  Result<rest::SavedModel> model(const std::string& owner, const std::string& name) const;
  /// The folder of its package. @cost O(1)
  std::string package(const std::string& owner, const std::string& name) const;
  /// Keeps it with the package at `package`, which is moved. @errors Conflict: there is one of that
  /// name; System
  Result<void> keep(const std::string& owner, const rest::SavedModel& model,
                    const std::string& package) const;
  /// @errors NotFound; System
  Result<void> remove_model(const std::string& owner, const std::string& name) const;

  std::vector<rest::Space> spaces() const;
  /// @errors NotFound
  Result<rest::Space> space(const std::string& name) const;
  /// @errors System
  Result<void> keep(const rest::Space& space) const;
  /// @errors Conflict: it has models; NotFound; System
  Result<void> remove_space(const std::string& name) const;

 private:
  std::string folder(const std::string& project, const char* kind, const std::string& name) const;

  std::string top_;
};

/// The user's own projects, and spaces.
Assets projects_of(const Site& site);
Assets spaces_of(const Site& site);

/// A model with what a page draws a sample for. @cost a file
std::string model_text(const Assets& assets, const std::string& holder,
                       const rest::SavedModel& model);

}  // namespace wm::user
