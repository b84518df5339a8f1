/** Cuts audio that is samples (G.711, L16) into RTP payloads of whole samples. RFC 3551 §4.5.11, §4.5.14. */

/** Views into `samples`, in order. `sampleBytes`: of one sample of all channels. */
export function packetizeSamples(
  samples: Uint8Array,
  sampleBytes: number,
  maxPayloadBytes: number,
): Uint8Array[] {
  const pieceBytes = samplesPerPayload(sampleBytes, maxPayloadBytes) * sampleBytes;
  const payloads: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += pieceBytes)
    payloads.push(samples.subarray(at, at + pieceBytes));
  return payloads;
}

/** The samples in each payload but the last: what timestamps advance by. */
export function samplesPerPayload(sampleBytes: number, maxPayloadBytes: number): number {
  return Math.max(1, Math.floor(maxPayloadBytes / sampleBytes));
}
