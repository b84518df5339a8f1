/**
 * The camera itself as one stream has it at this node: between its source and the sink. It may be open before this node owns the
 * camera, and then keeps the units that arrive; and it may be cut, when this node hands the camera over (docs/design/drain.md).
 */

import type { SigningNews } from '../../codec/media-signing/signing-watch.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { Urgency, WorkerWait } from '../../stream/media/urgency.ts';
import type { PackagingHost, SourcePulse } from '../../stream/packaging/packaging-host.ts';
import { KeptUnits } from '../../stream/pictures/kept-units.ts';
import type { Source, SourceInstance } from '../../stream/source/source.ts';
import type { SoundOffer, SourceEvents, StillPicture } from '../../stream/source/source-events.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { type KeyMark, type KeyReport, keyName, PullMarks } from './pull-marks.ts';
import type { CutPoint, StreamCut } from './stream-cut.ts';

/** How long groups of pictures are kept before it is known with which one this node begins: other connections may be that late. */
const KEEP_MS = 5_000;

/** Told of a stream that is open before this node owns the camera. */
export interface PreparedEvents {
  onKey(key: KeyReport): void;
  /** The camera does not allow it. It is over. */
  onFailed(error: GatewayError): void;
}

interface Opening {
  readonly sink: SourceSink | null;
  readonly prepared: PreparedEvents | null;
  readonly onBegun: (() => void) | null;
}

export class LocalStream implements SourceEvents, SourceInstance {
  readonly #source = new SourceSink(this);
  readonly #instance: SourceInstance;
  readonly #clock: Clock;
  /** null: what comes is kept. */
  #sink: SourceSink | null;
  readonly #prepared: PreparedEvents | null;
  readonly #kept = new KeptUnits();
  /** This node begins with the key frame that is the oldest one kept. */
  #isBeginningKnown = false;
  /** Called with the time of that frame; null: this node has not heard where it begins. */
  #onBeginning: ((mediaMs: number) => void) | null = null;
  /** Passed on is nothing before a key frame. */
  #awaitsKey = false;
  #onBegun: (() => void) | null;
  #cut: StreamCut | null = null;
  readonly pull = new PullMarks();
  #tracks: readonly Track[] | null = null;
  /** The camera thread that reads the camera; null: none does. */
  #host: PackagingHost | null = null;
  /** Whatever `#host` offers, frames are packaged here. */
  #isPackagedHere: boolean;
  #sound: SoundOffer | null = null;
  #reading: ClockReading | null = null;

  private constructor(source: Source, clock: Clock, { sink, prepared, onBegun }: Opening) {
    this.#clock = clock;
    this.#sink = sink;
    this.#prepared = prepared;
    this.#onBegun = onBegun;
    this.#isPackagedHere = prepared !== null;
    this.#instance = source.open(this.#source);
  }

  /** `onBegun`: called with the first key frame. */
  static open(
    source: Source,
    sink: SourceSink,
    clock: Clock,
    onBegun: (() => void) | null = null,
  ): LocalStream {
    return new LocalStream(source, clock, { sink, prepared: null, onBegun });
  }

  /** Keeps what comes until `passTo`. */
  static prepare(source: Source, prepared: PreparedEvents, clock: Clock): LocalStream {
    return new LocalStream(source, clock, { sink: null, prepared, onBegun: null });
  }

  /** There are frames. */
  get canBeCut(): boolean {
    return this.#tracks !== null && !this.#source.isOver;
  }

  /**
   * Resolves when frames arrive here, one by one, because no other thread packages them, nor will. Never, if the stream ends.
   */
  packageHere(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const packaging = this.#host?.packagingSwitch ?? null;
    if (packaging === null) resolve();
    else {
      packaging.stop(() => {
        this.#isPackagedHere = true;
        this.#sink?.onHost(null);
        resolve();
      });
    }
    return promise;
  }

  /** Sends the next units through the cut; null: directly to the sink. */
  setCut(cut: StreamCut | null): void {
    this.#cut = cut;
    this.pull.renew();
  }

  /** Publishes a unit that the cut lets through. Hot while there is a cut. */
  pass(unit: AccessUnit): void {
    this.#sink?.onAccessUnit(unit);
  }

  /**
   * Where this node begins, if it takes over. `onGap`, once that frame is known, and again if it becomes another one: how much is missing
   * before it, milliseconds, negative if the other node has published some of it; null: that is unknown.
   */
  beginAt({ key, gapMs, endMs, intervalMs }: CutPoint, onGap: (gapMs: number | null) => void): void {
    const untilMs = key === null || gapMs === null ? endMs : key.mediaMs - gapMs;
    this.#onBeginning = (mediaMs) => onGap(untilMs === null ? null : mediaMs - untilMs);
    const fromMs =
      key?.mediaMs ?? (endMs === null ? Number.POSITIVE_INFINITY : endMs - (intervalMs ?? 0) / 2);
    const first = this.pull.keys.find(
      (each) => each.mediaMs >= fromMs && this.#kept.takeBefore(keyName(each)) !== null,
    );
    this.#isBeginningKnown = first !== undefined;
    if (first !== undefined) this.#onBeginning(first.mediaMs);
    // The kept units were published, or are gone.
    else this.#kept.takeAll();
  }

