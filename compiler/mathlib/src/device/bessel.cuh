// Bessel functions of the first and second kind, of integer order, and the modified ones of order 0 and 1. Single precision is double precision rounded.
//
// Below 8 there are polynomials around the zeros, which are subtracted in two parts: relative accuracy is kept next to them. From 8 on amplitude and phase are
// even and odd in 1/x. Higher orders come by recurrence: upwards from orders 0 and 1 where that is stable, downwards else.

#pragma once
#include "exponential.cuh"
#include "logarithm.cuh"
#include "trigonometry.cuh"

#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define PI_D 0x1.921fb54442d18p+1

// A polynomial, the highest coefficient first.
HELPER double horner(double, double value) { return value; }
template <class... Rest> HELPER double horner(double x, double value, double next, Rest... rest) { return horner(x, fused(value, x, next), rest...); }

HELPER double small_j0(double x) {
    double t;
    if (x < 1.5) {
        t = x * x;
        return horner(t, 0x1.4d5e1018a8acfp-64, -0x1.0b1a359eef073p-55, 0x1.5229feaed435ep-47, -0x1.522a437495495p-39, 0x1.02e85c07fc904p-31,
                          -0x1.23456789aadc8p-24, 0x1.c71c71c71c6ffp-18, -0x1.c71c71c71c71cp-12, 0x1p-6, -0x1p-2, 0x1p+0);
    }
    if (x < 4) {
        t = (x - 0x1.33d152e971b4p+1) - -0x1.0f539d7da258ep-53;
        return t * horner(t, 0x1.cf67d3c85c8cp-56, -0x1.c338cce186282p-52, -0x1.d299ebf640631p-48, 0x1.f72986b3f40ccp-44, 0x1.cd40f94432a4cp-40, -0x1.bdc48bf8c8266p-36,
                          -0x1.5c2c36b70c3f4p-32, 0x1.2951bd5918132p-28, 0x1.7ff991638e694p-25, -0x1.1cce302828732p-21, -0x1.232c77d2261fcp-18,
                          0x1.6ed3b9f07eb0ep-15, 0x1.15382ba06cc26p-12, -0x1.1f992590d12bdp-9, -0x1.1bb1cbe1a4071p-7, 0x1.cfae864368d7p-5, 0x1.ba1deea029494p-4,
                          -0x1.09cdb3655128p-1);
    }
    if (x < 7) {
        t = (x - 0x1.6148f5b2c2e45p+2) - 0x1.75054cd60a517p-54;
        return t * horner(t, -0x1.4d99c9cc03f0bp-60, -0x1.3c0c01f960d4dp-56, 0x1.de732eb0031abp-52, 0x1.90f415a1f873ap-48, -0x1.1047aaaf99a1dp-43,
                          -0x1.8498a21851cb8p-40, 0x1.e2f339a0a5c05p-36, 0x1.1d04335190378p-32, -0x1.41d72d950396ep-28, -0x1.2da37e3754701p-25,
                          0x1.32e6d99c6d3a2p-21, 0x1.ad77d7489e806p-19, -0x1.863f481a43074p-15, -0x1.6f641f41956d5p-13, 0x1.27e31fe9a9779p-9, 0x1.2f7ffe90256bbp-8,
                          -0x1.b2150cb41e8c1p-5, -0x1.f8f72e7a848ep-6, 0x1.5c6e60a097823p-2);
    }
    t = x - 0x1.ep+2;
    return horner(t, 0x1.172b1c40199a7p-43, -0x1.62109d42e80fep-40, -0x1.ddbdf8a31b73cp-36, 0x1.189991ef5a8bp-32, 0x1.2e4bd452db2f7p-28, -0x1.46263be1c8ea3p-25,
                      -0x1.0c8642b30ee03p-21, 0x1.06ff258bb657ap-18, 0x1.34486d57c65f8p-15, -0x1.0ccd71b529c02p-12, -0x1.8f884bd407661p-10, 0x1.29a1c87794d11p-7,
                      0x1.c5288a7bc4534p-6, -0x1.fc8822de4866fp-4, -0x1.14fd20aa5273ap-3, 0x1.10bb57e0e56e6p-2);
}

