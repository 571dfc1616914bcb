#include "tools/cli/exit_code.h"

#include "fdbjobs/fdb/error_codes.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs::cli {

int ExitCodeOf(const absl::Status& status) {
  switch (fdb::FdbCode(status)) {
    case fdb::error::kFileNotReadable:
    case fdb::error::kFileNotWritable:
      return kExitNoPermission;
    case fdb::error::kFileNotFound:
    case fdb::error::kIoError:
    case fdb::error::kNoClusterFileFound:
    case fdb::error::kConnectionStringInvalid:
      return kExitUnreachable;
    default:
      break;
  }
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitOk;
    case absl::StatusCode::kInvalidArgument:
      return kExitUsage;
    case absl::StatusCode::kNotFound:
      return kExitNotFound;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kExitUnreachable;
    case absl::StatusCode::kPermissionDenied:
      return kExitNoPermission;
    default:
      return kExitError;
  }
}

}  // namespace fdbjobs::cli
