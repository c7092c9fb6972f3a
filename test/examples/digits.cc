#include "test/examples/digits.h"

#include <fstream>
#include <iterator>

namespace example {
namespace {

// The bytes of an idx file behind its sizes. @shape sizes: one a dimension
std::optional<std::string> read_idx(const std::string& path, std::vector<std::size_t>& sizes) {
  std::ifstream file(path, std::ios::binary);
  std::string all((std::istreambuf_iterator<char>(file)), {});
  auto byte = [&all](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(all[at]));
  };
  if (all.size() < 4 || byte(0) || byte(1) || byte(2) != 8) return std::nullopt;
  std::size_t dimensions = byte(3), total = 1, at = 4;
  if (all.size() < 4 + 4 * dimensions) return std::nullopt;
  for (; sizes.size() < dimensions; at += 4) {
    sizes.push_back(byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3));
    total *= sizes.back();
  }
  if (all.size() != at + total) return std::nullopt;
  return all.substr(at);
}

}  // namespace

std::optional<Digits> load_digits(const std::string& folder, const std::string& part,
                                  std::string& why) {
  auto base = folder + "/MNIST/raw/" + part;
  std::vector<std::size_t> shape, count;
  auto images = read_idx(base + "-images-idx3-ubyte", shape);
  auto labels = read_idx(base + "-labels-idx1-ubyte", count);
  if (!images || !labels || shape.size() != 3 || count.size() != 1 || shape[0] != count[0]) {
    why = base + "-*: no pair of idx files of bytes";
    return std::nullopt;
  }
  Digits found{.pixels = shape[1] * shape[2]};
  for (char c : *images) found.images.push_back(static_cast<unsigned char>(c) / 255.0);
  found.labels.assign(labels->begin(), labels->end());
  return found;
}

}  // namespace example