HELPER double small_j1(double x) {
    double t;
    if (x < 1.9) {
        t = x * x;
        return x * horner(t, -0x1.d1ebe0bd7f759p-78, 0x1.f12900731379cp-69, -0x1.ab8117d9bddcep-60, 0x1.2c975770070e5p-51, -0x1.522a43f319e7ep-43,
                          0x1.27e4fb77850d8p-35, -0x1.845c8a0ce508cp-28, 0x1.6c16c16c16c16p-21, -0x1.c71c71c71c71cp-15, 0x1.5555555555555p-9, -0x1p-4, 0x1p-1);
    }
    if (x < 5.4) {
        t = (x - 0x1.ea75575af6f09p+1) - -0x1.60155a9d1b256p-53;
        return t * horner(t, -0x1.0f21a4b843d3dp-65, 0x1.57219554a5a16p-60, 0x1.1fa43d661ee45p-56, -0x1.ee6ca684f518ep-52, -0x1.67bf83e708ceep-48,
                          0x1.17a40c604d7c7p-43, 0x1.5ec82e5b29cebp-40, -0x1.ec62317a910f8p-36, -0x1.03b9e930364c9p-32, 0x1.4569b22c01ca5p-28, 0x1.170692337e129p-25,
                          -0x1.33825cd2e4f04p-21, -0x1.9799d4c9f152dp-19, 0x1.83a06e30c4155p-15, 0x1.6e4c2d535420fp-13, -0x1.24b3409959064p-9, -0x1.537544c331da7p-8,
                          0x1.b589d1da13905p-5, 0x1.ae8a39f51ad04p-5, -0x1.9c6cf582cbf7fp-2);
    }
    t = (x - 0x1.c0ff5f3b4725p+2) - -0x1.b226d9d243827p-54;
    return t * horner(t, -0x1.8a90167fd66c2p-60, -0x1.11d43b3ec26b3p-56, 0x1.f02c55eb76397p-52, 0x1.4af453a4ba684p-48, -0x1.183ee722a1da6p-43,
                      -0x1.3bb6a63959406p-40, 0x1.ecae921f8ee9fp-36, 0x1.c62ccb7ab5bfdp-33, -0x1.44639d7dd7121p-28, -0x1.d48dcdaebee1ap-26,
                      0x1.3026e0ce96657p-21, 0x1.4255b015ae025p-19, -0x1.796a751f89039p-15, -0x1.07358bbdbff92p-13, 0x1.13fbc7d698217p-9, 0x1.9a4b292e3de42p-9,
                      -0x1.80c83bdeee5bp-5, -0x1.5e70dc60362bfp-6, 0x1.33518b3874e8ap-2);
}

