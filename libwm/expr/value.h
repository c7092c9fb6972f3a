// Role: what names in a resource requirement stand for: a number or a text, looked up per
// host when the expression is evaluated. Sizes are in MB, as LSF's mem, swp and tmp are.
// Booleans are the numbers 0 and 1.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "libwm/model/config/config.h"
#include "libwm/model/host.h"

namespace wm::expr {

/// A number or a text.
using Value = std::variant<double, std::string>;

/// The value of a name on the host at hand; nothing when the host does not have it.
using Lookup = std::function<std::optional<Value>(std::string_view name)>;

/// LSF's names over a host: hname type model ncpus ncores nprocs nthreads slots mem maxmem
/// ngpus ngpus_physical gpu_model cpuf server, the load indices, and the site's own
/// resources of `conf` (null: none). Load that WM does not measure reads as idle and
/// unlimited, so that it excludes nobody.
/// @units mem, maxmem, tmp, swp: MB   @cost O(log resources)
/// @source LSF resource names; `mem` is what running jobs have not reserved
std::optional<Value> host_value(const Host& host, const HostConf* conf, std::string_view name);

}  // namespace wm::expr
