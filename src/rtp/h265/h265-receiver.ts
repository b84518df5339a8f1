/**
 * Converts RTP payloads of H.265 to pictures that decode. Keeps the parameter sets, begins with the first IRAP picture
 * whose parameter sets are known, and after a loss holds back pictures that could not be decoded: no picture of the output
 * refers to one that is not in it.
 */

import { isRasl, NAL_CRA, NAL_PPS, NAL_SPS, nalHeader, nalType } from '../../codec/h265/nal-unit.ts';
import { ParameterSets } from '../../codec/h265/parameter-sets.ts';
import type { SigningWatch } from '../../codec/media-signing/signing-watch.ts';
import { decodeSpropParameterSets } from '../../codec/sprop-parameter-sets.ts';
import type { H265Track } from '../../codec/track.ts';
import { AccessUnitAssembler, type AssembledPicture, type PictureSink } from '../access-unit-assembler.ts';
import type { RtpErrorCode } from '../errors.ts';
import type { LossPolicy } from '../loss-policy.ts';
import { depacketizationBounds } from './depacketization-bounds.ts';
import { H265Depacketizer } from './h265-depacketizer.ts';
import { H265LossRepair } from './h265-loss-repair.ts';
import { H265Syntax } from './h265-syntax.ts';
import { InterleavedDepacketizer } from './interleaved-depacketizer.ts';

export interface H265ReceiverEvents {
  /** Called before the first key frame that needs `track`. */
  onVideoTrack(track: H265Track, maxReorderFrames: number): void;
  /** Borrowed. */
  onVideoPicture(picture: AssembledPicture): void;
  onDropped(frames: number, code: RtpErrorCode): void;
}

export interface H265ReceiverOptions {
  readonly clockRateHz: number;
  /** `a=fmtp` with lower-case names. */
  readonly fmtp: ReadonlyMap<string, string>;
  readonly lossPolicy: LossPolicy;
  /** Sees each picture as it arrived. */
  readonly signing: SigningWatch | null;
  readonly events: H265ReceiverEvents;
}

/** RFC 7798 §7.1. */
const PARAMETER_SETS = ['sprop-vps', 'sprop-sps', 'sprop-pps'];

export class H265Receiver implements PictureSink {
  /** A field is an access unit of its own. */
  readonly mayHaveFields = false;
  readonly #events: H265ReceiverEvents;
  readonly #parameterSets: ParameterSets;
  readonly #signing: SigningWatch | null;
  readonly #repair: H265LossRepair | null;
  readonly #syntax = new H265Syntax();
  readonly #depacketizer: H265Depacketizer | InterleavedDepacketizer;
  #track: H265Track | null = null;
  /** The pictures up to the next IRAP picture cannot be decoded. */
  #needsKey = true;
  /** The next IRAP picture begins a new sequence: later pictures do not refer to earlier ones. */
  #isSequenceOver = false;
  /** RASL pictures refer to pictures before their CRA picture that are not in the output; null: they may be used. */
  #raslCode: RtpErrorCode | null = null;

  constructor(options: H265ReceiverOptions) {
    this.#events = options.events;
    this.#signing = options.signing;
    this.#parameterSets = new ParameterSets(options.clockRateHz);
    this.#repair =
      options.lossPolicy === 'repair'
        ? new H265LossRepair(this.#parameterSets, options.clockRateHz, (picture) =>
            this.#events.onVideoPicture(picture),
          )
        : null;
    const assembler = new AccessUnitAssembler(this.#syntax, this);
    const bounds = depacketizationBounds(options.fmtp);
    this.#depacketizer =
      bounds === null ? new H265Depacketizer(assembler) : new InterleavedDepacketizer(assembler, bounds);
    for (const name of PARAMETER_SETS) {
      for (const nalu of decodeSpropParameterSets(options.fmtp.get(name) ?? '')) this.onParameterSet(nalu);
    }
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

  onParameterSet(nalu: Uint8Array): void {
    const type = nalType(nalHeader(nalu));
    if (type === NAL_SPS || type === NAL_PPS) {
      const change = type === NAL_SPS ? this.#parameterSets.putSps(nalu) : this.#parameterSets.putPps(nalu);
      // Tracks change at key frames. A change between two key frames waits for the next one.
      if (change === 'replaced') this.#needsKey = true;
    } else this.#parameterSets.putVps(nalu);
  }

  onPicture(picture: AssembledPicture): void {
    this.#signing?.picture(picture.data, picture.arrivalMonoMs);
    if (picture.isKey) this.#keyPicture(picture);
    else if (this.#needsKey) {
      // Joining a camera between two key frames is not a loss.
      this.#events.onDropped(1, this.#track === null ? 'RTP_JOINING' : 'RTP_REFERENCE_LOST');
    } else if (this.#raslCode !== null && isRasl(nalType(picture.sliceHeader))) {
      this.#events.onDropped(1, this.#raslCode);
    } else if (this.#repair === null) this.#events.onVideoPicture(picture);
    else if (!this.#repair.picture(picture)) {
      this.#needsKey = true;
      this.#events.onDropped(1, 'RTP_REFERENCE_LOST');
    }
  }

  onDamagedPicture(isReference: boolean, _isKey: boolean, code: RtpErrorCode): void {
    this.#signing?.gap();
    if (isReference) this.onReferenceLost();
    const isJoining = this.#track === null && code === 'RTP_PACKET_LOSS';
    this.#events.onDropped(1, isJoining ? 'RTP_JOINING' : code);
  }

  onReferenceLost(): void {
    this.#signing?.gap();
    if (this.#repair === null) this.#needsKey = true;
    else this.#repair.lost();
  }

  onSequenceEnd(): void {
    this.#isSequenceOver = true;
  }

  /** §8.1.3: NoRaslOutputFlag is 1 for every IRAP picture but a CRA picture that continues what came before. */
  #keyPicture(picture: AssembledPicture): void {
    const isJoining = this.#track === null;
    if (!this.#activate(picture.ppsId)) {
      this.#needsKey = true;
      this.#events.onDropped(1, 'RTP_PARAMETER_SETS_MISSING');
      return;
    }
    const isAfterLoss = this.#needsKey || this.#isSequenceOver || (this.#repair?.isPending ?? false);
    const continues = nalType(picture.sliceHeader) === NAL_CRA && !isAfterLoss;
    if (continues) this.#raslCode = null;
    else this.#raslCode = isJoining ? 'RTP_JOINING' : 'RTP_REFERENCE_LOST';
    this.#needsKey = false;
    this.#isSequenceOver = false;
    if (this.#repair === null) this.#events.onVideoPicture(picture);
    else this.#repair.key(picture);
  }

  #activate(ppsId: number): boolean {
    const track = this.#parameterSets.trackFor(ppsId);
    const sps = this.#parameterSets.spsFor(ppsId);
    if (track === null || sps === null) return false;
    if (track === this.#track) return true;
    this.#track = track;
    this.#syntax.highestTemporalId = sps.subLayers - 1;
    this.#events.onVideoTrack(track, sps.maxReorderPictures);
    return true;
  }
}