HELPER double small_y0(double x) {
    double t;
    if (x < 0.5) {
        t = x * x;
        return TWO_OVER_PI * __nv_log(x) * small_j0(x) + horner(t, -0x1.2fef12692b493p-46, 0x1.23935463fe541p-38, -0x1.a6ee7928ec1eep-31, 0x1.bce4a600c04b2p-24, -0x1.3e99794203b87p-17,
                          0x1.1a6206b7b973dp-11, -0x1.075b1bbf41364p-6, 0x1.6bbcb41034286p-3, -0x1.2e4d699cbd01fp-4);
    }
    if (x < 1.1) {
        t = (x - 0x1.c982eb8d417eap-1) - 0x1.ea9d270347f83p-56;
        return t * horner(t, 0x1.c97024f29f131p+3, 0x1.438bca3b651f8p+4, 0x1.5a6b6db81aacep+3, -0x1.7b56a476dc1e5p-2, -0x1.9c31e0851643cp+0, -0x1.a674d86b5f73bp-1,
                          0x1.87363311bb684p-2, -0x1.a59c62f1da599p-3, 0x1.04d7f9af9b1c3p-2, -0x1.f312e9327981ep-3, 0x1.d442c74fe464fp-3, -0x1.c0ab911cb1e3ap-3,
                          0x1.afcc37e3c1683p-3, -0x1.a1b7b7a0ba615p-3, 0x1.96de624ac9fefp-3, -0x1.8f7e3132cca34p-3, 0x1.8c08d119bfbe6p-3, -0x1.8d35b48357b4cp-3,
                          0x1.9424b92f305a6p-3, -0x1.a396a8059ffabp-3, 0x1.c068086c2b1c9p-3, -0x1.cf18e6a4b386ap-3, 0x1.c3b1338af3e8cp-3, -0x1.f7e38a46d7102p-2,
                          0x1.c24371844b88ap-1);
    }
    if (x < 2.2) {
        t = x - 0x1.a666666666666p+0;
        return horner(t, -0x1.4e74d7d81f157p-22, 0x1.1f3a2ed025d63p-21, -0x1.63ffab7cfd558p-22, 0x1.34b64c0a00753p-21, -0x1.8fe0838204027p-20,
                          0x1.5ae054df7ad1cp-19, -0x1.1ddfa235dc807p-18, 0x1.f329620969405p-18, -0x1.b7aedbbb863d7p-17, 0x1.828a6504f66cbp-16,
                          -0x1.5521b4ec785e4p-15, 0x1.2e9e490e0b81bp-14, -0x1.0def50a9bcb1dp-13, 0x1.e49f188d7ed4ap-13, -0x1.b651e1298e585p-12,
                          0x1.8fc3e9eaa8558p-11, -0x1.6ea78c3dff2d5p-10, 0x1.578e1066856a7p-9, -0x1.6179c541bbce1p-8, 0x1.3dedc0d34c55cp-7, -0x1.c87054f4e2abap-9,
                          0x1.ee4af6a856f9ep-6, -0x1.41c878de40f66p-2, 0x1.4381fd0782205p-2, 0x1.bf80395addba2p-2);
    }
    if (x < 5.4) {
        t = (x - 0x1.fa9534d98569cp+1) - -0x1.f06ae7804384ep-54;
        return t * horner(t, 0x1.2f47aacdf288ep-56, 0x1.98627b1d923d3p-59, -0x1.5da7dbd69cd55p-53, -0x1.686397c93d3dp-52, 0x1.b6bc5c2a09d6cp-50, -0x1.b71ab53036b31p-51,
                          0x1.675c7f8fc71c8p-48, -0x1.65529a5845b86p-45, 0x1.58d6a30a1d33ap-43, -0x1.4f559abf0c019p-41, 0x1.62a41b0fa4513p-39,
                          -0x1.75c1c7b2253b1p-37, 0x1.88c8d787494fcp-35, -0x1.99455fa58fedep-33, 0x1.a5a0c246e761dp-31, -0x1.f693eadf0c0cp-29, 0x1.452ea4bbf517p-26,
                          -0x1.777052fcbb332p-26, -0x1.3b216858de6c3p-22, -0x1.486371e824c15p-18, 0x1.ab2c1fece6a05p-15, 0x1.9982765167f7ep-13,
                          -0x1.1e32bc4ef8a82p-9, -0x1.c116fdc5980a7p-8, 0x1.df6d59bf50ebdp-5, 0x1.a09c9290367efp-5, -0x1.9c34256a12a0cp-2);
    }
    t = (x - 0x1.c581dc4e72103p+2) - -0x1.9774a495f56cfp-54;
    return t * horner(t, 0x1.a4ace0e0318b4p-58, -0x1.3f22b257e45fdp-56, 0x1.3da186e8b9943p-51, 0x1.30a4400ccaa2ep-48, -0x1.069ac61beb2a6p-43,
                      -0x1.714a61a735313p-40, 0x1.f14ebc54f7026p-36, 0x1.fa6c525ddbbf5p-33, -0x1.442a3d7ff64a1p-28, -0x1.0a2814db1d503p-25,
                      0x1.34aa75742d0fep-21, 0x1.6a92273536a36p-19, -0x1.8177e4fe52696p-15, -0x1.26dd71e391cf1p-13, 0x1.1d35e85fde2a5p-9, 0x1.b2f14a95527ccp-9,
                      -0x1.8969c64cbf452p-5, -0x1.5aef611fc4d57p-6, 0x1.334cca0697a5bp-2);
}

