// Role: handwritten digits from idx files (MNIST's format), as scripts/demo.d/digits.py writes
// them.
// @source idx: magic 0x0000, type 0x08 (bytes), number of dimensions, sizes big-endian
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace example {

/// Images with their labels.
struct Digits {
  std::size_t pixels = 0;            ///< of one image
  std::vector<double> images;        ///< @shape [n · pixels], 0..1
  std::vector<std::uint8_t> labels;  ///< @shape [n], 0..9
  std::size_t size() const { return labels.size(); }
};

/// The set `part` ("train" or "t10k") below `folder`/MNIST/raw. Empty, with the reason in `why`,
/// when it is not there or not of this format. @errors empty
std::optional<Digits> load_digits(const std::string& folder, const std::string& part,
                                  std::string& why);

}  // namespace example
