/**
 * Converts RTP payloads of H.264 to pictures that decode. Keeps the parameter sets, begins with the first key frame
 * (KeyWatch) whose parameter sets are known, and after a loss holds back pictures that could not be decoded.
 */

import { NAL_SPS, nalType } from '../../codec/h264/nal-unit.ts';
import { ParameterSets } from '../../codec/h264/parameter-sets.ts';
import type { SigningWatch } from '../../codec/media-signing/signing-watch.ts';
import { decodeSpropParameterSets } from '../../codec/sprop-parameter-sets.ts';
import type { H264Track } from '../../codec/track.ts';
import { AccessUnitAssembler, type AssembledPicture, type PictureSink } from '../access-unit-assembler.ts';
import type { RtpErrorCode } from '../errors.ts';
import type { LossPolicy } from '../loss-policy.ts';
import { H264Depacketizer } from './h264-depacketizer.ts';
import { H264_SYNTAX } from './h264-syntax.ts';
import { KeyWatch } from './key-watch.ts';
import { LossRepair } from './loss-repair.ts';

export interface H264ReceiverEvents {
  /** Called before the first key frame that needs `track`. */
  onVideoTrack(track: H264Track, maxReorderFrames: number): void;
  /** Borrowed. */
  onVideoPicture(picture: AssembledPicture): void;
  onDropped(frames: number, code: RtpErrorCode): void;
  /** See MediaReceiverOptions. */
  onUnfit(hasKeyFrame: boolean): void;
}

export interface H264ReceiverOptions {
  readonly clockRateHz: number;
  /** `a=fmtp` with lower-case names. */
  readonly fmtp: ReadonlyMap<string, string>;
  readonly lossPolicy: LossPolicy;
  /** Sees each picture as it arrived. */
  readonly signing: SigningWatch | null;
  readonly events: H264ReceiverEvents;
}

/** So many changes of the parameter sets in this time, with the same size and codec, are a habit. */
const MAX_FLAPS = 4;
const FLAP_SPAN_MS = 60_000;

export class H264Receiver implements PictureSink {
  readonly #events: H264ReceiverEvents;
  readonly #signing: SigningWatch | null;
  readonly #repair: LossRepair | null;
  readonly #parameterSets: ParameterSets;
  readonly #depacketizer: H264Depacketizer;
  #track: H264Track | null = null;
  readonly #keys = new KeyWatch();
  /** When the newest sets came that changed nothing that viewers could see. */
  readonly #flapsMonoMs: number[] = [];
  #isFlapping = false;
  #hasToldUnfit = false;
  /** The pictures up to the next key frame cannot be decoded. */
  #needsKey = true;

  constructor(options: H264ReceiverOptions) {
    this.#events = options.events;
    this.#signing = options.signing;
    this.#parameterSets = new ParameterSets(options.clockRateHz);
    this.#repair =
      options.lossPolicy === 'repair'
        ? new LossRepair(this.#parameterSets, options.clockRateHz, (picture) =>
            this.#events.onVideoPicture(picture),
          )
        : null;
    this.#depacketizer = new H264Depacketizer(new AccessUnitAssembler(H264_SYNTAX, this));
    const sprop = options.fmtp.get('sprop-parameter-sets') ?? '';
    for (const nalu of decodeSpropParameterSets(sprop)) this.onParameterSet(nalu);
  }

  /** Hot. One packet's payload, borrowed, in order. */
  push(
    chunk: Uint8Array,
    start: number,
    end: number,
    rtpTimestamp: number,
    isMarked: boolean,
    arrivalMonoMs: number,
  ): void {
    this.#depacketizer.push(chunk, start, end, rtpTimestamp, isMarked, arrivalMonoMs);
  }

  /** Packets are missing before the next one. */
  gap(): void {
    this.#depacketizer.gap();
  }

  get mayHaveFields(): boolean {
    return this.#parameterSets.mayHaveFields;
  }

  /** No player can follow this as it is: no key frames (KeyWatch), or parameter sets that flap. */
  get isUnfit(): boolean {
    return this.#keys.isKeyless || this.#isFlapping;
  }