HELPER double small_y1(double x) {
    double t;
    if (x < 1.0) {
        t = x * x;
        return TWO_OVER_PI * (__nv_log(x) * small_j1(x) - 1.0 / x) + x * horner(t, 0x1.92cb1b948714ep-59, -0x1.146fa3b6eda2cp-50, 0x1.2a4e14fdc5bfp-42, -0x1.f0ce34c99b48p-35, 0x1.32e5a4ddeaef1p-27, -0x1.0a780ac776e8cp-20,
                          0x1.2c7dbffcde97dp-14, -0x1.835b97894be5bp-9, 0x1.bd3975c75b4a7p-5, -0x1.91866143cbc8ap-3);
    }
    if (x < 1.6) {
        t = x - 0x1.4cccccccccccdp+0;
        return horner(t, 0x1.5da5e1fe44d18p-9, -0x1.c6741e4168b1bp-9, 0x1.a1946e810af0cp-9, -0x1.0f58c6656e19cp-8, 0x1.731fecfa8692ep-8, -0x1.e243cc62e7003p-8,
                          0x1.38331bd3e8927p-7, -0x1.959cab4a4e36bp-7, 0x1.077d4295971f1p-6, -0x1.5634c59ed330ep-6, 0x1.bc4fdb432e30dp-6, -0x1.2053b5248f32dp-5,
                          0x1.75fdd7ace5542p-5, -0x1.e4ac11e281041p-5, 0x1.395fcf9ab64d9p-4, -0x1.943ed57c5a2cap-4, 0x1.09202ce8e532fp-3, -0x1.56304ba681ad2p-3,
                          0x1.2b16b4d2a7ffbp-3, -0x1.48bb86e2d9a23p-3, 0x1.6abd0d9a9f2ap-1, -0x1.18d793faf4d48p-1);
    }
    if (x < 3.4) {
        t = (x - 0x1.193bed4dff243p+1) - -0x1.bd1e50d219bfdp-55;
        return t * horner(t, -0x1.156395d582cbdp-35, 0x1.5d2fa9ebe957bp-32, -0x1.947f345d4e0ebp-30, 0x1.27aeeb3e9bb74p-28, -0x1.49d5fbaaafb13p-27,
                          0x1.50da9cabe79c8p-26, -0x1.6455ad537abdep-25, 0x1.882ee460276ap-24, -0x1.b168c3eee610bp-23, 0x1.dc3c123d66f91p-22, -0x1.05278139e2c4ep-20,
                          0x1.1e721ededd12cp-19, -0x1.3a26ec480dcdbp-18, 0x1.5865d6704b3bbp-17, -0x1.7956bacfeaaep-16, 0x1.9d174d503e8efp-15, -0x1.c3fae347baad5p-14,
                          0x1.eea7bbafcb9e7p-13, -0x1.0b2d877e46c6cp-11, 0x1.17ab4afad8f0fp-10, -0x1.5429dc5a43189p-9, 0x1.e671c7d119354p-8, -0x1.3a6dec37290ffp-8,
                          -0x1.0d2af4e932384p-5, -0x1.e56f82217b8f1p-4, 0x1.0aa48442f014bp-1);
    }
    if (x < 4.6) {
        t = x - 0x1p+2;
        return horner(t, 0x1.5f1f445e6df2ap-37, -0x1.5ddbff1ce7cd7p-35, 0x1.3922d0043fb48p-33, -0x1.383aaa822dee3p-31, 0x1.33cafb1238321p-29,
                          -0x1.28e82793d98b8p-27, 0x1.506949f0d4026p-25, -0x1.95ab9221e0e7ep-23, 0x1.2101a69826aa7p-23, 0x1.6b8358b925d92p-19, 0x1.4ffe3ce58828ep-15,
                          -0x1.6979944f31601p-12, -0x1.4a78afddc4e6fp-10, 0x1.5d503a30298f7p-7, 0x1.df04a2c33b5b3p-6, -0x1.6034612668ec7p-3, -0x1.dcdd7d7a42bb4p-4,
                          0x1.9779d664523bep-2);
    }
    if (x < 6.9) {
        t = (x - 0x1.5b7fe4e87b02ep+2) - 0x1.dfe7bac228e8cp-52;
        return t * horner(t, 0x1.21945adcf1748p-51, -0x1.9dfc9d04871f1p-48, 0x1.4743b67967597p-45, -0x1.c6f80ba312966p-43, 0x1.49e6b17df3149p-40,
                          -0x1.3810798656f1ap-38, 0x1.3ff99dd7a0e29p-39, -0x1.a7ee5bf4cfb44p-32, 0x1.80b1b4ad035ap-28, 0x1.b62cd02e4584p-26, -0x1.255e6cfe6e094p-21,
                          -0x1.806191477f526p-19, 0x1.85b940eb66548p-15, 0x1.337c7e138f0b7p-13, -0x1.1be6db9923af4p-9, -0x1.10a329e2c23f7p-8, 0x1.a15d92dfe3e27p-5,
                          0x1.00b9f8571ca1fp-5, -0x1.5c7c556f0c19ap-2);
    }
    t = x - 0x1.d99999999999ap+2;
    return horner(t, -0x1.f5182c2f7382ep-44, 0x1.74b078721d9b5p-40, 0x1.bb65edb83091p-36, -0x1.319d12f48b2dp-32, -0x1.120ff91d5132cp-28, 0x1.58bf96a529e3fp-25,
                      0x1.e8fdb07d5d7fap-22, -0x1.121c8e075c8f6p-18, -0x1.178be26b6cd9bp-15, 0x1.11763ac73b65ap-12, 0x1.6e045e3b5df79p-10, -0x1.2a6a282fa8fdfp-7,
                      -0x1.a893227767d3p-6, 0x1.00e83578095f9p-3, 0x1.054d04b56f1edp-3, -0x1.17ab72b13b939p-2);
}

