/** A camera's playlist as values: what it offers, and where. RFC 8216 §4; m3u8-parser reads the syntax. */

import { Parser } from 'm3u8-parser';
import { GatewayError } from '../../core/errors.ts';
import { type ByteRange, referredUrl } from '../http/http-client.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import { type AudioRendition, sievePlaylist } from './playlist-sieve.ts';
import { NO_VARIABLES, type PlaylistVariables } from './playlist-variables.ts';

/** No camera's segment is longer, and no playlist has to be requested less often. */
const MAX_SEGMENT_MS = 120_000;
const DEFAULT_SEGMENT_MS = 6_000;
const IV_BYTES = 16;

export interface MultivariantPlaylist {
  readonly kind: 'multivariant';
  readonly variants: readonly Variant[];
  /** Variables for the Media Playlists that it names. */
  readonly variables: PlaylistVariables;
}

export interface Variant {
  readonly url: URL;
  readonly bandwidthBitsPerSec: number;
  /** RFC 6381; null: the playlist does not say. */
  readonly codecs: string | null;
  /** Width times height; 0: the playlist does not say. */
  readonly pixels: number;
  /** Media Playlist with its audio; null: the audio, if any, is in the variant's own segments. */
  readonly audioUrl: URL | null;
}

/** Where bytes are. */
export interface MediaRange {
  readonly url: URL;
  /** null: all of it. */
  readonly range: ByteRange | null;
}

export interface SegmentKey {
  readonly url: URL;
  /** null: made of the media sequence number. */
  readonly iv: Uint8Array | null;
}

/** A Media Initialization Section. */
export interface MediaInit extends MediaRange {
  /** The key in force where EXT-X-MAP stands (§4.3.2.5). */
  readonly key: SegmentKey | null;
}

export interface MediaSegment extends MediaRange {
  readonly mediaSequenceNumber: number;
  readonly discontinuitySequence: number;
  readonly durationMs: number;
  /** EXT-X-GAP: it cannot be loaded. */
  readonly isGap: boolean;
  readonly map: MediaInit | null;
  readonly key: SegmentKey | null;
}

export interface MediaPlaylist {
  readonly kind: 'media';
  readonly targetDurationMs: number;
  readonly segments: readonly MediaSegment[];
  /** Number of the first segment, even if there is none. */
  readonly mediaSequenceNumber: number;
  readonly isEnded: boolean;
  /** The server can hold back a request until the playlist has a certain segment. */
  readonly canBlockReload: boolean;
}

/** The result of m3u8-parser for a sieved playlist. */
interface Parsed {
  readonly targetDuration?: number;
  readonly mediaSequence?: number;
  readonly endList?: boolean;
  readonly serverControl?: { readonly canBlockReload?: unknown };
  readonly segments: readonly ParsedSegment[];
  readonly playlists?: readonly ParsedSegment[];
}

interface ParsedRange {
  readonly uri?: string;
  readonly byterange?: { readonly length?: number; readonly offset?: number };
}

interface ParsedKey {
  readonly uri?: string;
  readonly iv?: Uint32Array;
}

