/* Opens one direction of a card: 48 kHz, mono, S16_LE, and started by hand. */
#include <alsa/asoundlib.h>
#include <stdio.h>
#include <stdlib.h>

static inline snd_pcm_t *open_pcm(const char *name, snd_pcm_stream_t stream, int mode, snd_pcm_uframes_t period,
				  snd_pcm_uframes_t periods)
{
	snd_pcm_t *pcm;
	snd_pcm_hw_params_t *hw;
	snd_pcm_sw_params_t *sw;
	snd_pcm_uframes_t buffer = period * periods;
	int e;
	snd_pcm_hw_params_alloca(&hw);
	snd_pcm_sw_params_alloca(&sw);
	if ((e = snd_pcm_open(&pcm, name, stream, mode)) < 0 || (e = snd_pcm_hw_params_any(pcm, hw)) < 0 ||
	    (e = snd_pcm_hw_params_set_access(pcm, hw, SND_PCM_ACCESS_RW_INTERLEAVED)) < 0 ||
	    (e = snd_pcm_hw_params_set_format(pcm, hw, SND_PCM_FORMAT_S16_LE)) < 0 ||
	    (e = snd_pcm_hw_params_set_channels(pcm, hw, 1)) < 0 ||
	    (e = snd_pcm_hw_params_set_rate(pcm, hw, 48000, 0)) < 0 ||
	    (e = snd_pcm_hw_params_set_period_size(pcm, hw, period, 0)) < 0 ||
	    (e = snd_pcm_hw_params_set_buffer_size_near(pcm, hw, &buffer)) < 0 || (e = snd_pcm_hw_params(pcm, hw)) < 0 ||
	    (e = snd_pcm_sw_params_current(pcm, sw)) < 0 ||
	    (e = snd_pcm_sw_params_set_start_threshold(pcm, sw, 1u << 30)) < 0 || (e = snd_pcm_sw_params(pcm, sw)) < 0) {
		fprintf(stderr, "%s: %s\n", name, snd_strerror(e));
		exit(1);
	}
	return pcm;
}
