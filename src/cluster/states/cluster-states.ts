/**
 * The states of cameras in a cluster: what this node sees of those that it owns goes to the API's thread and to the other nodes;
 * of all others, the API's thread gets what the node says that speaks for them (docs/design/mirrors.md#states).
 */

import { toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import {
  type CameraNotices,
  type CameraParts,
  type CameraStart,
  isWorthTelling,
  type ProbedReport,
  type SeenCamera,
} from '../../devices/camera-notices.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import { type CameraReport, NOT_CHECKED, type ProbeVerdict } from '../../stream/camera-connection.ts';
import type { CameraStream } from '../../stream/camera-stream.ts';
import type { RecordingState } from '../../stream/media/recording-state.ts';
import type { CameraRole } from '../../stream/numbering/camera-ownership.ts';
import { type SigningState, UNKNOWN_SIGNING } from '../../stream/signing-state.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import { StateExchange, type StateExchangeOptions } from './state-exchange.ts';
import type { CameraFacts, CameraWord, ProbedCamera } from './state-messages.ts';

const NO_SOUND: SoundState = { state: 'unknown', encoding: null, isAlone: false };
const NOT_RECORDED: RecordingState = { state: 'off', code: null, reasons: [], isForbidden: false };

export interface ClusterStatesOptions extends Omit<StateExchangeOptions, 'onHeard' | 'onProbed'> {
  readonly log: Log;
  /** This node's part for the camera; null: none. */
  readonly leaseOf: (cameraUuid: Ruuid) => { readonly role: CameraRole | null; readonly fence: number };
  /** Cameras that this node talks to for their own sake. */
  readonly placedHere: () => readonly Ruuid[];
}

export class ClusterStates implements CameraNotices {
  readonly exchange: StateExchange;
  readonly #options: ClusterStatesOptions;
  /** As this node records, or would. */
  readonly #recordings = new Map<Ruuid, RecordingState>();
  /** null: there are no cameras yet. */
  #parts: CameraParts | null = null;

  constructor(options: ClusterStatesOptions) {
    this.#options = options;
    this.exchange = new StateExchange({
      ...options,
      onHeard: (cameraUuid, word) => {
        this.#tellAll(cameraUuid);
        if (word !== null) this.#retryWhatIsLive(cameraUuid, word.facts.report);
      },
      onProbed: (probed) => this.#probedForOther(probed),
    });
  }

  begin(parts: CameraParts): void {
    this.#parts = parts;
  }

  /** Another node says that it holds the lease. */
  isOwnedElsewhere(cameraUuid: Ruuid): boolean {
    const speaker = this.exchange.speakerOf(cameraUuid);
    return speaker !== null && speaker.run !== null && speaker.word.isOwner;
  }

  roleChanged(cameraUuid: Ruuid, role: CameraRole | null): void {
    const stream = this.#stream(cameraUuid);
    if (stream === undefined) return;
    const speaker = this.exchange.speakerOf(cameraUuid);
    if (role === 'owner') {
      this.#say(cameraUuid, this.#factsOf(stream));
      this.#tellAll(cameraUuid);
    } else if (speaker?.run === null && speaker.word.isOwner) {
      this.exchange.say(cameraUuid, { ...speaker.word, isOwner: false });
    }
  }

  report(cameraUuid: Ruuid, report: CameraReport): void {
    if (!this.#isSeenHere(cameraUuid) || !this.#say(cameraUuid, { report })) return;
    this.#notify({ kind: 'camera', cameraUuid, report, isObserved: true });
  }

  sound(cameraUuid: Ruuid, sound: SoundState): void {
    if (!this.#isSeenHere(cameraUuid) || !this.#say(cameraUuid, { sound })) return;
    this.#notify({ kind: 'sound', cameraUuid, sound });
  }

  clock(cameraUuid: Ruuid, reading: ClockReading | null): void {
    if (!this.#isSeenHere(cameraUuid) || !this.#say(cameraUuid, { clock: reading })) return;
    this.#notify({ kind: 'clock', cameraUuid, reading });
  }

  signing(cameraUuid: Ruuid, signing: SigningState): void {
    if (!this.#isSeenHere(cameraUuid) || !this.#say(cameraUuid, { signing })) return;
    this.#notify({ kind: 'signing', cameraUuid, signing });
  }

  recording(cameraUuid: Ruuid, recording: RecordingState): void {
    this.#recordings.set(cameraUuid, recording);
    if (this.#isSeenHere(cameraUuid)) this.#say(cameraUuid, { recording });
    this.#notify({ kind: 'recording', cameraUuid, recording: this.#recordingOf(cameraUuid) });
  }

  camera(cameraUuid: Ruuid, change: 'put' | 'removed'): void {
    const stream = this.#stream(cameraUuid);
    if (change === 'removed' || stream === undefined) {
      this.exchange.remove(cameraUuid);
      this.#notify({ kind: 'camera', cameraUuid, report: null, isObserved: true });
      return;
    }
    const isOwner = this.#options.leaseOf(cameraUuid).role === 'owner';
    const isSpeaker = this.exchange.speakerOf(cameraUuid)?.run === null;
    if (isOwner || isSpeaker) this.#say(cameraUuid, this.#factsOf(stream));
    this.#tellAll(cameraUuid);
  }

  seen(cameraUuid: Ruuid): CameraReport | null {
    return this.#stream(cameraUuid) === undefined ? null : this.#shown(cameraUuid).report;
  }

  /** The node that speaks for the camera remembers it, so that all nodes say the same. */
  async probed(orgUuid: Ruuid, cameraUuid: Ruuid, verdict: ProbeVerdict): Promise<ProbedReport | null> {
    const run = this.exchange.speakerOf(cameraUuid)?.run ?? null;
    if (run !== null) {
      try {
        const report = await this.exchange.probedAt(run, { orgUuid, cameraUuid, verdict });
        if (report !== null) return { report, isObserved: false };
      } catch (thrown) {
        const { log } = this.#options;
        log.info(
          { camera: cameraUuid, err: toGatewayError(thrown) },
          'probe not told to the node of the camera',
        );
      }
    }
    return this.#probedHere(orgUuid, cameraUuid, verdict);
  }

  now(): CameraStart {
    const cameras = [...this.#parts!.hub().all()];
    const facts = cameras.map((camera) => [camera.uuid, this.#factsShown(camera.uuid)] as const);
    return {
      cameras: cameras.map(({ uuid }) => this.#shown(uuid)),
      cameraSounds: facts.map(([uuid, known]) => [uuid, known?.sound ?? NO_SOUND]),
      cameraClocks: facts.map(([uuid, known]) => [uuid, known?.clock ?? null]),
      cameraSignings: facts.map(([uuid, known]) => [uuid, known?.signing ?? UNKNOWN_SIGNING]),
      cameraRecordings: cameras
        .map(({ uuid }) => [uuid, this.#recordingOf(uuid)] as const)
        .filter(([, recording]) => isWorthTelling(recording)),
      placedHere: this.#options.placedHere(),
    };
  }

  async #probedHere(orgUuid: Ruuid, cameraUuid: Ruuid, verdict: ProbeVerdict): Promise<ProbedReport | null> {
    const report = (await this.#parts?.takeProbe(orgUuid, cameraUuid, verdict)) ?? null;
    if (report === null) return null;
    // While a stream is open here, its own contact counts for more, or that of its owner.
    const isOpen = this.#options.leaseOf(cameraUuid).role !== null || report.streamState !== 'idle';
    const isSaid = !isOpen && this.#say(cameraUuid, { report });
    const { report: shown, isObserved } = this.#shown(cameraUuid);
    return { report: shown, isObserved: isObserved || isSaid };
  }

  async #probedForOther({ orgUuid, cameraUuid, verdict }: ProbedCamera): Promise<CameraReport | null> {
    const probed = await this.#probedHere(orgUuid, cameraUuid, verdict);
    return probed?.report ?? null;
  }

  /** Whether the stream's behavior here says something about the camera: this node owns it, or was the last to own it and closed it. */
  #isSeenHere(cameraUuid: Ruuid): boolean {
    const { role } = this.#options.leaseOf(cameraUuid);
    if (role !== null) return role === 'owner';
    const isSpeaker = this.exchange.speakerOf(cameraUuid)?.run === null;
    return isSpeaker && this.#stream(cameraUuid)?.status().state === 'idle';
  }

  #say(cameraUuid: Ruuid, facts: Partial<CameraFacts>): boolean {
    const stream = this.#stream(cameraUuid);
    if (stream === undefined) return false;
    const { role, fence } = this.#options.leaseOf(cameraUuid);
    const speaker = this.exchange.speakerOf(cameraUuid);
    const own = speaker?.run === null ? speaker.word : null;
    const word: CameraWord = {
      fence: role === 'owner' ? fence : (own?.fence ?? 0),
      isOwner: role === 'owner',
      facts: { ...(own?.facts ?? this.#factsOf(stream)), ...facts },
    };
    return this.exchange.say(cameraUuid, word);
  }

  #factsOf(stream: CameraStream): CameraFacts {
    const { uuid, sound, clockReading: clock, signing } = stream;
    return { report: stream.report(), sound, clock, signing, recording: this.#recordings.get(uuid) ?? null };
  }

  /** The facts of this node, or of another; null: none. */
  #factsShown(cameraUuid: Ruuid): CameraFacts | null {
    return this.exchange.speakerOf(cameraUuid)?.word.facts ?? null;
  }

  #shown(cameraUuid: Ruuid): SeenCamera {
    const speaker = this.exchange.speakerOf(cameraUuid);
    const report = speaker?.word.facts.report ?? this.#unknown(cameraUuid);
    return { cameraUuid, report, isObserved: speaker?.run === null };
  }

  #unknown(cameraUuid: Ruuid): CameraReport {
    const hasSub = this.#stream(cameraUuid)?.hasSubStream() ?? false;
    return { streamState: 'idle', main: NOT_CHECKED, sub: hasSub ? NOT_CHECKED : null };
  }

  /** The node that owns the camera records it. Without an owner, all nodes say what they would do. */
  #recordingOf(cameraUuid: Ruuid): RecordingState {
    const own = this.#recordings.get(cameraUuid) ?? NOT_RECORDED;
    return this.isOwnedElsewhere(cameraUuid) ? (this.#factsShown(cameraUuid)?.recording ?? own) : own;
  }

  /** A mirror that failed while the camera was down does not wait for its own next attempt. */
  #retryWhatIsLive(cameraUuid: Ruuid, { main, sub }: CameraReport): void {
    for (const profile of this.#stream(cameraUuid)?.profiles() ?? []) {
      const report = { main, sub, h264: null }[profile.name];
      if (report?.state === 'live') profile.retryNow();
    }
  }

  /** As states, not as something that this node observed. */
  #tellAll(cameraUuid: Ruuid): void {
    if (this.#stream(cameraUuid) === undefined) return;
    const facts = this.#factsShown(cameraUuid);
    this.#notify({ kind: 'camera', ...this.#shown(cameraUuid), isObserved: false });
    this.#notify({ kind: 'sound', cameraUuid, sound: facts?.sound ?? NO_SOUND });
    this.#notify({ kind: 'clock', cameraUuid, reading: facts?.clock ?? null });
    this.#notify({ kind: 'signing', cameraUuid, signing: facts?.signing ?? UNKNOWN_SIGNING });
    this.#notify({ kind: 'recording', cameraUuid, recording: this.#recordingOf(cameraUuid) });
  }

  #stream(cameraUuid: Ruuid): CameraStream | undefined {
    return this.#parts?.hub().get(cameraUuid);
  }

  #notify(notice: Parameters<CameraParts['notify']>[0]): void {
    this.#parts?.notify(notice);
  }
}
