/**
 * A storage whose readers get the media of encrypted recordings in the clear. Everything else is that of the storage
 * below; the recorder encrypts what it writes itself, because it knows which bytes are media. Other files, such as clips,
 * are wrapped: a file header, and the whole file encrypted behind it. Neither who writes nor who reads them sees the header.
 */

import { GatewayError } from '../core/errors.ts';
import { isRuuid, type Ruuid } from '../core/ruuid.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { MediaAppender, MediaReader, MediaStorage } from './media-storage.ts';
import {
  BOOT_ID_BYTES,
  isEncrypted,
  kindOfBox,
  RECORDING_BOX_BYTES,
  readFileHeader,
  writeFileHeader,
} from './recording-boxes.ts';
import type { RecordingCipher, RecordingKeys } from './recording-cipher.ts';

/** Files whose ciphers are known, oldest first out: a header is read once, not with each range. */
const MAX_CIPHERS = 4_096;
const UNKNOWN_BOOT = Buffer.alloc(BOOT_ID_BYTES);

interface FileCipher {
  readonly cipher: RecordingCipher;
  /** Where reading begins: behind the header of a wrapped file. */
  readonly baseOffset: number;
}

export class DecryptingStorage implements MediaStorage {
  readonly isRemote: boolean;
  readonly #storage: MediaStorage;
  readonly #keys: RecordingKeys;
  readonly #isWrapping: boolean;
  /** By name; null: it is not encrypted. */
  readonly #ciphers = new Map<string, FileCipher | null>();

  /**
   * `isWrapping`: whether files that are created are encrypted as a whole, each with a key of the camera after which it is
   * named.
   */
  constructor(storage: MediaStorage, keys: RecordingKeys, { isWrapping = false } = {}) {
    this.#storage = storage;
    this.#keys = keys;
    this.#isWrapping = isWrapping;
    this.isRemote = storage.isRemote === true;
  }

  async create(name: string, expectedBytes: number): Promise<MediaAppender> {
    if (!this.#isWrapping) return this.#storage.create(name, expectedBytes);
    const cameraUuid = cameraNamed(name);
    const cipher = this.#keys.newCipher(cameraUuid);
    const key = { id: cipher.keyId, check: cipher.keyCheck };
    const header = writeFileHeader({
      cameraUuid,
      rendition: 'main',
      number: 0,
      key,
      isWrapped: true,
      bootId: UNKNOWN_BOOT,
    });
    const appender = await this.#storage.create(name, header.length + expectedBytes);
    try {
      await appender.append([header]);
      return new WrappingAppender(appender, cipher);
    } catch (thrown) {
      await appender.abandon();
      await this.#storage.delete(name);
      throw thrown;
    }
  }

  reopen(name: string, byteLength: number): Promise<MediaAppender> {
    return this.#storage.reopen(name, byteLength);
  }

  /** Also fails RECORDING_KEY_UNKNOWN. */
  async open(name: string): Promise<MediaReader> {
    const stored = await this.#storage.open(name);
    try {
      const known = this.#ciphers.get(name);
      const cipher = known === undefined ? await this.#cipherOf(name, stored) : known;
      return cipher === null ? stored : new DecryptingReader(stored, cipher);
    } catch (thrown) {
      await stored.close();
      throw thrown;
    }
  }

  list(folder: string): Promise<string[]> {
    return this.#storage.list(folder);
  }

  newestName(folder: string): Promise<string | null> {
    return this.#storage.newestName(folder);
  }

  delete(name: string): Promise<boolean> {
    this.#ciphers.delete(name);
    return this.#storage.delete(name);
  }

  freeBytes(): Promise<number> {
    return this.#storage.freeBytes();
  }

  async #cipherOf(name: string, stored: MediaReader): Promise<FileCipher | null> {
    const start = await stored.read(0, RECORDING_BOX_BYTES.file);
    // Nothing is known before there is a header. Others keep other files in the storage.
    if (kindOfBox(start) !== 'file') return null;
    const header = isEncrypted(start) ? readFileHeader(start, name) : null;
    let found: FileCipher | null = null;
    if (header?.key) {
      const cipher = this.#keys.cipherOf(header.cameraUuid, header.key.id);
      if (!cipher.keyCheck.equals(header.key.check)) {
        throw new GatewayError(RECORDING_ERRORS.RECORDING_KEY_UNKNOWN, { name });
      }
      found = { cipher, baseOffset: header.isWrapped === true ? RECORDING_BOX_BYTES.file : 0 };
    }
    // A file on the disk can be deleted, and its name used again, by another thread; to look costs next to nothing.
    if (!this.isRemote) return found;
    const [oldest] = this.#ciphers.keys();
    if (this.#ciphers.size >= MAX_CIPHERS && oldest !== undefined) this.#ciphers.delete(oldest);
    this.#ciphers.set(name, found);
    return found;
  }
}

class DecryptingReader implements MediaReader {
  readonly stored: MediaReader;
  readonly #file: FileCipher;

  constructor(stored: MediaReader, file: FileCipher) {
    this.stored = stored;
    this.#file = file;
  }

  get byteLength(): number {
    return this.stored.byteLength - this.#file.baseOffset;
  }

  get isSealed(): boolean {
    return this.stored.isSealed !== false;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const { cipher, baseOffset } = this.#file;
    return cipher.apply(baseOffset + offset, await this.stored.read(baseOffset + offset, length));
  }

  async readInto(target: Uint8Array, offset: number): Promise<number> {
    const bytes = await this.read(offset, target.length);
    target.set(bytes);
    return bytes.length;
  }

  close(): Promise<void> {
    return this.stored.close();
  }
}

/** Counts the appended bytes, without the header. */
class WrappingAppender implements MediaAppender {
  readonly isEncrypted = true;
  readonly #file: MediaAppender;
  readonly #cipher: RecordingCipher;
  readonly #headerBytes: number;

  constructor(file: MediaAppender, cipher: RecordingCipher) {
    this.#file = file;
    this.#cipher = cipher;
    this.#headerBytes = file.byteLength;
  }

  get name(): string {
    return this.#file.name;
  }

  get byteLength(): number {
    return this.#file.byteLength - this.#headerBytes;
  }

  get syncedBytes(): number {
    return Math.max(0, this.#file.syncedBytes - this.#headerBytes);
  }

  append(pieces: readonly Uint8Array[]): Promise<void> {
    let offset = this.#file.byteLength;
    const stored = pieces.map((piece) => {
      const encrypted = this.#cipher.apply(offset, piece);
      offset += piece.length;
      return encrypted;
    });
    return this.#file.append(stored);
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  seal(): Promise<void> {
    return this.#file.seal();
  }

  abandon(): Promise<void> {
    return this.#file.abandon();
  }
}

/** `clips/<clip>/<camera>.mp4`, or `<camera>/…`: whose key it is. */
function cameraNamed(name: string): Ruuid {
  const stem = name.slice(name.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  const camera = isRuuid(stem) ? stem : name.slice(0, name.indexOf('/'));
  if (!isRuuid(camera)) throw new RangeError('a file without the name of a camera cannot be encrypted');
  return camera;
}
