/**
 * ffmpeg's command lines, as argument vectors built by fluent-ffmpeg; no shell ever sees them.
 *
 * A camera's URL contains its password, and every user of the machine can read an argument vector (`ps`,
 * /proc/<pid>/cmdline). So the URL is never there: ffmpeg opens a one-line concat script that comes through its
 * standard input (ffconcat, "concat" in ffmpeg-formats(1)), and the script names the URL.
 *
 * Video and audio come back as two fragmented files on two pipes, one fragment per frame. In a single file, the
 * muxer would hold a frame until audio for the same time is there, and ffmpeg 5's muxer corrupts audio timestamps
 * when every frame is a fragment. Both files count from the same zero: `frag_discont` keeps the muxer from moving
 * the start of a track, and a common offset keeps timestamps positive before AAC's priming.
 */

import Ffmpeg from 'fluent-ffmpeg';
import type { CredentialUrl } from '../core/secret.ts';
import { OLDEST_CURRENT_MAJOR } from './find-ffmpeg.ts';
import { JUMP_BRIDGE_MAJOR, packetJumpBridge, pictureJumpBridge, soundJumpBridge } from './jump-bridge.ts';

/** RTP over TCP or UDP; `auto`: TCP first, then UDP. */
export type RtspTransport = 'auto' | 'tcp' | 'udp';

export type WorkerInput =
  | { readonly kind: 'rtsp'; readonly url: CredentialUrl; readonly transport: RtspTransport }
  /** A filter graph with outputs `out0` (video) and `out1` (audio), in real time. For tests and demonstrations. */
  | { readonly kind: 'synthetic'; readonly graph: string };

/** What happens to each kind of track. */
export interface WorkerPlan {
  readonly video: 'copy' | 'encode';
  readonly audio: 'copy' | 'encode' | 'off';
}

export interface FfmpegCommandLine {
  readonly args: string[];
  /** Written to standard input, which is then closed; null when the caller writes it. */
  readonly stdin: string | null;
}

/** Descriptor that carries the audio; video is on standard output. */
export const AUDIO_FD = 3;

/** From this version on, `-vsync` is called `-fps_mode`. */
const FPS_MODE_MAJOR = 6;
/** A decoder that works one frame ahead adds one frame of delay. */
const DECODER_THREADS = 1;
const ENCODER_THREADS = 2;
/** What can be read before the tracks are known: it should include a camera's first key frame. */
const PROBE_BYTES = 2_000_000;
const PROBE_DURATION_US = 2_000_000;
const SOCKET_TIMEOUT_US = 8_000_000;
const GOP_SEC = 2;
/** Only an upper bound: `force_key_frames` sets the pace, whatever the frame rate turns out to be. */
const MAX_GOP_FRAMES = 600;
/**
 * Frames are scaled down until they have the area of 1920 × 1088, whatever their shape: some cameras are mounted
 * sideways, and some see 360°. 4:2:0 needs even sizes.
 */
const MAX_PICTURE_PX = 1_920 * 1_088;
const SHRINK = `min(1,sqrt(${MAX_PICTURE_PX}/(iw*ih)))`;
const PICTURE_SCALE = `scale=w='2*trunc(iw*${SHRINK}/2)':h='2*trunc(ih*${SHRINK}/2)'`;
/** That area at up to 64 frames per second; left alone, x264 derives the level from a frame rate that no one knows. */
const H264_LEVEL = '4.2';
/** The bit rate is limited over real time, not over frames at a guessed rate; 25 is where it starts. */
const RATE_CONTROL = 'vfr-input=1:fps=25';
const MAX_VIDEO_BITS_PER_SEC = 4_000_000;
const AUDIO_BITS_PER_SEC = 64_000;
/** AAC frames of 21 ms: at G.711's 8 kHz they would last 128 ms. */
export const AUDIO_SAMPLE_RATE_HZ = 48_000;
/** For encoded audio, whatever the camera's is: its track is announced before the first frame. */
export const AUDIO_CHANNELS = 2;
const VIDEO_TIMESCALE_HZ = 90_000;
/** Added to all timestamps of all tracks. */
export const TIMESTAMP_OFFSET_SEC = 1;
const MOVIE_FLAGS = '+empty_moov+default_base_moof+frag_every_frame+frag_discont';
/** What an input can open; the script, and a camera that redirects, reach nothing else. */
const PROTOCOLS = 'pipe,rtsp,rtp,srtp,tcp,udp,tls';

