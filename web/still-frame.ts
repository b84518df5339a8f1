/** The last frame of a lost stream, on a canvas over the video, while the player under it is replaced. */
export class StillFrame {
  readonly canvas: HTMLCanvasElement;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
  }

  /** Keeps the frame on the screen, unless an earlier one is kept. */
  keep(video: HTMLVideoElement): void {
    const { videoWidth, videoHeight, readyState } = video;
    const hasFrame = videoWidth > 0 && readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
    if (!hasFrame || !this.canvas.hidden) return;
    this.canvas.width = videoWidth;
    this.canvas.height = videoHeight;
    this.canvas.getContext('2d')?.drawImage(video, 0, 0);
    this.canvas.hidden = false;
  }

  /** Leaves nothing of it. */
  drop(): void {
    this.canvas.hidden = true;
    this.canvas.width = 0;
  }
}
