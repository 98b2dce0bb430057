//! Types of libraries.

use super::Unit;

const HOST_HEADERS: &str = "\
#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <condition_variable>
#include <deque>
#include <forward_list>
#include <functional>
#include <future>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <fstream>
#include <filesystem>
#include <stack>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <typeindex>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <variant>
#include <vector>
";

const HOST_HEADERS_20: &str = "\
#include <barrier>
#include <compare>
#include <coroutine>
#include <latch>
#include <ranges>
#include <semaphore>
#include <span>
#include <stop_token>
";

/// Types that libraries are asked with, with their names in a variable part.
const OWN: &str = "\
struct Empty {};
struct OtherEmpty {};
struct EmptyFinal final {};
struct Small { short a; char b; };
struct Tail { Tail(); ~Tail(); int a; char b; };
struct Big { double d[3]; char c; };
struct alignas(32) Wide { int a; };
enum class Color : unsigned char { red };
";

const HOST_TYPES: &str = "\
std::pair<char, int>
std::pair<Empty, Empty>
std::pair<Tail, char>
std::pair<const std::string, std::pair<char, double>>
std::tuple<>
std::tuple<char>
std::tuple<char, int, char>
std::tuple<int, Empty>
std::tuple<Empty, Empty>
std::tuple<Empty, OtherEmpty, char>
std::tuple<std::tuple<char>, std::tuple<int>, Empty>
std::tuple<EmptyFinal, Tail, char, Wide>
std::tuple<int &, char &&, Tail>
std::tuple<std::tuple<>, std::tuple<>, short>
std::optional<char>
std::optional<int>
std::optional<Tail>
std::optional<Wide>
std::optional<std::optional<Tail>>
std::optional<Empty>
std::optional<std::string>
std::variant<char>
std::variant<char, int, double>
std::variant<std::monostate, Tail>
std::variant<Empty, OtherEmpty>
std::variant<std::string, std::vector<int>, Wide>
std::variant<std::variant<char, short>, Big>
std::any
std::string
std::wstring
std::u16string
std::u32string
std::string_view
std::u16string_view
std::array<char, 3>
std::array<Tail, 2>
std::array<int, 0>
std::array<Empty, 4>
std::array<std::array<short, 3>, 2>
std::unique_ptr<int>
std::unique_ptr<int[]>
std::unique_ptr<int, void (*)(int *)>
std::unique_ptr<Tail, std::function<void(Tail *)>>
std::shared_ptr<int>
std::weak_ptr<Tail>
std::enable_shared_from_this<Tail>
std::allocator<int>
std::function<int(char, double)>
std::reference_wrapper<int>
std::less<int>
std::less<>
std::hash<std::string>
std::bitset<1>
std::bitset<64>
std::bitset<65>
std::bitset<1000>
std::chrono::nanoseconds
std::chrono::hours
std::chrono::duration<float>
std::chrono::duration<char, std::ratio<3, 7>>
std::chrono::system_clock::time_point
std::chrono::steady_clock
std::complex<float>
std::complex<double>
std::complex<long double>
std::atomic<bool>
std::atomic<char>
std::atomic<int>
std::atomic<long long>
std::atomic<int *>
std::atomic<Small>
std::atomic<Color>
std::atomic<double>
std::atomic_flag
std::vector<int>
std::vector<bool>
std::vector<Tail>::iterator
std::vector<bool>::iterator
std::vector<bool>::reference
std::deque<int>
std::deque<char>::iterator
std::list<int>
std::list<int>::iterator
std::forward_list<char>
std::set<int>
std::multiset<std::string>
std::set<int>::iterator
std::map<int, char>
std::map<char, Tail>::value_type
std::multimap<int, int>
std::map<int, int>::const_iterator
std::map<int, int>::node_type
std::unordered_map<int, char>
std::unordered_map<std::string, int>::iterator
std::unordered_set<int>
std::unordered_multimap<char, Tail>
std::unordered_multiset<short>
std::queue<int>
std::stack<int, std::vector<int>>
std::priority_queue<int>
std::reverse_iterator<int *>
std::reverse_iterator<std::list<int>::iterator>
std::move_iterator<char *>
std::back_insert_iterator<std::vector<int>>
std::insert_iterator<std::set<int>>
std::istream_iterator<int>
std::ostream_iterator<int>
std::istreambuf_iterator<char>
std::initializer_list<int>
std::mutex
std::recursive_mutex
std::timed_mutex
std::shared_mutex
std::shared_timed_mutex
std::once_flag
std::lock_guard<std::mutex>
std::unique_lock<std::mutex>
std::scoped_lock<std::mutex>
std::scoped_lock<>
std::scoped_lock<std::mutex, std::recursive_mutex>
std::shared_lock<std::shared_mutex>
std::condition_variable
std::condition_variable_any
std::thread
std::thread::id
std::future<int>
std::shared_future<void>
std::promise<char>
std::packaged_task<int(int)>
std::error_code
std::error_condition
std::system_error
std::runtime_error
std::exception
std::bad_alloc
std::nested_exception
std::type_index
std::locale
std::stringbuf
std::ostringstream
std::istringstream
std::stringstream
std::ifstream
std::fstream
std::filebuf
std::ostream::sentry
std::filesystem::path
std::filesystem::path::iterator
std::filesystem::directory_entry
std::filesystem::directory_iterator
std::filesystem::file_status
std::filesystem::space_info
std::filesystem::filesystem_error
std::regex
std::wregex
std::smatch
std::cmatch
std::ssub_match
std::sregex_iterator
std::mt19937
std::mt19937_64
std::minstd_rand
std::ranlux24
std::knuth_b
std::random_device
std::seed_seq
std::uniform_int_distribution<char>
std::uniform_real_distribution<double>
std::normal_distribution<float>
std::gamma_distribution<double>
std::poisson_distribution<int>
std::discrete_distribution<int>
std::piecewise_linear_distribution<double>
std::valarray<int>
std::slice
std::gslice
std::slice_array<int>
std::mask_array<char>
std::integral_constant<int, 3>
std::ratio<1, 3>
std::piecewise_construct_t
std::in_place_type_t<int>
std::nullopt_t
std::monostate
std::byte
std::max_align_t
std::div_t
std::aligned_storage<5>::type
std::aligned_storage<64, 32>::type
std::aligned_union<3, Tail, double>::type
std::istream::pos_type
std::mbstate_t
std::tm
std::FILE
std::raw_storage_iterator<int *, int>
std::default_delete<Tail>
std::owner_less<>
std::scoped_lock<std::timed_mutex>
std::vector<std::pair<char, std::tuple<Empty, Tail>>>
";