  /** Passes on the kept units, and from now on new ones. */
  passTo(sink: SourceSink): void {
    if (this.#tracks !== null) sink.onTracks(this.#tracks);
    if (this.#sound !== null) sink.onSound(this.#sound);
    if (this.#reading !== null) sink.onClock(this.#reading);
    this.#sink = sink;
    this.#awaitsKey = this.#kept.isEmpty;
    for (const unit of this.#kept.takeAll()) sink.onAccessUnit(unit);
    this.#host?.packagingSwitch?.start(() => {
      this.#isPackagedHere = false;
      sink.onHost(this.#host);
    });
  }

  /** Nothing more comes in. Resolves when all that is inside has been passed on. */
  async finish(): Promise<void> {
    await this.#instance.finish?.();
  }

  get #offer(): PackagingHost | null {
    return this.#isPackagedHere ? null : this.#host;
  }

  onTracks(tracks: readonly Track[], host: PackagingHost | null = null): void {
    this.#tracks = tracks;
    this.#host = host;
    this.pull.declare(tracks);
    if (this.#cut?.isCut === true) return;
    this.#cut?.flush();
    if (this.#sink !== null) this.#sink.onTracks(tracks, this.#offer);
    // The units before belong to other tracks.
    else this.#kept.takeAll();
  }

  /** Hot: once per frame. */
  onAccessUnit(unit: AccessUnit): void {
    const isPicture = unit.trackIndex === this.pull.trackIndex;
    const isCompared = this.#cut !== null || this.#sink === null || this.#awaitsKey;
    const mark = isPicture ? this.pull.observe(unit, unit.isKey, !isCompared) : null;
    if (mark !== null && this.#onBegun !== null) {
      this.#onBegun();
      this.#onBegun = null;
    }
    if (this.#awaitsKey && !this.#begins(mark)) return;
    if (this.#cut !== null) this.#cut.push(unit, mark, isPicture);
    else if (this.#sink !== null) this.#sink.onAccessUnit(unit);
    else this.#keep(unit, mark);
  }

  onHost(host: PackagingHost | null): void {
    this.#host = host;
    if (!this.#isPackagedHere) this.#sink?.onHost(host);
  }

  onPulse(pulse: SourcePulse): void {
    this.#sink?.onPulse(pulse);
  }

  onStill(still: StillPicture): void {
    this.#sink?.onStill(still);
  }

  onStillsOnly(): void {
    this.#tracks = null;
    this.#sink?.onStillsOnly();
  }

  onSound(offer: SoundOffer): void {
    this.#sound = offer;
    this.#sink?.onSound(offer);
  }

  onClock(reading: ClockReading): void {
    this.#reading = reading;
    this.pull.clock(reading.reportedTime);
    this.#sink?.onClock(reading);
  }

  onSigning(news: SigningNews): void {
    this.#sink?.onSigning(news);
  }

  onWaiting(wait: WorkerWait | null): void {
    this.#sink?.onWaiting(wait);
  }

  urgency(): Urgency {
    return this.#sink?.urgency() ?? 'viewer';
  }

  onDropped(frames: number, code: string): void {
    this.#sink?.onDropped(frames, code);
  }

  onEnded(error: GatewayError): void {
    if (this.#sink === null) this.#prepared?.onFailed(error);
    else this.#sink.onEnded(error);
  }

  async close(): Promise<void> {
    this.#source.close();
    this.#sink?.close();
    this.#kept.takeAll();
    await this.#instance.close();
  }

  #keep(unit: AccessUnit, mark: KeyMark | null): void {
    while (this.#kept.isFull) this.#dropOldest();
    this.#kept.push(unit, mark === null ? null : keyName(mark));
    if (mark === null) return;
    this.#begins(mark);
    if (!this.#isBeginningKnown) this.#kept.dropBefore(this.#clock.monoMs() - KEEP_MS);
    this.#prepared?.onKey(this.pull.report(mark));
  }

  /** Whether this node begins with it, or has begun before. */
  #begins(mark: KeyMark | null): boolean {
    if (mark === null) return false;
    this.#awaitsKey = false;
    if (this.#isBeginningKnown || this.#onBeginning === null) return true;
    this.#isBeginningKnown = true;
    this.#onBeginning(mark.mediaMs);
    return true;
  }

  #dropOldest(): void {
    this.#kept.dropOldest();
    if (!this.#isBeginningKnown || this.#onBeginning === null) return;
    const [first] = this.#kept.units();
    this.#isBeginningKnown = first !== undefined;
    if (first !== undefined) this.#onBeginning(this.pull.msOf(first.ptsTicks));
  }
}
