// CUDA, as it is without any header.
#pragma once
