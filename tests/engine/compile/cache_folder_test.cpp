// The cache's folder among hostile ones: as its owner, as root and as another user.
#include "compile/cache_folder.h"
#include "core/format.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

namespace quern {
namespace {

namespace fs = std::filesystem;

constexpr uid_t nobody = 65534;

class CacheFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "quern-folder-test-XXXXXX").string();
    root = mkdtemp(name.data());
    chmod(root.c_str(), 0755);
    given = root / "given";
  }
  void TearDown() override { fs::remove_all(root); }

  fs::path own(uid_t user = geteuid()) const { return given / ("quern-cache-1-" + std::to_string(user)); }
  static std::string name(int i) { return formatted("{:032x}", i); }
  static mode_t mode(const fs::path& path) {
    struct stat s;
    return stat(path.c_str(), &s) == 0 ? s.st_mode & 07777 : 0;
  }
  static void put(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  static std::string get(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void make_old(const fs::path& path) {
    timespec times[2] = {{1000000, 0}, {1000000, 0}};
    utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW);
  }
  // Every file, folder and link below a folder, with what shows that it was touched.
  static std::map<std::string, std::string> picture(const fs::path& folder) {
    std::map<std::string, std::string> out;
    for (auto& entry : fs::recursive_directory_iterator(folder)) {
      struct stat s;
      lstat(entry.path().c_str(), &s);
      out[entry.path()] = formatted("{} {} {} {}", s.st_mode, s.st_uid, s.st_mtim.tv_sec, s.st_size);
    }
    return out;
  }
  // Nothing can be read or written, nothing is touched; it is said once.
  void expect_refused(const std::string& why) {
    auto before = picture(root);
    CacheFolder folder(given);
    EXPECT_NE(folder.problem(true).find(why), std::string::npos) << folder.problem(true);
    testing::internal::CaptureStderr();
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(folder.write(name(i), "x"));
      EXPECT_EQ(folder.read(name(i)), std::nullopt);
      folder.remove(name(i));
    }
    folder.trim(0);
    EXPECT_EQ(folder.clear(), 0u);
    EXPECT_EQ(folder.sum().files, 0u);
    std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find(why), std::string::npos) << said;
    EXPECT_NE(said.find("QUERN_CACHE_DIR"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_EQ(picture(root), before);
  }
  // Runs in a child as that user; returns whether everything that it expected held.
  template <class Work>
  static bool as_user(uid_t user, Work work) {
    pid_t child = fork();
    if (child == 0) {
      if (setgid(user) != 0 || setuid(user) != 0) _exit(3);
      work();
      _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  fs::path root, given;
};

TEST_F(CacheFolderTest, MakesItsOwn) {
  CacheFolder folder(given);
  EXPECT_EQ(folder.path(), own().string());
  EXPECT_EQ(folder.read(name(1)), std::nullopt);
  EXPECT_FALSE(fs::exists(given));  // the check makes nothing
  EXPECT_TRUE(folder.write(name(1), "one"));
  EXPECT_EQ(folder.read(name(1)), "one");
  EXPECT_EQ(mode(own()), 0700u);
  EXPECT_EQ(mode(own() / "00"), 0700u);
  EXPECT_EQ(mode(own() / "00" / name(1)), 0600u);
  EXPECT_TRUE(fs::is_regular_file(own() / "marker.txt"));
  EXPECT_EQ(folder.sum().files, 1u);
  EXPECT_EQ(CacheFolder(given).read(name(1)), "one");
  EXPECT_EQ(folder.clear(), 1u);
  EXPECT_EQ(folder.read(name(1)), std::nullopt);
}

TEST_F(CacheFolderTest, AnExistingFolderKeepsItsMode) {
  for (mode_t was : {01777, 0777, 0755, 0700}) {
    fs::remove_all(given);
    fs::create_directory(given);
    chmod(given.c_str(), was);
    EXPECT_TRUE(CacheFolder(given).write(name(1), "one"));
    EXPECT_EQ(mode(given), was);
    EXPECT_EQ(mode(own()), 0700u);
  }
}

TEST_F(CacheFolderTest, TheGivenPathMayBeALink) {
  fs::create_directory(root / "real");
  fs::create_directory_symlink(root / "real", given);
  CacheFolder folder(given);
  EXPECT_TRUE(folder.write(name(1), "one"));
  EXPECT_EQ(folder.read(name(1)), "one");
  EXPECT_TRUE(fs::exists(root / "real" / own().filename() / "00" / name(1)));
}

TEST_F(CacheFolderTest, ItsOwnMayNot) {
  fs::create_directory(given);
  fs::create_directory(root / "real");
  chmod((root / "real").c_str(), 0700);
  put(root / "real" / "marker.txt", "");
  put(root / "real" / "00" / name(1), "planted");
  fs::create_directory_symlink(root / "real", own());
  expect_refused("is a link");
}

TEST_F(CacheFolderTest, AFileInItsPlace) {
  put(own(), "a file");
  expect_refused("is not a folder");
}

TEST_F(CacheFolderTest, OneThatOthersMayWrite) {
  CacheFolder(given).write(name(1), "one");
  for (mode_t wrong : {0777, 0770, 0702}) {
    chmod(own().c_str(), wrong);
    expect_refused("may be written by others");
  }
  chmod(own().c_str(), 0755);
  EXPECT_EQ(CacheFolder(given).read(name(1)), "one");
}

TEST_F(CacheFolderTest, OneWithFilesAndNoMarker) {
  put(own() / "letter.txt", "dear");
  chmod(own().c_str(), 0700);
  expect_refused("files that are not the cache's");
  fs::create_symlink("/etc/passwd", own() / "marker.txt");
  expect_refused("files that are not the cache's");
}

TEST_F(CacheFolderTest, AnEmptyOneIsTaken) {  // its maker was killed before it wrote the marker
  fs::create_directories(own());
  chmod(own().c_str(), 0700);
  EXPECT_TRUE(CacheFolder(given).write(name(1), "one"));
  EXPECT_TRUE(fs::exists(own() / "marker.txt"));
}

TEST_F(CacheFolderTest, OnlyItsOwnNamesGo) {
  CacheFolder folder(given);
  for (int i = 0; i < 20; ++i) folder.write(name(i), std::string(1000, 'x'));
  std::vector<fs::path> foreign = {
      given / "photos" / "wedding.jpg",
      given / "report.tmp",
      given / "00" / name(7),
      own() / "note.txt",
      own() / "note.tmp",
      own() / "zz" / name(7),
      own() / "00" / "note.txt",
      own() / "00" / (name(7) + ".tmp"),
      own() / "00" / (name(7) + ".1.tmp"),
      own() / "00" / (name(7) + ".1.2.tmp.jpg"),
      own() / "00" / (name(7) + ".1.x.tmp"),
      own() / "00" / (name(7) + ".jpg"),
      own() / "00" / name(7).substr(1),
      own() / "00" / ("11" + name(7).substr(2)),  // in another's part
      own() / "00" / ("00" + std::string(29, 'f') + "G"),
  };
  for (const fs::path& path : foreign) put(path, "mine"), make_old(path);
  fs::create_symlink(foreign[0], own() / "00" / name(50));
  fs::create_directory(own() / "00" / name(51));
  put(root / "elsewhere" / name(7), "mine");
  put(root / "elsewhere" / ("ee" + name(7).substr(2)), "mine");
  fs::create_directory_symlink(root / "elsewhere", own() / "ee");
  make_old(root / "elsewhere" / ("ee" + name(7).substr(2)));
  fs::path left = own() / "00" / (name(8) + ".4711.0.tmp"), fresh = own() / "00" / (name(8) + ".4711.1.tmp");
  put(left, "half"), make_old(left);
  put(fresh, "half");

  EXPECT_EQ(folder.sum().files, 20u);
  folder.trim(10000);
  EXPECT_LE(folder.sum().files, 9u);
  EXPECT_GE(folder.sum().files, 8u);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(fresh));
  folder.clear();
  EXPECT_EQ(folder.sum().files, 0u);
  folder.remove(name(50));
  folder.remove(name(51));
  for (const fs::path& path : foreign) EXPECT_EQ(get(path), "mine") << path;
  EXPECT_TRUE(fs::is_symlink(own() / "00" / name(50)));
  EXPECT_TRUE(fs::is_directory(own() / "00" / name(51)));
  EXPECT_EQ(get(root / "elsewhere" / ("ee" + name(7).substr(2))), "mine");
}

TEST_F(CacheFolderTest, TheOldestGoFirst) {
  CacheFolder folder(given);
  for (int i = 0; i < 10; ++i) folder.write(name(i), std::string(1000, 'x'));
  for (int i : {3, 4, 5, 6}) make_old(own() / "00" / name(i));
  folder.trim(7000);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(folder.read(name(i)).has_value(), i < 3 || i > 6) << i;
}

TEST_F(CacheFolderTest, LinksInsideAreNotFollowed) {
  CacheFolder folder(given);
  folder.write(name(1), "one");
  fs::rename(own() / "00" / name(1), root / "moved");
  fs::create_symlink(root / "moved", own() / "00" / name(1));
  EXPECT_EQ(folder.read(name(1)), std::nullopt);
  EXPECT_TRUE(folder.write(name(1), "again"));  // takes the link's place
  EXPECT_EQ(get(root / "moved"), "one");
  EXPECT_EQ(folder.read(name(1)), "again");
  fs::rename(own() / "00", root / "part");
  fs::create_directory_symlink(root / "part", own() / "00");
  EXPECT_FALSE(folder.write(name(1), "more"));
  EXPECT_EQ(get(root / "part" / name(1)), "again");
}

TEST_F(CacheFolderTest, OddThingsInAnEntrysPlace) {
  CacheFolder folder(given);
  folder.write(name(1), "one");
  fs::path entry = own() / "00" / name(1);
  chmod(entry.c_str(), 0666);
  EXPECT_EQ(folder.read(name(1)), std::nullopt);
  fs::remove(entry);
  mkfifo(entry.c_str(), 0600);  // nobody writes it: must not wait
  EXPECT_EQ(folder.read(name(1)), std::nullopt);
  fs::remove(entry);
  fs::create_directory(entry);
  EXPECT_EQ(folder.read(name(1)), std::nullopt);
  EXPECT_FALSE(folder.write(name(1), "one"));
  EXPECT_TRUE(fs::is_empty(entry));
}

TEST_F(CacheFolderTest, RemovedWhileInUse) {
  CacheFolder folder(given);
  EXPECT_TRUE(folder.write(name(1), "one"));
  fs::remove_all(given);
  EXPECT_EQ(folder.read(name(1)), std::nullopt);
  EXPECT_TRUE(folder.write(name(1), "one"));
  EXPECT_EQ(folder.read(name(1)), "one");
}

TEST_F(CacheFolderTest, ARelativePathStaysWhereItWas) {
  fs::path before = fs::current_path();
  fs::current_path(root);
  CacheFolder folder("given");
  fs::current_path("/");
  EXPECT_TRUE(folder.write(name(1), "one"));
  fs::current_path(before);
  EXPECT_TRUE(fs::exists(own() / "00" / name(1)));
}

TEST_F(CacheFolderTest, NoneGiven) {
  CacheFolder folder("");
  EXPECT_NE(folder.problem(true), "");
  EXPECT_EQ(folder.read(name(1)), std::nullopt);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(folder.write(name(1), "one"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("QUERN_CACHE_DIR"), std::string::npos);
}

TEST_F(CacheFolderTest, ManyAtOnce) {
  constexpr int processes = 8, files = 20;
  for (int round = 0; round < 10; ++round) {
    fs::remove_all(given);
    std::vector<pid_t> children;
    for (int p = 0; p < processes; ++p) {
      pid_t child = fork();
      if (child == 0) {
        CacheFolder folder(given);
        bool good = true;
        for (int i = 0; i < files; ++i) good = folder.write(name(i), "same") && folder.read(name(i)) == "same" && good;
        _exit(good ? 0 : 1);
      }
      children.push_back(child);
    }
    for (pid_t child : children) {
      int status = 1;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(CacheFolder(given).sum().files, static_cast<size_t>(files));
  }
}

TEST_F(CacheFolderTest, AnotherUsersFolders) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  fs::create_directory(given);
  chmod(given.c_str(), 01777);
  CacheFolder ours(given);
  EXPECT_TRUE(ours.write(name(1), "root's"));
  // Each has its own in a shared folder.
  EXPECT_TRUE(as_user(nobody, [&] {
    CacheFolder folder(given);
    EXPECT_EQ(folder.read(name(1)), std::nullopt);
    EXPECT_TRUE(folder.write(name(1), "theirs"));
    EXPECT_EQ(folder.read(name(1)), "theirs");
    EXPECT_EQ(folder.clear(), 1u);
  }));
  EXPECT_EQ(ours.read(name(1)), "root's");
  EXPECT_EQ(mode(given), 01777u);
  // Planted in our place: refused, although root might write there.
  fs::remove_all(own());
  EXPECT_TRUE(as_user(nobody, [&] {
    mkdir(own(0).c_str(), 0700);
    put(own(0) / "marker.txt", "");
    put(own(0) / "00" / name(1), "planted");
  }));
  expect_refused("belongs to another user");
  // One that was moved away and replaced is not used any more; what is in the place of a part or an entry neither.
  fs::remove_all(own());
  EXPECT_TRUE(ours.write(name(1), "root's"));
  EXPECT_EQ(lchown((own() / "00" / name(1)).c_str(), nobody, nobody), 0);
  EXPECT_EQ(ours.read(name(1)), std::nullopt);
  EXPECT_EQ(lchown((own() / "00").c_str(), nobody, nobody), 0);
  EXPECT_FALSE(ours.write(name(1), "root's"));
  EXPECT_EQ(ours.clear(), 0u);
  EXPECT_EQ(lchown((own() / "marker.txt").c_str(), nobody, nobody), 0);
  EXPECT_NE(ours.problem(true), "");
}

TEST_F(CacheFolderTest, AFolderThatMayNotBeWritten) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  fs::create_directory(given);  // root's
  chmod(given.c_str(), 0755);
  EXPECT_TRUE(as_user(nobody, [&] {
    testing::internal::CaptureStderr();
    CacheFolder folder(given);
    EXPECT_EQ(folder.read(name(1)), std::nullopt);
    EXPECT_FALSE(folder.write(name(1), "x"));
    EXPECT_FALSE(folder.write(name(2), "x"));
    EXPECT_NE(folder.problem(true).find("Permission denied"), std::string::npos);
    std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }));
  // Their own, made read-only: what is there is read.
  chmod(given.c_str(), 0777);
  EXPECT_TRUE(as_user(nobody, [&] {
    CacheFolder folder(given);
    EXPECT_TRUE(folder.write(name(1), "theirs"));
    chmod((own() / "00").c_str(), 0500);
    chmod(own().c_str(), 0500);
    EXPECT_EQ(folder.read(name(1)), "theirs");
    EXPECT_FALSE(folder.write(name(2), "x"));
    EXPECT_FALSE(folder.write("ff" + name(2).substr(2), "x"));
    chmod(own().c_str(), 0700);
    chmod((own() / "00").c_str(), 0700);
  }));
}

}  // namespace
}  // namespace quern
