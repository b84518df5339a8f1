/**
 * The names in a manifest, relative to it. Each stream has a folder of its own, because `seg_<n>.m4v` next to the
 * manifest is what HLS plays: video and audio in one file, which players of DASH do not accept.
 */

/** The streams of a camera: one track each. `h264` is the main stream, transcoded. */
export const STREAM_IDS = ['main', 'sub', 'audio', 'h264'] as const;
export type StreamId = (typeof STREAM_IDS)[number];

export interface StreamNames {
  readonly folder: string;
  readonly extension: 'm4v' | 'm4a';
}

export const STREAM_NAMES: Readonly<Record<StreamId, StreamNames>> = {
  main: { folder: 'video', extension: 'm4v' },
  sub: { folder: 'sub/video', extension: 'm4v' },
  audio: { folder: 'audio', extension: 'm4a' },
  h264: { folder: 'h264/video', extension: 'm4v' },
};

export const MANIFEST_NAME = 'file.mpd';
/** Where players read the time. */
export const TIME_NAME = 'time';

export type DashName =
  | { readonly kind: 'init'; readonly name: string }
  | { readonly kind: 'segment'; readonly number: number };

const SEGMENT_PATTERN = /^seg_(0|[1-9]\d{0,14})\.(m4v|m4a)$/;
const INIT_PATTERN = /^seg_init(?:_[0-9a-f]{8})?\.mp4$/;

/** Template of the segments' names, for `@media`. */
export function mediaTemplate(id: StreamId): string {
  const { folder, extension } = STREAM_NAMES[id];
  return `${folder}/seg_$Number$.${extension}`;
}

/** null for anything that is not one of the stream's names; numbers have only one spelling. */
export function parseDashName(id: StreamId, name: string): DashName | null {
  if (INIT_PATTERN.test(name)) return { kind: 'init', name };
  const match = SEGMENT_PATTERN.exec(name);
  if (match === null || match[2] !== STREAM_NAMES[id].extension) return null;
  return { kind: 'segment', number: Number(match[1]) };
}
