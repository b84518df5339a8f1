/** A storage in S3 over a folder of the test. */

import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { GatewayError } from '../core/errors.ts';
import { FakeDisk } from './fake-disk.ts';
import { FileStorage } from './file-storage.ts';
import type { MediaAppender, MediaStorage } from './media-storage.ts';
import type { ObjectStore } from './object-store.ts';
import { S3Storage } from './s3-storage.ts';

export function s3Storage(
  objects: ObjectStore,
  folder: string,
  {
    clock,
    disk = new FakeDisk(),
    maxSpoolBytes = 64 * 1_048_576,
    minFreeBytes = 0,
    localMs = 0,
    onUpload = () => undefined,
    onRefused = () => undefined,
    organizationOf = () => null,
  }: {
    readonly clock: Clock;
    readonly disk?: FakeDisk;
    readonly maxSpoolBytes?: number;
    readonly minFreeBytes?: number;
    readonly localMs?: number;
    readonly onUpload?: (failure: GatewayError | null) => void;
    readonly onRefused?: (name: string, error: GatewayError) => void;
    readonly organizationOf?: (cameraUuid: string) => string | null;
  },
): S3Storage {
  return new S3Storage({
    objects,
    clock,
    maxSpoolBytes,
    minFreeBytes,
    localMs,
    onUpload,
    onRefused,
    organizationOf,
    spool: new FileStorage(join(folder, 'spool'), disk),
    marks: new FileStorage(join(folder, 'marks'), disk),
    older: new FileStorage(folder, disk),
    reserved: new Set(['spool', 'marks']),
  });
}

/** The same, but a file that is sealed is uploaded already. */
export function uploadingAtOnce(storage: S3Storage): MediaStorage {
  const uploading = (appender: MediaAppender): MediaAppender => ({
    name: appender.name,
    get byteLength() {
      return appender.byteLength;
    },
    get syncedBytes() {
      return appender.syncedBytes;
    },
    append: (pieces) => appender.append(pieces),
    sync: () => appender.sync(),
    seal: async () => {
      await appender.seal();
      await storage.settled();
    },
    abandon: () => appender.abandon(),
  });
  return {
    isRemote: storage.isRemote,
    create: async (name, expectedBytes) => uploading(await storage.create(name, expectedBytes)),
    reopen: async (name, byteLength) => uploading(await storage.reopen(name, byteLength)),
    open: (name) => storage.open(name),
    list: (folder) => storage.list(folder),
    newestName: (folder) => storage.newestName(folder),
    delete: (name) => storage.delete(name),
    freeBytes: () => storage.freeBytes(),
  };
}
