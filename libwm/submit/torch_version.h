// Role: which PyTorch a job will import: that of the Python that is first in its PATH, as files
// say, without starting anything. What is not found so (images, shims of pyenv) is not known.
#pragma once

#include <string>

namespace wm::cmd {

/// "2.1.0": of the first python3 or python in `path`, which is as $PATH; empty: it has none, or is
/// not where files lie as a Python's do. `home`: packages of pip install --user count, but not in a
/// venv.
/// @cost a stat a folder of the path, then a few folders and a file
/// @source site(1): sys.prefix/lib/pythonX.Y/site-packages; Debian: dist-packages
std::string torch_of(const std::string& path, const std::string& home);

}  // namespace wm::cmd
