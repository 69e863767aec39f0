#include "mayfly/serve/wire/tls.hpp"

#include <csignal>
#include <cstring>
#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/error.hpp>
#include <fmt/format.h>

#include "mayfly/sim/input_error.hpp"

namespace mayfly::serve {

namespace {

[[noreturn]] void refuse_file(const char* what, const std::filesystem::path& file) {
  const unsigned long error = ::ERR_get_error();
  const char* reason =
      ERR_SYSTEM_ERROR(error) ? std::strerror(ERR_GET_REASON(error)) : ::ERR_reason_error_string(error);
  throw InputError(fmt::format("{} {}: {}", what, file.string(), reason ? reason : "cannot be read"));
}

// Without this, OpenSSL would ask the terminal for the password of an encrypted key.
int no_password(char*, int, int, void*) { return 0; }

}  // namespace

TlsContext::TlsContext(const TlsFiles& files) : context_(::SSL_CTX_new(::TLS_server_method()), ::SSL_CTX_free) {
  if (!context_) throw std::bad_alloc();
  SSL_CTX* context = context_.get();
  ::ERR_clear_error();
  ::SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  ::SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  // Buffers are only held while there is something in them: most of thousands of connections are idle.
  ::SSL_CTX_set_mode(context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  ::SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  ::SSL_CTX_set_default_passwd_cb(context, no_password);
  if (::SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
    refuse_file("the certificate", files.certificate);
  if (::SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
    refuse_file("the key", files.key);
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets that clients have closed
}

TlsStream::TlsStream(const TlsContext& context, int socket) : stream_(::SSL_new(context.get())) {
  if (!stream_ || ::SSL_set_fd(stream_, socket) != 1) {
    ::SSL_free(stream_);
    throw std::bad_alloc();
  }
  ::SSL_set_accept_state(stream_);
}

TlsStream::~TlsStream() { ::SSL_free(stream_); }

boost::system::error_code TlsStream::problem_of(int result) {
  using namespace boost::asio;
  switch (::SSL_get_error(stream_, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return error::would_block;
    case SSL_ERROR_ZERO_RETURN:
      return error::eof;
    default:
      has_met_http_ = ERR_GET_REASON(::ERR_peek_error()) == SSL_R_HTTP_REQUEST;
      return error::connection_aborted;
  }
}

std::size_t TlsStream::read(std::span<char> room, boost::system::error_code& problem) {
  std::size_t count = 0;
  ::ERR_clear_error();
  const int result = ::SSL_read_ex(stream_, room.data(), room.size(), &count);
  problem = result == 1 ? boost::system::error_code() : problem_of(result);
  return count;
}

std::size_t TlsStream::write(std::string_view bytes, boost::system::error_code& problem) {
  std::size_t written = 0;
  problem.clear();
  while (written < bytes.size() && !problem) {  // each call writes one record at most
    std::size_t count = 0;
    ::ERR_clear_error();
    const int result = ::SSL_write_ex(stream_, bytes.data() + written, bytes.size() - written, &count);
    if (result != 1) problem = problem_of(result);
    written += count;
  }
  return written;
}

bool TlsStream::has_more() const { return ::SSL_pending(stream_) > 0; }

void TlsStream::end() {
  ::ERR_clear_error();
  if (::SSL_is_init_finished(stream_)) ::SSL_shutdown(stream_);
}

}  // namespace mayfly::serve
