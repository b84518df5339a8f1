/**
 * Where recordings are stored. `storage-contract.ts` is the suite that every implementation passes. Only threads of their
 * own call it, so an implementation may work synchronously.
 */

/**
 * Appends to a file. What `append` resolved for survives the end of the process; what `sync` resolved for survives a
 * power cut.
 */
export interface MediaAppender {
  readonly name: string;
  /** Appended so far. */
  readonly byteLength: number;
  /** Appended bytes that are on the disk for certain. */
  readonly syncedBytes: number;
  /** The stored bytes differ from the appended ones. Default false. */
  readonly isEncrypted?: boolean;
  /**
   * Adds the pieces one after the other, borrowed. If the process is killed in between, the file has none of them: their
   * first 8 bytes read as zeros. If it fails, nothing was added, and it can be tried again.
   */
  append(pieces: readonly Uint8Array[]): Promise<void>;
  sync(): Promise<void>;
  /** Syncs, and gives back the reserved room. Nothing may be appended afterwards. */
  seal(): Promise<void>;
  /** Lets go of the file as it is, reserved room included: for a disk that fails. Idempotent. */
  abandon(): Promise<void>;
}

export interface MediaReader {
  /** Including reserved room of a file that is not sealed. */
  readonly byteLength: number;
  /** The bytes as they are on the disk, if `read` decrypts them. It decrypts everything, also bytes that are not encrypted. */
  readonly stored?: MediaReader;
  /** When it was written last; absent: the storage does not know. */
  readonly writtenEpochMs?: number;
  /** False: it must be sealed, even if it is complete. Default true. */
  readonly isSealed?: boolean;
  /** Shorter than `length` only at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>;
  /** Fills `target`, and returns how much of it: less than all only at the end of the file. */
  readInto(target: Uint8Array, offset: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Names are paths with `/`. Everything fails RECORDING_DISK_FULL or RECORDING_IO; `open` and `reopen` also fail
 * RECORDING_NOT_FOUND.
 */
export interface MediaStorage {
  /** Calls for the disk's state can take as long as a network does; those of appenders never do. Default false. */
  readonly isRemote?: boolean;
  /** Creates a file and reserves about `expectedBytes` for it. Fails RECORDING_EXISTS. */
  create(name: string, expectedBytes: number): Promise<MediaAppender>;
  /** Continues a file after its first `byteLength` bytes; what follows is lost. */
  reopen(name: string, byteLength: number): Promise<MediaAppender>;
  open(name: string): Promise<MediaReader>;
  /** Names directly under `folder`, without it, in order; '' is the top. Empty if the folder does not exist. */
  list(folder: string): Promise<string[]>;
  /**
   * The last name in order directly under `folder`, or a later one that existed; null: there never was one. Quick, even
   * if `list` is not.
   */
  newestName(folder: string): Promise<string | null>;
  /** Whether there was something to delete. */
  delete(name: string): Promise<boolean>;
  /** Bytes that can still be written. */
  freeBytes(): Promise<number>;
}
