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
import type { JpegTables } from '../codec/jpeg/quantization-tables.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { OLDEST_CURRENT_MAJOR } from './find-ffmpeg.ts';
import { JUMP_BRIDGE_MAJOR, packetJumpBridge, pictureJumpBridge, soundJumpBridge } from './jump-bridge.ts';
import { boxesCovering, type Polygon } from './mask-boxes.ts';

/** RTP over TCP or UDP; `auto`: TCP first, then UDP. `http`, `https`: RTSP over HTTP. */
export type RtspTransport = 'auto' | 'tcp' | 'udp' | 'multicast' | 'http' | 'https';

/** The formats that a fed worker can read from its standard input, as ffmpeg names them. */
export type FedFormat = 'mpegts' | 'mp4' | 'mpjpeg';

export type WorkerInput =
  | { readonly kind: 'rtsp'; readonly url: CredentialUrl; readonly transport: RtspTransport }
  /** Media that the gateway loads and writes to standard input, live; the worker has no network. */
  | { readonly kind: 'fed'; readonly format: FedFormat }
  /** The worker connects to it, with `protocols` of ffmpeg and no others. */
  | { readonly kind: 'url'; readonly url: CredentialUrl; readonly protocols: readonly string[] }
  /** A filter graph with outputs `out0` (video) and `out1` (audio), in real time. For tests and demonstrations. */
  | { readonly kind: 'synthetic'; readonly graph: string };

/** A worker's task for each kind of track. */
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

/** The first version that calls `-vsync` `-fps_mode`. */
const FPS_MODE_MAJOR = 6;
/** A decoder that works one frame ahead adds one frame of delay. */
export const DECODER_THREADS = 1;
const ENCODER_THREADS = 2;
/** The limit of the read before the tracks are known: it should include a camera's first key frame. */
const PROBE_BYTES = 2_000_000;
const PROBE_DURATION_US = 2_000_000;
/** ffmpeg reads this much of an MPEG transport stream even if it knows all tracks, and then passes it on in one burst. */
const FED_PROBE_DURATION_US = 1_000_000;
const SOCKET_TIMEOUT_US = 8_000_000;
const GOP_SEC = 2;
/** Only an upper bound: `force_key_frames` sets the pace, whatever the frame rate turns out to be. */
const MAX_GOP_FRAMES = 600;
/**
 * Frames are scaled down until they have the area of 1920 × 1088, whatever their shape: some cameras are mounted
 * sideways, and some see 360°. 4:2:0 needs even sizes.
 */
export const MAX_PICTURE_PX = 1_920 * 1_088;
const SHRINK = `min(1,sqrt(${MAX_PICTURE_PX}/(iw*ih)))`;
const PICTURE_SCALE = `scale=w='2*trunc(iw*${SHRINK}/2)':h='2*trunc(ih*${SHRINK}/2)'`;
/** That area at up to 64 frames per second. By default, x264 would derive the level from an unknown frame rate. */
const H264_LEVEL = '4.2';
/** As ENCODED_VIDEO is scaled: what PICTURE_SCALE computes. */
export function encodedSize(widthPx: number, heightPx: number): { widthPx: number; heightPx: number } {
  const shrink = Math.min(1, Math.sqrt(MAX_PICTURE_PX / (widthPx * heightPx)));
  const even = (px: number): number => 2 * Math.trunc((px * shrink) / 2);
  return { widthPx: even(widthPx), heightPx: even(heightPx) };
}

/** The bit rate is limited over real time, not over frames at a guessed rate; 25 is where it starts. */
const RATE_CONTROL = 'force-cfr=0:fps=25';
const MAX_VIDEO_BITS_PER_SEC = 4_000_000;
/** Limits of video that a worker encodes. */
export const ENCODED_VIDEO = { level: H264_LEVEL, maxBitsPerSec: MAX_VIDEO_BITS_PER_SEC } as const;
/** What scaling takes from beyond a pixel, and the pixels that share a color sample. */
const MASK_MARGIN_PX = 3;
export const AUDIO_BITS_PER_SEC = 64_000;
/** AAC frames of 21 ms: at G.711's 8 kHz they would last 128 ms. */
export const AUDIO_SAMPLE_RATE_HZ = 48_000;
/** Channels of encoded audio, whatever the camera's is: its track is announced before the first frame. */
export const AUDIO_CHANNELS = 2;
export const VIDEO_TIMESCALE_HZ = 90_000;
/** Added to all timestamps of all tracks. */
export const TIMESTAMP_OFFSET_SEC = 1;
const MOVIE_FLAGS = '+empty_moov+default_base_moof+frag_every_frame+frag_discont';
const FILE_MOVIE_FLAGS = 'delay_moov+default_base_moof+frag_keyframe';
/** The protocols that an input can open; the script, and a camera that redirects, reach nothing else. */
const PROTOCOLS = 'pipe,rtsp,rtp,srtp,tcp,udp,tls';
/** RTSP over HTTP, in addition. */
const TUNNEL_PROTOCOLS = 'http,https';

