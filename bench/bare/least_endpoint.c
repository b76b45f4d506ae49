/*
 * least_endpoint - one end of a call with nothing that could be left out: a card, a codec, a socket, and the two threads that
 * an endpoint has whose audio loop makes no system call for the network.
 *
 * usage: least_endpoint PCM OUR_PORT PEER_PORT BIT_RATE COMPLEXITY FEC LOSS_PERCENT PACKET_MS SECONDS
 *
 * One thread wakes at every 10 ms period of the card, encodes each packet that is full and decodes the peer's when its sound is
 * used up; the other sends and receives. There is no RTP, jitter buffer, gate, level, statistic or other clock: what a call
 * needs beyond this is what it is made of.
 */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../rig/open_pcm.h"
#include "opus_settings.h"

#define PERIOD 480
#define RINGS 16

struct packet {
	int length;
	unsigned char bytes[MAXPACKET];
};

struct ring {
	_Atomic unsigned begin, end;
	struct packet packets[RINGS];
};

static struct ring outbound, inbound;
static int udp, full;
static struct sockaddr_in peer;

static struct packet *next(struct ring *r)
{
	unsigned begin = atomic_load_explicit(&r->begin, memory_order_relaxed);
	return begin == atomic_load_explicit(&r->end, memory_order_acquire) ? NULL : &r->packets[begin % RINGS];
}

static struct packet *room(struct ring *r)
{
	unsigned end = atomic_load_explicit(&r->end, memory_order_relaxed);
	return end - atomic_load_explicit(&r->begin, memory_order_acquire) == RINGS ? NULL : &r->packets[end % RINGS];
}

static void step(_Atomic unsigned *count) { atomic_fetch_add_explicit(count, 1, memory_order_release); }

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "least_endpoint: %s: %s\n", what, why);
	exit(1);
}

static void *network(void *unused)
{
	struct epoll_event sockets = { .events = EPOLLIN, .data.fd = udp },
			   packets = { .events = EPOLLIN | EPOLLET, .data.fd = full }, ready[2];
	int epoll = epoll_create1(EPOLL_CLOEXEC), n;
	(void)unused;
	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, udp, &sockets) || epoll_ctl(epoll, EPOLL_CTL_ADD, full, &packets))
		fail("epoll", strerror(errno));
	while ((n = epoll_wait(epoll, ready, 2, -1)) >= 0) {
		struct packet *p;
		for (; n > 0; n--)
			if (ready[n - 1].data.fd == udp && (p = room(&inbound))) {
				p->length = (int)recv(udp, p->bytes, MAXPACKET, MSG_DONTWAIT);
				if (p->length > 0)
					step(&inbound.end);
			}
		while ((p = next(&outbound))) {
			sendto(udp, p->bytes, (size_t)p->length, 0, (struct sockaddr *)&peer, sizeof peer);
			step(&outbound.begin);
		}
	}
	return NULL;
}

static void priority(int of)
{
	struct sched_param p = { .sched_priority = of };
	// Where it may not it is slower, not cheaper.
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
}

int main(int c, char **v)
{
	struct sockaddr_in here = { .sin_family = AF_INET };
	int16_t said[MAXFRAME], heard[MAXFRAME + PERIOD], silence[PERIOD] = { 0 };
	int frame, filled = 0, waiting = 0, e;
	long turns;
	snd_pcm_t *microphone, *loudspeaker;
	OpusEncoder *encoder;
	OpusDecoder *decoder;
	pthread_t thread;

	if (c != 10) {
		fprintf(stderr, "usage: least_endpoint PCM OUR_PORT PEER_PORT BIT_RATE COMPLEXITY FEC LOSS_PERCENT PACKET_MS SECONDS\n");
		return 2;
	}
	frame = RATE / 1000 * atoi(v[8]);
	if (frame < PERIOD || frame > MAXFRAME || frame % PERIOD)
		return 2;
	turns = atol(v[9]) * RATE / PERIOD;
	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	peer = here;
	here.sin_port = htons((uint16_t)atoi(v[2]));
	peer.sin_port = htons((uint16_t)atoi(v[3]));
	udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	full = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (udp < 0 || full < 0 || bind(udp, (struct sockaddr *)&here, sizeof here))
		fail(v[2], strerror(errno));
	encoder = opus_settings_encoder(v + 4);
	decoder = opus_decoder_create(RATE, 1, &e);
	microphone = open_pcm(v[1], SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK, PERIOD, 16);
	loudspeaker = open_pcm(v[1], SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK, PERIOD, 16);
	priority(20);
	if (!decoder || pthread_create(&thread, NULL, network, NULL))
		fail("thread", "cannot begin");
	priority(21);
	snd_pcm_writei(loudspeaker, silence, PERIOD);
	snd_pcm_writei(loudspeaker, silence, PERIOD);
	if ((e = snd_pcm_start(microphone)) < 0 || (e = snd_pcm_start(loudspeaker)) < 0)
		fail(v[1], snd_strerror(e));
	while (turns-- > 0) {
		struct packet *p;
		if ((e = snd_pcm_wait(microphone, 1000)) < 0 || snd_pcm_readi(microphone, said + filled, PERIOD) < 0)
			snd_pcm_recover(microphone, e < 0 ? e : -EPIPE, 1), snd_pcm_start(microphone);
		if (waiting < PERIOD && (p = next(&inbound))) {
			int n = opus_decode(decoder, p->bytes, p->length, heard + waiting, MAXFRAME, 0);
			step(&inbound.begin);
			waiting += n > 0 ? n : 0;
		}
		if (snd_pcm_writei(loudspeaker, waiting < PERIOD ? silence : heard, PERIOD) < 0) {
			snd_pcm_prepare(loudspeaker);
			snd_pcm_writei(loudspeaker, silence, PERIOD);
			snd_pcm_writei(loudspeaker, silence, PERIOD);
			snd_pcm_start(loudspeaker);
		}
		if (waiting >= PERIOD) {
			waiting -= PERIOD;
			memmove(heard, heard + PERIOD, (size_t)waiting * sizeof *heard);
		}
		filled += PERIOD;
		if (filled == frame) {
			filled = 0;
			if ((p = room(&outbound)) && (p->length = opus_encode(encoder, said, frame, p->bytes, MAXPACKET)) > 0) {
				step(&outbound.end);
				eventfd_write(full, 1);
			}
		}
	}
	return 0;
}
