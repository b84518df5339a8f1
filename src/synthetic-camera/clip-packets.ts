/** A clip cut into RTP packets, once for all cameras and clients that play it. */

import { packetizeAac } from '../rtp/aac/aac-packetizer.ts';
import { FramePackets } from '../rtp/frame-packets.ts';
import { packetizeH264 } from '../rtp/h264/h264-packetizer.ts';
import { packetizeH265 } from '../rtp/h265/h265-packetizer.ts';
import type { Clip } from './clip.ts';

export const VIDEO_PAYLOAD_TYPE = 96;
export const AUDIO_PAYLOAD_TYPE = 97;
/** RFC 3551 §6 */
export const PCMU_PAYLOAD_TYPE = 0;
export const VIDEO_CLOCK_RATE_HZ = 90_000;
/** Stays below an Ethernet frame with IP, UDP and RTP headers. */
const MAX_PAYLOAD_BYTES = 1_400;

/** NAL units of one picture to RTP payloads. */
export type Packetize = (nalus: readonly Uint8Array[]) => readonly Uint8Array[];

const h264Packets: Packetize = (nalus) => packetizeH264(nalus, MAX_PAYLOAD_BYTES, 'stap-a');
const h265Packets: Packetize = (nalus) => packetizeH265(nalus, MAX_PAYLOAD_BYTES, 'ap');

/** A clip's frames as packets; each is packetized when it is first sent. */
export class ClipPackets {
  readonly clip: Clip;
  readonly #video: (FramePackets | undefined)[];
  readonly #audio: (FramePackets | undefined)[];
  readonly #packetize: Packetize;

  private constructor(clip: Clip, packetize: Packetize) {
    this.clip = clip;
    this.#packetize = packetize;
    this.#video = new Array(clip.pictures.length);
    this.#audio = new Array(clip.audio?.frames.length ?? 0);
  }

  /** `packetize`: how frames are packetized, if not in the default way. */
  static of(clip: Clip, packetize?: Packetize): ClipPackets {
    if (packetize !== undefined) return new ClipPackets(clip, packetize);
    const known = packetsByClip.get(clip);
    if (known !== undefined) return known;
    const packets = new ClipPackets(clip, clip.vps === undefined ? h264Packets : h265Packets);
    packetsByClip.set(clip, packets);
    return packets;
  }

  /** `index` keeps counting over the repetitions of the clip. */
  video(index: number): FramePackets {
    const at = index % this.clip.pictures.length;
    const { nalus } = this.clip.pictures[at]!;
    this.#video[at] ??= new FramePackets(this.#packetize(nalus), VIDEO_PAYLOAD_TYPE);
    return this.#video[at];
  }

  /** Call only for a clip with audio. */
  audio(index: number): FramePackets {
    const audio = this.clip.audio!;
    const at = index % audio.frames.length;
    const frame = audio.frames[at]!;
    this.#audio[at] ??=
      'encoding' in audio
        ? new FramePackets([frame], PCMU_PAYLOAD_TYPE)
        : new FramePackets(packetizeAac(frame, MAX_PAYLOAD_BYTES), AUDIO_PAYLOAD_TYPE);
    return this.#audio[at];
  }
}

const packetsByClip = new WeakMap<Clip, ClipPackets>();
