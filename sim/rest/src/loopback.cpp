#include "mayfly/rest/loopback.hpp"

#include <boost/asio/ip/address.hpp>

namespace mayfly::rest {

bool is_loopback(std::string_view host) {
  boost::system::error_code problem;
  const auto address = boost::asio::ip::make_address(host, problem);
  return host == "localhost" || (!problem && address.is_loopback());
}

}  // namespace mayfly::rest