// With t = 1/x^2: what stands before the cosine, and x times what stands before the sine.
HELPER double even_part_0(double t) {
    return horner(t, 0x1.34ca429f82251p+50, -0x1.433c3b3d01ce1p+47, 0x1.3c14d5cf24751p+43, -0x1.84eded90d692ap+38, 0x1.5a6107940148p+33, -0x1.f1eac9f37e4e7p+27,
                      0x1.45a68123573c3p+22, -0x1.c0800b8f3942p+16, 0x1.7a1c01a99538dp+11, -0x1.b7f1d9d1d1948p+6, 0x1.84bc4e9d254f5p+2, -0x1.251ee66c5b985p-1,
                      0x1.cb5ffffe56f78p-4, -0x1.1fffffffffe9ap-4, 0x1p+0);
}
HELPER double odd_part_0(double t) {
    return horner(t, 0x1.24f407436f6dp+59, -0x1.4033cac43b96cp+56, 0x1.45ca5e57c8547p+52, -0x1.9d380b6df6139p+47, 0x1.739ac707ff1b5p+42, -0x1.02bfd513ed7e4p+37,
                      0x1.30186c8db6cd6p+31, -0x1.4f56e58493097p+25, 0x1.8b6fd94ead46cp+19, -0x1.1c4249482f0e2p+14, 0x1.139a0c3e656e7p+9, -0x1.8615e843b3787p+4,
                      0x1.ba4c56ee90afbp+0, -0x1.d11dfffda1078p-3, 0x1.2bffffffffc7dp-4, -0x1p-3);
}
HELPER double even_part_1(double t) {
    return horner(t, -0x1.460a886b215abp+50, 0x1.556ea1c910ab1p+47, -0x1.4e134d5d4c7a9p+43, 0x1.9b73998ecfa4ap+38, -0x1.6efde50a3029fp+33,
                      0x1.087486001648dp+28, -0x1.5b76f264179e8p+22, 0x1.e2164829c5fap+16, -0x1.9b0c1ba195783p+11, 0x1.e642e6f54cc59p+6, -0x1.b8913682a0c81p+2,
                      0x1.5a6a565757bb5p-1, -0x1.274fffff2065dp-3, 0x1.dfffffffffe87p-4, 0x1p+0);
}
HELPER double odd_part_1(double t) {
    return horner(t, -0x1.341ac2e29958dp+59, 0x1.50db994b81197p+56, -0x1.56df72f036718p+52, 0x1.b323c8daf64e2p+47, -0x1.87abdb5015c66p+42,
                      0x1.111f0323337afp+37, -0x1.41c686d34e866p+31, 0x1.644e3d69b2a98p+25, -0x1.a6f34609d7d4ep+19, 0x1.33084b4aaed6ap+14, -0x1.2dda478652629p+9,
                      0x1.b3fa6b1e2a7d2p+4, -0x1.fe5815ceb57bap+0, 0x1.1c3cfffec1c86p-2, -0x1.a3ffffffffc52p-4, 0x1.8p-2);
}