const HOST_TYPES_20: &str = "\
std::span<int>
std::span<int, 4>
std::strong_ordering
std::partial_ordering
std::counting_semaphore<7>
std::binary_semaphore
std::latch
std::barrier<>
std::jthread
std::stop_token
std::stop_source
std::coroutine_handle<>
std::suspend_always
std::chrono::year_month_day
std::chrono::weekday_indexed
std::chrono::hh_mm_ss<std::chrono::milliseconds>
std::chrono::month_day_last
std::atomic<std::shared_ptr<int>>
std::atomic_ref<int>
std::ranges::subrange<int *>
std::ranges::subrange<std::list<int>::iterator, std::list<int>::iterator, std::ranges::subrange_kind::sized>
std::ranges::iota_view<int>
std::ranges::iota_view<int, int>
std::ranges::iota_view<char, long>
std::ranges::iterator_t<std::ranges::iota_view<int>>
std::ranges::empty_view<int>
std::ranges::single_view<Tail>
std::ranges::single_view<Empty>
std::ranges::ref_view<std::vector<int>>
std::ranges::owning_view<std::vector<int>>
std::ranges::take_view<std::ranges::iota_view<int>>
std::ranges::drop_view<std::ranges::ref_view<std::vector<int>>>
std::ranges::reverse_view<std::ranges::ref_view<std::list<int>>>
std::ranges::transform_view<std::ranges::ref_view<std::vector<int>>, std::negate<>>
std::ranges::transform_view<std::ranges::empty_view<int>, int (*)(int)>
std::ranges::elements_view<std::ranges::ref_view<std::vector<std::pair<int, char>>>, 1>
std::ranges::common_view<std::ranges::iota_view<int, long>>
std::ranges::in_in_result<int *, char *>
std::ranges::in_fun_result<int *, Empty>
std::ranges::min_max_result<char>
std::ranges::dangling
std::counted_iterator<std::list<int>::iterator>
std::common_iterator<std::counted_iterator<int *>, std::default_sentinel_t>
std::default_sentinel_t
std::unreachable_sentinel_t
std::move_sentinel<int *>
std::identity
std::remove_cvref_t<std::tuple<std::identity, std::less<>, char>>
";

/// The types of libstdc++ that programs of the edition have.
pub(super) fn host_library(edition: &str) -> Unit {
    let mut unit = start(HOST_HEADERS);
    if edition == "20" {
        unit.text.insert_str(0, HOST_HEADERS_20);
    }
    measure(&mut unit, HOST_TYPES);
    if edition == "20" {
        measure(&mut unit, HOST_TYPES_20);
    }
    unit
}

const TOOLKIT_HEADERS: &str = "\
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/barrier>
#include <cuda/std/bitset>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/inplace_vector>
#include <cuda/std/iterator>
#include <cuda/std/latch>
#include <cuda/std/mdspan>
#include <cuda/std/memory>
#include <cuda/std/optional>
#include <cuda/std/ranges>
#include <cuda/std/semaphore>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>
";

