// A small machine whose program each thread interprets: a large switch becomes a table of branches.
extern "C" __global__ void machine(const unsigned char *programs, int length, int *out) {
    int stack[16] = {}, top = 0, pc = 0, steps = 0;
    const unsigned char *code = programs + threadIdx.x * length;
    stack[0] = threadIdx.x;
    while (pc < length && steps++ < 200) {
        unsigned char op = code[pc++];
        int &a = stack[top & 15];
        int &b = stack[(top - 1) & 15];
        switch (op & 15) {
        case 0: b += a; top--; break;
        case 1: b -= a; top--; break;
        case 2: b *= a; top--; break;
        case 3: stack[++top & 15] = op >> 4; break;
        case 4: stack[(top + 1) & 15] = a; top++; break;
        case 5: { int t = a; a = b; b = t; break; }
        case 6: a = -a; break;
        case 7: a = ~a; break;
        case 8: if (a & 1) pc += op >> 4; break;
        case 9: a >>= 1; break;
        case 10: b ^= a; top--; break;
        case 11: a += op; break;
        case 12: if (a > 0 && pc > 3) pc -= 3; a--; break;
        case 13: b = a < b; break;
        case 14: a = __popc(a); break;
        default: top++; stack[top & 15] = top; break;
        }
        top &= 15;
    }
    out[threadIdx.x] = stack[top & 15];
}
