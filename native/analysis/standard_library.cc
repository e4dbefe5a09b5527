#include "analysis/standard_library.h"

#include <string>

namespace emberline {
namespace {

// Of Python 3.7 to 3.14, each name between blanks. A package's files lie in its folder, a module is
// one file; some changed from one to the other.
constexpr std::string_view kPackages =
    " _pyrepl asyncio collections concurrent ctypes dbm distutils email encodings ensurepip "
    "html http importlib json lib2to3 logging multiprocessing pathlib pydoc_data re sqlite3 "
    "sysconfig tkinter tomllib unittest urllib venv wsgiref xml xmlrpc zipfile zoneinfo ";

constexpr std::string_view kModules =
    " __future__ _aix_support _android_support _apple_support _ast_unparse _bootlocale "
    "_bootsubprocess _collections_abc _colorize _compat_pickle _compression _dummy_thread "
    "_dummy_threading _ios_support _markupbase _missing_stdlib_info _opcode_metadata "
    "_osx_support _py_abc _py_warnings _pydecimal _pyio _pylong _sitebuiltins _strptime "
    "_sysconfigdata _threading_local _weakrefset abc aifc annotationlib argparse ast asynchat "
    "asyncore base64 bdb binhex bisect bz2 cgi cgitb codecs codeop colorsys compileall "
    "configparser contextlib contextvars copy copyreg cprofile crypt csv dataclasses datetime "
    "decimal difflib dis doctest dummy_thread dummy_threading enum filecmp fileinput fnmatch "
    "fractions ftplib functools genericpath getopt getpass gettext glob graphlib gzip hashlib "
    "heapq hmac imaplib imghdr inspect io ipaddress keyword linecache locale lzma macpath "
    "mailbox mailcap mimetypes modulefinder netrc nntplib ntpath nturl2path numbers opcode "
    "operator optparse os pathlib pdb pickle pickletools pipes pkgutil platform plistlib "
    "poplib posixpath pprint pstats py_compile pyclbr pydoc queue quopri random re reprlib "
    "rlcompleter runpy secrets selectors shelve shlex shutil signal smtpd smtplib sndhdr "
    "socket socketserver sre sre_compile sre_constants sre_parse ssl stat string stringprep "
    "struct subprocess sunau symtable sysconfig tabnanny tarfile telnetlib tempfile textwrap "
    "threading timeit token tokenize traceback tracemalloc types typing uu uuid warnings wave "
    "weakref webbrowser xdrlib zipapp zipfile zipimport ";

bool Lists(std::string_view names, std::string_view name) {
  return !name.empty() && name.find(' ') == std::string_view::npos &&
         names.find(" " + std::string(name) + " ") != std::string_view::npos;
}

}  // namespace

bool IsStandardLibraryFile(std::string_view relative_path) {
  const size_t slash = relative_path.find('/');
  if (slash != std::string_view::npos) return Lists(kPackages, relative_path.substr(0, slash));
  if (!relative_path.ends_with(".py")) return false;
  return Lists(kModules, relative_path.substr(0, relative_path.size() - 3));
}

}  // namespace emberline
