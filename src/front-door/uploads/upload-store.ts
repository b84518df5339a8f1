/**
 * The storage of the tus server (@tus/server): the service of uploads, for the caller of the current request. The package's own file store
 * would write in Node's pool threads and acknowledge bytes that are not on the disk.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { DataStore, Upload } from '@tus/utils';
import { readClipClaims } from '../../uploads/clip-claims.ts';
import type { Uploader } from '../../uploads/upload-access.ts';
import type { UploadService, UploadStatus } from '../../uploads/upload-service.ts';

/** One request whose key was accepted. */
export interface UploadRequest {
  readonly uploader: Uploader;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The content type of an upload's bytes: tus 1.0. */
const BYTES_TYPE = 'application/offset+octet-stream';

export const currentUpload = new AsyncLocalStorage<UploadRequest>();

export class UploadStore extends DataStore {
  readonly #service: UploadService;
  readonly #keepUnfinishedMs: number;

  constructor(service: UploadService, keepUnfinishedMs: number) {
    super();
    this.extensions = ['creation', 'creation-with-upload', 'termination', 'expiration'];
    this.#service = service;
    this.#keepUnfinishedMs = keepUnfinishedMs;
  }

  /** A clip that was announced before continues at its offset, which Upload-Offset returns. */
  override async create(upload: Upload): Promise<Upload> {
    const { uploader, request, response } = current();
    const claims = readClipClaims(upload.metadata ?? {}, upload.size ?? 0);
    const status = await this.#service.announce(uploader, claims);
    // An upload with bytes is kept longer than an announcement alone.
    const { createdAtMs } = status.upload;
    const isSent = request.headers['content-type'] === BYTES_TYPE;
    const beganMs = isSent ? createdAtMs : status.expiresAtMs - this.#keepUnfinishedMs;
    upload.creation_date = new Date(beganMs).toISOString();
    response.setHeader('upload-offset', status.offset);
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { uploader, request } = current();
    // Only HEAD checks whether a clip is done: other requests find out on their own.
    const isRequested = request.method === 'HEAD';
    return asTus(
      await (isRequested ? this.#service.status(uploader, id) : this.#service.received(uploader, id)),
    );
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const { uploader, request } = current();
    if (request.method === 'POST') {
      // Sent along with the announcement, from the first byte on: nothing new if the clip was announced before.
      const { offset: known } = await this.#service.received(uploader, id);
      if (known > 0) {
        for await (const _chunk of stream);
        return known;
      }
    }
    return this.#service.receive(uploader, id, offset, stream, () => request.socket.destroy());
  }

  override async remove(id: string): Promise<void> {
    await this.#service.remove(current().uploader, id);
  }

  override getExpiration(): number {
    return this.#keepUnfinishedMs;
  }
}

function current(): UploadRequest {
  const request = currentUpload.getStore();
  if (request === undefined) throw new Error('an upload outside a request');
  return request;
}

/** One that is done does not expire. */
function asTus({ upload, offset }: UploadStatus): Upload {
  const { uuid, byteLength, createdAtMs, clipId, cameraUuid, startMs, title, fileType, sha256 } = upload;
  return new Upload({
    id: uuid,
    size: byteLength,
    offset,
    ...(upload.state === 'done' ? {} : { creation_date: new Date(createdAtMs).toISOString() }),
    metadata: {
      clipId,
      cameraUuid,
      timestampMs: String(startMs),
      title,
      filetype: fileType,
      ...(sha256 === null ? {} : { sha256 }),
    },
  });
}