/** Pulls a camera: H.264 on standard output, AAC on AUDIO_FD unless the plan says off. `ffmpegMajor` selects option names. */
export function liveCommand(input: WorkerInput, plan: WorkerPlan, ffmpegMajor: number): FfmpegCommandLine {
  const command = Ffmpeg();
  const quiet = ['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'info'];
  if (input.kind === 'synthetic') {
    command.input(input.graph).inputOptions(...quiet, '-re', '-f', 'lavfi');
  } else if (input.kind === 'fed') {
    command.input('pipe:0').inputOptions(...quiet, ...fedOptions(input.format));
  } else {
    command.input('pipe:0').inputOptions(
      ...quiet,
      ...['-threads', String(DECODER_THREADS)],
      // The script's own tracks are those of the camera inside, which has been probed already.
      ...['-probesize', '32', '-analyzeduration', '0'],
      ...['-protocol_whitelist', protocolsOf(input)],
      ...['-f', 'concat', '-safe', '0'],
    );
  }
  command
    .output('pipe:1')
    .outputOptions('-map', '0:v:0', ...videoOptions(plan.video, ffmpegMajor), ...pipeOptions());
  if (plan.audio !== 'off') {
    command
      .output(`pipe:${AUDIO_FD}`)
      .outputOptions('-map', '0:a:0', ...audioOptions(plan.audio, ffmpegMajor), ...pipeOptions());
  }
  return { args: command._getArguments(), stdin: liveStdin(input, ffmpegMajor) };
}

function liveStdin(input: WorkerInput, ffmpegMajor: number): string | null {
  if (input.kind === 'rtsp') return cameraScript(input.url, input.transport, ffmpegMajor);
  return input.kind === 'url' ? urlScript(input.url, ffmpegMajor) : null;
}

/** JPEGs of a multipart stream carry no times: their arrival counts. */
function fedOptions(format: FedFormat): string[] {
  return [
    ...['-threads', String(DECODER_THREADS), '-protocol_whitelist', 'pipe'],
    ...['-probesize', String(PROBE_BYTES), '-analyzeduration', String(FED_PROBE_DURATION_US)],
    ...['-fpsprobesize', '0', ...(format === 'mpjpeg' ? ['-use_wallclock_as_timestamps', '1'] : [])],
    ...['-f', format],
  ];
}

export interface TranscodeOptions {
  readonly masks?: readonly Polygon[];
  readonly decoderThreads?: number;
}

/**
 * A fragmented MP4 with video on standard input, to H.264 on standard output as it comes; nothing is opened. Times stay
 * what they are, plus TIMESTAMP_OFFSET_SEC. `masks` are black in every frame. Each further decoder thread delays live video by a frame.
 */
export function transcodeCommand(
  ffmpegMajor: number,
  { masks = [], decoderThreads = DECODER_THREADS }: TranscodeOptions = {},
): FfmpegCommandLine {
  const command = Ffmpeg()
    .input('pipe:0')
    .inputOptions(
      '-hide_banner',
      '-nostdin',
      '-nostats',
      ...['-loglevel', 'warning'],
      ...['-threads', String(decoderThreads)],
      ...['-protocol_whitelist', 'pipe'],
      // The header says everything. Media that is read to find out more comes out later, or not at all.
      ...(ffmpegMajor < OLDEST_CURRENT_MAJOR ? ['-probesize', '32'] : ['-nofind_stream_info']),
      ...['-copyts', '-f', 'mp4'],
    )
    .output('pipe:1')
    .outputOptions('-map', '0:v:0', ...encodedVideo(maskedPicture(masks), ffmpegMajor), ...pipeOptions());
  return { args: command._getArguments(), stdin: null };
}

/**
 * Scales, and fills the boxes of masks. Sizes are those of the frame itself, so boxes are right whatever its parameter sets say. Scaling
 * mixes neighboring pixels, so boxes are wider by MASK_MARGIN_PX.
 */
function maskedPicture(masks: readonly Polygon[]): string {
  if (masks.length === 0) return PICTURE_SCALE;
  const boxes = boxesCovering(masks).map(({ left, top, right, bottom }) => {
    const size = [`w=ceil(iw*${right - left}/10000)`, `h=ceil(ih*${bottom - top}/10000)`];
    const [width, height] = size.map((text) => `${text}+${2 * MASK_MARGIN_PX}`);
    const x = `x=floor(iw*${left}/10000)-${MASK_MARGIN_PX}`;
    return `drawbox=${x}:y=floor(ih*${top}/10000)-${MASK_MARGIN_PX}:${width}:${height}:c=black:t=fill`;
  });
  return [PICTURE_SCALE, 'format=yuv420p', ...boxes].join(',');
}

/** Says on standard error which tracks a file on standard input has, and ends with an error. */
export function clipProbeCommand(): FfmpegCommandLine {
  return { args: clipInput()._getArguments(), stdin: null };
}

/** Descriptor on which `clipCommand` reports its progress. */
export const PROGRESS_FD = 3;

/**
 * A file on standard input to a fragmented MP4 on standard output, as fast as possible; nothing is opened. Lines `frame=…`
 * on PROGRESS_FD say how many frames are done.
 */
export function clipCommand(plan: WorkerPlan, ffmpegMajor: number): FfmpegCommandLine {
  const encoded = fileVideo(PICTURE_SCALE, ffmpegMajor);
  // A transport stream has its audio configuration in every frame: it is known with the first, and so is the moov.
  const copiedSound = ['-c:a', 'copy', '-bsf:a', 'aac_adtstoasc'];
  const sound = ['-c:a', 'aac', '-ac', String(AUDIO_CHANNELS), '-b:a', String(AUDIO_BITS_PER_SEC)];
  const command = clipInput('-progress', `pipe:${PROGRESS_FD}`)
    .output('pipe:1')
    .outputOptions(
      ...['-map', '0:v:0', ...(plan.video === 'copy' ? ['-c:v', 'copy'] : encoded)],
      ...['-video_track_timescale', String(VIDEO_TIMESCALE_HZ)],
      ...(plan.audio === 'off' ? [] : ['-map', '0:a:0', ...(plan.audio === 'copy' ? copiedSound : sound)]),
      ...['-movflags', FILE_MOVIE_FLAGS, '-f', 'mp4'],
    );
  return { args: command._getArguments(), stdin: null };
}

export interface FileOptions {
  /** Black in every frame. */
  readonly masks: readonly Polygon[];
  readonly hasAudio: boolean;
}

/**
 * An MP4 on standard input, as it plays, to a fragmented one on standard output that every device plays: H.264 and AAC. Nothing is opened.
 */
export function fileCommand(ffmpegMajor: number, { masks, hasAudio }: FileOptions): FfmpegCommandLine {
  const sound = ['-c:a', 'aac', '-ar', String(AUDIO_SAMPLE_RATE_HZ), '-ac', String(AUDIO_CHANNELS)];
  const command = Ffmpeg()
    .input('pipe:0')
    .inputOptions(
      ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'warning'],
      ...['-threads', String(DECODER_THREADS), '-protocol_whitelist', 'pipe', '-f', 'mp4'],
    )
    .output('pipe:1')
    .outputOptions(
      ...['-map', '0:v:0', ...fileVideo(maskedPicture(masks), ffmpegMajor)],
      ...['-video_track_timescale', String(VIDEO_TIMESCALE_HZ)],
      // If it has any.
      ...(hasAudio ? ['-map', '0:a:0?', ...sound, '-b:a', String(AUDIO_BITS_PER_SEC)] : []),
      ...['-map_metadata', '-1', '-movflags', FILE_MOVIE_FLAGS, '-f', 'mp4'],
    );
  return { args: command._getArguments(), stdin: null };
}

