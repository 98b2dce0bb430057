# Programs of any size, for growth.sh: awk -v family=NAME -v n=SIZE -f growth-families.awk
# Without a family: the names of all, each with the size to begin with and the largest that makes sense (0: no bound).


# PTX

function kernel(registers, declared) {
    printf ".version 8.0\n.target sm_80\n.address_size 64\n%s.visible .entry k(.param .u64 a, .param .u32 n) {\n", declared
    print ".reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<9>;\n.reg .f32 %f<9>;\n" registers
    print "ld.param.u64 %rd1, [a];\ncvta.to.global.u64 %rd1, %rd1;\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;"
}
function kernel_end(result) { print (result ? "st.global.u32 [%rd1], " result ";\n" : "") "ret;\n}" }
function device_call(callee) {
    return "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), " callee ", (x); ld.param.b32 %r1, [y]; }"
}
function device_function(name, body) {
    return ".func (.param .b32 y) " name "(.param .b32 x) { .reg .b32 %r<4>; ld.param.b32 %r1, [x]; " body " st.param.b32 [y], %r1; ret; }\n"
}
function ptx(    i, j, text) {
    if (family == "ptx/blocks") {
        kernel()
        for (i = 0; i < n; i++) printf "setp.gt.u32 %%p1, %%r2, %d; @%%p1 bra L%d; ld.global.u32 %%r3, [%%rd1+%d]; add.u32 %%r2, %%r2, %%r3; st.global.u32 [%%rd1+%d], %%r2;\nL%d:\n", i, i, 4 * i, 4 * i, i
        kernel_end()
    } else if (family == "ptx/predicates") {
        kernel(".reg .pred %q<" n ">;")
        for (i = 0; i < n; i++) printf "setp.gt.u32 %%q%d, %%r2, %d;\n", i, i
        for (i = 0; i < n; i++) printf "@%%q%d st.global.u32 [%%rd1+%d], %%r2;\n", i, 4 * i
        kernel_end()
    } else if (family == "ptx/live") {
        kernel(".reg .b32 %v<" n ">;")
        for (i = 0; i < n; i++) printf "ld.global.u32 %%v%d, [%%rd1+%d];\n", i, 4 * i
        print "bar.sync 0;"
        for (i = 0; i < n; i++) printf "add.u32 %%v%d, %%v%d, %%v%d;\n", i, i, (7 * i + 3) % n
        for (i = 0; i < n; i++) printf "st.global.u32 [%%rd1+%d], %%v%d;\n", 4 * i, i
        kernel_end()
    } else if (family == "ptx/loop-nest") {
        kernel(".reg .b32 %c<" n ">;")
        for (i = 0; i < n; i++) printf "mov.u32 %%c%d, 0;\nL%d:\n", i, i
        print "ld.global.u32 %r3, [%rd1]; add.u32 %r2, %r2, %r3; st.global.u32 [%rd1], %r2;"
        for (i = n - 1; i >= 0; i--) printf "add.u32 %%c%d, %%c%d, 1; setp.lt.u32 %%p1, %%c%d, %%r1; @%%p1 bra L%d;\n", i, i, i, i
        kernel_end()
    } else if (family == "ptx/loops") {
        kernel()
        for (i = 0; i < n; i++) printf "mov.u32 %%r4, 0;\nL%d: ld.global.u32 %%r3, [%%rd1]; add.u32 %%r2, %%r2, %%r3; st.global.u32 [%%rd1+%d], %%r2; add.u32 %%r4, %%r4, 1; setp.lt.u32 %%p1, %%r4, %%r1; @%%p1 bra L%d;\n", i, 4 * i, i
        kernel_end()
    } else if (family == "ptx/switch") {
        kernel()
        printf "T: .branchtargets L0"
        for (i = 1; i < n; i++) printf ", L%d", i
        print ";\nbrx.idx %r2, T;"
        for (i = 0; i < n; i++) printf "L%d: add.u32 %%r1, %%r1, %d; bra E;\n", i, 3 * i + 1
        print "E:"; kernel_end("%r1")
    } else if (family == "ptx/calls") {
        kernel("", device_function("f", "mul.lo.u32 %r1, %r1, %r1;"))
        for (i = 0; i < n; i++) print device_call("f")
        kernel_end("%r1")
    } else if (family == "ptx/functions") {
        for (i = 0; i < n; i++) text = text device_function("f" i, "mul.lo.u32 %r1, %r1, %r1; add.u32 %r1, %r1, " i ";")
        kernel("", text)
        for (i = 0; i < n; i++) print device_call("f" i)
        kernel_end("%r1")
    } else if (family == "ptx/call-chain") {
        text = device_function("f0", "")
        for (i = 1; i < n; i++) text = text device_function("f" i, "add.u32 %r1, %r1, " i "; " device_call("f" (i - 1)))
        kernel("", text); print device_call("f" (n - 1)); kernel_end("%r1")
    } else if (family == "ptx/entries") {
        print ".version 8.0\n.target sm_80\n.address_size 64"
        for (i = 0; i < n; i++) printf ".visible .entry k%d(.param .u64 a) { .reg .b32 %%r<4>; .reg .b64 %%rd<3>; ld.param.u64 %%rd1, [a]; mov.u32 %%r1, %d; st.global.u32 [%%rd1], %%r1; ret; }\n", i, i
    } else if (family == "ptx/loads") {
        kernel()
        for (i = 0; i < n; i++) printf "ld.global.u32 %%r3, [%%rd1+%d]; add.u32 %%r2, %%r2, %%r3;\n", 4 * i
        kernel_end("%r2")
    } else if (family == "ptx/stores") {
        kernel()
        for (i = 0; i < n; i++) printf "st.global.u32 [%%rd1+%d], %%r2; xor.b32 %%r2, %%r2, %d;\n", 4 * ((37 * i) % n), i
        kernel_end()
    } else if (family == "ptx/phis") {
        kernel(".reg .b32 %v<40>;")
        for (j = 0; j < 40; j++) printf "mov.u32 %%v%d, %d;\n", j, j
        for (i = 0; i < n; i++) printf "setp.gt.u32 %%p1, %%v%d, %d; @%%p1 bra L%d; add.u32 %%v%d, %%v%d, %d; bra M%d;\nL%d: xor.b32 %%v%d, %%v%d, %d;\nM%d:\n", i % 40, i, i, i % 40, (i + 1) % 40, i, i, i, i % 40, (i + 2) % 40, i, i
        for (j = 0; j < 40; j++) printf "st.global.u32 [%%rd1+%d], %%v%d;\n", 4 * j, j
        kernel_end()
    } else if (family == "ptx/integer-chain") {
        kernel()
        for (i = 0; i < n; i++) printf "mad.lo.u32 %%r2, %%r2, %%r1, %d; xor.b32 %%r2, %%r2, %%r1;\n", i
        kernel_end("%r2")
    } else if (family == "ptx/float-chain") {
        kernel()
        print "cvt.rn.f32.u32 %f1, %r2; cvt.rn.f32.u32 %f2, %r1;"
        for (i = 0; i < n; i++) print "fma.rn.f32 %f1, %f1, %f2, %f1; mul.rn.f32 %f2, %f2, %f1;"
        print "cvt.rzi.u32.f32 %r2, %f1;"; kernel_end("%r2")
    } else if (family == "ptx/shared-variables") {
        for (i = 0; i < n; i++) text = text ".shared .b32 s" i ";\n"
        kernel("", text)
        for (i = 0; i < n; i++) printf "st.shared.u32 [s%d], %%r2;\n", i
        print "bar.sync 0;"
        for (i = 0; i < n; i++) printf "ld.shared.u32 %%r3, [s%d]; add.u32 %%r1, %%r1, %%r3;\n", i
        kernel_end("%r1")
    } else if (family == "ptx/global-variables") {
        for (i = 0; i < n; i++) text = text ".global .b32 g" i " = " i ";\n"
        kernel("", text)
        for (i = 0; i < n; i++) printf "ld.global.u32 %%r3, [g%d]; add.u32 %%r1, %%r1, %%r3;\n", i
        kernel_end("%r1")
    } else if (family == "ptx/initialiser") {
        print ".version 8.0\n.target sm_80\n.address_size 64"
        printf ".global .b32 g[%d] = {0", n
        for (i = 1; i < n; i++) printf ",%d", i
        print "};"
    } else if (family == "ptx/barriers") {
        kernel("", ".shared .b32 s[64];\n")
        for (i = 0; i < n; i++) printf "st.shared.u32 [s+%d], %%r2; bar.sync 0; ld.shared.u32 %%r2, [s+%d];\n", 4 * (i % 64), 4 * ((i + 1) % 64)
        kernel_end("%r2")
    } else if (family == "ptx/divisions") {
        kernel()
        for (i = 0; i < n; i++) print "div.u32 %r2, %r1, %r2; rem.s32 %r1, %r1, %r2;"
        kernel_end("%r2")
    } else if (family == "ptx/nested-ifs") {
        kernel()
        for (i = 0; i < n; i++) printf "setp.gt.u32 %%p1, %%r2, %d; @%%p1 bra L%d; add.u32 %%r2, %%r2, %%r1;\n", i, i
        for (i = n - 1; i >= 0; i--) printf "L%d: st.global.u32 [%%rd1+%d], %%r2;\n", i, 4 * i
        kernel_end()
    } else if (family == "ptx/irreducible") {
        kernel()
        for (i = 0; i < n; i++) printf "L%d: ld.global.u32 %%r3, [%%rd1+%d]; add.u32 %%r2, %%r2, %%r3; setp.gt.u32 %%p1, %%r2, %%r1; @%%p1 bra L%d;\n", i, 4 * i, (i * 7919 + 13) % n
        kernel_end("%r2")
    } else if (family == "ptx/local-array") {
        kernel(".local .align 16 .b8 l[" 4 * n "];"); print "mov.u64 %rd2, l;"
        for (i = 0; i < n; i++) printf "st.local.u32 [%%rd2+%d], %%r2; add.u32 %%r2, %%r2, %%r1;\n", 4 * i
        for (i = 0; i < n; i++) printf "ld.local.u32 %%r3, [%%rd2+%d]; add.u32 %%r1, %%r1, %%r3;\n", 4 * ((5 * i) % n)
        kernel_end("%r1")
    } else if (family == "ptx/atomics") {
        kernel()
        for (i = 0; i < n; i++) printf "atom.global.add.u32 %%r3, [%%rd1+%d], %%r2; add.u32 %%r2, %%r2, %%r3;\n", 4 * i
        kernel_end()
    } else if (family == "ptx/mma") {
        kernel(); print "cvt.rn.f32.u32 %f1, %r2; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;"
        for (i = 0; i < n; i++) print "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r2}, {%f1,%f2,%f3,%f4};"
        print "cvt.rzi.u32.f32 %r2, %f1;"; kernel_end("%r2")
    } else if (family == "ptx/mixed") {
        mixed()
    } else if (family == "ptx/independent-loads") {
        kernel(".reg .f32 %v<" 2 * n + 8 ">;")
        for (i = 0; i < n; i++) printf "ld.global.f32 %%v%d, [%%rd1+%d];\n", i, 4 * i
        for (j = 0; j < 8; j++) printf "mov.f32 %%v%d, 0f3F800000;\n", n + j
        for (i = 0; i < n; i++) printf "fma.rn.f32 %%v%d, %%v%d, %%v%d, %%v%d;\n", n + 8 + i, i, (i + 7) % n, n + i
        for (j = 0; j < 8; j++) printf "st.global.f32 [%%rd1+%d], %%v%d;\n", 4 * j, 2 * n + j
        kernel_end()
    } else exit 1
}

