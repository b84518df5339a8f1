/** A clip on disk: a magic word, the lengths of both streams, the streams. Wrong lengths make it invalid. */

const MAGIC = Buffer.from('SLUICECLIP1\n', 'latin1');
const HEADER_BYTES = MAGIC.length + 8;

export interface ClipStreams {
  /** H.264, Annex B. */
  readonly video: Uint8Array;
  /** AAC, ADTS. */
  readonly audio: Uint8Array | null;
}

export function packClipFile(video: Uint8Array, audio: Uint8Array | null): Buffer {
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(video.length, 0);
  lengths.writeUInt32BE(audio?.length ?? 0, 4);
  return Buffer.concat([MAGIC, lengths, video, audio ?? Buffer.alloc(0)]);
}

/** Views into `bytes`; null if it is not a clip, or incomplete. */
export function unpackClipFile(bytes: Buffer): ClipStreams | null {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  const videoBytes = bytes.readUInt32BE(MAGIC.length);
  const audioBytes = bytes.readUInt32BE(MAGIC.length + 4);
  if (bytes.length !== HEADER_BYTES + videoBytes + audioBytes) return null;
  const video = bytes.subarray(HEADER_BYTES, HEADER_BYTES + videoBytes);
  return { video, audio: audioBytes === 0 ? null : bytes.subarray(HEADER_BYTES + videoBytes) };
}
