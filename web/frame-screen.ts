/**
 * Puts decoded frames on a video element, so that controls, picture in picture and everything else work as with other
 * players: as a track of frames where the browser has one (Chromium), otherwise through a canvas and its stream.
 */

export interface FrameScreen {
  /** Takes over `frame`. */
  show(frame: VideoFrame): void;
  /** The last frame stays until the element gets something else. */
  close(): void;
}

/** W3C mediacapture-transform in its first form, which Chromium has. */
interface TrackGenerator extends MediaStreamTrack {
  readonly writable: WritableStream<VideoFrame>;
}

type TrackGeneratorConstructor = new (init: { readonly kind: 'video' }) => TrackGenerator;

/** null if the browser has neither way. */
export function openFrameScreen(video: HTMLVideoElement): FrameScreen | null {
  const Generator = trackGenerator();
  if (Generator !== null) return new TrackScreen(video, new Generator({ kind: 'video' }));
  return canCapture() ? new CanvasScreen(video) : null;
}

export function hasFrameScreen(): boolean {
  return trackGenerator() !== null || canCapture();
}

/** Just longer than a picture of the screen: Chromium makes 30 per second while videos of up to 30 are all that moves. */
const MAX_SPACING_MS = 34;
/** Fraction of the time between two frames, so that waiting frames catch up. */
const SPACING = 0.85;
/** More are late. */
const MAX_WAITING = 2;

/**
 * If two frames arrive within one refresh of the screen, browsers drop the first. Frames come in pairs when
 * the network or the page paused for a moment: the second waits a little.
 */
class TrackScreen implements FrameScreen {
  readonly #track: TrackGenerator;
  readonly #writer: WritableStreamDefaultWriter<VideoFrame>;
  readonly #waiting: VideoFrame[] = [];
  #timer: number | undefined;
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  /** In microseconds. */
  #newestTimestamp = 0;
  #spacingMs = 0;

  constructor(video: HTMLVideoElement, track: TrackGenerator) {
    this.#track = track;
    this.#writer = track.writable.getWriter();
    video.srcObject = new MediaStream([track]);
  }

  show(frame: VideoFrame): void {
    const intervalMs = (frame.timestamp - this.#newestTimestamp) / 1_000;
    this.#newestTimestamp = frame.timestamp;
    this.#spacingMs = Math.max(0, Math.min(MAX_SPACING_MS, intervalMs * SPACING));
    this.#waiting.push(frame);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()!.close();
    if (this.#timer === undefined) this.#writeNext();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const frame of this.#waiting.splice(0)) frame.close();
    this.#writer.close().catch(() => undefined);
    this.#track.stop();
  }

  #writeNext(): void {
    this.#timer = undefined;
    const waitMs = this.#writtenAtMs + this.#spacingMs - performance.now();
    if (waitMs <= 0) {
      this.#writtenAtMs = performance.now();
      this.#write(this.#waiting.shift()!);
    }
    if (this.#waiting.length > 0) {
      this.#timer = setTimeout(() => this.#writeNext(), waitMs > 0 ? waitMs : this.#spacingMs);
    }
  }

  #write(frame: VideoFrame): void {
    // a frame that the track has no room for is late already
    if ((this.#writer.desiredSize ?? 0) <= 0) frame.close();
    else this.#writer.write(frame).catch(() => frame.close());
  }
}

class CanvasScreen implements FrameScreen {
  readonly #canvas = document.createElement('canvas');
  readonly #context = this.#canvas.getContext('2d', { alpha: false });
  readonly #stream: MediaStream;

  constructor(video: HTMLVideoElement) {
    this.#stream = this.#canvas.captureStream();
    video.srcObject = this.#stream;
  }

  show(frame: VideoFrame): void {
    const { displayWidth, displayHeight } = frame;
    if (this.#canvas.width !== displayWidth) this.#canvas.width = displayWidth;
    if (this.#canvas.height !== displayHeight) this.#canvas.height = displayHeight;
    this.#context?.drawImage(frame, 0, 0, displayWidth, displayHeight);
    frame.close();
  }

  close(): void {
    for (const track of this.#stream.getTracks()) track.stop();
  }
}

function trackGenerator(): TrackGeneratorConstructor | null {
  const found: unknown = Reflect.get(globalThis, 'MediaStreamTrackGenerator');
  return typeof found === 'function' ? (found as TrackGeneratorConstructor) : null;
}

function canCapture(): boolean {
  return 'captureStream' in HTMLCanvasElement.prototype;
}
