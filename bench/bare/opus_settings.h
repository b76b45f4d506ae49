/* libopus as Handset sets it. */
#include <opus/opus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE 48000
#define MAXFRAME 2880
#define MAXPACKET 1400

/* v: bit rate, complexity, whether to send FEC, percent of loss. */
static inline OpusEncoder *opus_settings_encoder(char **v)
{
	int e;
	OpusEncoder *o = opus_encoder_create(RATE, 1, OPUS_APPLICATION_AUDIO, &e);
	if (!o)
		exit(1);
	opus_encoder_ctl(o, OPUS_SET_BITRATE(atoi(v[0])));
	opus_encoder_ctl(o, OPUS_SET_COMPLEXITY(atoi(v[1])));
	opus_encoder_ctl(o, OPUS_SET_INBAND_FEC(atoi(v[2])));
	opus_encoder_ctl(o, OPUS_SET_PACKET_LOSS_PERC(atoi(v[3])));
	opus_encoder_ctl(o, OPUS_SET_DTX(0));
	opus_encoder_ctl(o, OPUS_SET_VBR(1));
	opus_encoder_ctl(o, OPUS_SET_MAX_BANDWIDTH(OPUS_BANDWIDTH_FULLBAND));
	return o;
}
