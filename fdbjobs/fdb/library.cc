#include "fdbjobs/fdb/library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace fdbjobs::fdb {
namespace {

constexpr char kLibraryName[] = "libfdb_c.so";
// The installed engine's other name, which no other library has; the run path of the program leads to it.
constexpr char kEmbeddedLinkName[] = "libfdbjobs_embedded.so";
constexpr char kAnyClientSymbol[] = "fdb_select_api_version_impl";
constexpr char kEmbeddedSymbol[] = "fdb_embedded_error_detail";
constexpr int kOpenFlags = RTLD_NOW | RTLD_LOCAL;

// The embedded engines that fdbjobs brought into the process, and not the program. They are not the libfdb_c that the
// process has, nor the system's.
class OwnEngines {
 public:
  static OwnEngines& Get() {
    static OwnEngines* const engines = new OwnEngines;
    return *engines;
  }
  void Add(void* handle) {
    const std::lock_guard lock(mutex_);
    handles_.insert(handle);
  }
  bool Contains(void* handle) {
    const std::lock_guard lock(mutex_);
    return handles_.count(handle) > 0;
  }

 private:
  std::mutex mutex_;
  // Guarded by mutex_.
  std::set<void*> handles_;
};

std::string LastError() {
  const char* text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

std::string PathOf(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name[0] == '\0') return "the program";
  return map->l_name;
}

Library Describe(void* handle) { return {handle, PathOf(handle), dlsym(handle, kEmbeddedSymbol) != nullptr}; }

// The library of that path or name, loaded now or before. Null when it can't be opened; dlerror tells why.
void* OpenPath(const std::string& path) {
  if (void* loaded = dlopen(path.c_str(), kOpenFlags | RTLD_NOLOAD)) return loaded;
  void* handle = dlopen(path.c_str(), kOpenFlags);
  if (handle != nullptr && dlsym(handle, kEmbeddedSymbol) != nullptr) OwnEngines::Get().Add(handle);
  return handle;
}

// The folders in which the dynamic linker looks for libraries of this program.
std::vector<std::string> LinkerFolders() {
  std::vector<std::string> folders;
  void* const program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size;
  if (program != nullptr && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0) {
    std::vector<char> memory(size.dls_size);
    auto* const info = reinterpret_cast<Dl_serinfo*>(memory.data());
    if (dlinfo(program, RTLD_DI_SERINFOSIZE, info) == 0 && dlinfo(program, RTLD_DI_SERINFO, info) == 0) {
      for (unsigned i = 0; i < info->dls_cnt; ++i) folders.emplace_back(info->dls_serpath[i].dls_name);
    }
  }
  folders.emplace_back("/usr/local/lib");
  return folders;
}

// The client library that the dynamic linker finds for a bare name. Once an embedded engine of ours is loaded, the
// linker answers with it for its soname, without looking further; then the folders are searched here.
void* OpenName(const std::string& name, std::string* why) {
  void* const handle = dlopen(name.c_str(), kOpenFlags);
  if (handle == nullptr) {
    *why = LastError();
    return nullptr;
  }
  if (!OwnEngines::Get().Contains(handle)) return handle;
  dlclose(handle);
  const std::vector<std::string> folders = LinkerFolders();
  for (const std::string& folder : folders) {
    const std::string path = absl::StrCat(folder, "/", name);
    if (void* found = dlopen(path.c_str(), kOpenFlags)) return found;
  }
  *why = absl::StrCat("there is no ", name, " in ", absl::StrJoin(folders, ", "));
  return nullptr;
}

absl::StatusOr<Library> OpenAskedFor(Engine engine, const std::string& name, const std::string& who_asked) {
  std::string why;
  void* handle = nullptr;
  // An embedded engine that is loaded may stand for its name; only where another library is wanted must it not.
  if (engine == Engine::kEmbedded || name.find('/') != std::string::npos) {
    handle = OpenPath(name);
    if (handle == nullptr) why = LastError();
  } else {
    handle = OpenName(name, &why);
  }
  if (handle == nullptr) {
    return absl::NotFoundError(absl::StrCat("can't open the ",
                                            engine == Engine::kEmbedded ? "embedded engine" : "FoundationDB client",
                                            " library ", name, " (", who_asked, "): ", why));
  }
  return Describe(handle);
}

// A handle for the object that holds `address`. Null when the linker does not know it.
void* HandleOf(void* address) {
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return nullptr;
  return dlopen(map->l_name[0] == '\0' ? nullptr : map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

int CollectClientName(dl_phdr_info* info, size_t, void* names) {
  const std::string_view path = info->dlpi_name;
  if (path.substr(path.rfind('/') + 1).starts_with("libfdb_c")) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(path);
  }
  return 0;
}

// The fdb_c that the process has already: linked to the program, or loaded by it without making its symbols global
// (as interpreters do with their extensions). Null when there is none that serves `engine`.
void* FindLoaded(Engine engine) {
  const char* const symbol = engine == Engine::kEmbedded ? kEmbeddedSymbol : kAnyClientSymbol;
  if (void* address = dlsym(RTLD_DEFAULT, symbol)) {
    if (void* handle = HandleOf(address)) return handle;
  }
  std::vector<std::string> names;
  dl_iterate_phdr(&CollectClientName, &names);
  for (const std::string& name : names) {
    void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    const bool serves = dlsym(handle, symbol) != nullptr;
    if (serves && (engine == Engine::kEmbedded || !OwnEngines::Get().Contains(handle))) return handle;
    dlclose(handle);
  }
  return nullptr;
}

// Where the embedded engine lies, seen from the folder of the executable and of the library that this code is in: in
// the build tree, and installed. The last one is the place that was configured for installation.
std::vector<std::string> EmbeddedPlaces() {
  std::vector<std::filesystem::path> folders;
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&EmbeddedPlaces), &info) != 0 && info.dli_fname != nullptr) {
    folders.push_back(std::filesystem::path(info.dli_fname).parent_path());
  }
  std::error_code error;
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(executable.parent_path());

  std::vector<std::string> places;
  const auto add = [&places](const std::filesystem::path& folder) {
    std::string place = (folder / kLibraryName).lexically_normal().string();
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(std::move(place));
  };
  for (const std::filesystem::path& folder : folders) {
    add(folder / "../lib/embedded");
    add(folder / ".." / FDBJOBS_INSTALL_LIBDIR / "fdbjobs/embedded");
    add(folder / "fdbjobs/embedded");
  }
  add(std::filesystem::path(FDBJOBS_INSTALL_FULL_LIBDIR) / "fdbjobs/embedded");
  return places;
}

