#include "tools/bench/rates.h"

#include <algorithm>
#include <utility>

namespace fdbjobs::bench {

double Percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<size_t>(percent / 100 * static_cast<double>(values.size()));
  return values[std::min(values.size() - 1, at)];
}

double Median(std::vector<double> values) { return Percentile(std::move(values), 50); }

Json Rates(const std::vector<double>& rates, Json runs) {
  Json json = Json::Object();
  json["perSecond"] = Median(rates);
  json["min"] = *std::min_element(rates.begin(), rates.end());
  json["max"] = *std::max_element(rates.begin(), rates.end());
  json["runs"] = std::move(runs);
  return json;
}

}  // namespace fdbjobs::bench
