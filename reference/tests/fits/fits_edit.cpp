#include "reference/tests/fits/fits_edit.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fitsio.h>

#include "reference/fits/fits_checksum.hpp"
#include "reference/fits/write/fits_memory.hpp"
#include "reference/tests/support/cfitsio_file.hpp"

namespace spex::test {
namespace {

constexpr std::size_t card_size = 80;
constexpr std::size_t block_size = 2880;

std::string keyword_of(const std::string& header, std::size_t at) {
  const std::string key = header.substr(at, 8);
  return key.substr(0, key.find_last_not_of(' ') + 1);
}

std::string value_of(const std::string& header, const std::string& key) {
  for (std::size_t at = 0; at < header.size(); at += card_size)
    if (keyword_of(header, at) == key) return header.substr(at + 10, card_size - 10);
  return {};
}

std::string make_card(const std::string& key, const std::string& value) {
  std::string card = key;
  card.resize(8, ' ');
  card += "= " + value;
  card.resize(card_size, ' ');
  return card;
}

std::size_t data_size(const std::string& header) {
  const auto number = [&](const std::string& key) {
    return static_cast<std::size_t>(std::abs(std::atoll(value_of(header, key).c_str())));
  };
  const std::size_t naxis = number("NAXIS");
  std::size_t size = naxis == 0 ? 0 : 1;
  for (std::size_t i = 1; i <= naxis; ++i) size *= number("NAXIS" + std::to_string(i));
  size = (size + number("PCOUNT")) * number("BITPIX") / 8;
  return (size + block_size - 1) / block_size * block_size;
}

std::string extname(const HduBytes& hdu) {
  const std::string value = value_of(hdu.header, "EXTNAME");
  const std::size_t end = value.find_first_of(" '", 1);
  return value.size() < 2 ? "" : value.substr(1, end - 1);
}

std::uint32_t sum_of(const std::string& bytes, std::uint32_t sum) {
  return fits_checksum({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}, sum);
}

// Replaces the values of DATASUM and CHECKSUM by right ones, where present.
void write_sums(HduBytes& hdu) {
  const auto replace = [&](const std::string& key, const std::string& value) {
    for (std::size_t at = 0; at < hdu.header.size(); at += card_size)
      if (keyword_of(hdu.header, at) == key)
        hdu.header.replace(at, card_size, make_card(key, "'" + value + "'"));
  };
  if (hdu.data.size() % block_size != 0) return;
  const std::uint32_t datasum = sum_of(hdu.data, 0);
  replace("DATASUM", std::to_string(datasum));
  replace("CHECKSUM", std::string(16, '0'));
  constexpr int complement = 1;
  char encoded[FLEN_VALUE] = "";
  fits_encode_chksum(sum_of(hdu.header, datasum), complement, encoded);
  replace("CHECKSUM", encoded);
}

}  // namespace

FitsEdit::FitsEdit(const std::string& path) {
  const std::vector<char> file = read_bytes(path);
  std::size_t at = 0;
  while (at < file.size()) {
    HduBytes hdu;
    bool ended = false;
    while (!ended && at + block_size <= file.size()) {
      const std::size_t first = hdu.header.size();
      hdu.header.append(file.data() + at, block_size);
      at += block_size;
      for (std::size_t card = first; card < hdu.header.size(); card += card_size)
        ended = ended || keyword_of(hdu.header, card) == "END";
    }
    const std::size_t size = data_size(hdu.header);
    if (!ended || at + size > file.size()) throw std::logic_error(path + " is not whole");
    hdu.data.assign(file.data() + at, size);
    at += size;
    hdus_.push_back(hdu);
  }
}

HduBytes& FitsEdit::hdu(const std::string& name) {
  for (HduBytes& hdu : hdus_) {
    if (extname(hdu) != name) continue;
    hdu.changed = true;
    return hdu;
  }
  throw std::logic_error("no HDU " + name);
}

std::size_t FitsEdit::card(const std::string& name, const std::string& key) {
  const std::string& header = hdu(name).header;
  for (std::size_t at = 0; at < header.size(); at += card_size)
    if (keyword_of(header, at) == key) return at;
  throw std::logic_error(name + " has no keyword " + key);
}

FitsEdit& FitsEdit::set(const std::string& name, const std::string& key, const std::string& value) {
  hdu(name).header.replace(card(name, key), card_size, make_card(key, value));
  return *this;
}

FitsEdit& FitsEdit::add(const std::string& name, const std::string& key, const std::string& value) {
  return add_card(name, make_card(key, value));
}

FitsEdit& FitsEdit::add_card(const std::string& name, const std::string& text) {
  std::string padded = text;
  padded.resize(card_size, ' ');
  std::string& header = hdu(name).header;
  header.insert(card(name, "END"), padded);
  while (header.size() % block_size != 0 && keyword_of(header, header.size() - card_size).empty())
    header.resize(header.size() - card_size);
  header.resize((header.size() + block_size - 1) / block_size * block_size, ' ');
  return *this;
}

FitsEdit& FitsEdit::rename(const std::string& name, const std::string& key,
                           const std::string& other) {
  std::string padded = other;
  padded.resize(8, ' ');
  hdu(name).header.replace(card(name, key), 8, padded);
  return *this;
}

FitsEdit& FitsEdit::replace_data(const std::string& name, const std::string& text,
                                 const std::string& other) {
  std::string& data = hdu(name).data;
  const std::size_t at = data.find(text);
  if (at == std::string::npos || text.size() != other.size())
    throw std::logic_error(name + " does not hold " + text);
  data.replace(at, text.size(), other);
  return *this;
}

FitsEdit& FitsEdit::set_double(const std::string& name, std::size_t offset, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned i = 0; i < 8; ++i)
    hdu(name).data.at(offset + i) = static_cast<char>(bits >> (56 - 8 * i));
  return *this;
}

