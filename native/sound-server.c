/*
 * sound-server: encodes the sound of many cameras as AAC or Opus, in one process. It gets only samples, which the gateway
 * has decoded in TypeScript. They have no syntax with which one camera could take over the process that has the other
 * cameras' sound, too. Formats that only C decodes (G.722, MPEG audio) get an ffmpeg of their own.
 *
 * Standard input and output carry records; numbers are 32 bits, little-endian:
 *   stream, kind, length of the body, body
 * Input:
 *   OPEN     sample rate, channels (1 or 2), codec (1: AAC, 2: Opus)
 *   SAMPLES  signed, 16 bits, little-endian, the channels interleaved
 *   CLOSE    nothing; the stream's last frames are not written
 * Output: HELLO once, then
 *   FRAME    one raw AAC frame (AAC-LC, 48 kHz, 1024 samples per channel), in the order of the samples. The first one is
 *            for the 1024 samples before the first. Or one Opus packet (48 kHz, mono, 960 samples). The first one begins
 *            312 samples before the first.
 *   FAILED   nothing; the stream could not be encoded, and is closed
 * A record that breaks these rules ends the server, and so does the end of its input: only the gateway writes there.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

enum { KIND_OPEN = 1, KIND_SAMPLES, KIND_CLOSE };
enum { KIND_FRAME = 1, KIND_FAILED };
enum { MAX_STREAMS = 64, MAX_BODY_BYTES = 65536, MAX_CHANNELS = 2, MIN_RATE_HZ = 8000, MAX_RATE_HZ = 48000 };
enum { CODED_RATE_HZ = 48000, MAX_FRAME_BYTES = 6144 / 8 * MAX_CHANNELS };
enum { AAC_BITS_PER_SEC = 64000, PLENTY_BITS = 4, OPUS_BITS_PER_SEC = 32000, OPUS_EFFORT = 5 };
enum { HEAD_WORDS = 3, OPEN_WORDS = 3, OUTPUT_BYTES = 65536, EXIT_PROTOCOL = 118, EXIT_OUTPUT = 117 };
static const char HELLO[] = "sluice-sound-server 2\n";

/* What OPEN names. */
struct codec {
	const char *encoder;
	int frame_samples;
	int padding_samples;
	enum AVSampleFormat format;
	bool is_mono;
};

enum { CODEC_AAC = 1, CODEC_OPUS, CODEC_END };
static const struct codec CODECS[CODEC_END] = {
	[CODEC_AAC] = { "aac", 1024, 1024, AV_SAMPLE_FMT_FLTP, false },
	[CODEC_OPUS] = { "libopus", 960, 312, AV_SAMPLE_FMT_FLT, true },
};

/* One camera's sound. */
struct stream {
	bool is_open;
	uint32_t id;
	uint32_t channels; /* of the samples */
	const struct codec *codec;
	struct SwrContext *resampler;
	AVCodecContext *encoder;
	AVFrame *frame; /* what the encoder gets next */
	int filled;     /* samples per channel in it */
	int64_t position;
};

static struct stream streams[MAX_STREAMS];
static AVPacket *packet;

/* ---- pipes ---- */

static char output[OUTPUT_BYTES];
static size_t output_length;

static void flush_output(void)
{
	const char *bytes = output;
	while (output_length > 0) {
		ssize_t count = write(STDOUT_FILENO, bytes, output_length);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			_exit(EXIT_OUTPUT);
		bytes += count;
		output_length -= (size_t)count;
	}
}

static void put_bytes(const void *bytes, size_t length)
{
	if (length > sizeof output - output_length)
		flush_output();
	memcpy(output + output_length, bytes, length);
	output_length += length;
}

static void put_record(uint32_t id, uint32_t kind, const void *body, uint32_t length)
{
	const uint32_t head[HEAD_WORDS] = { id, kind, length };
	put_bytes(head, sizeof head);
	put_bytes(body, length);
}

/* Input is read as it comes; what was encoded is written before waiting for more. */
static void read_all(void *bytes, size_t length)
{
	static char input[MAX_BODY_BYTES];
	static size_t input_start, input_end;
	while (length > 0) {
		if (input_start == input_end) {
			flush_output();
			ssize_t count = read(STDIN_FILENO, input, sizeof input);
			if (count < 0 && errno == EINTR)
				continue;
			if (count <= 0)
				_exit(count == 0 ? 0 : EXIT_PROTOCOL);
			input_start = 0;
			input_end = (size_t)count;
		}
		const size_t available = input_end - input_start;
		const size_t count = length < available ? length : available;
		memcpy(bytes, input + input_start, count);
		input_start += count;
		bytes = (char *)bytes + count;
		length -= count;
	}
}

