/**
 * The newest segments of one rendition, in memory, and the playlists that list them. RFC 8216bis §6.2.
 *
 * A segment that left the playlist stays for its own duration plus that of the playlist (§6.2.2), in the stream's time:
 * while the camera is offline, nothing is forgotten.
 *
 * EXT-X-TARGETDURATION is the configured value until a segment turns out longer: then it grows to that and stays. The
 * RFC forbids a change, but the first playlist goes out before a whole group of pictures was seen.
 *
 * Longer than 500 lines: one state, which is published to, listed, and requested.
 */

import { shownInit } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import type { GatewayError } from '../../core/errors.ts';
import { initName } from '../../hls/media-names.ts';
import { type MediaPlaylist, type PlaylistEdge, skipBoundarySec } from '../../hls/media-playlist.ts';
import type {
  HeldSpan,
  LentMedia,
  LiveBody,
  LiveRendition,
  PlaylistQuery,
  PlaylistText,
  RecentMedia,
  Unready,
  Waiter,
} from '../media/live-media.ts';
import type { Stretch } from '../media/timed-segment.ts';
import { type Numbering, UNKNOWN } from '../numbering/numbering.ts';
import type { LiveWindowState } from './followed-window.ts';
import { FormerNumbers } from './former-numbers.ts';
import { LiveSegment } from './live-segment.ts';
import { FIRST_SEGMENT_WAIT_MS } from './live-window-limits.ts';
import type { LiveWindowOptions } from './live-window-options.ts';
import { PiecewiseList } from './piecewise-list.ts';
import { readinessOf } from './playlist-readiness.ts';
import { PlaylistTexts } from './playlist-texts.ts';
import { SharedPaths } from './shared-paths.ts';
import { WindowSegments } from './window-segments.ts';
import { type Awaited, WindowWaiters } from './window-waiters.ts';

/**
 * In target durations: how long a client may block (RFC 8216bis §6.2.5.2), and how far back parts are listed (§6.2.2).
 */
const MAX_WAIT = 3;
/** Parts in players' buffers: a viewer who switches to this rendition has this many of another one. */
const SWITCH_PARTS = 3;
const PARTS_LISTED = 3;
/** A playlist must not be shorter, in target durations (§6.2.2). */
const MIN_WINDOW = 3;

type FormerView = Pick<
  LiveWindowState<PackedBytes | Buffer>,
  'formerNumbers' | 'isFollowing' | 'segments' | 'former' | 'numbering'
>;

export class LiveWindow implements LiveRendition {
  /** Another node makes its parts. Set by its packager. */
  isFollowing = false;
  readonly #options: LiveWindowOptions;
  readonly #waiters: WindowWaiters;
  readonly #segments: WindowSegments;
  readonly #former: FormerNumbers;
  /** Duration of all complete segments so far. */
  #elapsedMs = 0;
  #isContinuation: boolean;
  #nextMsn: number;
  #nextDiscontinuitySequence: number;
  #plainFingerprint: string | null;
  #targetDurationSec: number;
  #partTargetMs = 0;
  /** Segments with lower numbers are listed without their parts. */
  #partsFromMsn = 0;
  #segmentCount = 0;
  #revision = 0;
  /** When the newest part came. */
  #shownMonoMs: number;
  #completeCount = 0;
  /** The newest segment's stretch. */
  #stretch: Stretch | null = null;
  #edge: PlaylistEdge | null = null;
  readonly #texts: PlaylistTexts;
  readonly #pieces: PiecewiseList;
  readonly #paths: SharedPaths | null;