const TOOLKIT_TYPES: &str = "\
cuda::std::pair<char, int>
cuda::std::pair<Empty, Empty>
cuda::std::pair<Empty, char>
cuda::std::pair<Tail, char>
cuda::std::tuple<>
cuda::std::tuple<char>
cuda::std::tuple<char, int, char>
cuda::std::tuple<int, Empty>
cuda::std::tuple<Empty, Empty>
cuda::std::tuple<Empty, OtherEmpty, char>
cuda::std::tuple<EmptyFinal, Tail, char, Wide>
cuda::std::tuple<cuda::std::tuple<char>, cuda::std::tuple<Empty>, Empty>
cuda::std::optional<char>
cuda::std::optional<Tail>
cuda::std::optional<Wide>
cuda::std::optional<Empty>
cuda::std::optional<cuda::std::optional<Tail>>
cuda::std::variant<char, int, double>
cuda::std::variant<cuda::std::monostate, Tail>
cuda::std::variant<Empty, OtherEmpty>
cuda::std::variant<Big, Wide, Small>
cuda::std::expected<int, char>
cuda::std::expected<Tail, Empty>
cuda::std::expected<void, int>
cuda::std::unexpected<Small>
cuda::std::array<char, 3>
cuda::std::array<int, 0>
cuda::std::array<Empty, 2>
cuda::std::array<Tail, 2>
cuda::std::span<int>
cuda::std::span<int, 4>
cuda::std::unique_ptr<int>
cuda::std::unique_ptr<int, void (*)(int *)>
cuda::std::reference_wrapper<int>
cuda::std::less<>
cuda::std::bitset<1>
cuda::std::bitset<65>
cuda::std::bitset<200>
cuda::std::chrono::nanoseconds
cuda::std::chrono::duration<float>
cuda::std::chrono::system_clock::time_point
cuda::std::chrono::year_month_day
cuda::std::complex<float>
cuda::std::complex<double>
cuda::std::atomic<char>
cuda::std::atomic<int>
cuda::std::atomic<Small>
cuda::std::atomic<Color>
cuda::std::atomic<long long>
cuda::std::atomic_ref<int>
cuda::std::atomic_flag
cuda::atomic<int, cuda::thread_scope_block>
cuda::atomic_ref<double, cuda::thread_scope_device>
cuda::std::counting_semaphore<3>
cuda::std::latch
cuda::std::barrier<>
cuda::barrier<cuda::thread_scope_block>
cuda::std::inplace_vector<int, 5>
cuda::std::inplace_vector<Tail, 3>
cuda::std::inplace_vector<char, 0>
cuda::std::inplace_vector<Empty, 300>
cuda::std::extents<int>
cuda::std::extents<int, 4, 4>
cuda::std::extents<char, 4, cuda::std::dynamic_extent>
cuda::std::dextents<long, 3>
cuda::std::mdspan<float, cuda::std::extents<int, 4, 4>>
cuda::std::mdspan<float, cuda::std::dextents<int, 2>, cuda::std::layout_stride>
cuda::std::mdspan<double, cuda::std::dextents<short, 3>, cuda::std::layout_left>
cuda::std::layout_right::mapping<cuda::std::dextents<int, 2>>
cuda::std::layout_stride::mapping<cuda::std::extents<int, 2, cuda::std::dynamic_extent>>
cuda::std::default_accessor<int>
cuda::std::strided_slice<cuda::std::integral_constant<int, 42>, int, cuda::std::integral_constant<int, 7>>
cuda::std::strided_slice<int, int, int>
cuda::std::reverse_iterator<int *>
cuda::std::move_iterator<int *>
cuda::std::back_insert_iterator<cuda::std::inplace_vector<int, 5>>
cuda::std::default_sentinel_t
cuda::std::ranges::subrange<int *>
cuda::std::ranges::dangling
cuda::std::integral_constant<int, 3>
cuda::std::initializer_list<int>
cuda::std::monostate
cuda::std::nullopt_t
cuda::std::byte
cuda::std::identity
cuda::std::aligned_storage<5>::type
";

/// The types of libcu++.
pub(super) fn toolkits_library() -> Unit {
    let mut unit = start(TOOLKIT_HEADERS);
    measure(&mut unit, TOOLKIT_TYPES);
    unit
}

/// What is measured of any type: a class that is neither a union nor final can be a base, too, and then shows which of its tail others may take.
const MEASURES: &str = "\
template<class T, bool IsBase = __is_class(T) && !__is_final(T)> struct Tails {
    static constexpr unsigned long long below = __builtin_offsetof(Below<T>, after), size = sizeof(Below<T>);
};
template<class T> struct Tails<T, false> { static constexpr unsigned long long below = 0, size = 0; };
";

fn start(headers: &str) -> Unit {
    Unit {
        text: format!("{headers}{OWN}{MEASURES}"),
        facts: Vec::new(),
    }
}

fn measure(unit: &mut Unit, types: &str) {
    for ty in types.lines() {
        let index = unit.facts.len();
        unit.text += &format!("using Type{index} = {ty};\n");
        let mut fact = |label: &str, expression: &str| {
            let expression = expression.replace('$', &format!("Type{index}"));
            unit.push(label.replace('$', ty), expression);
        };
        fact("sizeof($)", "sizeof($)");
        fact("alignof($)", "alignof($)");
        fact("offset of what follows a $", "__builtin_offsetof(Between<$>, after)");
        fact(
            "offset of what follows a $ without an address",
            "__builtin_offsetof(Beside<$>, after)",
        );
        fact("offset of the first member below $", "Tails<$>::below");
        fact("size of a class below $", "Tails<$>::size");
    }
}
