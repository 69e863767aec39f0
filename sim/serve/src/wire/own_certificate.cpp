#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "mayfly/serve/wire/tls.hpp"
#include "mayfly/sim/input_error.hpp"

// A certificate that signs itself: clients trust it alone, by its file, and nobody can sign another one with its key.

namespace mayfly::serve {

namespace {

using Path = std::filesystem::path;
template <class Type, void (*release)(Type*)>
struct Release {
  void operator()(Type* owned) const { release(owned); }
};
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY, ::EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Release<X509, ::X509_free>>;
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

constexpr long seconds_valid = 10L * 365 * 86'400;

void require(bool holds) {
  if (!holds) throw std::runtime_error("OpenSSL could not make a certificate");
}

/// This machine's name, if it can be part of a certificate.
std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  const std::string text = name.data();
  constexpr auto allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
  return text.find_first_not_of(allowed) == std::string::npos ? text : std::string();
}

void extend(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  ::X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = ::X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  require(extension && ::X509_add_ext(certificate, extension, -1) == 1);
  ::X509_EXTENSION_free(extension);
}

Certificate make_certificate(EVP_PKEY* key) {
  Certificate made(::X509_new());
  X509* certificate = made.get();
  std::uint64_t serial = 0;
  require(certificate && ::RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  ::ASN1_INTEGER_set_uint64(::X509_get_serialNumber(certificate), serial >> 1);
  ::X509_set_version(certificate, X509_VERSION_3);
  ::X509_gmtime_adj(::X509_getm_notBefore(certificate), -86'400);
  ::X509_gmtime_adj(::X509_getm_notAfter(certificate), seconds_valid);
  ::X509_set_pubkey(certificate, key);
  X509_NAME* name = ::X509_get_subject_name(certificate);
  const auto* title = reinterpret_cast<const unsigned char*>("mayfly serve");
  require(::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, title, -1, -1, 0) == 1);
  ::X509_set_issuer_name(certificate, name);
  const std::string host = host_name();
  extend(certificate, NID_basic_constraints, "critical,CA:FALSE");
  extend(certificate, NID_key_usage, "critical,digitalSignature");
  extend(certificate, NID_ext_key_usage, "serverAuth");
  extend(certificate, NID_subject_key_identifier, "hash");
  extend(certificate, NID_subject_alt_name,
         "DNS:localhost,IP:127.0.0.1,IP:::1" + (host.empty() || host == "localhost" ? "" : ",DNS:" + host));
  require(::X509_sign(certificate, key, ::EVP_sha256()) > 0);
  return made;
}

/// A new file with these permissions, under a name of its own until it is complete.
template <class Write>
void write_file(const Path& path, mode_t permissions, Write write) {
  const Path unfinished = path.string() + ".new";
  std::filesystem::remove(unfinished);
  const int descriptor = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
  File file(descriptor < 0 ? nullptr : ::fdopen(descriptor, "w"));
  if (!file || write(file.get()) != 1 || std::fflush(file.get()) != 0)
    throw InputError(fmt::format("--tls: cannot write {}: {}", path.string(), std::strerror(errno)));
  std::filesystem::rename(unfinished, path);
}

void make_files(const TlsFiles& files) {
  const Key key(::EVP_EC_gen("P-256"));
  require(key != nullptr);
  const Certificate certificate = make_certificate(key.get());
  write_file(files.key, 0600, [&](std::FILE* file) {
    return ::PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  write_file(files.certificate, 0644, [&](std::FILE* file) { return ::PEM_write_X509(file, certificate.get()); });
}

void refuse_expired(const TlsFiles& files) {
  const File file(std::fopen(files.certificate.c_str(), "r"));
  const Certificate certificate(file ? ::PEM_read_X509(file.get(), nullptr, nullptr, nullptr) : nullptr);
  if (certificate && ::X509_cmp_current_time(::X509_get0_notAfter(certificate.get())) < 0)
    throw InputError(fmt::format("--tls: {} has expired: remove it, and the next start makes a new one",
                                 files.certificate.string()));
}

/// Keeps other servers that start now from making files of their own.
class FolderLock {
 public:
  explicit FolderLock(const Path& folder) : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_ >= 0) ::flock(folder_, LOCK_EX);
  }
  ~FolderLock() {
    if (folder_ >= 0) ::close(folder_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_;
};

}  // namespace

std::filesystem::path tls_folder() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data && *data == '/') return Path(data) / "mayfly";
  const char* home = std::getenv("HOME");
  if (home && *home == '/') return Path(home) / ".local/share/mayfly";
  throw InputError(
      "--tls keeps its certificate in the home folder, and HOME is not set: give --tls-certificate and "
      "--tls-key");
}

TlsFiles own_tls_files(const Path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw InputError(fmt::format("--tls: cannot make {}: {}", folder.string(), problem.message()));
  const FolderLock lock(folder);
  TlsFiles files{folder / "certificate.pem", folder / "key.pem"};
  if (std::filesystem::exists(files.certificate) && std::filesystem::exists(files.key))
    refuse_expired(files);
  else
    make_files(files);
  return files;
}

}  // namespace mayfly::serve
