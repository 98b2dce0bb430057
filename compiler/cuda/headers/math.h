// The mathematical functions are declared before any header.
#pragma once
#include <warpsmith/macros.h>
