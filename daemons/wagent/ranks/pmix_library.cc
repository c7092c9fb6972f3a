#include "daemons/wagent/ranks/pmix_library.h"

#include <dlfcn.h>

#include <cstring>

namespace wm::wagent {
namespace {

constexpr const char* kName = "libpmix.so.2";

template <class Call>
bool find(void* library, const char* name, Call& call) {
  call = reinterpret_cast<Call>(::dlsym(library, name));
  return call != nullptr;
}

}  // namespace

Result<PmixLibrary> PmixLibrary::open() {
  // its plug-ins look for its symbols
  void* library = ::dlopen(kName, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return fail(Code::NotFound, std::string("PMIx: ") + ::dlerror());
  PmixLibrary calls;
  bool all = find(library, "PMIx_server_init", calls.init) &&
             find(library, "PMIx_server_finalize", calls.finalize) &&
             find(library, "PMIx_server_register_nspace", calls.register_nspace) &&
             find(library, "PMIx_server_register_client", calls.register_client) &&
             find(library, "PMIx_server_setup_fork", calls.setup_fork) &&
             find(library, "PMIx_server_dmodex_request", calls.dmodex_request) &&
             find(library, "PMIx_Error_string", calls.error_string);
  if (!all) return fail(Code::NotFound, std::string(kName) + " is not of PMIx 4");
  return calls;
}

Result<void> PmixLibrary::check(pmix_status_t status, const char* what) const {
  if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return {};
  return fail(Code::System, std::string("PMIx: ") + what + ": " + error_string(status));
}

pmix_value_t& PmixInfos::next(const char* key, pmix_data_type_t type) {
  auto& info = infos_.emplace_back();
  std::memset(&info, 0, sizeof info);
  std::strncpy(info.key, key, PMIX_MAX_KEYLEN);
  info.value.type = type;
  return info.value;
}

void PmixInfos::add(const char* key, const std::string& text) {
  next(key, PMIX_STRING).data.string = texts_.emplace_back(text).data();
}

void PmixInfos::add(const char* key, bool flag) { next(key, PMIX_BOOL).data.flag = flag; }

void PmixInfos::add_u32(const char* key, std::uint32_t number) {
  next(key, PMIX_UINT32).data.uint32 = number;
}

void PmixInfos::add_u16(const char* key, std::uint16_t number) {
  next(key, PMIX_UINT16).data.uint16 = number;
}

void PmixInfos::add_rank(const char* key, std::uint32_t rank) {
  next(key, PMIX_PROC_RANK).data.rank = rank;
}

void PmixInfos::add(const char* key, PmixInfos list) {
  auto& kept = lists_.emplace_back(std::move(list));
  auto& array = arrays_.emplace_back(pmix_data_array_t{PMIX_INFO, kept.size(), kept.data()});
  next(key, PMIX_DATA_ARRAY).data.darray = &array;
}

}  // namespace wm::wagent
