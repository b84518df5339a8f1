/** Publish keys of the API in a whole gateway: the listener follows them, and devices push with them. */

import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Json, TestGateway } from '../support/gateway.ts';
import { fetchPlaylist, fetchRuns, openShare } from '../support/hls.ts';
import { decodeErrors } from '../support/media-check.ts';
import { freePort } from '../support/ports.ts';
import { RtmpEncoder } from '../support/rtmp-encoder.ts';
import { RtmpPublisher } from '../support/rtmp-publisher.ts';
import { until } from '../support/until.ts';

let gateway: TestGateway;
let port: number;
let encoders: RtmpEncoder[] = [];
/** Every key that the API gave out. */
const keys: string[] = [];

beforeAll(async () => {
  port = await freePort();
  gateway = await TestGateway.start({
    hls: { segmentTarget: '1s', partTarget: '200ms', window: '6s', idleStop: '15s' },
    sources: { backoffMin: '200ms', backoffMax: '1s', silenceTimeout: '15s' },
    rtmp: { listen: `127.0.0.1:${port}` },
    demo: false,
  });
});

afterEach(async () => {
  for (const encoder of encoders) await encoder.end();
  encoders = [];
});

afterAll(() => gateway?.dispose());

function push(key: string): RtmpEncoder {
  const encoder = new RtmpEncoder(`rtmp://127.0.0.1:${port}/live/${key}`);
  encoders.push(encoder);
  return encoder;
}

async function isListening(): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    return await new Promise<boolean>((resolve, reject) => {
      socket.on('connect', () => resolve(true));
      socket.on('error', ({ code }: NodeJS.ErrnoException) =>
        code === 'ECONNREFUSED' ? resolve(false) : reject(new Error(code)),
      );
    });
  } finally {
    socket.destroy();
  }
}

async function add(name: string): Promise<{ uuid: string; key: string }> {
  const { deviceUuid, publishKey } = await gateway.call('relay/addThirdPartyCameraViaRtmp', { name });
  keys.push(publishKey);
  return { uuid: deviceUuid, key: publishKey };
}

async function newKey(cameraUuid: string): Promise<string> {
  const { publishKey } = await gateway.call('relay/createThirdPartyCameraPublishKey', { cameraUuid });
  keys.push(publishKey);
  return publishKey;
}

/** What a device with this key is told. */
async function told(key: string): Promise<string> {
  const publisher = await RtmpPublisher.publish(port, `live/${key}`);
  publisher.close();
  return publisher.received;
}

const stateOf = async (name: string): Promise<Json> => {
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  return cameraStates.find((state: Json) => state.name === name);
};

it('opens the listener with the first key and closes it with the last', async () => {
  expect(await isListening()).toBe(false);
  const [yard, gate] = [await add('Yard'), await add('Gate')];
  await until('the listener', isListening);
  await gateway.call('relay/deleteThirdPartyCameraPublishKey', { cameraUuid: yard.uuid });
  expect(await isListening()).toBe(true);
  expect(await told(yard.key)).toContain('NetStream.Publish.BadName');
  await gateway.call('camera/delete', { cameraUuid: gate.uuid });
  await until('the listener to close', async () => !(await isListening()));
  await newKey(yard.uuid);
  await until('the listener', isListening);
  await gateway.call('relay/deleteThirdPartyCameraPublishKey', { cameraUuid: yard.uuid });
  expect(await isListening()).toBe(false);
});

it('a device pushes with the key; a new key cuts it off, and viewers watch on when it has that', async () => {
  const { uuid, key } = await add('Dock');
  const share = await gateway.share('Dock');
  const first = push(key);
  const url = await until('the camera to play', () => openShare(share.m3u8Url));
  await until('two segments', async () => (await fetchPlaylist(url)).segments.length >= 2);
  const [run] = await fetchRuns(url);
  expect(await decodeErrors(run!.media, ['-err_detect', 'explode'])).toBe('');
  const next = await newKey(uuid);
  await until('the device to be cut off', () => !first.isRunning);
  expect(await told(key)).toContain('NetStream.Publish.BadName');
  push(next);
  await until('a segment after the break', async () =>
    (await fetchPlaylist(url)).segments.some(({ discontinuity }) => discontinuity === true),
  );
});

it('a camera without a key is offline with that as the reason', async () => {
  const { uuid, key } = await add('Ramp');
  const share = await gateway.share('Ramp');
  const encoder = push(key);
  await until('the camera to play', () => openShare(share.m3u8Url));
  await gateway.call('relay/deleteThirdPartyCameraPublishKey', { cameraUuid: uuid });
  await until('the device to be cut off', () => !encoder.isRunning);
  await until('the reason', async () => {
    await fetch(share.m3u8Url);
    return (await stateOf('Ramp')).connectionDetail.code === 'RTMP_NO_KEY';
  });
  const { fullCameraState } = await gateway.call('camera/getFullCameraState', { cameraUuid: uuid });
  expect(fullCameraState.onCameraState.v0).toMatchObject({ hasPublishKey: false });
});

it('cameras and keys outlast a restart, and no key is in the log', async () => {
  const { key } = await add('Hall');
  const before = gateway.child.lines;
  await gateway.restart();
  await until('the listener', isListening);
  push(key);
  const share = await gateway.share('Hall');
  await until('the camera to play', () => openShare(share.m3u8Url));
  expect(keys.length).toBeGreaterThan(5);
  const logged = [...before, ...gateway.child.lines].join('\n');
  expect(logged).toContain('publisher connected');
  for (const each of keys) expect(logged).not.toContain(each);
});