# Loads, arithmetic, branches over a few instructions and loops, each value in a register of its own: n times 20 instructions,
# in each of so many `kernels`.
function mixed(    k) {
    print ".version 8.0\n.target sm_75\n.address_size 64"
    for (k = 0; k < (kernels ? kernels : 1); k++) mixed_kernel(k)
}
function mixed_kernel(k,    i, r, f, p, s, counter) {
    print ".visible .entry k" k "(.param .u64 a, .param .u32 n)\n{"
    printf ".reg .b64 %%d<2>;\n.reg .b32 %%r<%d>;\n.reg .f32 %%f<%d>;\n.reg .pred %%p<%d>;\n", 7 * n + 2, 6 * n + 2, 2 * n + 2
    print "ld.param.u64 %d0, [a];\nld.param.u32 %r0, [n];\nmov.f32 %f0, 0f3F800000;"
    for (i = 0; i < n; i++) {
        r = 7 * i + 1; f = 6 * i + 1; p = 2 * i; s = 4 * (i % 500)
        if (i % 16 == 0) { printf "mov.u32 %%r%d, 0;\nH%d:\n", r + 6, i; counter = r + 6 }
        printf "ld.global.f32 %%f%d, [%%d0+%d];\nld.global.u32 %%r%d, [%%d0+%d];\n", f, s, r, s + 2048
        printf "mad.lo.s32 %%r%d, %%r%d, %d, %%r0;\nxor.b32 %%r%d, %%r%d, %%r%d;\nshl.b32 %%r%d, %%r%d, %d;\nand.b32 %%r%d, %%r%d, 1020;\n", r + 1, r, i % 97 + 3, r + 2, r + 1, r, r + 3, r + 2, i % 7 + 1, r + 4, r + 3
        printf "cvt.rn.f32.s32 %%f%d, %%r%d;\nfma.rn.f32 %%f%d, %%f%d, %%f%d, %%f0;\nmul.rn.f32 %%f%d, %%f%d, %%f%d;\n", f + 1, r + 2, f + 2, f, f + 1, f + 3, f + 2, f + 1
        printf "setp.gt.f32 %%p%d, %%f%d, 0f40000000;\n@%%p%d bra E%d;\n", p, f + 3, p, i
        printf "add.rn.f32 %%f%d, %%f%d, %%f%d;\nst.global.f32 [%%d0+%d], %%f%d;\nred.global.add.u32 [%%d0+%d], %%r%d;\nst.global.u32 [%%d0+%d], %%r%d;\n", f + 4, f + 3, f + 1, s + 4096, f + 4, s + 8192, r + 4, s + 12288, r + 3
        printf "E%d:\nmax.f32 %%f%d, %%f%d, %%f%d;\nst.global.f32 [%%d0+%d], %%f%d;\n", i, f + 5, f + 3, f + 2, s + 16384, f + 5
        if (i % 16 == 15 || i == n - 1) printf "add.u32 %%r%d, %%r%d, 1;\nsetp.lt.u32 %%p%d, %%r%d, %%r0;\n@%%p%d bra H%d;\n", counter, counter, p + 1, counter, p + 1, i - i % 16
        else printf "sub.s32 %%r%d, %%r%d, %%r%d;\nst.global.u32 [%%d0+%d], %%r%d;\nadd.u32 %%r0, %%r0, 1;\n", r + 5, r + 4, r + 1, s + 20480, r + 5
    }
    print "ret;\n}"
}

