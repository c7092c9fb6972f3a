// Role: the configuration directory in, one Config out, or everything that is wrong with
// it. Used by the daemons at start, by `badmin ckconfig` and for `badmin reconfig`; the
// directory comes from WM_CONF_DIR, resolved at the rim.
//
//   files → read_ini → sections → keys.h tables → Config → check (references) → sorted
//
// Seven files, each optional: wm.conf queues.conf hosts.conf plans.conf apps.conf users.conf
// budgets.conf. Each may have parts: files.h. In all but wm.conf, [default] gives the values that
// the other sections start from, and what is there without a section (built_in.h); the root plan
// alone starts from nothing but its own section.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"

namespace wm::conf {

/// Where the files are when WM_CONF_DIR says nothing.
inline constexpr std::string_view kDefaultDir = "/etc/wm";

/// File name → text; a file that is absent is empty. A part of one is there by its part_key().
using Texts = std::map<std::string, std::string>;

/// Names of the seven files, wm.conf first. @cost O(1)
std::span<const std::string_view> file_names();

/// The configuration that these texts describe. `own_host`: name of this machine, which is the
/// cluster when hosts.conf names no host; empty: master_host is. Periods of budgets are UTC's here.
/// @errors BadArgument: a line per problem, "queues.conf:14: unknown key …"
/// @cost O(bytes + hosts)   @thread any; reads nothing else
Result<Config> parse(const Texts& texts, const std::string& own_host = "");

/// The configuration in directory `dir`; own_host as of parse().
/// @errors NotFound: no such directory; System: the directory or a file in it is there and cannot
/// be read; as parse()
/// @cost reads seven files; blocks
Result<Config> load(const std::string& dir, const std::string& own_host = "");

/// The name by which this machine joins a cluster unless it is told another: its host name up to
/// the first dot. @cost one system call   @thread any
std::string this_host();

/// wm.conf of directory `dir` alone: what a command needs to find its master.
/// @errors as load()   @cost reads one file; blocks
Result<ClusterConf> load_cluster(const std::string& dir);

/// The same for commands of users, which go on while a mistake stands there that is not in force:
/// what is wrong keeps its default, and `wrong` has a line for it.
/// @errors NotFound, System as load()   @cost as above
Result<ClusterConf> load_cluster(const std::string& dir, std::vector<std::string>& wrong);

/// The reference of one file as a manual page in Markdown, made from its table.
/// @errors NotFound: not one of file_names()
Result<std::string> reference(std::string_view file);

}  // namespace wm::conf
