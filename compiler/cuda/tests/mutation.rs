//! One token of a valid program is left out, each in turn: what follows from it is said in few errors.

use warpsmith_cuda::source::Memory;
use warpsmith_cuda::{Compilation, Options, analyse};

/// Programs with something of everything.
const PROGRAMS: &[&str] = &[
    "struct Point { float x, y; __device__ Point(float a, float b) : x(a), y(b) {} __device__ float dot(const Point &o) const { return x * o.x + y * o.y; } };
template <typename T> __device__ T largest(const T *values, int count) {
    T best = values[0];
    for (int i = 1; i < count; ++i) {
        if (values[i] > best) best = values[i];
    }
    return best;
}
__constant__ float scale[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__global__ void reduce(const float *in, float *out, int n) {
    __shared__ float cache[256];
    int index = 3, step = n / 2;
    cache[index] = in[index] * scale[index & 3];
    while (step > 0) {
        cache[index] += cache[index + step];
        step /= 2;
    }
    Point p(cache[0], 1.0f);
    switch (n) {
    case 0: out[0] = 0; break;
    default: out[index] = p.dot(Point(2.0f, 3.0f)) + largest(in, n);
    }
}",
    "namespace geometry {
enum class Kind : int { circle, square };
class Shape {
public:
    __device__ explicit Shape(Kind k) : kind(k) {}
    __device__ virtual ~Shape() {}
    __device__ virtual int area(int side) const = 0;
protected:
    Kind kind;
};
class Square : public Shape {
public:
    __device__ Square() : Shape(Kind::square) {}
    __device__ int area(int side) const override { return side * side; }
};
template <class F, class... A> __device__ auto apply(F f, A... a) -> decltype(f(a...)) { return f(a...); }
}
__global__ void kernel(int *out, unsigned n) {
    geometry::Square square;
    const geometry::Shape &shape = square;
    auto add = [=](int a, int b) { return a + b + (int)n; };
    int values[] = {1, 2, 3};
    int sum = 0;
    for (int v : values) sum += v;
    do { sum -= 1; } while (sum > 5);
    out[0] = geometry::apply(add, shape.area(3), sizeof(values)) ? sum : -1;
    if (int k = out[1]; k != 0) { out[2] = k; } else if (n > 7u) return;
}",
];

/// The stretches of the tokens.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let pairs: [&[u8]; 12] = [
        b"::", b"->", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"++", b"--", b"+=", b"-=",
    ];
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if word(bytes[at]) {
            while at < bytes.len() && word(bytes[at]) {
                at += 1;
            }
        } else if bytes[at..].starts_with(b"...") {
            at += 3;
        } else {
            at += if pairs.iter().any(|pair| bytes[at..].starts_with(pair)) {
                2
            } else {
                1
            };
        }
        found.push((start, at));
    }
    found
}

fn errors(text: &str) -> (usize, String) {
    let files = Memory::new().with("m.cu", text.to_string());
    let mut options = Options::default();
    options.source.prelude = warpsmith_cuda::source::Prelude::None;
    let mut compilation = Compilation::default();
    let _ = analyse(&mut compilation, &files, "m.cu", &options);
    (
        compilation.context.diagnostics.error_count(),
        compilation.context.render(),
    )
}

#[test]
fn a_token_that_is_missing_gives_few_errors() {
    let (mut all, mut many) = (0, 0);
    let mut worst = Vec::new();
    for program in PROGRAMS {
        assert_eq!(errors(program).0, 0, "{}", errors(program).1);
        for (start, end) in tokens(program) {
            let mutant = format!("{} {}", &program[..start], &program[end..]);
            let (count, text) = errors(&mutant);
            all += 1;
            if count > 3 {
                many += 1;
                worst.push((count, program[start..end].to_string(), text));
            }
        }
    }
    worst.sort();
    let shown: Vec<String> = worst
        .iter()
        .rev()
        .take(3)
        .map(|(count, token, text)| format!("{count} without {token}:\n{text}"))
        .collect();
    assert!(
        many * 20 <= all,
        "{many} of {all} give more than three errors\n{}",
        shown.join("\n")
    );
}
