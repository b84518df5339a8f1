/** Audio whose payloads are samples, or codes of one sample each, becomes linear 16-bit samples. */

export interface PcmDecoder {
  /** Samples, of all channels together, in a payload of so many bytes; an incomplete code at the end does not count. */
  samplesIn(payloadBytes: number): number;
  /** Hot. Decodes `chunk[start, end)` to `samples`, which has room; the number of samples written. */
  decode(chunk: Uint8Array, start: number, end: number, samples: Int16Array): number;
}
