/* All C libraries of Warpsmith: NVRTC, libNVVM, nvJitLink and nvPTXCompiler, each as its own header says.
 *
 * `compiler/capi/link.sh` puts the libraries into one folder with these headers and `warpsmith.pc`, by which pkg-config finds them. */
#ifndef WARPSMITH_H
#define WARPSMITH_H

#include "nvJitLink.h"
#include "nvPTXCompiler.h"
#include "nvrtc.h"
#include "nvvm.h"

#endif