/* ---- streams ---- */

static void close_stream(struct stream *stream)
{
	av_frame_free(&stream->frame);
	avcodec_free_context(&stream->encoder);
	swr_free(&stream->resampler);
	*stream = (struct stream){ .is_open = false };
}

/*
 * FFmpeg's cheaper way to find the quantizers takes a fifth of the time. With four bits for each sample of the camera, as
 * with speech, it is the closer one to the samples, too; with less, it is said to be worse (ffmpeg-codecs(1)).
 */
static bool choose_coder(AVCodecContext *encoder, uint32_t rate_hz, uint32_t channels)
{
	return rate_hz * channels * PLENTY_BITS > AAC_BITS_PER_SEC || av_opt_set(encoder->priv_data, "aac_coder", "fast", 0) == 0;
}

/* Where speech ends, the encoder need not look for more. libopus has these five bandwidths. */
static int opus_bandwidth(uint32_t rate_hz)
{
	static const int BANDWIDTHS_HZ[] = { 4000, 6000, 8000, 12000 };
	for (size_t i = 0; i < sizeof BANDWIDTHS_HZ / sizeof *BANDWIDTHS_HZ; i++)
		if (rate_hz <= 2 * (uint32_t)BANDWIDTHS_HZ[i])
			return BANDWIDTHS_HZ[i];
	return 20000;
}

static bool tune_encoder(struct stream *stream, AVCodecContext *encoder, uint32_t rate_hz)
{
	if (stream->codec == &CODECS[CODEC_AAC]) {
		encoder->bit_rate = AAC_BITS_PER_SEC;
		return choose_coder(encoder, rate_hz, stream->channels);
	}
	encoder->bit_rate = OPUS_BITS_PER_SEC;
	encoder->compression_level = OPUS_EFFORT;
	encoder->cutoff = opus_bandwidth(rate_hz);
	return av_opt_set(encoder->priv_data, "frame_duration", "20", 0) == 0;
}

static bool open_encoder(struct stream *stream, uint32_t rate_hz)
{
	const struct codec *kind = stream->codec;
	const AVCodec *codec = avcodec_find_encoder_by_name(kind->encoder);
	AVCodecContext *encoder = stream->encoder = codec == NULL ? NULL : avcodec_alloc_context3(codec);
	if (encoder == NULL)
		return false;
	encoder->sample_fmt = kind->format;
	encoder->sample_rate = CODED_RATE_HZ;
	encoder->time_base = (AVRational){ 1, CODED_RATE_HZ };
	encoder->thread_count = 1;
	av_channel_layout_default(&encoder->ch_layout, kind->is_mono ? 1 : (int)stream->channels);
	return tune_encoder(stream, encoder, rate_hz) && avcodec_open2(encoder, codec, NULL) == 0 &&
	       encoder->frame_size == kind->frame_samples && encoder->initial_padding == kind->padding_samples;
}

static bool open_resampler(struct stream *stream, uint32_t rate_hz)
{
	AVChannelLayout from;
	av_channel_layout_default(&from, (int)stream->channels);
	return swr_alloc_set_opts2(&stream->resampler, &stream->encoder->ch_layout, stream->codec->format, CODED_RATE_HZ, &from,
				   AV_SAMPLE_FMT_S16, (int)rate_hz, 0, NULL) == 0 &&
	       swr_init(stream->resampler) == 0;
}

static bool open_frame(struct stream *stream)
{
	AVFrame *frame = stream->frame = av_frame_alloc();
	if (frame == NULL)
		return false;
	frame->format = stream->codec->format;
	frame->sample_rate = CODED_RATE_HZ;
	frame->nb_samples = stream->codec->frame_samples;
	return av_channel_layout_copy(&frame->ch_layout, &stream->encoder->ch_layout) == 0 &&
	       av_frame_get_buffer(frame, 0) == 0;
}

static bool open_stream(struct stream *stream, uint32_t id, const uint32_t *body)
{
	*stream = (struct stream){ .is_open = true, .id = id, .channels = body[1], .codec = &CODECS[body[2]] };
	return open_encoder(stream, body[0]) && open_resampler(stream, body[0]) && open_frame(stream);
}

