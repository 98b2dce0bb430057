// Declared before any header.
#pragma once
