// Role: what is below one folder, by paths such as "model/a.pt": each folder on the way is opened
// from the one before it, so that a link that somebody put there leads nowhere, also one that is
// put there meanwhile.
//
//   Tree::open("…/package")  file("code/kernel.py") = openat(package, code) → openat(code,
//   kernel.py)
//
// @source openat(2); CERT POS35-C
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/files/fd.h"

namespace wm {

/// A regular file that a walk has come to.
struct TreeFile {
  const std::string& path;  ///< from the tree's folder on
  int fd = -1;              ///< open for reading; the walk closes it
  const struct stat& facts;
};

/// What a walk leaves out.
struct TreeBut {
  std::vector<std::string> paths;  ///< and what is below them
  bool unreadable = false;         ///< files and folders that this account may not read
};

/// See the file comment. Paths have no "..", and do not begin with "/".
/// @owns a descriptor   @thread any, one at a time
class Tree {
 public:
  /// The deepest folder of a walk, from the top. @units folders
  static constexpr int kDeepest = 256;

  /// The folder `path`, no link. @errors NotFound; Denied: a link or a file; System
  static Result<Tree> open(const std::string& path);

  /// Makes a file that was not there; folders on the way are made with mode 0700. A file or link of
  /// that name is removed before. @errors BadArgument: no such path; Denied: a link or a file
  /// stands in the way; System
  Result<Fd> make_file(std::string_view path, mode_t mode) const;
  /// Makes folders; that they are there is fine. @errors as make_file
  Result<void> make_folder(std::string_view path, mode_t mode) const;
  /// Makes a link; where it leads is not looked at. @errors as make_file
  Result<void> make_link(std::string_view path, const std::string& target) const;
  /// A second name for the regular file `old`. @errors as make_file; NotFound; Denied: `old` is no
  /// regular file
  Result<void> make_name(std::string_view path, std::string_view old) const;

  /// A regular file, for reading. @errors NotFound; Denied: a link in it; BadArgument, System
  Result<Fd> file(std::string_view path) const;
  /// All of it. @errors as file; Limit: longer than `most`
  Result<std::string> read(std::string_view path, Bytes most) const;
  /// Each regular file below it, sorted by path within each folder, until `visit` fails. What goes
  /// meanwhile is left out. @errors as `visit`; Limit: deeper than kDeepest; System
  /// @cost an open for each; as many descriptors as it is deep
  Result<void> walk(const TreeBut& but,
                    const std::function<Result<void>(const TreeFile&)>& visit) const;

 private:
  Tree(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Fd fd_;
  std::string path_;
};

}  // namespace wm
