// HttpServer: serves /metrics and /healthz, and nothing else.
//
// Thread safety: the functions are called on threads of the server, several at once. Lifetime: serves while it lives.
//
//   absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start("127.0.0.1:9464", pages);
#ifndef FDBJOBS_TOOLS_MONITOR_HTTP_SERVER_H_
#define FDBJOBS_TOOLS_MONITOR_HTTP_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace fdbjobs::monitor_tool {

struct HttpReply {
  int code = 200;
  std::string body;
};

struct HttpPages {
  std::function<HttpReply()> metrics;
  std::function<HttpReply()> health;
};

class HttpServer {
 public:
  // `address` is "address:port"; port 0 takes a free one.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& address, HttpPages pages);
  virtual ~HttpServer() = default;
  virtual int port() const = 0;
};

}  // namespace fdbjobs::monitor_tool

#endif  // FDBJOBS_TOOLS_MONITOR_HTTP_SERVER_H_
