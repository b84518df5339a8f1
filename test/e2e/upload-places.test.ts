/** A recorder hands over a clip with tus-js-client while more uploads are announced than there are places. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../src/core/limits/registry.ts';
import { clipFile } from '../support/clip-files.ts';
import { API_KEY, TestGateway } from '../support/gateway.ts';
import { tusUpload } from '../support/tus-upload.ts';

const MAX_BYTES = 16 * 1_048_576;
const KEEP_EMPTY_MS = 600_000;

let gateway: TestGateway;
let cameraUuid: string;

const endpoint = () => `${gateway.mediaUrl}/upload/clips`;
const headersOf = (more: object) => ({
  'x-auth-apikey': API_KEY,
  'x-auth-scheme': 'api-token',
  'tus-resumable': '1.0.0',
  ...more,
});

function metadataOf(clipId: string) {
  return { clipId, cameraUuid, timestampMs: String(Date.now() - 3_600_000) };
}

/** The response, and the upload's URL. */
async function announce(clipId: string): Promise<{ response: Response; url: string }> {
  const metadata = Object.entries(metadataOf(clipId)).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`,
  );
  const headers = headersOf({ 'upload-length': String(MAX_BYTES), 'upload-metadata': metadata.join(',') });
  const response = await fetch(endpoint(), { method: 'POST', headers });
  return { response, url: new URL(response.headers.get('location') ?? '', endpoint()).href };
}

beforeAll(async () => {
  gateway = await TestGateway.start({
    recording: { minFree: '16MiB' },
    uploads: { maxSize: '16MiB' },
    cameras: [{ name: 'Gate', rtsp: 'rtsp://127.0.0.1:9/none' }],
  });
  cameraUuid = await gateway.cameraUuid('Gate');
});

afterAll(() => gateway?.dispose());

it('has a place next to any number of announced ones without a byte, and begins again if its own was taken', async () => {
  const first = await announce('squeezed');
  const date = Date.parse(first.response.headers.get('date')!);
  const expires = Date.parse(first.response.headers.get('upload-expires')!);
  // HTTP has whole seconds.
  expect(Math.abs(expires - date - KEEP_EMPTY_MS)).toBeLessThan(5_000);
  for (let count = 0; count < LIMITS.announcedUploads.levels.credential.max; count++) {
    expect((await announce(`idle ${count}`)).response.status).toBe(201);
  }
  expect((await fetch(first.url, { method: 'HEAD', headers: headersOf({}) })).status).toBe(404);
  const file = clipFile({ seconds: 3 });
  const metadata = metadataOf('squeezed');
  expect(await tusUpload({ endpoint: endpoint(), key: API_KEY, file, metadata })).toMatchObject({
    status: 0,
  });
});