# CUDA: `head` stands before the kernel, `each(text)` repeats a text with @ for the number (@+ and @- for the next and the one before, $ for a number mixed up).

function each(text, between, first,    i, out, line) {
    for (i = first + 0; i < n; i++) {
        line = text
        gsub(/@\+/, i + 1, line); gsub(/@-/, i - 1, line); gsub(/@/, i, line); gsub(/\$/, (7 * i + 3) % n, line)
        out = out (i > first + 0 ? between : "") line
        if (length(out) > 60000) { printf "%s", out; out = "" }
    }
    printf "%s", out
}
function repeat(text,    i) { for (i = 0; i < n; i++) printf "%s", text }
function body(text) { print "\n__global__ void k(int *a, int n) {" text }
function cuda() {
    if (family == "cu/functions") { each("__device__ int f@(int x, int y) { if (x > y) return x * 3@; return y - x; }\n"); body("int x = n;"); each("x = f@(x, a[@]);\n"); print "a[0] = x; }" }
    else if (family == "cu/unused-functions") { each("__device__ int f@(int x) { return x * @ + 1; }\n"); body("a[0] = f0(n); }") }
    else if (family == "cu/call-chain") { print "__device__ int f0(int x) { return x; }"; each("__device__ int f@(int x) { return f@-(x) + @; }\n", "", 1); body("a[0] = f" (n - 1) "(n); }") }
    else if (family == "cu/kernels") each("__global__ void k@(int *a, int n) { for (int i = threadIdx.x; i < n; i += 32) a[i] = a[i] * @ + 1; }\n")
    else if (family == "cu/templates") { print "template<int N> __device__ __noinline__ int f(int x) { return x * N + 1; }"; body(); each("a[@] = f<@>(n);\n"); print "}" }
    else if (family == "cu/template-recursion") { print "template<int N> struct F { static __device__ int f(int x) { return F<N - 1>::f(x) * N + x; } };\ntemplate<> struct F<0> { static __device__ int f(int x) { return x; } };"; body("a[0] = F<" n ">::f(n); }") }
    else if (family == "cu/class-instances") { print "template<int N> struct T { int x; __device__ int f(int y) { return x * y + N; } };"; body(); each("{ T<@> t; t.x = a[@]; a[@] = t.f(n); }\n"); print "}" }
    else if (family == "cu/specialisations") { print "template<int N> struct T { static const int v = 0; };"; each("template<> struct T<@> { static const int v = @; };\n"); body("a[0] = "); each("T<@>::v", "+"); print "; }" }
    else if (family == "cu/partial-specialisations") { print "template<class A, class B> struct T { static const int v = 0; };"; each("struct X@ {}; template<class A> struct T<A, X@> { static const int v = @; };\n"); body(); each("a[@] = T<int, X@>::v;\n"); print "}" }
    else if (family == "cu/pack-fold") { print "template<class... T> __device__ int s(T... t) { return (t + ... + 0); }"; body("a[0] = s("); each("a[@]", ","); print "); }" }
    else if (family == "cu/pack-recursion") { print "__device__ int s() { return 0; }\ntemplate<class T, class... R> __device__ int s(T t, R... r) { return t + s(r...); }"; body("a[0] = s("); each("n + @", ","); print "); }" }
    else if (family == "cu/overloads") { each("struct S@ { int x; };\n__device__ int f(S@ s) { return s.x + @; }\n"); body(); each("a[@] = f(S@{n});\n"); print "}" }
    else if (family == "cu/operators") { each("struct S@ { int x; };\n__device__ S@ operator+(S@ p, S@ q) { return S@{p.x + q.x}; }\n"); body(); each("a[@] = (S@{n} + S@{1}).x;\n"); print "}" }
    else if (family == "cu/namespaces") { each("namespace N@ { struct S { int x; }; __device__ int f(S s) { return s.x; } }\n"); body(); each("a[@] = f(N@::S{n});\n"); print "}" }
    else if (family == "cu/using-namespaces") { each("namespace N@ { __device__ int f@(int x) { return x; } }\nusing namespace N@;\n"); body(); each("a[@] = f@(n);\n"); print "}" }
    else if (family == "cu/members") { print "struct S {"; each("int m@; __device__ int g@() { return m@; }\n"); print "};"; body("S *s = (S *)a;"); each("a[@] = s->m@ + s->g@();\n"); print "}" }
    else if (family == "cu/inheritance") { print "struct C0 { int x; __device__ int f() { return x; } };"; each("struct C@ : C@- { int y@; };\n", "", 1); body("C" (n - 1) " *c = (C" (n - 1) " *)a; a[0] = c->f() + c->x; }") }
    else if (family == "cu/virtual-chain") { print "struct C0 { int x; __device__ virtual int f() { return x; } };"; each("struct C@ : C@- { int y@; __device__ int f() override { return C@-::f() + y@; } };\n", "", 1); body("C" (n - 1) " c; c.x = n; C0 *p = a[0] ? (C0 *)&c : nullptr; a[0] = p->f(); }") }
    else if (family == "cu/virtual-functions") { print "struct V {"; each("__device__ virtual int f@(int x) { return x + @; }\n"); print "};"; body("V v; V *p = &v;"); each("a[@] = p->f@(n);\n"); print "}" }
    else if (family == "cu/bases") { each("struct B@ { int b@; };\n"); printf "struct D : "; each("B@", ", "); print " {};"; body("D *d = (D *)a;"); each("a[@] = d->b@;\n"); print "}" }
    else if (family == "cu/nested-structs") { print "struct S0 { int x; };"; each("struct S@ { S@- s; char c; };\n", "", 1); body("S" (n - 1) " *p = (S" (n - 1) " *)a; p->c = n; }") }
    else if (family == "cu/constructors") { print "struct C { int *p; __device__ C(int *q) : p(q) { p[0]++; } __device__ ~C() { p[1]--; } };"; body(); each("C c@(a + @);\n"); print "}" }
    else if (family == "cu/statements") { body(); each("a[@] += a[$] * n;\n"); print "}" }
    else if (family == "cu/expression") { body("a[0] = "); each("(a[@] * n)", "+"); print "; }" }
    else if (family == "cu/logic") { body("if ("); each("a[@] > n", " && "); print ") a[0] = n; }" }
    else if (family == "cu/conditional") { body("a[0] = "); each("n == @ ? 5@ : "); print "0; }" }
    else if (family == "cu/conditional-loads") { body("a[0] = "); each("n > a[@] ? a[@+] : "); print "0; }" }
    else if (family == "cu/ifs") { body("int x = n;"); each("if (a[@] > x) x += a[@] * @;\n"); print "a[0] = x; }" }
    else if (family == "cu/else-ifs") { body("int x = n;"); each("if (x == 3@) a[$] = @ + x;\n", "else "); print "}" }
    else if (family == "cu/nested-ifs") { body(); each("if (a[@] > n) { a[@] = n;\n"); repeat("}"); print "}" }
    else if (family == "cu/switch") { body("switch (n) {"); each("case 3@: a[0] = a[@] + @; break;\n"); print "} }" }
    else if (family == "cu/dense-switch") { body("switch (n) {"); each("case @: a[@] += @; break;\n"); print "} }" }
    else if (family == "cu/returning-switch") { print "__device__ __noinline__ int f(int n) { switch (n) {"; each("case 3@: return $;\n"); print "} return 0; }"; body("a[0] = f(n); }") }
    else if (family == "cu/loops") { body("int x = n;"); each("while (x > a[@]) x -= @+;\n"); print "a[0] = x; }" }
    else if (family == "cu/loop-nest") { body(); each("for (int i@ = 0; i@ < n; ++i@) {\n"); printf "a[i0] += "; each("i@", "+"); printf ";"; repeat("}"); print "}" }
    else if (family == "cu/gotos") { body("int x = n;"); each("L@: x += a[@]; if (x > @) goto L$;\n"); print "a[0] = x; }" }
    else if (family == "cu/unrolled") { body("_Pragma(\"unroll\") for (int i = 0; i < " n "; ++i) a[i] = a[i] * n + i; }") }
    else if (family == "cu/locals") { body(); each("int v@ = a[@];\n"); print "__syncthreads();"; each("a[@] = v@ + v$;\n"); print "}" }
    else if (family == "cu/local-structs") { print "struct P { int x, y, z, w; };"; body(); each("P p@; p@.x = a[@]; p@.y = n; p@.z = p@.x * n; p@.w = p@.z + p@.y; a[@] = p@.w;\n"); print "}" }
    else if (family == "cu/local-array") { body("int l[" n "];"); each("l[@] = a[@];\n"); print "a[0] = l[n]; }" }
    else if (family == "cu/blocks") { body(); repeat("{ int x = n; "); printf "a[0] = x;"; repeat("}"); print "}" }
    else if (family == "cu/parentheses") { body("a[0] = "); repeat("("); printf "n"; repeat(")"); print "; }" }
    else if (family == "cu/lambdas") { body("int x = n;"); each("auto l@ = [&](int y) { return y + x + @; };\n"); printf "a[0] = "; each("l@(n)", "+"); print "; }" }
    else if (family == "cu/nested-lambdas") { body("a[0] = "); each("[=](int y@) { return "); printf "n"; each("; }(@)"); print "; }" }
    else if (family == "cu/globals") { each("__device__ int g@ = @;\n"); body(); each("g@ += n;\n"); print "}" }
    else if (family == "cu/shared") { body(); each("__shared__ int s@;\n"); each("s@ = n + @;\n"); print "__syncthreads();"; each("a[@] = s$;\n"); print "}" }
    else if (family == "cu/initialiser") { printf "__device__ const int t[%d] = {", n; each("$", ","); print "};"; body("a[0] = t[n]; }") }
    else if (family == "cu/struct-array") { print "struct S { int x; float y; const char *z; };\n__device__ S t[] = {"; each("{@, @.5f, \"a\"}", ","); print "};"; body("a[0] = t[n].x; }") }
    else if (family == "cu/string-literals") { printf "__device__ const char *s[] = {"; each("\"string number @\"", ","); print "};"; body("a[0] = s[n][0]; }") }
    else if (family == "cu/adjacent-strings") { printf "__device__ const char s[] = "; each("\"part @\"", " "); print ";"; body("a[0] = s[n]; }") }
    else if (family == "cu/parameters") { printf "__device__ __noinline__ int f("; each("int p@", ","); printf ") { return "; each("p@", "+"); print "; }"; body("a[0] = f("); each("n + @", ","); print "); }" }
    else if (family == "cu/template-parameters") { printf "template<"; each("int P@", ","); printf "> __device__ int f() { return "; each("P@", "+"); print "; }"; body("a[0] = f<"); each("@", ","); print ">(); }" }
    else if (family == "cu/enumerators") { printf "enum E {"; each("e@", ","); print "};"; body("a[0] = e" (n - 1) " * n; }") }
    else if (family == "cu/typedefs") { print "typedef int T0;"; each("typedef T@- T@;\n", "", 1); body("T" (n - 1) " x = n; a[0] = x; }") }
    else if (family == "cu/constant-chain") { print "constexpr int c0 = 0;"; each("constexpr int c@ = c@- + 1;\n", "", 1); body("a[0] = c" (n - 1) "; }") }
    else if (family == "cu/static-asserts") { print "constexpr int f(int x) { return 2 * x; }"; each("static_assert(f(@) == 2 * @, \"\");\n"); body("a[0] = n; }") }
    else if (family == "cu/asm") { body(); each("asm volatile(\"add.s32 %0, %1, @;\" : \"=r\"(n) : \"r\"(n));\n"); print "a[0] = n; }" }
    else if (family == "cu/macro-calls") { print "#define A(i) a[i] = a[i + 1] * n + i;"; body(); each("A(@)\n"); print "}" }
    else if (family == "cu/long-macro") { print "#define B \\"; each("a[@] = n + @; \\\n"); body("B }") }
    else if (family == "cu/nested-macros") { print "#define M0(x) x"; each("#define M@(x) M@-(x + @)\n", "", 1); body("a[0] = M" (n - 1) "(n); }") }
    else if (family == "cu/definitions") { each("#define D@ @\n"); each("#ifdef D@\n#undef D@\n#endif\n"); body("a[0] = n; }") }
    else if (family == "cu/comments") { repeat("/* x */ // y\n"); body("a[0] = n; }") }
    else exit 1
}

