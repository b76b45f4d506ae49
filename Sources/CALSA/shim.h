#include <features.h>
#include <alsa/asoundlib.h>
