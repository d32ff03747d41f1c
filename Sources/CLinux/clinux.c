#define _GNU_SOURCE
#include "clinux.h"
