// Faults of the embedded engine on demand (docs/embedded.md), for tests of that engine alone.
//
// Thread safety: any thread; they hold for the whole process.
//
//   SetEngineFaults(db, "seed=7,unknown_after=1");
#ifndef FDBJOBS_TESTS_JOBS_ENGINE_FAULTS_H_
#define FDBJOBS_TESTS_JOBS_ENGINE_FAULTS_H_

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "fdbjobs/fdb/database.h"

namespace fdbjobs::test {

// Of the engine that `db` is in. Empty: no faults any more. Ends the program when the engine does not take it.
inline void SetEngineFaults(const fdb::Database& db, const std::string& specification) {
  void* const library = dlopen(db.client().library_path().c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) std::abort();
  const auto set = reinterpret_cast<int (*)(const char*)>(dlsym(library, "fdb_embedded_set_faults"));
  if (set == nullptr || set(specification.c_str()) != 0) std::abort();
  dlclose(library);
}

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_JOBS_ENGINE_FAULTS_H_
