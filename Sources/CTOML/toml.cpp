#include "ctoml.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

// toml++ 3.3 asserts on some malformed keys, where a configuration must get an error and not end the process.
namespace {
[[noreturn]] inline void toml_assertion(const char *what) { throw std::runtime_error(what); }
}  // namespace
#define TOML_ASSERT(expression) ((expression) ? static_cast<void>(0) : toml_assertion("is malformed"))
#define TOML_ASSERT_ASSUME(expression) TOML_ASSERT(expression)
// No setting nests deeper than a list in a section; what does is after the stack.
#define TOML_MAX_NESTED_VALUES 8
#include <toml++/toml.h>

namespace {

void quote(std::string &out, std::string_view text) {
    out += '"';
    for (unsigned char byte : text) {
        if (byte == '"' || byte == '\\') {
            out += '\\';
            out += static_cast<char>(byte);
        } else if (byte < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", byte);
            out += escape;
        } else {
            out += static_cast<char>(byte);
        }
    }
    out += '"';
}

constexpr int deepest = 16;

void print(std::string &out, const toml::node &node, unsigned line, int depth);

void open(std::string &out, char kind, unsigned line) {
    out += "{\"k\":\"";
    out += kind;
    out += "\",\"l\":" + std::to_string(line) + ",\"v\":";
}

void print_table(std::string &out, const toml::table &table, int depth) {
    if (depth > deepest) throw std::runtime_error("is nested too deeply");
    out += '{';
    bool first = true;
    for (auto &&[key, value] : table) {
        if (!first) out += ',';
        first = false;
        quote(out, key.str());
        out += ':';
        // A table's own line is that of its header; a value's line is the line of its key.
        print(out, value, key.source().begin.line, depth + 1);
    }
    out += '}';
}

void print(std::string &out, const toml::node &node, unsigned line, int depth) {
    if (depth > deepest) throw std::runtime_error("is nested too deeply");
    if (line == 0) line = node.source().begin.line;
    if (auto table = node.as_table()) {
        open(out, 't', line);
        print_table(out, *table, depth);
    } else if (auto array = node.as_array()) {
        open(out, 'a', line);
        out += '[';
        bool first = true;
        for (auto &&element : *array) {
            if (!first) out += ',';
            first = false;
            print(out, element, 0, depth + 1);
        }
        out += ']';
    } else if (auto string = node.as_string()) {
        open(out, 's', line);
        quote(out, string->get());
    } else if (auto integer = node.as_integer()) {
        open(out, 'i', line);
        out += std::to_string(integer->get());
    } else if (auto boolean = node.as_boolean()) {
        open(out, 'b', line);
        out += boolean->get() ? "true" : "false";
    } else if (auto floating = node.as_floating_point()) {
        open(out, 'f', line);
        char digits[40];
        // JSON knows no infinity; no setting wants one.
        std::snprintf(digits, sizeof digits, "%.17g", std::isfinite(floating->get()) ? floating->get() : 0.0);
        out += digits;
    } else {
        std::ostringstream text;
        text << toml::node_view<const toml::node>(node);
        open(out, 'x', line);
        quote(out, text.str());
    }
    out += '}';
}

}  // namespace

char *ctoml_parse(const char *text, size_t length, int *error_line, char **error) {
    *error_line = 0;
    *error = nullptr;
    try {
        toml::table table = toml::parse(std::string_view(text, length));
        std::string out;
        out += "{\"k\":\"t\",\"l\":1,\"v\":";
        print_table(out, table, 0);
        out += '}';
        return strdup(out.c_str());
    } catch (const toml::parse_error &failure) {
        *error_line = static_cast<int>(failure.source().begin.line);
        *error = strdup(std::string(failure.description()).c_str());
    } catch (const std::exception &failure) {
        *error = strdup(failure.what());
    } catch (...) {
        *error = strdup("cannot be parsed");
    }
    return nullptr;
}

void ctoml_free(char *text) { std::free(text); }
