/** The file of an upload that an earlier gateway left: cut to what it acknowledged, or begun again. */

import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { LiveUpload } from './live-upload.ts';
import { receivedFile, type Spool } from './spool-protocol.ts';

/** Fails like the spool, if the file can be neither cut nor created: then the upload begins at 0, once it can. */
export async function restoreUpload(live: LiveUpload, spool: Spool, log: Log): Promise<void> {
  const { upload } = live;
  const file = receivedFile(upload.uuid);
  try {
    live.offset = await spool.call({ name: 'cut', file, byteLength: upload.syncedBytes });
    if (live.offset < upload.syncedBytes) live.upload = { ...upload, syncedBytes: live.offset };
  } catch (thrown) {
    log.warn({ upload: upload.uuid, err: toGatewayError(thrown) }, 'upload begins again');
    live.offset = 0;
    live.upload = { ...upload, syncedBytes: 0 };
    await spool.call({ name: 'create', file });
  }
}
