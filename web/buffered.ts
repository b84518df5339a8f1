/** Reads the buffered ranges of a video element. */

/** Seconds of media after the frame on the screen that can be played without a gap. */
export function bufferedAheadSec(video: HTMLVideoElement): number {
  const { buffered, currentTime } = video;
  for (let range = 0; range < buffered.length; range++) {
    if (buffered.start(range) <= currentTime + GAP_TOLERANCE_SEC && buffered.end(range) > currentTime) {
      return buffered.end(range) - currentTime;
    }
  }
  return 0;
}

/** Browsers play over holes of this size. */
const GAP_TOLERANCE_SEC = 0.1;

/** Whether the frame at `atSec` can be played. */
export function isBuffered({ buffered }: HTMLVideoElement, atSec: number): boolean {
  for (let range = 0; range < buffered.length; range++) {
    if (buffered.start(range) <= atSec && buffered.end(range) > atSec) return true;
  }
  return false;
}
