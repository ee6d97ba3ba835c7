// Keys and random numbers: the bits that saved models and seeds depend on.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check.hpp"
#include "novikoff/keys.hpp"
#include "novikoff/random.hpp"

using namespace novikoff;
using namespace std::string_view_literals;

namespace {

constexpr std::string_view sentence = "the quick brown fox jumps over it";

/// Whether counts that should be even are: chi-square, six of its standard deviations wide.
bool look_even(const std::vector<std::int64_t>& counts) {
  const double total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  const double expected = total / static_cast<double>(counts.size()), freedom = static_cast<double>(counts.size()) - 1;
  double chi2 = 0;
  for (std::int64_t count : counts)
    chi2 += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected) / expected;
  return std::abs(chi2 - freedom) < 6 * std::sqrt(2 * freedom);
}

/// The hash of a copy that ends where its memory ends, for the sanitizer to see a byte read too many.
std::uint64_t hash_of_copy(std::string_view text) {
  const std::vector<char> exact(text.begin(), text.end());
  return hash_key(std::string_view(exact.data(), exact.size()));
}

}  // namespace

TEST(text_of_every_length_hashes_as_in_every_release) {
  constexpr std::array<std::uint64_t, 34> golden{
      0x85BFD3257729F7C6ULL, 0xD96B99E67902ECC8ULL, 0x420E10B1A9F3C81DULL, 0x0C18AF66183BFBF7ULL, 0x6CBBD2475CD93EFEULL,
      0xD1A7AF811F8CF096ULL, 0x75871F77A62B60BEULL, 0xE922B2BAEC579981ULL, 0x03178976D119E083ULL, 0x73FD96F773889A66ULL,
      0xA752F3CFE6DF9D16ULL, 0xEB9F6E7754AC2A52ULL, 0xC37D30B38645A61EULL, 0x2232EB2E37E140E0ULL, 0x34576CDC1AECE6ACULL,
      0x292ECD4F01ECB4B6ULL, 0x669CBF84FEEF26EDULL, 0xD4894E8B561ABA2CULL, 0x62B1345A8F474221ULL, 0xCCFDBE7A6FAAB534ULL,
      0x32C16CEFAF38FC42ULL, 0x5CE11FD99D615F46ULL, 0x99BB3064E2E594ADULL, 0x4BFDD30949050BFCULL, 0xF6983CA11591BD65ULL,
      0x91A0617A22790FDEULL, 0x270F1ED81674AD7EULL, 0x26564F0AED46D301ULL, 0xE7A48C39511300F1ULL, 0xC44993D762FBA8FDULL,
      0xA780CC658F3546F4ULL, 0x0ABD883C933EDF92ULL, 0x7D7C91BB6562FF48ULL, 0xC610BC341B7AF12EULL,
  };
  for (std::size_t length = 0; length < golden.size(); ++length) {
    CHECK(hash_key(sentence.substr(0, length)) == golden[length]);
    CHECK(hash_of_copy(sentence.substr(0, length)) == golden[length]);
  }
}

TEST(bytes_beyond_ascii_hash_as_in_every_release) {
  CHECK(hash_of_copy("\xC3\xA9"sv) == 0x00F3FE0D72457CB6ULL);
  CHECK(hash_of_copy("\xC3\xB1"
                     "and\xC3\xBA"sv) == 0x204D278F671C4CE3ULL);
  CHECK(hash_of_copy("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E"sv) == 0x5639F701DDC8F41DULL);
  CHECK(hash_of_copy("\xFF\xFE\x80\x00\x7F"sv) == 0xF0B9C2D55F1170A8ULL);
  CHECK(hash_of_copy(std::string(16, '\x80')) == 0x7EC7741478F0424CULL);
  CHECK(hash_of_copy(std::string(17, '\xFF')) == 0xD457A966EDA8BBA2ULL);
}

