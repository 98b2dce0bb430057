// Structures passed by value and through pointers, with members of all sizes.
struct __align__(8) Item {
    char kind;
    short small;
    int number;
    double weight;
    unsigned char name[5];
};
struct Settings {
    Item item;
    float3 scale;
    long long big;
};
extern "C" __global__ void structures(Settings settings, const Item *items, Item *out, float *sum) {
    int t = threadIdx.x;
    Item item = items[t];
    item.number += settings.item.number * t;
    item.weight = item.weight * settings.scale.y + settings.item.weight;
    item.small = (short)(settings.big >> 3 * t);
    item.kind ^= settings.item.kind;
    for (int i = 0; i < 5; i++) item.name[i] += settings.item.name[4 - i];
    out[t] = item;
    if (t == 0) *sum = settings.scale.x + settings.scale.y + settings.scale.z;
}