BEGIN {
    if (family ~ /^ptx\//) ptx()
    else if (family ~ /^cu\//) cuda()
    else {
        print "ptx/mixed 500 0\nptx/blocks 2000 0\nptx/predicates 8000 0\nptx/live 500 4000\nptx/independent-loads 500 0\nptx/loop-nest 96 768\nptx/loops 1000 0\nptx/switch 2000 0"
        print "ptx/calls 4000 0\nptx/functions 1000 0\nptx/call-chain 500 8000\nptx/entries 1000 0\nptx/loads 6000 0\nptx/stores 6000 0\nptx/phis 1000 0"
        print "ptx/integer-chain 2500 0\nptx/float-chain 5000 0\nptx/shared-variables 1000 8000\nptx/global-variables 1000 8000\nptx/initialiser 800000 12000000\nptx/barriers 4000 0"
        print "ptx/divisions 500 0\nptx/nested-ifs 125 1000\nptx/irreducible 500 0\nptx/local-array 4000 64000\nptx/atomics 4000 0\nptx/mma 2000 0"
        print "cu/functions 500 0\ncu/unused-functions 2000 0\ncu/call-chain 1600 0\ncu/kernels 200 0\ncu/templates 500 0\ncu/template-recursion 100 900\ncu/class-instances 500 0"
        print "cu/specialisations 4000 0\ncu/partial-specialisations 200 0\ncu/pack-fold 250 0\ncu/pack-recursion 48 400\ncu/overloads 500 0\ncu/operators 200 0\ncu/namespaces 500 0"
        print "cu/using-namespaces 500 0\ncu/members 500 0\ncu/inheritance 200 1600\ncu/virtual-chain 24 192\ncu/virtual-functions 200 0\ncu/bases 200 0\ncu/nested-structs 200 1600"
        print "cu/constructors 200 0\ncu/statements 1000 0\ncu/expression 250 4000\ncu/logic 500 4000\ncu/conditional 250 4000\ncu/conditional-loads 250 4000\ncu/ifs 1000 0\ncu/else-ifs 1000 0"
        print "cu/nested-ifs 25 200\ncu/switch 500 0\ncu/dense-switch 500 0\ncu/returning-switch 1000 0\ncu/loops 100 0\ncu/loop-nest 4 32\ncu/gotos 100 0\ncu/unrolled 500 0"
        print "cu/locals 500 0\ncu/local-structs 600 0\ncu/local-array 1000 0\ncu/blocks 30 240\ncu/parentheses 30 240\ncu/lambdas 100 0\ncu/nested-lambdas 6 48\ncu/globals 500 0"
        print "cu/shared 1000 8000\ncu/initialiser 100000 0\ncu/struct-array 10000 0\ncu/string-literals 8000 0\ncu/adjacent-strings 8000 0\ncu/parameters 50 800\ncu/template-parameters 100 800"
        print "cu/enumerators 32000 0\ncu/typedefs 8000 0\ncu/constant-chain 32000 0\ncu/static-asserts 8000 0\ncu/asm 4000 0\ncu/macro-calls 1000 0\ncu/long-macro 1000 0"
        print "cu/nested-macros 250 2000\ncu/definitions 32000 0\ncu/comments 200000 0"
    }
}