static bool encode_frame(struct stream *stream)
{
	stream->frame->pts = stream->position;
	stream->position += stream->codec->frame_samples;
	if (avcodec_send_frame(stream->encoder, stream->frame) != 0)
		return false;
	int result;
	while ((result = avcodec_receive_packet(stream->encoder, packet)) == 0) {
		const bool is_small = packet->size <= MAX_FRAME_BYTES;
		if (is_small)
			put_record(stream->id, KIND_FRAME, packet->data, (uint32_t)packet->size);
		av_packet_unref(packet);
		if (!is_small)
			return false;
	}
	/* The encoder may still refer to the samples that it was given. */
	return result == AVERROR(EAGAIN) && av_frame_make_writable(stream->frame) == 0;
}

/* The resampler keeps what does not fit into the frame. */
static bool encode(struct stream *stream, const uint8_t *samples, uint32_t length)
{
	int count = (int)(length / (sizeof(int16_t) * stream->channels));
	for (;;) {
		/* Planar, or mono: a channel each, of floats. */
		uint8_t *into[MAX_CHANNELS];
		const int frame_samples = stream->codec->frame_samples;
		for (int channel = 0; channel < stream->frame->ch_layout.nb_channels; channel++)
			into[channel] = stream->frame->data[channel] + (size_t)stream->filled * sizeof(float);
		const int made = swr_convert(stream->resampler, into, frame_samples - stream->filled, &samples, count);
		if (made < 0)
			return false;
		count = 0;
		stream->filled += made;
		if (stream->filled < frame_samples)
			return true;
		stream->filled = 0;
		if (!encode_frame(stream))
			return false;
	}
}

static struct stream *find_stream(uint32_t id)
{
	for (size_t i = 0; i < MAX_STREAMS; i++)
		if (streams[i].is_open && streams[i].id == id)
			return &streams[i];
	return NULL;
}

static struct stream *free_stream(void)
{
	for (size_t i = 0; i < MAX_STREAMS; i++)
		if (!streams[i].is_open)
			return &streams[i];
	_exit(EXIT_PROTOCOL);
}

static void fail_unless(struct stream *stream, bool is_good)
{
	if (is_good)
		return;
	put_record(stream->id, KIND_FAILED, "", 0);
	close_stream(stream);
}

static void serve_record(void)
{
	static _Alignas(uint32_t) uint8_t body[MAX_BODY_BYTES];
	uint32_t head[HEAD_WORDS];
	read_all(head, sizeof head);
	const uint32_t id = head[0], kind = head[1], length = head[2];
	if (length > sizeof body)
		_exit(EXIT_PROTOCOL);
	read_all(body, length);
	struct stream *stream = find_stream(id);
	if (kind == KIND_OPEN) {
		const uint32_t *words = (const uint32_t *)(const void *)body;
		if (stream != NULL || length != OPEN_WORDS * sizeof *words || words[0] < MIN_RATE_HZ ||
		    words[0] > MAX_RATE_HZ || words[1] < 1 || words[1] > MAX_CHANNELS || words[2] < CODEC_AAC ||
		    words[2] >= CODEC_END)
			_exit(EXIT_PROTOCOL);
		stream = free_stream();
		fail_unless(stream, open_stream(stream, id, words));
	} else if (kind == KIND_SAMPLES) {
		/* Samples may be on their way to a stream that has failed. */
		if (stream != NULL)
			fail_unless(stream, length % (sizeof(int16_t) * stream->channels) == 0 && encode(stream, body, length));
	} else if (kind != KIND_CLOSE) {
		_exit(EXIT_PROTOCOL);
	} else if (stream != NULL) {
		close_stream(stream);
	}
}

/* With an argument: only says hello, which shows that the libraries are there. */
int main(int argc, char **argv)
{
	(void)argv;
	av_log_set_level(AV_LOG_ERROR);
	packet = av_packet_alloc();
	if (packet == NULL)
		return EXIT_PROTOCOL;
	for (int codec = CODEC_AAC; codec < CODEC_END; codec++)
		if (avcodec_find_encoder_by_name(CODECS[codec].encoder) == NULL)
			return EXIT_PROTOCOL;
	put_bytes(HELLO, sizeof HELLO - 1);
	if (argc > 1) {
		flush_output();
		return 0;
	}
	for (;;)
		serve_record();
}