FitsEdit& FitsEdit::remove(const std::string& name) {
  const HduBytes* gone = &hdu(name);
  hdus_.erase(hdus_.begin() + (gone - hdus_.data()));
  return *this;
}

FitsEdit& FitsEdit::append_copy(const std::string& name, const std::string& other) {
  const HduBytes copy = hdu(name);
  set(name, "EXTNAME", "'" + other + "'");
  hdus_.push_back(hdu(other));
  hdu(other) = copy;  // the first of that name, which was renamed
  return *this;
}

FitsEdit& FitsEdit::with_old_sums() {
  old_sums_ = true;
  return *this;
}

std::vector<char> FitsEdit::bytes() const {
  std::vector<char> all;
  for (HduBytes hdu : hdus_) {
    if (hdu.changed && !old_sums_) write_sums(hdu);
    all.insert(all.end(), hdu.header.begin(), hdu.header.end());
    all.insert(all.end(), hdu.data.begin(), hdu.data.end());
  }
  return all;
}

std::string FitsEdit::save(const std::string& path) const {
  write_bytes(path, bytes());
  return path;
}

std::vector<char> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::logic_error("cannot read " + path);
  std::vector<char> bytes(std::filesystem::file_size(path));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw std::logic_error("cannot read all of " + path);
  return bytes;
}

void write_bytes(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::logic_error("cannot write " + path);
}

std::vector<char> reordered(const std::string& path, const std::vector<std::string>& names) {
  CfitsioFile in(path);
  FitsMemory out("reordered");
  int* const status = in.status();
  fits_create_img(out.get(), BYTE_IMG, 0, nullptr, status);
  for (const std::string& name : names) {
    fits_copy_hdu(in.move_to(name).get(), out.get(), 0, status);
    fits_write_chksum(out.get(), status);
  }
  fits_check(*status, path, "cannot be reordered");
  return out.take();
}

FitsEdit with_narrow_mask(const std::string& path, std::size_t pixels) {
  FitsEdit edit(path);
  std::string& bits = edit.hdu("MASK").data;
  std::string low;
  for (std::size_t i = 0; i < pixels; ++i) low += bits.substr(4 * i + 2, 2);
  low.resize((low.size() + 2879) / 2880 * 2880, '\0');
  bits = low;
  edit.set("MASK", "BITPIX", "16");
  return edit;
}

FitsEdit with_wide_mask(const std::string& path, std::size_t pixels) {
  FitsEdit edit(path);
  std::string& bits = edit.hdu("MASK").data;
  std::string wide;
  for (std::size_t i = 0; i < pixels; ++i) wide += std::string(4, '\0') + bits.substr(4 * i, 4);
  wide.resize((wide.size() + 2879) / 2880 * 2880, '\0');
  bits = wide;
  edit.set("MASK", "BITPIX", "64");
  return edit;
}

std::vector<char> packed(const std::string& path, int compression) {
  CfitsioFile in(path);
  FitsMemory out("packed");
  int status = 0;
  int hdus = 0;
  fits_get_num_hdus(in.get(), &hdus, &status);
  fits_create_img(out.get(), BYTE_IMG, 0, nullptr, &status);
  for (int hdu = 1; hdu <= hdus; ++hdu) {
    int type = 0;
    int bitpix = 0;
    fits_movabs_hdu(in.get(), hdu, &type, &status);
    if (type == IMAGE_HDU) {
      fits_get_img_type(in.get(), &bitpix, &status);
      const bool real = bitpix < 0;
      fits_set_compression_type(out.get(), real && compression == RICE_1 ? GZIP_2 : compression,
                                &status);
      fits_set_quantize_level(out.get(), 0, &status);  // no loss
      fits_img_compress(in.get(), out.get(), &status);
    } else {
      fits_copy_hdu(in.get(), out.get(), 0, &status);
    }
  }
  fits_check(status, path, "cannot be compressed");
  return out.take();
}

}  // namespace spex::test
