#pragma once
#include <opus.h>
#include <opus_multistream.h>

// Swift cannot call opus_encoder_ctl and opus_decoder_ctl, which are variadic: one typed function for each request.

/// What an encoder is told while it works.
struct copus_steering {
    /// Target bit rate, 500...512000 bit/s.
    opus_int32 bit_rate;
    /// 0...100.
    opus_int32 expected_loss_percent;
    /// Highest audio bandwidth in Hz of sample rate, 8000...48000.
    opus_int32 max_playback_rate;
    /// 1 to take all sound for voice: only what is coded as such has forward error correction, and pauses at any complexity.
    opus_int32 is_voice;
};

/// What an encoder is told before its first frame.
struct copus_settings {
    /// 1 to look ahead 2.5 ms instead of 6.5, without the layer for speech.
    opus_int32 low_delay;
    /// 0...10.
    opus_int32 complexity;
    /// 1 to add forward error correction, which needs an expected loss above 0.
    opus_int32 in_band_fec;
    opus_int32 discontinuous;
    opus_int32 constant_bit_rate;
    struct copus_steering steering;
};

/// The widest bandwidth that needs no more than `sample_rate` and that all layers have: CELT has no medium-band, and where it
/// may use no more than that, libopus lets it use wide-band.
static inline opus_int32 copus_bandwidth(opus_int32 sample_rate) {
    if (sample_rate < 16000) return OPUS_BANDWIDTH_NARROWBAND;
    if (sample_rate < 24000) return OPUS_BANDWIDTH_WIDEBAND;
    if (sample_rate < 48000) return OPUS_BANDWIDTH_SUPERWIDEBAND;
    return OPUS_BANDWIDTH_FULLBAND;
}

/// Applies `steering` from the next frame on. Sets one field each.
static inline int copus_steer(OpusEncoder *encoder, struct copus_steering steering) {
    int code = opus_encoder_ctl(encoder, OPUS_SET_BITRATE(steering.bit_rate));
    if (code == OPUS_OK) code = opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(steering.expected_loss_percent));
    if (code == OPUS_OK)
        code = opus_encoder_ctl(encoder, OPUS_SET_MAX_BANDWIDTH(copus_bandwidth(steering.max_playback_rate)));
    if (code == OPUS_OK)
        code = opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(steering.is_voice ? OPUS_SIGNAL_VOICE : OPUS_AUTO));
    return code;
}

/// Makes of its memory a new encoder of 48 kHz mono and applies `settings`. Returns OPUS_OK or the first negative error.
///
/// The application for voice would cut low tones off before it encodes, and code music as voice.
static inline int copus_start(OpusEncoder *encoder, struct copus_settings settings) {
    int application = settings.low_delay ? OPUS_APPLICATION_RESTRICTED_LOWDELAY : OPUS_APPLICATION_AUDIO;
    int code = opus_encoder_init(encoder, 48000, 1, application);
    if (code == OPUS_OK) code = opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(settings.complexity));
    if (code == OPUS_OK) code = opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(settings.in_band_fec));
    if (code == OPUS_OK) code = opus_encoder_ctl(encoder, OPUS_SET_DTX(settings.discontinuous));
    if (code == OPUS_OK) code = opus_encoder_ctl(encoder, OPUS_SET_VBR(!settings.constant_bit_rate));
    return code == OPUS_OK ? copus_steer(encoder, settings.steering) : code;
}

/// Makes a decoder of 48 kHz mono of its memory, and says how much work it may do beyond decoding, 0...10. From libopus 1.5
/// on, where that was built in, at 5 a neural network conceals what is lost, and from 6 on all that is coded as voice is
/// worked on. What is older knows nothing of it, and is as it was. Returns OPUS_OK or the first negative error.
static inline int copus_start_decoder(OpusDecoder *decoder, opus_int32 complexity) {
    int code = opus_decoder_init(decoder, 48000, 1);
    if (code != OPUS_OK) return code;
    code = opus_decoder_ctl(decoder, OPUS_SET_COMPLEXITY(complexity));
    return code == OPUS_UNIMPLEMENTED ? OPUS_OK : code;
}

/// Forgets the sound so far. Clears memory of a fixed size.
static inline int copus_reset_decoder(OpusDecoder *decoder) { return opus_decoder_ctl(decoder, OPUS_RESET_STATE); }

/// Samples of look-ahead that the encoder adds to the delay.
static inline opus_int32 copus_lookahead(OpusEncoder *encoder) {
    opus_int32 samples = 0;
    return opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(&samples)) == OPUS_OK ? samples : 0;
}

/// Whether a packet carries the frame before it once more: the flag of low bit-rate redundancy (RFC 6716, section 4.2.4),
/// which follows one bit of voice activity for each 20 ms of the first frame. Reads at most the packet's headers.
static inline int copus_has_redundancy(const unsigned char *packet, opus_int32 count) {
    const unsigned char *frames[48];
    opus_int16 sizes[48];
    unsigned char toc = 0;
    if (count < 1 || packet[0] & 0x80) return 0; // CELT has none
    if (opus_packet_parse(packet, count, &toc, frames, sizes, 0) < 1 || sizes[0] < 1) return 0;
    int samples = opus_packet_get_samples_per_frame(packet, 48000);
    int voice_bits = samples > 960 ? samples / 960 : 1;
    if ((frames[0][0] >> (7 - voice_bits)) & 1) return 1;
    // The second channel's flags follow the first's.
    return packet[0] & 0x04 && (frames[0][0] >> (6 - 2 * voice_bits)) & 1;
}

/// Sets what several streams have in common: bit/s of all of them together, and 0...10. Returns OPUS_OK or the first
/// negative error.
static inline int copus_configure_streams(OpusMSEncoder *encoder, opus_int32 bit_rate, opus_int32 complexity) {
    int code = opus_multistream_encoder_ctl(encoder, OPUS_SET_BITRATE(bit_rate));
    if (code == OPUS_OK) code = opus_multistream_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
    return code;
}

static inline opus_int32 copus_streams_lookahead(OpusMSEncoder *encoder) {
    opus_int32 samples = 0;
    return opus_multistream_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(&samples)) == OPUS_OK ? samples : 0;
}
