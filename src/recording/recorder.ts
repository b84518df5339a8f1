/**
 * The recorder, as the gateway's thread handles it: takes parts from packagers, passes them to the recorder's thread
 * through a ring of fixed size, and knows what that thread has written. Nothing here waits for a disk.
 */

import type { CmafPart } from '../cmaf/part.ts';
import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { errorOfWire, type WireError } from '../core/wire-error.ts';
import type { RecordingState, RecordingStateName } from '../stream/media/recording-state.ts';
import { PendingCalls } from '../threads/pending-calls.ts';
import { RestartedThread } from '../threads/restarted-thread.ts';
import type { MessageThread, ThreadEvents } from '../threads/spawn-thread.ts';
import { CameraStates, stateOf } from './camera-states.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { NumberBlock } from './file-numbers.ts';
import type {
  PartInRing,
  RecorderCall,
  RecorderMessage,
  RecorderNotice,
  RecorderResults,
} from './recorder-protocol.ts';
import { RecorderRoom } from './recorder-room.ts';
import { RecordingTap } from './recording-tap.ts';
import { EVERYTHING, isSameTurn, NOTHING, type RecordingRequest } from './recording-turn.ts';
import type { RecordedPart, WriterState } from './recording-writer.ts';
import type { SpoolState } from './s3-storage.ts';
import type { RecordedFile, RecordedSegment, RecordedStream } from './segment-index.ts';
import { RingFiller, type SharedRingMemory } from './shared-ring.ts';

export type RecorderThreadEvents = ThreadEvents<RecorderNotice>;

export type LaunchRecorder = (
  ring: SharedRingMemory,
  events: RecorderThreadEvents,
) => MessageThread<RecorderMessage>;

export interface RecorderOptions {
  readonly launch: LaunchRecorder;
  /** New memory for each thread: a thread that failed may still write to its own. */
  readonly createRing: () => SharedRingMemory;
  readonly clock: Clock;
  readonly log: Log;
  /** A segment is on the disk. */
  readonly onSegment?: (stream: RecordedStream, number: number, segment: RecordedSegment) => void;
  /** A file is finished. */
  readonly onFile: (file: RecordedFile) => void;
  /** A file was left unfinished, and needs a repair. */
  readonly onUnfinished: (stream: RecordedStream, number: number) => void;
  /** The thread runs, for the first time or again: files may have been left unfinished. */
  readonly onStarted: () => void;
  /** Numbers for files of the stream that only this gateway gets; absent: the thread counts. Rejects like the store. */
  readonly reserveNumbers?: ((stream: RecordedStream) => Promise<NumberBlock>) | undefined;
  /** The disk is full. */
  readonly onFull: () => void;
  /** Whether any stream of a camera is being recorded has changed. */
  readonly onState?: (cameraUuid: Ruuid, state: RecordingState) => void;
}

/** For metrics and camera states. */
export interface RecordingSample extends RecordingState {
  readonly stream: RecordedStream;
  readonly segments: number;
  readonly droppedSegments: number;
  readonly byteLength: number;
  /** Wall time of the newest segment; null: none since the start. */
  readonly newestEpochMs: number | null;
}

/** How long a part may wait for others, so that the thread is woken less often. */
const GATHER_MS = 40;
const DROP_REPORT_INTERVAL_MS = 10_000;
const RESERVE_AGAIN_MS = 1_000;
/** Longest wait for the last files at shutdown. */
const CLOSE_MS = 5_000;

const NOTHING_SPOOLED: SpoolState = { byteLength: 0, oldestEpochMs: null };

interface WaitingPart {
  readonly tap: RecordingTap;
  /** Where it ends in the ring. */
  readonly release: number;
  readonly byteLength: number;
  readonly giveBack: () => void;
}

