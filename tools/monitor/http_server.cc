#include "tools/monitor/http_server.h"

#include <utility>
#include <vector>

#include "CivetServer.h"
#include "absl/strings/str_cat.h"

namespace fdbjobs::monitor_tool {
namespace {

class Page : public CivetHandler {
 public:
  Page(std::function<HttpReply()> make, std::string content_type)
      : make_(std::move(make)), content_type_(std::move(content_type)) {}

  bool handleGet(CivetServer*, mg_connection* connection) override { return Send(connection, /*body=*/true); }
  bool handleHead(CivetServer*, mg_connection* connection) override { return Send(connection, /*body=*/false); }

 private:
  bool Send(mg_connection* connection, bool body) const {
    const HttpReply reply = make_();
    const std::string text =
        absl::StrCat("HTTP/1.1 ", reply.code, reply.code == 200 ? " OK" : " Service Unavailable",
                     "\r\nContent-Type: ", content_type_, "\r\nContent-Length: ", reply.body.size(),
                     "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n", body ? reply.body : "");
    mg_write(connection, text.data(), text.size());
    return true;
  }

  const std::function<HttpReply()> make_;
  const std::string content_type_;
};

class Server : public HttpServer {
 public:
  Server(const std::vector<std::string>& options, HttpPages pages)
      : metrics_(std::move(pages.metrics), "text/plain; version=0.0.4; charset=utf-8"),
        health_(std::move(pages.health), "text/plain; charset=utf-8"),
        server_(options) {
    // With $ the path is matched to its end.
    server_.addHandler("/metrics$", metrics_);
    server_.addHandler("/healthz$", health_);
  }
  ~Server() override { server_.close(); }

  int port() const override {
    const std::vector<int> ports = const_cast<CivetServer&>(server_).getListeningPorts();
    return ports.empty() ? 0 : ports[0];
  }

 private:
  Page metrics_;
  Page health_;
  CivetServer server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address, HttpPages pages) {
  const std::vector<std::string> options = {
      "listening_ports", address, "num_threads", "4", "request_timeout_ms", "5000", "enable_directory_listing", "no"};
  try {
    return std::make_unique<Server>(options, std::move(pages));
  } catch (const CivetException&) {
    return absl::UnavailableError(absl::StrCat("--metrics: can't listen on ", address,
                                               "; is another program there, or is it no address of this machine?"));
  }
}

}  // namespace fdbjobs::monitor_tool
