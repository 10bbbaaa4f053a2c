#include "reference/sim/write_table.hpp"

namespace spex {

void write_keywords(FitsMemory& out, const std::vector<HeaderKeyword>& keywords) {
  for (const HeaderKeyword& keyword : keywords) write_keyword(out, keyword);
}

void create_table(FitsMemory& out, const char* name, long long rows,
                  const std::vector<Column>& columns) {
  std::vector<char*> names, forms;
  for (const Column& column : columns) {  // CFITSIO does not write to the names
    names.push_back(const_cast<char*>(column.name.c_str()));
    forms.push_back(const_cast<char*>(column.form.c_str()));
  }
  int status = 0;
  fits_create_tbl(out.get(), BINARY_TBL, rows, static_cast<int>(columns.size()), names.data(),
                  forms.data(), nullptr, name, &status);
  fits_check(status, out.name(), fmt::format("cannot make the table {}", name));
}

void write_texts(FitsMemory& out, int column, const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  write_column(out, TSTRING, column, pointers);
}

}  // namespace spex