  onParameterSet(nalu: Uint8Array): void {
    const isSps = nalType(nalu[0]!) === NAL_SPS;
    const change = isSps ? this.#parameterSets.putSps(nalu) : this.#parameterSets.putPps(nalu);
    // Tracks change at key frames. A change between two key frames waits for the next one.
    if (change === 'replaced') this.#needsKey = true;
  }

  onPicture(picture: AssembledPicture): void {
    this.#signing?.picture(picture.data, picture.arrivalMonoMs);
    const kind = this.#keys.judge(picture);
    picture.isKey = kind !== 'none';
    if (this.isUnfit && !this.#hasToldUnfit) {
      this.#hasToldUnfit = true;
      this.#events.onUnfit(this.#keys.hasKey);
    }
    if (kind === 'idr') this.#keyPicture(picture);
    else if (kind === 'recovery-point') this.#recoveryPoint(picture);
    else if (this.#needsKey || !this.#pass(picture)) {
      this.#needsKey = true;
      // Joining a camera between two key frames is not a loss.
      this.#events.onDropped(1, this.#track === null ? 'RTP_JOINING' : 'RTP_REFERENCE_LOST');
    }
  }

  onDamagedPicture(isReference: boolean, isKey: boolean, code: RtpErrorCode): void {
    this.#signing?.gap();
    if (isReference) this.onReferenceLost(isKey);
    const isJoining = this.#track === null && code === 'RTP_PACKET_LOSS';
    this.#events.onDropped(1, isJoining ? 'RTP_JOINING' : code);
  }

  /** Only an IDR picture follows: it needs nothing from before. */
  onSequenceEnd(): void {}

  onReferenceLost(isKey: boolean): void {
    this.#signing?.gap();
    if (this.#repair === null) this.#needsKey = true;
    else this.#repair.lost(isKey);
  }

  #keyPicture(picture: AssembledPicture): void {
    if (!this.#needsKey) this.#repair?.closeGroup(picture);
    if (!this.#activate(picture)) {
      this.#needsKey = true;
      this.#events.onDropped(1, 'RTP_PARAMETER_SETS_MISSING');
      return;
    }
    this.#needsKey = false;
    if (this.#repair === null) this.#events.onVideoPicture(picture);
    else this.#repair.key(picture);
  }

  /** It can continue what came before, with its numbers, as well as begin. */
  #recoveryPoint(picture: AssembledPicture): void {
    const isContinued = !this.#needsKey && this.#activate(picture) && this.#pass(picture);
    if (!isContinued) this.#keyPicture(picture);
  }

  /** False if the picture cannot be decoded without lost ones. */
  #pass(picture: AssembledPicture): boolean {
    if (this.#repair !== null) return this.#repair.picture(picture);
    this.#events.onVideoPicture(picture);
    return true;
  }

  #activate({ ppsId, arrivalMonoMs }: AssembledPicture): boolean {
    const track = this.#parameterSets.trackFor(ppsId);
    if (track === null) return false;
    if (track === this.#track) return true;
    if (this.#track !== null && looksAlike(this.#track, track)) this.#flapped(arrivalMonoMs);
    this.#track = track;
    this.#events.onVideoTrack(track, this.#parameterSets.maxReorderFrames(ppsId));
    return true;
  }

  /** Each change of the sets is a discontinuity, which costs players seconds. */
  #flapped(arrivalMonoMs: number): void {
    this.#flapsMonoMs.push(arrivalMonoMs);
    if (this.#flapsMonoMs.length < MAX_FLAPS) return;
    const firstMonoMs = this.#flapsMonoMs.shift()!;
    if (arrivalMonoMs - firstMonoMs < FLAP_SPAN_MS) this.#isFlapping = true;
  }
}

function looksAlike(one: H264Track, other: H264Track): boolean {
  const isSameSize = one.widthPx === other.widthPx && one.heightPx === other.heightPx;
  return isSameSize && one.codecString === other.codecString;
}