absl::StatusOr<Library> OpenEmbedded() {
  if (void* handle = FindLoaded(Engine::kEmbedded)) return Describe(handle);
  const std::vector<std::string> places = EmbeddedPlaces();
  for (const std::string& place : places) {
    std::error_code error;
    if (!std::filesystem::exists(place, error)) continue;
    return OpenAskedFor(Engine::kEmbedded, place, "found beside the program");
  }
  if (void* handle = OpenPath(kEmbeddedLinkName)) return Describe(handle);
  return absl::NotFoundError(absl::StrCat("the embedded engine was not found; looked for ", kEmbeddedLinkName,
                                          " on the program's run path, and for ", absl::StrJoin(places, ", "),
                                          "; give its path in ", kEmbeddedLibraryVariable));
}

absl::StatusOr<Library> OpenCluster() {
  if (void* handle = FindLoaded(Engine::kCluster)) return Describe(handle);
  std::string why;
  if (void* handle = OpenName(kLibraryName, &why)) return Describe(handle);
  return absl::NotFoundError(
      absl::StrCat("FoundationDB's client library was not found; the process has no libfdb_c "
                   "loaded, and the system's did not open (",
                   why, "); install FoundationDB's clients or give the library's path in ", kClusterLibraryVariable));
}

absl::StatusOr<Library> Open(Engine engine, const std::string& asked_for) {
  if (!asked_for.empty()) return OpenAskedFor(engine, asked_for, "asked for by the program");
  const char* const variable = engine == Engine::kEmbedded ? kEmbeddedLibraryVariable : kClusterLibraryVariable;
  const char* const value = std::getenv(variable);
  if (value != nullptr && *value != '\0') return OpenAskedFor(engine, value, absl::StrCat("asked for by ", variable));
  return engine == Engine::kEmbedded ? OpenEmbedded() : OpenCluster();
}

}  // namespace

absl::StatusOr<Library> OpenLibrary(Engine engine, const std::string& asked_for) {
  absl::StatusOr<Library> library = Open(engine, asked_for);
  if (library.ok() && engine == Engine::kEmbedded && !library->is_embedded) {
    return absl::FailedPreconditionError(
        absl::StrCat(library->path, " is not the embedded engine: it has no function ", kEmbeddedSymbol));
  }
  return library;
}

}  // namespace fdbjobs::fdb
