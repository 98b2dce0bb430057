// Additions, subtractions and products of 128-bit numbers as the compiler makes them.
typedef unsigned __int128 Wide;
extern "C" __global__ void wide(const ulonglong2 *a, const ulonglong2 *b, ulonglong2 *out) {
    int t = threadIdx.x;
    Wide x = (Wide)a[t].y << 64 | a[t].x, y = (Wide)b[t].y << 64 | b[t].x;
    auto put = [&](int i, Wide v) { out[6 * t + i] = make_ulonglong2((unsigned long long)v, (unsigned long long)(v >> 64)); };
    put(0, x + y);
    put(1, x - y);
    put(2, x * y);
    put(3, x >> (int)(y & 127));
    put(4, x << (int)(y & 127));
    put(5, (__int128)x < (__int128)y ? x ^ y : ~x);
}
