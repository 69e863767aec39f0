#include "processors.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace mayfly::bench {

double Processors::busy_seconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft_interrupts = 0, stolen = 0;
  file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen;
  return (user + nice + system + interrupts + soft_interrupts + stolen) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double Processors::own_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

unsigned Processors::count() { return std::max(std::thread::hardware_concurrency(), 1U); }

}  // namespace mayfly::bench
