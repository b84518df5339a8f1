/** Whether this browser plays H.265, and how a frame of it names its codec. */

const NAL_SPS = 33;
const START_CODE_BYTES = 4;
const NAL_HEADER_BYTES = 2;
/** sps_video_parameter_set_id, sps_max_sub_layers_minus1, sps_temporal_id_nesting_flag */
const BEFORE_PROFILE_BYTES = 1;
/** profile_tier_level() up to general_level_idc (ISO/IEC 23008-2 §7.3.3). */
const PROFILE_BYTES = 12;

/** The format of most cameras: Main profile, 1080p. */
const CAMERA: MediaDecodingConfiguration = {
  type: 'media-source',
  video: {
    contentType: 'video/mp4; codecs="hvc1.1.6.L123.B0"',
    width: 1_920,
    height: 1_080,
    bitrate: 4_000_000,
    framerate: 25,
  },
};

let result: Promise<boolean> | null = null;

/** Smoothly, that is: where a browser stutters, H.264 is better. Never rejects. */
export function playsH265(): Promise<boolean> {
  result ??= askBrowser().catch(() => false);
  return result;
}

async function askBrowser(): Promise<boolean> {
  if (typeof MediaSource === 'undefined' && !('ManagedMediaSource' in globalThis)) {
    return document.createElement('video').canPlayType(CAMERA.video!.contentType) !== '';
  }
  const { supported, smooth } = await navigator.mediaCapabilities.decodingInfo(CAMERA);
  return supported && smooth;
}

/**
 * The RFC 6381 name of a key frame's codec (ISO/IEC 14496-15 annex E.3) from its SPS; null if there is none. `data`: NAL
 * units after start codes of four bytes.
 */
export function h265CodecOf(data: Uint8Array): string | null {
  const start = spsStart(data);
  const profile = start < 0 ? [] : plainBytes(data, start + NAL_HEADER_BYTES + BEFORE_PROFILE_BYTES);
  const level = profile[PROFILE_BYTES - 1];
  if (level === undefined) return null;
  const [first = 0] = profile;
  const space = ['', 'A', 'B', 'C'][first >> 6];
  const compatibility = reversedBits(profile.slice(1, 5)).toString(16).toUpperCase();
  const constraints = profile.slice(5, PROFILE_BYTES - 1);
  while (constraints.at(-1) === 0) constraints.pop();
  const tier = (first & 0x20) === 0 ? 'L' : 'H';
  const parts = constraints.map((byte) => `.${byte.toString(16).toUpperCase()}`);
  return `hvc1.${space}${first & 0x1f}.${compatibility}.${tier}${level}${parts.join('')}`;
}

function spsStart(data: Uint8Array): number {
  for (let at = 0; at + START_CODE_BYTES < data.length; at++) {
    const isCode = data[at] === 0 && data[at + 1] === 0 && data[at + 2] === 0 && data[at + 3] === 1;
    if (isCode && ((data[at + START_CODE_BYTES]! >> 1) & 0x3f) === NAL_SPS) return at + START_CODE_BYTES;
  }
  return -1;
}

/** As many as the profile has, without emulation prevention (§7.4.1.1). */
function plainBytes(data: Uint8Array, start: number): number[] {
  const plain: number[] = [];
  let zeros = 0;
  for (let at = start; at < data.length && plain.length < PROFILE_BYTES; at++) {
    const byte = data[at]!;
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    plain.push(byte);
  }
  return plain;
}

/** general_profile_compatibility_flag, the first one in the lowest bit. */
function reversedBits(bytes: readonly number[]): number {
  let reversed = 0;
  for (let bit = 31; bit >= 0; bit--) {
    reversed = reversed * 2 + ((bytes[bit >> 3]! >> (7 - (bit & 7))) & 1);
  }
  return reversed;
}