/** Pulls a camera: H.264 on standard output, AAC on AUDIO_FD unless the plan says off. `ffmpegMajor` selects option names. */
export function liveCommand(input: WorkerInput, plan: WorkerPlan, ffmpegMajor: number): FfmpegCommandLine {
  const command = Ffmpeg();
  if (input.kind === 'rtsp') {
    command.input('pipe:0').inputOptions(
      '-hide_banner',
      '-nostdin',
      '-nostats',
      ...['-loglevel', 'info'],
      ...['-threads', String(DECODER_THREADS)],
      // The script's own tracks are those of the camera inside, which has been probed already.
      ...['-probesize', '32', '-analyzeduration', '0'],
      ...['-protocol_whitelist', PROTOCOLS],
      ...['-f', 'concat', '-safe', '0'],
    );
  } else {
    command
      .input(input.graph)
      .inputOptions('-hide_banner', '-nostdin', '-nostats', '-loglevel', 'info', '-re', '-f', 'lavfi');
  }
  command
    .output('pipe:1')
    .outputOptions('-map', '0:v:0', ...videoOptions(plan.video, ffmpegMajor), ...pipeOptions());
  if (plan.audio !== 'off') {
    command
      .output(`pipe:${AUDIO_FD}`)
      .outputOptions('-map', '0:a:0', ...audioOptions(plan.audio, ffmpegMajor), ...pipeOptions());
  }
  const stdin = input.kind === 'rtsp' ? cameraScript(input.url, input.transport, ffmpegMajor) : null;
  return { args: command._getArguments(), stdin };
}

/** Standard input, as `inputOptions` describe it, to AAC on standard output; nothing is opened. */
export function soundCommand(inputOptions: readonly string[], channelCount: number): FfmpegCommandLine {
  const command = Ffmpeg()
    .input('pipe:0')
    .inputOptions(
      '-hide_banner',
      '-nostdin',
      '-nostats',
      ...['-loglevel', 'warning'],
      ...['-threads', String(DECODER_THREADS)],
      ...['-protocol_whitelist', 'pipe'],
      // Nothing has to be detected; what is read for that arrives later.
      ...['-probesize', '32', '-analyzeduration', '0', '-fflags', 'nobuffer'],
      ...inputOptions,
    )
    .output('pipe:1')
    .outputOptions(
      ...['-map', '0:a:0', '-c:a', 'aac', '-ar', String(AUDIO_SAMPLE_RATE_HZ)],
      ...['-ac', String(channelCount), '-b:a', String(AUDIO_BITS_PER_SEC)],
      ...pipeOptions(),
    );
  return { args: command._getArguments(), stdin: null };
}

/**
 * Decodes the first frame of a fragmented MP4 on standard input and writes it as `widthPx` × `heightPx` RGB, three
 * bytes per pixel, nothing else. Reads no file and opens no connection.
 */
export function pictureCommand(widthPx: number, heightPx: number): FfmpegCommandLine {
  const command = Ffmpeg()
    .input('pipe:0')
    .inputOptions(
      '-hide_banner',
      '-nostdin',
      '-nostats',
      ...['-loglevel', 'error'],
      ...['-threads', String(DECODER_THREADS)],
      ...['-protocol_whitelist', 'pipe'],
      ...['-f', 'mp4'],
    )
    .output('pipe:1')
    .outputOptions(
      '-an',
      ...['-frames:v', '1'],
      ...['-vf', `scale=${widthPx}:${heightPx}:flags=area`],
      ...['-pix_fmt', 'rgb24', '-c:v', 'rawvideo', '-f', 'rawvideo'],
    );
  return { args: command._getArguments(), stdin: null };
}

