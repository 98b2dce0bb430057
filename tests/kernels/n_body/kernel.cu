// Accelerations of bodies, tile by tile through shared memory, with the fast reciprocal root.
extern "C" __global__ void forces(const float4 *bodies, float3 *out, int count) {
    __shared__ float4 tile[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    float4 own = bodies[i];
    float3 a = make_float3(0, 0, 0);
    for (int start = 0; start < count; start += 32) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < 32; j++) {
            float x = tile[j].x - own.x, y = tile[j].y - own.y, z = tile[j].z - own.z;
            float inverse = rsqrtf(x * x + y * y + z * z + 0.01f);
            float s = tile[j].w * inverse * inverse * inverse;
            a.x += x * s;
            a.y += y * s;
            a.z += z * s;
        }
        __syncthreads();
    }
    out[i] = a;
}
