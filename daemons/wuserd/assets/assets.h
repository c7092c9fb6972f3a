// Role: projects, definitions, experiments, models and spaces of the user on disk: folders with a
// manifest. POSIX permissions are the access control; a manifest is written beside and renamed.
// Definitions, experiments and models are kept in versions (files/editions.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemons/wuserd/files/editions.h"
#include "daemons/wuserd/site/site.h"
#include "libwm/rest/assets.h"

namespace wm::user {

/// What is kept in versions.
enum class AssetKind : std::uint8_t { Definition, Experiment, Model };
/// "definition", and "definitions" as addresses have it. @cost O(1)
std::string word_of(AssetKind kind);
std::string plural_of(AssetKind kind);

/// The assets of one user. A project "default" is always there. @thread any; the last writer wins
class Assets {
 public:
  /// Of projects, or of spaces: what holds models.
  explicit Assets(std::string top) : top_(std::move(top)) {}

  std::vector<rest::Project> projects() const;
  /// @errors NotFound
  Result<rest::Project> project(const std::string& name) const;
  /// Makes it, or changes the one that is there. What is there already, word for word, is fine.
  /// @errors Conflict: there is another of the name; NotFound; Stale; System
  Result<void> keep(const rest::Project& project, const Keeping& keeping) const;

  /// Changes what it is shared with: members, connections. As it is then. @errors NotFound; System
  Result<rest::Project> share_project(const std::string& name,
                                      const std::function<void(rest::Project&)>& change) const;

  /// The versions of one. @cost O(1)
  Editions editions(AssetKind kind, const std::string& project, const std::string& name) const;
  /// A version as JSON; an empty one is the present one. @errors NotFound; Damaged
  Result<std::string> text(AssetKind kind, const std::string& project, const std::string& name,
                           const std::string& version = "") const;
  /// Takes it away with all versions. @errors Conflict: experiments use it, by name; NotFound;
  /// System
  Result<void> remove(AssetKind kind, const std::string& project, const std::string& name) const;
  /// Takes away one version. @errors Conflict: an experiment names it, or it is the only one;
  /// NotFound; System
  Result<void> remove_version(AssetKind kind, const std::string& project, const std::string& name,
                              const std::string& version) const;

  std::vector<rest::Definition> definitions(const std::string& project) const;
  /// @errors NotFound
  Result<rest::Definition> definition(const std::string& project, const std::string& name,
                                      const std::string& version = "") const;
  /// Keeps a version with the file at `code` as its code, which is moved; without one that of the
  /// version before. As it is kept. @errors as Editions::add; BadArgument: it has no code yet
  Result<rest::Definition> keep(const std::string& project, rest::Definition definition,
                                const std::string& code, const Keeping& keeping) const;
  /// The file of its code. @errors as definition
  Result<std::string> code(const std::string& project, const std::string& definition,
                           const std::string& version = "") const;

  std::vector<rest::Experiment> experiments(const std::string& project) const;
  /// @errors NotFound
  Result<rest::Experiment> experiment(const std::string& project, const std::string& name,
                                      const std::string& version = "") const;
  /// Keeps a version, which names the present versions of its definitions where it names none.
  /// @errors as Editions::add; NotFound: a definition, or a version of it
  Result<rest::Experiment> keep(const std::string& project, rest::Experiment experiment,
                                const Keeping& keeping) const;
  /// One more run of it, whichever version; none: those that it has lie beside its versions from
  /// now on. @errors NotFound; System
  Result<void> add_run(const std::string& project, const std::string& experiment,
                       const std::string& run) const;

  /// Of this project or space.
  std::vector<rest::SavedModel> models(const std::string& owner) const;
  /// @errors NotFound
  Result<rest::SavedModel> model(const std::string& owner, const std::string& name,
                                 const std::string& version = "") const;
  /// The folder of its package. @errors as model
  Result<std::string> package(const std::string& owner, const std::string& name,
                              const std::string& version = "") const;
  /// Keeps a version with the package at `package`, which is moved. As it is kept.
  /// @errors as Editions::add
  Result<rest::SavedModel> keep(const std::string& owner, rest::SavedModel model,
                                const std::string& package, const Keeping& keeping) const;

  std::vector<rest::Space> spaces() const;
  /// @errors NotFound
  Result<rest::Space> space(const std::string& name) const;
  /// As a project. @errors as keep of a project
  Result<void> keep(const rest::Space& space, const Keeping& keeping) const;
  /// Has it shared with these. @errors NotFound; System
  Result<rest::Space> share(const std::string& name, std::vector<rest::Member> members) const;
  /// @errors Conflict: it has models; NotFound; System
  Result<void> remove_space(const std::string& name) const;

 private:
  std::string top_;
};

/// The user's own projects, and spaces.
Assets projects_of(const Site& site);
Assets spaces_of(const Site& site);

/// A model with what a page draws a sample for. @cost a file
std::string model_text(const Assets& assets, const std::string& holder,
                       const rest::SavedModel& model);
/// All versions of one, the present one first: {"versions": [{…, "state"}]}. @errors NotFound
Result<std::string> versions_text(const Assets& assets, AssetKind kind, const std::string& project,
                                  const std::string& name);
/// A zip, in `folder`, of a model's manifest and package. Its path. @errors NotFound; System
Result<std::string> zip_model(const Assets& assets, const std::string& holder,
                              const std::string& model, const std::string& folder,
                              const std::string& version = "");
/// What a request to save the model of a run of this user's says: its package is made in the folder
/// `package`, which is empty. @errors BadArgument: the body; NotFound: no such run; as make_package
Result<rest::SavedModel> model_of_run(Call& call, const std::string& package);
/// What If-Match names of something without versions: it changes with its text. @cost O(length)
std::string tag_of_words(const std::string& text);
/// The digest of a file, as a version has it of its code. @errors NotFound; System  @cost O(size)
Result<std::string> file_hash(const std::string& path);

}  // namespace wm::user