// With t = x^2, and with t = 1/x: e^-x sqrt(x) times the function.
HELPER double small_i0(double t) {
    return horner(t, 0x1.81195045582f4p-141, 0x1.1a2ca347d54c1p-131, 0x1.7099a6665014cp-121, 0x1.69329ab81b047p-111, 0x1.3e334c6a83723p-101,
                      0x1.e7234e30227f6p-92, 0x1.4197c09ab0918p-82, 0x1.69ca9b2be85d4p-73, 0x1.56018877b43b7p-64, 0x1.0b313288aa584p-55, 0x1.522a43f66652fp-47,
                      0x1.522a43f653ab2p-39, 0x1.02e85c0898becp-31, 0x1.23456789abcd9p-24, 0x1.c71c71c71c71dp-18, 0x1.c71c71c71c71cp-12, 0x1p-6, 0x1p-2, 0x1p+0);
}
HELPER double large_i0(double t) {
    return horner(t - 0x1p-4, -0x1.71e9ea9ac4fd1p+72, 0x1.57ca113443db9p+69, 0x1.5d4f216d4d1c8p+67, -0x1.5a034bd1a0f83p+64, -0x1.2f5963e58a1c9p+61,
                      0x1.468945d1eeee5p+58, 0x1.47926045a263ep+54, -0x1.867c34c51db58p+51, -0x1.03806a010a876p+47, 0x1.54a749d2daad6p+44, 0x1.6cdfd64a9b232p+39,
                      -0x1.db2a2b3915c63p+36, -0x1.1f8f1af367e7fp+32, 0x1.0fd0ce7d567b9p+29, 0x1.0d30e2a15c7b4p+25, -0x1.7eb4814dc95f7p+20,
                      -0x1.cf7b2c31e7097p+17, -0x1.cd1bba0a5eecfp+12, 0x1.0418895c09374p+9, 0x1.721a6c86eaf19p+6, 0x1.51ca8a41ac1dcp+3, 0x1.7d0f9ebc655bbp+0,
                      0x1.3f49b022361eep-2, 0x1.8e513a0d711d5p-4, 0x1.75e5ee6f84d61p-5, 0x1.1daa72b5e6473p-5, 0x1.b87969bb93bd4p-5, 0x1.9bd428ad249a5p-2);
}
HELPER double small_i1(double t) {
    return horner(t, 0x1.b1484aa39d158p-136, 0x1.2bdd01e7485efp-126, 0x1.70913f872a3cbp-116, 0x1.52a178808478cp-106, 0x1.166c99e45cc07p-96,
                      0x1.8bccbd18b3186p-87, 0x1.e2639f21e548ep-78, 0x1.f176958771dcap-69, 0x1.ab81ea929f53p-60, 0x1.2c9758d9e75d3p-51, 0x1.522a43f663502p-43,
                      0x1.27e4fb77896p-35, 0x1.845c8a0ce51aep-28, 0x1.6c16c16c16c12p-21, 0x1.c71c71c71c71dp-15, 0x1.5555555555555p-9, 0x1p-4, 0x1p-1);
}
HELPER double large_i1(double t) {
    return horner(t - 0x1p-4, 0x1.6888223138a39p+72, -0x1.65a21ce513628p+69, -0x1.532813c80dcap+67, 0x1.67e0ff5099f8dp+64, 0x1.24f54998782d3p+61, -0x1.539cb99148372p+58,
                      -0x1.3a1140e496b2ap+54, 0x1.964e55c023c78p+51, 0x1.eddb4c5b13d5bp+46, -0x1.63123c8d2acc1p+44, -0x1.5b7d64a505564p+39,
                      0x1.f1b18c761c39ap+36, 0x1.18221ace39e69p+32, -0x1.2036682fe0072p+29, -0x1.0fdaf6ce937c2p+25, 0x1.a64e6d92a2358p+20, 0x1.e4d7bec2f8dd2p+17,
                      0x1.cc1900e51ca06p+12, -0x1.2211ff0518a04p+9, -0x1.91764ce8e9401p+6, -0x1.727658c803e3fp+3, -0x1.ad8de1ab2186fp+0, -0x1.7613875eaf699p-2,
                      -0x1.ec8e1006cdc2bp-4, -0x1.f89c230420dedp-5, -0x1.cbc54df1ecdc1p-5, -0x1.3f796198ee63fp-3, 0x1.8ebe783a8403p-2);
}

