// The screen of `top`: lines that fit, made of TopData.
//
// Thread safety: pure function.
#ifndef FDBJOBS_TOOLS_CLI_TOP_SCREEN_H_
#define FDBJOBS_TOOLS_CLI_TOP_SCREEN_H_

#include <string>
#include <vector>

#include "tools/cli/terminal.h"
#include "tools/cli/top_data.h"

namespace fdbjobs::cli {

struct TopStyle {
  bool color = true;
  bool unicode = true;  // else charts are of ASCII characters
};

// As many lines as the screen has rows, or fewer; none is wider than the screen. `trouble` is shown in place of the
// last line if it is not empty.
std::vector<std::string> DrawTop(const TopData& data, const ScreenSize& size, const TopStyle& style,
                                 const std::string& trouble);

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_TOP_SCREEN_H_