/** Encoded once, at leisure. */
function fileVideo(filters: string, ffmpegMajor: number): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'main', '-threads', String(ENCODER_THREADS)],
    ...['-vf', filters, '-pix_fmt', 'yuv420p', '-level', H264_LEVEL, '-bf', '0', '-crf', '23'],
    ...['-maxrate', String(MAX_VIDEO_BITS_PER_SEC), '-bufsize', String(MAX_VIDEO_BITS_PER_SEC)],
    ...['-force_key_frames', `expr:gte(t,n_forced*${GOP_SEC})`, '-enc_time_base', '-1'],
    ffmpegMajor < FPS_MODE_MAJOR ? '-vsync' : '-fps_mode',
    'passthrough',
  ];
}

function clipInput(...options: readonly string[]): Ffmpeg.FfmpegCommand {
  return Ffmpeg()
    .input('pipe:0')
    .inputOptions(
      ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'info'],
      ...['-threads', String(DECODER_THREADS), '-protocol_whitelist', 'pipe'],
      ...options,
    );
}

/** A part of a picture, in ten-thousandths of its width and height. It has an area and lies within the picture. */
export interface PictureCrop {
  readonly xPermyriad: number;
  readonly yPermyriad: number;
  readonly widthPermyriad: number;
  readonly heightPermyriad: number;
}