interface ParsedSegment extends ParsedRange {
  readonly duration?: number;
  readonly timeline?: number;
  readonly custom?: { readonly gap?: unknown };
  readonly map?: ParsedRange & { readonly key?: ParsedKey };
  readonly key?: ParsedKey;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/**
 * `url`: where the text came from. `imports`: variables of the Multivariant Playlist that named it. Fails HLS_… or
 * PULL_URL_REFUSED.
 */
export function readPlaylist(
  text: string,
  url: URL,
  imports: PlaylistVariables = NO_VARIABLES,
): MultivariantPlaylist | MediaPlaylist {
  const { text: sieved, audioRenditions, variables } = sievePlaylist(text, url, imports);
  const parsed = parse(sieved);
  try {
    return parsed.playlists === undefined
      ? mediaPlaylist(parsed, url)
      : { kind: 'multivariant', variants: variantsOf(parsed.playlists, audioRenditions, url), variables };
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    throw new GatewayError(HLS_SOURCE_ERRORS.HLS_PLAYLIST_INVALID, {}, thrown);
  }
}

function parse(text: string): Parsed {
  const parser = new Parser();
  parser.addParser({ expression: /^#EXT-X-GAP$/, customType: 'gap', segment: true });
  try {
    parser.push(text);
    parser.end();
  } catch (thrown) {
    throw new GatewayError(HLS_SOURCE_ERRORS.HLS_PLAYLIST_INVALID, {}, thrown);
  }
  return parser.manifest as Parsed;
}

function variantsOf(
  playlists: readonly ParsedSegment[],
  renditions: readonly AudioRendition[],
  base: URL,
): Variant[] {
  const variants: Variant[] = [];
  for (const { uri, attributes } of playlists) {
    if (uri === undefined) continue;
    const bandwidth = Number(attributes?.BANDWIDTH);
    const codecs = attributes?.CODECS;
    const group = renditions.filter(({ groupId }) => groupId === attributes?.AUDIO);
    const audio = (group.find(({ isDefault }) => isDefault) ?? group[0])?.uri ?? null;
    variants.push({
      url: referredUrl(uri, base),
      bandwidthBitsPerSec: Number.isFinite(bandwidth) ? bandwidth : 0,
      codecs: typeof codecs === 'string' && codecs !== '' ? codecs.toLowerCase() : null,
      pixels: pixelsOf(attributes?.RESOLUTION),
      audioUrl: audio === null ? null : referredUrl(audio, base),
    });
  }
  return variants;
}

/** As m3u8-parser reads RESOLUTION. */
function pixelsOf(resolution: unknown): number {
  const { width, height } = (resolution ?? {}) as { readonly width?: unknown; readonly height?: unknown };
  const pixels = Number(width) * Number(height);
  return Number.isSafeInteger(pixels) && pixels > 0 ? pixels : 0;
}

function mediaPlaylist(parsed: Parsed, base: URL): MediaPlaylist {
  const first = wholeNumber(parsed.mediaSequence ?? 0, 'EXT-X-MEDIA-SEQUENCE');
  // Thousands of segments share one init section and one key.
  const maps = new Map<ParsedRange, MediaInit>();
  const keys = new Map<ParsedKey, SegmentKey>();
  const targetDurationMs = durationMs(parsed.targetDuration);
  const segments = parsed.segments.map((segment, index): MediaSegment => {
    const { map = null, key = null, duration, timeline = 0 } = segment;
    if (map !== null && !maps.has(map)) {
      const mapKey = map.key === undefined ? null : segmentKey(map.key, base);
      maps.set(map, { ...mediaRange(map, base), key: mapKey });
    }
    if (key !== null && !keys.has(key)) keys.set(key, segmentKey(key, base));
    return {
      ...mediaRange(segment, base),
      mediaSequenceNumber: first + index,
      discontinuitySequence: wholeNumber(timeline, 'EXT-X-DISCONTINUITY-SEQUENCE'),
      durationMs: duration === undefined ? targetDurationMs : durationMs(duration),
      isGap: segment.custom?.gap !== undefined,
      map: map === null ? null : maps.get(map)!,
      key: key === null ? null : keys.get(key)!,
    };
  });
  const canBlockReload = parsed.serverControl?.canBlockReload;
  return {
    kind: 'media',
    targetDurationMs,
    segments,
    mediaSequenceNumber: first,
    isEnded: parsed.endList === true,
    canBlockReload: canBlockReload === true || canBlockReload === 'YES',
  };
}

function mediaRange({ uri, byterange }: ParsedRange, base: URL): MediaRange {
  if (uri === undefined) throw invalid('URI');
  const url = referredUrl(uri, base);
  if (byterange === undefined) return { url, range: null };
  const length = wholeNumber(byterange.length ?? -1, 'EXT-X-BYTERANGE');
  const offset = wholeNumber(byterange.offset ?? 0, 'EXT-X-BYTERANGE');
  if (length === 0) throw invalid('EXT-X-BYTERANGE');
  return { url, range: { offset, length } };
}

function segmentKey({ uri, iv }: ParsedKey, base: URL): SegmentKey {
  if (uri === undefined) throw invalid('EXT-X-KEY');
  if (iv === undefined) return { url: referredUrl(uri, base), iv: null };
  const bytes = Buffer.alloc(IV_BYTES);
  for (let word = 0; word < IV_BYTES / 4; word++) bytes.writeUInt32BE(iv[word] ?? 0, word * 4);
  return { url: referredUrl(uri, base), iv: bytes };
}

function durationMs(sec: number | undefined): number {
  if (sec === undefined || !Number.isFinite(sec)) return DEFAULT_SEGMENT_MS;
  if (sec < 0 || sec * 1_000 > MAX_SEGMENT_MS) throw invalid('EXTINF');
  return Math.round(sec * 1_000);
}

function wholeNumber(value: number, tag: string): number {
  if (!Number.isSafeInteger(value) || value < 0) throw invalid(tag);
  return value;
}

function invalid(tag: string): GatewayError {
  return new GatewayError(HLS_SOURCE_ERRORS.HLS_PLAYLIST_INVALID, { tag });
}
