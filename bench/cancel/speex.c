/* speexdsp's echo canceller and preprocessor over files, for comparisons: speex_cancel NEAR FAR OUT [linear]
 * Raw mono S16 at 48 kHz. Prints the cost. */
#include <speex/speex_echo.h>
#include <speex/speex_preprocess.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static short *samples(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	short *s;
	if (!f) { perror(path); exit(1); }
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f) / 2;
	rewind(f);
	s = malloc(*n * 2 + 2);
	if (fread(s, 2, *n, f) != *n) exit(1);
	fclose(f);
	return s;
}

int main(int argc, char **argv)
{
	size_t n, m, p;
	int rate = 48000, linear = argc > 4 && !strcmp(argv[4], "linear");
	if (argc < 4) return 2;
	short *near = samples(argv[1], &n), *far = samples(argv[2], &m), *sent = calloc(n + 1, 2);
	SpeexEchoState *e = speex_echo_state_init(480, 9600);
	SpeexPreprocessState *d = speex_preprocess_state_init(480, rate);
	clock_t begun;
	FILE *f;
	speex_echo_ctl(e, SPEEX_ECHO_SET_SAMPLING_RATE, &rate);
	speex_preprocess_ctl(d, SPEEX_PREPROCESS_SET_ECHO_STATE, e);
	begun = clock();
	for (p = 0; p + 480 <= n && p + 480 <= m; p += 480) {
		speex_echo_cancellation(e, near + p, far + p, sent + p);
		if (!linear) speex_preprocess_run(d, sent + p);
	}
	printf("{\"latency\": %d, \"microsPer10ms\": %.1f}\n", linear ? 0 : 480,
	       (double)(clock() - begun) / CLOCKS_PER_SEC * 1e6 / ((double)p / 480));
	f = fopen(argv[3], "wb");
	if (!f || fwrite(sent, 2, n, f) != n) return 1;
	fclose(f);
	return 0;
}
