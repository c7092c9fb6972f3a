// Role: the calls of libpmix that a server needs, found at run time; and lists of information
// for it. Included by pmix_*.cc only. @source PMIx 4.2, pmix_server.h
#pragma once

#include <pmix.h>
#include <pmix_server.h>

#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <vector>

#include "libwm/base/result.h"

namespace wm::wagent {

/// The library's calls. @thread any, once it is open
struct PmixLibrary {
  decltype(&::PMIx_server_init) init = nullptr;
  decltype(&::PMIx_server_finalize) finalize = nullptr;
  decltype(&::PMIx_server_register_nspace) register_nspace = nullptr;
  decltype(&::PMIx_server_register_client) register_client = nullptr;
  decltype(&::PMIx_server_setup_fork) setup_fork = nullptr;
  decltype(&::PMIx_server_dmodex_request) dmodex_request = nullptr;
  decltype(&::PMIx_Error_string) error_string = nullptr;

  /// Opens it for good. @errors NotFound: no library, or another version's
  static Result<PmixLibrary> open();
  /// Ok, or what was tried and the library's words. @errors System
  Result<void> check(pmix_status_t status, const char* what) const;
};

/// A list of keys and values; the library copies what it is given.
class PmixInfos {
 public:
  void add(const char* key, const std::string& text);
  void add(const char* key, bool flag);
  void add_u32(const char* key, std::uint32_t number);
  void add_u16(const char* key, std::uint16_t number);
  void add_rank(const char* key, std::uint32_t rank);
  /// A list as one value. @owns the list from now on
  void add(const char* key, PmixInfos list);

  pmix_info_t* data() { return infos_.data(); }
  std::size_t size() const { return infos_.size(); }

 private:
  pmix_value_t& next(const char* key, pmix_data_type_t type);
  std::vector<pmix_info_t> infos_;
  std::deque<std::string> texts_;
  std::list<PmixInfos> lists_;
  std::deque<pmix_data_array_t> arrays_;
};

}  // namespace wm::wagent
