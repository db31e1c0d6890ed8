// A program in front of DXC's library, for `cargo xtask compilers --install`: the options of `dxc`, of which it handles
// `-Fo FILE`, the input and `--version` itself. LIBRARY and VERSION are defined by the compiler's command line.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "dxcapi.h"

// Options whose value is a word of its own.
static bool has_value(const std::string &option) {
  return option == "-E" || option == "-T" || option == "-D" || option == "-I";
}

struct Arguments {
  std::string input, output;
  std::vector<std::wstring> others;
};

static Arguments read_arguments(int count, char **words) {
  Arguments arguments;
  for (int i = 1; i < count; i++) {
    const std::string word = words[i];
    if (word == "-Fo" && i + 1 < count) {
      arguments.output = words[++i];
    } else if (word[0] == '-') {
      arguments.others.emplace_back(word.begin(), word.end());
      if (has_value(word) && i + 1 < count) {
        const std::string value = words[++i];
        arguments.others.emplace_back(value.begin(), value.end());
      }
    } else {
      arguments.input = word;
    }
  }
  return arguments;
}

static int fail(const char *reason) {
  std::fprintf(stderr, "%s\n", reason);
  return 2;
}

static int compile(IDxcCompiler3 *compiler, const Arguments &arguments) {
  std::ifstream file(arguments.input, std::ios::binary);
  if (!file)
    return fail("the input cannot be read");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const DxcBuffer source{text.data(), text.size(), DXC_CP_UTF8};
  std::vector<LPCWSTR> words;
  for (const auto &word : arguments.others)
    words.push_back(word.c_str());
  IDxcResult *result = nullptr;
  const HRESULT called = compiler->Compile(&source, words.data(), static_cast<UINT32>(words.size()), nullptr,
                                           __uuidof(IDxcResult), reinterpret_cast<void **>(&result));
  if (called < 0 || !result)
    return fail("the library does not compile");
  IDxcBlobUtf8 *messages = nullptr;
  result->GetOutput(DXC_OUT_ERRORS, __uuidof(IDxcBlobUtf8), reinterpret_cast<void **>(&messages), nullptr);
  if (messages)
    std::fwrite(messages->GetStringPointer(), 1, messages->GetStringLength(), stderr);
  HRESULT status = 0;
  result->GetStatus(&status);
  if (status < 0)
    return 1;
  IDxcBlob *object = nullptr;
  result->GetOutput(DXC_OUT_OBJECT, __uuidof(IDxcBlob), reinterpret_cast<void **>(&object), nullptr);
  if (!object)
    return fail("the library gives no object");
  std::ofstream output(arguments.output, std::ios::binary);
  output.write(static_cast<const char *>(object->GetBufferPointer()), object->GetBufferSize());
  return output.flush() ? 0 : fail("the output cannot be written");
}

int main(int count, char **words) {
  if (count == 2 && std::string(words[1]) == "--version") {
    std::puts(VERSION);
    return 0;
  }
  void *library = dlopen(LIBRARY, RTLD_NOW);
  if (!library)
    return fail(dlerror());
  const auto create = reinterpret_cast<DxcCreateInstanceProc>(dlsym(library, "DxcCreateInstance"));
  IDxcCompiler3 *compiler = nullptr;
  if (!create || create(CLSID_DxcCompiler, __uuidof(IDxcCompiler3), reinterpret_cast<void **>(&compiler)) < 0)
    return fail("the library has no compiler");
  const int status = compile(compiler, read_arguments(count, words));
  // The library's destructors crash at exit.
  std::fflush(nullptr);
  _exit(status);
}
