import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually-fixture.ts';

vi.stubGlobal('document', { baseURI: 'http://localhost/console/' });
const { ClipCase, failureText, isSettled } = await import('./clip-case.ts');

const CAMERAS = [
  { uuid: 'dock', name: 'Dock' },
  { uuid: 'gate', name: 'Gate' },
];
const WANTED = { cut: { fromMs: 10_400, toMs: 40_900 }, cameras: CAMERAS, title: 'Van' };

type Body = Record<string, unknown>;
let calls: [string, Body][];
/** By path; 'refused: …' is a failure. */
let respond: (path: string, body: Body) => object | string;

beforeEach(() => {
  calls = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('fetch', async (url: URL, { body }: { body: string }) => {
    const path = url.pathname.replace(/^.*\/api\//, '');
    calls.push([path, JSON.parse(body)]);
    const result = respond(path, JSON.parse(body));
    const isRefused = typeof result === 'string';
    return Response.json(isRefused ? { error: true, errorMsg: result } : result, { status: 200 });
  });
});
afterEach(() => vi.useRealTimers());

const clipOf = ({ deviceUuids }: Body) => ({ clipUuid: `clip of ${(deviceUuids as string[])[0]}` });

test('one act orders a clip of each camera, and follows them until all are complete', async () => {
  let percent = 40;
  respond = (path, body) =>
    path === 'video/spliceV3'
      ? clipOf(body)
      : { clip: percent < 100 ? { status: 'UPLOADING', percentComplete: percent } : { status: 'COMPLETE' } };
  const clips = new ClipCase(WANTED);
  await clips.order();
  expect(calls).toEqual([
    [
      'video/spliceV3',
      { deviceUuids: ['dock'], startTimeMillis: 10_400, durationSec: 31, title: 'Van – Dock' },
    ],
    [
      'video/spliceV3',
      { deviceUuids: ['gate'], startTimeMillis: 10_400, durationSec: 31, title: 'Van – Gate' },
    ],
  ]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(clips.parts.value.map(({ state, percent }) => [state, percent])).toEqual([
    ['making', 40],
    ['making', 40],
  ]);
  percent = 100;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isSettled(clips.parts.value)).toBe(true);
  expect(clips.ordered()).toEqual(['clip of dock', 'clip of gate']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a camera that fails does not take the others with it', async () => {
  respond = (path, body) => {
    if (path !== 'video/spliceV3') {
      return {
        clip: {
          status: body.clipUuid === 'clip of gate' ? 'FAILED' : 'COMPLETE',
          currentOperation: 'RANGE_EMPTY',
        },
      };
    }
    return (body.deviceUuids as string[])[0] === 'ramp' ? 'There is no camera with this UUID.' : clipOf(body);
  };
  const clips = new ClipCase({ ...WANTED, cameras: [...CAMERAS, { uuid: 'ramp', name: 'Ramp' }] });
  await clips.order();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(clips.parts.value.map(({ state, why }) => [state, why])).toEqual([
    ['ready', null],
    ['failed', 'RANGE_EMPTY'],
    ['failed', 'There is no camera with this UUID.'],
  ]);
  respond = () => ({ downloadUrl: 'https://media/clips/x/download' });
  await clips.downloadUrl('');
  expect(calls.at(-1)).toEqual([
    'event/createClipDownload',
    { clipUuids: ['clip of dock'], description: '', title: 'Van' },
  ]);
});

test('if no camera could be ordered, that is the error', async () => {
  respond = () => 'The disk is full.';
  await expect(new ClipCase(WANTED).order()).rejects.toThrow('The disk is full.');
});

test('cancel deletes what is being made, also what is ordered at that moment', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  respond = (path, body) => (path === 'video/spliceV3' ? clipOf(body) : {});
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (url: URL, init: { body: string }) => {
    if (init.body.includes('gate')) await promise;
    return fetch(url, init as RequestInit);
  });
  const clips = new ClipCase(WANTED);
  const ordered = clips.order();
  await eventually('the first one', () => clips.parts.value[0]!.state === 'making');
  await clips.cancel();
  resolve();
  await ordered;
  const canceled = calls
    .filter(([path]) => path === 'video/cancelSpliceV2')
    .map(([, body]) => body.clipUuidList);
  expect(canceled).toEqual([['clip of dock'], ['clip of gate']]);
  expect(clips.parts.value.map(({ state }) => state)).toEqual(['canceled', 'canceled']);
});

test('a failure is a sentence', () => {
  expect(failureText('RANGE_EMPTY')).toBe('There is no recording of this time.');
  expect(failureText('NEW_CODE')).toBe('It could not be made (NEW_CODE).');
  expect(failureText('The disk is full.')).toBe('The disk is full.');
});