TEST(integers_hash_as_in_every_release) {
  CHECK(hash_key(std::int64_t{0}) == 0x4077208EC2867E05ULL);
  CHECK(hash_key(std::int64_t{1}) == 0xF543AD789D1E7BCBULL);
  CHECK(hash_key(std::int64_t{-1}) == 0x4CF8E44D072F5AA9ULL);
  CHECK(hash_key(std::numeric_limits<std::int64_t>::min()) == 0x3E8AC589DB98607EULL);
  CHECK(hash_key(std::numeric_limits<std::int64_t>::max()) == 0x337E3114590EB604ULL);
}

TEST(integers_hash_apart_from_their_digits_and_their_bytes) {
  for (std::int64_t number : {0, 1, 7, 123456789, -5}) {
    const auto bytes = std::bit_cast<std::array<char, 8>>(number);
    CHECK(hash_key(number) != hash_key(std::to_string(number)));
    CHECK(hash_key(number) != hash_key(std::string_view(bytes.data(), bytes.size())));
  }
}

TEST(zero_bytes_at_the_end_make_another_key) {
  std::unordered_set<std::uint64_t> hashes;
  for (std::size_t length = 0; length <= 64; ++length) hashes.insert(hash_key(std::string(length, '\0')));
  CHECK(hashes.size() == 65);
}

TEST(every_bit_of_a_key_changes_about_half_of_the_hash) {
  int flipped = 0, trials = 0;
  for (std::size_t length = 1; length <= sentence.size(); ++length) {
    std::string text(sentence.substr(0, length));
    const std::uint64_t before = hash_key(text);
    for (std::size_t bit = 0; bit < 8 * length; ++bit) {
      const auto mask = static_cast<char>(1u << (bit % 8));
      text[bit / 8] = static_cast<char>(text[bit / 8] ^ mask);
      const int changed = std::popcount(hash_key(text) ^ before);
      text[bit / 8] = static_cast<char>(text[bit / 8] ^ mask);
      CHECK(changed >= 8 && changed <= 56);
      flipped += changed;
      ++trials;
    }
  }
  CHECK(std::abs(flipped - 32 * trials) < trials / 2);
}

TEST(hashes_of_like_keys_fill_buckets_evenly_by_low_and_by_high_bits) {
  constexpr std::int64_t keys = 100'000;
  const auto check_even = [](auto&& key) {
    std::vector<std::int64_t> low(1024), high(1024);
    std::unordered_set<std::uint64_t> distinct;
    for (std::int64_t i = 0; i < keys; ++i) {
      const std::uint64_t hash = hash_key(key(i));
      ++low[hash % 1024];
      ++high[hash >> 54];
      distinct.insert(hash);
    }
    CHECK(look_even(low));
    CHECK(look_even(high));
    CHECK(distinct.size() == keys);
  };
  check_even([](std::int64_t i) { return i; });
  check_even([](std::int64_t i) { return -1 - i * 65536; });
  check_even([](std::int64_t i) { return std::to_string(i); });
  check_even([](std::int64_t i) { return "feature_" + std::to_string(i); });
  check_even([](std::int64_t i) { return std::to_string(i) + "=a rather long name of a feature"; });
}

