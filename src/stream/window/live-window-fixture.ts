/** A live window filled with parts as a packager makes them, for tests. */

import { createRequire } from 'node:module';
import { ByteQueue } from '../../cmaf/byte-queue.ts';
import { FAKE_VIDEO } from '../../cmaf/fake-camera.ts';
import { packageTracks } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import { PartBytes } from '../../cmaf/part-bytes.ts';
import type { SegmenterProgress } from '../../cmaf/segmenter-progress.ts';
import type { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import type { KeyFrame, LentMedia, PlaylistQuery, Unready } from '../media/live-media.ts';
import { playlistText } from '../media/playlist-fixture.ts';
import type { Numbering } from '../numbering/numbering.ts';
import type { FollowedWindow, WindowFollower } from './followed-window.ts';
import { LiveWindow } from './live-window.ts';
import { DEFAULT_LIVE_WINDOW_LIMITS, type LiveWindowLimits } from './live-window-limits.ts';
import type { OtherRendition } from './playlist-texts.ts';
import type { SharedPathOptions } from './shared-paths.ts';

interface ParsedSegment {
  uri?: string;
  duration?: number;
  discontinuity?: boolean;
  map: { uri: string };
  parts?: { uri: string; duration: number; independent?: boolean }[];
}

interface Parsed {
  mediaSequence: number;
  discontinuitySequence: number;
  targetDuration: number;
  partTargetDuration: number;
  serverControl: Record<string, number | boolean>;
  segments: ParsedSegment[];
  preloadSegment?: ParsedSegment;
  skip?: { skippedSegments: number };
}

const { Parser } = createRequire(import.meta.url)('m3u8-parser') as {
  Parser: new () => { push(text: string): void; end(): void; manifest: Parsed };
};

export const TRACKS = packageTracks([FAKE_VIDEO], 'video-and-audio')!;
export const OTHER_TRACKS = packageTracks([{ ...FAKE_VIDEO, widthPx: 320 }], 'video-and-audio')!;
export const UNUSED: Numbering = {
  nextMediaSequenceNumber: 0,
  nextDiscontinuitySequence: 0,
  initFingerprint: null,
};
export const NEWEST: PlaylistQuery = { msn: -1, part: -1, skip: false };
const PART_TARGET_MS = 346;
const PART_TICKS = 28_800;

export function partBytes(bytes: Buffer): PartBytes {
  const queue = new ByteQueue();
  queue.append(bytes);
  const run = queue.share(bytes.length);
  queue.clear();
  return new PartBytes([run]);
}

export function lent(media: LentMedia | Unready | null): LentMedia {
  if (media === null || typeof media === 'string') throw new Error(`not lent: ${media}`);
  return media;
}

export function bytesOf(media: LentMedia | Unready | null): Buffer {
  return lent(media).bytes;
}

export class LiveWindowBench implements FollowedWindow {
  readonly clock = new FakeClock();
  readonly window: LiveWindow;
  numbering: Numbering;
  key: KeyFrame | null = null;
  readonly #followers = new Set<WindowFollower>();
  #ticks = 0;
  #bytes = 0;

  constructor(
    limits: Partial<LiveWindowLimits> = {},
    numbering = UNUSED,
    isContinuation = false,
    other: OtherRendition | null = null,
    shared: SharedPathOptions | null = null,
  ) {
    this.numbering = numbering;
    this.window = new LiveWindow({
      clock: this.clock,
      limits: { ...DEFAULT_LIVE_WINDOW_LIMITS, ...limits },
      numbering,
      isContinuation,
      onNumbering: (to) => {
        this.numbering = to;
      },
      ...(other === null ? {} : { other }),
      ...(shared === null ? {} : { shared }),
    });
  }

  part(fields: Partial<CmafPart> = {}): this {
    const durationTicks = fields.durationTicks ?? PART_TICKS;
    const part: CmafPart = {
      bytes: partBytes(Buffer.alloc(100, this.#bytes++)),
      tracks: TRACKS,
      timescaleHz: 90_000,
      sourceOffsetSec: 0,
      startTicks: this.#ticks,
      pictures: 8,
      epochMs: Date.UTC(2026, 0, 1) + this.#ticks / 90,
      isSegmentStart: false,
      isSegmentEnd: false,
      isIndependent: fields.isSegmentStart ?? false,
      hasDiscontinuity: false,
      keySample: null,
      ...fields,
      durationTicks,
    };
    this.#ticks += durationTicks;
    for (const follower of this.#followers) follower.onPart(part, PART_TARGET_MS);
    this.window.publish(part, PART_TARGET_MS);
    return this;
  }

  get followers(): number {
    return this.#followers.size;
  }

  follow(follower: WindowFollower): ReturnType<LiveWindow['state']> {
    this.#followers.add(follower);
    return this.window.state();
  }

  progress(): SegmenterProgress {
    return {
      endTicks: this.#ticks,
      timescaleHz: 90_000,
      soundEndSec: 0,
      partTargetMs: PART_TARGET_MS,
      hasEndedSegment: true,
      hasSetsInBand: false,
      sequenceNumber: this.#bytes,
    };
  }

  keyFrame(): KeyFrame | null {
    return this.key;
  }

  unfollow(follower: WindowFollower): void {
    this.#followers.delete(follower);
  }

  /** The camera is closed. */
  close(): void {
    this.window.close();
    for (const follower of this.#followers) follower.onClosed();
    this.#followers.clear();
  }

  fail(error: GatewayError): void {
    this.window.failWaiters(error);
    for (const follower of this.#followers) follower.onFailed(error);
  }

  /** A whole segment of `parts` parts, two seconds unless said otherwise. */
  segment(parts = 6, fields: Partial<CmafPart> = {}): this {
    const durationTicks = 180_000 / 6;
    for (let i = 0; i < parts; i++) {
      const isFirst = i === 0;
      const hasDiscontinuity = isFirst && (fields.hasDiscontinuity ?? false);
      this.part({
        durationTicks,
        ...fields,
        isSegmentStart: isFirst,
        isSegmentEnd: i === parts - 1,
        hasDiscontinuity,
      });
    }
    return this;
  }

  segments(count: number): this {
    for (let i = 0; i < count; i++) this.segment();
    return this;
  }

  text(query: Partial<PlaylistQuery> = {}): string {
    const body = this.window.playlist({ ...NEWEST, ...query });
    return playlistText(body);
  }

  parsed(): Parsed {
    const parser = new Parser();
    parser.push(this.text());
    parser.end();
    return parser.manifest;
  }
}