/** The output of `pictureCommand`, and the frame that it shows. */
export interface PictureOptions {
  readonly widthPx: number;
  readonly heightPx: number;
  /** null: all of it. */
  readonly crop: PictureCrop | null;
  /** Frames that are shown before it. */
  readonly frameIndex: number;
  /** Whether the edges of blocks are smoothed (in-loop filters: H.264 8.7, H.265 8.7): a tenth of the decoding. */
  readonly isDeblocked: boolean;
  /** The JPEG's tables. ffmpeg takes all but the first value of each, which is 8. null: RGB. */
  readonly jpeg: JpegTables | null;
  /** The picture has these black edges, and a restart marker after each row of blocks. Default: it has neither. */
  readonly tile?: TileEdges;
}

/** A picture whose shape is not that of the tile. */
export interface TileEdges {
  /** Of the whole tile, a multiple of 16. */
  readonly widthPx: number;
  readonly heightPx: number;
}

/** With this, ffmpeg uses the tables as they are. */
const UNSCALED_TABLES = 8;
/** Rows of a block of samples, with 4:2:0. */
const JPEG_BLOCK_PX = 16;
/** The color format of JPEGs: full range, BT.601 (JFIF 1.02). */
const JPEG_COLORS = 'out_color_matrix=bt601:out_range=pc';

/**
 * Decodes the frame `frameIndex`, in the order in which frames are shown, of a fragmented MP4 on standard input and
 * writes it, or the part `crop` of it, with `widthPx` × `heightPx` pixels: as RGB, three bytes per pixel, nothing else; or
 * as a baseline JPEG, 4:2:0, with Huffman tables of T.81 K.3. Reads no file and opens no connection.
 */
export function pictureCommand(
  { widthPx, heightPx, crop, frameIndex, isDeblocked, jpeg, tile }: PictureOptions,
  ffmpegMajor: number,
): FfmpegCommandLine {
  const select = frameIndex === 0 ? '' : `select='eq(n,${frameIndex})',`;
  const colors = jpeg === null ? '' : `:${JPEG_COLORS}`;
  const command = Ffmpeg()
    .input('pipe:0')
    .inputOptions(
      '-hide_banner',
      '-nostdin',
      '-nostats',
      ...['-loglevel', 'error'],
      ...['-threads', String(DECODER_THREADS)],
      ...(isDeblocked ? [] : ['-skip_loop_filter', 'all']),
      ...['-protocol_whitelist', 'pipe'],
      // Otherwise the frame is decoded twice: once to learn what the header says already.
      ...(ffmpegMajor < OLDEST_CURRENT_MAJOR ? [] : ['-nofind_stream_info']),
      ...['-f', 'mp4'],
    )
    .output('pipe:1')
    .outputOptions(
      '-an',
      ...['-frames:v', '1', '-filter_threads', '1'],
      // Otherwise ffmpeg starts a thread per core to "encode" raw pixels, each with a heap of its own.
      ...['-threads', '1'],
      ...[
        '-vf',
        `${select}${cropFilter(crop)}scale=${widthPx}:${heightPx}:flags=area${colors}${edges(tile)}`,
      ],
      // One of them ends with each row of blocks.
      ...(tile === undefined ? [] : ['-slices', String(tile.heightPx / JPEG_BLOCK_PX)]),
      ...(jpeg === null ? ['-pix_fmt', 'rgb24', '-c:v', 'rawvideo', '-f', 'rawvideo'] : jpegOptions(jpeg)),
    );
  return { args: command._getArguments(), stdin: null };
}

