#include "fdbjobs/embedded/cluster_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScheme = "embedded:";
constexpr char kInCurrentFolder[] = "fdb.cluster";
constexpr char kDefault[] = "/etc/foundationdb/fdb.cluster";
// Longer than any path; what is longer is no cluster file.
constexpr std::streamsize kMaxLine = 8192;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// The first line that says something.
ErrorCode ReadFirstLine(const std::string& path, std::string* line, std::string* why) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    *why = "can't read the cluster file " + path + ": " + std::strerror(errno);
    return kFileNotReadable;
  }
  char buffer[kMaxLine];
  while (file.getline(buffer, sizeof(buffer))) {
    const std::string_view text = Trimmed(buffer);
    if (text.empty() || text.front() == '#') continue;
    *line = text;
    return kSuccess;
  }
  *why = "the cluster file " + path + " has no line `embedded:/path`";
  return kConnectionStringInvalid;
}

ErrorCode FolderInFile(const std::string& path, std::string* folder, std::string* why) {
  std::string line;
  if (ErrorCode error = ReadFirstLine(path, &line, why)) return error;
  if (FolderOfConnectionString(line, folder, why) != kSuccess) {
    *why = "the first line of the cluster file " + path + " is not `embedded:/path`: this library serves folders, " +
           "not a FoundationDB cluster";
    return kConnectionStringInvalid;
  }
  // An absolute path stays as it is.
  *folder = (fs::path(path).parent_path() / *folder).string();
  return kSuccess;
}

ErrorCode FolderAt(const std::string& path, const std::string& asked_by, std::string* folder, std::string* why) {
  if (path.starts_with(kScheme)) return FolderOfConnectionString(path, folder, why);
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  switch (status.type()) {
    case fs::file_type::directory:
      *folder = path;
      return kSuccess;
    case fs::file_type::not_found:
      if (!path.ends_with(".cluster")) {
        *folder = path;
        return kSuccess;
      }
      *why = "no cluster file at " + path + asked_by;
      return kNoClusterFileFound;
    case fs::file_type::regular:
      return FolderInFile(path, folder, why);
    case fs::file_type::none:
    case fs::file_type::unknown:
      *why = "can't look at " + path + asked_by + ": " + problem.message();
      return kFileNotReadable;
    default:
      *why = path + asked_by + " is neither a folder nor a file";
      return kConnectionStringInvalid;
  }
}

bool Exists(const char* path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

ErrorCode FolderOfConnectionString(std::string_view connection_string, std::string* folder, std::string* why) {
  const std::string_view text = Trimmed(connection_string);
  if (text.size() <= kScheme.size() || !text.starts_with(kScheme)) {
    *why = "the connection string is not `embedded:/path`: this library serves folders, not a FoundationDB cluster";
    return kConnectionStringInvalid;
  }
  *folder = text.substr(kScheme.size());
  return kSuccess;
}

ErrorCode FolderOfClusterFile(const char* cluster_file, std::string* folder, std::string* why) {
  if (cluster_file != nullptr && *cluster_file != '\0') return FolderAt(cluster_file, "", folder, why);
  const char* variable = std::getenv("FDB_CLUSTER_FILE");
  if (variable != nullptr && *variable != '\0') {
    return FolderAt(variable, " (from the environment variable FDB_CLUSTER_FILE)", folder, why);
  }
  for (const char* path : {kInCurrentFolder, kDefault}) {
    if (Exists(path)) return FolderAt(path, "", folder, why);
  }
  *why = std::string("no cluster file was named, FDB_CLUSTER_FILE is not set, and there is neither ") +
         kInCurrentFolder + " in the current folder nor " + kDefault;
  return kNoClusterFileFound;
}

}  // namespace fdbjobs::embedded
