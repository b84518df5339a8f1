/**
 * Decodes frames as they come, with WebCodecs, and never gets behind: when frames pile up before the decoder, it skips
 * to the next key frame.
 */

import { codecOf, type Picture } from './picture-message.ts';

/** More frames than this before the decoder are too many, however fast it is. */
const MAX_QUEUED = 40;
/** Network jitter leaves this many in the queue, if they drain soon. */
const FEW_QUEUED = 4;
const MAX_CROWDED_MS = 400;

export interface PictureDecoderEvents {
  /** Takes over `frame`. */
  onFrame(frame: VideoFrame, epochMs: number): void;
  /** The decoder gave up, or does not know the codec; it is of no more use. */
  onBroken(): void;
}

export class PictureDecoder {
  readonly #decoder: VideoDecoder;
  readonly #events: PictureDecoderEvents;
  #codec = '';
  #needsKey = true;
  #skippedFrames = 0;
  /** A viewer starts with a whole group of pictures in one burst: it is decoded to its end. */
  #isFirstGroup = false;
  #isStarting = true;
  #crowdedSinceMs: number | null = null;
  #firstEpochMs = 0;

  constructor(events: PictureDecoderEvents) {
    this.#events = events;
    this.#decoder = new VideoDecoder({
      output: (frame) => events.onFrame(frame, this.#firstEpochMs + Math.round(frame.timestamp / 1_000)),
      error: () => events.onBroken(),
    });
  }

  /** Frames that were left out because the decoder was behind. */
  get skippedFrames(): number {
    return this.#skippedFrames;
  }

  decode(picture: Picture): void {
    if (this.#decoder.state === 'closed') return;
    const isCrowded = this.#isCrowded();
    if (picture.isKey) {
      if (!this.#begin(picture, isCrowded)) return;
    } else if (this.#needsKey || (isCrowded && !this.#isFirstGroup)) {
      this.#needsKey = true;
      this.#skippedFrames++;
      return;
    }
    const { isKey, epochMs, data } = picture;
    const timestamp = (epochMs - this.#firstEpochMs) * 1_000;
    this.#decoder.decode(new EncodedVideoChunk({ type: isKey ? 'key' : 'delta', timestamp, data }));
  }

  /** Another stream follows, with a whole group of pictures. */
  startOver(): void {
    this.#needsKey = true;
    this.#isStarting = true;
  }

  close(): void {
    if (this.#decoder.state !== 'closed') this.#decoder.close();
  }

  /** A key frame. Returns whether it can be decoded. */
  #begin(picture: Picture, isCrowded: boolean): boolean {
    const codec = codecOf(picture);
    if (codec === null) {
      this.#events.onBroken();
      return false;
    }
    this.#isFirstGroup = this.#isStarting;
    this.#isStarting = false;
    if (this.#firstEpochMs === 0) this.#firstEpochMs = picture.epochMs;
    if (isCrowded && this.#codec !== '') {
      this.#skippedFrames += this.#decoder.decodeQueueSize;
      this.#decoder.reset();
      this.#codec = '';
    }
    if (codec !== this.#codec) {
      this.#codec = codec;
      this.#decoder.configure({ codec, optimizeForLatency: true });
    }
    this.#needsKey = false;
    this.#crowdedSinceMs = null;
    return true;
  }

  #isCrowded(): boolean {
    const { decodeQueueSize } = this.#decoder;
    const nowMs = performance.now();
    if (decodeQueueSize <= FEW_QUEUED) this.#crowdedSinceMs = null;
    else this.#crowdedSinceMs ??= nowMs;
    const crowdedMs = this.#crowdedSinceMs === null ? 0 : nowMs - this.#crowdedSinceMs;
    return decodeQueueSize > MAX_QUEUED || crowdedMs > MAX_CROWDED_MS;
  }
}
