/**
 * Objects that are written as a whole and read by ranges: what recordings need of S3. Names are paths with `/`. Everything
 * fails RECORDING_S3_UNAVAILABLE if trying again may help, and RECORDING_S3_REFUSED otherwise.
 */
export interface ObjectStore {
  /** Stores all of it or nothing. `crc32`: of the content; `content` is called once. */
  put(
    name: string,
    object: {
      readonly byteLength: number;
      readonly crc32: number;
      readonly content: () => AsyncIterable<Uint8Array>;
    },
  ): Promise<void>;
  /** null: the object does not exist. */
  byteLength(name: string): Promise<number | null>;
  /** The range lies within the object. Also fails RECORDING_NOT_FOUND. */
  read(name: string, offset: number, length: number): Promise<Buffer>;
  /** Names directly under `folder`, without it, in order; '' is the top. */
  list(folder: string): Promise<string[]>;
  /** Nothing happens if there is none. */
  delete(name: string): Promise<void>;
  close(): void;
}
