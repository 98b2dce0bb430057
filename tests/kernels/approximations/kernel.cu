// The hardware's approximations, within their documented errors.
extern "C" __global__ void functions(const float *in, float *out) {
    float x = in[threadIdx.x], *to = out + 7 * threadIdx.x;
    asm("rcp.approx.f32 %0, %1;" : "=f"(to[0]) : "f"(x));
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(to[1]) : "f"(x));
    asm("sqrt.approx.f32 %0, %1;" : "=f"(to[2]) : "f"(x));
    asm("sin.approx.f32 %0, %1;" : "=f"(to[3]) : "f"(x));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(to[4]) : "f"(x));
    asm("lg2.approx.f32 %0, %1;" : "=f"(to[5]) : "f"(x));
    asm("div.full.f32 %0, %1, %2;" : "=f"(to[6]) : "f"(1.5f), "f"(x));
}
