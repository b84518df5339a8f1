/**
 * From RTP payloads of H.264 to pictures that decode: keeps the parameter sets, begins with the first key picture
 * whose parameter sets are known, and after a loss holds back what could not be decoded.
 */

import { NAL_SPS, nalType } from '../../codec/h264/nal-unit.ts';
import { ParameterSets } from '../../codec/h264/parameter-sets.ts';
import { decodeSpropParameterSets } from '../../codec/h264/sprop-parameter-sets.ts';
import type { H264Track } from '../../codec/track.ts';
import type { RtpErrorCode } from '../errors.ts';
import { AccessUnitAssembler, type AssembledPicture, type PictureSink } from './access-unit-assembler.ts';
import { H264Depacketizer } from './h264-depacketizer.ts';

/**
 * After a reference picture was lost: `until-key` drops everything up to the next IDR, so that the output decodes
 * without an error. `damaged-only` drops what is damaged itself; players then show artefacts instead of a pause.
 */
export type LossPolicy = 'until-key' | 'damaged-only';

export interface H264ReceiverEvents {
  /** Before the first key picture that needs `track`. */
  onVideoTrack(track: H264Track, maxReorderFrames: number): void;
  /** Borrowed. */
  onVideoPicture(picture: AssembledPicture): void;
  onDropped(frames: number, code: RtpErrorCode): void;
}

export interface H264ReceiverOptions {
  readonly clockRateHz: number;
  /** `a=fmtp` with lower-case names. */
  readonly fmtp: ReadonlyMap<string, string>;
  readonly lossPolicy: LossPolicy;
  readonly events: H264ReceiverEvents;
}

export class H264Receiver implements PictureSink {
  readonly #events: H264ReceiverEvents;
  readonly #lossPolicy: LossPolicy;
  readonly #parameterSets: ParameterSets;
  readonly #depacketizer: H264Depacketizer;
  #track: H264Track | null = null;
  /** The pictures up to the next IDR cannot be decoded. */
  #needsKey = true;

  constructor(options: H264ReceiverOptions) {
    this.#events = options.events;
    this.#lossPolicy = options.lossPolicy;
    this.#parameterSets = new ParameterSets(options.clockRateHz);
    this.#depacketizer = new H264Depacketizer(new AccessUnitAssembler(this));
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

  onParameterSet(nalu: Uint8Array): void {
    const isSps = nalType(nalu[0]!) === NAL_SPS;
    const change = isSps ? this.#parameterSets.putSps(nalu) : this.#parameterSets.putPps(nalu);
    // Tracks change at key pictures. What an encoder changes in between waits for the next one.
    if (change === 'replaced') this.onReferenceLost();
  }

  onPicture(picture: AssembledPicture): void {
    if (picture.isKey) {
      if (!this.#activate(picture.ppsId)) {
        this.#needsKey = true;
        this.#events.onDropped(1, 'RTP_PARAMETER_SETS_MISSING');
        return;
      }
      this.#needsKey = false;
    } else if (this.#needsKey) {
      // Joining a camera between two key pictures is no loss.
      if (this.#track !== null) this.#events.onDropped(1, 'RTP_REFERENCE_LOST');
      return;
    }
    this.#events.onVideoPicture(picture);
  }

  onDamagedPicture(isReference: boolean, code: RtpErrorCode): void {
    if (isReference) this.onReferenceLost();
    const isJoining = this.#track === null && code === 'RTP_PACKET_LOSS';
    if (!isJoining) this.#events.onDropped(1, code);
  }

  onReferenceLost(): void {
    if (this.#lossPolicy === 'until-key') this.#needsKey = true;
  }

  #activate(ppsId: number): boolean {
    const track = this.#parameterSets.trackFor(ppsId);
    if (track === null) return false;
    if (track === this.#track) return true;
    this.#track = track;
    this.#events.onVideoTrack(track, this.#parameterSets.maxReorderFrames(ppsId));
    return true;
  }
}