// For x >= 8; `second` asks for the second kind.
HELPER double far(double x, int order, bool second) {
    if (x == INFINITY_D) return 0.0;
    double sine, cosine, inverse = 1.0 / x, t = inverse * inverse;
    __nv_sincos(x, &sine, &cosine);
    double even = order ? even_part_1(t) : even_part_0(t);
    double odd = (order ? odd_part_1(t) : odd_part_0(t)) * inverse;
    double sum = cosine + sine, difference = sine - cosine;
    // Cosine and sine of x - pi/4, or of x - 3 pi/4, times the root of 2.
    double c = order ? difference : sum, s = order ? -sum : difference;
    double wave = second ? even * s + odd * c : even * c - odd * s;
    return wave / root(PI_D * x);
}

FUNCTION double __nv_j0(double x) {
    x = magnitude(x);
    return x < 8.0 ? small_j0(x) : x != x ? x : far(x, 0, false);
}
FUNCTION double __nv_j1(double x) {
    double a = magnitude(x);
    double value = a < 8.0 ? small_j1(a) : a != a ? a : far(a, 1, false);
    return x < 0.0 || bits(x) >> 63 ? -value : value;
}
FUNCTION double __nv_y0(double x) {
    if (!(x > 0.0)) return x == 0.0 ? -INFINITY_D : NAN_D;
    return x < 8.0 ? small_y0(x) : far(x, 0, true);
}
FUNCTION double __nv_y1(double x) {
    if (!(x > 0.0)) return x == 0.0 ? -INFINITY_D : NAN_D;
    if (x < 0x1p-1020) return -TWO_OVER_PI / x;
    return x < 8.0 ? small_y1(x) : far(x, 1, true);
}

