/** A playlist of the gateway, as the synthetic viewer needs it. RFC 8216bis; m3u8-parser reads the syntax. */

import { Parser } from 'm3u8-parser';

/** A part, or a segment that is listed without parts. */
export interface PlaylistChunk {
  readonly uri: string;
  readonly epochMs: number;
  readonly durationMs: number;
  readonly isIndependent: boolean;
  readonly initUri: string | null;
}

export interface LivePlaylist {
  readonly kind: 'media';
  /** In order; segments that are marked as absent are left out. */
  readonly chunks: readonly PlaylistChunk[];
  /** The place that the next blocking request names; null: the server does not block requests. */
  readonly next: { readonly msn: number; readonly part: number } | null;
  /** The part that a player requests before it exists; null: none is announced. */
  readonly hintUri: string | null;
  /** The distance to the end at which players begin. */
  readonly holdBackMs: number;
  readonly targetDurationMs: number;
}

export interface VariantPlaylist {
  readonly kind: 'multivariant';
  /** The first one, with which players begin. */
  readonly uri: string;
}

const MS_PER_SEC = 1_000;
/** RFC 8216bis §4.4.3.8: HOLD-BACK is three target durations if it is absent. */
const HOLD_BACK_TARGETS = 3;

interface Listed {
  readonly uri?: string;
  readonly duration?: number;
  readonly programDateTime?: number;
  readonly dateTimeObject?: Date;
  readonly map?: { readonly uri?: string };
  readonly parts?: readonly ListedPart[];
  readonly preloadHints?: readonly { readonly type?: string; readonly uri?: string }[];
  readonly custom?: { readonly gap?: unknown };
}

interface ListedPart {
  readonly uri?: string;
  readonly duration?: number;
  readonly independent?: boolean;
  readonly gap?: boolean;
}

interface Manifest {
  readonly mediaSequence?: number;
  readonly targetDuration?: number;
  readonly serverControl?: {
    readonly canBlockReload?: unknown;
    readonly partHoldBack?: number;
    readonly holdBack?: number;
  };
  readonly segments: readonly Listed[];
  readonly preloadSegment?: Listed;
  readonly playlists?: readonly { readonly uri?: string }[];
}

/** null: it is not a playlist that can be played live. */
export function readProbePlaylist(text: string): LivePlaylist | VariantPlaylist | null {
  if (!text.startsWith('#EXTM3U')) return null;
  const parser = new Parser();
  parser.addParser({ expression: /^#EXT-X-GAP$/, customType: 'gap', segment: true });
  try {
    parser.push(text);
    parser.end();
  } catch {
    // The parser throws on text that it cannot read: it is not a playlist to us either.
    return null;
  }
  const manifest = parser.manifest as Manifest;
  if (manifest.playlists === undefined) return livePlaylist(manifest);
  const [first] = manifest.playlists;
  return first?.uri === undefined ? null : { kind: 'multivariant', uri: first.uri };
}

function livePlaylist(manifest: Manifest): LivePlaylist | null {
  const { segments, preloadSegment, serverControl = {}, mediaSequence = 0, targetDuration = 0 } = manifest;
  if (targetDuration <= 0) return null;
  const open = preloadSegment?.parts === undefined ? [] : [preloadSegment];
  const chunks: PlaylistChunk[] = [];
  let endEpochMs: number | null = null;
  for (const segment of [...segments, ...open]) {
    const startEpochMs: number | null =
      segment.programDateTime ?? segment.dateTimeObject?.getTime() ?? endEpochMs;
    if (startEpochMs === null) continue;
    endEpochMs = addChunks(chunks, segment, startEpochMs);
  }
  const { canBlockReload, partHoldBack, holdBack = HOLD_BACK_TARGETS * targetDuration } = serverControl;
  const hasParts = chunks.some(({ uri }) => segments.every((segment) => segment.uri !== uri));
  const parts = preloadSegment?.parts?.length ?? 0;
  return {
    kind: 'media',
    chunks,
    next: canBlockReload === true ? { msn: mediaSequence + segments.length, part: parts } : null,
    hintUri: preloadSegment?.preloadHints?.find(({ type }) => type === 'PART')?.uri ?? null,
    holdBackMs: (hasParts ? (partHoldBack ?? holdBack) : holdBack) * MS_PER_SEC,
    targetDurationMs: targetDuration * MS_PER_SEC,
  };
}

/** Returns the end of the segment. */
function addChunks(chunks: PlaylistChunk[], segment: Listed, startEpochMs: number): number {
  const initUri = segment.map?.uri ?? null;
  const isGap = segment.custom?.gap !== undefined;
  let atEpochMs = startEpochMs;
  for (const { uri, duration = 0, independent = false, gap = false } of segment.parts ?? []) {
    const durationMs = duration * MS_PER_SEC;
    if (uri !== undefined && !gap && !isGap) {
      chunks.push({ uri, epochMs: atEpochMs, durationMs, isIndependent: independent, initUri });
    }
    atEpochMs += durationMs;
  }
  if (segment.parts !== undefined) return atEpochMs;
  const durationMs = (segment.duration ?? 0) * MS_PER_SEC;
  if (segment.uri !== undefined && !isGap) {
    chunks.push({ uri: segment.uri, epochMs: startEpochMs, durationMs, isIndependent: true, initUri });
  }
  return startEpochMs + durationMs;
}
