/*
 * opus_bare - what libopus alone needs for one call: every 20 ms one frame
 * encoded and one decoded, in a loop, with the settings that Handset gives it.
 *
 * usage: opus_bare MICROPHONE PEER BIT_RATE COMPLEXITY FEC LOSS_PERCENT PACKET_MS [paced|call]
 *        (both files mono S16_LE at 48 kHz)
 *
 * With `paced` it waits for every frame, as a call does: what the machine's caches
 * forget meanwhile, libopus has to fetch again. Only libopus is counted, not the wait.
 * With `call` it also wakes at every 10 ms period and sends and receives the packet over
 * UDP, on one thread and without any sound card: the least that an endpoint can need.
 *
 * prints: frames, then CPU seconds for encoding MICROPHONE and for decoding PEER,
 * which was encoded beforehand, then those of the whole loop.
 */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

#include "opus_settings.h"

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void wait_until(const struct timespec *start, long ms)
{
	struct timespec t = { start->tv_sec + ms / 1000, start->tv_nsec + ms % 1000 * 1000000 };
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* A socket that hears what it sends. */
static int loopback(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof a;
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s < 0 || bind(s, (struct sockaddr *)&a, n) || getsockname(s, (struct sockaddr *)&a, &n) ||
	    connect(s, (struct sockaddr *)&a, n)) {
		perror("socket");
		exit(1);
	}
	return s;
}

static int16_t *load(const char *path, long *n)
{
	FILE *f = fopen(path, "rb");
	int16_t *x;
	if (!f || fseek(f, 0, SEEK_END) || (*n = ftell(f) / 2) <= 0) {
		perror(path);
		exit(1);
	}
	rewind(f);
	x = malloc((size_t)*n * 2);
	if (!x || fread(x, 2, (size_t)*n, f) != (size_t)*n)
		exit(1);
	fclose(f);
	return x;
}

int main(int c, char **v)
{
	long na, nb, n, i;
	int frame, e, *len;
	int16_t *a, *b, out[MAXFRAME];
	unsigned char *packets, p[MAXPACKET];
	double enc = 0, dec = 0, t;
	OpusEncoder *ours, *peer;
	OpusDecoder *d;

	struct timespec start;
	int paced = c == 9, call = paced && !strcmp(v[8], "call"), s = call ? loopback() : -1, bytes;
	double begun;

	if (c != 8 && !paced) {
		fprintf(stderr, "usage: opus_bare MICROPHONE PEER BIT_RATE COMPLEXITY FEC LOSS_PERCENT PACKET_MS [paced|call]\n");
		return 2;
	}
	a = load(v[1], &na);
	b = load(v[2], &nb);
	frame = RATE / 1000 * atoi(v[7]);
	if (frame <= 0 || frame > MAXFRAME)
		return 2;
	n = (na < nb ? na : nb) / frame;
	ours = opus_settings_encoder(v + 3);
	peer = opus_settings_encoder(v + 3);
	d = opus_decoder_create(RATE, 1, &e);
	packets = malloc((size_t)n * MAXPACKET);
	len = malloc((size_t)n * sizeof *len);
	if (!d || !packets || !len)
		return 1;
	for (i = 0; i < n; i++)
		if ((len[i] = opus_encode(peer, b + i * frame, frame, packets + i * MAXPACKET, MAXPACKET)) < 0)
			return 1;
	begun = cpu();
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (i = 0; i < n; i++) {
		int ms = frame / (RATE / 1000), k;
		for (k = 10; call && k < ms; k += 10)
			wait_until(&start, i * ms + k);
		if (paced)
			wait_until(&start, (i + 1) * ms);
		t = cpu();
		bytes = opus_encode(ours, a + i * frame, frame, p, MAXPACKET);
		if (bytes < 0)
			return 1;
		enc += cpu() - t;
		if (call && (send(s, p, (size_t)bytes, 0) < 0 || recv(s, p, MAXPACKET, 0) < 0))
			return 1;
		t = cpu();
		if (opus_decode(d, packets + i * MAXPACKET, len[i], out, MAXFRAME, 0) != frame)
			return 1;
		dec += cpu() - t;
	}
	printf("%ld %.6f %.6f %.6f\n", n, enc, dec, cpu() - begun);
	return 0;
}
