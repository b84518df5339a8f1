/**
 * Objects in a bucket of S3, or of a server that speaks its protocol, through the AWS SDK. Its errors can contain signed
 * requests, so only their names and statuses get out of here.
 */

import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { CORE_ERRORS, GatewayError } from '../core/errors.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { ObjectStore } from './object-store.ts';

/** Plain values: they go to the recorder's thread. */
export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  /** null: that of AWS for the region. */
  readonly endpoint: string | null;
  /** Before each name; '' or ending with `/`. */
  readonly prefix: string;
  /** null: those that the SDK finds (environment, instance role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** Without any progress. */
const IDLE_TIMEOUT_MS = 15_000;
const MAX_SOCKETS = 32;
const MAX_PAGE_NAMES = 1_000;
/** Statuses after which trying again is useless before someone changes something. */
const REFUSED = new Set([301, 400, 401, 403, 405]);

/** The SDK's own words would go to the console. */
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export class S3Objects implements ObjectStore {
  readonly #client: S3Client;
  readonly #settings: S3Settings;

  readonly #pageNames: number;

  /** `pageNames`: the number of names per page of a listing. */
  constructor(settings: S3Settings, pageNames = MAX_PAGE_NAMES) {
    this.#settings = settings;
    this.#pageNames = pageNames;
    const { region, endpoint, credentials } = settings;
    this.#client = new S3Client({
      region,
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
      ...(credentials === null ? {} : { credentials }),
      logger: SILENT,
      // The caller tries again later, and says why until then.
      maxAttempts: 2,
      // Others than AWS do not know the newer checksums; ours is sent with each object.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: IDLE_TIMEOUT_MS,
        httpAgent: { maxSockets: MAX_SOCKETS },
        httpsAgent: { maxSockets: MAX_SOCKETS },
      },
    });
  }

  async put(name: string, { byteLength, crc32, content }: Parameters<ObjectStore['put']>[1]): Promise<void> {
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32);
    const body = Readable.from(content(), { objectMode: false });
    // The SDK leaves a stream that it no longer needs: it must not read on.
    body.on('error', () => undefined);
    const put = new PutObjectCommand({
      ...this.#object(name),
      Body: body,
      ContentLength: byteLength,
      ContentType: 'video/mp4',
      ChecksumCRC32: checksum.toString('base64'),
    });
    await this.#attempt(name, () => this.#client.send(put)).finally(() => body.destroy());
  }

  async byteLength(name: string): Promise<number | null> {
    try {
      const head = await this.#attempt(name, () =>
        this.#client.send(new HeadObjectCommand(this.#object(name))),
      );
      return head.ContentLength ?? 0;
    } catch (thrown) {
      if ((thrown as GatewayError).code === RECORDING_ERRORS.RECORDING_NOT_FOUND.code) return null;
      throw thrown;
    }
  }

  async read(name: string, offset: number, length: number): Promise<Buffer> {
    return this.#attempt(name, async () => {
      const range = `bytes=${offset}-${offset + length - 1}`;
      const { Body } = await this.#client.send(new GetObjectCommand({ ...this.#object(name), Range: range }));
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, length));
    });
  }

  async list(folder: string): Promise<string[]> {
    const { bucket, prefix } = this.#settings;
    const base = `${prefix}${folder === '' ? '' : `${folder}/`}`;
    const names: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await this.#attempt(folder, () =>
        this.#client.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: base,
            Delimiter: '/',
            MaxKeys: this.#pageNames,
            ContinuationToken,
          }),
        ),
      );
      for (const { Key = '' } of page.Contents ?? []) names.push(Key.slice(base.length));
      for (const { Prefix = '' } of page.CommonPrefixes ?? []) names.push(Prefix.slice(base.length, -1));
      ContinuationToken = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (ContinuationToken !== undefined);
    return names.filter((name) => name !== '').sort();
  }

  async delete(name: string): Promise<void> {
    await this.#attempt(name, () => this.#client.send(new DeleteObjectCommand(this.#object(name))));
  }

  close(): void {
    this.#client.destroy();
  }

  #object(name: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#settings;
    return { Bucket: bucket, Key: `${prefix}${name}` };
  }

  async #attempt<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      throw errorOf(name, thrown);
    }
  }
}

/** Ours, or the SDK's: not an answer, and not the network. Node's own errors have a code. */
function isDefect(thrown: unknown): boolean {
  const isOfCode =
    thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof ReferenceError;
  return isOfCode && !('code' in thrown) && !('$metadata' in thrown);
}

/** Without the cause: it contains the request with its signature. */
function errorOf(name: string, thrown: unknown): GatewayError {
  const {
    name: s3,
    $metadata,
    code,
  } = thrown as {
    readonly name?: string;
    readonly code?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  if (isDefect(thrown)) return new GatewayError(CORE_ERRORS.INTERNAL, { name }, thrown);
  const status = $metadata?.httpStatusCode ?? null;
  const context = { name, errno: code ?? s3 ?? 'unknown', status };
  if (s3 === 'NoSuchBucket') return new GatewayError(RECORDING_ERRORS.RECORDING_S3_REFUSED, context);
  if (s3 === 'NoSuchKey' || s3 === 'NotFound' || status === 404) {
    return new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, context);
  }
  const isRefused = status !== null && REFUSED.has(status) && s3 !== 'RequestTimeout' && s3 !== 'BadDigest';
  const { RECORDING_S3_REFUSED, RECORDING_S3_UNAVAILABLE } = RECORDING_ERRORS;
  return new GatewayError(isRefused ? RECORDING_S3_REFUSED : RECORDING_S3_UNAVAILABLE, context);
}
