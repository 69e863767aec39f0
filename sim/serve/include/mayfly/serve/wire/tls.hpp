#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include <boost/system/error_code.hpp>

struct ssl_ctx_st;
struct ssl_st;

namespace mayfly::serve {

/// Where a certificate and its private key are, both as PEM.
struct TlsFiles {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

/// The folder of the user's data, where servers keep their certificate. Throws InputError if the user has no home.
std::filesystem::path tls_folder();

/// A certificate for the names of this machine, which is made at first use and kept in the folder. Throws InputError if
/// it cannot be made or has expired.
TlsFiles own_tls_files(const std::filesystem::path& folder);

/// What all connections over TLS share.
class TlsContext {
 public:
  /// Throws InputError, with the file's name, if a file cannot be used or the two do not belong together.
  explicit TlsContext(const TlsFiles& files);

  ssl_ctx_st* get() const { return context_.get(); }

 private:
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
};

/// The server's side of TLS on a socket that does not block. Reading and writing also do the handshake.
class TlsStream {
 public:
  TlsStream(const TlsContext& context, int socket);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  /// Returns the number of bytes read; with 0 a problem: would_block, eof, or another after which nothing works.
  std::size_t read(std::span<char> room, boost::system::error_code& problem);

  /// Returns the number of bytes written, with would_block if that is not all. The next call must begin with the rest.
  std::size_t write(std::string_view bytes, boost::system::error_code& problem);

  /// Whether bytes are left to read that the socket does not show.
  bool has_more() const;

  /// Whether the client sent an HTTP request instead of a handshake.
  bool has_met_http() const { return has_met_http_; }

  /// Tells the client that no more bytes come.
  void end();

 private:
  boost::system::error_code problem_of(int result);

  ssl_st* stream_;
  bool has_met_http_ = false;
};

}  // namespace mayfly::serve
