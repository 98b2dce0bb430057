// The functions on memory and strings are declared before any header.
#pragma once
#include <stddef.h>