TEST(a_key_table_agrees_with_the_standard_map) {
  KeyTable table;
  std::unordered_map<std::uint64_t, std::int64_t> map;
  Random random{1};
  for (int k = 0; k < 300'000; ++k) {
    const std::uint64_t hash = hash_key(static_cast<std::int64_t>(random.below(120'000)));
    const auto known = map.find(hash);
    CHECK(table.find(hash) == (known == map.end() ? KeyTable::absent : known->second));
    table.prefetch(hash);
    CHECK(table.find_or_add(hash) == map.emplace(hash, static_cast<std::int64_t>(map.size())).first->second);
    CHECK(table.size() == map.size());
  }
  CHECK(table.size() > 100'000);
  for (const auto& [hash, column] : map) CHECK(table.find(hash) == column);
  for (std::int64_t i = 200'000; i < 210'000; ++i) CHECK(table.find(hash_key(i)) == KeyTable::absent);
}

TEST(a_key_table_tells_hashes_apart_that_start_in_one_slot) {
  KeyTable table;
  const auto hash = [](std::uint64_t k) { return k << 40 | 0xFFFF'FFFF; };  // the last slot: probing goes round the end
  for (std::uint64_t k = 0; k < 1000; ++k) {
    CHECK(table.find(hash(k)) == KeyTable::absent);
    CHECK(table.find_or_add(hash(k)) == static_cast<std::int64_t>(k));
  }
  for (std::uint64_t k = 0; k < 1000; ++k) CHECK(table.find(hash(k)) == static_cast<std::int64_t>(k));
}

TEST(zero_is_a_hash_like_any_other) {
  KeyTable table;
  CHECK(table.find(0) == KeyTable::absent && table.size() == 0);
  CHECK(table.find_or_add(0) == 0 && table.find_or_add(~std::uint64_t{0}) == 1);
  CHECK(table.find(0) == 0 && table.find(~std::uint64_t{0}) == 1 && table.size() == 2);
}

TEST(random_numbers_are_those_of_splitmix64) {
  Random zero{0}, other{1234567};
  for (std::uint64_t number : {0xE220A8397B1DCDAFULL, 0x6E789E6AA1B965F4ULL, 0x06C45D188009454FULL})
    CHECK(zero.next() == number);
  for (std::uint64_t number : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL, 4593380528125082431ULL})
    CHECK(other.next() == number);
}

TEST(draws_below_a_bound_are_even) {
  for (std::uint64_t bound : {2, 3, 6, 7, 100}) {
    Random random{bound};
    std::vector<std::int64_t> counts(bound);
    for (int k = 0; k < 100'000; ++k) {
      const std::uint64_t draw = random.below(bound);
      CHECK(draw < bound);
      if (draw < bound) ++counts[draw];
    }
    CHECK(look_even(counts));
  }
  Random random{1};
  CHECK(random.below(1) == 0);
}

TEST(draws_below_a_huge_bound_do_not_favour_its_lower_part) {
  constexpr std::uint64_t bound = std::uint64_t{3} << 62;  // a plain remainder would fall into the first third half the time
  Random random{2};
  std::vector<std::int64_t> thirds(3);
  for (int k = 0; k < 30'000; ++k) ++thirds[random.below(bound) >> 62];
  CHECK(look_even(thirds));
}

TEST(a_shuffle_is_a_permutation_and_its_seed_repeats_it) {
  std::vector<std::int64_t> straight(1000);
  std::iota(straight.begin(), straight.end(), 0);
  auto first = straight, second = straight, third = straight;
  Random one{5}, same{5}, other{6};
  shuffle(first, one);
  shuffle(second, same);
  shuffle(third, other);
  CHECK(first == second && one.state == same.state);
  CHECK(first != straight && first != third);
  CHECK(std::is_permutation(first.begin(), first.end(), straight.begin(), straight.end()));
  shuffle(std::span<std::int64_t>{}, one);
  shuffle(std::span(first).first(1), one);
  CHECK(one.state == same.state && first == second);  // nothing to draw
}

TEST(all_orders_of_four_are_equally_likely) {
  Random random{7};
  std::unordered_map<std::int64_t, std::int64_t> counts;
  for (int k = 0; k < 48'000; ++k) {
    std::array<std::int64_t, 4> order{0, 1, 2, 3};
    shuffle(order, random);
    ++counts[1000 * order[0] + 100 * order[1] + 10 * order[2] + order[3]];
  }
  std::vector<std::int64_t> all;
  for (const auto& [order, count] : counts) all.push_back(count);
  CHECK(all.size() == 24 && look_even(all));
}