function jpegOptions({ luminance, chrominance }: JpegTables): string[] {
  return [
    ...['-pix_fmt', 'yuvj420p', '-c:v', 'mjpeg', '-huffman', 'default', '-q:v', String(UNSCALED_TABLES)],
    ...['-intra_matrix', luminance.join(','), '-chroma_intra_matrix', chrominance.join(',')],
    ...['-f', 'mjpeg'],
  ];
}

function edges(tile: TileEdges | undefined): string {
  return tile === undefined ? '' : `,pad=${tile.widthPx}:${tile.heightPx}:-1:-1`;
}

/** In terms of the frame itself: what its parameter sets say may not be true. */
function cropFilter(crop: PictureCrop | null): string {
  if (crop === null) return '';
  const { xPermyriad, yPermyriad, widthPermyriad, heightPermyriad } = crop;
  const size = `w='max(2,iw*${widthPermyriad}/10000)':h='max(2,ih*${heightPermyriad}/10000)'`;
  return `crop=${size}:x='iw*${xPermyriad}/10000':y='ih*${yPermyriad}/10000',`;
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
    transport === 'auto'
      ? 'option rtsp_flags prefer_tcp'
      : `option rtsp_transport ${transport === 'multicast' ? 'udp_multicast' : transport}`,
    `option timeout ${SOCKET_TIMEOUT_US}`,
    `option probesize ${PROBE_BYTES}`,
    `option analyzeduration ${PROBE_DURATION_US}`,
    // Otherwise ffmpeg reads twenty frames to guess a frame rate that is never used.
    'option fpsprobesize 0',
  ];
  return `${lines.join('\n')}\n`;
}

/** The same for a URL that is not RTSP. */
export function urlScript(url: CredentialUrl, ffmpegMajor: number): string {
  const lines = ['ffconcat version 1.0', `file ${quoted(url.reveal())}`];
  if (ffmpegMajor >= OLDEST_CURRENT_MAJOR) {
    lines.push(
      `option rw_timeout ${SOCKET_TIMEOUT_US}`,
      `option probesize ${PROBE_BYTES}`,
      `option analyzeduration ${PROBE_DURATION_US}`,
      'option fpsprobesize 0',
    );
  }
  return `${lines.join('\n')}\n`;
}

/** The protocols that the script of a camera may lead to. */
function protocolsOf(input: Extract<WorkerInput, { url: CredentialUrl }>): string {
  if (input.kind === 'url') return ['pipe', ...input.protocols].join(',');
  return isTunnel(input.transport) ? `${PROTOCOLS},${TUNNEL_PROTOCOLS}` : PROTOCOLS;
}

function isTunnel(transport: RtspTransport): boolean {
  return transport === 'http' || transport === 'https';
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
  return encodedVideo(`${pictureJumpBridge()},${PICTURE_SCALE}`, ffmpegMajor);
}

function encodedVideo(filters: string, ffmpegMajor: number): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-profile:v', 'main'],
    ...['-threads', String(ENCODER_THREADS)],
    ...['-vf', filters, '-pix_fmt', 'yuv420p', '-level', H264_LEVEL],
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
    // Fills gaps in the camera's audio and cuts repeated audio, so that it stays in sync with the video.
    ...['-af', `${soundJumpBridge()},aresample=async=1000`],
    ...['-c:a', 'aac', '-ar', String(AUDIO_SAMPLE_RATE_HZ), '-ac', String(AUDIO_CHANNELS)],
    ...['-b:a', String(AUDIO_BITS_PER_SEC)],
  ];
}

/** A fragmented file, one fragment per frame. */
export function pipeOptions(): string[] {
  return [
    ...['-output_ts_offset', String(TIMESTAMP_OFFSET_SEC), '-avoid_negative_ts', 'disabled'],
    ...['-use_editlist', '0', '-movflags', MOVIE_FLAGS, '-flush_packets', '1', '-f', 'mp4'],
  ];
}
