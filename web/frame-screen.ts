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

class TrackScreen implements FrameScreen {
  readonly #track: TrackGenerator;
  readonly #writer: WritableStreamDefaultWriter<VideoFrame>;

  constructor(video: HTMLVideoElement, track: TrackGenerator) {
    this.#track = track;
    this.#writer = track.writable.getWriter();
    video.srcObject = new MediaStream([track]);
  }

  show(frame: VideoFrame): void {
    // a frame that the track has no room for is late already
    if ((this.#writer.desiredSize ?? 0) <= 0) frame.close();
    else this.#writer.write(frame).catch(() => frame.close());
  }

  close(): void {
    this.#writer.close().catch(() => undefined);
    this.#track.stop();
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
