// Role: what a machine's hardware is called, as one word: types and models of hosts and GPUs are
// told by the kernel and by drivers with blanks and brackets, and asked for in select[] and -gpu,
// where a word has none. Every function is idempotent. Pure.
#pragma once

#include <string>
#include <string_view>

namespace wm {

/// "NVIDIA H100 80GB HBM3" -> "NVIDIAH10080GBHBM3", "A100-SXM4/40GB" -> "A100_SXM4_40GB": blanks
/// are left out, '-' and '/' become '_'. @cost O(text)   @source LSF: GPU models of lshosts -gpu,
/// gmodel=
std::string gpu_model_word(std::string_view model);

/// "Intel(R) Xeon(R) Processor @ 2.80GHz" -> "IntelXeonProcessor_2_80GHz": marks of trade are left
/// out, like blanks; what no name of select[] may hold becomes one '_'. @cost O(text)
std::string host_model_word(std::string_view model);

/// "x86_64" -> "X86_64", "aarch64" -> "LINUX_ARM64", "ppc64le" -> "LINUXPPC64LE"; others stay.
/// @source LSF: host types of lsf.shared   @cost O(text)
std::string host_type_word(std::string_view type);

/// The value `text` of the host's resource `name` as one word: type, model, gpu_model; of another
/// resource the text as it is. @cost O(text)
std::string machine_word(std::string_view name, std::string_view text);

}  // namespace wm
