// Who looks after watches: the network thread after those of one folder, a thread of its own after those of each other.
// The network of this program runs from its first test to its last.
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/network.h"
#include "tests/embedded/random_seed.h"
#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

class RunsNetwork : public ::testing::Environment {
 public:
  void SetUp() override {
    ASSERT_EQ(Network::Get().Setup(), 0);
    thread_ = std::thread([] { EXPECT_EQ(Network::Get().Run(), 0); });
  }
  void TearDown() override {
    EXPECT_EQ(Network::Get().Stop(), 0);
    thread_.join();
  }

 private:
  std::thread thread_;
};

const auto* const network = ::testing::AddGlobalTestEnvironment(new RunsNetwork);

std::unique_ptr<EngineImpl> Open(const TemporaryFolder& folder, const EngineTuning& tuning = {}) {
  auto engine = std::make_unique<EngineImpl>(tuning);
  std::string why;
  EXPECT_EQ(engine->OpenFolder(folder.path(), &why), 0) << why;
  return engine;
}

void Set(EngineImpl& engine, const std::string& key, const std::string& value) {
  auto writes = std::make_shared<MutationList>();
  writes->Add(MutationType::kSet, key, value, true);
  CommitRequest request;
  request.writes = std::move(writes);
  std::promise<CommitResult> result;
  engine.Commit(std::move(request), [&](CommitResult got) { result.set_value(got); });
  ASSERT_EQ(result.get_future().get().error, 0);
}

struct Watch {
  std::shared_ptr<std::promise<std::pair<ErrorCode, std::thread::id>>> promise =
      std::make_shared<std::promise<std::pair<ErrorCode, std::thread::id>>>();
  std::future<std::pair<ErrorCode, std::thread::id>> fired = promise->get_future();

  Watch(EngineImpl& engine, const std::string& key, const std::optional<std::string>& expected) {
    engine.AddWatch(key, expected, [promise = promise](ErrorCode error) {
      promise->set_value({error, std::this_thread::get_id()});
    });
  }
};

TEST(EngineWatch, TheNetworkThreadLooksAfterThoseOfOneFolderAndAnotherAfterThoseOfTheNext) {
  TemporaryFolder folders[2];
  std::thread::id threads[2];
  const auto first = Open(folders[0]);
  const auto second = Open(folders[1]);
  EngineImpl* const engines[2] = {first.get(), second.get()};
  for (int i = 0; i < 2; ++i) {
    Watch watch(*engines[i], "key", std::nullopt);
    Set(*Open(folders[i]), "key", "value");
    const auto [error, thread] = watch.fired.get();
    EXPECT_EQ(error, 0);
    threads[i] = thread;
  }
  std::promise<std::thread::id> network_thread;
  Network::Get().Post([&] { network_thread.set_value(std::this_thread::get_id()); });
  const std::thread::id expected = network_thread.get_future().get();
  EXPECT_EQ(threads[0], expected);
  EXPECT_NE(threads[1], expected);
}

TEST(EngineWatch, WatchesOfAFolderThatIsClosedFailAndTheNextFolderTakesItsPlace) {
  for (int i = 0; i < 20; ++i) {
    TemporaryFolder folder;
    auto engine = Open(folder);
    Watch fires(*engine, "key", std::nullopt);
    Watch stays(*engine, "another", std::nullopt);
    Set(*engine, "key", "value");
    EXPECT_EQ(fires.fired.get().first, 0);
    engine.reset();
    EXPECT_EQ(stays.fired.get().first, kTransactionCancelled);
  }
}

// With a short time of listening, so that the watcher is hardly ever woken by commits when the watch is set.
TEST(EngineWatch, NoneIsMissedWhenTheWatcherHasStoppedListening) {
  std::mt19937_64 random(RandomSeed());
  for (const int64_t listen_us : {0, 100}) {
    TemporaryFolder folder;
    EngineTuning tuning;
    tuning.listen_us = listen_us;
    const auto watching = Open(folder, tuning);
    const auto committing = Open(folder);
    std::optional<std::string> value;
    for (int i = 0; i < 300; ++i) {
      for (uint64_t others = random() % 3; others > 0; --others) Set(*committing, "other", std::to_string(i));
      Watch watch(*watching, "key", value);
      value = std::to_string(i);
      if (random() % 2 == 0) {
        Set(*committing, "key", *value);
      } else {
        std::thread([&] { Set(*committing, "key", *value); }).join();
      }
      EXPECT_EQ(watch.fired.get().first, 0);
    }
  }
}

TEST(EngineWatch, AFolderThatCannotBeOpenedIsRefusedOnTheNetworkThreadToo) {
  TemporaryFolder folder;
  std::ofstream(folder.path() + "/not ours") << "x";
  std::promise<ErrorCode> opened;
  Network::Get().Post([&] {
    std::shared_ptr<Engine> engine;
    std::string why;
    opened.set_value(Engine::Open(folder.path(), &engine, &why));
  });
  EXPECT_EQ(opened.get_future().get(), kConnectionStringInvalid);
}

}  // namespace
}  // namespace fdbjobs::embedded