export class Recorder {
  readonly #options: RecorderOptions;
  /** By their ids. */
  readonly #taps: RecordingTap[] = [];
  readonly #tapsByName = new Map<string, RecordingTap>();
  readonly #states = new CameraStates();
  readonly #calls = new PendingCalls<RecorderResults[keyof RecorderResults]>();
  readonly #thread: RestartedThread<RecorderMessage, RecorderNotice>;
  #ring: RingFiller | null = null;
  /** Parts that the thread has not taken yet: their streams and where they end in the ring, oldest first. */
  readonly #waiting: WaitingPart[] = [];
  /** The camera's organization; null: not known. */
  organizationOf: (cameraUuid: string) => string | null = () => null;
  #room = new RecorderRoom(0);
  /** The organization of each camera, as the thread knows it. */
  readonly #owners = new Map<string, string>();
  /** Parts in the ring that were not posted to the thread yet. */
  #gathered: PartInRing[] = [];
  #gathering: TimerHandle | null = null;
  #isClosing = false;
  #onStopped: (() => void) | null = null;
  #isUploadFailing = false;
  #spool: SpoolState = NOTHING_SPOOLED;
  #droppedSinceReport = 0;
  #lastDropReportMonoMs = Number.NEGATIVE_INFINITY;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#thread = new RestartedThread<RecorderMessage, RecorderNotice>({
      clock: options.clock,
      launch: (events) => options.launch(this.#newRing(), events),
      onNotice: (notice) => this.#noticed(notice),
      onEnd: (cause, retryMs) => this.#ended(cause, retryMs),
      onRestart: () => this.start(),
      pausesFirst: true,
    });
  }

  /** Starts the thread, unless it runs or is about to start again. */
  start(): void {
    if (this.#thread.running !== null || this.#isClosing) return;
    const thread = this.#thread.get();
    if (thread === null) return;
    this.#owners.clear();
    for (const tap of this.#taps) {
      tap.forget();
      thread.post({ op: 'open', stream: tap.id, of: tap.stream });
      thread.post({ op: 'turn', stream: tap.id, turn: tap.wanted.turn });
      if (tap.kept !== null) thread.post({ op: 'keep', stream: tap.id, ...tap.kept });
      if (tap.isOn) this.#wantNumbers(tap);
    }
    this.#options.onStarted();
  }

  #newRing(): SharedRingMemory {
    const memory = this.#options.createRing();
    this.#ring = new RingFiller(memory);
    this.#waiting.length = 0;
    this.#room = new RecorderRoom(this.#ring.bytes.length);
    this.#takeGathered();
    return memory;
  }

  /** The stream's tap; always the same. It takes nothing before `turn`. */
  tap({ cameraUuid, rendition }: RecordedStream): RecordingTap {
    const known = this.#find({ cameraUuid, rendition });
    if (known !== undefined) return known;
    const tap = new RecordingTap(this, { cameraUuid, rendition }, this.#taps.length);
    this.#taps.push(tap);
    this.#tapsByName.set(nameOf(tap.stream), tap);
    this.#states.add(tap);
    this.#post({ op: 'open', stream: tap.id, of: tap.stream });
    return tap;
  }

  /** Begins or ends recording of everything of a stream. Ending finishes its file. */
  turn(stream: RecordedStream, isOn: boolean): void {
    this.follow(stream, isOn ? EVERYTHING : NOTHING);
  }

  /** Applies from this call on. */
  follow(stream: RecordedStream, wanted: RecordingRequest): void {
    const tap = this.tap(stream);
    const before = tap.wanted;
    tap.wanted = wanted;
    const { turn, code, isWaiting } = wanted;
    if (isSameTurn(before.turn, turn)) {
      if (turn.mode === 'off')
        this.#become(tap, code === null ? (isWaiting ? 'standby' : 'off') : 'failed', code);
      else this.#become(tap, tap.state, tap.code);
      return;
    }
    if (before.turn.mode === 'off') tap.restart();
    if (before.turn.mode === 'off' || turn.mode === 'off') tap.turns++;
    if (turn.mode !== 'hold') tap.kept = null;
    this.#post({ op: 'turn', stream: tap.id, turn });
    if (before.turn.mode === 'off') this.#wantNumbers(tap);
    if (turn.mode === 'off') {
      this.#become(tap, code === null ? (isWaiting ? 'standby' : 'off') : 'failed', code);
    } else if (tap.state !== 'recording') {
      this.#become(tap, turn.mode === 'hold' ? 'standby' : 'starting');
    } else this.#become(tap, 'recording');
  }

  /** An event wants this time of the media to be written, as far as it is held or still to come. */
  keep(stream: RecordedStream, fromEpochMs: number, toEpochMs: number): void {
    const tap = this.tap(stream);
    if (!tap.isOn) return;
    tap.kept = { fromEpochMs, toEpochMs: Math.max(toEpochMs, tap.kept?.toEpochMs ?? toEpochMs) };
    this.#post({ op: 'keep', stream: tap.id, fromEpochMs, toEpochMs });
  }

  /** Segments of the file that is being written, oldest first. */
  openFile(stream: RecordedStream): { number: number; segments: readonly RecordedSegment[] } | null {
    return this.#find(stream)?.openFile ?? null;
  }

  samples(): RecordingSample[] {
    return this.#taps.map((tap) => {
      const { stream, segments, droppedSegments, byteLength, newestEpochMs } = tap;
      return { stream, ...stateOf(tap), segments, droppedSegments, byteLength, newestEpochMs };
    });
  }

  /** Finished files cannot be uploaded now. */
  get isUploadFailing(): boolean {
    return this.#isUploadFailing;
  }

  /** Files that wait for S3. */
  get spool(): SpoolState {
    return this.#spool;
  }

  /** Whether its thread runs. It starts with the first stream. */
  get isRunning(): boolean {
    return this.#thread.running !== null;
  }

  /** Bytes that wait for the disk. */
  get waitingBytes(): number {
    return this.#ring?.usedBytes ?? 0;
  }

  /** Fails with the code that the thread failed with, or RECORDING_THREAD_FAILED. */
  call<Call extends RecorderCall>(call: Call): Promise<RecorderResults[Call['name']]> {
    if (this.#thread.running === null || this.#isClosing) {
      return Promise.reject(new GatewayError(RECORDING_ERRORS.RECORDING_THREAD_FAILED, {}));
    }
    const { id, result } = this.#calls.add();
    if (call.name === 'importSegment' || call.name === 'thin') {
      const { cameraUuid } = call.of;
      this.#putOwner(cameraUuid, this.organizationOf(cameraUuid));
    }
    this.#post({ op: 'call', id, call });
    return result as Promise<RecorderResults[Call['name']]>;
  }

  /** Finishes all files and ends the thread; gives up after a while, since every written part survives anyway. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const tap of this.#taps) tap.wanted = NOTHING;
    if (this.#thread.running !== null) await this.#stop();
    this.#thread.close();
    this.#calls.rejectAll(() => new GatewayError(RECORDING_ERRORS.RECORDING_THREAD_FAILED, {}));
  }

  /** Resolves when all files are finished, or after a while. */
  #stop(): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = this.#options.clock.after(CLOSE_MS, () => {
        this.#options.log.error({ afterMs: CLOSE_MS }, 'recorder shutdown timed out');
        resolve();
      });
      this.#onStopped = () => {
        timer.cancel();
        resolve();
      };
      this.#post({ op: 'stop' });
    });
  }

  /** Called by taps. False: no room for the part, which is borrowed. */
  send(tap: RecordingTap, { bytes }: CmafPart, part: RecordedPart): boolean {
    const ring = this.#ring;
    if (ring === null || this.#thread.running === null) return false;
    this.#forgetTaken(ring);
    const { byteLength } = bytes;
    const { cameraUuid } = tap.stream;
    const organization = this.organizationOf(cameraUuid);
    this.#putOwner(cameraUuid, organization);
    const giveBack = this.#room.take(cameraUuid, organization, byteLength);
    if (giveBack === null) return false;
    const slot = ring.reserve(byteLength);
    if (slot === null) {
      giveBack();
      return false;
    }
    bytes.copyTo(ring.bytes, slot.position);
    tap.waitingBytes += byteLength;
    this.#waiting.push({ tap, release: slot.release, byteLength, giveBack });
    this.#gathered.push({ stream: tap.id, part, byteLength, ...slot });
    this.#gathering ??= this.#options.clock.after(GATHER_MS, () => this.#postGathered());
    return true;
  }

  #putOwner(cameraUuid: Ruuid, organization: string | null): void {
    if (organization === null || this.#owners.get(cameraUuid) === organization) return;
    this.#owners.set(cameraUuid, organization);
    this.#post({ op: 'owner', cameraUuid, organization });
  }

  /** In a cluster: asks the store until it has given numbers, while the stream is on. */
  #wantNumbers(tap: RecordingTap): void {
    const { reserveNumbers, clock, log } = this.#options;
    if (reserveNumbers === undefined || tap.isReserving || this.#thread.running === null) return;
    const thread = this.#thread.running;
    const { turns } = tap;
    tap.isReserving = true;
    const isOutdated = (): boolean => this.#thread.running !== thread || tap.turns !== turns;
    const done = (): void => {
      tap.isReserving = false;
      if (isOutdated() && tap.isOn) this.#wantNumbers(tap);
    };
    reserveNumbers(tap.stream).then(
      (block) => {
        if (!isOutdated()) this.#post({ op: 'numbers', stream: tap.id, block });
        done();
      },
      (thrown) => {
        const { cameraUuid: camera, rendition } = tap.stream;
        log.error({ camera, rendition, err: toGatewayError(thrown) }, 'no numbers for recording files');
        if (!isOutdated() && tap.isOn && tap.state === 'starting') {
          this.#become(tap, 'failed', RECORDING_ERRORS.RECORDING_NO_NUMBERS.code);
        }
        clock.after(RESERVE_AGAIN_MS, () => {
          done();
          if (!tap.isReserving && tap.isOn) this.#wantNumbers(tap);
        });
      },
    );
  }

  /** In order: after the parts from before it. */
  #post(message: RecorderMessage): void {
    this.#postGathered();
    this.#thread.running?.post(message);
  }

  #postGathered(): void {
    const parts = this.#takeGathered();
    if (parts.length > 0) this.#thread.running?.post({ op: 'parts', parts });
  }

  #takeGathered(): readonly PartInRing[] {
    this.#gathering?.cancel();
    this.#gathering = null;
    const parts = this.#gathered;
    this.#gathered = [];
    return parts;
  }

  /** Reports dropped segments, at most every ten seconds. */
  dropped(): void {
    this.#droppedSinceReport++;
    const { clock, log } = this.#options;
    const nowMonoMs = clock.monoMs();
    if (nowMonoMs - this.#lastDropReportMonoMs < DROP_REPORT_INTERVAL_MS) return;
    this.#lastDropReportMonoMs = nowMonoMs;
    const fields = { segments: this.#droppedSinceReport, waitingBytes: this.waitingBytes };
    log.warn(fields, 'recordings disk too slow, segments left out');
    this.#droppedSinceReport = 0;
  }

  /** The thread gives back in order: all but the newest `usedBytes` are taken. */
  #forgetTaken(ring: RingFiller): void {
    const { usedBytes } = ring;
    const newest = this.#waiting.at(-1)?.release ?? 0;
    let taken = 0;
    for (const { tap, release, byteLength, giveBack } of this.#waiting) {
      if ((newest - release) >>> 0 < usedBytes) break;
      tap.waitingBytes -= byteLength;
      giveBack();
      taken++;
    }
    if (taken > 0) this.#waiting.splice(0, taken);
  }

  #noticed(notice: RecorderNotice): void {
    switch (notice.op) {
      case 'segment':
        this.#segmentWritten(this.#taps[notice.stream]!, notice.number, notice.segment);
        return;
      case 'file': {
        const tap = this.#taps[notice.stream]!;
        this.#options.onFile(notice.file);
        if (tap.openFile?.number === notice.file.number) tap.openFile = null;
        return;
      }
      case 'unfinished': {
        const tap = this.#taps[notice.stream]!;
        if (tap.openFile?.number === notice.number) tap.openFile = null;
        this.#options.onUnfinished(tap.stream, notice.number);
        return;
      }
      case 'state':
        this.#stateChanged(this.#taps[notice.stream]!, notice.state);
        return;
      case 'dropped':
        this.#taps[notice.stream]!.droppedSegments++;
        return;
      case 'standby': {
        const tap = this.#taps[notice.stream]!;
        if (tap.wanted.turn.mode === 'hold') this.#become(tap, 'standby');
        return;
      }
      case 'numbersLow':
        this.#wantNumbers(this.#taps[notice.stream]!);
        return;
      case 'result':
        this.#calls.resolve(notice.id, notice.value);
        return;
      case 'failure':
        this.#calls.fail(notice.id, notice.failure);
        return;
      case 'upload':
        this.#uploadChanged(notice.failure);
        return;
      case 'refused': {
        const { name, failure } = notice;
        this.#options.log.warn({ name, err: errorOfWire(failure) }, 'recording refused by S3, trying again');
        return;
      }
      case 'spool':
        this.#spool = notice.spool;
        return;
      case 'stopped':
        this.#onStopped?.();
    }
  }

  #uploadChanged(failure: WireError | null): void {
    const { log } = this.#options;
    this.#isUploadFailing = failure !== null;
    if (failure === null) log.info({}, 'recordings uploaded again');
    else log.error({ err: errorOfWire(failure) }, 'recordings not uploaded, trying again');
  }

  #segmentWritten(tap: RecordingTap, number: number, segment: RecordedSegment): void {
    if (tap.openFile?.number !== number) tap.openFile = { number, segments: [] };
    tap.openFile.segments.push(segment);
    tap.segments++;
    tap.byteLength += segment.byteLength;
    tap.newestEpochMs = segment.epochMs;
    this.#options.onSegment?.(tap.stream, number, segment);
    const { state } = tap;
    const isLate = state === 'failed' && tap.code === RECORDING_ERRORS.RECORDING_NO_NUMBERS.code;
    if (tap.isOn && (state === 'starting' || state === 'standby' || isLate)) this.#become(tap, 'recording');
  }

  #stateChanged(tap: RecordingTap, state: WriterState): void {
    const { log } = this.#options;
    const { cameraUuid: camera, rendition } = tap.stream;
    if (state.state === 'failed') {
      log.error({ camera, rendition, err: errorOfWire(state.error) }, 'recording failed');
      if (state.error.code === RECORDING_ERRORS.RECORDING_DISK_FULL.code) this.#options.onFull();
    } else log.info({ camera, rendition }, 'recording again');
    if (tap.isOn) this.#become(tap, state.state, state.state === 'failed' ? state.error.code : null);
  }

  #become(tap: RecordingTap, state: RecordingStateName, code: string | null = null): void {
    tap.state = state;
    tap.code = code;
    const { cameraUuid } = tap.stream;
    const now = this.#states.changed(cameraUuid);
    if (now !== null) this.#options.onState?.(cameraUuid, now);
  }

  #ended(cause: unknown, retryMs: number): void {
    this.#ring = null;
    this.#isUploadFailing = false;
    this.#calls.rejectAll(() => new GatewayError(RECORDING_ERRORS.RECORDING_THREAD_FAILED, {}));
    this.#onStopped?.();
    if (this.#isClosing) return;
    const { log } = this.#options;
    const err = new GatewayError(RECORDING_ERRORS.RECORDING_THREAD_FAILED, {}, cause);
    log.error({ err, retryMs }, 'recorder failed');
    for (const tap of this.#taps) {
      tap.forget();
      if (tap.isOn) this.#become(tap, tap.wanted.turn.mode === 'hold' ? 'standby' : 'starting');
    }
  }

  #find(stream: RecordedStream): RecordingTap | undefined {
    return this.#tapsByName.get(nameOf(stream));
  }
}

function nameOf({ cameraUuid, rendition }: RecordedStream): string {
  return `${cameraUuid}/${rendition}`;
}
