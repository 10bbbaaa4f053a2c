// Shell completion: the scripts, and their behavior in bash, zsh and fish if installed.

#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/cli/completion.hpp"
#include "reference/cli/program.hpp"
#include "reference/tests/support/process.hpp"

namespace spex {
namespace {

using testing::HasSubstr;

// A program with one option of each kind.
class Completion : public testing::Test {
 protected:
  Completion() {
    app_.add_option("-i,--input", text_, "An image: it's \"[raw]\"");
    app_.add_option("--threads", number_, "Threads of\neach rank");
    app_.add_option("--bind", text_, "Where")->check(CLI::IsMember({"gpu", "none"}));
    app_.add_option("--size", text_, "How large")->type_name("tiny|full");
    app_.add_flag("--mpi", flag_, "Ranks");
    app_.add_option("file", text_, "positional");
  }
  // Returns whether `shell` is installed; if so, runs it with the script as a file, followed by
  // `more`.
  static bool run(const std::string& shell, const std::vector<std::string>& command,
                  std::string& out) {
    if (test::run({"bash", "-c", "command -v " + shell + " >/dev/null"}) != 0) return false;
    const test::Finished finished = test::run_captured(command);
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(finished.err, "");
    out = finished.out;
    return true;
  }
  // Writes the script to a file in `scratch_`.
  std::string script(const std::string& shell) {
    test::write_file(scratch_.file(shell), completion(app_, shell) + "\n");
    return scratch_.file(shell);
  }
  // The completions of bash after these words, for a partial last word.
  std::string offered(const std::string& words) {
    std::string out;
    EXPECT_TRUE(run("bash",
                    {"bash", "-c",
                     "source \"$0\"; COMP_WORDS=(spex-try " + words +
                         "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _spex_try; "
                         "echo \"${COMPREPLY[*]}\"",
                     script("bash")},
                    out));
    return out;
  }

  test::ScratchFolder scratch_;
  std::string text_;
  int number_ = 0;
  bool flag_ = false;
  CLI::App app_{"", "spex-try"};
};

TEST_F(Completion, OfBash) {
  EXPECT_EQ(offered("--t"), "--threads\n");
  EXPECT_EQ(offered("-"), "-h --help -i --input --threads --bind --size --mpi\n");
  EXPECT_EQ(offered("--bind ''"), "gpu none\n");
  EXPECT_EQ(offered("--bind n"), "none\n");
  EXPECT_EQ(offered("--size ''"), "tiny full\n");
  EXPECT_EQ(offered("--threads 1"), "\n");
  EXPECT_EQ(offered("--input " + scratch_.file("ba")), scratch_.file("bash") + "\n");
  EXPECT_EQ(offered("--mpi " + scratch_.file("ba")), scratch_.file("bash") + "\n");
}

TEST_F(Completion, OfZsh) {
  const std::string text = completion(app_, "zsh");
  EXPECT_TRUE(text.starts_with("#compdef spex-try\n"));
  EXPECT_THAT(text,
              HasSubstr("'(-i --input)--input[An image\\: it'\\''s \"\\[raw\\]\"]:text:_files'"));
  EXPECT_THAT(text, HasSubstr("'(--threads)--threads[Threads of each rank]:number: '"));
  EXPECT_THAT(text, HasSubstr("'(--bind)--bind[Where]:word:(gpu none)'"));
  EXPECT_THAT(text, HasSubstr("'(--mpi)--mpi[Ranks]' "));
  std::string out;
  if (!run("zsh", {"zsh", "-n", script("zsh")}, out)) GTEST_SKIP() << "there is no zsh";
}

TEST_F(Completion, OfFish) {
  const std::string text = completion(app_, "fish");
  EXPECT_THAT(text, HasSubstr("complete -c spex-try -s i -l input -r -F -d 'An image: it\\'s"));
  EXPECT_THAT(text, HasSubstr("-l threads -x -d 'Threads of each rank'\n"));
  EXPECT_THAT(text, HasSubstr("-l bind -x -a 'gpu none' -d 'Where'\n"));
  std::string out;
  if (!run("fish", {"fish", "-c", "source " + script("fish") + "; complete -C 'spex-try --bind '"},
           out))
    GTEST_SKIP() << "there is no fish";
  EXPECT_THAT(out, HasSubstr("gpu"));
}

TEST_F(Completion, IsPrintedByTheOption) {
  app_.get_option("--input")->required();
  std::vector<std::string> words{"spex-try", "--completion", "zsh"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int status = -1;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(parse_command_line(app_, static_cast<int>(argv.size()), argv.data(), true, status));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), completion(app_, "zsh") + "\n");
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace spex
