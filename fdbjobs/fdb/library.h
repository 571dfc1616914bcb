// Finding and opening the shared library that serves fdb_c, and binding its functions. Internal to fdbjobs/fdb.
//
// Where a library is looked for:
//   cluster:   what was asked for; else FDBJOBS_FDB_LIBRARY; else the libfdb_c that the process has loaded already;
//              else the system's libfdb_c.so.
//   embedded:  what was asked for; else FDBJOBS_EMBEDDED_LIBRARY; else the embedded engine that the process has loaded
//              already; else beside this code and the executable; else where it gets installed; else
//              libfdbjobs_embedded.so on the program's run path.
// What was asked for by name is never replaced by something else: it opens or it is an error.
//
// Both engines are libraries of the same soname. They are opened by path and without making their symbols global, and
// an embedded engine that fdbjobs opened itself is not mistaken for the program's libfdb_c.
//
// Thread safety: any thread. Lifetime: libraries stay open for the life of the process, as FoundationDB's demands.
//
//   absl::StatusOr<Library> library = OpenLibrary(Engine::kEmbedded, "");
//   if (!library.ok()) return library.status();
//   absl::StatusOr<abi::Api> api = BindApi(*library);
#ifndef FDBJOBS_FDB_LIBRARY_H_
#define FDBJOBS_FDB_LIBRARY_H_

#include <string>

#include "absl/status/statusor.h"
#include "fdbjobs/fdb/abi.h"
#include "fdbjobs/fdb/database_name.h"

namespace fdbjobs::fdb {

inline constexpr char kClusterLibraryVariable[] = "FDBJOBS_FDB_LIBRARY";
inline constexpr char kEmbeddedLibraryVariable[] = "FDBJOBS_EMBEDDED_LIBRARY";

struct Library {
  // Of dlopen. The same library always has the same handle, by whatever name it was opened.
  void* handle = nullptr;
  std::string path;
  bool is_embedded = false;
};

// kNotFound or kFailedPrecondition, naming what was looked for and where, when there is none.
absl::StatusOr<Library> OpenLibrary(Engine engine, const std::string& asked_for);

// kFailedPrecondition, naming the library and every missing function, when it does not serve API version 630.
absl::StatusOr<abi::Api> BindApi(const Library& library);

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_LIBRARY_H_
