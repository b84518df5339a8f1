/** Writes boxes into a buffer that the caller sized. ISO/IEC 14496-12 §4.2. */

const LARGEST_U32 = 2 ** 32;

/** A position in a buffer, big-endian. Writing past the end throws RangeError: the size was computed incorrectly. */
export class BoxWriter {
  readonly bytes: Buffer;
  position = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Opens a Box and returns its start, which `end` needs. */
  begin(type: string): number {
    const start = this.position;
    this.bytes.writeUInt32BE(0, start);
    this.bytes.write(type, start + 4, 4, 'latin1');
    this.position = start + 8;
    return start;
  }

  /** Opens a FullBox: a Box with version and 24 bits of flags. */
  beginFull(type: string, version: number, flags: number): number {
    const start = this.begin(type);
    this.u32(version * 0x1000000 + flags);
    return start;
  }

  /** Closes the box that began at `start`: its size is now known. */
  end(start: number): void {
    this.bytes.writeUInt32BE(this.position - start, start);
  }

  u8(value: number): void {
    this.position = this.bytes.writeUInt8(value, this.position);
  }

  u16(value: number): void {
    this.position = this.bytes.writeUInt16BE(value, this.position);
  }

  u32(value: number): void {
    this.position = this.bytes.writeUInt32BE(value, this.position);
  }

  /** `value` is a non-negative safe integer. */
  u64(value: number): void {
    this.u32(Math.floor(value / LARGEST_U32));
    this.u32(value % LARGEST_U32);
  }

  /** Four characters. */
  fourcc(text: string): void {
    this.bytes.write(text, this.position, 4, 'latin1');
    this.position += 4;
  }

  zeros(count: number): void {
    this.bytes.fill(0, this.position, this.position + count);
    this.position += count;
  }

  /** Copies `data`. */
  put(data: Uint8Array): void {
    this.bytes.set(data, this.position);
    this.position += data.length;
  }
}
