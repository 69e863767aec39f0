#include <cstdlib>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

// The same cases in every run, unless the environment says otherwise.
int main(int argc, char** argv) {
  ::setenv("RC_PARAMS", "seed=2024 max_success=500", /*overwrite=*/0);
  return doctest::Context(argc, argv).run();
}
