// Declared before any header.
#pragma once
#define CUDART_VERSION 13000
