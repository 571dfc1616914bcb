// ClusterFile: which folder a program means by the cluster file that it names, or does not name.
//
// Thread safety: pure functions of their arguments, the file system and the environment.
//
//   std::string folder, why;
//   if (ErrorCode error = FolderOfClusterFile("/etc/jobs.cluster", &folder, &why)) return Fail(error, why);
#ifndef FDBJOBS_EMBEDDED_CLUSTER_FILE_H_
#define FDBJOBS_EMBEDDED_CLUSTER_FILE_H_

#include <string>
#include <string_view>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// What fdb_create_database takes:
//   embedded:/path   that folder, whether it exists or not
//   /path            that folder; also one that does not exist yet, unless the name ends in ".cluster"
//   /path/to/file    the folder that its first line names as `embedded:/path`. Empty lines and lines that begin with
//                    '#' before it don't count; a relative path begins at the folder of the file
//   null or ""       what the environment variable FDB_CLUSTER_FILE says, in one of the forms above; else the file
//                    fdb.cluster in the current folder; else /etc/foundationdb/fdb.cluster
// kNoClusterFileFound when there is no such file, kFileNotReadable when it can't be read, kConnectionStringInvalid when
// it names something else than a folder of ours. On error `*why` says what was looked for and where.
ErrorCode FolderOfClusterFile(const char* cluster_file, std::string* folder, std::string* why);

// What fdb_create_database_from_connection_string takes: `embedded:/path`.
ErrorCode FolderOfConnectionString(std::string_view connection_string, std::string* folder, std::string* why);

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_CLUSTER_FILE_H_