// J_n(x) for 0 < x < n: downwards from an order at which it is as good as nothing, then scaled by J_0 + 2 J_2 + 2 J_4 … = 1.
HELPER double downwards(int n, double x) {
    double first = 1.0;
    if (x < 1e-3) { // one term, and the next
        for (int k = 1; k <= n; k++) first *= 0.5 * x / k;
        return first * (1.0 - 0.25 * x * x / (n + 1.0));
    }
    int order = 2 * ((n + (int)root(160.0 * n + 400.0)) / 2);
    double two_over_x = 2.0 / x, above = 0.0, here = 1.0, sum = 0.0, result = 0.0;
    for (int k = order; k > 0; k--) {
        double below = k * two_over_x * here - above;
        above = here;
        here = below;
        if (magnitude(here) > 0x1p+300) {
            here *= 0x1p-300;
            above *= 0x1p-300;
            result *= 0x1p-300;
            sum *= 0x1p-300;
        }
        if (k == n) result = above;
        if (k % 2 == 1) sum += k == 1 ? here : 2.0 * here;
    }
    return result / sum;
}
FUNCTION double __nv_jn(int n, double x) {
    if (n < 0) return NAN_D;
    if (n == 0) return __nv_j0(x);
    if (n == 1) return __nv_j1(x);
    double a = magnitude(x), value;
    if (a != a) return x;
    if (a == 0.0 || a == INFINITY_D) {
        value = 0.0;
    } else if (a > n) {
        double before = __nv_j0(a), two_over_x = 2.0 / a;
        value = __nv_j1(a);
        for (int k = 1; k < n; k++) {
            double next = k * two_over_x * value - before;
            before = value;
            value = next;
        }
    } else {
        value = downwards(n, a);
    }
    return x < 0.0 && n % 2 ? -value : value;
}
FUNCTION double __nv_yn(int n, double x) {
    if (n < 0) return NAN_D;
    if (n == 0) return __nv_y0(x);
    if (n == 1) return __nv_y1(x);
    if (!(x > 0.0)) return x == 0.0 ? -INFINITY_D : NAN_D;
    if (x == INFINITY_D) return 0.0;
    double before = __nv_y0(x), value = __nv_y1(x), two_over_x = 2.0 / x;
    for (int k = 1; k < n && value != -INFINITY_D; k++) {
        double next = k * two_over_x * value - before;
        before = value;
        value = next;
    }
    return value;
}

// e^x may be too large where its quotient by the root is not.
HELPER double large(double x, double factor) {
    double half = __nv_exp(0.5 * x);
    return half * (factor / root(x)) * half;
}
FUNCTION double __nv_cyl_bessel_i0(double x) {
    x = magnitude(x);
    if (x < 8.0) return small_i0(x * x);
    return x < 0x1p+10 ? large(x, large_i0(1.0 / x)) : x != x ? x : INFINITY_D;
}
FUNCTION double __nv_cyl_bessel_i1(double x) {
    double a = magnitude(x);
    if (a < 8.0) return x * small_i1(a * a);
    return with_sign(a < 0x1p+10 ? large(a, large_i1(1.0 / a)) : a != a ? a : INFINITY_D, x);
}

FUNCTION float __nv_j0f(float x) { return (float)__nv_j0(x); }
FUNCTION float __nv_j1f(float x) { return (float)__nv_j1(x); }
FUNCTION float __nv_jnf(int n, float x) { return (float)__nv_jn(n, x); }
FUNCTION float __nv_y0f(float x) { return (float)__nv_y0(x); }
FUNCTION float __nv_y1f(float x) { return (float)__nv_y1(x); }
FUNCTION float __nv_ynf(int n, float x) { return (float)__nv_yn(n, x); }
FUNCTION float __nv_cyl_bessel_i0f(float x) { return (float)__nv_cyl_bessel_i0(x); }
FUNCTION float __nv_cyl_bessel_i1f(float x) { return (float)__nv_cyl_bessel_i1(x); }