  constructor(options: LiveWindowOptions) {
    const { numbering, isContinuation, limits, clock } = options;
    this.#options = options;
    this.#shownMonoMs = clock.monoMs();
    this.#paths = options.shared === undefined ? null : new SharedPaths(clock, options.shared);
    this.#segments = new WindowSegments(clock, limits.maxWindowBytes, (msn) => {
      this.#paths?.forgetBefore(msn + 1);
    });
    this.#former = new FormerNumbers(clock);
    const subject = {
      view: (from: number) => this.#view(from),
      skippableSegments: () => this.#skippableSegments(),
      listedSegments: () => this.listedSegments(),
    };
    this.#texts = new PlaylistTexts(subject, options.other ?? null, this.#paths);
    this.#waiters = new WindowWaiters(clock, limits.maxWaiters);
    this.#isContinuation = isContinuation;
    this.#nextMsn = numbering.nextMediaSequenceNumber;
    this.#nextDiscontinuitySequence = Math.max(isContinuation ? 1 : 0, numbering.nextDiscontinuitySequence);
    this.#plainFingerprint = numbering.initFingerprint;
    this.#targetDurationSec = Math.max(1, Math.round(limits.targetSegmentMs / 1_000));
    const pieces = {
      find: (msn: number) => this.#segments.find(msn),
      newest: () => this.#segments.newest,
      view: () => this.#view(0),
    };
    this.#pieces = new PiecewiseList(pieces, this.#targetDurationSec);
  }

  /** Continues where another window ended. */
  static of(options: LiveWindowOptions, state: LiveWindowState<PackedBytes | Buffer>): LiveWindow {
    const window = new LiveWindow({ ...options, numbering: state.numbering });
    window.become(state);
    return window;
  }

  /** Replaces its content by another window's. Calls waiters whose part is there now. */
  become(state: LiveWindowState<PackedBytes | Buffer>): void {
    this.#noteFormer(state);
    this.#segments.become(state);
    this.isFollowing = state.isFollowing;
    this.#elapsedMs = state.elapsedMs;
    this.#take(state.numbering);
    this.#targetDurationSec = state.targetDurationSec;
    this.#partTargetMs = state.partTargetMs;
    this.#partsFromMsn = state.partsFromMsn;
    this.#segmentCount = state.segmentCount;
    this.#stretch = this.#segments.newest?.stretch ?? null;
    this.#edge = state.edge;
    this.#pieces.become(state.opening);
    this.#paths?.restore(state.paths);
    this.#show();
  }

  /**
   * Lists nothing, and has numbers that no segment had: the next segment is a discontinuity. Former segments can be
   * requested as long as other segments that leave the list. They cannot stay in it: a list has no gap, and the numbers in
   * between may have been published. A manifest keeps listing them.
   */
  restart(numbering: Numbering): void {
    this.#segments.jump(this.#elapsedMs);
    this.#former.jumped(numbering.nextMediaSequenceNumber);
    this.#take(numbering);
    this.#isContinuation = true;
    this.#nextDiscontinuitySequence = Math.max(1, numbering.nextDiscontinuitySequence);
    this.#segmentCount = 0;
    this.#stretch = null;
    this.#edge = null;
  }

  /** Whether these numbers continue the newest segment, complete or not. */
  goesOnAt({ nextMediaSequenceNumber, nextDiscontinuitySequence }: Numbering): boolean {
    const isNext = nextMediaSequenceNumber === (this.#segments.newest?.msn ?? Number.NaN) + 1;
    return isNext && nextDiscontinuitySequence === this.#nextDiscontinuitySequence;
  }

  /** Before it is `state`. If the node that makes it took over, the one before may have published more than has come here. */
  #noteFormer({ formerNumbers = null, isFollowing, segments, former, numbering }: FormerView): void {
    this.#former.become(formerNumbers);
    const firstMsn = segments[former]?.text.head.msn ?? numbering.nextMediaSequenceNumber;
    const { newest } = this.#segments;
    if (isFollowing && newest !== undefined && firstMsn > newest.msn + 1) this.#former.jumped(firstMsn);
  }

  #take({ nextMediaSequenceNumber, nextDiscontinuitySequence, initFingerprint }: Numbering): void {
    this.#nextMsn = nextMediaSequenceNumber;
    this.#nextDiscontinuitySequence = nextDiscontinuitySequence;
    this.#plainFingerprint = initFingerprint;
  }

  /** The caller releases the bytes. */
  state(): LiveWindowState<PackedBytes | Buffer> {
    return {
      numbering: {
        nextMediaSequenceNumber: this.#nextMsn,
        nextDiscontinuitySequence: this.#nextDiscontinuitySequence,
        initFingerprint: this.#plainFingerprint,
      },
      ...this.#segments.state(),
      isFollowing: this.isFollowing,
      formerNumbers: this.#former.state(),
      elapsedMs: this.#elapsedMs,
      targetDurationSec: this.#targetDurationSec,
      partTargetMs: this.#partTargetMs,
      partsFromMsn: this.#partsFromMsn,
      segmentCount: this.#segmentCount,
      edge: this.#edge,
      opening: this.#pieces.state(),
      paths: this.#paths?.state() ?? [],
    };
  }

  /** The fingerprint of the init segment that `seg_init.mp4` names; null before the first. */
  get initFingerprint(): string | null {
    return this.#plainFingerprint;
  }

  /** Bytes of all segments held. */
  get byteLength(): number {
    return this.#segments.byteLength;
  }

  /** Bytes of segments that were forgotten and are still on loan. */
  get overdueBytes(): number {
    return this.#segments.overdue.byteLength;
  }

  /** Raised with every part, and when it becomes what another window was. */
  get partRevision(): number {
    return this.#revision;
  }

  /** The number of the segment that this part begins or continues. */
  sequenceNumberOf({ isSegmentStart }: Pick<CmafPart, 'isSegmentStart'>): number {
    const { newest } = this.#segments;
    const isCutShort = isSegmentStart && newest?.isComplete === false;
    return isCutShort ? newest.msn + 1 : this.#nextMsn;
  }

  /** Segments completed since the start. */
  get segmentRevision(): number {
    return this.#completeCount;
  }

  /** Segments begun since the start. */
  get segmentCount(): number {
    return this.#segmentCount;
  }

  get waiterCount(): number {
    return this.#waiters.count;
  }

  /** See RenditionPackager. */
  lastWaitMonoMs(): number {
    return this.#waiters.lastWaitMonoMs;
  }

  /** Oldest first, the open one included. */
  listedSegments(): readonly LiveSegment[] {
    return this.#segments.listed();
  }

  /** The same, behind those from before the numbers jumped. */
  manifestSegments(): readonly LiveSegment[] {
    return this.#segments.inManifest();
  }

  /** Adds the next part; everyone who waited for it has been called when this returns. */
  publish(part: CmafPart, partTargetMs: number): void {
    if (part.isSegmentStart) {
      this.#completeCutShort();
      this.#openSegment(part);
    }
    const segment = this.#segments.newest;
    // The rest of a segment from before the numbers jumped: the next one begins with a key frame.
    if (segment === undefined) {
      part.bytes.release();
      return;
    }
    segment.add(part);
    this.#segments.byteLength += part.bytes.byteLength;
    this.#partTargetMs = partTargetMs;
    this.#moveEdge(segment);
    if (part.isSegmentEnd) this.#completeSegment(segment);
    this.#unlistParts();
    this.#segments.boundMemory();
    this.#segments.overdue.bound();
    this.#show();
  }

  /** To those who wait, too. */
  #show(): void {
    this.#revision++;
    this.#shownMonoMs = this.#options.clock.monoMs();
    this.#texts.forget();
    this.#pieces.forget();
    this.#waiters.settle(
      (awaited) => this.#respond(awaited),
      (msn) => this.isBehind(msn),
    );
  }

  failWaiters(error: GatewayError): void {
    this.#waiters.fail(error);
  }

  edge(): PlaylistEdge | null {
    return this.#edge;
  }

  /**
   * Forgets everything; nothing may be published or lent anymore. Responses in transit have the usual time to finish.
   */
  close(): void {
    this.#segments.forgetAll();
  }

  playlist(query: PlaylistQuery): PlaylistText | Unready {
    const { firstMsn = -1 } = query;
    const place = firstMsn < 0 ? query : this.#pieces.placeOf(firstMsn, query.msn, query.part);
    if (place.msn >= 0) {
      const readiness = this.#readiness(place.msn, place.part);
      if (readiness !== 'ready') return readiness;
    }
    if (firstMsn >= 0) return this.#piecewise(firstMsn, query.isFirst === true);
    const extension = query.extension ?? 'm4v';
    const first = this.#segments.listedAt(0);
    if (first === undefined) return 'wait';
    if (!first.isComplete) {
      if (extension === 'mp4' || (query.isSwitch && first.partCount < SWITCH_PARTS)) return 'wait';
    }
    return query.isShared === true
      ? this.#texts.sharedText(extension, query.skip)
      : this.#texts.text(extension, query.skip);
  }

  /** A URL from another node may be of an opening that has not come here yet. */
  #piecewise(firstMsn: number, isFirst: boolean): PlaylistText | Unready {
    if (this.#segments.listedAt(0) === undefined) return 'wait';
    if (firstMsn > this.#pieces.openingMsn) return this.isFollowing ? 'wait' : 'unknown';
    const beginning = isFirst ? this.#pieces.beginning(firstMsn) : null;
    return beginning ?? this.#pieces.text(firstMsn);
  }

  /** See PublishedMedia. */
  get beginningMsn(): number | null {
    return this.#pieces.beginningMsn;
  }

  sharedForMs(msn: number, signature: string): number {
    return this.#paths?.leftMs(msn, signature) ?? 0;
  }

  part(msn: number, part: number): LentMedia | Unready {
    const body = this.#segments.find(msn)?.lendPart(part);
    if (body !== undefined) return body;
    // Viewers learn of parts from mirrors of this window, too, and one mirror may be behind another by a few.
    return msn >= this.#nextMsn && this.#readiness(msn, part) === 'wait' ? 'wait' : 'unknown';
  }

  isBehind(msn: number): boolean {
    if (this.isFollowing && msn >= this.#hint().msn) return true;
    return this.#former.has(msn) && this.#segments.find(msn)?.isComplete !== true;
  }

  /** Lends the part that was published last. */
  newestPart(): LentMedia | null {
    const segment = this.#segments.newest;
    return segment?.lendPart(segment.partCount - 1) ?? null;
  }

  segment(msn: number): LentMedia | null {
    const segment = this.#segments.find(msn);
    return segment?.isComplete ? segment.lendWhole() : null;
  }

  isSegmentComing(msn: number): boolean {
    return this.isFollowing && this.#readiness(msn, -1) === 'wait';
  }

  segmentAt(epochMs: number, maxBytes: number): RecentMedia | null {
    return this.#segments.recentAt(epochMs, maxBytes);
  }

  heldSpans(): readonly HeldSpan[] {
    return this.#segments.spans();
  }

  init(name: string): Buffer | null {
    return this.#segments.init(name);
  }

  awaitPlaylist(query: PlaylistQuery, waiter: Waiter): void {
    const { msn, part, skip, extension = 'm4v', isSwitch = false, isShared = false, firstMsn = -1 } = query;
    const awaited = { isPart: false, msn, part, skip, extension, isSwitch, isShared, firstMsn };
    if (part < 0 && this.#elapsedMs === 0) {
      const maxWaitMs = Math.max(FIRST_SEGMENT_WAIT_MS, this.#maxWaitMs());
      this.#waiters.addForFirst(waiter, awaited, maxWaitMs);
    } else this.#waiters.add(waiter, awaited, this.#maxWaitMs());
  }

  awaitPart(msn: number, part: number, waiter: Waiter): void {
    const awaited = { isPart: true, msn, part, skip: false, extension: 'm4v' } as const;
    this.#waiters.add(waiter, awaited, this.#maxWaitMs());
  }

  cancelWait(waiter: Waiter): void {
    this.#waiters.cancel(waiter);
  }

  #maxWaitMs(): number {
    return MAX_WAIT * this.#targetDurationSec * 1_000;
  }

  /** A playlist that could be waited for while the stream was late stays so when its next part comes. */
  #respond(awaited: Awaited): LiveBody | Unready {
    const { isPart, msn, part } = awaited;
    if (!isPart) {
      const body = this.playlist(awaited);
      return body === 'rejected' && !this.isBehind(msn) ? 'wait' : body;
    }
    if (part >= 0) return this.part(msn, part);
    return this.segment(msn) ?? (this.isSegmentComing(msn) ? 'wait' : 'unknown');
  }

  #openSegment(part: CmafPart): void {
    const { fingerprint } = part.tracks;
    this.#plainFingerprint ??= fingerprint;
    const isFirst = this.#segmentCount === 0;
    // A signed one has a name of its own, so the plain name stays with the parameter sets.
    const initUri = initName(shownInit(part.tracks).fingerprint, this.#plainFingerprint);
    const hasDiscontinuity = isFirst
      ? this.#isContinuation
      : part.hasDiscontinuity || this.#segments.newest?.initName !== initUri;
    if (isFirst || hasDiscontinuity) this.#nextDiscontinuitySequence++;
    const listing = this.#pieces.headOf(this.#nextMsn, isFirst);
    const head = { msn: this.#nextMsn, initUri, hasDiscontinuity, epochMs: part.epochMs, ...listing };
    const stretch = this.#stretchOf(part, isFirst || hasDiscontinuity);
    const sequence = this.#nextDiscontinuitySequence - 1;
    this.#paths?.announce(head.msn, sequence, this.#targetDurationSec);
    this.#segments.push(new LiveSegment(head, sequence, part.tracks, stretch, part.startTicks));
    this.#segmentCount++;
    this.#options.onNumbering({
      nextMediaSequenceNumber: head.msn + 1,
      nextDiscontinuitySequence: this.#nextDiscontinuitySequence,
      initFingerprint: this.#plainFingerprint,
    });
  }

  #stretchOf(part: CmafPart, isNew: boolean): Stretch {
    if (!isNew && this.#stretch !== null) return this.#stretch;
    const { startTicks, timescaleHz, epochMs, sourceOffsetSec } = part;
    this.#stretch = { startTicks, timescaleHz, startEpochMs: epochMs, sourceOffsetSec };
    return this.#stretch;
  }

  /**
   * Refers to the newest part, unless it is the first one of a segment: then to the one before, because hls.js 1.7
   * takes LAST-PART=0 for a report without a part, and requests a part that lies too far ahead.
   */
  #moveEdge(segment: LiveSegment): void {
    const { msn, partCount } = segment;
    if (partCount > 1) this.#edge = { msn, part: partCount - 1 };
    else if (this.#segmentCount > 1) {
      const before = this.#segments.find(msn - 1);
      if (before !== undefined) this.#edge = { msn: msn - 1, part: before.partCount - 1 };
    }
  }

  /** The thread that packaged the newest segment ended in the middle of it: the segment stays as long as it is. */
  #completeCutShort(): void {
    const { newest } = this.#segments;
    if (newest !== undefined && !newest.isComplete) this.#completeSegment(newest);
  }

  #completeSegment(segment: LiveSegment): void {
    segment.complete();
    this.#completeCount++;
    this.#nextMsn = segment.msn + 1;
    this.#elapsedMs += segment.durationMs;
    this.#targetDurationSec = Math.max(this.#targetDurationSec, segment.roundedDurationSec);
    this.#pieces.completed(segment);
    // The preload hint names its first part from now on.
    this.#paths?.announce(this.#nextMsn, segment.discontinuitySequence, this.#targetDurationSec);
    this.#trimPlaylist();
  }

  /** Removes segments from the playlist that it no longer needs, and forgets those whose time is over. */
  #trimPlaylist(): void {
    const windowMs = Math.max(this.#options.limits.windowMs, MIN_WINDOW * this.#targetDurationSec * 1_000);
    this.#segments.trim(windowMs, this.#elapsedMs);
  }

  /**
   * Parts that left the playlist never return, even if a grown target duration asks for more of them: hls.js 1.7 counts
   * parts from the front (`mapPartIntersection`). If new ones appeared there, it would forget what it has loaded, and
   * load the whole current segment once more.
   */
  #unlistParts(): void {
    const first = this.#segments.listedBefore(PARTS_LISTED * this.#targetDurationSec * 1_000);
    const { msn } = this.#segments.listedAt(first)!;
    this.#partsFromMsn = Math.max(this.#partsFromMsn, msn);
  }

  /** The next part: the segmenter only ends a segment together with its last part. */
  #hint(): { msn: number; part: number } {
    return { msn: this.#nextMsn, part: this.#segments.find(this.#nextMsn)?.partCount ?? 0 };
  }

  #readiness(msn: number, part: number): 'ready' | Unready {
    if (this.#nextMsn === UNKNOWN.nextMediaSequenceNumber) return 'wait';
    const end = {
      ...this.#hint(),
      partTargetMs: this.#partTargetMs,
      targetDurationMs: this.#targetDurationSec * 1_000,
      ageMs: () => this.#options.clock.monoMs() - this.#shownMonoMs,
      partsOf: (closed: number) => this.#segments.find(closed)?.partCount ?? null,
    };
    return readinessOf(end, msn, part);
  }

  #skippableSegments(): number {
    return this.#segments.listedBefore(skipBoundarySec(this.#targetDurationSec) * 1_000);
  }

  /** `from`: without as many segments at the front. */
  #view(from: number): MediaPlaylist {
    const listed = this.#segments.listed(from);
    const oldest = listed[0]!;
    return {
      targetDurationSec: this.#targetDurationSec,
      partTargetMs: this.#partTargetMs,
      discontinuitySequence: oldest.discontinuitySequence - (oldest.text.head.hasDiscontinuity ? 1 : 0),
      segments: listed.map((segment) => segment.text),
      firstWithParts: Math.max(0, this.#partsFromMsn - oldest.msn),
      hint: this.#hint(),
    };
  }
}
