// Role: a folder of one account's that nobody else can have put there or can change, and what is
// below it, reached by descriptors: what is read from it later, a checkpoint or a list of keys,
// acts as that account. Hosts, wuserd and commands use this one piece of code.
//
//   /        home         ann       .config     wm
//   root's   root's       ann's     ann's       ann's      each opened from the one before it
//
// Invariant: between the check of a folder and its use no other account can replace it: it is held
// open, and its parents belong to root or the owner and are written by nobody else, or have the
// sticky bit.
// @source openat(2); CERT POS35-C
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/files/fd.h"

namespace wm {

/// Below a cluster's results: where users keep what they let others read, in a folder each.
inline constexpr const char* kOpenFolders = ".projects";

/// See the file comment. @owns a descriptor   @thread any, one at a time
class OwnFolder {
 public:
  /// The folder at `path`, an absolute one. Links among its parents are followed where root or
  /// `owner` made them; its own last name is no link. @errors NotFound; Denied: it is a link or a
  /// file, another account's, writable by others, or below a parent that others can change;
  /// System: path and reason   @cost three system calls a folder
  static Result<OwnFolder> open(const std::string& path, uid_t owner);
  /// The folder `path` below `shared`, in which every account may have one: each folder on the way
  /// has to be `owner`'s. Makes those that are missing with the caller's account: the first with
  /// mode 0700, so that nobody else reads what is in it, those below with 0755 less umask.
  /// @errors as open
  static Result<OwnFolder> make(const std::string& shared, const std::string& path, uid_t owner);

  /// Makes the folder `name` in `shared` for `owner`, with mode 0700, by root's hand: where users
  /// may make none there. One that is there is looked at. @errors as open; BadArgument: `name` is
  /// no single name; System: the caller is not root, or is none there (root_squash)
  static Result<OwnFolder> give(const std::string& shared, const std::string& name, uid_t owner);
  /// The same in `shared`/.projects, which root makes, too: where `owner` keeps what others are let
  /// read. @errors as give
  static Result<OwnFolder> give_open(const std::string& shared, const std::string& name,
                                     uid_t owner);

  /// The folder `name` in it; made with mode 0700 if it is missing and `make` says so.
  /// @errors as open; BadArgument: `name` is no single name
  Result<OwnFolder> sub(std::string_view name, bool make) const;
  /// A regular file in it, opened with these flags; never through a link. O_CREAT makes it with
  /// `mode`. @errors NotFound; Denied: a link, no regular file; BadArgument as sub; System
  Result<Fd> file(std::string_view name, int flags, mode_t mode = 0600) const;
  /// All of a file in it. @errors as read_file; BadArgument as sub
  Result<std::string> read(std::string_view name, Bytes most) const;
  /// As replace_file, with mode 0600. @errors as there; BadArgument as sub
  Result<void> replace(std::string_view name, std::string_view text) const;
  /// Lets these accounts and groups, and nobody else, see what is in the folder and go through it,
  /// by an access list. @errors System: the caller is not its owner; the file system has none
  Result<void> let_read(std::vector<uid_t> users, std::vector<gid_t> groups) const;
  /// A file, a link, or a folder with all that is in it; one that is not there is fine.
  /// @errors BadArgument as sub; System   @cost O(what is in it)
  Result<void> remove(std::string_view name) const;

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }

 private:
  OwnFolder(Fd fd, std::string path, uid_t owner)
      : fd_(std::move(fd)), path_(std::move(path)), owner_(owner) {}

  Fd fd_;
  std::string path_;
  uid_t owner_;
};

}  // namespace wm