/**
 * The concat script that names a camera. Before version 5 it cannot carry options: such an ffmpeg uses UDP if the
 * camera offers it, regardless of `transport`, and our own watchdog ends what has no timeout.
 */
export function cameraScript(url: CredentialUrl, transport: RtspTransport, ffmpegMajor: number): string {
  if (ffmpegMajor < OLDEST_CURRENT_MAJOR) {
    return `ffconcat version 1.0\nfile ${quoted(url.reveal())}\n`;
  }
  const lines = [
    'ffconcat version 1.0',
    `file ${quoted(url.reveal())}`,
    transport === 'auto' ? 'option rtsp_flags prefer_tcp' : `option rtsp_transport ${transport}`,
    `option timeout ${SOCKET_TIMEOUT_US}`,
    `option probesize ${PROBE_BYTES}`,
    `option analyzeduration ${PROBE_DURATION_US}`,
    // Otherwise ffmpeg reads twenty frames to guess a frame rate that no one uses.
    'option fpsprobesize 0',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Quoting of ffmpeg-utils(1): inside single quotes, everything except the quote is literal. A URL has no line
 * breaks.
 */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function videoOptions(video: WorkerPlan['video'], ffmpegMajor: number): string[] {
  if (video === 'copy') {
    const bridge = ffmpegMajor < JUMP_BRIDGE_MAJOR ? [] : ['-bsf:v', packetJumpBridge()];
    return ['-c:v', 'copy', ...bridge, '-video_track_timescale', String(VIDEO_TIMESCALE_HZ)];
  }
  return [
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-profile:v', 'main'],
    ...['-threads', String(ENCODER_THREADS)],
    ...['-vf', `${pictureJumpBridge()},${PICTURE_SCALE}`, '-pix_fmt', 'yuv420p', '-level', H264_LEVEL],
    ...['-bf', '0', '-sc_threshold', '0', '-flags', '+cgop', '-g', String(MAX_GOP_FRAMES)],
    ...['-forced-idr', '1', '-force_key_frames', `expr:isnan(prev_forced_t)+gte(t,prev_forced_t+${GOP_SEC})`],
    // Otherwise timestamps are rounded to a guessed frame rate, and frames are duplicated to match it.
    ...['-enc_time_base', '-1', ffmpegMajor < FPS_MODE_MAJOR ? '-vsync' : '-fps_mode', 'passthrough'],
    ...['-x264-params', RATE_CONTROL],
    ...['-crf', '23', '-maxrate', String(MAX_VIDEO_BITS_PER_SEC), '-bufsize', String(MAX_VIDEO_BITS_PER_SEC)],
    ...['-video_track_timescale', String(VIDEO_TIMESCALE_HZ)],
  ];
}

function audioOptions(audio: 'copy' | 'encode', ffmpegMajor: number): string[] {
  if (audio === 'copy') {
    return ['-c:a', 'copy', ...(ffmpegMajor < JUMP_BRIDGE_MAJOR ? [] : ['-bsf:a', packetJumpBridge()])];
  }
  return [
    // Fills what a camera left out and cuts what it sent twice, so that audio stays in sync with the video.
    ...['-af', `${soundJumpBridge()},aresample=async=1000`],
    ...['-c:a', 'aac', '-ar', String(AUDIO_SAMPLE_RATE_HZ), '-ac', String(AUDIO_CHANNELS)],
    ...['-b:a', String(AUDIO_BITS_PER_SEC)],
  ];
}

function pipeOptions(): string[] {
  return [
    ...['-output_ts_offset', String(TIMESTAMP_OFFSET_SEC), '-avoid_negative_ts', 'disabled'],
    ...['-use_editlist', '0', '-movflags', MOVIE_FLAGS, '-flush_packets', '1', '-f', 'mp4'],
  ];
}
