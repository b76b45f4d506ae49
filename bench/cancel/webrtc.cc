// WebRTC's audio processing (Debian 12: 0.3) over files, for comparisons: webrtc_cancel NEAR FAR OUT
// Raw mono S16 at 48 kHz; the delay is told exactly. Prints the cost, and allocations a block.
#include <webrtc/common.h>
#include <webrtc/modules/audio_processing/include/audio_processing.h>
#include <webrtc/modules/interface/module_common_types.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

static long allocations;
static bool counting;
extern "C" void *__libc_malloc(size_t);
extern "C" void *malloc(size_t n) {
	if (counting) allocations++;
	return __libc_malloc(n);
}

static std::vector<int16_t> samples(const char *path) {
	std::vector<int16_t> all;
	FILE *f = fopen(path, "rb");
	if (!f) { perror(path); exit(1); }
	int16_t block[4096];
	size_t n;
	while ((n = fread(block, 2, 4096, f)) > 0) all.insert(all.end(), block, block + n);
	fclose(f);
	return all;
}

int main(int argc, char **argv) {
	if (argc < 4) return 2;
	auto near = samples(argv[1]), far = samples(argv[2]);
	std::vector<int16_t> sent(near.size());
	webrtc::Config config;
	config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
	webrtc::AudioProcessing *apm = webrtc::AudioProcessing::Create(config);
	apm->echo_cancellation()->Enable(true);
	apm->echo_cancellation()->enable_drift_compensation(false);
	apm->echo_cancellation()->set_suppression_level(webrtc::EchoCancellation::kHighSuppression);
	apm->noise_suppression()->set_level(webrtc::NoiseSuppression::kModerate);
	apm->noise_suppression()->Enable(true);
	webrtc::AudioFrame a, b;
	clock_t begun = clock();
	size_t blocks = 0;
	for (size_t p = 0; p + 480 <= near.size() && p + 480 <= far.size(); p += 480, blocks++) {
		counting = blocks > 200;
		b.UpdateFrame(0, 0, &far[p], 480, 48000, webrtc::AudioFrame::kNormalSpeech, webrtc::AudioFrame::kVadUnknown, 1);
		a.UpdateFrame(0, 0, &near[p], 480, 48000, webrtc::AudioFrame::kNormalSpeech, webrtc::AudioFrame::kVadUnknown, 1);
		apm->AnalyzeReverseStream(&b);
		apm->set_stream_delay_ms(0);
		apm->ProcessStream(&a);
		for (int i = 0; i < 480; i++) sent[p + i] = a.data_[i];
	}
	counting = false;
	printf("{\"latency\": 0, \"microsPer10ms\": %.1f, \"mallocsPerBlock\": %.2f}\n",
	       (double)(clock() - begun) / CLOCKS_PER_SEC * 1e6 / (double)blocks, (double)allocations / (double)(blocks - 201));
	FILE *f = fopen(argv[3], "wb");
	if (!f || fwrite(sent.data(), 2, sent.size(), f) != sent.size()) return 1;
	fclose(f);
	return 0;
}
