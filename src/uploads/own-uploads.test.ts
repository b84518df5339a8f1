/** Uploads at two nodes of a cluster, which share the store and the recordings. */

import { createHash } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { keptClipFile } from './clip-file-fixture.ts';
import { inPieces, openUploadFixture, type UploadFixture } from './upload-fixture.ts';

const FILE = keptClipFile();
const HALF = Math.floor(FILE.length / 2);
const SHA256 = createHash('sha256').update(FILE).digest('hex');
const ignore = () => undefined;

let node: UploadFixture;
/** That `node` has the first half of. */
let uuid: Ruuid;
let other: UploadFixture;

beforeEach(async () => {
  node = await openUploadFixture({}, { nodeId: 'node-1' });
  uuid = (await announceAt(node)).upload.uuid;
  await sendTo(node, 0, HALF);
  other = await node.otherNode('node-2');
});

const announceAt = ({ service, uploader, claims }: UploadFixture, more = { sha256: SHA256 }) =>
  service.announce(uploader, claims(FILE.length, more));

function sendTo({ service, uploader }: UploadFixture, from: number, to: number): Promise<number> {
  return service.receive(uploader, uuid, from, inPieces(FILE.subarray(from, to), 10_000), ignore);
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    ({ code }) => code,
  );

it('belong to the node that began them: one that starts leaves them alone', async () => {
  expect(other.files()).toEqual([]);
  await sendTo(node, HALF, FILE.length);
  await node.service.finish(node.uploader, uuid);
  expect([node.imported.length, other.imported.length]).toEqual([1, 0]);
  expect((await other.service.status(other.uploader, uuid)).upload.state).toBe('done');
  expect((await announceAt(other)).offset).toBe(FILE.length);
});

it('are refused by another node while theirs lives, and hidden from other keys', async () => {
  const { service, uploader } = other;
  const requested = [
    () => announceAt(other),
    () => service.status(uploader, uuid),
    () => sendTo(other, HALF, FILE.length),
    () => service.finish(uploader, uuid),
    () => service.remove(uploader, uuid),
  ];
  for (const ask of requested) expect(await codeOf(ask())).toBe('UPLOAD_AT_OTHER_NODE');
  expect(await codeOf(service.status(other.addUploader(), uuid))).toBe('UPLOAD_NOT_FOUND');
  expect((await node.service.status(node.uploader, uuid)).offset).toBe(HALF);
});

it('begin again at another node when theirs is gone, which gives them up if it was only paused', async () => {
  node.aliveNodes.delete('node-1');
  expect(await codeOf(other.service.status(other.uploader, uuid))).toBe('UPLOAD_NOT_FOUND');
  expect((await announceAt(other)).offset).toBe(0);
  await sendTo(other, 0, HALF);
  expect(await codeOf(sendTo(node, HALF, FILE.length))).toBe('UPLOAD_AT_OTHER_NODE');
  expect(node.files()).toEqual([]);
  await sendTo(other, HALF, FILE.length);
  await other.service.finish(other.uploader, uuid);
  expect([node.imported.length, other.imported.length]).toEqual([0, 1]);
  expect(await other.recordings()).toHaveLength(1);
});

it('are imported once, although their node was paused while it did that', async () => {
  await sendTo(node, HALF, FILE.length);
  const release = node.hold('hash');
  const finished = codeOf(node.service.finish(node.uploader, uuid));
  await eventuallyEqual(() => node.waiting('hash'), 1);
  node.aliveNodes.delete('node-1');
  await other.handOver(FILE, { sha256: SHA256 });
  release();
  expect(await finished).toBe('UPLOAD_AT_OTHER_NODE');
  expect([node.imported.length, other.imported.length]).toEqual([0, 1]);
  expect(await other.recordings()).toHaveLength(1);
});

it('wait for a node that ended while it wrote the recording, unless the recording is complete', async () => {
  await sendTo(node, HALF, FILE.length);
  await node.service.finish(node.uploader, uuid);
  const done = (await node.store.uploads.find(uuid))!;
  node.aliveNodes.delete('node-1');
  await node.store.uploads.save({ ...done, state: 'importing', recordingNumber: 7 });
  expect(await codeOf(announceAt(other))).toBe('UPLOAD_AT_OTHER_NODE');
  await node.store.uploads.save({ ...done, state: 'importing' });
  expect((await announceAt(other)).upload.state).toBe('done');
  expect(other.imported.map(({ upload }) => upload.nodeId)).toEqual(['node-2']);
  expect(await other.recordings()).toHaveLength(1);
});
